package bundle

import (
	"strings"
	"testing"
	"time"
)

// TestSlowSourceIsRefused has what esbuild takes quadratic time for.
func TestSlowSourceIsRefused(t *testing.T) {
	for unit, n := range map[string]int{
		"x=>": 1000, "async x=>": 1000, "(x)=>(": 1000, "x=>{return ": 1000, "a,": 20_000, "a?a:a,": 20_000, "a?.b,": 20_000, "a??(b),": 20_000,
	} {
		for _, before := range []string{"", "{", "(", "function f() {", "let x = 1;\n"} {
			start := time.Now()
			if err := checkNesting("functions.js", []byte(before+strings.Repeat(unit, n))); err == nil {
				t.Errorf("%q after %q, %d times, is let through", unit, before, n)
			}
			if d := time.Since(start); d > time.Second {
				t.Errorf("%q: %v", unit, d)
			}
		}
	}
	for name, src := range map[string]string{
		"list":     "x = [" + strings.Repeat("1,", 50_000) + "]",
		"table":    "x = {" + strings.Repeat("a: b ? c : d,", 50_000) + "}",
		"arrows":   strings.Repeat("const f = (a) => (b) => a.map(x => x + b)\n", 3000),
		"handlers": "x = {" + strings.Repeat("on: (e) => { e.then(x => x) },\n", 3000) + "}",
		"chain":    "x" + strings.Repeat(".map(x => x)", 500),
	} {
		if err := checkNesting(name, []byte(src)); err != nil {
			t.Error(err)
		}
	}
}
