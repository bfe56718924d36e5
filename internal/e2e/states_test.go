package e2e

import (
	"encoding/base64"
	"flag"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	cdp "github.com/chromedp/cdproto/page"
	. "github.com/chromedp/chromedp"
)

var shots = flag.Bool("shots", false, "write docs/shots and docs/shots.md")

const docs = "../../docs"

// A pageState is one that the page can be in: what a person sees then, and how it comes about.
type pageState struct {
	name  string
	says  string // for docs/shots.md
	area  string // that a narrow page shows
	role  string // selector of what must be seen
	text  string // that it contains
	enter func(*stage)
	leave func(*stage)
}

// A stage is the page on which the states are shown one after the other.
type stage struct {
	*tab
	program   *program
	page      string          // URL
	tool      string          // session
	abandoned <-chan struct{} // an import from the code host
}

// press clicks what may be out of sight: how a state comes about is what other tests are for.
func (s *stage) press(selector, text string) {
	s.t.Helper()
	find := fmt.Sprintf("[...document.querySelectorAll(%q)].find(e => e.textContent.includes(%q))", selector, text)
	s.until(find)
	eval[bool](s.tab, "("+find+".click(), true)")
}

// at goes to a project, if the page is not there.
func (s *stage) at(project string) {
	s.t.Helper()
	if eval[string](s.tab, "new URL(location).searchParams.get('project') ?? ''") != project {
		s.open(s.page + "?project=" + project)
	}
	s.until("document.querySelector('.project')?.textContent.trim() == " + quote(project) + " && document.querySelector('.trow, .none')")
}

func (s *stage) file(project, name string) {
	s.t.Helper()
	s.at(project)
	s.press(".trow[data-path="+quote(name)+"]", "")
	s.until("document.querySelector('.etab[data-selected=true]')?.textContent.includes(" + quote(name[strings.LastIndex(name, "/")+1:]) + ")")
}

func (s *stage) dock(project, title string) {
	s.t.Helper()
	s.at(project)
	s.press(".panel .phead [role=tab]", title)
}

func (s *stage) esc() { s.keys("\x1b") }

const recipe = "# Miso soup\n\n1 l dashi\n3 tbsp miso\n200 g tofu\n2 spring onions\n\nWarm the dashi.\nStir in the miso, and do not let it boil.\n"

// conflict has two people change the same line of a file, and each another one.
func (s *stage) conflict() {
	s.t.Helper()
	s.api("PUT", "projects/media/file?name=recipe.md", map[string]string{"text": recipe, "expected": "*"})
	s.file("media", "recipe.md")
	s.until("document.querySelector('.cm-content')?.innerText.includes('3 tbsp miso') && !document.querySelector('.etab .dirty')")
	// What the page writes is kept back until the other has written.
	eval[bool](s.tab, `(() => {
		const real = window.fetch
		window.fetch = (u, o) => String(u).includes("/file?name=recipe.md") && o?.method == "PUT" ? new Promise((yes) => (window.release = () => { window.fetch = real; yes(real(u, o)) })) : real(u, o)
		return true
	})()`)
	s.edit("3 tbsp", "4 tbsp white")
	s.until("window.release")
	theirs := strings.NewReplacer("3 tbsp", "2 tbsp red", "2 spring onions", "1 leek").Replace(recipe)
	eval[bool](s.tab, fmt.Sprintf(`(async () => {
		const { token } = await (await fetch("api/session")).json()
		const x = new XMLHttpRequest()
		x.open("PUT", "api/projects/media/file?name=recipe.md", false)
		x.setRequestHeader("X-Playground-Token", token)
		x.send(JSON.stringify({ text: %q, expected: "*" }))
		release()
		delete window.release
		return x.status == 200
	})()`, theirs))
	s.until("document.querySelector('.conflict')")
}

func (s *stage) settled() {
	s.t.Helper()
	s.until("!document.querySelector('.conflict, .etab .dirty, dialog[open]')")
}

// theme shows the other theme, without moving pointer or focus.
func (s *stage) theme(theme string) {
	s.t.Helper()
	if eval[string](s.tab, "document.documentElement.dataset.theme") != theme {
		eval[bool](s.tab, "(document.querySelector(\"[aria-label*='theme']\").click(), true)")
	}
	s.until("document.documentElement.dataset.theme == " + quote(theme) + " && !document.documentElement.classList.contains('switching')")
}

// viewer opens the tool anew, with a grant.
func (s *stage) viewer(grant map[string]any) *tab {
	s.t.Helper()
	s.at("notes")
	if s.tool == "" {
		g := map[string]any{"project": "notes", "paths": []string{"lib/**"}, "mode": "readwrite", "uses": []string{}, "maxCalls": 500, "confirm": true,
			"expires": time.Now().Add(time.Hour).UTC().Format(time.RFC3339Nano)}
		for k, v := range grant {
			g[k] = v
		}
		id := s.api("POST", "tools", map[string]any{"project": "viewer", "grant": g})
		_, id, _ = strings.Cut(id, `"id":"`)
		s.tool, _, _ = strings.Cut(id, `"`)
	}
	s.press(".tooltab [role=tab]", "viewer")
	return s.frameOf("/viewer/")
}

func (s *stage) noTool() {
	s.t.Helper()
	if s.tool != "" {
		s.api("DELETE", "tools/"+s.tool, nil)
		s.tool = ""
	}
	s.open(s.page + "?project=notes")
	s.at("notes")
}

// states are all that the page can be in, in an order that takes few ways.
var states = []pageState{
	{name: "gallery", says: "Projects, templates, import", role: ".mine .go", text: "notes", enter: func(s *stage) {
		s.open(s.page + "?project=notes")
		s.at("notes")
		s.press(".topbar button", "Templates")
	}, leave: func(s *stage) { s.open(s.page + "?project=notes") }},
	{name: "files", says: "The tree, with what the entries are", area: "Files", role: "[role=treeitem]", text: "functions.js", enter: func(s *stage) { s.at("notes") }},
	{name: "naming", says: "A new file gets its name in the tree", area: "Files", role: ".naming-row", enter: func(s *stage) { s.at("notes"); s.press("[aria-label='New file']", "") }, leave: (*stage).esc},
	{name: "found", says: "Lines that hold a text", area: "Files", role: ".hit", text: "notes", enter: func(s *stage) {
		s.at("notes")
		eval[bool](s.tab, "(() => { const f = document.querySelector('#find'); f.value = 'notes'; f.dispatchEvent(new Event('input', { bubbles: true })); return true })()")
	}, leave: func(s *stage) {
		eval[bool](s.tab, "(() => { const f = document.querySelector('#find'); f.value = ''; f.dispatchEvent(new Event('input', { bubbles: true })); return true })()")
	}},
	{name: "menu", says: "Projects, and what can be done with this one", role: "[role=menu]", text: "Delete notes", enter: func(s *stage) { s.at("notes"); s.press(".project", "") }, leave: (*stage).esc},
	{name: "palette", says: "Commands", role: ".palette [role=option]", text: "heckpoint", enter: func(s *stage) {
		s.at("notes")
		s.keys("P", KeyModifiers(ModifierCtrl, ModifierShift))
	}, leave: (*stage).esc},
	{name: "undo", says: "A file was deleted: at once, and it can be undone", area: "Files", role: ".toast[role=status]", text: "Deleted style.css", enter: func(s *stage) {
		s.at("notes")
		s.press(".trow[data-path='style.css'] .more", "")
		s.press("[role=menuitem]", "Delete")
	}, leave: func(s *stage) {
		s.press(".toast:last-child button", "Undo")
		s.until("document.querySelector(\".trow[data-path='style.css']\") && !document.querySelector('.toast')")
		s.frame().until("getComputedStyle(document.body).fontFamily.includes('serif')") // loaded again
		s.api("DELETE", "projects/notes/console", nil)
	}},
	{name: "editor", says: "Code", area: "Editor", role: ".cm-content[role=textbox]", text: "import", enter: func(s *stage) { s.file("notes", "functions.js") }},
	{name: "nothing-open", says: "No file is open", area: "Editor", role: ".slot .empty, .slot .quiet", enter: func(s *stage) {
		s.file("bare", "README.md")
		s.until("document.querySelector('.etab .x')?.click() === undefined && !document.querySelector('.etab')")
	}},
	{name: "no-page", says: "A project without index.html", area: "Canvas", role: ".canvas .empty", text: "No page yet", enter: func(s *stage) { s.at("bare") }},
	{name: "image", says: "An image, with its size", area: "Editor", role: ".preview", text: "40 × 30", enter: func(s *stage) { s.file("media", "dot.png") }},
	{name: "binary", says: "What is neither text nor media, in hex", area: "Editor", role: "[role=region]", text: "000000  4d 5a 00 01", enter: func(s *stage) { s.file("media", "data.bin") }},
	{name: "font", says: "A font, in its own letters", area: "Editor", role: ".specimen p", text: "0123456789", enter: func(s *stage) {
		s.file("media", "score.otf")
		s.until("[...document.fonts].some(f => f.family.startsWith('specimen') && f.status == 'loaded')")
	}},
	{name: "no-font", says: "A file that is no font, though it says so", area: "Editor", role: "[role=region]", text: "not a font", enter: func(s *stage) { s.file("media", "face.woff2") }},
	{name: "pdf", says: "A document, in the browser's own viewer", area: "Editor", role: ".preview", enter: func(s *stage) {
		s.file("media", "paper.pdf")
		s.press(".switcher button", "Editor")
		s.shows("the page of the PDF", 5000, green)
	}},
	{name: "conflict", says: "A file was changed here and elsewhere: nothing is lost, whatever the answer", area: "Editor", role: ".conflict", text: "1 of 2 changes fit together", enter: func(s *stage) { s.conflict() }, leave: func(s *stage) {
		s.press(".conflict button", "Keep mine")
		s.settled()
	}},
	{name: "merge", says: "Both versions, and what becomes of them", area: "Editor", role: "dialog .merge.three", text: "1 leek", enter: func(s *stage) {
		s.conflict()
		s.press(".conflict button", "Merge")
	}, leave: func(s *stage) {
		s.press("dialog button", "Keep mine")
		s.settled()
	}},
	{name: "importing", says: "What takes long says how far it is, and can be ended", role: ".progress", text: "Downloaded", enter: func(s *stage) {
		s.open(s.page + "?project=notes")
		s.at("notes")
		s.press(".topbar button", "Templates")
		s.until("document.querySelector('.drop.solid input')")
		eval[bool](s.tab, "(() => { const f = document.querySelector('.drop.solid input'); f.value = 'acme/slow'; f.dispatchEvent(new Event('input', { bubbles: true })); f.form.requestSubmit(); return true })()")
	}, leave: func(s *stage) {
		s.press(".progress button", "Cancel")
		s.until("!document.querySelector('.progress')")
		<-s.abandoned
		s.open(s.page + "?project=notes")
	}},
	{name: "console", says: "Levels, an object, a repeat, a stack with its lines, requests", area: "Panel", role: ".log .e", text: "no such note", enter: func(s *stage) {
		s.dock("broken", "Console")
		s.until("document.querySelector('.log .w') && document.querySelector('.log .rep')")
	}},
	{name: "canvas-error", says: "An error over the canvas, with its line", area: "Canvas", role: "[role=alertdialog]", text: "no such note", enter: func(s *stage) { s.at("broken") }},
	{name: "no-functions", says: "The page asks for what only functions.js could answer", area: "Canvas", role: ".note h2", text: "has no functions.js yet", enter: func(s *stage) { s.at("asking") }},
	{name: "phone", says: "The app on a telephone", area: "Canvas", role: ".canvas iframe", enter: func(s *stage) {
		s.at("notes")
		eval[bool](s.tab, "(document.querySelector(\"[aria-label='Phone, 390 px']\").click(), true)")
	}, leave: func(s *stage) {
		eval[bool](s.tab, "(document.querySelector(\"[aria-label='Full width']\").click(), true)")
	}},
	{name: "kv", says: "Keys and a value", area: "Panel", role: ".detail", text: "Metadata", enter: func(s *stage) {
		s.dock("notes", "Data")
		s.press(".tools2 .seg button", "KV")
		s.press(".grid .key", "recent:2")
	}},
	{name: "db", says: "Tables, a query and its rows", area: "Panel", role: ".grid td", text: "Sourdough", enter: func(s *stage) {
		s.dock("notes", "Data")
		s.press(".tools2 .seg button", "Database")
		s.press(".tables button", "notes")
	}},
	{name: "failed-query", says: "A query that fails, and why", area: "Panel", role: "[role=alert]", text: "no such column: colour", enter: func(s *stage) {
		s.dock("notes", "Data")
		s.press(".tools2 .seg button", "Database")
		s.until("document.querySelector('.tables button')")
		eval[bool](s.tab, "(() => { const f = document.querySelector('.query textarea'); f.value = 'SELECT title, colour FROM notes ORDER BY colour'; f.dispatchEvent(new Event('input', { bubbles: true })); return true })()")
		s.press(".query button", "Run")
	}},
	{name: "secrets", says: "Names of secrets: values are never shown", area: "Panel", role: ".secrets li", text: "API_KEY", enter: func(s *stage) {
		s.dock("notes", "Data")
		s.press(".tools2 .seg button", "Secrets")
	}},
	{name: "checkpoints", says: "The timeline, and what differs: files, keys, rows", area: "Panel", role: ".diff .d.a", text: "recent:2", enter: func(s *stage) {
		s.dock("notes", "Checkpoints")
		s.press(".tl button", "Works")
		s.press(".chg button", "KV")
	}},
	{name: "ask", says: "The one question before a tool is opened", area: "Editor", role: ".ask h2", text: "Open viewer on notes?", enter: func(s *stage) {
		s.at("notes")
		s.press(".openwith button", "Open with")
		s.press(".menu button", "viewer")
	}, leave: func(s *stage) { s.press(".ask .acts button", "Cancel") }},
	{name: "tool", says: "A tool at work: its grant, a refusal, a call that waits", area: "Editor", role: ".tool:not([hidden]) .approve h2", text: "viewer asks to call", enter: func(s *stage) {
		f := s.viewer(nil)
		if eval[bool](s.tab, "!document.querySelector('.approve')") {
			f.call("files.read", `{path: "style.css"}`)
			f.begin("files.write", `{path: "lib/schema.js", content: "// New", expectedHash: "*"}`)
		}
		s.until("document.querySelector('.approve [data-allow]:not(:disabled)') && !document.querySelector('.toast, .denials .btn:disabled')")
	}},
	{name: "audit", says: "Calls; of one that was refused the grant that would do", area: "Panel", role: ".audit .why", text: "It would do if viewer may read style.css in notes", enter: func(s *stage) {
		s.dock("notes", "Audit")
		s.until("document.querySelector('.audit .give:not(:disabled)')")
	}},
	{name: "ended", says: "A tool whose rights were revoked", area: "Editor", role: ".grant.over", text: "It was revoked.", enter: func(s *stage) {
		s.viewer(nil)
		s.api("DELETE", "tools/"+s.tool, nil)
		s.tool = ""
	}, leave: func(s *stage) { s.press(".grant.over button", "Close") }},
	{name: "soon", says: "The last minutes of a grant", area: "Editor", role: ".grant.soon", text: "min left", enter: func(s *stage) {
		s.viewer(map[string]any{"expires": time.Now().Add(4 * time.Minute).UTC().Format(time.RFC3339Nano)})
	}},
	{name: "no-agent", says: "No project is the agent", area: "Agent", role: ".agent .empty h2", text: "No agent", enter: func(s *stage) {
		if s.tool != "" {
			s.noTool()
		}
		s.at("notes")
		s.press("#left-agent", "")
	}},
	{name: "agent", says: "The agent's page, its question, its turn", area: "Agent", role: ".agent .question", text: "Which colour?", enter: func(s *stage) {
		s.at("notes")
		s.press("#left-agent", "")
		if eval[bool](s.tab, "!document.querySelector('.agent .head')") {
			s.api("PUT", "agent", map[string]string{"id": "bot"})
			bot := s.frameOf("/bot/")
			bot.until("document.querySelectorAll('li').length > 0")
			bot.call("checkpoints.create", `{label: "Before: a heading"}`)
			bot.call("files.write", `{path: "lib/new.js", content: "1"}`)
			bot.begin("ui.ask", `{question: "Which colour?", choices: ["red", "blue"], timeoutMs: 280000}`)
		}
		s.until("document.querySelector('.turn')?.textContent.includes('1 file changed') && !document.querySelector('.toast')")
	}},
	{name: "roles", says: "Who may do what, and how to take it back", role: ".rolemenu li", text: "Its pages may talk to", enter: func(s *stage) { s.at("notes"); s.press(".rolebtn", "") }, leave: (*stage).esc},
	{name: "reconnecting", says: "The program does not answer; what is typed stays in the page until it does", area: "Editor", role: ".slot .foot", text: "Not saved", enter: func(s *stage) {
		s.file("media", "recipe.md")
		s.until("[...document.querySelectorAll('.cm-content')].some(e => e.checkVisibility() && e.textContent.includes('# '))")
		s.program.stop()
		s.until("document.querySelector('.topbar').textContent.includes('Reconnecting')")
		s.edit("# ", "## ")
	}, leave: func(s *stage) {
		s.program.start(s.program.cmd.Path)
		s.until("!document.querySelector('.topbar').textContent.includes('Reconnecting')")
		s.settled()
	}},
}

// prepare makes the projects that the states are of.
func (s *stage) prepare(t *testing.T) {
	s.until("document.querySelector('.tpl')")
	s.api("POST", "projects", map[string]string{"id": "notes", "template": "notes"})
	s.make("viewer", map[string]string{"functions.js": actorCode, "index.html": actorPage, "sam.json": `{"role":"tool","wants":{"paths":["lib/**"],"mode":"read","uses":["canvas@1.reload"]}}`})
	s.make("bot", map[string]string{"functions.js": actorCode, "index.html": actorPage, "sam.json": `{"role":"agent"}`})
	s.make("asking", map[string]string{"index.html": `<!doctype html><link rel="icon" href="data:,"><script>fetch("api/notes")</script>`})
	s.make("broken", map[string]string{"index.html": `<!doctype html><link rel="icon" href="data:,"><script type="module" src="main.js"></script>`,
		"functions.js": "export default { fetch: () => new Response('ok') }",
		"main.js": `await fetch("/api/notes")
console.log({ title: "Porto in April", tags: ["travel", "spring"], pinned: true })
console.warn("The list is long")
for (let i = 0; i < 3; i++) console.info("drawn")
function breaks() {
	throw new TypeError("no such note")
}
breaks()
`})
	s.make("bare", map[string]string{"README.md": "# Bare"})
	s.api("POST", "projects/bare/edits", map[string]any{"edits": []map[string]any{{"name": "index.html", "remove": true, "expected": "*"}}})
	s.make("media", nil)
	for name, data := range map[string][]byte{"dot.png": picture(t), "data.bin": []byte("MZ\x00\x01\xff\x7fELF, or not"), "face.woff2": []byte("wOF2\x00\x01"), "paper.pdf": document("Invoice 12"), "score.otf": font(t)} {
		eval[bool](s.tab, fmt.Sprintf(`(async () => {
			const { token } = await (await fetch("api/session")).json()
			const bytes = Uint8Array.from(atob(%q), (c) => c.charCodeAt(0))
			return (await fetch("api/projects/media/raw?expected=&name=%s", { method: "PUT", headers: { "X-Playground-Token": token }, body: bytes })).ok
		})()`, base64.StdEncoding.EncodeToString(data), name))
	}
	put := func(key, text, metadata string) {
		s.api("PUT", "projects/notes/kv/value?ns=KV&key="+url.QueryEscape(key), map[string]any{"text": true, "data": text, "metadata": metadata, "expires": nil, "new": false})
	}
	put("recent:1", "porto-in-april", "")
	put("recent:2", `{"id":12,"tags":["a"]}`, `{"by":"ada"}`)
	s.api("PUT", "projects/notes/secrets/API_KEY", map[string]string{"value": "hunter2"})
	s.api("PUT", "projects/bot/connect", map[string]any{"origins": []string{"https://api.example.com"}})
	s.at("notes")
	s.frame().until("document.querySelectorAll('.note').length == 3")
	s.api("POST", "projects/notes/checkpoints", map[string]any{"label": "Works", "state": true})
	put("recent:2", `{"id":13,"tags":["a","b"]}`, `{"by":"ada"}`)
	s.api("DELETE", "projects/notes/console", nil)
}

// TestStates shows the page in all its states, wide and narrow, dark and light: what a person sees is there, axe-core finds
// nothing, no word is cut and nothing is too wide. With -shots it writes docs/shots.
func TestStates(t *testing.T) {
	source := axe(t)
	github, abandoned := codeHost(t)
	p := launch(t, "-github", github)
	s := &stage{tab: p.visit(), program: p, page: p.page, abandoned: abandoned}
	s.prepare(t)
	for _, st := range states {
		t.Run(st.name, func(t *testing.T) {
			s.t = t
			s.show(source, st)
		})
	}
	s.t = t
	if *shots && !t.Failed() {
		if err := os.WriteFile(docs+"/shots.md", []byte(shotsPage()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// show goes into a state, wide and narrow, looks at it in both themes, and goes out of it.
func (s *stage) show(source string, st pageState) {
	for _, width := range []int64{1440, 390} {
		s.size(width, map[int64]int64{1440: 900, 390: 844}[width])
		st.enter(s)
		if width == 390 && st.area != "" {
			s.press(".switcher button", st.area)
		}
		s.until(fmt.Sprintf("[...document.querySelectorAll(%q)].some(e => e.checkVisibility() && e.textContent.includes(%q))", st.role, st.text))
		for _, theme := range []string{"light", "dark"} {
			s.theme(theme)
			name := fmt.Sprintf("%s-%d-%s", st.name, width, theme)
			s.flaws(source, name, theme == "light")
			s.picture(name)
		}
		if st.leave != nil {
			st.leave(s)
		}
	}
}

// flaws reports what a person would find wrong with how the page looks. What does not depend on colours is looked at once.
func (s *stage) flaws(source, name string, all bool) {
	s.t.Helper()
	if all {
		s.check(source, name)
	} else {
		s.needs(source)
		for _, v := range eval[[]violation](s.tab, `axe.run({exclude: ["iframe"]}, {runOnly: {type: "rule", values: ["color-contrast"]}, iframes: false}).then((r) =>
			r.violations.map((v) => ({ID: v.id, Impact: v.impact, Help: v.help, Where: v.nodes.map((n) => n.target.join(" ") + ": " + n.failureSummary)})))`) {
			s.t.Errorf("%s: %s: %s", name, v.ID, strings.Join(v.Where, "\n  "))
		}
		return
	}
	for _, flaw := range eval[[]string](s.tab, `(() => {
		const out = []
		const over = document.documentElement.scrollWidth - innerWidth
		if (over > 0) out.push("it is " + over + " px too wide")
		for (const e of document.querySelectorAll("button, .btn, .tag, h1, h2, label, th")) {
			if (!e.checkVisibility() || e.closest(".cm-editor, .vh") || !e.textContent.trim()) continue
			const style = getComputedStyle(e)
			if (e.scrollWidth > e.clientWidth + 1 && style.display !== "inline" && style.overflowX !== "visible" && style.textOverflow !== "ellipsis") out.push("cut: " + e.textContent.trim().slice(0, 60))
			if (style.overflowX === "visible" && style.whiteSpace === "nowrap" && e.scrollWidth > e.clientWidth + 1 && e.clientWidth) out.push("runs out: " + e.textContent.trim().slice(0, 60))
		}
		return out
	})()`) {
		s.t.Errorf("%s: %s", name, flaw)
	}
}

// picture keeps a picture for docs/shots, and one in $SHOTS.
func (s *stage) picture(name string) {
	s.t.Helper()
	s.shot(name)
	if !*shots {
		return
	}
	quality := int64(50)
	got, err := Call(s.ctx, cdp.CaptureScreenshot, cdp.CaptureScreenshotParams{Format: cdp.CaptureScreenshotFormatWebp, Quality: &quality})
	s.must(err)
	s.must(os.MkdirAll(docs+"/shots", 0o755))
	s.must(os.WriteFile(filepath.Join(docs, "shots", name+".webp"), got.Data, 0o644))
}

// shotsPage is docs/shots.md.
func shotsPage() string {
	var b strings.Builder
	b.WriteString("# The playground in pictures\n\nAll states of the page, as `go test -run TestStates -shots` in `internal/e2e` saw them: at 1440 and 390 pixels, dark and light.\n")
	for _, st := range states {
		fmt.Fprintf(&b, "\n## %s\n\n%s.\n\n", strings.ToUpper(st.name[:1])+strings.ReplaceAll(st.name[1:], "-", " "), st.says)
		for _, theme := range []string{"dark", "light"} {
			fmt.Fprintf(&b, "<img src=\"shots/%s-1440-%s.webp\" width=\"600\" alt=\"%s, wide, %s\"> <img src=\"shots/%s-390-%s.webp\" width=\"180\" alt=\"%s, narrow, %s\">\n", st.name, theme, st.says, theme, st.name, theme, st.says, theme)
		}
	}
	return b.String()
}

// TestShotsAreThere keeps docs/shots the pictures of the states, and small.
func TestShotsAreThere(t *testing.T) {
	page, err := os.ReadFile(docs + "/shots.md")
	if err != nil {
		t.Fatal(err)
	}
	if string(page) != shotsPage() {
		t.Error("docs/shots.md is not of the states as they are; run go test -run TestStates -shots .")
	}
	var size int64
	there := map[string]bool{}
	files, err := os.ReadDir(docs + "/shots")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		info, err := f.Info()
		if err != nil {
			t.Fatal(err)
		}
		size += info.Size()
		there[f.Name()] = true
	}
	if size > 4_500_000 {
		t.Errorf("docs/shots has %d bytes", size)
	}
	for _, st := range states {
		for _, of := range []string{"1440-dark", "1440-light", "390-dark", "390-light"} {
			name := st.name + "-" + of + ".webp"
			if !there[name] {
				t.Errorf("there is no %s", name)
			}
			delete(there, name)
		}
	}
	for name := range there {
		t.Errorf("docs/shots/%s is of no state", name)
	}
}
