package esregexp

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"unicode/utf16"
)

// cases are patterns, flags and texts. What node says of them is in testdata/node.txt.
func cases(t testing.TB) [][3]string {
	data, err := os.ReadFile("testdata/cases.json")
	if err != nil {
		t.Fatal(err)
	}
	var list [][3]string
	if err := json.Unmarshal(data, &list); err != nil {
		t.Fatal(err)
	}
	return list
}

func units(s string) []uint16 {
	var out []uint16
	for i := 0; i < len(s); i++ {
		// A half of a pair is written as ~d83d~.
		if s[i] == '~' && i+5 < len(s) && s[i+5] == '~' {
			var u uint16
			fmt.Sscanf(s[i+1:i+5], "%x", &u)
			out = append(out, u)
			i += 5
			continue
		}
		j := i
		for j < len(s) && s[j] != '~' {
			j++
		}
		j = max(j, i+1)
		out = append(out, utf16.Encode([]rune(s[i:j]))...)
		i = j - 1
	}
	return out
}

func answer(c [3]string) string {
	p, err := Compile(units(c[0]), c[1])
	if err != nil {
		return "SyntaxError"
	}
	m, err := p.Match(units(c[2]), 0, false, nil)
	if err != nil {
		return err.Error()
	}
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(m), "[]"), "-1 -1", "-")
}

// TestLikeNode compares every case with node's answer, as positions.
func TestLikeNode(t *testing.T) {
	data, err := os.ReadFile("testdata/node.txt")
	if err != nil && os.Getenv("ESREGEXP_UPDATE") == "" {
		t.Fatal(err)
	}
	want := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	list := cases(t)
	if os.Getenv("ESREGEXP_UPDATE") != "" {
		out, err := exec.Command("node", "testdata/node.mjs").Output()
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile("testdata/node.txt", out, 0o644); err != nil {
			t.Fatal(err)
		}
		want = strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	}
	if len(want) != len(list) {
		t.Fatalf("%d answers for %d cases", len(want), len(list))
	}
	for i, c := range list {
		if got := answer(c); got != want[i] {
			t.Errorf("/%s/%s on %q: %s, want %s", c[0], c[1], c[2], got, want[i])
		}
	}
}

// TestLater has what is newer than the node that most have.
func TestLater(t *testing.T) {
	for _, c := range [][4]string{
		{`(?<a>x)|(?<a>y)`, "", "y", "0 1 - 0 1"},
		{`(?:(?<a>x)|(?<a>y))\k<a>`, "", "xyy", "1 3 - 1 2"},
		{`(?:(?:(?<a>x)|(?<a>y))\k<a>)*`, "", "xxyyx", "0 4 - 2 3"},
		{`(?<a>x)(?<a>y)`, "", "", "SyntaxError"},
		{`(?:(?<a>x)|b)(?<a>y)`, "", "", "SyntaxError"},
		{`(?i:a)b`, "", "Ab", "0 2"},
		{`(?i:a)b`, "", "AB", ""},
		{`(?-i:a)b`, "i", "aB", "0 2"},
		{`(?-i:a)b`, "i", "AB", ""},
		{`(?s-m:^.b$)`, "m", "\nb", "0 2"},
		{`(?ii:a)`, "", "", "SyntaxError"},
		{`(?-:a)`, "", "", "SyntaxError"},
		{`(?i-i:a)`, "", "", "SyntaxError"},
	} {
		if got := answer([3]string{c[0], c[1], c[2]}); got != c[3] {
			t.Errorf("/%s/%s on %q: %s, want %s", c[0], c[1], c[2], got, c[3])
		}
	}
}

// TestStop ends a match that would take for ever, and one that needs too much memory.
func TestStop(t *testing.T) {
	p, err := Compile(units(`^(?:a|a)*b`), "")
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	if _, err := p.Match(units(strings.Repeat("a", 60)), 0, false, func() bool { asked++; return asked < 10 }); err != ErrStopped || asked != 10 {
		t.Errorf("%v after %d questions", err, asked)
	}
	p, err = Compile(units(`(?:.|\n)*?x`), "")
	if err != nil {
		t.Fatal(err)
	}
	if m, err := p.Match(units(strings.Repeat("a", 1000)+"x"), 0, false, nil); len(m) != 2 || m[1] != 1001 {
		t.Error(m, err)
	}
	p, err = Compile(units(`(?:(.)|\n)*`), "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Match(units(strings.Repeat("a", 4<<20)), 0, false, nil); err != ErrTooLarge {
		t.Error(err)
	}
	if _, err := Compile(units(strings.Repeat("(", 5000)+strings.Repeat(")", 5000)), ""); err == nil {
		t.Error("a pattern may nest without bounds")
	}
}

// FuzzMatch finds no pattern and text that break the engine.
func FuzzMatch(f *testing.F) {
	for _, c := range cases(f) {
		f.Add(c[0], c[1], c[2])
	}
	f.Fuzz(func(t *testing.T, pattern, flags, text string) {
		p, err := Compile(utf16.Encode([]rune(pattern)), flags)
		if err != nil {
			return
		}
		asked := 0
		u := utf16.Encode([]rune(text))
		m, err := p.Match(u, 0, false, func() bool { asked++; return asked < 20 })
		if err == nil && m != nil && (m[0] < 0 || m[0] > m[1] || m[1] > len(u) || len(m) != 2*len(p.Names())) {
			t.Errorf("/%s/%s on %q: %v", pattern, flags, text, m)
		}
	})
}
