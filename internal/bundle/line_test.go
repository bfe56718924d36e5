package bundle

import (
	"errors"
	"testing"
)

func TestLine(t *testing.T) {
	for _, src := range []string{"1", "let a: number = 1", "await f()", "return 1", "interface A { b: string }", "(a < b, c > (d))", "x = {", "`", "/* a", "f(", "if (a) {", "[1,\n", "class A {", "a ? b :", "let x =", "1 +* 2", "`a\n", "`${", "'a\n", "'", "}", "function f(a", "x => {", "/a", "for (const x of y)"} {
		out, err := Line("line", []byte(src))
		var wrong *Error
		got := "ok"
		switch {
		case errors.Is(err, ErrUnfinished):
			got = "more"
		case errors.As(err, &wrong):
			got = "wrong"
		case err != nil || len(out.Map) == 0:
			t.Errorf("%q: %v", src, err)
		}
		want := map[string]string{
			"`a\n": "more", "`${": "more", "'a\n": "wrong", "x = {": "more", "`": "more", "/* a": "more", "f(": "more", "if (a) {": "more", "[1,\n": "more", "class A {": "more", "a ? b :": "more", "let x =": "more",
			"1 +* 2": "wrong", "'": "wrong", "}": "wrong", "function f(a": "more", "x => {": "more", "/a": "wrong", "for (const x of y)": "more",
		}[src]
		if want == "" {
			want = "ok"
		}
		if got != want {
			t.Errorf("%q is %s (%v), want %s", src, got, err, want)
		}
	}
}
