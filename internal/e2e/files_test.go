package e2e

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"testing"
	"time"

	. "github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// picture is a PNG of 40 by 30 pixels.
func picture(t *testing.T) []byte {
	t.Helper()
	m := image.NewRGBA(image.Rect(0, 0, 40, 30))
	for x := range 40 {
		m.Set(x, x*30/40, color.RGBA{200, 60, 40, 255})
	}
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestFilesThatAreNotText(t *testing.T) {
	b := launch(t).visit()
	b.create("blank")
	dir := t.TempDir()
	for name, data := range map[string][]byte{"dot.png": picture(t), "data.bin": []byte("MZ\x00\x01\xff"), "note.md": []byte("# Note\n")} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	b.must(Do(b.ctx, SetUploadFiles(CSS(".files input[type=file]"), []string{
		filepath.Join(dir, "dot.png"), filepath.Join(dir, "data.bin"), filepath.Join(dir, "note.md"),
	}, NodeReady)))
	b.until("document.querySelectorAll('.trow').length == 4")

	b.click(".trow", "dot.png")
	b.until("document.querySelector('.preview img')?.naturalWidth == 40")
	b.until("document.querySelector('.preview').textContent.includes('40 × 30')")
	b.shot("image")
	b.click(".trow", "data.bin")
	b.until("document.querySelector('.hex pre')?.textContent.startsWith('000000  4d 5a 00 01 ff')")
	b.click(".trow", "note.md")
	b.until("document.querySelector('.cm-content').textContent.includes('# Note')")

	// Dropped onto a folder, with a folder of its own kind of name.
	eval[bool](b, `(() => {
		const bytes = Uint8Array.from(atob(`+quote(base64.StdEncoding.EncodeToString(picture(t)))+`), (c) => c.charCodeAt(0));
		const transfer = new DataTransfer();
		transfer.items.add(new File([bytes], "dropped.png", {type: "image/png"}));
		document.querySelector(".files").dispatchEvent(new DragEvent("drop", {dataTransfer: transfer, bubbles: true, cancelable: true}));
		return true })()`)
	b.until("[...document.querySelectorAll('.trow')].some(e => e.dataset.path == 'dropped.png')")
	b.clean()
}

func TestKeys(t *testing.T) {
	b := launch(t).visit()
	b.create("notes")
	b.keys("p", ctrl)
	b.until("document.activeElement.matches('.palette input')")
	b.insert("edit")
	b.until("document.querySelector('.palette li')?.textContent == 'src/editor.js'")
	b.shot("palette")
	b.keys(kb.Enter)
	b.until("document.querySelector('.etab[data-selected=true]').textContent.includes('editor.js')")

	b.keys("`", ctrl)
	b.until("document.querySelector('.bench').dataset.panel == 'closed'")
	b.keys("`", ctrl)
	b.until("document.querySelector('.bench').dataset.panel == 'open'")

	// Tabs and tree by arrows.
	eval[bool](b, "(document.querySelector('.etab [aria-selected=true]').focus(), true)")
	b.keys(kb.ArrowLeft)
	b.until("document.querySelector('.etab[data-selected=true]').textContent.includes('index.html')")
	b.keys(kb.Delete)
	b.until("document.querySelectorAll('.etab').length == 1")
	eval[bool](b, "(document.querySelector('.trow[tabindex=\"0\"]').focus(), true)")
	b.keys(kb.Home)
	b.until("document.activeElement.dataset.path == 'lib'")
	b.keys(kb.ArrowLeft)
	b.until("!document.querySelector(\".trow[data-path='lib/schema.js']\")")
	b.keys(kb.ArrowDown)
	b.until("document.activeElement.dataset.path == 'src'")

	// A splitter moves by arrows.
	width := eval[float64](b, "document.querySelector('.left').getBoundingClientRect().width")
	eval[bool](b, "(document.querySelector('.left .split').focus(), true)")
	b.keys(kb.ArrowRight)
	if now := eval[float64](b, "document.querySelector('.left').getBoundingClientRect().width"); now != width+16 {
		t.Errorf("an arrow moved the splitter from %v to %v", width, now)
	}
	b.clean()
}

func TestProjectsComeAndGo(t *testing.T) {
	p := launch(t)
	b := p.visit()
	other := p.visit()
	b.click("#project-name", "")
	b.insert("Not a name")
	b.until("document.querySelector('#name-trouble').textContent != ''")
	eval[bool](b, "(document.activeElement.select(), true)")
	b.insert("first")
	b.click(".tpl[data-template=blank]", "")
	b.until("document.querySelector('.project').textContent == 'first'")
	other.until("document.querySelector('.mine')?.textContent.includes('first')") // it hears of it

	b.click("button", "Templates")
	b.click(".mine [aria-label='Delete first']", "")
	b.until("!document.querySelector('.mine')")
	b.click(".toast button", "Undo")
	b.until("document.querySelector('.mine')?.textContent.includes('first')")
	b.click(".mine [aria-label='Delete first']", "")
	b.click(".toast [aria-label=Dismiss]", "")
	other.until("!document.querySelector('.mine')")

	// A page of a project that is deleted elsewhere goes back to the gallery.
	b.create("blank")
	other.until("document.querySelector('.mine')")
	other.click(".mine [aria-label='Delete blank']", "")
	other.click(".toast [aria-label=Dismiss]", "")
	b.until("document.querySelector('.gallery')")
	other.clean()
}

func TestDevicesAndAddress(t *testing.T) {
	b := launch(t).visit()
	frame := b.create("blank")
	b.click("[aria-label='Phone, 390 px']", "")
	frame.until("innerWidth == 390")
	b.click("[aria-label='Tablet, 820 px']", "")
	frame.until("innerWidth == 820")
	b.shot("tablet")
	b.click("[aria-label='Full width']", "")
	frame.until("innerWidth < 600")

	b.click("[aria-label='New file']", "")
	b.until("document.activeElement.matches('.naming-row input')")
	b.insert("about.html")
	b.keys(kb.Enter)
	b.until("document.querySelector('.etab[data-selected=true]').textContent.includes('about.html')")
	b.click(".cm-content", "")
	b.insert("<p id=about>About</p>")
	b.until("document.querySelector('.slot .foot').textContent.includes('Saved ')")
	b.click(".addr input", "")
	eval[bool](b, "(document.activeElement.select(), true)")
	b.insert("about.html")
	b.keys(kb.Enter)
	b.frame().until("document.querySelector('#about')")
	b.clean()
}

func TestRepeatsAreFolded(t *testing.T) {
	b := launch(t).visit()
	b.create("blank")
	b.edit("<h1>Hello</h1>", "<script>for (let i = 0; i < 5; i++) console.warn('again')</script>")
	b.until("document.querySelector('.log .w .rep')?.textContent == '5'")
	b.click(".seg button", "Errors")
	b.until("document.querySelectorAll('.log li').length == 0")
	b.click(".seg button", "Warnings")
	b.until("document.querySelectorAll('.log li').length == 1")
	b.click(".filter input", "")
	b.insert("nothing like it")
	b.until("document.querySelectorAll('.log li').length == 0")
	time.Sleep(50 * time.Millisecond)
	b.clean()
}
