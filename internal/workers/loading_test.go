package workers

import (
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"samkit.dev/internal/bundle"
)

// bundled makes an App of the files of a project with functions.js.
func bundled(t *testing.T, files map[string]string) *App {
	t.Helper()
	tree := fstest.MapFS{}
	for name, text := range files {
		tree[name] = &fstest.MapFile{Data: []byte(text)}
	}
	out, err := bundle.Functions(t.Context(), tree, "functions.js", nil)
	if err != nil {
		t.Fatal(err)
	}
	return &App{Domain: t.Name(), Version: "1", Project: "test", Script: &Script{Code: out.Code, Map: out.Map, Hash: out.Hash}}
}

// TestTopLevelAwait runs scripts that await outside of functions.
func TestTopLevelAwait(t *testing.T) {
	answer := `export default { fetch() { return new Response(String(x)) } }`
	for _, tt := range []struct {
		name  string
		files map[string]string
		want  string // or, from "! ", what the failure contains
	}{
		{"settled", map[string]string{"functions.js": "const x = await 5;" + answer}, "5"},
		{"timer", map[string]string{"functions.js": "const x = await new Promise(r => setTimeout(r, 20, 'late'));" + answer}, "late"},
		{"order of modules", map[string]string{
			"functions.js": "import './a.js'; import './b.js'; globalThis.log.push('main'); const x = globalThis.log;" + answer,
			"a.js":         "import './c.js'; globalThis.log.push('a1'); await null; globalThis.log.push('a2')",
			"b.js":         "import './c.js'; globalThis.log.push('b')",
			"c.js":         "globalThis.log = ['c1']; await 0; globalThis.log.push('c2')",
		}, "c1,c2,a1,a2,b,main"},
		{"import()", map[string]string{
			"functions.js": "const { y, default: d } = await import('./y.ts'); const x = y + d;" + answer,
			"y.ts":         "export const y: number = await Promise.resolve(4); export default 3",
		}, "7"},
		{"for await and using", map[string]string{"functions.js": `let x = ""
async function* g() { yield 1; yield 2 }
for await (const v of g()) x += v
{ await using r = { async [Symbol.asyncDispose]() { x += "!" } } }
` + answer}, "12!"},
		{"CommonJS entry", map[string]string{
			"functions.js": "const m = import('./y.js'); module.exports = { async fetch() { return new Response(String((await m).y)) } }",
			"y.js":         "export const y = await 8",
		}, "8"},
		{"exports", map[string]string{"functions.js": "export const other = await 1; export { other as 'a b' }; const x = other; const handler = { fetch() { return new Response('h' + x) } }; export { handler as default }"}, "h1"},
		{"class", map[string]string{"functions.js": "import { WorkerEntrypoint } from 'cloudflare:workers'; const x = await 2; export default class extends WorkerEntrypoint { fetch() { return new Response('c' + x) } }"}, "c2"},
		{"needs of the code", map[string]string{"functions.js": "const x = await Promise.try(() => 9);" + answer}, "9"},
		{"no handler", map[string]string{"functions.js": "await 1; export const x = 1"}, "! no default export"},
		{"error", map[string]string{"functions.js": "import './lib/e.ts';" + answer + "; const x = 1", "lib/e.ts": "interface A {}\n\nawait null\nthrow new Error('top')"}, "! Error: top @ lib/e.ts:4:7"},
		{"error at once", map[string]string{"functions.js": "null.x; await 1;" + answer + "; const x = 1"}, "! TypeError: "},
		{"rejection by a timer", map[string]string{"functions.js": "const x = await new Promise((_, no) => setTimeout(() => no(new RangeError('r')), 10));" + answer}, "! RangeError: r @ functions.js:1:60"},
		{"never", map[string]string{"functions.js": "const x = await new Promise(() => {});" + answer}, "! awaits something that cannot happen"},
		{"binding", map[string]string{"functions.js": "import { env } from 'cloudflare:workers'; const x = await env.KV?.get('x');" + answer}, "undefined"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := bundled(t, tt.files)
			eachLevel(t, Options{}, func(t *testing.T, p *Pool) {
				for range 2 {
					if want, fails := strings.CutPrefix(tt.want, "! "); fails {
						want, at, _ := strings.Cut(want, " @ ")
						e := failure_(t, p, a, "/")
						if !strings.Contains(e.Message, want) || !strings.Contains(e.Stack, at) {
							t.Errorf("failed with %q\n%s\nwant %q at %q", e.Message, e.Stack, want, at)
						}
					} else if _, got := get(t, p, a, "/"); got != tt.want {
						t.Errorf("got %q, want %q", got, tt.want)
					}
				}
			})
		})
	}
}

// TestRequestsWaitForTheScript sends many before the script has loaded.
func TestRequestsWaitForTheScript(t *testing.T) {
	a := bundled(t, map[string]string{"functions.js": "let n = 0; await new Promise(r => setTimeout(r, 100)); export default { async fetch(r) { return new Response(++n + await r.text()) } }"})
	eachLevel(t, Options{}, func(t *testing.T, p *Pool) {
		var wg sync.WaitGroup
		var mu sync.Mutex
		seen := map[string]bool{}
		for range 5 {
			wg.Go(func() {
				_, got := do(t, p, a, &Request{Method: "POST", URL: "http://test/", Body: strings.NewReader("x"), Length: -1})
				mu.Lock()
				defer mu.Unlock()
				seen[got] = true
			})
		}
		wg.Wait()
		if len(seen) != 5 || !seen["1x"] || !seen["5x"] {
			t.Errorf("%v", seen)
		}
	})
}

// TestScriptThatNeverLoads ends its requests with the limit of their time.
func TestScriptThatNeverLoads(t *testing.T) {
	a := bundled(t, map[string]string{"functions.js": "await new Promise(() => setInterval(() => {}, 10)); export default { fetch() {} }"})
	eachLevel(t, Options{Limits: Limits{Wall: 200 * time.Millisecond}}, func(t *testing.T, p *Pool) {
		for range 2 {
			if e := failure_(t, p, a, "/"); e.Code != "limit_wall" {
				t.Errorf("failed with %q: %s", e.Code, e.Message)
			}
		}
	})
}
