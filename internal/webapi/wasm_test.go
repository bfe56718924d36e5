package webapi

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"samkit.dev/internal/jsrt"
	"samkit.dev/internal/wasm"
)

// wasmPrelude is what the scripts of testdata/wasm have around them.
const wasmPrelude = `
const lines = [], jobs = [];
const show = (v) => typeof v === "string" ? v : v === undefined ? "undefined" : typeof v === "function" ? "function" : typeof v === "symbol" ? String(v) : Object.is(v, -0) ? "-0" : typeof v === "number" ? String(v) : JSON.stringify(v);
const out = (...a) => { lines.push(a.map(show).join(" ")); };
const fails = (f) => { try { f(); out("no error"); } catch (x) { out("!", x.name); } };
const later = (f) => { jobs.push(f); };
`

// wasmHost is a fakeHost with an engine of its own.
type wasmHost struct {
	*fakeHost
	engine *wasm.Engine
}

func (h wasmHost) WasmStore() *wasm.Store { return h.engine.NewStore(128 << 20) }

func (h wasmHost) WasmModule(name string) (string, bool) { return "", false }

// loadWasm defines load, which returns the bytes of a module.
func loadWasm(t testing.TB, r *Realm) {
	t.Helper()
	r.DefineGlobal("load", r.VM.ToValue(func(name string) any {
		b, err := os.ReadFile(filepath.Join("testdata", "wasm", name+".wasm"))
		if err != nil {
			t.Fatal(err)
		}
		return r.Uint8Array(b)
	}))
}

// TestWebAssembly runs scripts whose answers are those of Node, in the file beside. The
// modules are made of the .wat files by wat2wasm of wabt 1.0.
func TestWebAssembly(t *testing.T) {
	scripts, err := filepath.Glob("testdata/wasm/*.js")
	if err != nil || len(scripts) == 0 {
		t.Fatal(err, len(scripts))
	}
	for _, file := range scripts {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".js"), func(t *testing.T) {
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			want, err := os.ReadFile(strings.TrimSuffix(file, ".js") + ".want")
			if err != nil {
				t.Fatal(err)
			}
			r := newTestRealm(t)
			check(t, r, src, want)
			engine := wasm.NewEngine(&wasm.Options{Interpret: true})
			defer engine.Close()
			interpreted := Install(jsrt.New(), wasmHost{host(r), engine})
			check(t, interpreted, src, want)
		})
	}
}

// check compares what a script says with what it ought to.
func check(t *testing.T, r *Realm, src, want []byte) {
	t.Helper()
	loadWasm(t, r)
	got := evalAsync(t, r, "(async () => {"+wasmPrelude+string(src)+"\nfor (const j of jobs) await j();\nreturn lines.join('\\n'); })()")
	g, w := strings.Split(got, "\n"), strings.Split(strings.TrimSpace(string(want)), "\n")
	for i := range max(len(g), len(w)) {
		a, b := "(nothing)", "(nothing)"
		if i < len(g) {
			a = g[i]
		}
		if i < len(w) {
			b = w[i]
		}
		if a != b {
			t.Errorf("line %d: got  %s\n        want %s", i+1, a, b)
		}
	}
}
