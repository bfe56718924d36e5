package jsrt

import (
	"reflect"

	"github.com/dop251/goja"
)

// viewTypes are what goja exports the typed arrays as. An ordinary array is a
// []any, so none of these can be anything else.
var viewTypes = map[reflect.Type]string{
	reflect.TypeFor[[]uint8](): "Uint8Array", reflect.TypeFor[[]int8](): "Int8Array",
	reflect.TypeFor[[]uint16](): "Uint16Array", reflect.TypeFor[[]int16](): "Int16Array",
	reflect.TypeFor[[]uint32](): "Uint32Array", reflect.TypeFor[[]int32](): "Int32Array",
	reflect.TypeFor[[]float32](): "Float32Array", reflect.TypeFor[[]float64](): "Float64Array",
	reflect.TypeFor[[]int64](): "BigInt64Array", reflect.TypeFor[[]uint64](): "BigUint64Array",
}

// Bytes returns the bytes of an ArrayBuffer, a typed array or a DataView: a
// BufferSource of Web IDL. They alias the buffer: copy what outlives the call.
// A detached buffer has none.
func (rt *Runtime) Bytes(v goja.Value) (b []byte, ok bool) {
	o, isObject := v.(*goja.Object)
	if !isObject {
		return nil, false
	}
	typ := o.ExportType()
	if typ == arrayBufferType {
		if Unwrap(v) != nil { // an instance of a native class
			return nil, false
		}
		ab, ok := o.Export().(goja.ArrayBuffer)
		if !ok || ab.Detached() {
			return nil, ok
		}
		return ab.Bytes(), true
	}
	if _, typed := viewTypes[typ]; !typed && !isDataView(o) {
		return nil, false
	}
	if detached(o) { // goja would slice nothing
		return nil, true
	}
	if noElements(o) { // goja would point past the end
		return []byte{}, true
	}
	if err := rt.VM.ExportTo(o, &b); err != nil {
		return nil, false
	}
	return b, true
}

// ViewType returns the class of a typed array, such as "Uint8Array", "DataView", or "".
func (rt *Runtime) ViewType(v goja.Value) string {
	o, ok := v.(*goja.Object)
	if !ok {
		return ""
	}
	if name, ok := viewTypes[o.ExportType()]; ok {
		if name == "Uint8Array" && isClamped(o) {
			return "Uint8ClampedArray"
		}
		return name
	}
	if isDataView(o) {
		return "DataView"
	}
	return ""
}

// isDataView asks goja's own type, since code can replace every function that
// would tell and ExportTo believes an object's length.
func isDataView(o *goja.Object) bool {
	self := reflect.ValueOf(o).Elem().FieldByName("self")
	return self.IsValid() && !self.IsNil() && self.Elem().Type().String() == "*goja.dataViewObject"
}

// noElements reports whether a typed array is empty.
func noElements(o *goja.Object) bool {
	length := reflect.ValueOf(o).Elem().FieldByName("self").Elem().Elem().FieldByName("length")
	return length.IsValid() && length.CanInt() && length.Int() == 0
}

// isClamped reports whether a typed array of bytes is a Uint8ClampedArray.
func isClamped(o *goja.Object) bool {
	array := reflect.ValueOf(o).Elem().FieldByName("self").Elem().Elem().FieldByName("typedArray")
	return array.IsValid() && array.Elem().Type().String() == "*goja.uint8ClampedArray"
}

// detached reports whether the buffer of a typed array or a DataView is. TestBytes
// guards the names of goja's fields.
func detached(view *goja.Object) bool {
	self := reflect.ValueOf(view).Elem().FieldByName("self").Elem().Elem()
	return self.FieldByName("viewedArrayBuf").Elem().FieldByName("detached").Bool()
}

// Buffer returns a new ArrayBuffer that takes over b.
func (rt *Runtime) Buffer(b []byte) goja.Value {
	if len(b) == 0 {
		b = []byte{} // never the shape of a carrier
	}
	return rt.VM.ToValue(rt.VM.NewArrayBuffer(b))
}

// Uint8Array returns a new Uint8Array that takes over b.
func (rt *Runtime) Uint8Array(b []byte) goja.Value {
	if rt.uint8Array == nil {
		ctor, ok := goja.AssertConstructor(rt.VM.Get("Uint8Array"))
		if !ok {
			rt.TypeError("Uint8Array is not a constructor")
		}
		rt.uint8Array = ctor
	}
	o, err := rt.uint8Array(nil, rt.Buffer(b))
	if err != nil {
		panic(err)
	}
	return o
}
