package canvas

import (
	"os"
	"testing"

	"samkit.dev/sam"
)

// TestWebAssembly has a project whose functions.js imports a module that is one of its files.
func TestWebAssembly(t *testing.T) {
	module, err := os.ReadFile("../internal/webapi/testdata/wasm/basics.wasm")
	if err != nil {
		t.Fatal(err)
	}
	code := func(op string) string {
		return `import basics from "./lib/basics.wasm"
			const count = new WebAssembly.Global({ value: "i32", mutable: true }, 0)
			const { exports } = new WebAssembly.Instance(basics, { env: { log() {}, big: (v) => v, pair: () => [1, 2], base: 1, count } })
			export default { fetch: () => new Response(String(exports.` + op + `)) }`
	}
	r := serveApp(t, sam.Files{"functions.js": "export default { fetch: () => new Response('plain') }", "lib/basics.wasm": string(module)}, nil)
	for _, step := range []struct{ code, want string }{{"", "plain"}, {code("fib(20)"), "6765"}, {code("add(1, 2)"), "3"}} {
		if step.code != "" {
			if err := r.project.Apply(t.Context(), sam.Edit{Name: "functions.js", Data: []byte(step.code), IfHash: "*"}); err != nil {
				t.Fatal(err)
			}
		}
		if got := r.get("/p/api/x"); got.Code != 200 || got.Body.String() != step.want {
			t.Errorf("%d %q, want %q", got.Code, got.Body, step.want)
		}
	}
}
