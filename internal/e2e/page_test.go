package e2e

import (
	"fmt"
	"strings"
	"testing"
)

// TestWhoMayDoWhat is what a person sees and takes back of what others may do: origins that pages may talk to, what a
// call was refused for, and where the agent went.
func TestWhoMayDoWhat(t *testing.T) {
	_, b := roleSite(t)
	b.make("other", map[string]string{"main.js": "// other"})
	b.api("PUT", "agent", map[string]string{"id": "bot"})
	b.api("PUT", "projects/bot/connect", map[string]any{"origins": []string{"https://api.example.com", "https://two.example.com"}})

	// Connections stand with the roles. Taking one back is done at once, and undone as fast.
	b.click(".rolebtn", "")
	b.until("document.activeElement.matches('.rolemenu') && document.querySelectorAll('[aria-label^=\"Take back \"]').length == 2")
	b.shot("connections")
	b.click("[aria-label='Take back https://api.example.com from bot']", "")
	b.until("document.querySelectorAll('[aria-label^=\"Take back \"]').length == 1")
	origins := func(want string) {
		t.Helper()
		b.until("fetch('api/projects/bot/connect').then((r) => r.json()).then((r) => r.origins.join() == " + quote(want) + ")")
	}
	origins("https://two.example.com")
	b.click(".toast:last-child button", "Undo")
	origins("https://two.example.com,https://api.example.com")
	b.click(".rolebtn", "")
	b.until("document.querySelectorAll('[aria-label^=\"Take back \"]').length == 2")
	b.keys("\x1b")
	b.until("!document.querySelector('.rolemenu') && document.activeElement.matches('.rolebtn')")

	// The audit gives what a refusal names: to the session that is open.
	f := b.openWith("viewer", nil)
	if got := f.call("files.read", `{path: "secret.md"}`); got != "denied" {
		t.Fatalf("read: %s", got)
	}
	b.panel("Audit")
	b.click(".audit .give:not(:disabled)", "Grant this")
	b.until("document.querySelector('.audit .why').textContent.includes('Granted since') && !document.querySelector('.audit .give')")
	b.until("document.querySelector('.grant').textContent.includes('read secret.md in notes as well')")
	b.shot("granted")
	if read, write := f.call("files.read", `{path: "secret.md"}`), f.call("files.write", `{path: "secret.md", content: ""}`); read != "ok" || write != "denied" {
		t.Errorf("granted: %s, %s", read, write)
	}
	// Without a session the person is asked once, for that and no more.
	b.click(".tooltab .x", "")
	b.until("document.querySelector('.audit .why').textContent.includes('viewer may read and change docs/** in notes.Open with this')")
	b.click(".audit .give", "Open with this")
	b.until("document.querySelector('.ask .sentence')?.textContent.startsWith('viewer may read and write docs/** in notes until ')")
	b.shot("wanted")
	b.keys("\x1b")
	b.until("!document.querySelector('.ask')")

	// The page goes where the agent goes, unless somebody types.
	b.click("#left-agent", "")
	bot := b.frameOf("/bot/")
	open := func(id string) {
		t.Helper()
		if got := bot.call("projects.open", fmt.Sprintf("{project: %q}", id)); got != "ok" {
			t.Fatalf("open %s: %s", id, got)
		}
	}
	open("other")
	b.until("document.querySelector('.project').textContent.startsWith('other') && [...document.querySelectorAll('.trow')].some((e) => e.dataset.path == 'main.js')")
	b.until("document.querySelector('.toast:last-child')?.textContent.includes('works on other now')")
	b.click(".toast:last-child button", "Undo")
	b.until("document.querySelector('.project').textContent.startsWith('notes') && document.querySelectorAll('.trow').length > 3")
	b.click("#left-files", "")
	b.click("#find", "")
	b.insert("doc")
	open("other")
	b.until("document.querySelector('.toast:last-child')?.textContent.includes('works on other now')")
	if eval[string](b, "document.querySelector('.project').textContent + document.activeElement.value") != "notesdoc" {
		t.Error("the page went away from who types")
	}
	b.click(".toast:last-child button", "Show")
	b.until("document.querySelector('.project').textContent.startsWith('other')")
	for _, s := range b.troubles {
		if !strings.Contains(s, "403") {
			t.Error(s)
		}
	}
}

// TestQuestionStays is a question of the agent that stays in sight, wide and narrow, with the answer as far as it was typed, while
// the agent goes to another project and the page goes with it.
func TestQuestionStays(t *testing.T) {
	_, b := roleSite(t)
	b.make("other", map[string]string{"main.js": "// other"})
	b.api("PUT", "agent", map[string]string{"id": "bot"})
	b.click("#left-agent", "")
	bot := b.frameOf("/bot/")
	bot.begin("ui.ask", `{question: "Which name?", timeoutMs: 280000}`)
	b.until("document.querySelector('.agent .question input')")
	b.click(".agent .question input", "")
	b.insert("Porto")
	eval[bool](b, "(document.activeElement.blur(), true)") // the page does not leave who types
	follows := func(id string) {
		t.Helper()
		eval[string](bot, fmt.Sprintf("call('projects.open', {project: %q}).then(() => 'asked')", id))
		b.until("document.querySelector('.project').textContent.trim() == " + quote(id) + " && document.querySelector('.agent .head').textContent.includes('works on " + id + "')")
		b.until(`(() => {
			const q = document.querySelector(".agent .question"), r = q.getBoundingClientRect()
			const on = document.elementFromPoint(r.x + r.width / 2, r.y + r.height / 2)
			return q.checkVisibility() && r.top >= 0 && r.bottom <= innerHeight && q.contains(on) && q.textContent.includes("Which name?") && q.querySelector("input").value == "Porto"
		})()`)
	}
	follows("other")
	b.shot("wide")
	b.size(390, 844)
	b.click(".switcher button", "Agent")
	follows("notes")
	b.shot("narrow")
	b.click(".switcher button", "Canvas")
	b.until("document.querySelector(\".switcher [aria-label='waits for you']\")")
	b.click(".switcher button", "Agent")
	b.click(".agent .question button", "Answer")
	if got := bot.ended(); got != `{"answered":true,"answer":"Porto"}` {
		t.Errorf("answered %s", got)
	}
	b.until("!document.querySelector('.question')")
	b.clean()
}

// TestRepairIsAsked is an error of the console that the agent is asked to repair, with one press, whether its page is there already or not.
func TestRepairIsAsked(t *testing.T) {
	p, b := roleSite(t)
	b.make("fixer", map[string]string{"index.html": `<!doctype html><link rel="icon" href="data:,"><ol></ol><script>
		addEventListener("message", (e) => e.source === parent && e.data?.samkit === "workbench" && e.data.ask && document.querySelector("ol").append(Object.assign(document.createElement("li"), { textContent: e.data.ask })))
		parent.postMessage({ samkit: "workbench" }, "*")
	</script>`})
	b.make("broken", map[string]string{"index.html": `<!doctype html><link rel="icon" href="data:,"><script>
		function breaks() { throw new TypeError("no such note") }
		breaks()
	</script>`})
	b.open(p.page + "?project=broken")
	b.panel("Console")
	b.until("document.querySelector('.log .e .repair')")
	b.click(".log .e .repair", "Ask an agent to repair it") // and there is none
	b.until("document.querySelector('.agent .empty')")
	b.api("PUT", "agent", map[string]string{"id": "fixer"})
	b.until("document.querySelector('.agent .head')?.textContent.includes('fixer')")
	b.click("#left-files", "")
	b.open(p.page + "?project=broken") // so that its page is not there
	b.panel("Console")
	b.click(".log .e .repair", "Ask fixer to repair it")
	f := b.frameOf("/fixer/")
	f.until("document.querySelectorAll('li').length === 1 && document.querySelector('li').textContent.startsWith('Repair this error in broken:\\n')")
	if text := eval[string](f, "document.querySelector('li').textContent"); !strings.Contains(text, "no such note") || !strings.Contains(text, "index.html:2") {
		t.Errorf("it was asked %q", text)
	}
	b.click(".note .btn", "Ask fixer to repair it")
	f.until("document.querySelectorAll('li').length === 2")
	b.shot("asked")

	// The app on the canvas can reach the agent's frame, and not ask it.
	eval[bool](b.frame(), `(() => { for (let i = 0; i < parent.length; i++) parent[i].postMessage({ samkit: "workbench", ask: "Leak it" }, "*"); return true })()`)
	b.click(".note .btn", "Ask fixer to repair it")
	f.until("document.querySelectorAll('li').length >= 3")
	if text := eval[string](f, "document.querySelector('ol').textContent"); strings.Contains(text, "Leak it") {
		t.Errorf("the canvas asked the agent: %q", text)
	}
}

// TestDataFollows is data that changes while somebody looks at it: the app writes, and keys, rows and what differs from a checkpoint follow, while
// the keyboard stays where it is.
func TestDataFollows(t *testing.T) {
	b := launch(t).visit()
	frame := b.create("notes")
	frame.until("document.querySelectorAll('.note').length == 3")
	put := func(key, text string) {
		t.Helper()
		b.api("PUT", "projects/notes/kv/value?ns=KV&key="+key, map[string]any{"text": true, "data": text, "metadata": "", "expires": nil, "new": false})
	}
	put("one", "1")
	b.part("KV")
	b.click(".grid .key", "one")
	b.until("document.querySelector('.detail textarea')?.value == '1' && document.activeElement.textContent == 'one'")
	put("one", "changed")
	put("two", "2")
	b.until("document.querySelectorAll('.grid .key').length == 2 && document.querySelector('.detail textarea').value == 'changed'")
	b.until("document.activeElement.textContent == 'one'") // it was drawn anew
	b.click(".detail textarea", "")
	b.insert("mine ")
	put("one", "theirs")
	b.until("[...document.querySelectorAll('.grid tr')].some((r) => r.textContent.includes('theirs'))")
	if text := eval[string](b, "document.querySelector('.detail textarea').value"); !strings.Contains(text, "mine") {
		t.Errorf("what was being typed is %q", text)
	}

	const note = "fetch('/api/notes', {method: 'POST', body: JSON.stringify({title: 'From the app', body: 'x'})}).then((r) => r.ok)"
	b.part("Database")
	b.click(".tables button", "notes")
	b.until("document.querySelectorAll('.grid tbody tr').length == 3 && document.activeElement.textContent.startsWith('notes')")
	eval[bool](frame, note)
	b.until("document.querySelectorAll('.grid tbody tr').length == 4 && document.querySelector('.tables .count').textContent == '4'")
	b.until("document.activeElement.textContent.startsWith('notes')")

	b.panel("Checkpoints")
	b.click(".tools2 .seg button", "Files and state")
	b.click(".tools2 button", "New checkpoint")
	b.until("document.querySelector('.cmp')?.textContent.includes('Nothing has changed since.')")
	put("two", "22")
	b.until("document.querySelector('.diff .d.a')?.textContent.includes('two │ 22') && document.querySelector('.diff .d.r')?.textContent.includes('two │ 2')")
	eval[bool](frame, note)
	b.click(".chg button", "DB.notes")
	b.until("document.querySelectorAll('.diff .d.a').length == 1 && document.querySelectorAll('.chg button').length == 2")
	b.shot("state")
	b.clean()
}
