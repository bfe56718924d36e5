package e2e

import (
	"testing"

	"github.com/chromedp/cdproto/page"
	. "github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestTerminal types commands as a person does.
func TestTerminal(t *testing.T) {
	source := axe(t)
	p := launch(t)
	b := p.visit()
	frame := b.create("notes")
	frame.until("document.querySelectorAll('.note').length == 3")
	b.shell()
	b.until("document.querySelector('.tools2 .about').textContent == 'Files of notes, no network'")

	// What a command writes is on the canvas and in the tree, and completion spares typing.
	b.run("echo '<p id=shell>from the shell</p>' >>index.html; mkdir -p made; echo x >made/by-hand.txt")
	frame.until("document.querySelector('#shell')?.textContent == 'from the shell'")
	b.until("[...document.querySelectorAll('.tree *')].some(e => e.textContent == 'made')")
	b.insert("cat made/by")
	b.keys(kb.Tab)
	b.until("document.querySelector('.term textarea').value == 'cat made/by-hand.txt '")
	b.keys(kb.Enter)
	b.printed("x")
	b.insert("sha")
	b.keys(kb.Tab)
	b.until("[...document.querySelectorAll('.choices li')].map(e => e.textContent).join() == 'sha1sum,sha256sum,sha512sum'")
	b.keys("u", ctrl)
	b.run("ls; grep -n doctype index.html; false")
	b.until("[...document.querySelectorAll('.term .out .c-blue')].some(e => e.textContent == 'made') && [...document.querySelectorAll('.term .out .c-red')].some(e => e.textContent == 'doctype')")
	b.until("document.querySelector('.term .entry .danger')?.textContent.trim() == '1'")
	b.looks(source, "shell")
	b.panel("Shell")
	b.click(".term textarea", "")

	// Ctrl-C ends what runs; input of a command is typed into it, and Ctrl-D ends that.
	b.insert("sleep 100")
	b.keys(kb.Enter)
	b.until("[...document.querySelectorAll('.tools2 button')].some(e => e.textContent == 'Stop')")
	b.keys("c", ctrl)
	b.until("document.querySelector('.term .entry .danger')?.textContent.trim() == '130'")
	b.printed("^C")
	b.insert("tr a-z A-Z")
	b.keys(kb.Enter)
	b.until("document.querySelector('.term textarea').ariaLabel.includes('input of the command')")
	b.insert("typed")
	b.keys(kb.Enter)
	b.keys("d", ctrl)
	b.printed("TYPED")
	b.until("document.querySelector('.term .entry .pmt')")

	// After a reload all is there: what was printed, where the shell was, and the history. Ctrl-C empties the line.
	b.run("cd made")
	b.until("document.querySelector('.term .entry .pmt').textContent == 'notes/made'")
	b.open(b.url("?project=notes"))
	b.until("document.querySelector('#tab-shell')?.ariaSelected == 'true' && document.querySelector('.term .entry .pmt')?.textContent == 'notes/made'")
	b.printed("TYPED")
	b.click(".term textarea", "")
	b.keys(kb.ArrowUp)
	b.until("document.querySelector('.term textarea').value == 'cd made'")
	b.keys(kb.ArrowUp)
	b.keys(kb.ArrowUp)
	b.until("document.querySelector('.term textarea').value == 'sleep 100'")
	b.keys(kb.ArrowDown)
	b.until("document.querySelector('.term textarea').value == 'tr a-z A-Z'")
	b.keys("c", ctrl)
	b.until("document.querySelector('.term textarea').value == ''")

	// Ctrl-R searches the history: again for an older line, Escape to edit it, Ctrl-G for what was there.
	b.insert("half a line")
	b.keys("r", ctrl)
	b.until("document.querySelector('.term .found').textContent == 'type part of a line'")
	b.insert("a")
	b.until("document.querySelector('.term .found').textContent == 'cd made' && document.querySelector('.term .found b').textContent == 'a'")
	b.keys("r", ctrl)
	b.until("document.querySelector('.term .found').textContent == 'tr a-z A-Z'")
	b.keys(kb.Escape)
	b.until("document.querySelector('.term textarea').value == 'tr a-z A-Z' && !document.querySelector('.term .found')")
	b.keys("r", ctrl)
	b.insert("nothing has this")
	b.until("document.querySelector('.term .found').textContent == 'no line has that'")
	b.keys("g", ctrl)
	b.until("document.querySelector('.term textarea').value == 'tr a-z A-Z'")
	b.keys("u", ctrl)

	// Nobody is caught in it: an empty line lets the tab key go.
	b.keys(kb.Tab)
	b.until("document.activeElement != document.querySelector('.term textarea')")
	b.click(".term textarea", "")
	b.keys("l", ctrl)
	b.until("document.querySelector('.term .out').textContent == ''")

	// Where no WebSocket comes through, answers wait.
	_, err := Call(b.ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: "WebSocket = class { constructor() { throw new Error('none') } }"})
	b.must(err)
	b.open(b.url("?project=notes"))
	b.until("document.querySelector('.term .entry .pmt')?.textContent == 'notes/made'")
	b.click(".term textarea", "")
	b.run("echo polled | tr a-z A-Z")
	b.printed("POLLED")
	b.clean()
}

// shell shows the shell and waits for its prompt.
func (b *tab) shell() {
	b.t.Helper()
	b.panel("Shell")
	b.until("document.querySelector('.term .entry .pmt')?.textContent == 'notes'")
	b.click(".term textarea", "")
}

// run types a line and waits until it has run.
func (b *tab) run(line string) {
	b.t.Helper()
	b.insert(line)
	b.keys(kb.Enter)
	b.until("document.querySelector('.term .out').textContent.includes(" + quote(line) + ") && document.querySelector('.term .entry .pmt')")
}

// printed waits for a line of the terminal.
func (b *tab) printed(line string) {
	b.t.Helper()
	b.until("[...document.querySelectorAll('.pbody:not([hidden]) .term .out > div')].some(e => e.textContent.endsWith(" + quote(line) + "))")
}
