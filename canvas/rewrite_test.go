package canvas

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

const testInject = `<script src="X"></script>`

func TestRewriteHTML(t *testing.T) {
	const im = `<script type="importmap">{"imports":{"../":"../","/":"../"}}</script>`
	tests := []struct{ name, in, want string }{
		{"head", `<!doctype html><html lang=en><head><title>/a</title></head>`, `<!doctype html><html lang=en><head>INJ<title>/a</title></head>MAP`},
		{"no head", `<!doctype html><!-- c --><p>/x`, `<!doctype html><!-- c -->INJ<p>/xMAP`},
		{"html, no head", `<html><body>`, `<html>INJ<body>MAP`},
		{"text only", "hello", "INJhelloMAP"},
		{"empty", "", "INJMAP"},
		{"byte order mark", "\ufeff<!doctype html><p>", "\ufeff<!doctype html>INJ<p>MAP"},
		{"attributes", `<img src="/a.png" alt="/a"><a href='/b?x=1&amp;y'>`, `INJ<img src="../a.png" alt="/a"><a href='../b?x=1&amp;y'>MAP`},
		{"unquoted", `<IMG SRC=/a.png ><a href=/ >`, `INJ<IMG SRC=../a.png ><a href=../ >MAP`},
		{"left alone", `<a href="//cdn/x"><a href="x/y"><a href="https://h/"><a href="#/"><a href="/\evil">`, `INJ<a href="//cdn/x"><a href="x/y"><a href="https://h/"><a href="#/"><a href="/\evil">MAP`},
		{"reference", `<a href="&#47;b&amp;c">`, `INJ<a href="../b&amp;c">MAP`},
		{"srcset", `<img srcset="/a.png 1x, /b,c.png 2x,d.png 3x">`, `INJ<img srcset="../a.png 1x, ../b,c.png 2x,d.png 3x">MAP`},
		{"form", `<form action=/api/x><button formaction="/y"><video poster="/p"><object data="/o">`, `INJ<form action=../api/x><button formaction="../y"><video poster="../p"><object data="../o">MAP`},
		{"svg", `<svg><use xlink:href="/i.svg#a"/></svg>`, `INJ<svg><use xlink:href="../i.svg#a"/></svg>MAP`},
		{"style", `<style>a{background:url(/x.png)}</style><p style="background:url('/y')">`, `INJ<style>a{background:url(../x.png)}</style><p style="background:url('../y')">MAP`},
		{"script text", `<script>fetch("/a")</script>`, `INJ<script>fetch("/a")</script>MAP`},
		{"module", `<head><script type=module src=/m.js></script></head>`, `<head>INJMAP<script type=module src=../m.js></script></head>`},
		{"preload", `<link rel=modulepreload href=/m.js>`, `INJMAP<link rel=modulepreload href=../m.js>`},
		{"own map", "<script src=/shim.js></script><script type=importmap>\n{\"imports\":{\"a\":\"/a.js\"}}\n</script><script type=module></script>",
			"INJ<script src=../shim.js></script><script type=importmap>{\"imports\":{\"../\":\"../\",\"/\":\"../\",\"a\":\"../a.js\"}}\n\n</script><script type=module></script>"},
		{"broken map", `<script type=importmap>{</script>`, `INJ<script type=importmap>{</script>`},
		{"refresh", `<meta http-equiv=refresh content="0; url=/x"><meta name=d content="/x">`, `INJ<meta http-equiv=refresh content="0; url=../x"><meta name=d content="/x">MAP`},
		{"unfinished", `<p><img src="/a`, `INJ<p><img src="/aMAP`},
		{"base", `<base href="/"><script src=main.js></script><link href="./a.css"><a href="#x"><img src="/b.png"><a href="https://h/">`,
			`INJ<base data-href="/"><script src=../main.js></script><link href=".././a.css"><a href="#x"><img src="../b.png"><a href="https://h/">MAP`},
		{"base below", `<base target=_top href='/app/'><img src=b.png>`, `INJ<base target=_top data-href='/app/'><img src=../app/b.png>MAP`},
		{"relative base", `<base href=x/y.html><img src=b.png>`, `INJ<base data-href=x/y.html><img src=x/b.png>MAP`},
		{"foreign base", `<base href="https://h/"><img src=b.png>`, `INJ<base href="https://h/"><img src=b.png>MAP`},
		{"slashes", `<img/src="/a"/alt=x/>`, `INJ<img/src="../a"/alt=x/>MAP`},
	}
	for _, tt := range tests {
		want := strings.NewReplacer("INJ", testInject, "MAP", im).Replace(tt.want)
		if got := string(rewriteHTML([]byte(tt.in), "../", testInject)); got != want {
			t.Errorf("%s:\n got %s\nwant %s", tt.name, got, want)
		}
	}
}

// A page that streams comes out as it would at once, and is flushed before each wait.
func TestRewriteHTMLStreams(t *testing.T) {
	page := []byte(`<!doctype html><head><script type=module src="/m.js"></script></head><p>` + strings.Repeat("<img src=/x>text", 100))
	var out bytes.Buffer
	flushed := 0
	h := htmlRewriter{rel: "./", inject: testInject, w: &out, flush: func() { flushed++ }}
	if err := h.copy(iotest.OneByteReader(bytes.NewReader(page))); err != nil {
		t.Fatal(err)
	}
	if want := rewriteHTML(page, "./", testInject); !bytes.Equal(out.Bytes(), want) {
		t.Errorf("streamed:\n%s\nat once:\n%s", out.Bytes(), want)
	}
	if flushed < len(page) {
		t.Errorf("flushed %d times for %d reads", flushed, len(page))
	}
}

func TestRewriteHTMLHugeToken(t *testing.T) {
	page := []byte("<p><script>" + strings.Repeat("x", maxHTMLToken+4096) + "</script><img src=/a>")
	got := rewriteHTML(page, "./", testInject)
	if want := len(testInject) + len(page); len(got) != want || !bytes.HasSuffix(got, page[8:]) {
		t.Errorf("a page with a huge script came out with %d bytes, want %d", len(got), want)
	}
}

func TestRewriteHTMLErrors(t *testing.T) {
	boom := errors.New("boom")
	h := htmlRewriter{rel: "./", w: io.Discard}
	if err := h.copy(iotest.ErrReader(boom)); err != boom {
		t.Errorf("read error: %v", err)
	}
}

func TestRewriteCSS(t *testing.T) {
	tests := []struct{ in, want string }{
		{`a{b:url(/x)}`, `a{b:url(../x)}`},
		{`a{b:URL( "/x" )}`, `a{b:URL( "../x" )}`},
		{`a{b:url('/x')}c{d:url(/y)}`, `a{b:url('../x')}c{d:url(../y)}`},
		{`@import "/x.css";@import url(/y.css);@IMPORT '/z';`, `@import "../x.css";@import url(../y.css);@IMPORT '../z';`},
		{`/* url(/x) */ a{content:"url(/x)"}`, `/* url(/x) */ a{content:"url(/x)"}`},
		{`a{b:url(//cdn/x) url(x) url(data:/x) url()}`, `a{b:url(//cdn/x) url(x) url(data:/x) url()}`},
		{`a{b:myurl(/x)}`, `a{b:myurl(/x)}`},
		{`a{b:url(/x`, `a{b:url(../x`},
		{`a{content:"\"";b:url(/x)}`, `a{content:"\"";b:url(../x)}`},
		{"a{content:\"open\n;b:url(/x)}", "a{content:\"open\n;b:url(../x)}"},
		{`\`, `\`}, {`/*`, `/*`}, {`url(`, `url(`}, {`url("`, `url("`}, {`@import`, `@import`}, {`"`, `"`},
	}
	for _, tt := range tests {
		if got := string(rewriteCSS([]byte(tt.in), "../")); got != tt.want {
			t.Errorf("rewriteCSS(%s)\n got %s\nwant %s", tt.in, got, tt.want)
		}
	}
}

func TestMergeImportMapScopes(t *testing.T) {
	got := string(mergeImportMap([]byte(`{"scopes":{"/lib/":{"a":"/b.js"}},"imports":{"x":"</script>"}}`), "./"))
	want := `{"imports":{"./":"./","/":"./","x":"\u003c/script\u003e"},"scopes":{"./lib/":{"a":"./b.js"}}}`
	if got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	for _, text := range []string{"null", "[]", `{"imports":[]}`, `"x"`, ""} {
		if got := string(mergeImportMap([]byte(text), "./")); got != text {
			t.Errorf("%s became %s", text, got)
		}
	}
}

func FuzzRewriteHTML(f *testing.F) {
	for _, s := range []string{`<img src="/a">`, `<a href=/b`, `<!--`, `<script>`, `<style>url(/`, `<p a='`, `<![CDATA[`, "<\x00", `</`, `<a/=/b c=/d>`, `<plaintext>/x`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, page string) {
		// With "/" for the root nothing changes, so every byte must come through.
		if got := string(rewriteHTML([]byte(page), "/", "")); got != page && !strings.Contains(page, "&") {
			t.Fatalf("rewriting nothing changed\n%q into\n%q", page, got)
		}
		out := string(rewriteHTML([]byte(page), "../", testInject))
		if !strings.Contains(out, testInject) {
			t.Fatalf("the script is missing from %q", out)
		}
	})
}

func FuzzRewriteCSS(f *testing.F) {
	for _, s := range []string{`a{b:url(/x)}`, `@import "/x`, `url('`, `/*`, `\`, `"\`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, css string) {
		if got := string(rewriteCSS([]byte(css), "/")); got != css {
			t.Fatalf("rewriting nothing changed %q into %q", css, got)
		}
	})
}
