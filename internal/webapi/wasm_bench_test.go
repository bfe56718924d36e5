package webapi

import (
	"os"
	"testing"

	"github.com/dop251/goja"

	"samkit.dev/internal/wasm"
)

// wasmBench returns a function of the module basics that a benchmark calls b.N times in JavaScript.
func wasmBench(b *testing.B, body string) {
	r := newTestRealm(b)
	loadWasm(b, r)
	fn, _ := goja.AssertFunction(eval(b, r, `
		const e = new WebAssembly.Instance(new WebAssembly.Module(load("basics")), { env: { log() {}, big: (v) => v, pair: () => [1, 2], base: 7,
			count: new WebAssembly.Global({ value: "i32", mutable: true }, 0) } }).exports;
		(n) => { for (let i = 0; i < n; i++) { `+body+` } }`))
	b.ReportAllocs()
	b.ResetTimer()
	if _, err := fn(nil, r.VM.ToValue(b.N)); err != nil {
		b.Fatal(err)
	}
}

func BenchmarkWasmCall(b *testing.B)       { wasmBench(b, "e.add(i, 2)") }
func BenchmarkWasmImport(b *testing.B)     { wasmBench(b, "e.callLog(i)") }
func BenchmarkWasmBigInt(b *testing.B)     { wasmBench(b, "e.big(5n)") }
func BenchmarkWasmFib25(b *testing.B)      { wasmBench(b, "e.fib(25)") }
func BenchmarkWasmTableGet(b *testing.B)   { wasmBench(b, "e.table.get(1)") }
func BenchmarkWasmBufferRead(b *testing.B) { wasmBench(b, "new Uint8Array(e.memory.buffer, 8, 4)") }

func BenchmarkWasmInstantiate(b *testing.B) {
	r := newTestRealm(b)
	loadWasm(b, r)
	fn, _ := goja.AssertFunction(eval(b, r, `
		const mod = new WebAssembly.Module(load("basics"));
		const imports = { env: { log() {}, big: (v) => v, pair: () => [1, 2], base: 7, count: new WebAssembly.Global({ value: "i32", mutable: true }, 0) } };
		(n) => { for (let i = 0; i < n; i++) new WebAssembly.Instance(mod, imports) }`))
	b.ReportAllocs()
	b.ResetTimer()
	if _, err := fn(nil, r.VM.ToValue(b.N)); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkWasmCompile compiles a module that no store of the engine has seen.
func BenchmarkWasmCompile(b *testing.B) {
	bin, err := os.ReadFile("testdata/wasm/basics.wasm")
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		e := wasm.NewEngine(nil)
		if _, err := e.NewStore(0).Compile(bin); err != nil {
			b.Fatal(err)
		}
		e.Close()
	}
}
