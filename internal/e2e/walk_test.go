package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/emulation"
	. "github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// steps runs the steps of a walk through one page, each as a test of its own.
func (b *tab) steps(t *testing.T, of ...any) {
	t.Helper()
	for i := 0; i < len(of); i += 2 {
		ok := t.Run(of[i].(string), func(t *testing.T) {
			defer func(outer *testing.T) { b.t = outer }(b.t)
			b.t = t
			of[i+1].(func(*testing.T))(t)
		})
		if !ok {
			return
		}
	}
}

// drags moves the pointer from one place to another with its button down.
func (b *tab) drags(from, to [2]float64) {
	b.t.Helper()
	b.must(Do(b.ctx, MouseEvent("mousePressed", from[0], from[1], ButtonLeft, ClickCount(1))))
	for i := range 4 {
		part := float64(i+1) / 4
		b.must(Do(b.ctx, MouseEvent("mouseMoved", from[0]+(to[0]-from[0])*part, from[1]+(to[1]-from[1])*part, ButtonLeft)))
	}
	b.must(Do(b.ctx, MouseEvent("mouseReleased", to[0], to[1], ButtonLeft, ClickCount(1))))
}

// at returns the middle of an element.
func (b *tab) at(selector string) [2]float64 {
	b.t.Helper()
	b.until("document.querySelector(" + quote(selector) + ")?.checkVisibility()")
	xy := eval[[]float64](b, fmt.Sprintf("(() => { const r = document.querySelector(%q).getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2] })()", selector))
	return [2]float64{xy[0], xy[1]}
}

// TestPage walks through what the page does besides editing: its frame, its keys, its commands.
func TestPage(t *testing.T) {
	p := launch(t)
	b := p.visit()
	b.create("notes").until("document.querySelectorAll('.note').length == 3")
	const width = "Math.round(document.querySelector('.left').getBoundingClientRect().width)"

	b.steps(t, "splitters", func(t *testing.T) {
		b.until(width + " == 256")
		edge := b.at(".left .split")
		b.drags(edge, [2]float64{edge[0] + 60, edge[1]})
		b.until(width + " == 316")
		// The agent has a width of its own; both are remembered.
		b.click("#left-agent", "")
		b.until(width + " == 400")
		b.click("#left-files", "")
		height := "Math.round(document.querySelector('.panel').getBoundingClientRect().height)"
		before := eval[float64](b, height)
		edge = b.at(".panel .split")
		b.drags(edge, [2]float64{edge[0], edge[1] - 40})
		b.until(fmt.Sprintf("%s == %v", height, before+40))
		b.open(b.url("?project=notes"))
		b.until("document.querySelector('.cm-content') && " + width + fmt.Sprintf(" == 316 && %s == %v", height, before+40))
		for _, split := range []string{".left .split", ".panel .split"} {
			at := b.at(split)
			b.must(Do(b.ctx, MouseClickXY(at[0], at[1], ClickCount(2))))
		}
		b.until(width + " == 256 && " + fmt.Sprintf("%s == %v", height, before))

	}, "commands", func(t *testing.T) {
		command := func(words, label string) {
			t.Helper()
			b.keys("P", KeyModifiers(ModifierCtrl, ModifierShift))
			b.until("document.activeElement.matches('.palette input')")
			b.insert(words)
			b.until("document.querySelector('.palette li[aria-selected=true]')?.textContent.startsWith(" + quote(label) + ")")
			b.keys(kb.Enter)
			b.until("!document.querySelector('.palette')")
		}
		frame := b.frame()
		theme := eval[string](b, "document.documentElement.dataset.theme")
		command("theme", "Switch theme")
		b.until("document.documentElement.dataset.theme != " + quote(theme))
		command("phone", "Canvas as wide as a phone")
		frame.until("innerWidth == 390")
		command("full", "Canvas in full width")
		frame.until("innerWidth > 390")
		command("show agent", "Show the agent")
		b.until("document.querySelector('#left-agent[aria-selected=true]')")
		command("show files", "Show the files")
		b.until("document.querySelector('#left-files[aria-selected=true]')")
		command("show data", "Show Data")
		b.until("document.querySelector('#tab-data[aria-selected=true]')")
		command("show console", "Show Console")
		// Esc closes, and the focus is where it was.
		b.click(".cm-content", "")
		b.keys("P", KeyModifiers(ModifierCtrl, ModifierShift))
		b.until("document.activeElement.matches('.palette input')")
		b.keys(kb.Escape)
		b.until("!document.querySelector('.palette') && document.activeElement.matches('.cm-content')")

	}, "undo by its key", func(t *testing.T) {
		eval[bool](b, "(document.querySelector(\".trow[data-path='style.css']\").focus(), true)")
		b.keys(kb.Delete)
		b.until("!document.querySelector(\".trow[data-path='style.css']\") && document.querySelector('.toast')?.textContent.includes('Deleted style.css')")
		b.keys("z", ctrl)
		b.until("document.querySelector(\".trow[data-path='style.css']\") && !document.querySelector('.toast')")
		b.keys("z", ctrl)
		b.until("document.querySelector('.toast')?.textContent.includes('There is nothing to undo.')")

	}, "a menu by the right button", func(t *testing.T) {
		at := b.at(".trow[data-path='lib/schema.js']")
		b.must(Do(b.ctx, MouseClickXY(at[0], at[1], ButtonRight)))
		b.until("document.activeElement.closest('[role=menu]')?.ariaLabel == 'lib/schema.js'")
		b.keys(kb.ArrowDown)
		b.keys(kb.ArrowDown)
		b.until("document.activeElement.textContent.startsWith('Rename')")
		b.keys(kb.Enter)
		b.until("document.activeElement.matches('.naming-row input') && document.activeElement.value == 'lib/schema.js'")
		b.keys(kb.Escape)
		b.until("!document.querySelector('.naming-row')")

	}, "focus is a ring for keyboards", func(t *testing.T) {
		const ring = "(() => { const s = getComputedStyle(document.activeElement); return s.outlineStyle == 'solid' && s.outlineWidth == '2px' })()"
		b.click("#left-files", "")
		if eval[bool](b, ring) {
			t.Error("a click draws a ring")
		}
		b.keys(kb.Tab)
		b.until("document.activeElement.id == 'find'")
		b.keys(kb.Tab)
		b.until("document.activeElement.ariaLabel == 'Add' && " + ring)

	}, "an app in a tab of its own", func(t *testing.T) {
		known := map[string]bool{}
		pages, err := Targets(b.ctx)
		b.must(err)
		for _, page := range pages {
			known[string(page.TargetID)] = true
		}
		b.click("[aria-label='Open in a new tab']", "")
		for deadline := time.Now().Add(15 * time.Second); ; time.Sleep(20 * time.Millisecond) {
			pages, err = Targets(b.ctx)
			b.must(err)
			for _, page := range pages {
				if page.Type != "page" || known[string(page.TargetID)] || page.URL == "" || page.URL == "about:blank" {
					continue
				}
				ctx, cancel := NewContext(b.ctx, WithTargetID(page.TargetID))
				app := &tab{t: t, ctx: ctx}
				app.until("document.querySelectorAll('.note').length == 3 && opener === null")
				cancel() // closes it
				return
			}
			if time.Now().After(deadline) {
				t.Fatal("there is no new tab")
			}
		}

	}, "back and forward", func(t *testing.T) {
		b.make("second", map[string]string{"main.js": "// second"})
		shows := func(id string) {
			t.Helper()
			b.until("document.querySelector('.project')?.textContent.trim() == " + quote(id) + " && document.title.startsWith(" + quote(id) + ")")
		}
		b.click(".project", "")
		b.click("[role=menuitemradio], [role=menuitem]", "second")
		shows("second")
		b.until("[...document.querySelectorAll('.trow')].some(e => e.dataset.path == 'main.js')")
		eval[bool](b, "(history.back(), true)")
		shows("notes")
		b.frame().until("document.querySelectorAll('.note').length == 3")
		eval[bool](b, "(history.forward(), true)")
		shows("second")
		b.keys("o", ctrl)
		b.until("document.activeElement.matches('.palette input')")
		b.insert("notes")
		b.keys(kb.Enter)
		shows("notes")

	}, "little motion", func(t *testing.T) {
		_, err := Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-reduced-motion", Value: "reduce"}}})
		b.must(err)
		b.until("matchMedia('(prefers-reduced-motion: reduce)').matches")
		b.keys("z", ctrl)
		b.until("document.querySelector('.toast') && getComputedStyle(document.querySelector('.toast'), '::after').animationName == 'none'")
		if n := eval[int](b, "document.getAnimations().filter(a => a.effect.getComputedTiming().duration > 0).length"); n > 0 {
			t.Errorf("%d animations run", n)
		}
		if moves := eval[[]string](b, "[...document.querySelectorAll('*')].filter(e => getComputedStyle(e).transitionDuration.split(',').some(d => parseFloat(d) > 0)).map(e => e.className || e.tagName)"); len(moves) > 0 {
			t.Errorf("these move: %v", moves)
		}
	})
	b.clean()
}

// TestCanvasAsABlob is an app that goes on to a document that it made: the page lets it, and it reaches no more than before.
func TestCanvasAsABlob(t *testing.T) {
	var hits atomic.Int32
	evil := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { hits.Add(1) }))
	t.Cleanup(evil.Close)
	p := launch(t)
	b := p.visit()
	b.create("blank")
	made := strings.ReplaceAll(`<!doctype html><h1>Made</h1><script>
		const tried = async (f) => { try { return String(await f()) } catch (e) { return e.name } }
		;(async () => {
			window.result = [
				await tried(() => fetch("EVIL/?fetch")), await tried(() => new Promise((yes) => Object.assign(new Image(), { src: "EVIL/?image", onload: () => yes("shown"), onerror: () => yes("refused") }))),
				await tried(() => parent.document.title), await tried(() => top.location.assign("EVIL/?top")), self.origin].join()
		})()
	</script>`, "EVIL", evil.URL)
	b.api("PUT", "projects/blank/file?name=index.html", map[string]string{"expected": "*", "text": `<!doctype html><link rel="icon" href="data:,"><button>Go</button><script>
		document.querySelector("button").onclick = () => location.assign(URL.createObjectURL(new Blob([decodeURIComponent("` + url.PathEscape(made) + `")], { type: "text/html" })))
	</script>`})
	frame := b.frame()
	frame.until("document.querySelector('button')")
	eval[bool](frame, "(document.querySelector('button').click(), true)")
	f := b.frameOf("blob:")
	f.until("window.result")
	if got := eval[string](f, "window.result"); got != "TypeError,refused,SecurityError,SecurityError,null" {
		t.Errorf("the document finds %s", got)
	}
	eval[bool](f, "(location.assign("+quote(evil.URL+"/?location")+"), true)")
	b.api("PUT", "projects/blank/file?name=index.html", map[string]string{"expected": "*", "text": `<!doctype html><link rel="icon" href="data:,"><h1>Back</h1>`})
	b.click("[aria-label='Reload the canvas']", "")
	b.frame().until("document.querySelector('h1')?.textContent == 'Back'")
	if n := hits.Load(); n > 0 {
		t.Errorf("it reached another host %d times", n)
	}
}

// TestLanguages has each of the editor's languages coloured, each with more than one colour.
func TestLanguages(t *testing.T) {
	b := launch(t).visit()
	b.create("blank")
	for name, text := range map[string]string{
		"a.js": "const n = 12; // why\n", "a.ts": "interface A { n: number }\n", "a.jsx": "export const A = () => <b id=\"x\">1</b>;\n", "a.tsx": "const a: string = <i>{1}</i>;\n",
		"a.html": "<p class=\"a\">x</p>\n", "a.css": "p { color: #fff; }\n", "a.md": "# Title\n\n*x* `y`\n", "a.json": "{\"n\": 12}\n", "a.py": "def f(n):\n    return \"x\"\n", "a.sql": "SELECT n FROM t WHERE s = 'x';\n",
	} {
		b.api("PUT", "projects/blank/file?name="+name, map[string]string{"text": text, "expected": ""})
	}
	for file, language := range map[string]string{"a.js": "JavaScript", "a.ts": "TypeScript", "a.jsx": "JSX", "a.tsx": "TSX", "a.html": "HTML", "a.css": "CSS", "a.md": "Markdown", "a.json": "JSON", "a.py": "Python", "a.sql": "SQL"} {
		b.click(".trow[data-path='"+file+"']", "")
		b.until("document.querySelector('.etab[data-selected=true]')?.textContent.includes(" + quote(file) + ") && document.querySelector('.slot .foot').textContent.includes(" + quote(language) + ")")
		b.until("new Set([...document.querySelectorAll('.cm-line span')].map(e => getComputedStyle(e).color + getComputedStyle(e).fontWeight)).size > 1")
	}
	b.clean()
}

// TestConsoleOfTheCanvas is what the console shows of an app: what the browser refused it, an error that is hidden until the next, and lines that do not
// take the reader away from what is read.
func TestConsoleOfTheCanvas(t *testing.T) {
	b := launch(t).visit()
	b.create("blank")
	b.steps(t, "refused by the browser", func(t *testing.T) {
		b.edit("<h1>Hello</h1>", "<h1>Hello</h1><script>fetch('https://api.example.com/x').catch(() => 0)</script>")
		b.until("[...document.querySelectorAll('.log li')].some(e => e.textContent.includes('Blocked: connect to api.example.com') && e.textContent.includes('The program lists what it may reach'))")
		b.shot("blocked")
	}, "an error is hidden", func(t *testing.T) {
		b.edit("fetch('https://api.example.com/x').catch(() => 0)", "null.x")
		b.until("document.querySelector('.note .nmsg')")
		b.until("document.querySelector('.live.bad')")
		b.until("document.querySelector('.note .excerpt')") // below which the buttons stand
		b.click(".note button", "Hide")
		b.until("!document.querySelector('.note') && document.querySelector('.live.bad')")
		b.edit("null.x", "null.y")
		b.until("document.querySelector('.note .nmsg')?.textContent.includes(\"'y'\")")
		eval[bool](b, "(document.querySelector('.note').focus(), true)")
		b.keys(kb.Escape)
		b.until("!document.querySelector('.note')")
	}, "new lines", func(t *testing.T) {
		b.edit("null.y", "let n = 0; onmessage = () => { for (let i = 0; i < 30; i++) console.log('line ' + n++) }; onmessage()")
		const log = "document.querySelector('#panel-console .scroll')"
		b.until(log + ".textContent.includes('line 29') && " + log + ".scrollTop + " + log + ".clientHeight > " + log + ".scrollHeight - 30") // it follows
		eval[bool](b, "("+log+".scrollTop = 20, true)")
		eval[bool](b.frame(), "(onmessage(), true)")
		b.until(log + ".textContent.includes('line 59')")
		if at := eval[float64](b, log+".scrollTop"); at != 20 {
			t.Errorf("the reader was scrolled from 20 to %v", at)
		}
	}, "no functions", func(t *testing.T) {
		b.edit("let n = 0;", "fetch('api/notes'); let n = 0;")
		b.until("document.querySelector('.note')?.textContent.includes('has no functions.js yet')")
		b.click(".note button", "Don't show this")
		b.until("!document.querySelector('.note')")
	})
}

// TestDataTravels takes a project's data along with it, when that is asked for, and not otherwise; what a key has besides its value is shown.
func TestDataTravels(t *testing.T) {
	b := launch(t).visit()
	b.create("notes").until("document.querySelectorAll('.note').length == 3")
	b.part("KV")
	b.click("button", "Put a key")
	b.click(".detail [aria-label=Key]", "")
	b.insert("greeting")
	b.click(".detail textarea", "")
	b.insert("hello")
	b.click(".detail .pair input:not([type])", "")
	b.insert(`{"by":"ada"}`)
	eval[bool](b, `(() => { const f = document.querySelector(".detail input[type='datetime-local']"); f.value = "2099-01-02T03:04"; f.dispatchEvent(new Event("input", { bubbles: true })); f.dispatchEvent(new Event("change", { bubbles: true })); return true })()`)
	b.click(".detail button", "Save")
	b.until(`(() => { const r = [...document.querySelectorAll(".grid tbody tr")].find(e => e.textContent.includes("greeting"))?.textContent; return r?.includes('{"by":"ada"}') && !r.includes("never") })()`)
	b.shot("kv")

	downloads, yes := t.TempDir(), true
	_, err := Call(b.ctx, browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{Behavior: "allow", DownloadPath: downloads, EventsEnabled: &yes})
	b.must(err)
	done := make(chan string, 4)
	b.must(Listen(b.ctx, func(ev any) {
		if ev, ok := ev.(*browser.EventDownloadProgress); ok && ev.State == browser.DownloadProgressStateCompleted {
			done <- ev.FilePath
		}
	}))
	for item, keys := range map[string]int{"Export files and data": 1, "Export files": 0} {
		b.click(".topbar button", "Export")
		b.click("[role=menuitem]", item)
		var path string
		select {
		case path = <-done:
		case <-time.After(30 * time.Second):
			t.Fatal("nothing was exported")
		}
		if filepath.Ext(path) != ".sam" {
			t.Fatalf("it exported %s", path)
		}
		b.choose(".topbar input[type=file]", path)
		b.until("document.querySelector('.project')?.textContent.trim() != 'notes' && document.querySelectorAll('.trow').length > 3")
		b.part("KV")
		b.until(fmt.Sprintf("document.querySelectorAll('.grid tbody tr').length == %d && document.querySelector('#panel-data').textContent.includes(%q)", keys, map[int]string{1: "1 key", 0: "What functions.js puts"}[keys]))
		b.open(b.url("?project=notes"))
		b.until("document.querySelector('.project')?.textContent.trim() == 'notes' && document.querySelectorAll('.trow').length > 3")
	}
	b.clean()
}
