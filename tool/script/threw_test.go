package script_test

import (
	"strings"
	"testing"

	"samkit.dev/tool"
	"samkit.dev/tool/script"
)

// TestWhere has the places of exceptions, in TypeScript as it was written.
func TestWhere(t *testing.T) {
	r := script.New(newEngine(t), newProject(t), &script.Options{Tools: tool.Everything(crm(), nil), Mode: script.Bypass})
	for _, c := range []struct {
		code         string
		line, column int
		stack        string
	}{
		{"throw new Error('x')", 1, 7, "script:1:7"},
		{"interface A { b: string }\n\nconst a: A = { b: 'x' };\n  throw new TypeError(a.b);", 4, 9, "script:4:9"},
		{"function f(n: number): never {\n  return (null as any).x;\n}\nf(1)", 2, 24, "f (script:2:24)\nscript:4:1"},
		{"const g = async (): Promise<void> => {\n  await 1;\n  throw new RangeError('late');\n};\nawait g()", 3, 9, "g (script:3:9)"},
		{"enum E { A }\n(E as any).b.c", 2, 14, "script:2:14"},
		{"await rtcAgent.listDir();\nawait rtcAgent.readFile('none')", 2, 16, ""},
		{"await rtcAgent.callFunction('no.such')", 1, 16, ""},
		{"const all = [1];\nawait Promise.all(all.map((id) => rtcAgent.crm.lookup({ id: String(id) })))", 2, 48, ""},
		{"throw 'no error at all'", 0, 0, ""},
		{"const deep = (n) => deep(n + 1) + 1;\ndeep(0)", 1, 21, ""},
	} {
		res, err := r.Eval(t.Context(), script.Source{Code: c.code}, nil)
		if err != nil {
			t.Errorf("%s: %v", c.code, err)
			continue
		}
		if !res.Failed || res.Line != c.line || c.column > 0 && res.Column != c.column || !strings.HasPrefix(res.Stack, c.stack) {
			t.Errorf("%s: %d:%d %q %q, want %d:%d %q", c.code, res.Line, res.Column, res.Stack, res.Errors, c.line, c.column, c.stack)
		}
		if len(res.Errors) == 0 || c.line > 0 && !strings.Contains(res.Errors[0], "(at ") {
			t.Errorf("%s: %q", c.code, res.Errors)
		}
	}
}
