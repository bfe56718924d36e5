package webapi

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestURLPattern runs the table in testdata/urlpattern.txt: a pattern and inputs, and beneath
// them the answer: the components, an R if the pattern has regular expressions, and for each
// input the components that the pattern restricts, with their groups. The answers are those of
// workerd 1.20260426; where that differs from the standard, its own follows.
func TestURLPattern(t *testing.T) {
	show, err := os.ReadFile("testdata/urlpattern.js")
	if err != nil {
		t.Fatal(err)
	}
	table, err := os.ReadFile("testdata/urlpattern.txt")
	if err != nil {
		t.Fatal(err)
	}
	r := newTestRealm(t)
	eval(t, r, string(show))
	lines := strings.Split(strings.TrimRight(string(table), "\n"), "\n")
	for i := 0; i+1 < len(lines); i += 2 {
		if strings.HasPrefix(lines[i], "    workerd: ") { // differs from the standard
			i++
		}
		if got, want := outcome(t, r, lines[i]), strings.TrimPrefix(lines[i+1], "    "); got != want {
			t.Errorf("%s\n got %s\nwant %s", lines[i], got, want)
		}
	}
}

// FuzzPatternMatcher compares the matcher with the regular expression that the standard builds.
func FuzzPatternMatcher(f *testing.F) {
	for _, s := range [][2]string{
		{"/a/:b/*", "/a/x/y/z"}, {"/:a+", "/1/2"}, {"{/x}*y", "/x/xy"}, {"/{:a-}*b", "/1-2-b"}, {"*/*{.:e}?", "/a/b.c"}, {"/:a?/:b*", "/1"}, {"{:a}+{b*}?", "aab"},
	} {
		f.Add(s[0], s[1], true)
		f.Add(s[0], s[1], false)
	}
	f.Fuzz(func(t *testing.T, pattern, text string, path bool) {
		if len(pattern) > 30 || len(text) > 100 || strings.ContainsAny(text, "\n\r") {
			return
		}
		opts := &patternOptions{delimiter: "/", prefix: "/"}
		if !path {
			opts = &patternOptions{}
		}
		parts, err := parsePattern(pattern, opts, canonicalHash)
		if err != nil {
			return
		}
		names := 0
		for _, p := range parts {
			if p.kind == partRegExp {
				return
			}
			if p.kind != partText {
				names++
			}
		}
		text, _ = canonicalHash(text) // ASCII, as all components are
		caps := make([]int, 2*names)
		for i := range caps {
			caps[i] = -1
		}
		got := newPatternMatcher(parts, opts).match(text, caps)
		want := regexp.MustCompile("(?s)" + strings.ReplaceAll(generateRegExp(parts, opts), "[^]", ".")).FindStringSubmatchIndex(text)
		if got != (want != nil) {
			t.Fatalf("%q on %q: %v, %v", pattern, text, got, want)
		}
		for i := range caps {
			if got && caps[i] != want[2+i] && want[2+i&^1] != want[2+i|1] { // an optional group that is empty is none in JavaScript
				t.Fatalf("%q on %q: %v, %v", pattern, text, caps, want)
			}
		}
		again, err := parsePattern(generatePattern(parts, opts), opts, canonicalHash)
		if err != nil {
			t.Fatalf("%q: its normal form %q: %v", pattern, generatePattern(parts, opts), err)
		}
		if a, b := generateRegExp(parts, opts), generateRegExp(again, opts); a != b {
			t.Fatalf("%q: %s, its normal form %s", pattern, a, b)
		}
	})
}

func TestURLPatternLimits(t *testing.T) {
	runScripts(t, []script{
		{`new URLPattern({ pathname: "/" + "a".repeat(1e6) })`, "! TypeError: Failed to construct 'URLPattern': the pathname \"/" + strings.Repeat("a", 199) + "…\" is invalid: it is too long"},
		{`const p = new URLPattern({ pathname: "*a".repeat(1000) }); const s = "a".repeat(60000); p.test("https://h/" + s)`, "true"},
		{`const p = new URLPattern({ pathname: "*a".repeat(1000) }); p.test("https://h/" + "a".repeat(100000))`, "! TypeError: The URL is too long for this URLPattern."},
		{`const p = new URLPattern({ pathname: "{*a}+b" }); p.test("https://h/" + "a".repeat(100000))`, "false"},
		{`URLPattern.prototype.test.call({})`, "! TypeError: Illegal invocation: function called with incorrect `this` reference."},
		{`new URLPattern({ pathname: "/(a" })`, `! TypeError: Failed to construct 'URLPattern': the pathname "/(a" is invalid: it has a part that is no pattern syntax`},
		{`new URLPattern("/a")`, "! TypeError: Failed to construct 'URLPattern': a relative pattern needs a base URL"},
		{`new URLPattern({}).exec({}, "https://a")`, "! TypeError: A base URL goes into the initializer, not beside it."},
		{`Object.keys(new URLPattern({ pathname: "/:a/:b?" }).exec("https://h/x")).join() + Object.prototype.toString.call(new URLPattern())`, "inputs,protocol,username,password,hostname,port,pathname,search,hash[object URLPattern]"},
		{`JSON.stringify(new URLPattern({ pathname: "/x" }).exec("x", "https://h/").inputs) + JSON.stringify(new URLPattern({ pathname: "/x" }).exec({ pathname: "x", baseURL: "https://h/" }).inputs)`, `["x","https://h/"][{"pathname":"x","baseURL":"https://h/"}]`},
	})
}

func BenchmarkURLPattern(b *testing.B) {
	for _, c := range []struct{ name, src string }{
		{"test", `const p = new URLPattern({ pathname: "/users/:id/posts/*" }); () => p.test("https://example.com/users/17/posts/a/b")`},
		{"exec", `const p = new URLPattern({ pathname: "/users/:id/posts/*" }); () => p.exec("https://example.com/users/17/posts/a/b")`},
		{"regexp", `const p = new URLPattern({ pathname: "/users/:id(\\d+)/posts/*" }); () => p.test("https://example.com/users/17/posts/a/b")`},
		{"new", `() => new URLPattern({ pathname: "/users/:id/posts/*" })`},
	} {
		b.Run(c.name, func(b *testing.B) {
			r := newTestRealm(b)
			fn, _ := callable(eval(b, r, c.src))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := r.Enter(fn, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
