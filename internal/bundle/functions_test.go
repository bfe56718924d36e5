package bundle

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

func tree(files map[string]string) fstest.MapFS {
	m := fstest.MapFS{}
	for name, text := range files {
		m[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return m
}

// build bundles a project whose entry is functions.js.
func build(t *testing.T, files map[string]string) (*Output, error) {
	t.Helper()
	return Functions(t.Context(), tree(files), "functions.js", nil)
}

func mustBuild(t *testing.T, files map[string]string) *Output {
	t.Helper()
	out, err := build(t, files)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestFunctions(t *testing.T) {
	out := mustBuild(t, map[string]string{
		"functions.js": `import {who} from './lib/util.js'
import cfg from './cfg.json'
import page from './page.html'
export default { fetch() { return who(cfg.n) + page } }
`,
		"lib/util.ts": "export const who = (x: number): string => 'n' + x\n",
		"cfg.json":    `{"n": 41}`,
		"page.html":   "<p>hello</p>",
	})
	code := string(out.Code)
	for _, want := range []string{`"n" + x`, "n: 41", `<p>hello</p>`, "module.exports = "} {
		if !strings.Contains(code, want) {
			t.Errorf("bundle lacks %q:\n%s", want, code)
		}
	}
	if first, _, _ := strings.Cut(code, "\n"); first != `"use strict";` {
		t.Errorf("first line holds %q", first)
	}
	if want := []string{"cfg.json", "functions.js", "lib/util.ts", "page.html"}; !slices.Equal(out.Inputs, want) {
		t.Errorf("Inputs = %q", out.Inputs)
	}
	if len(out.Hash) != 64 {
		t.Errorf("Hash = %q", out.Hash)
	}
	var m struct{ Sources, SourcesContent []string }
	if err := json.Unmarshal(out.Map, &m); err != nil || m.SourcesContent != nil {
		t.Errorf("map: %v, %v", m, err)
	}
	sm, err := ParseMap(out.Map)
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(code, "\n") {
		if at := strings.Index(line, `"n" + x`); at >= 0 {
			file, l, c, ok := sm.Original(i+1, at+1)
			if file != "lib/util.ts" || l != 1 || c != 43 || !ok {
				t.Errorf("Original = %s:%d:%d, %v", file, l, c, ok)
			}
		}
	}
}

func TestBundleIsDeterministic(t *testing.T) {
	files := map[string]string{"functions.js": "import './a.js'; import './b.js'; export default 1", "a.js": "globalThis.a = 1", "b.js": "globalThis.b = 2"}
	a, b := mustBuild(t, files), mustBuild(t, files)
	if a.Hash != b.Hash || string(a.Map) != string(b.Map) {
		t.Error("two builds differ")
	}
}

// TestResolution bundles functions.js and looks for the mark of the file that
// an import should mean: every file exports its own path.
func TestResolution(t *testing.T) {
	own := func(m map[string]string, paths ...string) map[string]string {
		for _, p := range paths {
			m[p] = "export default 'FILE " + p + "'"
		}
		return m
	}
	cjs := func(m map[string]string, paths ...string) map[string]string {
		for _, p := range paths {
			m[p] = "module.exports = 'FILE " + p + "'"
		}
		return m
	}
	imp := func(spec string) map[string]string {
		return map[string]string{"functions.js": "import x from '" + spec + "'; export default x"}
	}
	with := func(m map[string]string, name, text string) map[string]string { m[name] = text; return m }
	for _, tt := range []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"exact", own(imp("./a.js"), "a.js", "a.ts"), "a.js"},
		{"extensionless", own(imp("./a"), "a.js", "a.ts"), "a.ts"},
		{"tsc style", own(imp("./a.js"), "a.ts"), "a.ts"},
		{"mts", own(imp("./a.mjs"), "a.mts"), "a.mts"},
		{"index", own(imp("./lib"), "lib/index.ts"), "lib/index.ts"},
		{"file before folder", own(imp("./lib"), "lib.js", "lib/index.js"), "lib.js"},
		{"from the root", own(imp("/lib/a.js"), "lib/a.js"), "lib/a.js"},
		{"query", own(imp("./a.js?raw"), "a.js"), "a.js"},
		{"folder with main", with(own(imp("./lib"), "lib/x.js"), "lib/package.json", `{"main":"x"}`), "lib/x.js"},

		{"module before browser and main", with(own(imp("p"), "node_modules/p/m.js", "node_modules/p/b.js", "node_modules/p/c.js"), "node_modules/p/package.json", `{"main":"c.js","browser":"b.js","module":"m.js"}`), "node_modules/p/m.js"},
		{"main", with(own(imp("p"), "node_modules/p/c.js"), "node_modules/p/package.json", `{"main":"./c"}`), "node_modules/p/c.js"},
		{"no package.json", own(imp("p"), "node_modules/p/index.js"), "node_modules/p/index.js"},
		{"subpath", own(imp("p/sub"), "node_modules/p/sub.js"), "node_modules/p/sub.js"},
		{"scoped", with(own(imp("@s/p/sub"), "node_modules/@s/p/x.js"), "node_modules/@s/p/package.json", `{"exports":{"./sub":"./x.js"}}`), "node_modules/@s/p/x.js"},
		{"require takes main", with(cjs(with(map[string]string{}, "functions.js", "module.exports = require('p')"), "node_modules/p/c.js", "node_modules/p/m.js"), "node_modules/p/package.json", `{"main":"c.js","module":"m.js"}`), "node_modules/p/c.js"},

		{"exports string", with(own(imp("p"), "node_modules/p/a.js"), "node_modules/p/package.json", `{"exports":"./a.js"}`), "node_modules/p/a.js"},
		{"conditions sugar", with(own(imp("p"), "node_modules/p/a.js", "node_modules/p/b.js"), "node_modules/p/package.json", `{"exports":{"node":"./b.js","workerd":"./a.js","default":"./b.js"}}`), "node_modules/p/a.js"},
		{"order of the author", with(own(imp("p"), "node_modules/p/a.js", "node_modules/p/b.js"), "node_modules/p/package.json", `{"exports":{".":{"browser":"./a.js","workerd":"./b.js"}}}`), "node_modules/p/a.js"},
		{"nested conditions", with(own(imp("p"), "node_modules/p/a.js", "node_modules/p/b.js"), "node_modules/p/package.json", `{"exports":{".":{"import":{"node":"./b.js","types":"./b.js","default":"./a.js"},"default":"./b.js"}}}`), "node_modules/p/a.js"},
		{"nested conditions fall through", with(own(imp("p"), "node_modules/p/a.js"), "node_modules/p/package.json", `{"exports":{".":{"import":{"node":"./b.js"},"default":"./a.js"}}}`), "node_modules/p/a.js"},
		{"require condition", with(cjs(with(map[string]string{}, "functions.js", "module.exports = require('p')"), "node_modules/p/c.js", "node_modules/p/m.js"), "node_modules/p/package.json", `{"exports":{"import":"./m.js","require":"./c.js"}}`), "node_modules/p/c.js"},
		{"pattern", with(own(imp("p/x/y"), "node_modules/p/d/x/y.js"), "node_modules/p/package.json", `{"exports":{"./*":"./d/*.js"}}`), "node_modules/p/d/x/y.js"},
		{"longest pattern", with(own(imp("p/x/y"), "node_modules/p/d/y.js", "node_modules/p/e/x/y.js"), "node_modules/p/package.json", `{"exports":{"./*":"./e/*.js","./x/*":"./d/*.js"}}`), "node_modules/p/d/y.js"},
		{"pattern with an end", with(own(imp("p/x.css.js"), "node_modules/p/d/x.js"), "node_modules/p/package.json", `{"exports":{"./*.css.js":"./d/*.js","./*":"./no/*"}}`), "node_modules/p/d/x.js"},
		{"folder mapping", with(own(imp("p/f/x.js"), "node_modules/p/d/x.js"), "node_modules/p/package.json", `{"exports":{"./f/":"./d/"}}`), "node_modules/p/d/x.js"},
		{"array", with(own(imp("p"), "node_modules/p/a.js"), "node_modules/p/package.json", `{"exports":[{"node":"./x.js"},"./a.js"]}`), "node_modules/p/a.js"},

		{"imports", with(own(imp("#db"), "db.js"), "package.json", `{"imports":{"#db":{"node":"./x.js","default":"./db.js"}}}`), "db.js"},
		{"imports pattern", with(own(imp("#lib/a"), "lib/a.ts"), "package.json", `{"imports":{"#lib/*":"./lib/*.ts"}}`), "lib/a.ts"},
		{"imports a package", with(own(imp("#dep"), "node_modules/p/index.js"), "package.json", `{"imports":{"#dep":"p"}}`), "node_modules/p/index.js"},
		{"self reference", with(own(imp("me/x"), "x.js"), "package.json", `{"name":"me","exports":{"./x":"./x.js"}}`), "x.js"},

		{"browser map of a file", with(with(own(imp("p"), "node_modules/p/b.js", "node_modules/p/a.js"), "node_modules/p/package.json", `{"main":"index.js","browser":{"./a.js":"./b.js"}}`), "node_modules/p/index.js", "export {default} from './a'"), "node_modules/p/b.js"},
		{"browser map of main", with(own(imp("p"), "node_modules/p/b.js", "node_modules/p/a.js"), "node_modules/p/package.json", `{"main":"a.js","browser":{"./a.js":"./b.js"}}`), "node_modules/p/b.js"},
		{"browser map of a package", with(with(own(imp("p"), "node_modules/p/b.js"), "node_modules/p/package.json", `{"browser":{"fs":"./b.js"}}`), "node_modules/p/index.js", "export {default} from 'fs'"), "node_modules/p/b.js"},
		{"browser map to a package", with(with(own(imp("p"), "node_modules/q/index.js"), "node_modules/p/package.json", `{"browser":{"fs":"q"}}`), "node_modules/p/index.js", "export {default} from 'fs'"), "node_modules/q/index.js"},

		{"nearest node_modules", with(own(imp("p"), "node_modules/q/index.js", "node_modules/p/node_modules/q/index.js"), "node_modules/p/index.js", "export {default} from 'q'"), "node_modules/p/node_modules/q/index.js"},
		{"outer node_modules", with(own(imp("p"), "node_modules/q/index.js"), "node_modules/p/index.js", "export {default} from 'q'"), "node_modules/q/index.js"},
		{"package before module of Node", own(imp("events"), "node_modules/events/index.js"), "node_modules/events/index.js"},

		{"tsconfig paths", with(own(imp("@/a"), "src/a.ts"), "tsconfig.json", "{ // tsc\n\"compilerOptions\":{\"paths\":{\"@/*\":[\"./no/*\",\"./src/*\"],},},}"), "src/a.ts"},
		{"tsconfig baseUrl", with(own(imp("lib/a"), "src/lib/a.ts"), "tsconfig.json", `{"compilerOptions":{"baseUrl":"src"}}`), "src/lib/a.ts"},
		{"tsconfig extends", with(with(own(imp("~a"), "src/a.ts"), "tsconfig.json", `{"extends":"./base"}`), "base.json", `{"compilerOptions":{"baseUrl":"src","paths":{"~*":["*"]}}}`), "src/a.ts"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			out := mustBuild(t, tt.files)
			if !strings.Contains(string(out.Code), `"FILE `+tt.want+`"`) || strings.Count(string(out.Code), `"FILE `) != 1 {
				t.Errorf("want %s in\n%s", tt.want, out.Code)
			}
		})
	}
}

func TestBuildErrors(t *testing.T) {
	pkg := func(json string) map[string]string {
		return map[string]string{"functions.js": "\n  import x from 'p/x'; export default x", "node_modules/p/package.json": json, "secret.js": "export default 'SECRET'", "node_modules/p/x.js": ""}
	}
	for _, tt := range []struct {
		name  string
		files map[string]string
		want  string // of the first diagnostic
	}{
		{"no entry", map[string]string{"a.js": ""}, "functions.js: There is no such file"},
		{"syntax", map[string]string{"functions.js": "export default {\n  fetch( { }"}, `functions.js:2:13: Expected ")" but found end of file`},
		{"column after é and an emoji", map[string]string{"functions.js": "'é😀' $%"}, "functions.js:1:7: "},
		{"missing file", map[string]string{"functions.js": "export default 1\nimport './nope'"}, `functions.js:2:8: There is no file "./nope"`},
		{"wrong case", map[string]string{"functions.js": "import './app.js'", "App.js": ""}, `functions.js:1:8: There is no file "./app.js" (there is "App.js")`},
		{"outside", map[string]string{"functions.js": "import '../x.js'"}, `functions.js:1:8: "../x.js" lies outside the project`},
		{"outside by folders", map[string]string{"functions.js": "import './a/../../../etc/passwd'"}, "functions.js:1:8: \"./a/../../../etc/passwd\" lies outside"},
		{"absolute", map[string]string{"functions.js": "import '/etc/passwd'"}, `functions.js:1:8: There is no file "/etc/passwd"`},
		{"url", map[string]string{"functions.js": "import 'https://esm.sh/hono'"}, `functions.js:1:8: "https://esm.sh/hono" cannot be imported`},
		{"file url", map[string]string{"functions.js": "import 'file:///etc/passwd'"}, "functions.js:1:8: \"file:///etc/passwd\" cannot"},
		{"data url", map[string]string{"functions.js": "import 'data:text/javascript,1'"}, "functions.js:1:8: \"data:"},
		{"no package", map[string]string{"functions.js": "import 'hono'"}, `functions.js:1:8: There is no package "hono" in the project`},
		{"node builtin", map[string]string{"functions.js": "import fs from 'node:fs';\nexport default () => fs.readFileSync('x')"}, `functions.js:1:16: "node:fs" is not available in functions`},
		{"node builtin without prefix", map[string]string{"functions.js": "import {exec} from 'child_process'; export default exec"}, `functions.js:1:20: "child_process" is not available`},
		{"cloudflare", map[string]string{"functions.js": "import {connect} from 'cloudflare:sockets'; export default connect"}, `functions.js:1:23: "cloudflare:sockets" is not available`},
		{"dynamic import", map[string]string{"functions.js": "export default (x) =>\n import(x)"}, "functions.js:2:2: import() of a name that is known only at run time"},
		{"wasm", map[string]string{"functions.js": "import x from './a.wasm'; export default x", "a.wasm": "\x00asm"}, `a.wasm: The file is no WebAssembly module`},
		{"type of file", map[string]string{"functions.js": "import x from './a.xyz'; export default x", "a.xyz": ""}, `functions.js:1:15: "a.xyz": files of type .xyz cannot be imported`},
		{"json", map[string]string{"functions.js": "import x from './a.json'; export default x", "a.json": "{,}"}, "a.json:1:2: "},
		{"no such export", map[string]string{"functions.js": "import {x} from './a.js'; export default x", "a.js": "export let y"}, `functions.js:1:9: No matching export in "a.js" for import "x"`},
		{"await and a mistake", map[string]string{"functions.js": "await 1;\nexport default x y"}, `functions.js:2:18: Expected ";" but found "y"`},
		{"await and an import by name", map[string]string{"functions.js": "await 1;\nexport default n => import(n)"}, "functions.js:2:21: import() of a name that is known only at run time"},

		{"not exported", pkg(`{"exports":{".":"./x.js"}}`), `functions.js:2:17: The package "node_modules/p" does not export "./x"`},
		{"exports null", pkg(`{"exports":{"./x":null,"./*":"./*.js"}}`), "functions.js:2:17: The package"},
		{"exports outside", pkg(`{"exports":{"./x":"./../../secret.js"}}`), "functions.js:2:17: The package"},
		{"exports absolute", pkg(`{"exports":{"./x":"/secret.js"}}`), "functions.js:2:17: The package"},
		{"exports without dot", pkg(`{"exports":{"./x":"../../secret.js"}}`), "functions.js:2:17: The package"},
		{"exports into node_modules", pkg(`{"exports":{"./x":"./node_modules/q/x.js"}}`), "functions.js:2:17: The package"},
		{"broken package.json", pkg(`{"exports":`), "node_modules/p/package.json:1:11: The file is not JSON: it ends early"},
		{"package.json is a list", pkg(`[]`), "node_modules/p/package.json: The file is no JSON object"},
		{"deep package.json", pkg(strings.Repeat(`{"exports":`, 5000)), "node_modules/p/package.json:1:55000: The file is not JSON: nested more than 64"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := build(t, tt.files)
			var e *Error
			if !errors.As(err, &e) || len(e.Diagnostics) == 0 {
				t.Fatalf("got %v; want %s", err, tt.want)
			}
			if got := e.Diagnostics[0].String(); !strings.HasPrefix(got, tt.want) {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
			if strings.Contains(err.Error(), "SECRET") {
				t.Errorf("error shows a file: %v", err)
			}
		})
	}
}

func TestUnusedModulesOfNodeAreFine(t *testing.T) {
	out := mustBuild(t, map[string]string{
		"functions.js":                "import fs from 'node:fs'; import {join} from 'path'; import {x} from 'p'; export default x",
		"node_modules/p/index.js":     "import crypto from 'crypto'; export const x = 'USED'; export function unused() { return crypto.x }",
		"node_modules/p/package.json": `{"sideEffects":false}`,
	})
	if strings.Contains(string(out.Code), "No such module") || !strings.Contains(string(out.Code), "USED") {
		t.Errorf("%s", out.Code)
	}
}

func TestProvidedModules(t *testing.T) {
	files := tree(map[string]string{"functions.js": `import { env, WorkerEntrypoint } from "cloudflare:workers"
import { EventEmitter } from "events"
export default class extends WorkerEntrypoint { fetch() { return [env.X, EventEmitter] } }`})
	out, err := Functions(t.Context(), files, "functions.js", &Options{Modules: map[string]string{"node:events": "export class EventEmitter { mark = 'EVENTS' }"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"globalThis.__samkit_env", "EVENTS", ".env.X"} {
		if !strings.Contains(string(out.Code), want) {
			t.Errorf("bundle lacks %q:\n%s", want, out.Code)
		}
	}
	if want := []string{"functions.js"}; !slices.Equal(out.Inputs, want) {
		t.Errorf("Inputs = %q", out.Inputs)
	}
}

func TestWhatIsLowered(t *testing.T) {
	out := mustBuild(t, map[string]string{"functions.js": `export default class { get = 1; #p = 2
  async *gen() { for await (const x of this) yield x }
  re() { return /\p{L}/u }
  env() { return [process.env.NODE_ENV, global] } }`})
	code := string(out.Code)
	for _, want := range []string{"get = 1;", "#p = 2;", `new RegExp("\\p{L}", "u")`, `"production", globalThis`} {
		if !strings.Contains(code, want) {
			t.Errorf("bundle lacks %q:\n%s", want, code)
		}
	}
	for _, bad := range []string{"for await", "async *"} {
		if strings.Contains(code, bad) {
			t.Errorf("bundle keeps %q", bad)
		}
	}
}

func TestJSX(t *testing.T) {
	h := map[string]string{
		"functions.js":                         "export { default } from './v'",
		"v.tsx":                                "export default () => <p>hi</p>",
		"tsconfig.json":                        `{"compilerOptions":{"jsx":"react-jsx","jsxImportSource":"hono/jsx"}}`,
		"node_modules/hono/jsx/jsx-runtime.js": "export const jsx = 'HONO JSX'",
	}
	if out := mustBuild(t, h); !strings.Contains(string(out.Code), "HONO JSX") {
		t.Errorf("%s", out.Code)
	}
	h["tsconfig.json"] = `{"compilerOptions":{"jsx":"react","jsxFactory":"h"}}`
	h["v.tsx"] = "const h = (x) => x; export default () => <p>hi</p>"
	if out := mustBuild(t, h); !strings.Contains(string(out.Code), `h("p", null, "hi")`) {
		t.Errorf("%s", out.Code)
	}
}

func TestAttributesAndBytes(t *testing.T) {
	out := mustBuild(t, map[string]string{
		"functions.js": `import a from './a.xyz' with {type: 'text'}; import b from './b.bin'; export default [a, b]`,
		"a.xyz":        "TEXT", "b.bin": "\x00\x01\x02",
	})
	if !strings.Contains(string(out.Code), `"TEXT"`) || !strings.Contains(string(out.Code), `"AAEC"`) {
		t.Errorf("%s", out.Code)
	}
}

func TestCancelledBuild(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Functions(ctx, tree(map[string]string{"functions.js": ""}), "functions.js", nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	ctx, cancel = context.WithCancel(t.Context())
	if _, err := Functions(ctx, cancelFS{tree(map[string]string{"functions.js": "import './a.js'", "a.js": ""}), cancel}, "functions.js", nil); !errors.Is(err, context.Canceled) {
		t.Errorf("during the build: %v", err)
	}
}

// cancelFS cancels when a.js is opened.
type cancelFS struct {
	fs.FS
	cancel func()
}

func (c cancelFS) Open(name string) (fs.File, error) {
	if name == "a.js" {
		c.cancel()
	}
	return c.FS.Open(name)
}

// panicFS is an embedder's mistake.
type panicFS struct{ fs.FS }

func (p panicFS) Open(name string) (fs.File, error) {
	if name == "a.js" {
		panic("broken store")
	}
	return p.FS.Open(name)
}

func TestCancelDoesNotWaitForTheParser(t *testing.T) {
	// esbuild cannot be interrupted while it parses a file.
	slow := strings.Repeat("a,", 300_000) + "a"
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	start := time.Now()
	_, err := Functions(ctx, tree(map[string]string{"functions.js": slow}), "functions.js", nil)
	if d := time.Since(start); d > 2*time.Second {
		t.Errorf("returned after %v with %v", d, err)
	}
}

func TestPanickingFS(t *testing.T) {
	_, err := Functions(t.Context(), panicFS{tree(map[string]string{"functions.js": "import './a.js'"})}, "functions.js", nil)
	var e *Error
	if !errors.As(err, &e) || !strings.Contains(err.Error(), "broken store") {
		t.Errorf("got %v", err)
	}
}

func TestLargeFile(t *testing.T) {
	_, err := build(t, map[string]string{"functions.js": "import x from './a.txt'; export default x", "a.txt": strings.Repeat("x", MaxFile+1)})
	if err == nil || !strings.Contains(err.Error(), "a.txt: The file has 8388609 bytes") {
		t.Errorf("got %v", err)
	}
}

func TestHostFilesStayOut(t *testing.T) {
	// Names that exist on the host, relative to the test's folder.
	for _, spec := range []string{"./bundle.go", "../../go.mod", "/bundle.go", "bundle.go", "./functions_test.go"} {
		if _, err := build(t, map[string]string{"functions.js": "import x from '" + spec + "' with {type:'text'}; export default x"}); err == nil {
			t.Errorf("%s was imported", spec)
		}
	}
	_, err := build(t, map[string]string{"functions.js": "export default (x) => import('./' + x + '.go')"})
	if err == nil || !strings.Contains(err.Error(), "functions.js:1:23: import() of a name") {
		t.Errorf("a pattern of files: %v", err)
	}
}

func TestDeepSource(t *testing.T) {
	const n = 200_000
	for _, unit := range []string{"(", "[", "{", "!", "- ", "a=", "x=>", "a?a:", "a**", "a.", "a?.", "new ", "typeof ", "if(1)", "for(;;)", "do ", "else ", "a:",
		"`${", "<a>", "<a>{", "(()=>{", "(function(){", "async x=>", "[...", "a\n.", "a ? b\n: ", `("",`, `/x/.y(`, "class extends ", "<a>,", "<a>{x}function", "<a>\nconst\n", "x = // c\n"} {
		t.Run(unit, func(t *testing.T) {
			start := time.Now()
			for _, src := range []string{strings.Repeat(unit, n), "a" + strings.Repeat(unit, n), "const a = 1;\nlet b =" + strings.Repeat(unit, n)} {
				if err := checkNesting("functions.js", []byte(src)); err == nil {
					t.Fatalf("%q nested %d times is let through", unit, n)
				}
			}
			if _, err := build(t, map[string]string{"functions.js": strings.Repeat(unit, n)}); err == nil {
				t.Error("it builds")
			}
			if d := time.Since(start); d > 5*time.Second {
				t.Errorf("took %v", d)
			}
		})
	}
	for _, unit := range []string{"()", "[0]", ".a", ".a()", "?.[0]", "`x`", "!", " as T", " satisfies T"} { // after an operand
		if err := checkNesting("functions.ts", []byte("a"+strings.Repeat(unit, n))); err == nil {
			t.Errorf("%q repeated %d times is let through", unit, n)
		}
	}
}

func TestUsualSourceIsNotDeep(t *testing.T) {
	for name, unit := range map[string]string{
		"statements": "const f = (a, b) => { if (a) { return b.c.d(a) } else { return [a, { b: `x${a}` }] } }\n",
		"comments":   "/**\n * Returns (see x) {@link y}: 1. a; b = c\n * -----------\n */\n// don't: it's a (small) \"thing\n",
		"strings":    "x.push(\"(\" + a + \")\", 'it\\'s {', /[(\"'`]/g, `<div class=\"a\">${b}</div>`);\n",
		"jsx":        "const X = () => <p className=\"a\">it's {a ? b : <b>c</b>} don't</p>;\n",
		"json":       "{\"a\": [1, 2, {\"b\": null}], \"c\": \"(\"},\n",
		"minified":   "function a(b,c){return b?c.d(b,(function(e){return e/2+\"/\"}))?1:2:3}",
	} {
		if err := checkNesting(name, []byte(strings.Repeat(unit, 3000))); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// BenchmarkFunctions bundles what has the shape of a small app on Hono: 30
// modules of a package, 60 KB.
func BenchmarkFunctions(b *testing.B) {
	files := map[string]string{
		"functions.js":                "import * as p from 'p'\nexport default { fetch: () => p }\n",
		"node_modules/p/package.json": `{"name":"p","sideEffects":false,"exports":{".":{"workerd":"./index.js"},"./*":"./*.js"}}`,
	}
	var index strings.Builder
	body := strings.Repeat("  if (this.#routes[name]) { return { name, list: [...this.#routes[name]].map((x) => `${x}`) } }\n", 20)
	for i := range 30 {
		fmt.Fprintf(&index, "export * from './m%d.js'\n", i)
		files[fmt.Sprintf("node_modules/p/m%d.js", i)] = fmt.Sprintf("export class C%d {\n #routes = {}\n get(name) {\n%s }\n}\n", i, body)
	}
	files["node_modules/p/index.js"] = index.String()
	fsys := tree(files)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Functions(b.Context(), fsys, "functions.js", nil); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkOriginal(b *testing.B) {
	out, err := Functions(b.Context(), tree(map[string]string{"functions.js": strings.Repeat("console.log(1 + 2, [3, 4]);\n", 2000) + "export default 1"}), "functions.js", nil)
	if err != nil {
		b.Fatal(err)
	}
	m, err := ParseMap(out.Map)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		m.Original(1000, 20)
	}
}

// TestModuleType proves that a module of a package of "type": "module" imports CommonJS
// as Node does, and that its name stays its own.
func TestModuleType(t *testing.T) {
	files := map[string]string{
		"functions.js":                      `import { named } from "esm"; import { other } from "old"; export default [named, other]`,
		"node_modules/esm/package.json":     `{"type":"module","main":"index.js"}`,
		"node_modules/esm/index.js":         "import all from '../cjs.js';\nexport const named = all.named, broken = noSuchThing;",
		"node_modules/cjs.js":               `exports.__esModule = true; exports.named = "NAMED"; exports.default = undefined`,
		"node_modules/old/package.json":     `{"module":"index.js"}`,
		"node_modules/old/index.js":         `import all from '../cjs.js'; export const other = String(all);`,
		"node_modules/esm/sub/package.json": `{}`,
	}
	out := mustBuild(t, files)
	code := string(out.Code)
	if !strings.Contains(code, "__toESM(require_cjs(), 1)") || !strings.Contains(code, "__toESM(require_cjs())") {
		t.Errorf("imports of CommonJS: %s", code)
	}
	if !slices.Contains(out.Inputs, "node_modules/esm/index.js") {
		t.Errorf("Inputs = %q", out.Inputs)
	}
	sm, err := ParseMap(out.Map)
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(code, "\n") {
		if at := strings.Index(line, "noSuchThing"); at >= 0 {
			if file, l, _, _ := sm.Original(i+1, at+1); file != "node_modules/esm/index.js" || l != 2 {
				t.Errorf("Original = %s:%d", file, l)
			}
		}
	}
	files["node_modules/esm/index.js"] = "export const named = ;"
	if _, err := build(t, files); err == nil || !strings.HasPrefix(err.Error(), "node_modules/esm/index.js:1:22: ") {
		t.Errorf("a mistake: %v", err)
	}
}

// TestOptional proves that a package may ask for modules that are not there, if it
// is ready for that, and that nothing outside of the project is looked at.
func TestOptional(t *testing.T) {
	for source, want := range map[string]string{
		`try { require("canvas") } catch { exports.none = 1 }`:                       "",
		`try { require("fs"); require("@a/b/c") } catch { exports.none = 1 }`:        "",
		`try { require("fs") } catch { require("canvas") }`:                          `There is no package "canvas"`,
		"let x; try { x = require('canvas') } catch {}\nexports.y = require('gone')": `There is no package "gone"`,
		`exports.y = require("canvas")`:                                              `There is no package "canvas"`,
		`try { require("./gone") } catch {}`:                                         `There is no file "./gone"`,
		`try { require("/etc/passwd") } catch {}`:                                    `There is no file "/etc/passwd"`,
	} {
		out, err := build(t, map[string]string{
			"functions.js":              `import x from "pkg"; export default x`,
			"node_modules/pkg/index.js": source,
		})
		if want == "" && (err != nil || !strings.Contains(string(out.Code), `require("`)) {
			t.Errorf("%s: %v", source, err)
		}
		if want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %s", source, err, want)
		}
	}
}
