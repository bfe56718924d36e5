package webapi

import (
	"os"
	"strings"
	"testing"
)

// TestHTMLRewriter runs the table in testdata/htmlrewriter.txt: a body of a function, and
// beneath it what it returns in workerd 1.20260426. Where we differ, that follows.
func TestHTMLRewriter(t *testing.T) {
	helper, err := os.ReadFile("testdata/htmlrewriter.js")
	if err != nil {
		t.Fatal(err)
	}
	table, err := os.ReadFile("testdata/htmlrewriter.txt")
	if err != nil {
		t.Fatal(err)
	}
	escape := strings.NewReplacer("\\", "\\\\", "\n", "\\n", "\r", "\\r", "\x00", "\\0")
	lines := strings.Split(strings.TrimRight(string(table), "\n"), "\n")
	for i := 0; i+1 < len(lines); i += 2 {
		if strings.HasPrefix(lines[i], "    workerd: ") {
			i++
		}
		r := newTestRealm(t)
		eval(t, r, string(helper))
		got := escape.Replace(outcome(t, r, "(async () => { "+lines[i]+"\n})()"))
		if want := strings.TrimPrefix(lines[i+1], "    "); got != want {
			t.Errorf("%s\n got %s\nwant %s", lines[i], got, want)
		}
	}
}

// TestHTMLRewriterStreams proves that output flows while input and handlers are waited for.
func TestHTMLRewriterStreams(t *testing.T) {
	const helper = `const enc = s => new TextEncoder().encode(s), dec = b => new TextDecoder().decode(b); `
	runScripts(t, []script{
		{helper + `(async () => {
			let c; const r = new HTMLRewriter().on("p", { element(e) { e.append("!") } }).transform(new Response(new ReadableStream({ start(x) { c = x } })))
			const rd = r.body.getReader(), out = []
			for (const s of ["<p>a</", "p>b<i", ">c"]) { c.enqueue(enc(s)); out.push(dec((await rd.read()).value)) }
			c.close(); out.push((await rd.read()).done); return out.join("|") })()`, "<p>a|!</p>b|<i>c|true"},
		{helper + `(async () => {
			let open; const gate = new Promise(r => open = r)
			const r = new HTMLRewriter().on("p", { async element(e) { await gate; e.replace("P") } }).transform(new Response("before<p></p>after"))
			const rd = r.body.getReader(), first = dec((await rd.read()).value)
			const second = rd.read(); open(); return first + "|" + dec((await second).value) })()`, "before|Pafter"},
		{helper + `(async () => {
			let why, n = 0; const r = new HTMLRewriter().on("p", { element(e) { n++ } }).transform(new Response(new ReadableStream({ pull(c) { c.enqueue(enc("<p>")) }, cancel(e) { why = e } })))
			const rd = r.body.getReader(); await rd.read(); await rd.cancel("enough"); return why + n })()`, "enough1"},
		{`(async () => {
			let closed; const s = new ReadableStream({ pull(c) { c.enqueue(new TextEncoder().encode("<p>")) }, cancel(e) { closed = String(e) } })
			try { await new HTMLRewriter().on("p", { element() { throw new Error("x") } }).transform(new Response(s)).text() } catch (e) { return e.message + closed } })()`, "xError: x"},
		{helper + `(async () => {
			let why; const r = new HTMLRewriter().on("p", { element(e) { e.append(new ReadableStream({ pull(c) { c.enqueue(enc("z")) }, cancel(e) { why = e } })) } }).transform(new Response("<p></p>"))
			const rd = r.body.getReader(); await rd.read(); await rd.read(); await rd.cancel("stop"); return why })()`, "stop"},
		{`(async () => { // the context of AsyncLocalStorage is that of transform
			const als = new (__samkit_node.AsyncLocalStorage)(); let seen = []
			const h = new HTMLRewriter().on("p", { async element() { seen.push(als.getStore()); await 1; seen.push(als.getStore()) } })
			const r = als.run("in", () => h.transform(new Response("<p>")))
			await als.run("out", () => r.text()); return seen.join() })()`, "in,in"},
		{`(async () => { const big = "<p>x</p>".repeat(50000); let n = 0
			const r = new HTMLRewriter().on("p", { text(t) { if (t.text) n++ } }).transform(new Response(big))
			return (await r.text() === big) + String(n) })()`, "true50000"},
		{`(async () => { const r = new HTMLRewriter().on("p", { element: () => ({ then(ok, no) { no(new RangeError("own")) } }) }).transform(new Response("<p>")); return r.text() })()`, "! RangeError: own"},
		{`(async () => { const r = new HTMLRewriter().on("p", { element() { return { get then() { throw 1 } } } }).transform(new Response("<p>")); return r.text() })()`, "<p>"},
		{`const e = []; new HTMLRewriter().on("p", { element(x) { e.push(Object.getPrototypeOf(x)) } }).transform(new Response("<p>")).text(); Promise.resolve().then(() => { try { e[0].append.call({}, "x") } catch (x) { return String(x) } })`, "TypeError: Illegal invocation: function called with incorrect `this` reference."},
		{`Object.prototype.toString.call(new HTMLRewriter()) + HTMLRewriter.prototype.on.length`, "[object HTMLRewriter]2"},
	})
}

func BenchmarkHTMLRewriter(b *testing.B) {
	r := newTestRealm(b)
	page := strings.Repeat(`<div class="item" id="i7"><a href="/some/where?x=1&amp;y=2">A link to <b>somewhere</b></a><p>Some text that goes on for a while, as text does.</p></div>`+"\n", 1000)
	r.VM.Set("page", page)
	for _, c := range []struct{ name, on string }{
		{"plain", ``},
		{"links", `.on("div > a[href]", { element(e) { e.setAttribute("rel", "x") } })`},
	} {
		b.Run(c.name, func(b *testing.B) {
			fn, _ := callable(eval(b, r, `() => new HTMLRewriter()`+c.on+`.transform(new Response(page)).text()`))
			b.SetBytes(int64(len(page)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := r.Enter(fn, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
