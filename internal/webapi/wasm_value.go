package webapi

import (
	"math"
	"math/big"
	"reflect"
	"strconv"

	"github.com/dop251/goja"

	"samkit.dev/internal/wasm"
)

// toWasm converts a value as ToWebAssemblyValue does, to what stands in a stack.
func (w *wasmRealm) toWasm(t wasm.ValType, v goja.Value) uint64 {
	switch t {
	case wasm.I32:
		return uint64(uint32(w.int32(v)))
	case wasm.I64:
		return uint64(w.int64(v))
	case wasm.F32:
		return uint64(math.Float32bits(float32(w.number(v))))
	case wasm.F64:
		return math.Float64bits(w.number(v))
	case wasm.ExternRef:
		return w.values.put(v)
	case wasm.FuncRef:
		if goja.IsNull(v) {
			return 0
		}
		e := w.exportedFunction(v)
		if e == nil {
			w.TypeError("WebAssembly objects are opaque: function-typed object expected")
		}
		ref, err := w.store.Ref(e.f)
		if err != nil {
			w.throwOutcome(err, "")
		}
		return ref
	}
	w.TypeError("type incompatibility when transforming from/to JS")
	return 0
}

// fromWasm converts a value as ToJSValue does.
func (w *wasmRealm) fromWasm(t wasm.ValType, v uint64) goja.Value {
	switch t {
	case wasm.I32:
		return w.VM.ToValue(int32(v))
	case wasm.I64:
		return w.VM.ToValue(big.NewInt(int64(v)))
	case wasm.F32:
		return w.VM.ToValue(float64(math.Float32frombits(uint32(v))))
	case wasm.F64:
		return w.VM.ToValue(math.Float64frombits(v))
	case wasm.ExternRef:
		return w.values.get(v)
	case wasm.FuncRef:
		f, err := w.store.Func(v)
		if err != nil {
			w.throwOutcome(err, "")
		}
		return w.function(f)
	}
	w.TypeError("type incompatibility when transforming from/to JS")
	return nil
}

var low64 = new(big.Int).SetUint64(math.MaxUint64) // never written

// int64 converts a value as ToBigInt64 does.
func (w *wasmRealm) int64(v goja.Value) int64 {
	if !goja.IsBigInt(v) {
		v = w.Call(w.toInt64, goja.Undefined(), v)
	}
	n, _ := v.Export().(*big.Int)
	if n.IsInt64() {
		return n.Int64()
	}
	return int64(n.And(n, low64).Uint64())
}

// hostValues are the values of JavaScript that WebAssembly code has references to. A
// reference is an index from 1 on; 0 is null. Those that nothing holds any more are found by
// looking through all tables and globals, when no code runs.
type hostValues struct {
	list    []goja.Value
	free    []uint32
	objects map[*goja.Object]uint64
	next    int // how many there may be before the next search
}

func (h *hostValues) put(v goja.Value) uint64 {
	if goja.IsNull(v) {
		return 0
	}
	o, isObject := v.(*goja.Object)
	if isObject {
		if ref := h.objects[o]; ref != 0 {
			return ref
		}
	} else if goja.IsUndefined(v) && len(h.list) > 0 {
		return 1
	}
	if len(h.list) == 0 {
		h.list, h.objects = []goja.Value{goja.Undefined()}, map[*goja.Object]uint64{}
		if goja.IsUndefined(v) {
			return 1
		}
	}
	var ref uint64
	if n := len(h.free); n > 0 {
		ref = uint64(h.free[n-1])
		h.free = h.free[:n-1]
		h.list[ref-1] = v
	} else {
		h.list = append(h.list, v)
		ref = uint64(len(h.list))
	}
	if isObject {
		h.objects[o] = ref
	}
	return ref
}

func (h *hostValues) get(ref uint64) goja.Value {
	if ref == 0 || ref > uint64(len(h.list)) {
		return goja.Null()
	}
	return h.list[ref-1]
}

const minValues = 4096

// sweep forgets values that nothing refers to, if there have come to be many.
func (w *wasmRealm) sweep() {
	h := &w.values
	if len(h.list)-len(h.free) < max(h.next, minValues) || w.busy > 0 || w.store.Running() {
		return
	}
	held := make([]bool, len(h.list))
	held[0] = true // undefined
	w.store.HostRefs(func(ref uint64) {
		if ref <= uint64(len(held)) {
			held[ref-1] = true
		}
	})
	h.free = h.free[:0]
	live := 0
	for i, ok := range held {
		if ok {
			live++
			continue
		}
		if o, isObject := h.list[i].(*goja.Object); isObject {
			delete(h.objects, o)
		}
		h.list[i] = nil
		h.free = append(h.free, uint32(i+1))
	}
	h.next = 2 * live
}

// export returns the object for something that an instance exports.
func (w *wasmRealm) export(x wasm.Extern) goja.Value {
	switch x := x.(type) {
	case *wasm.Func:
		return w.function(x)
	case *wasm.Memory:
		return w.memory(x)
	case *wasm.Table:
		return once(&x.Value, func() *goja.Object { return w.tableClass().New(x) })
	case *wasm.Global:
		return once(&x.Value, func() *goja.Object { return w.globalClass().New(x) })
	}
	return goja.Undefined()
}

func once(at *any, make func() *goja.Object) goja.Value {
	if o, ok := (*at).(*goja.Object); ok {
		return o
	}
	o := make()
	*at = o
	return o
}

// An exported is an Exported Function.
type exported struct {
	w *wasmRealm
	f *wasm.Func
}

// function returns the Exported Function of f; null for nil.
func (w *wasmRealm) function(f *wasm.Func) goja.Value {
	if f == nil {
		return goja.Null()
	}
	return once(&f.Value, func() *goja.Object {
		return w.Func(strconv.Itoa(int(f.Index)), len(f.Type.Params), (&exported{w, f}).invoke)
	})
}

// A probe is a this value that makes an Exported Function tell what it is.
type probe struct {
	goja.Value
	found *exported
}

// codeOf returns the address of a function's code, which is the same for all Exported Functions.
func codeOf(fn func(goja.FunctionCall) goja.Value) uintptr { return reflect.ValueOf(fn).Pointer() }

// exportedFunction returns what v is, if it is an Exported Function of the realm.
func (w *wasmRealm) exportedFunction(v goja.Value) *exported {
	o, ok := v.(*goja.Object)
	if !ok || o.ExportType() != nativeFunction {
		return nil
	}
	fn, ok := o.Export().(func(goja.FunctionCall) goja.Value)
	if !ok || codeOf(fn) != w.invoked {
		return nil
	}
	p := &probe{Value: goja.Undefined()}
	fn(goja.FunctionCall{This: p})
	if p.found == nil || p.found.w != w {
		return nil
	}
	return p.found
}

var nativeFunction = reflect.TypeFor[func(goja.FunctionCall) goja.Value]()

// invoke calls the function.
func (e *exported) invoke(c goja.FunctionCall) goja.Value {
	if p, ok := c.This.(*probe); ok {
		p.found = e
		return nil
	}
	w, t := e.w, &e.f.Type
	w.sweep()
	w.busy++
	stack := w.store.Stack(t.Slots())
	defer func() {
		w.store.Release(stack)
		w.busy--
	}()
	for i, p := range t.Params {
		stack[i] = w.toWasm(p, c.Argument(i))
	}
	for _, r := range t.Results {
		if r == wasm.V128 {
			w.toWasm(r, nil)
		}
	}
	if err := e.f.Call(stack); err != nil {
		w.throwOutcome(err, "")
	}
	switch len(t.Results) {
	case 0:
		return goja.Undefined()
	case 1:
		return w.fromWasm(t.Results[0], stack[0])
	}
	list := make([]any, len(t.Results))
	for i, r := range t.Results {
		list[i] = w.fromWasm(r, stack[i])
	}
	return w.VM.NewArray(list...)
}

// hostFunc makes a function of JavaScript one that WebAssembly code calls.
func (w *wasmRealm) hostFunc(fn goja.Callable, t *wasm.FuncType) wasm.HostFunc {
	return func(stack []uint64) {
		args := make([]goja.Value, len(t.Params))
		for i, p := range t.Params {
			args[i] = w.fromWasm(p, stack[i])
		}
		v, err := fn(goja.Undefined(), args...)
		if err != nil {
			panic(err)
		}
		switch len(t.Results) {
		case 0:
		case 1:
			stack[0] = w.toWasm(t.Results[0], v)
		default:
			list := w.Call(w.list, goja.Undefined(), v).(*goja.Object)
			if n := list.Get("length").ToInteger(); n != int64(len(t.Results)) {
				w.TypeError("multi-return length mismatch")
			}
			for i, r := range t.Results {
				stack[i] = w.toWasm(r, list.Get(strconv.Itoa(i)))
			}
		}
	}
}
