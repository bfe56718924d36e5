package workers

import (
	"bytes"
	"sync/atomic"

	"samkit.dev/internal/isolate"
	"samkit.dev/internal/wasm"
)

// runsWasm reports whether an app may run WebAssembly: whether its script imports a
// module or mentions the API. A worker for one that does not cannot make memory executable,
// and should the app come to WebAssembly all the same, it is interpreted there.
func (a *App) runsWasm() bool {
	s := a.Script
	if s == nil {
		return false
	}
	s.compiles.Do(func() { s.wasm = len(s.Wasm) > 0 || bytes.Contains(s.Code, []byte("WebAssembly")) })
	return s.wasm
}

// compilerMemory is what a worker may use beyond its limit, because the compiler of WebAssembly
// needs some 40 to 60 times the size of a module while it works. Memories and tables of the
// modules themselves are held to the limit.
func (a *App) compilerMemory() int64 {
	if !a.runsWasm() {
		return 0
	}
	size := int64(0)
	for _, b := range a.Script.Wasm {
		size += int64(len(b))
	}
	if size == 0 { // modules are in the code, in base64 most likely
		size = int64(len(a.Script.Code)) * 3 / 4
	}
	return min(64*size, maxCompiler)
}

const maxCompiler = 256 << 20

// place is whose worker runs an app: its domain's, but versions that run WebAssembly have
// one of their own.
func (a *App) place() string {
	if a.runsWasm() {
		return a.Domain + " wasm"
	}
	return a.Domain
}

// A wasmCode is what a runner knows of an app's WebAssembly.
type wasmCode struct {
	compiles bool // the process may make memory executable
	limit    int64
	modules  map[string]string
}

func appendWasm(b []byte, app *App, l Limits) []byte {
	b = isolate.AppendBool(b, app.runsWasm())
	b = isolate.AppendUint64(b, uint64(l.Memory))
	b = isolate.AppendUint32(b, uint32(len(app.Script.Wasm)))
	for name, binary := range app.Script.Wasm {
		b = isolate.AppendString(b, name)
		b = isolate.AppendBytes(b, binary)
	}
	return b
}

func readWasm(rd *isolate.Reader) wasmCode {
	c := wasmCode{compiles: rd.Bool(), limit: int64(rd.Uint64()), modules: map[string]string{}}
	for range rd.Count(8) {
		name := rd.String()
		c.modules[name] = rd.String()
	}
	return c
}

// wasmState is the WebAssembly of an instance, as far as other goroutines reach it.
type wasmState struct {
	stopped atomic.Bool
	store   atomic.Pointer[wasm.Store]
}

// interrupt makes running code end. It may be called from any goroutine.
func (s *wasmState) interrupt() {
	s.stopped.Store(true)
	if store := s.store.Load(); store != nil {
		store.Interrupt()
	}
}

// WasmStore implements webapi.WasmHost.
func (h surroundings) WasmStore() *wasm.Store {
	r, code := h.in.r, &h.in.app.wasm
	if r.engine == nil {
		r.engine = wasm.NewEngine(&wasm.Options{Interpret: !code.compiles, Interruptible: r.memory > 0})
	}
	store := r.engine.NewStore(code.limit)
	h.in.wasm.store.Store(store)
	if h.in.wasm.stopped.Load() {
		store.Interrupt()
	}
	return store
}

// WasmModule implements webapi.WasmHost.
func (h surroundings) WasmModule(name string) (binary string, ok bool) {
	binary, ok = h.in.app.wasm.modules[name]
	return binary, ok
}
