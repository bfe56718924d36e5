package bundle

import (
	"errors"
	"strings"
	"testing"
)

func TestScript(t *testing.T) {
	out, err := Script("a", []byte("const x: number = await f();\nreturn x as any"), nil)
	if err != nil {
		t.Fatal(err)
	}
	const want = "\"use strict\";\nmodule.exports = async function() {\n  const x = await f();\n  return x;\n};\n"
	if string(out.Code) != want {
		t.Errorf("%s", out.Code)
	}
	m, err := ParseMap(out.Map)
	if err != nil {
		t.Fatal(err)
	}
	if _, line, column, ok := m.Original(3, 19); !ok || line != 2 || column != 25 { // f
		t.Error(line, column, ok)
	}
	if m.HasLine(1) || !m.HasLine(3) || m.HasLine(0) || m.HasLine(99) {
		t.Error("lines with an origin")
	}
	if out, err := Script("a", []byte("return Object.groupBy([], f)"), nil); err != nil || out.Needs != "groupBy" {
		t.Error(out, err)
	}
}

func TestScriptErrors(t *testing.T) {
	for _, c := range []struct {
		src          string
		js           bool
		line, column int
		text         string
	}{
		{"let x: number", true, 1, 6, `Expected ";" but found ":"`},
		{"ok\nlet = 1 1", false, 2, 9, ""},
		{"a = {\nb: [1,", false, 2, 7, ""},
		{strings.Repeat("[", 501), false, 1, 1, "The source is nested more than 500 deep"},
		{"x\n" + strings.Repeat("f({a:[", 200), false, 2, 1, "The source is nested more than 500 deep"},
		{strings.Repeat("!", 5000), false, 1, 1, "The source is nested too deep, or an expression in it is too long"},
	} {
		_, err := Script("a", []byte(c.src), &ScriptOptions{JavaScript: c.js, Brackets: 500})
		var wrong *Error
		if !errors.As(err, &wrong) {
			t.Errorf("%.40s: %v", c.src, err)
			continue
		}
		if d := wrong.Diagnostics[0]; d.Line != c.line || d.Column != c.column || c.text != "" && d.Text != c.text {
			t.Errorf("%.40s: %+v", c.src, d)
		}
	}
	for _, src := range []string{
		strings.Repeat("[", 499) + strings.Repeat("]", 499),
		strings.Repeat("f(a.b + 1)\n", 1000),
		strings.Repeat("await x.y(z)\n", 1000),
		"return 'x'" + strings.Repeat(" + 'x'", 700),
		"return x" + strings.Repeat(".then(f)", 600),
	} {
		if _, err := Script("a", []byte(src), &ScriptOptions{Brackets: 500}); err != nil {
			t.Errorf("%.40s: %v", src, err)
		}
	}
}
