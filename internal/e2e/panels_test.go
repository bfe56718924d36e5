package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	. "github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestPanels goes through the dock: what its panels show and do is seen in the page and on the canvas.
func TestPanels(t *testing.T) {
	p := launch(t)
	for _, c := range []struct {
		name string
		test func(t *testing.T, b *tab)
	}{
		{"tabs", dockTabs}, {"kv", dockKV}, {"db", dockDB}, {"secrets", dockSecrets}, {"checkpoints", dockCheckpoints}, {"audit", dockAudit},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := *p
			p.t = t
			b := p.visit()
			if eval[bool](b, "!!document.querySelector('.gallery')") {
				b.create("notes").until("document.querySelectorAll('.note').length == 3")
			}
			b.until("document.querySelector('.project')?.textContent.trim() == 'notes' && document.querySelector('.cm-content')")
			c.test(t, b)
			b.clean()
		})
	}
}

// looks has axe-core look at what is shown, in both themes and sizes, and takes pictures.
func (b *tab) looks(source, state string) {
	b.t.Helper()
	for _, width := range []int64{1440, 390} {
		b.size(width, 900)
		if width == 390 {
			b.click(".switcher button", "Panel")
		}
		for range 2 {
			theme := eval[string](b, "document.documentElement.dataset.theme")
			name := fmt.Sprintf("%s-%d-%s", state, width, theme)
			b.check(source, name)
			if over := eval[int](b, "document.documentElement.scrollWidth - innerWidth"); over > 0 {
				b.t.Errorf("%s is %d px too wide", name, over)
			}
			b.shot(name)
			b.click("[aria-label*='theme']", "")
			b.until("document.documentElement.dataset.theme != " + quote(theme) + " && !document.documentElement.classList.contains('switching')")
		}
	}
	b.size(1440, 900)
}

// panel shows a panel of the dock.
func (b *tab) panel(title string) {
	b.t.Helper()
	b.click(".panel .phead [role=tab]", title)
	b.until("document.querySelector('.panel .phead [aria-selected=true]').textContent.startsWith(" + quote(title) + ")")
}

func dockTabs(t *testing.T, b *tab) {
	b.panel("Console")
	selected := func(title string) {
		t.Helper()
		b.until("document.activeElement.getAttribute('role') == 'tab' && document.activeElement.textContent.startsWith(" + quote(title) + ") && document.activeElement.ariaSelected == 'true'")
	}
	b.keys(kb.ArrowRight)
	b.until("!document.querySelector('#tab-console[aria-selected=true]')")
	b.keys(kb.ArrowLeft)
	selected("Console")
	b.keys(kb.End)
	b.until("document.querySelector('.panel .phead [role=tab]:last-child').ariaSelected == 'true'")
	b.keys(kb.ArrowRight) // and around
	selected("Console")
	if n := eval[int](b, "document.querySelectorAll('.panel .phead [role=tab][tabindex=\"0\"]').length"); n != 1 {
		t.Errorf("the tabs are %d stops of the tab key", n)
	}
	// What is shown is remembered, and a closed dock opens for it.
	b.panel("Checkpoints")
	b.click("#toggle-panel", "")
	b.until("document.querySelector('.bench').dataset.panel == 'closed'")
	b.panel("Checkpoints")
	b.until("document.querySelector('.bench').dataset.panel == 'open'")
	b.open(b.url("?project=notes"))
	b.until("document.querySelector('#tab-checkpoints')?.ariaSelected == 'true' && document.querySelector('.cm-content')")
}

func dockCheckpoints(t *testing.T, b *tab) {
	frame := b.frame()
	frame.until("document.querySelectorAll('.note').length == 3")
	b.panel("Checkpoints")
	b.until("document.querySelector('#panel-checkpoints .empty')")
	b.click("[aria-label='Label of the checkpoint']", "")
	b.insert("Works")
	b.click(".tools2 .seg button", "Files and state")
	b.click(".tools2 button", "New checkpoint")
	b.until("document.querySelector('.tl button')?.textContent.includes('Works') && document.querySelector('.tl small').textContent.includes('you') && document.querySelector('.tl small').textContent.includes('files and state')")

	b.edit("New note", "One more note")
	b.keys("s", ctrl)
	frame.until("document.querySelector('#new')?.textContent == 'One more note'")
	b.until("document.querySelector('.diff .d.a')?.textContent.includes('One more note') && document.querySelector('.diff .d.r')?.textContent.includes('New note')")
	b.until("document.querySelector('.tlnow').textContent.includes('1 file changed since')")
	b.keys("S", KeyModifiers(ModifierCtrl, ModifierShift))
	b.until("document.querySelectorAll('.tl button').length == 2 && document.querySelector('.tl button').textContent.includes('1 file changed')")

	// Restoring the first one undoes the edit on the canvas; its undo brings it back.
	b.click(".tl button", "Works")
	b.until("document.querySelector('.cmp b').textContent == 'Works'")
	b.click(".cmp button", "Restore files and state")
	frame.until("document.querySelector('#new')?.textContent == 'New note'")
	b.until("document.querySelectorAll('.tl button').length == 3")
	b.click(".toast button", "Undo")
	frame.until("document.querySelector('#new')?.textContent == 'One more note'")

	// A list is one stop of the tab key, and arrows choose.
	b.until("document.querySelectorAll('.tl button').length == 4")
	b.click(".tl li:last-child button", "Works")
	b.keys(kb.ArrowUp)
	b.until("document.querySelector('.tl li:nth-child(3) button').ariaCurrent == 'true' && document.activeElement == document.querySelector('.tl li:nth-child(3) button')")

	b.click("[aria-label^='Delete ']", "")
	b.until("document.querySelectorAll('.tl button').length == 3")
	b.click(".toast button", "Undo")
	b.until("document.querySelectorAll('.tl button').length == 4")

	b.click(".tl li:last-child button", "Works")
	b.until("document.querySelector('.cmp b').textContent == 'Works'")
	b.click(".cmp button", "Fork")
	b.click(".toast button", "Open")
	b.until("document.querySelector('.project').textContent.startsWith('notes-fork')")
	b.frame().until("document.querySelector('#new')?.textContent == 'New note' && document.querySelectorAll('.note').length == 3")
	b.open(b.url("?project=notes")) // and the work project again
	b.until("document.querySelector('.project')?.textContent.trim() == 'notes' && document.querySelector('.cm-content')")
}

// part shows a part of the panel of data.
func (b *tab) part(title string) {
	b.t.Helper()
	b.panel("Data")
	b.click(".tools2 .seg button", title)
	b.until("[...document.querySelectorAll('.tools2 .seg button')].find(e => e.textContent == " + quote(title) + ").ariaPressed == 'true'")
}

func dockKV(t *testing.T, b *tab) {
	b.part("KV")
	put := func(key, text string) {
		t.Helper()
		b.click("button", "Put a key")
		b.click(".detail [aria-label=Key]", "")
		b.insert(key)
		b.click(".detail textarea", "")
		b.insert(text)
		b.click(".detail button", "Save")
		b.until("[...document.querySelectorAll('.grid .key')].some(e => e.textContent == " + quote(key) + ") && document.querySelector('.detail b')?.textContent == " + quote(key))
	}
	put("recent:1", "porto-in-april")
	put("recent:2", `{"id":12,"tags":["a"]}`)
	b.until("document.querySelector('.detail textarea').value.includes('\\n') && document.querySelector('.detail [aria-pressed=true]').textContent == 'JSON'")
	put("other", "x")
	b.click("[aria-label='Keys that begin with']", "")
	b.insert("recent:")
	b.until("document.querySelectorAll('.grid .key').length == 2")
	b.click(".grid .key", "recent:1")
	b.until("document.querySelector('.detail textarea')?.value == 'porto-in-april'")
	b.keys(kb.ArrowDown)
	b.until("document.querySelector('.detail b').textContent == 'recent:2' && document.activeElement.textContent == 'recent:2'")
	b.click(".detail .seg button", "Hex")
	b.until("document.querySelector('.hexdump').textContent.startsWith('000000  7b 0a')")
	b.click(".detail button", "Delete")
	b.until("document.querySelectorAll('.grid .key').length == 1")
	b.click(".toast:last-child button", "Undo")
	b.until("document.querySelectorAll('.grid .key').length == 2")
}

func dockDB(t *testing.T, b *tab) {
	b.part("Database")
	b.until("document.querySelector('.tables button')?.textContent.includes('notes') && document.querySelector('.tables .count').textContent == '3'")
	b.click(".tables button", "notes")
	b.until("document.querySelectorAll('.grid tbody tr').length == 3 && document.querySelector('.query [role=status]').textContent.includes('3 rows')")
	b.click(".query button", "Schema")
	b.until("document.querySelector('.schema')?.textContent.includes('CREATE TABLE')")
	b.click(".query button", "Schema")
	ask := func(sql string) {
		t.Helper()
		b.click(".query textarea", "")
		b.keys("a", ctrl)
		b.insert(sql)
		b.keys(kb.Enter, ctrl)
	}
	ask("SELECT title FROM notes WHERE id = ?1")
	b.until("document.querySelector('.query [aria-label=\"Parameter 1\"]')")
	b.click(".query [aria-label='Parameter 1']", "")
	b.insert("1")
	b.click(".query button", "Run")
	b.until("document.querySelectorAll('.grid tbody tr').length == 1")
	b.click(".query button", "Plan")
	b.until("document.querySelector('.plan')?.textContent.includes('SEARCH')")
	ask("SELECT colour FROM notes")
	b.until("document.querySelector('[role=alert] .danger')?.textContent.includes('no such column: colour')")
	ask("UPDATE notes SET title = 'From the panel' WHERE id = (SELECT min(id) FROM notes)")
	b.until("document.querySelector('[role=alert]')?.textContent.includes('This statement changes the database.')")
	b.click("[role=alert] button", "Run and write")
	b.until("document.querySelector('.query [role=status]')?.textContent.includes('1 changed')")
	b.click("[aria-label='Reload the canvas']", "")
	b.frame().until("document.querySelector('#notes')?.textContent.includes('From the panel')")
	ask("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n")
	b.click(".query button", "Cancel")
	b.until("document.querySelector('[role=alert]')?.textContent.includes('Cancelled.')")
	ask("SELECT count(*) AS n FROM notes")
	b.until("document.querySelector('.grid td')?.textContent == '3'")
	// The browser has its own words for the two statements that were refused.
	b.mu.Lock()
	defer b.mu.Unlock()
	b.troubles = slices.DeleteFunc(b.troubles, func(s string) bool {
		return strings.Contains(s, "400 (Bad Request)") && strings.HasSuffix(s, "/notes/db")
	})
}

func dockSecrets(t *testing.T, b *tab) {
	b.part("Secrets")
	b.click("[aria-label='Name of the secret']", "")
	b.insert("API_KEY")
	b.click("[aria-label='Value of the secret']", "")
	b.insert("hunter2")
	b.click(".secrets button", "Set")
	b.until("document.querySelector('.secrets li')?.textContent.includes('API_KEY') && document.querySelector('[aria-label=\"Value of the secret\"]').value == ''")
	if eval[bool](b, "document.documentElement.outerHTML.includes('hunter2')") {
		t.Error("the page still has the secret")
	}
	b.click("[aria-label='Delete API_KEY']", "")
	b.until("!document.querySelector('.secrets li')")
	b.click(".toast:last-child button", "Undo")
	b.until("document.querySelector('.secrets li')")
}

func dockAudit(t *testing.T, b *tab) {
	b.panel("Audit")
	b.until("document.querySelector('#panel-audit .quiet')")
	// A tool reads what it may, and what it may not; the panel follows.
	canvas := eval[string](b, `(async () => {
		const { token } = await (await fetch("api/session")).json()
		const ask = async (method, path, body) => (await fetch("api/" + path, { method, headers: { "X-Playground-Token": token, "Content-Type": "application/json" }, body: JSON.stringify(body) })).json()
		await ask("POST", "projects", { id: "viewer", template: "blank" })
		const text = "export default { async fetch(request, env) { const out = []; for (const path of ['lib/schema.js', 'index.html']) out.push(await env.TOOL.files.read({ path }).then(() => 'ok', (e) => e.code)); return Response.json(out) } }"
		await ask("PUT", "projects/viewer/file?name=functions.js", { text, expected: "" })
		await ask("PUT", "projects/viewer/file?name=index.html", { text: "<p></p><script>fetch('api/x').then((r) => r.text()).then((t) => (document.querySelector('p').textContent = t))</script>", expected: "*" })
		const opened = await ask("POST", "tools", { project: "viewer", grant: { project: "notes", paths: ["lib/**"], mode: "read", uses: [], maxCalls: 0, confirm: false } })
		document.body.append(Object.assign(document.createElement("iframe"), { src: opened.canvas, hidden: true }))
		return opened.canvas
	})()`)
	b.frameOf(canvas).until(`document.querySelector('p')?.textContent == '["ok","denied"]'`)
	b.until("document.querySelector('iframe[hidden]').remove() || true")
	// The page opens the tool in a tab as well, which asks again.
	b.until("document.querySelectorAll('.audit tbody tr:not(.why)').length >= 2")
	b.until("document.querySelector('.audit .why').textContent.includes('It would do if viewer may read index.html in notes.')")
	b.click(".tools2 .seg button", "Denied")
	b.until("document.querySelector('.audit .why') && !document.querySelector('.audit .okay')")
	b.click(".tools2 .seg button", "All")
	b.click("[aria-label='Filter by call or path']", "")
	b.insert("schema")
	b.until("document.querySelector('.audit .okay') && !document.querySelector('.audit .why')")
}
