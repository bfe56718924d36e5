package webapi

import (
	_ "embed"
	"errors"
	"fmt"
	"strconv"
	"sync"

	"github.com/dop251/goja"

	"samkit.dev/internal/jsrt"
	"samkit.dev/internal/wasm"
)

// WebAssembly, by https://webassembly.github.io/spec/js-api/. What it says of bytes holds
// here too, unlike on Workers, see RATIONALE.md.

// wasmGlobals are WebAssembly, and the function by which a bundle gets the modules
// that it imports: __samkit_wasm("…").
var wasmGlobals = []global{
	{"WebAssembly", (*Realm).makeWebAssembly},
	function("__samkit_wasm", 1, func(r *Realm, c goja.FunctionCall) goja.Value {
		return r.wasmRealm().bundled(r.str(c.Argument(0)))
	}),
}

// A WasmHost is what a realm needs for WebAssembly. A realm without one has an engine of its own.
type WasmHost interface {
	// WasmStore returns the realm's store; it is called once.
	WasmStore() *wasm.Store
	// WasmModule returns the binary of a module that the bundle imports.
	WasmModule(name string) (binary string, ok bool)
}

// A wasmRealm is the WebAssembly of a realm.
type wasmRealm struct {
	*Realm
	store   *wasm.Store
	modules map[string]goja.Value // of the bundle
	values  hostValues
	busy    int     // calls that have values under way
	invoked uintptr // the code of Exported Functions

	compileError, linkError, runtimeError *goja.Object
	preventExtensions, toInt64, list      goja.Callable
}

//go:embed wasm.js
var wasmSource string

var wasmProgram = sync.OnceValue(func() *goja.Program { return goja.MustCompile("samkit:wasm", wasmSource, true) })

func (r *Realm) wasmRealm() *wasmRealm {
	if r.wasm != nil {
		return r.wasm
	}
	w := &wasmRealm{Realm: r, invoked: codeOf((&exported{}).invoke)}
	r.wasm = w
	if h, ok := r.Host.(WasmHost); ok {
		w.store = h.WasmStore()
	} else {
		w.store = wasm.NewEngine(nil).NewStore(0)
	}
	v, err := r.VM.RunProgram(wasmProgram())
	if err != nil {
		panic(err)
	}
	o := v.(*goja.Object)
	get := func(i int) *goja.Object { return o.Get(strconv.Itoa(i)).(*goja.Object) }
	fn := func(i int) goja.Callable { f, _ := goja.AssertFunction(get(i)); return f }
	w.compileError, w.linkError, w.runtimeError = get(0), get(1), get(2)
	w.preventExtensions, w.toInt64, w.list = fn(3), fn(4), fn(5)
	return w
}

func (r *Realm) makeWebAssembly() goja.Value {
	w := r.wasmRealm()
	o := r.VM.NewObject()
	o.DefineDataPropertySymbol(goja.SymToStringTag, r.VM.ToValue("WebAssembly"), goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE)
	for _, c := range []*jsrt.Class{w.moduleClass(), w.instanceClass(), w.memoryClass(), w.tableClass(), w.globalClass()} {
		name := c.Name[len("WebAssembly."):]
		c.Ctor.DefineDataProperty("name", r.VM.ToValue(name), goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE)
		jsrt.Hide(o, name, c.Ctor)
	}
	for _, e := range []*goja.Object{w.compileError, w.linkError, w.runtimeError} {
		jsrt.Hide(o, e.Get("name").String(), e)
	}
	r.Method(o, "validate", 1, func(c goja.FunctionCall) goja.Value {
		_, err := w.store.Compile(w.source(c.Argument(0), "WebAssembly.validate()"))
		return r.VM.ToValue(err == nil)
	})
	r.Method(o, "compile", 1, func(c goja.FunctionCall) goja.Value {
		return r.Async(func() goja.Value { return w.compile(c.Argument(0), "WebAssembly.compile()") })
	})
	r.Method(o, "instantiate", 1, func(c goja.FunctionCall) goja.Value {
		return r.Async(func() goja.Value { return w.instantiate(c.Argument(0), c.Argument(1)) })
	})
	return o
}

func (w *wasmRealm) instantiate(what, imports goja.Value) goja.Value {
	const op = "WebAssembly.instantiate()"
	if m, ok := jsrt.Is[*wasm.Module](what); ok {
		return w.instance(m, imports, op)
	}
	module := w.compile(what, op)
	m, _ := jsrt.Is[*wasm.Module](module)
	both := w.VM.NewObject()
	jsrt.Data(both, "module", module)
	jsrt.Data(both, "instance", w.instance(m, imports, op))
	return both
}

// source returns the bytes of a BufferSource.
func (w *wasmRealm) source(v goja.Value, op string) []byte {
	b, ok := w.Bytes(v)
	if !ok {
		w.TypeError("%s: Argument 0 must be a buffer source", op)
	}
	if len(b) == 0 {
		w.throwError(w.compileError, op+": BufferSource argument is empty")
	}
	return b
}

func (w *wasmRealm) compile(v goja.Value, op string) goja.Value {
	return w.moduleClass().New(w.compiled(w.source(v, op), op))
}

func (w *wasmRealm) compiled(b []byte, op string) *wasm.Module {
	m, err := w.store.Compile(b)
	if err != nil {
		var ce *wasm.CompileError
		if errors.As(err, &ce) {
			w.throwError(w.compileError, op+": "+ce.Text)
		}
		w.throwError(w.compileError, op+": "+err.Error())
	}
	return m
}

// bundled returns a module that the bundle imports.
func (w *wasmRealm) bundled(name string) goja.Value {
	if m := w.modules[name]; m != nil {
		return m
	}
	h, ok := w.Host.(WasmHost)
	var binary string
	if ok {
		binary, ok = h.WasmModule(name)
	}
	if !ok {
		w.TypeError("there is no such WebAssembly module in this bundle")
	}
	m := w.moduleClass().New(w.compiled([]byte(binary), "WebAssembly.Module()"))
	if w.modules == nil {
		w.modules = map[string]goja.Value{}
	}
	w.modules[name] = m
	return m
}

func (w *wasmRealm) throwError(class *goja.Object, text string) {
	e, err := w.VM.New(class, w.VM.ToValue(text))
	if err != nil {
		panic(err)
	}
	panic(e)
}

// throwOutcome throws what became of a call of WebAssembly code.
func (w *wasmRealm) throwOutcome(err error, op string) {
	if op != "" {
		op += ": "
	}
	var trap *wasm.Trap
	var unwound *wasm.Unwound
	switch {
	case errors.As(err, &unwound):
		panic(unwound.Value) // an exception of JavaScript's, or worse
	case errors.As(err, &trap) && trap.Overflow:
		w.RangeError("%s", trap.Text)
	case errors.As(err, &trap):
		w.throwError(w.runtimeError, op+trap.Text)
	case errors.Is(err, wasm.ErrMemory):
		w.RangeError("%s%s", op, wasm.ErrMemory)
	}
	w.throwError(w.runtimeError, op+err.Error())
}

func (w *wasmRealm) moduleClass() *jsrt.Class {
	return w.Class("WebAssembly.Module", 1, func(c goja.ConstructorCall) any {
		const op = "WebAssembly.Module()"
		return w.compiled(w.source(c.Argument(0), op), op)
	}, func(k *jsrt.Class) {
		of := func(v goja.Value, op string) *wasm.Module {
			m, ok := jsrt.Is[*wasm.Module](v)
			if !ok {
				w.TypeError("WebAssembly.Module.%s(): Argument 0 must be a WebAssembly.Module", op)
			}
			return m
		}
		str := func(s string) goja.Value { return w.VM.ToValue(s) }
		k.Static("exports", 1, func(c goja.FunctionCall) goja.Value {
			var list []any
			for _, e := range of(c.Argument(0), "exports").Exports {
				o := w.VM.NewObject()
				jsrt.Data(o, "name", str(e.Name))
				jsrt.Data(o, "kind", str(e.Kind.String()))
				list = append(list, o)
			}
			return w.VM.NewArray(list...)
		})
		k.Static("imports", 1, func(c goja.FunctionCall) goja.Value {
			var list []any
			for _, i := range of(c.Argument(0), "imports").Imports {
				o := w.VM.NewObject()
				jsrt.Data(o, "module", str(i.Module))
				jsrt.Data(o, "name", str(i.Name))
				jsrt.Data(o, "kind", str(i.Kind.String()))
				list = append(list, o)
			}
			return w.VM.NewArray(list...)
		})
		k.Static("customSections", 2, func(c goja.FunctionCall) goja.Value {
			m := of(c.Argument(0), "customSections")
			if goja.IsUndefined(c.Argument(1)) {
				w.TypeError("WebAssembly.Module.customSections(): Argument 1 is required")
			}
			name := w.str(c.Argument(1))
			var list []any
			for _, s := range m.Custom {
				if s.Name == name {
					list = append(list, w.Buffer(append([]byte(nil), s.Data...)))
				}
			}
			return w.VM.NewArray(list...)
		})
	})
}

// An instanceObject is what a WebAssembly.Instance carries.
type instanceObject struct {
	exports *goja.Object
}

func (w *wasmRealm) instanceClass() *jsrt.Class {
	return w.Class("WebAssembly.Instance", 1, func(c goja.ConstructorCall) any {
		const op = "WebAssembly.Instance()"
		m, ok := jsrt.Is[*wasm.Module](c.Argument(0))
		if !ok {
			w.TypeError("%s: Argument 0 must be a WebAssembly.Module", op)
		}
		return w.instantiated(m, c.Argument(1), op)
	}, func(k *jsrt.Class) {
		k.Getter("exports", func(this goja.Value) goja.Value { return jsrt.This[*instanceObject](w.Runtime, this).exports })
	})
}

func (w *wasmRealm) instance(m *wasm.Module, imports goja.Value, op string) goja.Value {
	return w.instanceClass().New(w.instantiated(m, imports, op))
}

func (w *wasmRealm) instantiated(m *wasm.Module, imports goja.Value, op string) *instanceObject {
	given := w.readImports(m, imports, op)
	w.busy++
	inst, err := w.store.Instantiate(m, given)
	w.busy--
	if err != nil {
		var le *wasm.LinkError
		if errors.As(err, &le) {
			w.throwError(w.linkError, fmt.Sprintf("%s: %s: %s", op, importAt(m, le.Import), le.Text))
		}
		w.throwOutcome(err, op)
	}
	exports := w.VM.NewObject()
	exports.SetPrototype(nil)
	for i, e := range m.Exports {
		exports.DefineDataProperty(e.Name, w.export(inst.Exports[i]), goja.FLAG_FALSE, goja.FLAG_FALSE, goja.FLAG_TRUE)
	}
	w.Call(w.preventExtensions, goja.Undefined(), exports)
	return &instanceObject{exports}
}

func importAt(m *wasm.Module, i int) string {
	return fmt.Sprintf("Import #%d %q %q", i, m.Imports[i].Module, m.Imports[i].Name)
}

// readImports looks up what a module imports, in the order of its imports.
func (w *wasmRealm) readImports(m *wasm.Module, imports goja.Value, op string) []wasm.Extern {
	from, ok := imports.(*goja.Object)
	if !ok && (len(m.Imports) > 0 || !goja.IsUndefined(imports)) {
		w.TypeError("%s: Imports argument must be present and must be an object", op)
	}
	list := make([]wasm.Extern, len(m.Imports))
	for i := range m.Imports {
		imp := &m.Imports[i]
		space, ok := from.Get(imp.Module).(*goja.Object)
		if !ok {
			w.TypeError("%s: Import #%d %q: module is not an object or function", op, i, imp.Module)
		}
		v := space.Get(imp.Name)
		if v == nil {
			v = goja.Undefined()
		}
		x, problem := w.extern(&imp.Desc, v)
		if problem != "" {
			w.throwError(w.linkError, fmt.Sprintf("%s: %s: %s", op, importAt(m, i), problem))
		}
		list[i] = x
	}
	return list
}

// extern returns what an import is to be, or says what it ought to be.
func (w *wasmRealm) extern(d *wasm.Desc, v goja.Value) (x wasm.Extern, problem string) {
	switch d.Kind {
	case wasm.FuncKind:
		fn, ok := goja.AssertFunction(v)
		if !ok {
			return nil, "function import requires a callable"
		}
		if e := w.exportedFunction(v); e != nil {
			return e.f, ""
		}
		return w.hostFunc(fn, d.Func), ""
	case wasm.TableKind:
		if t, ok := jsrt.Is[*wasm.Table](v); ok {
			t.Value = v
			return t, ""
		}
		return nil, "table import requires a WebAssembly.Table"
	case wasm.MemoryKind:
		if m, ok := jsrt.Is[*memoryObject](v); ok {
			m.mem.Value = v // an instance that exports it gives the same object
			return m.mem, ""
		}
		return nil, "memory import must be a WebAssembly.Memory object"
	}
	if g, ok := jsrt.Is[*wasm.Global](v); ok {
		g.Value = v
		return g, ""
	}
	const want = "global import must be a number, valid Wasm reference, or WebAssembly.Global object"
	switch t := d.Global.Val; {
	case d.Global.Mutable:
		return nil, "imported mutable global must be a WebAssembly.Global object"
	case t == wasm.I64 && !goja.IsBigInt(v):
		return nil, "global import must be a BigInt"
	case t == wasm.I32 || t == wasm.F32 || t == wasm.F64:
		if !goja.IsNumber(v) {
			return nil, want
		}
	case t == wasm.ExternRef || t == wasm.FuncRef:
		if goja.IsNull(v) {
			return wasm.Const(0), ""
		}
		return nil, want + "; a reference other than null has to come in a mutable one"
	case t == wasm.V128:
		return nil, want
	}
	return wasm.Const(w.toWasm(d.Global.Val, v)), ""
}
