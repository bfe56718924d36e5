package bundle

import (
	"errors"
	"strings"
	"testing"
)

func TestModule(t *testing.T) {
	for _, tt := range []struct {
		name, src string
		opts      *ModuleOptions
		want      []string
	}{
		{"a.ts", "import { x } from './x'\nlet n: number = x as number\nenum E { A }\n", nil, []string{`from "./x"`, "let n = x;"}},
		{"a.tsx", "export default () => <p>hi</p>", nil, []string{`from "react/jsx-runtime"`, `jsx("p"`}},
		{"src/a.jsx", "export default () => <><p>hi</p></>", &ModuleOptions{JSXImportSource: "preact"}, []string{`from "preact/jsx-runtime"`}},
		{"a.jsx", "/** @jsxImportSource vue */ export default <p/>", nil, []string{`from "vue/jsx-runtime"`}},
		{"a.ts", "let n: number = 1", &ModuleOptions{Map: InlineMap}, []string{"//# sourceMappingURL=data:application/json;base64,"}},
	} {
		out, err := Module(tt.name, []byte(tt.src), tt.opts)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		for _, want := range tt.want {
			if !strings.Contains(string(out.Code), want) {
				t.Errorf("%s lacks %q:\n%s", tt.name, want, out.Code)
			}
		}
	}
}

func TestModuleMap(t *testing.T) {
	out, err := Module("src/a.ts", []byte("type T = 1\n\nconsole.log(<T>marker)\n"), &ModuleOptions{Map: ExternalMap})
	if err != nil {
		t.Fatal(err)
	}
	m, err := ParseMap(out.Map)
	if err != nil {
		t.Fatal(err)
	}
	file, l, c, ok := m.Original(1, 1+strings.Index(string(out.Code), "marker"))
	if file != "src/a.ts" || l != 3 || c != 16 || !ok {
		t.Errorf("Original = %s:%d:%d, %v", file, l, c, ok)
	}
}

func TestModuleErrors(t *testing.T) {
	for _, tt := range []struct{ name, src, want string }{
		{"a.ts", "let x: = 1", "a.ts:1:8: Unexpected \"=\""},
		{"a.css", "a{}", `a.css: Files of type ".css" are no modules`},
		{"a.json", "{}", `a.json: Files of type ".json" are no modules`},
		{"../a.ts", "", `"../a.ts" is no path of a project`},
		{"a.tsx", strings.Repeat("<a>", 50_000), "a.tsx:1:1: The source is nested too deep"},
		{"a.ts", strings.Repeat(" ", MaxFile+1), "a.ts: The file has"},
	} {
		_, err := Module(tt.name, []byte(tt.src), nil)
		var e *Error
		if !errors.As(err, &e) || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%s: %v; want %s", tt.name, err, tt.want)
		}
	}
}

func TestMinify(t *testing.T) {
	out, err := Minify([]byte("(() => {\n  const longName = document.title; // a comment\n  console.log(longName, longName, 'é');\n})();\n"))
	if err != nil || string(out) != `(()=>{const o=document.title;console.log(o,o,"\xE9")})();` {
		t.Errorf("Minify = %s, %v", out, err)
	}
	if _, err := Minify([]byte("(")); err == nil {
		t.Error("Minify accepts nonsense")
	}
}

func BenchmarkModule(b *testing.B) {
	src := []byte(strings.Repeat("export const f = (x: number): JSX.Element => <p class=\"a\">{x}</p>\n", 1) + strings.Repeat("interface A { b: string }\nfunction g(a: A) { return a.b.length }\n", 20))
	src = []byte(strings.ReplaceAll(string(src), "function g(", "(function ("))
	src = []byte(strings.ReplaceAll(string(src), "a.b.length }", "a.b.length });"))
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		if _, err := Module("a.tsx", src, &ModuleOptions{Map: InlineMap}); err != nil {
			b.Fatal(err)
		}
	}
}
