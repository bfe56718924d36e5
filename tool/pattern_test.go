package tool_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"samkit.dev/tool"
)

func ExampleParsePattern() {
	src, _ := tool.ParsePattern("src/**")
	tests, _ := tool.ParsePattern("**/*_test.js")
	fmt.Println(src.Match("src/a/b.js"), src.Covers(tests), src.Intersect(tests))
	// Output: true false [src/**/*_test.js]
}

func parsed(t *testing.T, text string) tool.Pattern {
	t.Helper()
	p, err := tool.ParsePattern(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestCovers(t *testing.T) {
	for _, c := range []struct {
		p, q string
		want bool
	}{
		{"src/**", "src/**", true},
		{"src/**", "src/*.ts", true},
		{"src/**", "src/a/**", true},
		{"src/**", "src", false},
		{"**", "a/**/b*", true},
		{"*", "**", false},
		{"a/*/c", "a/**/c", false},
		{"a/**/c", "a/*/c", true},
		{"a*", "ab*", true},
		{"ab*", "a*", false},
		{"*.ts", "*", false},
		{`\*`, "*", false},
		{"*", `\*`, true},
		{`a\*`, `a\*`, true},
		{"config/**", "src/**", false},
	} {
		if got := parsed(t, c.p).Covers(parsed(t, c.q)); got != c.want {
			t.Errorf("%s covers %s: %v, want %v", c.p, c.q, got, c.want)
		}
	}
	if parsed(t, "**").Covers(tool.Pattern{}) != true || (tool.Pattern{}).Covers(parsed(t, "a")) || (tool.Pattern{}).Match("a") {
		t.Error("the zero Pattern is not empty")
	}
	if !parsed(t, "*").Match("**") || !parsed(t, `\*\*`).Match("**") {
		t.Error("a file named ** is not matched")
	}
}

// Of random patterns and names, an intersection matches what both match, and what is covered
// matches nothing else.
func TestIntersect(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	pick := func(parts ...string) string { return parts[r.IntN(len(parts))] }
	random := func(stars bool) string {
		var parts []string
		for range 1 + r.IntN(3) {
			if stars && r.IntN(3) == 0 {
				parts = append(parts, "**")
				continue
			}
			var b strings.Builder
			for range 1 + r.IntN(3) {
				if stars && !strings.HasSuffix(b.String(), "*") {
					b.WriteString(pick("a", "b", "*", `\*`))
				} else {
					b.WriteString(pick("a", "b"))
				}
			}
			parts = append(parts, b.String())
		}
		return strings.Join(parts, "/")
	}
	names := []string{"**", "a*"}
	for range 400 {
		names = append(names, random(false))
	}
	found := 0
	for range 2000 {
		p, q := parsed(t, random(true)), parsed(t, random(true))
		both := p.Intersect(q)
		for _, name := range names {
			want := p.Match(name) && q.Match(name)
			got := slices.ContainsFunc(both, func(x tool.Pattern) bool { return x.Match(name) })
			if got != want {
				t.Fatalf("%s and %s have %v in common; %s: %v, want %v", p, q, both, name, got, want)
			}
			if want {
				found++
			}
			if p.Covers(q) && q.Match(name) && !p.Match(name) {
				t.Fatalf("%s covers %s, but does not match %s", p, q, name)
			}
		}
	}
	if found < 1000 {
		t.Errorf("only %d names were common", found)
	}
	hard := strings.Repeat("*a", 40)
	if got := parsed(t, hard).Intersect(parsed(t, strings.Repeat("*b", 40))); len(got) > tool.MaxIntersection {
		t.Errorf("%d patterns", len(got))
	}
}
