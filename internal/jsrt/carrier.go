package jsrt

import (
	"crypto/rand"
	"reflect"
	"sync"
	"unsafe"

	"github.com/dop251/goja"
)

// goja has no exported way to hang a Go value on an ordinary object. A zero-length
// ArrayBuffer is the one exported, ordinary, extensible object with a payload
// that Go gets back: its backing slice. Ours is empty, so that JavaScript can
// neither read nor write through it, and its capacity and what lies behind it
// identify it. See RATIONALE.md, "Native classes on an ArrayBuffer".

const tagLen = 13

type carrier struct {
	tag [tagLen]byte // first, since the buffer's slice points here
	v   any
}

// processTag makes a carrier unforgeable; it is drawn once and never leaves the process.
var processTag = func() (t [tagLen]byte) { rand.Read(t[:]); return }()

// Wrap returns a new object with the given prototype that carries v.
func (rt *Runtime) Wrap(v any, proto *goja.Object) *goja.Object {
	c := &carrier{tag: processTag, v: v}
	o := rt.VM.ToValue(rt.VM.NewArrayBuffer(c.tag[:0:tagLen])).(*goja.Object)
	o.SetPrototype(proto)
	return o
}

var (
	arrayBufferType = reflect.TypeFor[goja.ArrayBuffer]()
	promiseType     = reflect.TypeFor[*goja.Promise]()
)

// bufferView is where goja keeps the bytes of an ArrayBuffer. To export the buffer for them would be an allocation at each call of a native method.
type bufferView struct {
	typ  unsafe.Pointer // the first word of the interface behind a buffer
	data uintptr        // where its bytes are
}

var knownBuffer = sync.OnceValue(func() *bufferView {
	vm := goja.New()
	o, ok := vm.ToValue(vm.NewArrayBuffer(nil)).(*goja.Object)
	if !ok || reflect.TypeFor[goja.Object]().Field(0).Name != "self" {
		return nil
	}
	self := selfOf(o)
	if !self.IsValid() {
		return nil
	}
	data, ok := self.Type().FieldByName("data")
	if !ok || len(data.Index) != 1 || data.Type != reflect.TypeFor[[]byte]() {
		return nil
	}
	return &bufferView{selfWords(o).typ, data.Offset}
})

// bufferOf returns the bytes of an ArrayBuffer.
func bufferOf(o *goja.Object) []byte {
	if view := knownBuffer(); view != nil {
		if w := selfWords(o); w.typ == view.typ {
			return *(*[]byte)(unsafe.Add(w.data, view.data))
		}
		return nil
	}
	if o.ExportType() != arrayBufferType { // Export would deep-copy an ordinary object and run its getters
		return nil
	}
	ab, _ := o.Export().(goja.ArrayBuffer)
	return ab.Bytes()
}

// Unwrap returns what v carries, or nil if it carries nothing.
func Unwrap(v goja.Value) any {
	o, ok := v.(*goja.Object)
	if !ok || o == nil {
		return nil
	}
	b := bufferOf(o)
	if len(b) != 0 || cap(b) != tagLen {
		return nil
	}
	c := (*carrier)(unsafe.Pointer(unsafe.SliceData(b)))
	if c.tag != processTag {
		return nil
	}
	return c.v
}

// Is returns what v carries, if it is a T.
func Is[T any](v goja.Value) (T, bool) {
	t, ok := Unwrap(v).(T)
	return t, ok
}

// This returns what v carries. It throws a TypeError if that is no T: the brand
// check of every native method.
func This[T any](rt *Runtime, v goja.Value) T {
	t, ok := Unwrap(v).(T)
	if !ok {
		panic(rt.VM.NewTypeError("Illegal invocation: function called with incorrect `this` reference."))
	}
	return t
}
