package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"
	. "github.com/chromedp/chromedp"
)

// folder makes a folder of files on this machine.
func folder(t *testing.T, name string, files map[string][]byte) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), name)
	for file, data := range files {
		path := filepath.Join(dir, filepath.FromSlash(file))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// drag drops files and folders of this machine onto the element of a selector, as a file manager does.
func (p *tab) drag(selector string, paths ...string) {
	p.t.Helper()
	p.until("document.querySelector(" + quote(selector) + ")")
	at := eval[[]float64](p, fmt.Sprintf("(() => { const r = document.querySelector(%q).getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2] })()", selector))
	data := &input.DragData{Items: []*input.DragDataItem{}, Files: paths, DragOperationsMask: 1}
	for _, step := range []input.DispatchDragEventType{input.DispatchDragEventTypeDragEnter, input.DispatchDragEventTypeDragOver, input.DispatchDragEventTypeDrop} {
		_, err := Call(p.ctx, input.DispatchDragEvent, input.DispatchDragEventParams{Type: step, X: at[0], Y: at[1], Data: data})
		p.must(err)
	}
}

// choosing answers the browser's own dialog for files, which press opens.
func (p *tab) choosing(press func(), paths ...string) {
	p.t.Helper()
	_, err := Call(p.ctx, page.SetInterceptFileChooserDialog, page.SetInterceptFileChooserDialogParams{Enabled: true})
	p.must(err)
	opened := make(chan *page.EventFileChooserOpened, 1)
	p.must(Listen(p.ctx, func(ev any) {
		if ev, ok := ev.(*page.EventFileChooserOpened); ok {
			select {
			case opened <- ev:
			default:
			}
		}
	}))
	press()
	select {
	case ev := <-opened:
		_, err = Call(p.ctx, dom.SetFileInputFiles, dom.SetFileInputFilesParams{Files: paths, BackendNodeID: ev.BackendNodeID})
		p.must(err)
	case <-time.After(15 * time.Second):
		p.t.Fatal("the browser does not ask for files")
	}
}

// TestFolders brings whole folders: chosen in the browser's dialog, dropped on the tree and on a folder in it.
func TestFolders(t *testing.T) {
	b := launch(t).visit()
	frame := b.create("blank")
	frame.until("document.querySelector('h1')")
	dir := folder(t, "site", map[string][]byte{"about.html": []byte("<p id=about>About</p>"), "img/dot.png": picture(t), "deep/er/data.json": []byte("[1]\n")})
	const names = "[...document.querySelectorAll('.trow')].map(e => e.dataset.path).join(' ')"
	const site = "site site/deep site/deep/er site/deep/er/data.json site/img site/img/dot.png site/about.html"

	b.choosing(func() {
		b.click("[aria-label=Add]", "")
		b.click("[role=menuitem]", "Add a folder")
	}, dir)
	b.until(names + " == '" + site + " index.html'")
	b.until("document.querySelector('.toast')?.textContent.includes('Added 3 files')")
	b.click(".trow[data-path='site/img/dot.png']", "")
	b.until("document.querySelector('.preview')?.textContent.includes('40 × 30')")
	b.click(".addr input", "")
	eval[bool](b, "(document.activeElement.select(), true)")
	b.insert("site/about.html")
	b.keys("\r")
	b.frame().until("document.querySelector('#about')")
	b.click(".toast:last-child button", "Undo")
	b.until(names + " == 'index.html'")

	b.drag(".files .tree", dir, filepath.Join(dir, "about.html"))
	b.until(names + " == '" + site + " about.html index.html'")
	b.until("document.querySelector('.toast:last-child')?.textContent.includes('Added 4 files')")
	b.drag(".trow[data-path='site/deep']", folder(t, "more", map[string][]byte{"a.txt": []byte("a"), "b.txt": []byte("b")}))
	b.until(names + ".includes('site/deep/more/a.txt site/deep/more/b.txt')")
	b.shot("dropped")
	b.drag(".files .tree", t.TempDir())
	b.until("document.querySelector('.toast:last-child')?.textContent.includes('There is no file in it.')")
	b.clean()
}

// TestManyFilesAtOnce is a folder that takes its time: a card says how far it is, and ends it. What was added is undone at once.
func TestManyFilesAtOnce(t *testing.T) {
	b := launch(t).visit()
	b.create("blank").until("document.querySelector('h1')")
	many := map[string][]byte{}
	for i := range 20 {
		many[fmt.Sprintf("f%02d.txt", i)] = []byte("text\n")
	}
	// The fifth upload waits.
	eval[bool](b, `(() => { const real = fetch; let n = 0; window.fetch = (u, o) => String(u).includes("/raw?") && o?.method == "PUT" && ++n == 5 ? new Promise((_, no) => o.signal.addEventListener("abort", () => no(o.signal.reason))) : real(u, o); return true })()`)
	b.drag(".files .tree", folder(t, "many", many))
	b.until("document.querySelector('.progress')?.textContent.includes('Adding 20 files') && document.querySelector('.progress').textContent.includes('Added 20 B of 100 B')")
	b.until("document.querySelector('.progress [role=progressbar]').ariaValueNow == '20'")
	b.shot("progress")
	b.check(axe(t), "progress")
	b.click(".progress button", "Cancel")
	b.until("!document.querySelector('.progress') && document.querySelector('.toast')?.textContent.includes('Added 4 files')")
	b.until("document.querySelectorAll('.trow').length == 6")
	b.click(".toast button", "Undo")
	b.until("document.querySelectorAll('.trow').length == 1")
}
