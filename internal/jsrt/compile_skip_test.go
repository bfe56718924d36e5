package jsrt

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dop251/goja"
)

// loopBodies are of loops over characters c at i, which note in met what they met.
var loopBodies = []string{
	`if (c === 37) { met.push(i); } else if (c === 63 || c === 35) break;`,
	`if (c == 37 && met.push("%")) { met.push(i) } else if (63 === c || c === 35 || c === 8364) { met.push(c); i++ }`,
	`switch (c) { case 37: met.push(i); break; case 63: case 35: met.push(-i); }`,
	`if (c === 37) met.push(() => i); else if (c === 35) continue; else if (c === 63) return met.map(f => f()).join();`,
}

// TestSkip compares loops with goja's own, over strings and over what is none.
func TestSkip(t *testing.T) {
	texts := []string{`""`, `"/api/users/42"`, `"/a%20b%2?x#y"`, `"?"`, `"ä€%ö?"`, `"\ud800%#"`, `["a", "b"]`, `{ length: 3, charCodeAt: i => 36 + i }`, `new String("a%b?")`, `"aaaa".repeat(100) + "%"`}
	starts := []string{"0", "2", "-2", "1.5", "NaN", `"1"`, "100"}
	for _, body := range loopBodies {
		for _, head := range []string{"let i = START; for (; i < s.length; i++)", "var i; for (i = START; i < s.length; ++i)", "let i; for (let i = START; i < s.length; i++)"} {
			var calls []string
			for _, text := range texts {
				for _, start := range starts {
					calls = append(calls, fmt.Sprintf("(s => { try { const met = []; %s { const c = s.charCodeAt(i); %s } return met.map(f => f.call ? f() : f) + '@' + i } catch (e) { return e.name } })(%s)",
						strings.Replace(head, "START", start, 1), body, text))
				}
			}
			code := "module.exports = [" + strings.Join(calls, ",\n") + "].join(';')"
			p, err := Compile("a.js", []byte(code))
			if err != nil {
				t.Fatal(err)
			}
			if len(p.loops) != len(calls) {
				t.Fatalf("%d of %d loops step over characters", len(p.loops), len(calls))
			}
			v, err := goja.New().RunString("const module = {};" + code + "; module.exports")
			if err != nil {
				t.Fatal(err)
			}
			if got, want := lateExports(t, p).String(), v.String(); got != want {
				t.Errorf("got  %s\nwant %s\n%s %s", got, want, head, body)
			}
		}
	}
}

// TestSkipAsksThePrototype has code change charCodeAt.
func TestSkipAsksThePrototype(t *testing.T) {
	for _, change := range []string{
		"",
		"String.prototype.charCodeAt = () => 37;",
		"Object.defineProperty(String.prototype, 'charCodeAt', { value: () => 37 });",
		"Object.defineProperty(String.prototype, 'charCodeAt', { get: () => () => 37 });",
		"delete String.prototype.charCodeAt; Object.prototype.charCodeAt = () => 37;",
	} {
		code := change + `let n = 0; const s = "abc"; for (let i = 0; i < s.length; i++) { const c = s.charCodeAt(i); if (c === 37) n++ } module.exports = n`
		p, err := Compile("a.js", []byte(code))
		if err != nil || len(p.loops) != 1 {
			t.Fatal(err, p)
		}
		want := int64(3)
		if change == "" {
			want = 0
		}
		if got := lateExports(t, p).ToInteger(); got != want {
			t.Errorf("%q: %d", change, got)
		}
	}
}

// TestSkipOnlyWhereRight are loops that do something for all characters, or do more than loops do.
func TestSkipOnlyWhereRight(t *testing.T) {
	for _, code := range []string{
		`let i = 0; for (; i < s.length; i++) { const c = s.charCodeAt(i); if (c === 1) f() }`, // s is no variable
		`const s = ""; for (; i < s.length; i++) { const c = s.charCodeAt(i); if (c === 1) f() }`,
		`const s = "", i = 0; for (; i < s.length; i++) { const c = s.charCodeAt(i); if (c === 1) f() }`,
		`let i = 0, s = ""; for (; i < s.length; i++) { const c = s.charCodeAt(i); if (c === 1) f(); else g() }`,
		`let i = 0, s = ""; for (; i < s.length; i++) { const c = s.charCodeAt(i); if (c > 1) f() }`,
		`let i = 0, s = ""; for (; i < s.length; i++) { const c = s.charCodeAt(i); if (c !== 1) f() }`,
		`let i = 0, s = ""; for (; i < s.length; i++) { const c = s.charCodeAt(i); if (c === 1 || f()) g() }`,
		`let i = 0, s = ""; for (; i < s.length; i++) { const c = s.charCodeAt(i); if (f() && c === 1) g() }`,
		`let i = 0, s = ""; for (; i < s.length; i++) { const c = s.charCodeAt(i); if (c === 1) f(); g() }`,
		`let i = 0, s = ""; for (; i < s.length; i++) { const c = s.charCodeAt(i); switch (c) { case 1: f(); default: g() } }`,
		`let i = 0, s = ""; for (; i < s.length; i++) { const c = s.charCodeAt(i + 1); if (c === 1) f() }`,
		`let i = 0, s = ""; for (; i < s.length; i += 1) { const c = s.charCodeAt(i); if (c === 1) f() }`,
		`let i = 0, s = ""; for (; i <= s.length; i++) { const c = s.charCodeAt(i); if (c === 1) f() }`,
		`let i = 0, s = ""; for (; i < s.length; i++) { const c = s.charCodeAt(i); if (c === 1.5) f() }`,
		`let i = 0, s = "", c; for (; i < s.length; i++) { c = s.charCodeAt(i); if (c === 1) f() }`,
		`let i = 0, s = "", j; for (; i < s.length; j++) { const c = s.charCodeAt(i); if (c === 1) f() }`,
	} {
		p, err := Compile("a.js", []byte(code))
		if err != nil {
			t.Error(err, code)
			continue
		}
		if p.loops != nil {
			t.Errorf("steps over characters: %s", code)
		}
	}
}
