package jsrt

import (
	"crypto/rand"
	"reflect"
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

// Unwrap returns what v carries, or nil if it carries nothing.
func Unwrap(v goja.Value) any {
	o, ok := v.(*goja.Object)
	if !ok || o == nil || o.ExportType() != arrayBufferType { // Export would deep-copy an ordinary object and run its getters
		return nil
	}
	ab, ok := o.Export().(goja.ArrayBuffer)
	if !ok {
		return nil
	}
	b := ab.Bytes()
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
