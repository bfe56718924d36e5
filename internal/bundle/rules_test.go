package bundle

import (
	"strings"
	"testing"
)

func TestRules(t *testing.T) {
	files := tree(map[string]string{
		"src/index.js":  `import a from "./a.data"; import b from "./b.png"; import c from "./c.weird"; import d from "../d.py.js"; import e from "./e.json"; export default [a, b, c, d, e]`,
		"src/a.data":    "TEXT",
		"src/b.png":     "\x00\x01\x02",
		"src/c.weird":   "export default 'MODULE'",
		"d.py.js":       "}{",
		"src/e.json":    `{"v": "JSON"}`,
		"src/e.txt":     "",
		"src/f.unknown": "",
	})
	out, err := Functions(t.Context(), files, "src/index.js", &Options{Rules: []Rule{
		{"Text", []string{"**/*.data", "**/*.py.js"}}, {"Data", []string{"*.png"}}, {"ESModule", []string{"c.weird"}}, {"Python", []string{"*.json"}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"TEXT"`, `"AAEC"`, `.buffer`, `"MODULE"`, `"}{"`, `"JSON"`} {
		if !strings.Contains(string(out.Code), want) {
			t.Errorf("bundle lacks %s:\n%s", want, out.Code)
		}
	}
	if _, err := Functions(t.Context(), tree(map[string]string{"f.js": `import a from "./a.png"; export default a`, "a.png": "PNG"}), "f.js", &Options{Rules: []Rule{{"CompiledWasm", []string{"*.png"}}}}); err == nil || !strings.Contains(err.Error(), "no WebAssembly module") {
		t.Error(err)
	}
}

func TestGlobs(t *testing.T) {
	for _, tt := range []struct {
		glob, name string
		want       bool
	}{
		{"**/*.txt", "./a/b.txt", true}, {"**/*.txt", "a.md", false}, {"a.txt", "a.txt", true}, {"a*a", "a", false}, {"a*b*c", "abc", true},
		{"a*b*c", "acb", false}, {"*", "", true}, {"", "", true}, {"*ab*ab", "ab", false}, {"a**b", "ab", true},
	} {
		if got := match(tt.glob, tt.name); got != tt.want {
			t.Errorf("match(%q, %q) = %t", tt.glob, tt.name, got)
		}
	}
}

func TestAliasAndDefine(t *testing.T) {
	files := tree(map[string]string{
		"src/f.js":                "import a from 'pkg'; import b from './deep/x.js'; import c from 'node:fs'; import d from 'react'; export default [a, b, c, d, VERSION, process.env.MODE]",
		"src/deep/x.js":           "import a from 'pkg'; export default [a, 'X']",
		"shims/pkg.js":            "export default 'SHIM'",
		"shims/fs.js":             "export default 'FS'",
		"node_modules/preact.js":  "export default 'PREACT'",
		"node_modules/pkg/bad.js": "",
	})
	out, err := Functions(t.Context(), files, "src/f.js", &Options{
		Alias:  map[string]string{"pkg": "./shims/pkg", "node:fs": "./shims/fs.js", "react": "preact", "preact": "preact"},
		Define: map[string]string{"VERSION": `"1.2.3"`, "process.env.MODE": "42"},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"SHIM", `"FS"`, "PREACT", `"1.2.3"`, "42"} {
		if !strings.Contains(string(out.Code), want) {
			t.Errorf("bundle lacks %s:\n%s", want, out.Code)
		}
	}
	for _, bad := range []map[string]string{{"a b": "1"}, {"A": "1 +"}, {"A": "f()"}} {
		if _, err := Functions(t.Context(), files, "src/f.js", &Options{Define: bad}); err == nil {
			t.Errorf("%v is let through", bad)
		}
	}
}
