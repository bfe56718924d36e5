package workers

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// wasmApp is an App whose script imports a module of webapi's testdata, as wasm.
func wasmApp(t *testing.T, module, code string) *App {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "webapi", "testdata", "wasm", module+".wasm"))
	if err != nil {
		t.Fatal(err)
	}
	a := app(t, "const wasm = globalThis.__samkit_wasm('it');\n"+code)
	a.Script.Wasm = map[string][]byte{"it": b}
	return a
}

const basicsImports = `{ env: { log() {}, big: (v) => v, pair: () => [1, 2], base: 7, count: new WebAssembly.Global({ value: "i32", mutable: true }, 0) } }`

func TestWebAssembly(t *testing.T) {
	eachLevel(t, Options{}, func(t *testing.T, p *Pool) {
		a := wasmApp(t, "basics", `const { exports: e } = new WebAssembly.Instance(wasm, `+basicsImports+`);
			export default { fetch(request) {
				const n = Number(new URL(request.url).searchParams.get("n"));
				return new Response(e.fib(n) + " " + e.base() + " " + new Uint8Array(e.memory.buffer)[8]);
			} }`)
		if status, body := get(t, p, a, "/?n=20"); status != 200 || body != "6765 7 104" {
			t.Errorf("%d %q", status, body)
		}
		if status, body := get(t, p, a, "/?n=25"); status != 200 || body != "75025 7 104" {
			t.Errorf("%d %q", status, body)
		}
	})
}

// TestWebAssemblyUnannounced runs WebAssembly that nothing in the script tells of: in a worker
// that cannot make memory executable.
func TestWebAssemblyUnannounced(t *testing.T) {
	eachLevel(t, Options{}, func(t *testing.T, p *Pool) {
		a := app(t, `export default { async fetch() {
			const W = globalThis["Web" + "Assembly"];
			const m = new W.Module(new Uint8Array([0,97,115,109,1,0,0,0,1,5,1,96,0,1,127,3,2,1,0,7,5,1,1,102,0,0,10,6,1,4,0,65,42,11]));
			return new Response(String(new W.Instance(m).exports.f()));
		} }`)
		if status, body := get(t, p, a, "/"); status != 200 || body != "42" {
			t.Errorf("%d %q", status, body)
		}
	})
}

// TestWebAssemblyArrives has a version with WebAssembly follow one without.
func TestWebAssemblyArrives(t *testing.T) {
	eachLevel(t, Options{}, func(t *testing.T, p *Pool) {
		if _, body := get(t, p, app(t, `export default { fetch: () => new Response("plain") }`), "/"); body != "plain" {
			t.Error(body)
		}
		a := wasmApp(t, "basics", `export default { fetch: () => new Response(String(new WebAssembly.Instance(wasm, `+basicsImports+`).exports.add(1, 2))) }`)
		a.Version = "2"
		if _, body := get(t, p, a, "/"); body != "3" {
			t.Error(body)
		}
	})
}

func TestWebAssemblyLimits(t *testing.T) {
	loop := "new Uint8Array([0,97,115,109,1,0,0,0,1,4,1,96,0,0,3,2,1,0,7,5,1,1,102,0,0,10,9,1,7,0,3,64,12,0,11,11])"
	start := "new Uint8Array([0,97,115,109,1,0,0,0,1,4,1,96,0,0,3,2,1,0,8,1,0,10,9,1,7,0,3,64,12,0,11,11])"
	tests := []struct{ name, code, want string }{
		{"loop", "new WebAssembly.Instance(new WebAssembly.Module(" + loop + ")).exports.f()", "limit_cpu"},
		{"start", "new WebAssembly.Instance(new WebAssembly.Module(" + start + "))", "limit_cpu"},
		{"loop caught", "for (;;) try { new WebAssembly.Instance(new WebAssembly.Module(" + loop + ")).exports.f() } catch {}", "limit_cpu"},
	}
	eachLevel(t, Options{Limits: Limits{CPU: 300 * time.Millisecond, Wall: 5 * time.Second}}, func(t *testing.T, p *Pool) {
		for _, tt := range tests {
			a := app(t, "export default { fetch() { "+tt.code+"; return new Response('done') } }")
			a.Version, a.Domain = tt.name, t.Name()+tt.name
			begin := time.Now()
			_, err := p.Fetch(t.Context(), a, &Request{Method: "GET", URL: "http://test/"})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s: %v, want %s", tt.name, err, tt.want)
			}
			if d := time.Since(begin); d > 3*time.Second {
				t.Errorf("%s: ended after %v", tt.name, d)
			}
		}
	})
}
