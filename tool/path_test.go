package tool

import (
	"strings"
	"testing"
)

func TestPatterns(t *testing.T) {
	tests := []struct{ pattern, yes, no string }{
		{"docs/**", "docs/a docs/a/b docs/a/b/c docs/.hidden", "docs docs2 docs2/a doc/a a/docs/a"},
		{"docs/*", "docs/a docs/a.md", "docs docs/a/b docs2/a"},
		{"docs/*.md", "docs/a.md docs/.md", "docs/a.mdx docs/a/b.md docs/a"},
		{"docs", "docs", "docs2 docs/a Docs"},
		{"**", "a a/b a/b/c docs/a", ""},
		{"*", "a docs", "a/b"},
		{"**/index.html", "index.html a/index.html a/b/index.html", "index.htm xindex.html a/xindex.html index.html/a"},
		{"a/**/z", "a/z a/b/z a/b/c/z a/z/z", "a az a/b/zz b/z"},
		{"a/**/b/**/c", "a/b/c a/x/b/c a/b/x/c a/x/b/y/b/z/c", "a/c a/b a/b/cc a/x/c"},
		{"**/a/*/b", "a/x/b z/a/x/b a/a/a/b", "a/b x/a/b a/x/y/b"},
		{`odd\*name`, "odd*name", "oddname oddXname odd**name"},
		{`odd\**`, "odd* odd*x", "odd oddx"},
		{"a*b*c", "abc aXbYc abbcc", "ab acb abcd"},
		{"résumé/*", "résumé/a", "resume/a re\u0301sume\u0301/a"},
	}
	for _, tt := range tests {
		p, err := parsePattern(tt.pattern)
		if err != nil {
			t.Errorf("%s: %v", tt.pattern, err)
			continue
		}
		for _, name := range strings.Fields(tt.yes) {
			if !p.match(name) {
				t.Errorf("%s does not match %s", tt.pattern, name)
			}
		}
		for _, name := range strings.Fields(tt.no) {
			if p.match(name) {
				t.Errorf("%s matches %s", tt.pattern, name)
			}
		}
	}
}

func TestPatternsThatAreRefused(t *testing.T) {
	for _, text := range []string{
		"", "/", "/docs", "docs/", "docs//a", ".", "..", "docs/../a", "docs/./a", "../**", "~/docs", "file:///docs", "C:/x", `docs\a`, `docs\`, "docs/\x00",
		"docs/**x", "x**/a", "***", "docs/%2e%2e/**", "docs/．．／x", "re\u0301sume\u0301", "docs/\xff", strings.Repeat("x/", 600) + "x",
	} {
		if _, err := parsePattern(text); err == nil {
			t.Errorf("%q was taken", text)
		}
	}
}

// A name that could get past a grant of docs/** in some reading. The numbers are of the catalogue of attacks.
var attacks = map[string][]string{
	"144 case":       {"Docs/a", "DOCS/a", "docS/a", "ſecrets/a", "\u212Aeys/a"},
	"145 forms":      {"ﬁles/a", "ｄｏｃｓ/a", "docs/．．／secrets", "docs／a", "docs/‥/secrets", "docs/re\u0301sume\u0301", "do\u0063\u0327s/a", "docs\u2215a", "docs/\uff0e\uff0e/a"},
	"146 dots":       {"docs/../secrets", "docs/./a", "./docs/a", "docs/..", "..", "docs/.../../secrets", "docs//../secrets", "docs/a/../../secrets", "docs/..\\secrets", "docs/.. /secrets"},
	"147 prefix":     {"docs2", "docs2/a", "docs", "docsx", "docs.bak/a", "docs /a", "doc", "xdocs/a"},
	"148 absolute":   {"/docs/a", "//docs/a", "~/docs/a", "~", "file://docs/a", "file:///etc/passwd", "C:/docs/a", `\\host\docs\a`, "http://x/docs/a", "docs/a:stream", "docs/CON", "docs/nul.txt"},
	"149 encoded":    {"docs/%2e%2e/secrets", "docs/%2E%2e%2fsecrets", "docs%2fa", "docs%5ca", "%64ocs/a", "docs/%252e%252e/secrets", "docs/%25252e%25252e/a", "docs/a%00", "docs/%c0%ae%c0%ae%2fa", "docs/%ff%2e%2e%2fa"},
	"152 glob":       {"**", "*", "d*/a", "**/secrets", "docs*", "doc?/a", "{docs,secrets}/a", "[d]ocs/a", "secrets/docs/**"},
	"control":        {"docs/a\x00b", "docs\x00/a", "docs/\x7f", "docs/a\nb", "docs/\u0085", "", "docs/", "docs/\xff"},
	"not composed":   {"docs/a\u0301", "docs/\u212b", "docs/\u0340x"},
	"other scripts":  {"dосs/a", "docѕ/a", "docs\u200b/a"},
	"longer":         {"docs/" + strings.Repeat("a", 300), "docs/" + strings.Repeat("a/", 600) + "b"},
	"trailing parts": {"docs/a.", "docs/a ", "docs./a", "docs/ /a/../"},
}

func TestNamesThatGetPastNoGrant(t *testing.T) {
	p, err := parsePattern("docs/**")
	if err != nil {
		t.Fatal(err)
	}
	for kind, names := range attacks {
		for _, name := range names {
			if checkName(name) == "" && p.match(name) {
				t.Errorf("%s: %q is within docs/**", kind, name)
			}
		}
	}
	for _, name := range []string{"docs/a", "docs/a b", "docs/100%", "docs/50%25", "docs/a%20b", "docs/é", "docs/naïve/日本語.md", "docs/ﬁ", "docs/½", "docs/*", "docs/**", "docs/a…b", "docs/a…", "docs/x%", "docs/第一章：序", "docs/a？", "docs/50%25", "docs/a%3Ab"} {
		if reason := checkName(name); reason != "" || !p.match(name) {
			t.Errorf("%q is refused: %s", name, reason)
		}
	}
}

func TestEscapedNameMatchesItself(t *testing.T) {
	for _, name := range []string{"a", "docs/*", "**", "a*b", "docs/**/x", "*"} {
		p, err := parsePattern(Literal(name))
		if err != nil || !p.match(name) {
			t.Errorf("%q escaped is %q: %v", name, Literal(name), err)
		}
		for _, other := range []string{"x", "docs/x", "axb", "docs/a/x", "ab"} {
			if p.match(other) {
				t.Errorf("the pattern of the name %q matches %q", name, other)
			}
		}
	}
}

func TestMatchingIsNotExponential(t *testing.T) {
	part, err := parsePattern(strings.Repeat("*a", 100) + "*b")
	if err != nil {
		t.Fatal(err)
	}
	part.match(strings.Repeat("a", 255))
	deep, err := parsePattern(strings.Repeat("**/a*/", 100) + "z")
	if err != nil {
		t.Fatal(err)
	}
	if deep.match(strings.Repeat("ab/", 300) + "y") {
		t.Error("matched")
	}
}

// matchSlowly says what patterns mean, by trying everything.
func matchSlowly(p, name []string) bool {
	if len(p) == 0 {
		return len(name) == 0
	}
	if p[0] == "**" {
		for i := range len(name) + 1 {
			if matchSlowly(p[1:], name[i:]) {
				return true
			}
		}
		return false
	}
	return len(name) > 0 && partSlowly(p[0], name[0]) && matchSlowly(p[1:], name[1:])
}

func partSlowly(p, s string) bool {
	switch {
	case p == "":
		return s == ""
	case strings.HasPrefix(p, `\*`):
		return strings.HasPrefix(s, "*") && partSlowly(p[2:], s[1:])
	case p[0] == '*':
		for i := range len(s) + 1 {
			if partSlowly(p[1:], s[i:]) {
				return true
			}
		}
		return false
	}
	return s != "" && s[0] == p[0] && partSlowly(p[1:], s[1:])
}

func FuzzMatch(f *testing.F) {
	for _, p := range []string{"docs/**", "*", "**/a/*b*", `a\*/**/*`, "**"} {
		for _, names := range attacks {
			for _, n := range names {
				f.Add(p, n)
			}
		}
	}
	f.Add("a/**/b/**/c", "a/b/x/b/c")
	f.Fuzz(func(t *testing.T, text, name string) {
		p, err := parsePattern(text)
		if err != nil || checkName(name) != "" || len(text) > 40 || len(name) > 40 {
			return
		}
		got := p.match(name)
		if want := matchSlowly(p, strings.Split(name, "/")); got != want {
			t.Errorf("%q matches %q: %v, want %v", text, name, got, want)
		}
		// What the pattern says before its first star, the name starts with.
		fixed, _, starred := strings.Cut(strings.ReplaceAll(text, `\*`, "\x00"), "*")
		fixed = strings.ReplaceAll(fixed, "\x00", "*")
		if got && !strings.HasPrefix(name, fixed) && !starred {
			t.Errorf("%q matches %q", text, name)
		}
		if got && strings.HasPrefix(text, "docs/") && !strings.HasPrefix(name, "docs/") {
			t.Errorf("%q matches %q", text, name)
		}
		if e, err := parsePattern(Literal(name)); err != nil || !e.match(name) {
			t.Errorf("%q does not match its own pattern: %v", name, err)
		}
	})
}
