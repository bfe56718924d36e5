package e2e

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"

	"testing"
	"time"

	. "github.com/chromedp/chromedp"
)

// document is a PDF of one page that is green, with a text on it.
func document(text string) []byte {
	var b bytes.Buffer
	var at []int
	object := func(s string) {
		at = append(at, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", len(at), s)
	}
	draw := "0.05 0.6 0.35 rg 0 0 300 200 re f 1 g BT /F1 24 Tf 40 100 Td (" + text + ") Tj ET"
	b.WriteString("%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
	object("<</Type/Catalog/Pages 2 0 R>>")
	object("<</Type/Pages/Kids[3 0 R]/Count 1>>")
	object("<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 200]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>")
	object(fmt.Sprintf("<</Length %d>>\nstream\n%s\nendstream", len(draw), draw))
	object("<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>")
	xref := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(at)+1)
	for _, o := range at {
		fmt.Fprintf(&b, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(&b, "trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(at)+1, xref)
	return b.Bytes()
}

// font is a real one, of which the digits are.
func font(t *testing.T) []byte {
	t.Helper()
	data, err := os.ReadFile("../../examples/serve/testdata/game/fonts/score.otf")
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestMedia shows documents, fonts, sounds and moving pictures: of the editor's slot each as what it is, and on the canvas what an app makes of them.
func TestMedia(t *testing.T) {
	b := launch(t).visit()
	b.create("blank")
	sound, err := os.ReadFile("../../examples/serve/testdata/game/audio/coin.wav")
	b.must(err)
	dir := t.TempDir()
	var paths []string
	for name, data := range map[string][]byte{"paper.pdf": document("Invoice 12"), "score.otf": font(t), "coin.wav": sound, "clip.webm": b.film(), "dot.png": picture(t), "rows.bin": append([]byte("PACK\x00"), font(t)...)} {
		paths = append(paths, filepath.Join(dir, name))
		b.must(os.WriteFile(paths[len(paths)-1], data, 0o644))
	}
	b.must(Do(b.ctx, SetUploadFiles(CSS(".files input[type=file]"), paths, NodeReady)))
	b.until("document.querySelectorAll('.trow').length == 7")

	b.click(".trow", "paper.pdf")
	b.frameOf("chrome-extension://").until("document.querySelector('pdf-viewer')?.shadowRoot?.querySelector('viewer-toolbar')?.docLength == 1")
	b.shows("the page of the PDF", 20_000, green)
	b.shot("pdf")
	if n := eval[int](b, "document.querySelector('.preview iframe').getBoundingClientRect().height"); n < 300 {
		t.Errorf("the document is %d px high", n)
	}

	b.click(".trow", "score.otf")
	b.until("[...document.fonts].some(f => f.family.startsWith('specimen') && f.status == 'loaded')")
	b.until("document.querySelectorAll('.specimen p').length == 5")
	// Its digits are wider or narrower than those of the page's own font.
	width := `((family) => { const p = document.querySelector('.specimen p:last-child'); p.style.fontFamily = family; const r = document.createRange(); r.setStart(p.firstChild, p.textContent.length - 10); r.setEnd(p.firstChild, p.textContent.length); const w = r.getBoundingClientRect().width; p.style.fontFamily = ''; return w })`
	b.until(width + "('') != " + width + "('sans-serif') && " + width + "('') > 0")
	b.shot("font")

	b.click(".trow", "coin.wav")
	b.until("document.querySelector('.preview audio')?.duration > 0.05")
	b.click(".trow", "clip.webm")
	b.until("document.querySelector('.preview video')?.videoWidth == 64 && document.querySelector('.preview video').readyState >= 2")
	b.shot("video")
	b.click(".trow", "rows.bin")
	b.until("document.querySelector('.hex pre')?.textContent.startsWith('000000  50 41 43 4b 00 4f 54 54  4f') && document.querySelector('.hex pre').textContent.split('\\n')[0].endsWith('PACK.OTTO.......')")
	b.until("document.querySelector('.slot .foot').textContent.includes('3.35 KB')")

	// The same files in an app.
	b.click(".trow[data-path='index.html']", "")
	b.until("document.querySelector('.cm-content')?.textContent.includes('Hello')")
	b.edit("<h1>Hello</h1>", `<style>@font-face { font-family: Score; src: url(score.otf) } output { font: 48px Score }</style><output>12</output><img src="dot.png"><audio src="coin.wav"></audio><video src="clip.webm" muted></video>`)
	b.frame().until("document.fonts.check('48px Score', '12') && document.querySelector('img')?.naturalWidth == 40 && document.querySelector('audio').duration > 0.05 && document.querySelector('video').videoWidth == 64")
	b.until("document.querySelector('.live:not(.bad)')")
	b.shot("canvas")
	b.click(".addr input", "")
	eval[bool](b, "(document.activeElement.select(), true)")
	b.insert("paper.pdf")
	b.keys("\r")
	b.shows("the page of the PDF on the canvas", 20_000, green)
	b.clean()
}

// film has the browser make a short film of 64 by 48 pixels.
func (p *tab) film() []byte {
	p.t.Helper()
	data, err := base64.StdEncoding.DecodeString(eval[string](p, `new Promise((yes) => {
		const c = Object.assign(document.createElement("canvas"), { width: 64, height: 48 }), d = c.getContext("2d")
		const m = new MediaRecorder(c.captureStream(), { mimeType: "video/webm;codecs=vp8" })
		let n = 0
		const draw = () => { d.fillStyle = n++ % 2 ? "teal" : "orange"; d.fillRect(0, 0, 64, 48); if (n < 12) setTimeout(draw, 30); else m.stop() }
		m.ondataavailable = async (e) => { let s = ""; for (const b of new Uint8Array(await e.data.arrayBuffer())) s += String.fromCharCode(b); yes(btoa(s)) }
		m.start()
		draw()
	})`))
	p.must(err)
	if len(data) == 0 {
		p.t.Fatal("the browser made no film")
	}
	return data
}

// shows waits until the picture of the page has pixels that are as they must be.
func (p *tab) shows(what string, least int, is func(r, g, b uint8) bool) {
	p.t.Helper()
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		data, err := Run(p.ctx, CaptureScreenshot())
		p.must(err)
		m, err := png.Decode(bytes.NewReader(data))
		p.must(err)
		if pixels(m, is) >= least {
			return
		}
		if time.Now().After(deadline) {
			p.shot("failure")
			p.t.Fatalf("the page does not show %s", what)
		}
	}
}

func pixels(m image.Image, is func(r, g, b uint8) bool) int {
	n := 0
	for y := m.Bounds().Min.Y; y < m.Bounds().Max.Y; y++ {
		for x := m.Bounds().Min.X; x < m.Bounds().Max.X; x++ {
			r, g, b, _ := m.At(x, y).RGBA()
			if is(uint8(r>>8), uint8(g>>8), uint8(b>>8)) {
				n++
			}
		}
	}
	return n
}

func green(r, g, b uint8) bool { return r < 40 && g > 130 && g < 175 && b > 70 && b < 110 }
