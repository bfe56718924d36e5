package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"
)

// actor is a project that calls what its page is told to: env.TOOL or env.HOST.
const (
	actorCode = `export default { async fetch(request, env) {
	const { name, args } = await request.json()
	const [group, fn] = name.split(".")
	try {
		return Response.json({ ok: await (env.TOOL ?? env.HOST)[group][fn](args) ?? null })
	} catch (e) {
		return Response.json({ code: e.code ?? String(e), message: e.message })
	}
} }`
	actorPage = `<!doctype html><title>x</title><link rel="icon" href="data:,"><style>body { font: 14px sans-serif; padding: 16px }</style>
<h1>At work</h1><ul></ul><script>
window.call = async (name, args) => (await fetch("api/call", { method: "POST", body: JSON.stringify({ name, args }) })).json()
call("files.list", {}).then((r) => { for (const f of r.ok?.files ?? []) document.querySelector("ul").append(Object.assign(document.createElement("li"), { textContent: f.path })) })
</script>`
)

// api asks the page's API as the page does, and returns the answer's JSON.
func (p *tab) api(method, path string, body any) string {
	p.t.Helper()
	data, err := json.Marshal(body)
	p.must(err)
	return eval[string](p, fmt.Sprintf(`(async () => {
		const { token } = await (await fetch("api/session")).json()
		const r = await fetch(%q, { method: %q, headers: { "X-Playground-Token": token }, body: %q === "GET" ? undefined : %q })
		if (!r.ok) throw new Error(%q + ": " + r.status + " " + await r.text())
		return r.text()
	})()`, "api/"+path, method, method, data, path))
}

// make makes a project of files.
func (p *tab) make(id string, files map[string]string) {
	p.t.Helper()
	p.api("POST", "projects", map[string]string{"id": id, "template": "blank"})
	for name, text := range files {
		p.api("PUT", "projects/"+id+"/file?name="+url.QueryEscape(name), map[string]string{"text": text, "expected": "*"})
	}
}

// call has the page of an actor, in its frame, call a function. It returns "ok", or the code of the failure.
func (p *tab) call(name, args string) string {
	p.t.Helper()
	p.until("window.call")
	return eval[string](p, fmt.Sprintf("call(%q, %s).then((r) => r.code ?? 'ok')", name, args))
}

// begin has it call a function and does not wait; ended is for the answer.
func (p *tab) begin(name, args string) {
	p.t.Helper()
	p.until("window.call")
	eval[bool](p, fmt.Sprintf("(() => { window.last = ''; call(%q, %s).then((r) => { window.last = r.code ?? JSON.stringify(r.ok) }); return true })()", name, args))
}

func (p *tab) ended() string {
	p.t.Helper()
	p.until("window.last")
	return eval[string](p, "window.last")
}

// roleSite makes the projects of these tests and opens notes.
func roleSite(t *testing.T) (*program, *tab) {
	p := launch(t)
	b := p.visit()
	b.until("document.querySelector('.tpl')")
	b.make("notes", map[string]string{"docs/a.md": "# A", "docs/b.md": "# B", "secret.md": "secret"})
	b.make("viewer", map[string]string{"functions.js": actorCode, "index.html": actorPage, "sam.json": `{"role":"tool","wants":{"paths":["docs/**"],"mode":"read","uses":["canvas@1.reload"]}}`})
	b.make("bot", map[string]string{"functions.js": actorCode, "index.html": actorPage, "sam.json": `{"role":"agent"}`})
	b.open(p.page + "?project=notes")
	b.until("document.querySelectorAll('.trow').length > 3 && document.querySelector('.well iframe')")
	return p, b
}

// openWith opens the tool on the project that is open, by the question about it.
func (p *tab) openWith(tool string, change func()) *tab {
	p.t.Helper()
	p.click(".openwith button", "Open with")
	p.click(".menu button", tool)
	p.until("document.querySelector('.ask')")
	if change != nil {
		change()
	}
	p.click(".ask .btn.primary", "")
	p.until("document.querySelector('.tool:not([hidden]) .grant') && document.querySelector('.tooltab[data-selected=true]')")
	return p.frameOf("/" + tool + "/")
}

// TestTool is a tool on docs/** to read: it sees nothing else, writes nothing, and goes dark the moment it is closed, while
// the work project, tree and canvas stay.
func TestTool(t *testing.T) {
	p, b := roleSite(t)
	eval[bool](b, "(window.before = [document.querySelector('.canvas iframe'), document.querySelector('.tree')], true)")
	f := b.openWith("viewer", func() {
		b.until("document.querySelector('.sentence').textContent.startsWith('viewer may read docs/** in notes until ')")
		b.until("document.querySelector('.chip').textContent.includes('2 files')")
		b.shot("ask")
	})
	b.until("document.querySelector('.grant').textContent.includes('viewer may read docs/** in notes until ')")
	f.until("document.querySelectorAll('li').length === 2 && document.body.textContent.includes('docs/a.md')")
	for call, want := range map[string]string{
		"files.read " + `{path: "docs/a.md"}`:                                     "ok",
		"files.read " + `{path: "secret.md"}`:                                     "denied",
		"files.read " + `{path: "docs/../secret.md"}`:                             "invalid",
		"files.read " + `{project: "bot", path: "docs/a.md"}`:                     "denied",
		"files.write " + `{path: "docs/a.md", content: "x"}`:                      "denied",
		"files.remove " + `{path: "docs/a.md"}`:                                   "denied",
		"files.rename " + `{path: "docs/a.md", to: "docs/c.md"}`:                  "denied",
		"files.search " + `{query: "secret"}`:                                     "ok", // of what it may read: nothing
		"files.apply " + `{changes: [{path: "docs/n.md", content: "x"}]}`:         "denied",
		"files.edit " + `{path: "docs/a.md", edits: [{find: "A", replace: "B"}]}`: "denied",
	} {
		name, args, _ := strings.Cut(call, " ")
		if got := f.call(name, args); got != want {
			t.Errorf("%s: %s, want %s", call, got, want)
		}
	}
	if found := eval[string](f, `call("files.search", {query: "secret"}).then((r) => JSON.stringify(r.ok))`); strings.Contains(found, "secret.md") {
		t.Errorf("it found %s", found)
	}

	// A refusal stands beside the tool, with the grant that would do; another tab leaves the session open.
	b.until("[...document.querySelectorAll('.denials li')].some((l) => l.textContent.includes('The narrowest grant that would do'))")
	b.shot("denied")
	b.click(".etab", "index.html")
	b.until("!document.querySelector('.ebody').hidden && document.querySelector('.tool').hidden")
	if got := f.call("files.read", `{path: "docs/a.md"}`); got != "ok" {
		t.Errorf("behind another tab: %s", got)
	}
	b.click(".tooltab", "viewer")

	// Closing the tab ends it: frame, session, and what its URL serves.
	var roles struct{ Tools []struct{ Canvas string } }
	b.must(json.Unmarshal([]byte(b.api("GET", "roles", nil)), &roles))
	dark := func() int {
		t.Helper()
		resp, err := http.Get(p.page + roles.Tools[0].Canvas)
		b.must(err)
		resp.Body.Close()
		return resp.StatusCode
	}
	if status := dark(); status != 200 {
		t.Errorf("while it is open its page has status %d", status)
	}
	b.click(".tooltab .x", "")
	b.until("!document.querySelector('.tooltab') && !document.querySelector('.tool') && document.querySelector('.toast')?.textContent.includes('revoked')")
	deadline := time.Now().Add(15 * time.Second)
	for dark() == 200 {
		if time.Now().After(deadline) {
			t.Fatal("a closed tool is still served")
		}
		time.Sleep(10 * time.Millisecond)
	}
	b.until("fetch('api/roles').then((r) => r.json()).then((r) => r.tools.length === 0 && r.work === 'notes')")
	b.until("before.every((e) => e.isConnected) && document.querySelectorAll('.trow').length > 3")
	if text := b.api("GET", "projects/notes/file?name=docs%2Fa.md", nil); !strings.Contains(text, "# A") {
		t.Errorf("a file changed: %s", text)
	}

	// Undo opens it again, with the same grant.
	b.click(".toast button", "Undo")
	b.until("document.querySelector('.tooltab') && document.querySelector('.grant').textContent.includes('viewer may read docs/** in notes')")

	// One press grants what was refused, and no more.
	f = b.frameOf("/viewer/")
	if got := f.call("files.read", `{path: "secret.md"}`); got != "denied" {
		t.Errorf("opened again it may: %s", got)
	}
	b.click(".denials .btn:not(:disabled)", "Grant this")
	b.until("document.querySelector('.grant').textContent.includes('read secret.md in notes as well') && !document.querySelector('.denials')")
	if read, write := f.call("files.read", `{path: "secret.md"}`), f.call("files.write", `{path: "secret.md", content: ""}`); read != "ok" || write != "denied" {
		t.Errorf("granted: %s, %s", read, write)
	}

	// Another window sees it end, and opens it again.
	other := p.visit()
	other.until("document.querySelector('.tooltab')")
	other.click(".tooltab", "viewer")
	b.click(".rolebtn", "")
	b.until("document.querySelector('.rolemenu').textContent.includes('It may read docs/** in notes and read secret.md in notes until')")
	b.shot("roles")
	b.click(".rolemenu button", "Revoke")
	other.until("document.querySelector('.grant.over')?.textContent.includes('It was revoked') && !document.querySelector('.tool iframe')")
	other.shot("ended")
	other.click(".grant .btn", "Open again")
	other.until("document.querySelector('.ask')")
	other.clean()
	for _, s := range b.troubles {
		if !strings.Contains(s, "403") { // what a closed tool's page may ask for at its end
			t.Error(s)
		}
	}
}

// TestGrantEnds is the strip of a grant that is narrowed, comes to its end and has ended.
func TestGrantEnds(t *testing.T) {
	_, b := roleSite(t)
	open := func(left time.Duration) {
		t.Helper()
		b.api("POST", "tools", map[string]any{"project": "viewer", "grant": map[string]any{"project": "notes", "paths": []string{"**"}, "mode": "readwrite",
			"uses": []string{}, "maxCalls": 50, "confirm": false, "expires": time.Now().Add(left).UTC().Format(time.RFC3339Nano)}})
		b.click(".tooltab", "viewer")
	}
	open(4 * time.Minute)
	b.until("document.querySelector('.grant.soon')?.textContent.includes('viewer may read and write every file in notes')")
	b.shot("soon")
	f := b.frameOf("/viewer/")
	if got := f.call("files.read", `{path: "secret.md"}`); got != "ok" {
		t.Errorf("read: %s", got)
	}

	b.click(".grant .btn", "Narrow")
	b.until("document.querySelector('.ask h2')?.textContent === 'Narrow what viewer may do?'")
	b.click(".chip button", "")
	b.click(".chips input", "")
	b.keys("docs/*.md\r")
	b.click(".ask .seg button", "Read")
	b.until("document.querySelector('.sentence').textContent.startsWith('viewer may read docs/*.md in notes')")
	b.click(".ask .btn.primary", "Narrow")
	b.until("document.querySelectorAll('.tooltab').length === 1 && document.querySelector('.grant')?.textContent.includes('viewer may read docs/*.md in notes')")
	f = b.frameOf("/viewer/")
	f.until("document.querySelectorAll('li').length === 2")
	if read, write := f.call("files.read", `{path: "secret.md"}`), f.call("files.write", `{path: "docs/a.md", content: ""}`); read != "denied" || write != "denied" {
		t.Errorf("narrowed: %s, %s", read, write)
	}
	b.click(".grant .btn", "Revoke and close")
	b.until("!document.querySelector('.tooltab')")

	open(2 * time.Second)
	b.until("document.querySelector('.grant.over')?.textContent.includes('Its time is over.') && !document.querySelector('.tool iframe')")
	b.shot("over")
	b.check(axe(t), "ended")
	b.click(".grant .btn", "Close")
	b.until("!document.querySelector('.tooltab')")
}

// TestApproval is a tool that asks before each change.
func TestApproval(t *testing.T) {
	p, b := roleSite(t)
	f := b.openWith("viewer", func() {
		b.click(".ask .seg button", "Read and write")
		b.click(".ask .check", "")
		b.until("document.querySelector('.sentence').textContent.includes('asks before each change')")
	})
	write := `{path: "docs/a.md", content: "# New", expectedHash: "*"}`
	read := func() string {
		var file struct{ Data string }
		b.must(json.Unmarshal([]byte(b.api("GET", "projects/notes/file?name=docs%2Fa.md", nil)), &file))
		return file.Data
	}
	waits := "document.querySelector('.tool:not([hidden]) .approve [data-allow]:not(:disabled)')"

	f.begin("files.write", write)
	b.until(waits)
	b.until("(() => { const t = document.querySelector('.tool .approve').textContent; return t.includes('files@1.write') && t.includes('docs/a.md') && t.includes('# New') })()")
	b.shot("approval")
	if eval[bool](b, "document.activeElement?.closest('.approve') != null") {
		t.Error("the question took the focus")
	}
	b.keys(kb.Backspace, ctrl)
	if got := f.ended(); got != "denied" || read() != "# A" {
		t.Errorf("denied: %s, %s", got, read())
	}

	// It shows in another window, waits while that loads again, and the first answer counts in both.
	f.begin("files.write", write)
	b.until(waits)
	other := p.visit()
	other.until("document.querySelector('#left-agent .dot')")
	other.open(p.page)
	other.until("document.querySelector('#left-agent .dot')")
	other.click("#left-agent", "")
	other.until("document.querySelector('.agent .approve [data-allow]:not(:disabled)')")
	other.keys("\r", ctrl)
	other.until("!document.querySelector('.approve')")
	b.until("!document.querySelector('.approve')")
	if got := f.ended(); strings.Contains(got, "denied") || read() != "# New" {
		t.Errorf("allowed: %s, %s", got, read())
	}

	// For the session means that the next is not asked about.
	f.begin("files.write", write)
	b.until(waits)
	b.click(".tool .approve button", "For the session")
	if got := f.ended(); strings.Contains(got, "denied") {
		t.Errorf("allowed: %s", got)
	}
	if got := f.call("files.write", write); got == "denied" {
		t.Errorf("asked again: %s", got)
	}
	b.until("document.querySelector(\".trow[data-path='docs/a.md'] .who\")")
}

// TestAgentPane is the agent beside the files: chosen, asking, showing, and its turn undone.
func TestAgentPane(t *testing.T) {
	_, b := roleSite(t)
	b.click("#left-agent", "")
	b.until("document.querySelector('.agent .empty')")
	b.shot("none")
	b.click(".agent .empty button", "Choose a project")
	b.click(".menu button", "bot")
	b.until("document.querySelector('.agent .head')?.textContent.includes('bot') && document.querySelector('.agent .well iframe')")
	f := b.frameOf("/bot/")
	must := func(name, args string) {
		t.Helper()
		if got := f.call(name, args); got != "ok" {
			t.Fatalf("%s: %s", name, got)
		}
	}
	must("ui.message", `{text: "The page is done"}`)
	b.until("[...document.querySelectorAll('.toast')].some((t) => t.textContent.includes('bot') && t.textContent.includes('The page is done') && t.querySelector('.who[aria-label=agent]'))")
	must("ui.open", `{path: "docs/b.md", line: 1}`)
	b.until("document.querySelector('.etab[data-selected=true]').textContent.includes('b.md')")
	must("ui.focus", `{panel: "files"}`)
	b.until("document.querySelector('#left-files[aria-selected=true]')")

	f.begin("ui.ask", `{question: "Which colour?", choices: ["red", "blue"]}`)
	b.until("document.querySelector('#left-agent .dot')")
	b.click("#left-agent", "")
	b.until("document.querySelector('.agent .question')?.textContent.includes('Which colour?')")
	b.shot("question")
	b.click(".question button", "blue")
	if got := f.ended(); got != `{"answered":true,"answer":"blue"}` {
		t.Errorf("answered %s", got)
	}

	// A turn: undone exactly, and done again.
	must("checkpoints.create", `{label: "Before: a heading", state: true}`)
	must("files.write", `{path: "docs/a.md", content: "# Changed", expectedHash: "*"}`)
	must("files.write", `{path: "new.js", content: "1"}`)
	b.until("document.querySelector('.turn')?.textContent.includes('2 files changed')")
	b.panel("Checkpoints")
	b.until("[...document.querySelectorAll('.tl button')].some((e) => e.textContent.includes('Before: a heading') && e.querySelector('.who[aria-label=agent]'))")
	b.click("#left-files", "")
	b.until("document.querySelector(\".trow[data-path='new.js'] .who[aria-label=agent]\")")
	b.click("#left-agent", "")
	b.shot("turn")
	content := func(want string, there bool) {
		t.Helper()
		b.until(fmt.Sprintf("Promise.all([fetch('api/projects/notes/file?name=docs%%2Fa.md').then((r) => r.json()), fetch('api/projects/notes').then((r) => r.json())]).then(([f, p]) => f.data === %q && p.files.some((f) => f.name === 'new.js') === %v)", want, there))
	}
	b.click(".turn button", "Undo this turn")
	b.until("document.querySelector('.turn[data-state=undone]')")
	content("# A", false)
	b.click(".turn button", "Do it again")
	content("# Changed", true)

	// What the agent opens has a tab as well, and ends with its role.
	must("tools.open", `{project: "viewer", grant: {project: "notes", paths: ["docs/**"], mode: "read"}}`)
	b.until("document.querySelector('.tooltab')")
	b.click(".tooltab", "viewer")
	b.until("document.querySelector('.grant').textContent.includes('The agent opened it')")
	b.click(".rolebtn", "")
	b.click(".rolemenu li:nth-child(2) button", "Change")
	b.click(".menu button", "No agent")
	b.until("document.querySelector('.agent .empty') && document.querySelector('.grant.over') && !document.querySelector('.tool iframe')")
	b.until("document.querySelector('.toast:last-child')?.textContent.includes('bot is the agent no more')")
	b.click(".toast:last-child button", "Undo")
	b.until("document.querySelector('.agent .head')?.textContent.includes('bot')")
}
