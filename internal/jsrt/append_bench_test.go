package jsrt

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/dop251/goja"
)

// The loops of BenchmarkAppend, which export a function of a count.
var appendBenchmarks = []struct {
	strings bool
	name    string
	code    string
}{
	{true, "rows", `module.exports = (n) => { let html = ""; for (let i = 0; i < n; i++) html += "<tr><td>" + i + "</td><td>Name " + i + "</td><td><a href='/items/" + i + "'>open</a></td></tr>"; return html.length }`},
	{true, "parts", "module.exports = (n) => { let html = ''; for (let i = 0; i < n; i++) { html += `<tr>`; html += `<td>${i}</td>`; html += `<td>Name ${i}</td>`; html += '</tr>' } return html.length }"},
	{true, "member", `class Page { out = ""; row(i) { this.out += "<tr><td>" + i + "</td><td>Name " + i + "</td><td>and so on</td></tr>" } } module.exports = (n) => { const p = new Page(); for (let i = 0; i < n; i++) p.row(i); return p.out.length }`},
	{true, "unicode", `module.exports = (n) => { let html = "<table>"; for (let i = 0; i < n; i++) html += "<tr><td>" + i + "</td><td>Größe " + i + "</td><td>und so weiter</td></tr>"; return html.length }`},
	{true, "length", `module.exports = (n) => { let html = "", sum = 0; for (let i = 0; i < n; i++) { html += "<tr><td>" + i + "</td></tr>"; sum += html.length } return html.length }`},
	{true, "reduce", "module.exports = (n) => Array.from({ length: n }, (_, i) => i).reduce((s, i) => s + `<tr><td>${i}</td><td>Name</td></tr>`, '').length"},
	{true, "template", "module.exports = (n) => { let html = ''; for (let i = 0; i < n; i++) html = `${html}<tr><td>${i}</td></tr>`; return html.length }"},
	{false, "sum", `module.exports = (n) => { const rows = []; for (let i = 0; i < 100; i++) rows.push({ price: i + 0.5 }); let total = 0; for (let i = 0; i < n; i += 1) total += rows[i % 100].price; return total }`},
	{false, "hash", `module.exports = (n) => { const s = "the quick brown fox"; let h = 5381; for (let i = 0; i < n; i++) { h += (h << 5) + s.charCodeAt(i % 19); h |= 0 } return h }`},
	{false, "counter", `class C { n = 0; step = 2; tick() { this.n += this.step } } module.exports = (n) => { const c = new C(); for (let i = 0; i < n; i++) c.tick(); return c.n }`},
	{false, "untyped", `const add = (a, b) => { a += b; return a }; module.exports = (n) => { let x = 1; for (let i = 0; i < n; i++) x = add(x, i); return x }`},
}

// BenchmarkAppend compares goja alone with what Compile makes.
func BenchmarkAppend(b *testing.B) {
	for _, bench := range appendBenchmarks {
		for _, n := range []int{2_000, 20_000} {
			for _, mode := range []appendMode{plain, compiled} {
				if mode == plain && n > 2_000 && bench.strings {
					continue // seconds
				}
				b.Run(fmt.Sprintf("%s/%d/%s", bench.name, n, []string{"goja", "compiled"}[mode]), func(b *testing.B) {
					vm := goja.New()
					fn := exportedFunction(b, vm, mode, bench.code)
					arg := vm.ToValue(n)
					b.ReportAllocs()
					for b.Loop() {
						if _, err := fn(goja.Undefined(), arg); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		}
	}
}

func exportedFunction(t testing.TB, vm *goja.Runtime, mode appendMode, code string) goja.Callable {
	t.Helper()
	module := vm.NewObject()
	f := moduleFunctionValue(t, vm, mode, code)
	if _, err := f(goja.Undefined(), module, goja.Undefined(), AppendFunc(vm)); err != nil {
		t.Fatal(err)
	}
	fn, ok := goja.AssertFunction(module.Get("exports"))
	if !ok {
		t.Fatal("no function is exported")
	}
	return fn
}

// TestAppendIsLinear compares allocations, which do not depend on the machine's
// mood: ten times the rows may allocate some fifteen times the bytes, not a hundred.
func TestAppendIsLinear(t *testing.T) {
	for _, bench := range appendBenchmarks {
		if !bench.strings {
			continue
		}
		vm := goja.New()
		fn := exportedFunction(t, vm, compiled, bench.code)
		bytes := func(n int) uint64 {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			if _, err := fn(goja.Undefined(), vm.ToValue(n)); err != nil {
				t.Fatal(err)
			}
			runtime.ReadMemStats(&after)
			return after.TotalAlloc - before.TotalAlloc
		}
		small, large := bytes(2_000), bytes(20_000)
		if large > 20*small {
			t.Errorf("%s: 2,000 rows take %d bytes, 20,000 take %d", bench.name, small, large)
		}
	}
}

// BenchmarkCompile compiles some 60 KB of ordinary code.
func BenchmarkCompile(b *testing.B) {
	var code strings.Builder
	for i := 0; code.Len() < 60_000; i++ {
		fmt.Fprintf(&code, `
var Router%d = class {
  name = "router"; get = 1; #routes = {}; out = "";
  constructor(options = {}) { this.options = { strict: true, ...options }; }
  add(method, path, handler) {
    const parts = path.split("/").map((p) => p.replace(/:(\w+)/g, (_, name) => "(?<" + name + ">[^/]+)"));
    for (let i = 0, len = parts.length; i < len; i++) {
      if (parts[i] === "") { continue; } else if (parts[i].length > 100) { throw new Error("path too long"); }
      this.out += "/" + parts[i];
    }
    (this.#routes[method] ??= []).push([new RegExp("^" + this.out + "$"), handler]);
  }
  match(method, path) { return this.#routes[method]?.find(([re]) => re.test(path)) ?? null; }
};`, i)
	}
	src := []byte(code.String())
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		if _, err := Compile("a.js", src); err != nil {
			b.Fatal(err)
		}
	}
}
