package bundle

import (
	"strings"
	"testing"
)

// TestAbsentModules has where naming a module that there is not fails: in what the
// project's author wrote when it is bundled, elsewhere when it is reached.
func TestAbsentModules(t *testing.T) {
	for _, tt := range []struct{ own, pkg, want string }{
		{`import fs from "fs"; import "pkg"; export default () => fs.x`, ``, `"fs" is not available in functions`},
		{`import { x } from "pkg"; export default x`, `import { connect } from "cloudflare:sockets"; export const x = () => connect()`, ""},
		{`import { x } from "pkg"; export default x`, `import fs, { readFile } from "node:fs"; export * from "node:tls"; export const x = () => [fs, readFile]`, ""},
		{`import { x } from "pkg"; export default x`, `export const x = typeof process === "object" ? require("node:fs") : import("node:fs")`, ""},
		{`export default () => [require("fs"), import("node:net")]`, ``, ""},
	} {
		out, err := build(t, map[string]string{"functions.js": tt.own, "node_modules/pkg/index.js": tt.pkg})
		switch {
		case tt.want == "" && err != nil:
			t.Errorf("%s: %v", tt.own+tt.pkg, err)
		case tt.want == "" && !strings.Contains(string(out.Code), "No such module") && !strings.Contains(string(out.Code), "is not available in functions"):
			t.Errorf("nothing fails:\n%s", out.Code)
		case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
			t.Errorf("%s: %v, want %s", tt.own, err, tt.want)
		}
	}
}

// TestRequireOfAbsentModules has require in a try block fail, and give stubs elsewhere.
func TestRequireOfAbsentModules(t *testing.T) {
	var many strings.Builder
	for range 300 {
		many.WriteString("require('http');\n")
	}
	out := mustBuild(t, map[string]string{
		"functions.js":               `import a from "pkg"; import b from "pkg/b.js"; import "pkg/many.js"; await 1; export default [a, b, import("gone").catch(() => 1)]`,
		"node_modules/pkg/index.js":  `let crypto2; try { crypto2 = require("worker_threads") } catch {} module.exports = crypto2`,
		"node_modules/pkg/b.js":      `const http = require("http"); module.exports = () => http.get("x")`,
		"node_modules/pkg/many.js":   many.String(),
		"node_modules/pkg/unused.js": "",
	})
	for _, want := range []string{`require("worker_threads")`, `require("gone")`, `"http." + name`} {
		if !strings.Contains(string(out.Code), want) {
			t.Errorf("bundle lacks %s", want)
		}
	}
	if strings.Contains(string(out.Code), `require("http")`) {
		t.Error("require of http is left")
	}
	if _, err := build(t, map[string]string{"functions.js": `export default import("gone")`}); err == nil || !strings.Contains(err.Error(), `There is no package "gone"`) {
		t.Error(err)
	}
}

func TestLargeFlatData(t *testing.T) {
	ranks := strings.Repeat("! 0 IQ+/Ig== (w=. [{", 100_000)
	for name, src := range map[string]string{
		"a.json": `{"ranks": "` + ranks + `", "list": [` + strings.Repeat("[1, {}],", 50_000) + `0]}`,
		"a.js":   "// it's (a list\nexport default {\"ranks\": \"" + ranks + "\", 'more': `" + ranks + "`}",
	} {
		if _, err := build(t, map[string]string{"functions.js": "import a from './" + name + "'; export default a", name: src}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	deep := strings.Repeat("[", 100_000)
	for name, src := range map[string]string{
		"deep.json":    deep + strings.Repeat("]", 100_000),
		"open.json":    deep,
		"comment.json": "/* \" */" + deep,
		"quote.json":   `["a", '"', ` + deep,
		"hashbang.js":  "#!' \n" + deep + "'",
		"html.js":      "x\n--> ` \n" + deep,
		"html2.js":     "x <!-- ` \n" + deep,
		"return.js":    "// \r" + strings.Repeat("[", 100_000),
		"separator.js": "// \u2028" + strings.Repeat("[", 100_000),
		"space.jsx":    "x = < a>\"{" + deep,
	} {
		if _, err := build(t, map[string]string{"functions.js": "import a from './" + name + "'; export default a", name: src}); err == nil || !strings.Contains(err.Error(), "too deep") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
