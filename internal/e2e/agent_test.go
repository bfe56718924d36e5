package e2e

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	. "github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"samkit.dev/canvas"
	"samkit.dev/sam"
)

// broken is an app with a mistake in it, and bytes that no editor may touch.
var broken = sam.Files{
	"index.html": "<!doctype html><html lang=\"en\"><title>Greeter</title><link rel=\"icon\" href=\"data:,\"><h1></h1><script type=\"module\" src=\"main.js\"></script>\r\n",
	"main.js":    "// Grüße\nimport { greet } from \"./greet.js\";\ndocument.querySelector(\"h1\").textContent = greet(null);\n",
	"greet.js":   "export function greet(name) {\n  return \"Hello, \" + name.trim() + \" 🙂\";\n}\n",
	"old.js":     "// not used any more\n",
	"data.bin":   "\x00\xff\xfe\x80bytes\r\n\xc3",
}

const secretKey = "sk-test-4f0aK_QrV2-never-on-the-server"

// A chat is an agent at work in a browser, beside the app that it works on.
type chat struct {
	*tab
	d     *desk
	page  *tab // that holds both frames
	app   *tab
	model *model
}

// newChat opens an agent from a template beside the project app.
func newChat(d *desk, template string, files sam.Files) (*chat, *sam.Project) {
	d.t.Helper()
	ctx := context.Background()
	d.template("bot", template)
	p := d.project("app", files)
	for _, err := range []error{d.bench.SetWork(ctx, "app"), d.bench.SetAgent(ctx, "bot")} {
		if err != nil {
			d.t.Fatal(err)
		}
	}
	c := &chat{d: d, model: newModel(d.t)}
	c.page = newTab(d.t, "")
	c.page.size(1200, 800)
	path := d.apps.Path(canvas.Visitor{Session: d.bench.Agent().ID}, "bot")
	d.beside(c.page, path+"~frame/", "app/")
	c.tab = c.page.frameOf("/canvas/" + path)
	c.app = c.page.frameOf("/canvas/app/")
	c.until("document.querySelector('.ideas button')")
	return c, p
}

// settle gives the agent a model, as a person does, and lets it be called.
func (c *chat) settle(format string) {
	c.t.Helper()
	known := len(c.d.bench.Connects("bot")) > 0
	eval[bool](c.tab, "(window.former = true)")
	eval[bool](c.tab, "(document.querySelector('#model').click(), true)")
	c.until("document.querySelector('#settings').open")
	eval[bool](c.tab, fmt.Sprintf(`(() => {
		const f = document.querySelector("#settings form").elements;
		f.format.value = %q; f.format.onchange();
		f.base.value = %q; f.model.value = "model-1"; f.key.value = %q; f.priceIn.value = "3"; f.priceOut.value = "15";
		document.querySelector("#save").click();
		return true })()`, format, c.model.srv.URL+"/v1", secretKey))
	if !known {
		c.d.answer(c.model.srv.URL, "allow")
	}
	c.until("!window.former && document.querySelector('#model')?.textContent == 'model-1' && document.querySelector('#text').placeholder.includes('What shall')")
}

// say sends a message; it returns at once.
func (c *chat) say(text string) {
	c.t.Helper()
	eval[bool](c.tab, fmt.Sprintf("(document.querySelector('#text').value = %q, document.querySelector('#send').click(), true)", text))
}

// done waits for the end of the turn.
func (c *chat) done() {
	c.t.Helper()
	c.until("document.querySelector('#stop').hidden && document.querySelector('#log').getAttribute('aria-busy') == 'false'")
}

// rows are the calls that are shown: what they say, a failed one with "!".
func (c *chat) rows() []string {
	c.t.Helper()
	return eval[[]string](c.tab, `[...document.querySelectorAll(".call")].map((e) => (e.classList.contains("failed") ? "! " : "") + [...e.querySelectorAll("summary > span:not(.note)")].map((s) => s.textContent).join(" "))`)
}

func (c *chat) wantRows(want ...string) {
	c.t.Helper()
	got := c.rows()
	ok := len(got) == len(want)
	for i := range want {
		ok = ok && strings.HasPrefix(got[i], want[i])
	}
	if !ok {
		c.t.Errorf("the calls are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// The agent finds the mistake of an app, repairs it and checks; asks before it removes a file; gets past a model that is busy, writes
// no JSON and calls what is not there. What it did is undone byte for byte. The key is nowhere but in the browser.
func TestAgentRepairs(t *testing.T) {
	for _, format := range []string{"openai", "anthropic"} {
		t.Run(format, func(t *testing.T) {
			d := newDesk(t)
			c, p := newChat(d, "agent-coder", broken)
			c.settle(format)
			before := d.files(p)
			c.model.script(
				reply{status: 429, text: "slow down", retryAfter: "1"},
				reply{text: "Ich schaue nach – 🙂.", calls: []modelCall{{name: "list_files", args: obj{}}, {name: "read_file", args: obj{"path": "greet.js"}}}},
				reply{calls: []modelCall{{name: "edit_file", raw: `{"path": "greet.js", "edits": [`}, {name: "format_disk", args: obj{}}, {name: "read_file", args: obj{"path": "none.js"}}}},
				reply{calls: []modelCall{{name: "edit_file", args: obj{"path": "greet.js", "edits": []obj{{"find": "name.trim()", "replace": "String(nam).trim()"}}}}}},
				reply{text: "That should do."},
				reply{calls: []modelCall{{name: "edit_file", args: obj{"path": "greet.js", "edits": []obj{{"find": "String(nam)", "replace": "String(name ?? \"world\")"}}}}}},
				reply{calls: []modelCall{{name: "remove_file", args: obj{"path": "old.js"}}}},
				reply{text: "Repaired: `greet` takes **nobody**, too.\n\n```js\ngreet(null)\n```\n\nWeiter?"},
			)
			c.app.until("document.querySelector('h1')")
			c.say("Repair it")
			c.until("document.querySelector('#status').textContent.includes('busy')")
			q := d.answer("old.js", "Remove")
			if q.Agent != "bot" || len(q.Choices) != 2 {
				t.Errorf("the question is %+v", q)
			}
			c.done()
			c.wantRows("Listed", "Read greet.js", "! edit_file The arguments are no JSON", "! format_disk There is no tool format_disk", "! read_file There is no such file",
				"Edited greet.js", "! Console Uncaught ReferenceError: nam is not defined", "Edited greet.js repair 1 of 5", "Removed old.js", "Console is clean")
			c.app.until("document.querySelector('h1').textContent == 'Hello, world 🙂'")
			c.page.shot("done")
			if got := eval[string](c.tab, "[...document.querySelectorAll('.say')].map((e) => e.textContent).join(' / ')"); !strings.Contains(got, "Ich schaue nach – 🙂.") || !strings.Contains(got, "greet(null)") {
				t.Errorf("it said %q", got)
			}
			asked := c.model.requests()
			last := asked[len(asked)-1]
			if last.key != secretKey || last.model != "model-1" || !strings.Contains(last.system, "You are Coder") || len(last.tools) < 8 {
				t.Errorf("the model was asked as %+v", last)
			}
			if got := eval[string](c.tab, "document.querySelector('#meter').textContent"); !strings.Contains(got, "7.0 k in (4.2 k cached), 140 out, 0.023") {
				t.Errorf("the meter says %q", got)
			}
			if _, ok := d.files(p)["old.js"]; ok {
				t.Error("old.js is there")
			}

			c.click(".turn button", "Undo this turn")
			c.until("document.querySelector('.turn').textContent.includes('Undone')")
			if after := d.files(p); !maps.Equal(before, after) {
				t.Errorf("after undoing there is %q, before there was %q", after, before)
			}
			c.click(".turn button", "Do it again")
			c.until("document.querySelector('.turn').textContent.includes('Changed 2 files')")
			if got := d.files(p)["greet.js"]; !strings.Contains(got, `String(name ?? "world")`) {
				t.Errorf("done again: %s", got)
			}
			c.click(".turn button", "Undo this turn")
			c.until("document.querySelector('.turn').textContent.includes('Undone')")
			c.model.script(reply{text: "I see."})
			c.say("And now?")
			c.done()
			if said := c.model.requests()[0].said; !strings.Contains(said[len(said)-1].text, "I have undone your last turn") {
				t.Errorf("the model is told %q", said[len(said)-1].text)
			}

			// The frame is loaded again: the conversation and the settings are there.
			eval[bool](c.tab, "(window.former = true, location.reload(), true)")
			c.until("!window.former && document.querySelectorAll('.me').length == 2 && document.querySelector('#model').textContent == 'model-1'")
			if len(c.rows()) != 10 {
				t.Errorf("after loading again: %q", c.rows())
			}
			d.hides(secretKey)
		})
	}
}

// What a person sees of streams: it does not scroll them away, it stops when they say so, and what goes wrong is said.
func TestAgentStreams(t *testing.T) {
	d := newDesk(t)
	c, _ := newChat(d, "agent-coder", broken)
	c.settle("anthropic")
	long := strings.Repeat("A paragraph of some length that fills the width of the chat.\n\n", 40)

	c.model.script(reply{text: long})
	c.say("Talk")
	c.until("document.querySelector('#log').scrollTop > 100") // it follows
	eval[bool](c.tab, "(document.querySelector('#log').scrollTop = 40, true)")
	n := eval[int](c.tab, "document.querySelectorAll('.say p').length")
	c.until(fmt.Sprintf("document.querySelectorAll('.say p').length > %d", n+3))
	if at := eval[float64](c.tab, "document.querySelector('#log').scrollTop"); at != 40 {
		t.Errorf("the reader was scrolled from 40 to %v", at)
	}
	c.done()

	// Stopped in mid-stream: what was said stays, and the next request is a whole conversation.
	c.model.script(reply{text: "Halfway th", hang: true}, reply{text: "Yes."})
	c.say("Talk on")
	c.until("[...document.querySelectorAll('.say')].at(-1).textContent.includes('Halfway th')")
	c.keys(kb.Escape)
	c.done()
	c.until("[...document.querySelectorAll('.note')].at(-1).textContent == 'Stopped.'")
	c.say("Are you there?")
	c.done()
	said := c.model.requests()[1].said
	if got := said[len(said)-2:]; got[0] != (said_("assistant", "Halfway th")) || got[1] != said_("user", "Are you there?") {
		t.Errorf("the model was told %q", got)
	}

	// Stopped while a tool waits for the person: the call has a result.
	c.model.script(reply{calls: []modelCall{{name: "remove_file", args: obj{"path": "old.js"}}, {name: "list_files", args: obj{}}}}, reply{text: "Fine."})
	c.say("Remove old.js")
	for end := time.Now().Add(20 * time.Second); len(d.bench.Questions()) == 0 && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
	}
	c.click("#stop", "")
	c.done()
	c.say("Leave it")
	c.done()
	c.until("[...document.querySelectorAll('.say')].at(-1).textContent == 'Fine.'")

	for what, r := range map[string]struct {
		reply reply
		want  string
	}{
		"broken off":    {reply{text: "Half an answer", breakOff: true}, "broke off"},
		"overloaded":    {reply{text: "Half an answer", overloaded: true}, "overloaded"},
		"refused":       {reply{status: 401, text: "no such key"}, "The model answered 401: no such key"},
		"busy for long": {reply{status: 429, text: "come back tomorrow", retryAfter: "86400"}, "come back tomorrow"},
	} {
		c.model.script(r.reply)
		c.say(what)
		c.done()
		c.until("[...document.querySelectorAll('.trouble')].at(-1)?.textContent.includes(" + quote(r.want) + ")")
	}

	// Somebody else's change is not lost: an edit of what was read before fails.
	p, err := d.bench.Workspace().Open(context.Background(), "app")
	if err != nil {
		t.Fatal(err)
	}
	c.model.script(
		reply{calls: []modelCall{{name: "read_file", args: obj{"path": "greet.js"}}}},
		reply{text: "Wait", hang: true})
	c.say("Read it")
	c.until("[...document.querySelectorAll('.say')].at(-1).textContent == 'Wait'")
	if err := p.WriteFile(context.Background(), "greet.js", []byte("export const greet = () => 'mine';\n")); err != nil {
		t.Fatal(err)
	}
	c.keys(kb.Escape)
	c.done()
	c.model.script(reply{calls: []modelCall{{name: "write_file", args: obj{"path": "greet.js", "content": "gone"}}}}, reply{text: "Oh."})
	c.say("Write it")
	c.done()
	if got := d.files(p)["greet.js"]; !strings.Contains(got, "mine") {
		t.Errorf("somebody's change became %q", got)
	}
	if rows := c.rows(); !strings.HasPrefix(rows[len(rows)-1], "! write_file") {
		t.Errorf("rows %q", rows)
	}

	// A word of the key in a message goes nowhere.
	c.say("My key is " + secretKey)
	c.until("document.querySelector('#status').textContent.includes('has your key in it')")
	d.hides(secretKey)
}

func said_(who, text string) said { return said{who, text} }

// After five repairs that did not help, the person is asked.
func TestAgentAsksAfterFiveRepairs(t *testing.T) {
	d := newDesk(t)
	c, _ := newChat(d, "agent-coder", broken)
	c.settle("openai")
	var script []reply
	for i := range 7 {
		script = append(script, reply{calls: []modelCall{{name: "edit_file", args: obj{"path": "old.js", "edits": []obj{{"find": "//", "replace": fmt.Sprintf("// %d //", i), "all": true}}}}}},
			reply{text: fmt.Sprintf("Try %d.", i)})
	}
	// A find that occurs more than once is refused, so each try replaces the first text that is unique.
	for i := range 7 {
		find := "// not used"
		if i > 0 {
			find = fmt.Sprintf("// try %d", i-1)
		}
		script[2*i].calls[0].args = obj{"path": "old.js", "edits": []obj{{"find": find, "replace": fmt.Sprintf("// try %d", i)}}}
	}
	c.model.script(script...)
	c.say("Repair it, somehow")
	deadline := 60 * time.Second
	for end := time.Now().Add(deadline); len(d.bench.Questions()) == 0; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("nobody is asked")
		}
	}
	d.answer("5 repairs", "Stop here")
	c.done()
	rows := strings.Join(c.rows(), "\n")
	if n := strings.Count(rows, "! Console"); n != 6 || !strings.Contains(rows, "repair 5 of 5") || strings.Contains(rows, "repair 6") {
		t.Errorf("%d checks failed:\n%s", n, rows)
	}
	c.until("[...document.querySelectorAll('.note')].at(-1).textContent.includes('I stopped after 5 repairs')")
}

// A model that the person did not agree to is out of reach, and nobody but the current agent works.
func TestAgentWithoutConsent(t *testing.T) {
	d := newDesk(t)
	c, _ := newChat(d, "agent-coder", broken)
	c.settle("openai")
	eval[bool](c.tab, "(window.former = true)")
	if err := d.bench.Connect(context.Background(), "bot"); err != nil { // taken back: the page loads again
		t.Fatal(err)
	}
	c.until("!window.former && document.querySelector('#model')?.textContent == 'model-1'")
	c.model.script(reply{text: "Hello."})
	c.say("Hello?")
	n := len(c.model.requests())
	d.answer(c.model.srv.URL, "deny")
	c.done()
	c.until("[...document.querySelectorAll('.trouble')].at(-1).textContent.includes('could not be reached')")
	if got := len(c.model.requests()); got != n {
		t.Errorf("the model was asked %d times", got-n)
	}
	d.hides(secretKey)

	b := newTab(t, "")
	b.open(d.srv.URL + "/canvas/bot/")
	b.until("document.querySelector('#status').textContent.includes('is not the current agent')")
}

// axe-core looks at the agent in both themes; a narrow frame has room for it.
func TestAgentAccessibility(t *testing.T) {
	source := axe(t)
	d := newDesk(t)
	c, _ := newChat(d, "agent-coder", broken)
	c.settle("openai")
	c.model.script(
		reply{text: "Let me look at **it**.", calls: []modelCall{{name: "read_file", args: obj{"path": "greet.js"}}}},
		reply{calls: []modelCall{{name: "edit_file", args: obj{"path": "greet.js", "edits": []obj{{"find": "name.trim()", "replace": "nam.trim()"}}}}}},
		reply{text: "Done?"},
		reply{calls: []modelCall{{name: "edit_file", args: obj{"path": "greet.js", "edits": []obj{{"find": "nam.trim()", "replace": "(name ?? \"\").trim()"}}}}}},
		reply{text: "The name may be missing:\n\n```js\ngreet(null)\n```"},
	)
	c.say("Repair it")
	c.done()
	eval[bool](c.tab, "(document.querySelectorAll('.call').forEach((e, i) => e.open = i % 2), document.querySelector('#log').scrollTop = 0, true)")
	path, err := url.Parse(eval[string](c.tab, "location.href"))
	if err != nil {
		t.Fatal(err)
	}
	for _, theme := range []string{"light", "dark"} {
		for _, p := range []*tab{c.page, c.tab} {
			_, err := Call(p.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: theme}}})
			p.must(err)
		}
		c.until(fmt.Sprintf("matchMedia('(prefers-color-scheme: %s)').matches", theme))
		c.check(source, theme)
		c.page.shot("chat-" + theme)
		eval[bool](c.tab, "(document.querySelector('#model').click(), true)")
		c.check(source, theme+", settings")
		c.page.shot("settings-" + theme)
		eval[bool](c.tab, "(document.querySelector('#settings').close(), true)")
	}
	// 280 px wide, at the top: it has no conversation there.
	b := newTab(t, path.Host)
	b.size(280, 600)
	b.open(path.String())
	b.until("document.querySelector('.ideas button')")
	if over := eval[int](b, "document.documentElement.scrollWidth - innerWidth"); over > 0 {
		t.Errorf("at 280 px it is %d px too wide", over)
	}
	b.check(source, "narrow")
	b.shot("narrow")
}

// An agent that is not about code: it loads tables of the project's files, asks with SQL, and asks the person before it replaces a file.
func TestAgentData(t *testing.T) {
	d := newDesk(t)
	const sales = "\uFEFFmonth;item;qty;price\r\n2026-01;\"Miso; red\";3;4.50\r\n2026-01;Plum;10;0.8\r\n2026-02;Plum;;0.9\r\n2026-02;Plum;5;0.9\r\n"
	c, p := newChat(d, "agent-data", sam.Files{"index.html": "<p>", "sales.csv": sales, "sums.json": "[1]\n", "broken.csv": "a,b\n1,\"open\n", "README.md": "no table"})
	c.settle("anthropic")
	before := d.files(p)
	const sums = "SELECT month, sum(qty * price) AS total FROM sales GROUP BY month ORDER BY month"
	c.model.script(
		reply{calls: []modelCall{{name: "list_files", args: obj{}}}},
		reply{calls: []modelCall{{name: "load_table", args: obj{"path": "sales.csv", "table": "sales"}}, {name: "load_table", args: obj{"path": "broken.csv", "table": "b"}}}},
		reply{calls: []modelCall{{name: "query", args: obj{"sql": sums}}, {name: "query", args: obj{"sql": "SELEC 1"}}}},
		reply{calls: []modelCall{{name: "save_query", args: obj{"sql": sums, "path": "out/sums.csv"}}, {name: "save_query", args: obj{"sql": sums, "path": "sums.json"}}}},
		reply{calls: []modelCall{{name: "load_table", args: obj{"path": "sums.json", "table": "old"}}, {name: "save_query", args: obj{"sql": sums, "path": "sums.json"}}}},
		reply{text: "January brought 21.50, February 4.50."},
	)
	c.say("How much was it each month?")
	d.answer("Replace sums.json", "Keep")
	c.done()
	c.wantRows("Listed", "Loaded sales.csv → sales", "! load_table The quote in row 2 is never closed.", "Asked SELECT month", "! query ", "Wrote out/sums.csv", "! save_query ",
		"Loaded sums.json → old", "! save_query The person wants to keep sums.json")
	c.page.shot("done")
	said := c.model.requests()[3].said
	if got := said[len(said)-2]; got.who != "result" || got.text != "{\"month\":\"2026-01\",\"total\":21.5}\n{\"month\":\"2026-02\",\"total\":4.5}" {
		t.Errorf("the query returned %q", got)
	}
	after := d.files(p)
	if got := after["out/sums.csv"]; got != "month,total\n2026-01,21.5\n2026-02,4.5\n" || after["sums.json"] != "[1]\n" {
		t.Errorf("it wrote %q, and sums.json is %q", got, after["sums.json"])
	}
	c.click(".turn button", "Undo this turn")
	c.until("document.querySelector('.turn').textContent.includes('Undone')")
	if after := d.files(p); !maps.Equal(before, after) {
		t.Errorf("after undoing there is %q", after)
	}
	d.hides(secretKey)
}

// The agent as a person meets it in the playground: made from its template, allowed to call a model by the workbench's own question,
// at work beside the app, undone by the workbench; its settings are there when the page is loaded again, and in no file of the program.
func TestAgentInThePlayground(t *testing.T) {
	p := launch(t)
	b := p.visit()
	b.until("document.querySelector('.tpl')")
	b.make("app", map[string]string{"index.html": broken["index.html"], "main.js": broken["main.js"], "greet.js": broken["greet.js"], "old.js": broken["old.js"]})
	b.open(p.page + "?project=app")
	b.until("document.querySelectorAll('.trow').length > 3 && document.querySelector('.well iframe')")
	b.click("[role=tab]", "Agent")
	b.click("button", "Make: Coding agent")
	m := newModel(t)
	chat := func() *tab {
		f := b.frameOf("/agent-coder/")
		f.until("document.querySelector('#text')?.placeholder.includes('Coder')")
		return f
	}
	f := chat()
	for _, theme := range []string{"light", "dark"} { // the frame has the page's theme, whatever the system's is
		if eval[string](b, "document.documentElement.dataset.theme") != theme {
			b.click("[aria-label*='theme']", "")
		}
		f.until(fmt.Sprintf("matchMedia('(prefers-color-scheme: %s)').matches", theme))
	}
	b.shot("welcome")
	eval[bool](f, fmt.Sprintf(`(() => {
		document.querySelector("#model").click();
		const f = document.querySelector("#settings form").elements;
		f.base.value = %q; f.model.value = "model-1"; f.key.value = %q;
		window.former = true;
		document.querySelector("#save").click();
		return true })()`, m.srv.URL+"/v1", secretKey))
	b.until("document.querySelector('.approve')?.textContent.includes(" + quote(m.srv.URL) + ")")
	b.shot("connect")
	b.until("!document.querySelector('.approve [data-allow]').disabled")
	b.click(".approve [data-allow]", "")
	f.until("!window.former && document.querySelector('#model')?.textContent == 'model-1'")

	m.script(
		reply{text: "Let me see.", calls: []modelCall{{name: "read_file", args: obj{"path": "greet.js"}}}},
		reply{calls: []modelCall{{name: "edit_file", args: obj{"path": "greet.js", "edits": []obj{{"find": "name.trim()", "replace": "nam"}}}}}},
		reply{text: "That should do."},
		reply{calls: []modelCall{{name: "edit_file", args: obj{"path": "greet.js", "edits": []obj{{"find": "nam +", "replace": "(name ?? \"world\") +"}}}}}},
		reply{calls: []modelCall{{name: "remove_file", args: obj{"path": "old.js"}}}},
		reply{text: "Repaired."})
	eval[bool](f, "(document.querySelector('#text').value = 'Repair it', document.querySelector('#send').click(), true)")
	b.until("document.querySelector('.approve.question')?.textContent.includes('Remove old.js')")
	b.shot("asks")
	b.click(".approve.question button", "Keep")
	f.until("document.querySelector('#stop').hidden && [...document.querySelectorAll('.say')].at(-1)?.textContent == 'Repaired.'")
	rows := eval[string](f, `[...document.querySelectorAll(".call")].map((e) => (e.classList.contains("failed") ? "!" : "") + e.querySelector("summary > span").textContent).join()`)
	if rows != "Read,Edited,!Console,Edited,!remove_file,Console is clean" {
		t.Errorf("the calls are %s", rows)
	}
	b.frameOf("/canvas/app/").until("document.querySelector('h1').textContent == 'Hello, world 🙂'")
	b.shot("done")

	// The workbench undoes the turn, whatever the agent's page offers.
	b.click(".turn button", "Undo this turn")
	b.until("document.querySelector('.turn').textContent.includes('Turn undone')")
	if got := b.api("GET", "projects/app/file?name=greet.js", nil); !strings.Contains(got, "name.trim()") {
		t.Errorf("after undoing: %s", got)
	}
	// Which the agent's page takes note of, as the workbench does of what that does.
	f.until("document.querySelector('.turn')?.textContent == 'Undone.Do it again'")
	eval[bool](f, "(document.querySelector('.turn button').click(), true)")
	f.until("document.querySelector('.turn')?.textContent.includes('Undo this turn')")
	b.until("document.querySelector('.turn')?.textContent.includes('Undo this turn')")
	b.click(".turn button", "Undo this turn")
	f.until("document.querySelector('.turn')?.textContent == 'Undone.Do it again'")

	// An error of the console is its next message, with one press.
	m.script(reply{text: "I see."})
	eval[bool](b, "(document.querySelector('.canvas iframe').src += '#again', true)")
	b.panel("Console")
	b.click(".log .e .repair", "Ask agent-coder to repair it")
	f.until("[...document.querySelectorAll('.me')].at(-1)?.textContent.startsWith('Repair this error in app:') && [...document.querySelectorAll('.say')].at(-1)?.textContent == 'I see.'")

	b.open(p.page + "?project=app")
	b.until("document.querySelectorAll('.trow').length > 3")
	b.click("[role=tab]", "Agent")
	chat().until("document.querySelector('#model').textContent == 'model-1'")
	(&desk{t: t, dir: p.data, seen: []byte("requests are looked at by the tests of a desk")}).hides(secretKey)
}
