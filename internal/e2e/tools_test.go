package e2e

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	. "github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"samkit.dev/sam"
	"samkit.dev/tool"
)

// A mounted tool is one at work on the project "work", with a grant for some of its files.
type mounted struct {
	*tab
	d       *desk
	work    *sam.Project
	session string
	path    string
}

// mount opens the tool of a template. Of one desk only one at a time is looked at.
func (d *desk) mount(b *tab, template string, mode tool.Mode, files sam.Files, paths ...string) *mounted {
	d.t.Helper()
	b.open("about:blank") // the page of a project that goes away would load again, and that could come later than what follows
	ctx := context.Background()
	for _, id := range []sam.ProjectID{"work", sam.ProjectID(template)} {
		if _, err := d.bench.Workspace().Open(ctx, id); err == nil {
			if err := d.bench.Delete(ctx, id); err != nil {
				d.t.Fatal(err)
			}
		}
	}
	work := d.project("work", files)
	d.template(template, template)
	path, s := d.tool(sam.ProjectID(template), tool.Grant{Project: "work", Paths: paths, Mode: mode})
	m := &mounted{b, d, work, s.ID, path}
	m.load()
	return m
}

func (m *mounted) load() {
	m.t.Helper()
	m.open(m.d.srv.URL + "/canvas/" + m.path)
	m.until("document.querySelector('#file')?.options.length || document.querySelector('.empty:not([hidden])')?.textContent")
}

func (m *mounted) write(name, text string) {
	m.t.Helper()
	if err := m.work.WriteFile(context.Background(), name, []byte(text)); err != nil {
		m.t.Fatal(err)
	}
}

// holds waits until a file has some contents.
func (m *mounted) holds(name, want string) {
	m.t.Helper()
	var got []byte
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		var err error
		if got, err = m.work.ReadFile(context.Background(), name); err == nil && string(got) == want {
			return
		}
	}
	m.shot("failure")
	m.t.Fatalf("%s holds %q, want %q", name, got, want)
}

// goesDark closes the session and looks at what is left.
func (m *mounted) goesDark() {
	m.t.Helper()
	eval[bool](m.tab, "(window.errors = [], addEventListener('error', (e) => errors.push(e.message)), addEventListener('unhandledrejection', (e) => errors.push(String(e.reason))), true)")
	if err := m.d.bench.CloseTool(context.Background(), m.session); err != nil {
		m.t.Fatal(err)
	}
	m.until("document.body.innerText.includes('session has ended') || document.body.innerText.includes('Open the project again') || document.body.innerText.includes('denied')")
	if errs := eval[[]string](m.tab, "window.errors ?? []"); len(errs) > 0 {
		m.t.Errorf("it goes dark with %q", errs)
	}
}

// looks has axe-core look at the tool in both themes.
func (m *mounted) looks(source string) {
	m.t.Helper()
	for _, theme := range []string{"light", "dark"} {
		_, err := Call(m.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: theme}}})
		m.must(err)
		m.until(fmt.Sprintf("matchMedia('(prefers-color-scheme: %s)').matches", theme))
		m.check(source, theme)
		m.shot(theme)
	}
	for _, width := range []int64{360, 900} {
		m.size(width, 600)
		if over := eval[int](m.tab, "document.documentElement.scrollWidth - innerWidth"); over > 0 {
			m.t.Errorf("at %d px it is %d px too wide", width, over)
		}
		if width == 360 {
			m.shot("narrow")
		}
	}
}

// quiet checks that a page reported nothing but that its session was over.
func quiet(b *tab) {
	b.t.Helper()
	b.mu.Lock()
	b.troubles = slices.DeleteFunc(b.troubles, func(s string) bool {
		return strings.HasPrefix(s, "log: ") && (strings.Contains(s, "status of 403") || strings.Contains(s, "status of 404") || strings.Contains(s, "/~log"))
	})
	b.mu.Unlock()
	b.clean()
}

const state = "document.querySelector('#state').textContent"

func TestToolMarkdown(t *testing.T) {
	source := axe(t)
	d := newDesk(t)
	b := newTab(t, strings.TrimPrefix(d.srv.URL, "http://"))
	b.size(900, 600)
	const text = "# Ideas\r\n\r\nSmallest *first*, `code`, [a link](https://example.com), **bold** and <script>alert(1)</script>.\r\n\r\n" +
		"```\n- [ ] no task\n```\n\n- [ ] Soak\n- [x] Strop\n  - inner\n\n> Ask.\n\n| what | where |\n|------|-------|\n| a | **b** |\n\n1. one\n2. two\n\n---\nend\n"
	m := d.mount(b, "tool-markdown", tool.ReadWrite, sam.Files{"docs/a.md": text, "docs/b.md": "# B\n", "docs/c.txt": "no", "secret.md": "secret"}, "docs/**")
	m.until("document.querySelector('#page h1')?.textContent == 'Ideas'")
	want := "2 Soak,Strop em:first,a code table blockquote ol hr"
	got := eval[string](m.tab, `[document.querySelectorAll("#page .task").length, [...document.querySelectorAll("#page .task label")].map((e) => e.textContent.trim()).join(), "em:" + document.querySelector("#page em").textContent + "," + document.querySelector("#page td").textContent,
		...["code", "table", "blockquote", "ol", "hr"].filter((s) => document.querySelector("#page " + s))].join(" ")`)
	if got != want || eval[bool](m.tab, "!!document.querySelector('#page script') || document.body.innerText.includes('secret')") {
		t.Errorf("the page shows %q, want %q", got, want)
	}
	m.looks(source)

	// A task is ticked in the text, and nothing else changes.
	m.click("#page .task input", "")
	eval[bool](m.tab, "true")
	m.until("document.querySelector('#page .task input').checked")
	after := strings.Replace(strings.ReplaceAll(text, "\r\n", "\n"), "- [ ] Soak", "- [x] Soak", 1)
	m.holds("docs/a.md", after)
	m.until(state + " == 'Saved'")

	// It follows others while nobody types, and asks when both have changed something.
	m.write("docs/a.md", "# Theirs\n")
	m.until("document.querySelector('#page h1')?.textContent == 'Theirs' && document.querySelector('#source').value == '# Theirs\\n'")
	eval[bool](m.tab, `(() => { const real = window.fetch; window.fetch = (u, o) => String(u).includes("/api/write") && !window.go ? new Promise((yes) => (window.later = () => yes(real(u, o)))) : real(u, o); return true })()`)
	eval[bool](m.tab, "(document.querySelector('#source').focus(), true)")
	m.keys("a", ctrl)
	_, err := Run(m.ctx, Evaluate[bool](`(document.execCommand("insertText", false, "# Mine\n"), true)`))
	m.must(err)
	m.until("window.later")
	m.write("docs/a.md", "# Theirs again\n")
	eval[bool](m.tab, "(window.go = true, window.later(), true)")
	m.until("document.querySelector('#bar:not([hidden])')?.textContent.includes('docs/a.md was changed elsewhere')")
	m.check(source, "conflict")
	m.shot("conflict")
	m.holds("docs/a.md", "# Theirs again\n")
	m.click("#bar button", "Keep mine")
	m.holds("docs/a.md", "# Mine\n")

	// Another file by the keyboard; one that goes; one that comes.
	eval[bool](m.tab, "(document.querySelector('#file').focus(), true)")
	m.keys(kb.ArrowDown)
	m.until("document.querySelector('#page h1')?.textContent == 'B'")
	m.write("docs/n.md", "new")
	m.until("[...document.querySelector('#file').options].map((o) => o.value).join() == 'docs/a.md,docs/b.md,docs/n.md'")
	if err := m.work.Apply(context.Background(), sam.Edit{Name: "docs/b.md", Remove: true, IfHash: "*"}); err != nil {
		t.Fatal(err)
	}
	m.until("document.querySelector('#page h1')?.textContent == 'Mine'")
	m.goesDark()

	// A grant to read; a file that is long; one that is no text; none.
	m = d.mount(b, "tool-markdown", tool.Read, sam.Files{"a.md": "- [ ] x\n"}, "**")
	m.until(state + " == 'Read only' && document.querySelector('#source').hidden && document.querySelector('.task')")
	m.click("#page .task input", "")
	m.until("!document.querySelector('.task input').checked")
	m = d.mount(b, "tool-markdown", tool.ReadWrite, sam.Files{"a.md": strings.Repeat("word ", 250_000)}, "**")
	m.until(state + " == 'The first 1000 of 1250 kB, read only'")
	m = d.mount(b, "tool-markdown", tool.ReadWrite, sam.Files{"a.md": "\xff\xfe\x00"}, "**")
	m.until("document.body.innerText.includes('a.md is no text')")
	m = d.mount(b, "tool-markdown", tool.ReadWrite, sam.Files{"a.txt": "x"}, "**")
	m.until("document.body.innerText.includes('The grant covers no Markdown file')")
	m = d.mount(b, "tool-markdown", tool.ReadWrite, sam.Files{"a.md": "one\r\n\r\n- [ ] two\r\n"}, "**")
	m.until("document.querySelector('.task')")
	m.click("#page .task input", "")
	m.holds("a.md", "one\r\n\r\n- [x] two\r\n")
	b.open(d.srv.URL + "/canvas/tool-markdown/")
	b.until("document.body.innerText.includes('This is a tool. Open it on a project')")
	quiet(b)
}

func TestToolTable(t *testing.T) {
	source := axe(t)
	d := newDesk(t)
	b := newTab(t, strings.TrimPrefix(d.srv.URL, "http://"))
	b.size(900, 600)
	const text = "\uFEFFname;qty;note\r\n\"Miso; red\";3;\"says \"\"hi\"\"\"\r\nPlum ;  04;\r\nlast;1;x"
	m := d.mount(b, "tool-table", tool.ReadWrite, sam.Files{"a.csv": text, "b.tsv": "x\ty\n1\t2\n"}, "**")
	cells := "[...document.querySelectorAll('#grid [data-row]')].map((e) => e.textContent).join('|')"
	m.until(cells + " == 'name|qty|note|Miso; red|3|says \"hi\"|Plum |  04||last|1|x'")
	m.looks(source)

	// By the keyboard: to a cell, type over it, on to the next row; what is not touched stays as it is written.
	eval[bool](m.tab, "(document.querySelector('#grid [tabindex=\"0\"]').focus(), true)")
	m.keys(kb.ArrowDown)
	m.keys(kb.ArrowRight)
	m.keys("7")
	m.until("document.querySelector('#grid input')?.value == '7'")
	m.check(source, "editing")
	m.keys(kb.Enter)
	m.until("document.activeElement.textContent == '  04'")
	m.holds("a.csv", "\uFEFFname;qty;note\r\n\"Miso; red\";7;\"says \"\"hi\"\"\"\r\nPlum ;  04;\r\nlast;1;x")
	m.keys(kb.Enter)
	m.until("document.querySelector('#grid input')?.value == '  04'")
	m.insert("9; or \"so\"")
	m.keys(kb.Escape)
	m.until("!document.querySelector('#grid input') && document.activeElement.textContent == '  04'")
	m.keys(kb.Delete)
	m.holds("a.csv", "\uFEFFname;qty;note\r\n\"Miso; red\";7;\"says \"\"hi\"\"\"\r\n\"Plum \";;\r\nlast;1;x")
	m.click("#tools button", "Add a row")
	m.keys("N")
	m.keys(kb.Tab)
	m.holds("a.csv", "\uFEFFname;qty;note\r\n\"Miso; red\";7;\"says \"\"hi\"\"\"\r\n\"Plum \";;\r\nlast;1;x\r\nN;;")
	m.click("#tools button", "Remove the row")
	m.holds("a.csv", "\uFEFFname;qty;note\r\n\"Miso; red\";7;\"says \"\"hi\"\"\"\r\n\"Plum \";;\r\nlast;1;x\r\n")
	m.goesDark()

	// Many rows: those in sight are there, and the last is a key away.
	var many strings.Builder
	many.WriteString("n,square\n")
	for i := range 100_000 {
		fmt.Fprintf(&many, "%d,%d\n", i, i*i)
	}
	m = d.mount(b, "tool-table", tool.ReadWrite, sam.Files{"a.csv": many.String()}, "**")
	m.until("document.querySelector('#size').textContent == '100000 rows, 2 columns'")
	if n := eval[int](m.tab, "document.querySelectorAll('#grid [data-row]').length"); n > 300 {
		t.Errorf("%d cells are elements", n)
	}
	eval[bool](m.tab, "(document.querySelector('#main').scrollTop = 28 * 99_990, true)")
	m.until("[...document.querySelectorAll('#grid td')].some((e) => e.textContent == '99999')")
	m.shot("many")
	// Malformed, read only, too long, empty.
	m = d.mount(b, "tool-table", tool.ReadWrite, sam.Files{"a.csv": "a,b\n1,\"never closed\n2,3\n"}, "**")
	m.until(state + " == 'The quote in line 2 is never closed: read only' && document.querySelector('#tools button').hidden")
	m = d.mount(b, "tool-table", tool.Read, sam.Files{"a.csv": "a,b\n1,2\n"}, "**")
	m.until(state + " == 'Read only' && document.querySelector('#tools button').hidden")
	eval[bool](m.tab, "(document.querySelector('#grid [tabindex=\"0\"]').focus(), true)")
	m.keys("7")
	if eval[bool](m.tab, "!!document.querySelector('#grid input')") {
		t.Error("a cell is changed with a grant to read")
	}
	m = d.mount(b, "tool-table", tool.ReadWrite, sam.Files{"a.csv": many.String() + strings.Repeat("1,2\n", 900_000)}, "**")
	m.until(state + ".startsWith('The first 4000 of')")
	m = d.mount(b, "tool-table", tool.ReadWrite, sam.Files{"a.csv": ""}, "**")
	m.until("!document.querySelector('#tools button').hidden")
	m.click("#tools button", "Add a column")
	m.keys("h")
	m.keys(kb.Enter)
	m.holds("a.csv", "h\n")
	quiet(b)
}

func TestToolJSON(t *testing.T) {
	source := axe(t)
	d := newDesk(t)
	b := newTab(t, strings.TrimPrefix(d.srv.URL, "http://"))
	b.size(900, 600)
	const text = "{\n\t\"name\" : \"Grüße\",  \"n\":1.50e2,\n  \"list\": [ true,null, {\"deep\": \"x\"} ],\n  \"big\": 12345678901234567890 }\n"
	m := d.mount(b, "tool-json", tool.ReadWrite, sam.Files{"a.json": text}, "**/*.json")
	leaves := "[...document.querySelectorAll('.leaf input')].map((e) => e.ariaLabel + '=' + e.value).join(' ')"
	m.until(leaves + " == 'name=\"Grüße\" n=1.50e2 big=12345678901234567890'")
	m.click("summary", "list")
	m.until(leaves + ".includes('0=true 1=null')")
	m.looks(source)

	// A value in place; all others as they are written. What is no JSON is not saved.
	change := func(label, value string) {
		t.Helper()
		eval[bool](m.tab, fmt.Sprintf(`(() => { const e = [...document.querySelectorAll(".leaf input")].find((e) => e.ariaLabel == %q); e.focus(); e.select(); return true })()`, label))
		m.insert(value)
		m.keys(kb.Enter)
	}
	change("n", "-7")
	m.holds("a.json", strings.Replace(text, "1.50e2", "-7", 1))
	change("0", "oops")
	m.until("document.querySelector('#trouble:not([hidden])')?.textContent.includes('oops is no JSON')")
	m.check(source, "wrong")
	change("0", `{"now": []}`)
	m.holds("a.json", strings.Replace(strings.Replace(text, "1.50e2", "-7", 1), "true", `{"now": []}`, 1))
	m.click("summary", "{1}")
	m.until("[...document.querySelectorAll('summary')].some((e) => e.textContent == 'now[0]')")

	// As text, and what is wrong with it by line and column.
	m.click("#switch", "As text")
	m.until("!document.querySelector('#source').hidden")
	eval[bool](m.tab, "(document.querySelector('#source').focus(), document.querySelector('#source').select(), true)")
	m.insert("{\"a\": [1,\n2,]}")
	m.until("document.querySelector('#trouble').textContent.includes('Line 2, column 3: there is a comma too many')")
	m.check(source, "malformed")
	m.shot("malformed")
	eval[bool](m.tab, "(document.querySelector('#source').select(), true)")
	m.insert("{\"a\": [1, 2]}\n")
	m.holds("a.json", "{\"a\": [1, 2]}\n")
	m.write("a.json", "[\"theirs\"]")
	m.until("document.querySelector('#source').value == '[\"theirs\"]'")
	m.goesDark()

	m = d.mount(b, "tool-json", tool.ReadWrite, sam.Files{"a.json": "{\"a\" 1}"}, "**")
	m.until("document.querySelector('#trouble').textContent == 'Line 1, column 6: a colon is missing.' && document.querySelector('#source').value == '{\"a\" 1}'")
	m = d.mount(b, "tool-json", tool.ReadWrite, sam.Files{"a.json": strings.Repeat("[", 100_000)}, "**")
	m.until("document.querySelector('#trouble').textContent.includes('more than 400 levels')")
	m = d.mount(b, "tool-json", tool.ReadWrite, sam.Files{"a.json": "[" + strings.Repeat("1,", 50_000) + "1]"}, "**")
	m.until("document.querySelectorAll('.leaf').length == 200")
	m.click("#tree button", "49801 more")
	m.until("document.querySelectorAll('.leaf').length == 400")
	m = d.mount(b, "tool-json", tool.Read, sam.Files{"a.json": "{\"a\": 1}"}, "**")
	m.until(state + " == 'Read only' && document.querySelector('.leaf input').readOnly")
	m = d.mount(b, "tool-json", tool.ReadWrite, sam.Files{"a.json": "[" + strings.Repeat("1,", 1_500_000) + "1]"}, "**")
	m.until(state + ".startsWith('The first 2000 of') && document.querySelector('#trouble').textContent.includes('too long')")
	quiet(b)
}
