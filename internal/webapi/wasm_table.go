package webapi

import (
	"github.com/dop251/goja"

	"samkit.dev/internal/jsrt"
	"samkit.dev/internal/wasm"
)

func (w *wasmRealm) tableClass() *jsrt.Class {
	return w.Class("WebAssembly.Table", 1, func(c goja.ConstructorCall) any {
		const op = "WebAssembly.Table()"
		d := w.descriptor(c.Argument(0), op, "a table descriptor")
		var t wasm.TableType
		switch element := w.str(orUndefined(d.Get("element"))); element {
		case "anyfunc", "funcref":
			t.Elem = wasm.FuncRef
		case "externref":
			t.Elem = wasm.ExternRef
		default:
			w.TypeError("%s: Descriptor property 'element' must be a WebAssembly reference type", op)
		}
		t.Limits = w.limits(d, op, wasm.MaxTable)
		tab, err := w.store.NewTable(t)
		if err != nil {
			w.RangeError("%s: could not allocate table", op)
		}
		if first := w.element(tab, c.Arguments, 1); first != 0 {
			for i := range t.Min {
				tab.Set(i, first)
			}
		}
		return tab
	}, func(k *jsrt.Class) {
		self := func(v goja.Value) *wasm.Table { return jsrt.This[*wasm.Table](w.Runtime, v) }
		k.Getter("length", func(this goja.Value) goja.Value { return w.VM.ToValue(self(this).Len()) })
		k.Method("get", 1, func(c goja.FunctionCall) goja.Value {
			t := self(c.This)
			i := w.unsigned(c.Argument(0), "WebAssembly.Table.get(): Argument 0")
			ref, ok := t.Get(i)
			if !ok {
				w.RangeError("WebAssembly.Table.get(): invalid address %d in table of size %d", i, t.Len())
			}
			if t.Type.Elem == wasm.ExternRef {
				return w.values.get(ref)
			}
			f, err := t.Func(ref)
			if err != nil {
				w.throwOutcome(err, "WebAssembly.Table.get()")
			}
			return w.function(f)
		})
		k.Method("set", 1, func(c goja.FunctionCall) goja.Value {
			t := self(c.This)
			i := w.unsigned(c.Argument(0), "WebAssembly.Table.set(): Argument 0")
			w.sweep()
			if !t.Set(i, w.element(t, c.Arguments, 1)) {
				w.RangeError("WebAssembly.Table.set(): invalid address %d in table of size %d", i, t.Len())
			}
			return goja.Undefined()
		})
		k.Method("grow", 1, func(c goja.FunctionCall) goja.Value {
			t := self(c.This)
			delta := w.unsigned(c.Argument(0), "WebAssembly.Table.grow(): Argument 0")
			before, ok := t.Grow(delta, w.element(t, c.Arguments, 1))
			if !ok {
				w.RangeError("WebAssembly.Table.grow(): failed to grow table by %d", delta)
			}
			return w.VM.ToValue(before)
		})
	})
}

// element converts the argument that is to become an element. One that is missing is
// undefined in a table of values, and null in one of functions.
func (w *wasmRealm) element(t *wasm.Table, args []goja.Value, i int) uint64 {
	if i < len(args) {
		return w.toWasm(t.Type.Elem, args[i])
	}
	if t.Type.Elem == wasm.ExternRef {
		return w.toWasm(t.Type.Elem, goja.Undefined())
	}
	return 0
}

func orUndefined(v goja.Value) goja.Value {
	if v == nil {
		return goja.Undefined()
	}
	return v
}

func (w *wasmRealm) globalClass() *jsrt.Class {
	return w.Class("WebAssembly.Global", 1, func(c goja.ConstructorCall) any {
		const op = "WebAssembly.Global()"
		d := w.descriptor(c.Argument(0), op, "a global descriptor")
		t := wasm.GlobalType{Mutable: flag(d, "mutable")}
		switch value := w.str(orUndefined(d.Get("value"))); value {
		case "i32":
			t.Val = wasm.I32
		case "i64":
			t.Val = wasm.I64
		case "f32":
			t.Val = wasm.F32
		case "f64":
			t.Val = wasm.F64
		case "externref":
			t.Val = wasm.ExternRef
		case "anyfunc", "funcref":
			t.Val = wasm.FuncRef
		default:
			w.TypeError("%s: Descriptor property 'value' must be a WebAssembly type", op)
		}
		var first uint64
		switch v := c.Argument(1); {
		case t.Val == wasm.ExternRef && len(c.Arguments) < 2:
			first = w.toWasm(t.Val, v)
		case !goja.IsUndefined(v) || t.Val == wasm.ExternRef:
			first = w.toWasm(t.Val, v)
		}
		made := t
		reference := t.Val == wasm.ExternRef || t.Val == wasm.FuncRef
		if reference && first != 0 {
			made.Mutable = true // no constant is this value
		}
		g, err := w.store.NewGlobal(made, first)
		if err != nil {
			w.throwOutcome(err, op)
		}
		if reference {
			g.Set(first)
		}
		g.Fixed = !t.Mutable
		return g
	}, func(k *jsrt.Class) {
		value := func(this goja.Value) goja.Value {
			g := jsrt.This[*wasm.Global](w.Runtime, this)
			return w.fromWasm(g.Type.Val, g.Get())
		}
		k.Accessor("value", value, func(this, v goja.Value) {
			g := jsrt.This[*wasm.Global](w.Runtime, this)
			if g.Fixed || !g.Type.Mutable {
				w.TypeError("set WebAssembly.Global.value: Can't set the value of an immutable global.")
			}
			w.sweep()
			g.Set(w.toWasm(g.Type.Val, v))
		})
		k.Method("valueOf", 0, func(c goja.FunctionCall) goja.Value { return value(c.This) })
	})
}
