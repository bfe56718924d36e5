package e2e

import (
	"fmt"
	"testing"

	. "github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestPanels goes through the dock: what its panels show and do is seen in the page and on the canvas.
func TestPanels(t *testing.T) {
	source := axe(t)
	p := launch(t)
	for _, c := range []struct {
		name string
		test func(t *testing.T, b *tab, looks func(string))
	}{
		{"tabs", dockTabs}, {"checkpoints", dockCheckpoints},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := *p
			p.t = t
			b := p.visit()
			if eval[bool](b, "!!document.querySelector('.gallery')") {
				b.create("notes").until("document.querySelectorAll('.note').length == 3")
			}
			b.until("document.querySelector('.project')?.textContent.trim() == 'notes' && document.querySelector('.cm-content')")
			c.test(t, b, func(state string) { b.looks(source, state) })
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
	b.click(".phead [role=tab]", title)
	b.until("document.querySelector('.phead [aria-selected=true]').textContent.startsWith(" + quote(title) + ")")
}

func dockTabs(t *testing.T, b *tab, _ func(string)) {
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
	b.until("document.querySelector('.phead [role=tab]:last-child').ariaSelected == 'true'")
	b.keys(kb.ArrowRight) // and around
	selected("Console")
	if n := eval[int](b, "document.querySelectorAll('.phead [role=tab][tabindex=\"0\"]').length"); n != 1 {
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

func dockCheckpoints(t *testing.T, b *tab, looks func(string)) {
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
	looks("checkpoints")

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
