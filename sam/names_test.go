package sam

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestCheckFileName(t *testing.T) {
	good := []string{"index.html", "a/b/c", "...a", ".env", ".git/config", "é", "e\u0301", "日本/語.txt", "con1", "xcon", "com", "com10", "lpt",
		"a b", " a", "a'b", "console.log", "~a~/x"[1:], "a/~b", strings.Repeat("a", 255), strings.Repeat("a/", 511) + "ab", "[id].js", "@x/y"}
	for _, name := range good {
		if err := CheckFileName(name); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
	bad := []string{"", ".", "..", "/", "/a", "a/", "a//b", "./a", "a/.", "../a", "a/../b", "a/..", "a\\b", "..\\a", "a\x00", "a\nb", "a\x7f", "a\u0085",
		"c:", "c:/x", "a::$DATA", "\xff", "a\xc0\xaeb", "a.", "a/b.", "a ", "a /b", "...", "con", "CON", "Con.txt", "aux .txt", "a/nul/b", "com1", "LPT9.x", "com¹", "conin$",
		"~", "~x", "~/a", strings.Repeat("a", 256), strings.Repeat("a/", 512) + "a"}
	for _, name := range bad {
		err := CheckFileName(name)
		var ne *NameError
		if !errors.As(err, &ne) || ne.Name != name || !errors.Is(err, fs.ErrInvalid) || errors.Is(err, fs.ErrExist) {
			t.Errorf("%q: %v, want a *NameError", name, err)
		}
	}
}

func TestProjectID(t *testing.T) {
	for _, id := range []ProjectID{"a", "0", "a-b", "xn--a", ProjectID(strings.Repeat("a", 63))} {
		if err := id.Check(); err != nil {
			t.Errorf("%q: %v", id, err)
		}
	}
	for _, id := range []ProjectID{"", "-", "-a", "a-", "A", "a.b", "a/b", "..", "~", "a_b", "é", "а", "a\x00", "aAa", ProjectID(strings.Repeat("a", 64))} {
		if err := id.Check(); err == nil {
			t.Errorf("%q is accepted", id)
		}
	}
}

func TestFoldName(t *testing.T) {
	same := [][2]string{{"A", "a"}, {"é", "e\u0301"}, {"É", "e\u0301"}, {"K", "k"}, {"ſ", "s"}, {"Å", "å"}, {"Σ", "ς"}, {"A/É", "a/é"}}
	for _, p := range same {
		if FoldName(p[0]) != FoldName(p[1]) {
			t.Errorf("%q and %q fold to %q and %q", p[0], p[1], FoldName(p[0]), FoldName(p[1]))
		}
	}
	for _, p := range [][2]string{{"a", "b"}, {"a", "á"}, {"а", "a"}, {"ﬁ", "fi"}} {
		if FoldName(p[0]) == FoldName(p[1]) {
			t.Errorf("%q and %q fold to the same", p[0], p[1])
		}
	}
}

func TestNameSet(t *testing.T) {
	s := newNameSet(map[string]*fileRecord{"a/b/c": nil, "a/d": nil, "Read.me": nil, "é": nil})
	for name, other := range map[string]string{
		"a": "a", "a/b": "a/b", "a/d/e": "a/d", "A/x": "a", "a/B/x": "a/b", "read.me": "Read.me", "Read.me": "Read.me",
		"e\u0301": "é", "É": "é", "Read.me/x": "Read.me", "a/b/C": "a/b/c",
	} {
		var ne *NameError
		if err := s.check(name); !errors.As(err, &ne) || ne.Other != other || !errors.Is(err, fs.ErrExist) {
			t.Errorf("%q: %v, want a *NameError about %q", name, err, other)
		}
	}
	for _, name := range []string{"b", "a/x", "a/b/x", "a/b/c2", "Read.me2", "Read"} {
		if err := s.check(name); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
	s.remove("a/b/c")
	s.remove("a/d")
	if err := s.check("A"); err != nil {
		t.Errorf("after removing all below a: %v", err)
	}
}

func FuzzFileName(f *testing.F) {
	for _, s := range []string{"a/b", "../x", "a\\b", "é", "e\u0301", "CON.txt", "a.", "\xff", "K"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		fold := FoldName(name)
		if utf8.ValidString(name) && FoldName(fold) != fold {
			t.Errorf("folding %q twice gives %q, then %q", name, fold, FoldName(fold))
		}
		if CheckFileName(name) != nil {
			return
		}
		if !fs.ValidPath(name) || name == "." || strings.ContainsAny(name, "\\:\x00\n") || !utf8.ValidString(name) || len(name) > maxName {
			t.Errorf("%q is accepted", name)
		}
		s := newNameSet(map[string]*fileRecord{name: nil})
		if err := s.check(strings.ToUpper(name)); FoldName(strings.ToUpper(name)) == fold && err == nil {
			t.Errorf("%q is free beside %q", strings.ToUpper(name), name)
		}
		s.remove(name)
		if len(s.byFold) != 0 {
			t.Errorf("removing %q leaves %v", name, s.byFold)
		}
	})
}

func FuzzProjectID(f *testing.F) {
	for _, s := range []string{"a", "a-b", "-", "A", "é", "a.b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, id string) {
		if ProjectID(id).Check() != nil {
			return
		}
		if len(id) < 1 || len(id) > 63 || !fs.ValidPath(id) || strings.ToLower(id) != id || strings.ContainsAny(id, "./~_ ") {
			t.Errorf("%q is accepted", id)
		}
	})
}
