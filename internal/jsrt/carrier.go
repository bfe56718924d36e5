package jsrt

import (
	"crypto/rand"
	"reflect"
	"unsafe"

	"github.com/dop251/goja"
	"github.com/dop251/goja/unistring"
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
	if l := knownLayout(); l != nil {
		return l.wrap(rt.VM, v, proto)
	}
	c := &carrier{tag: processTag, v: v}
	o := rt.VM.ToValue(rt.VM.NewArrayBuffer(c.tag[:0:tagLen])).(*goja.Object)
	o.SetPrototype(proto)
	return o
}

// wrap is Wrap by hand: goja would make ArrayBuffer.prototype and all of its methods for the first one.
func (l *layout) wrap(vm *goja.Runtime, v any, proto *goja.Object) *goja.Object {
	s := &struct {
		object
		bufferObject
		carrier carrier
	}{carrier: carrier{tag: processTag, v: v}}
	s.object = object{words{l.buffer, unsafe.Pointer(&s.bufferObject)}, vm}
	o := (*goja.Object)(unsafe.Pointer(&s.object))
	s.class, s.val, s.prototype, s.extensible = "Object", o, proto, true
	s.values, s.data = map[unistring.String]goja.Value{}, s.carrier.tag[:0:tagLen]
	return o
}

var (
	arrayBufferType = reflect.TypeFor[goja.ArrayBuffer]()
	promiseType     = reflect.TypeFor[*goja.Promise]()
)

// bufferOf returns the bytes of an ArrayBuffer.
func bufferOf(o *goja.Object) []byte {
	if l := knownLayout(); l != nil { // to export it would be an allocation at each call of a native method
		if w := selfWords(o); w.typ == l.buffer {
			return (*bufferObject)(w.data).data
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
