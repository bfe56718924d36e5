package webapi

import (
	"math"

	"github.com/dop251/goja"

	"samkit.dev/internal/jsrt"
	"samkit.dev/internal/wasm"
)

// A memoryObject is what a WebAssembly.Memory carries.
type memoryObject struct {
	mem    *wasm.Memory
	buffer goja.ArrayBuffer
	value  goja.Value // of buffer; nil if there is none
}

// memory returns the object of a memory.
func (w *wasmRealm) memory(m *wasm.Memory) goja.Value {
	return once(&m.Value, func() *goja.Object { return w.memoryClass().New(w.newMemory(m)) })
}

func (w *wasmRealm) newMemory(m *wasm.Memory) *memoryObject {
	o := &memoryObject{mem: m}
	m.Grown = o.moved
	return o
}

// moved detaches the buffer, which is not the memory any more.
func (o *memoryObject) moved() {
	if o.value != nil {
		o.buffer.Detach()
		o.value = nil
	}
}

// bytes returns the ArrayBuffer that is the memory now.
func (o *memoryObject) bytes(w *wasmRealm) goja.Value {
	if o.value == nil || o.buffer.Detached() { // by whoever transferred it
		o.buffer = w.VM.NewArrayBuffer(o.mem.Bytes())
		o.value = w.VM.ToValue(o.buffer)
	}
	return o.value
}

func (w *wasmRealm) memoryClass() *jsrt.Class {
	return w.Class("WebAssembly.Memory", 1, func(c goja.ConstructorCall) any {
		const op = "WebAssembly.Memory()"
		d := w.descriptor(c.Argument(0), op, "a memory descriptor")
		if flag(d, "shared") {
			w.TypeError("%s: shared memories are not supported", op)
		}
		m, err := w.store.NewMemory(w.limits(d, op, 1<<16))
		if err != nil {
			w.RangeError("%s: could not allocate memory", op)
		}
		return w.newMemory(m)
	}, func(k *jsrt.Class) {
		k.Method("grow", 1, func(c goja.FunctionCall) goja.Value {
			o := jsrt.This[*memoryObject](w.Runtime, c.This)
			delta := w.unsigned(c.Argument(0), "WebAssembly.Memory.grow(): Argument 0")
			before, ok := o.mem.Grow(delta)
			if !ok {
				w.RangeError("WebAssembly.Memory.grow(): Maximum memory size exceeded")
			}
			return w.VM.ToValue(before)
		})
		k.Getter("buffer", func(this goja.Value) goja.Value {
			return jsrt.This[*memoryObject](w.Runtime, this).bytes(w)
		})
	})
}

// descriptor returns the dictionary that a constructor needs.
func (w *wasmRealm) descriptor(v goja.Value, op, what string) *goja.Object {
	d, ok := v.(*goja.Object)
	if !ok {
		w.TypeError("%s: Argument 0 must be %s", op, what)
	}
	return d
}

// limits reads initial and maximum.
func (w *wasmRealm) limits(d *goja.Object, op string, most uint32) (l wasm.Limits) {
	initial := member(d, "initial")
	if initial == nil {
		if initial = member(d, "minimum"); initial == nil {
			w.TypeError("%s: Property 'initial' is required", op)
		}
	}
	what := op + ": Property 'initial'"
	if l.Min = w.unsigned(initial, what); l.Min > most {
		w.RangeError("%s: value %d is above the upper bound", what, l.Min)
	}
	if v := member(d, "maximum"); v != nil {
		what = op + ": Property 'maximum'"
		l.Max, l.HasMax = w.unsigned(v, what), true
		if l.Max < l.Min {
			w.RangeError("%s: value %d is below the lower bound", what, l.Max)
		}
		if most == 1<<16 && l.Max > most {
			w.RangeError("%s: value %d is above the upper bound", what, l.Max)
		}
	}
	return l
}

// unsigned converts a value to an unsigned long, and throws outside of it.
func (w *wasmRealm) unsigned(v goja.Value, what string) uint32 {
	n := w.enforceRange(v, what)
	if n > math.MaxUint32 {
		w.TypeError("%s: value %d is above the upper bound", what, n)
	}
	return uint32(n)
}
