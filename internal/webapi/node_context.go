package webapi

import (
	"github.com/dop251/goja"

	"samkit.dev/internal/jsrt"
)

// nodeGlobals is what the modules of Node that bundles hold are made of: classes
// and functions that JavaScript cannot write, or not well.
var nodeGlobals = []global{{"__samkit_node", func(r *Realm) goja.Value {
	o := r.VM.NewObject()
	jsrt.Data(o, "AsyncLocalStorage", r.asyncLocalStorageClass().Ctor)
	jsrt.Data(o, "bind", r.Func("bind", 1, r.bindContext))
	jsrt.Data(o, "encode", r.Func("encode", 2, r.encodeBytes))
	jsrt.Data(o, "decode", r.Func("decode", 2, r.decodeBytes))
	jsrt.Data(o, "inspect", r.Func("inspect", 1, func(c goja.FunctionCall) goja.Value {
		return r.VM.ToValue(r.Inspect(c.Argument(0)))
	}))
	return o
}}}

// An asyncStorage is what an AsyncLocalStorage carries.
type asyncStorage struct{ r *Realm }

// A stored is a value of a storage, and the values of others, as a list that never
// changes: continuations share it.
type stored struct {
	in    *asyncStorage
	value goja.Value
	next  *stored
}

// with returns the list with another value; without one if value is nil.
func (s *stored) with(in *asyncStorage, value goja.Value) *stored {
	s = s.without(in)
	if value == nil {
		return s
	}
	return &stored{in, value, s}
}

func (s *stored) without(in *asyncStorage) *stored {
	for at := s; at != nil; at = at.next {
		if at.in != in {
			continue
		}
		if s == at {
			return at.next
		}
		return &stored{s.in, s.value, s.next.without(in)}
	}
	return s
}

func (r *Realm) stores() *stored {
	s, _ := r.Context.(*stored)
	return s
}

// setStores makes s current. A list without entries is no context at all, which
// continuations carry for nothing.
func (r *Realm) setStores(s *stored) {
	if s == nil {
		r.Context = nil
		return
	}
	r.Context = s
}

// within calls fn with s current.
func (r *Realm) within(s *stored, fn goja.Value, this goja.Value, args []goja.Value) goja.Value {
	f, ok := goja.AssertFunction(fn)
	if !ok {
		r.TypeError("The argument must be a function")
	}
	old := r.stores()
	r.setStores(s)
	defer r.setStores(old)
	return r.Call(f, this, args...)
}

// asyncLocalStorageClass is Node's, https://nodejs.org/api/async_context.html.
func (r *Realm) asyncLocalStorageClass() *jsrt.Class {
	return r.Class("AsyncLocalStorage", 0, func(goja.ConstructorCall) any { return &asyncStorage{r} }, func(k *jsrt.Class) {
		this := func(v goja.Value) *asyncStorage { return jsrt.This[*asyncStorage](r.Runtime, v) }
		rest := func(c goja.FunctionCall, n int) []goja.Value {
			return append([]goja.Value(nil), c.Arguments[min(n, len(c.Arguments)):]...)
		}
		k.Method("run", 2, func(c goja.FunctionCall) goja.Value {
			return r.within(r.stores().with(this(c.This), c.Argument(0)), c.Argument(1), goja.Undefined(), rest(c, 2))
		})
		k.Method("exit", 1, func(c goja.FunctionCall) goja.Value {
			return r.within(r.stores().without(this(c.This)), c.Argument(0), goja.Undefined(), rest(c, 1))
		})
		k.Method("getStore", 0, func(c goja.FunctionCall) goja.Value {
			s := this(c.This)
			for at := r.stores(); at != nil; at = at.next {
				if at.in == s {
					return at.value
				}
			}
			return goja.Undefined()
		})
		k.Method("enterWith", 1, func(c goja.FunctionCall) goja.Value {
			r.setStores(r.stores().with(this(c.This), c.Argument(0)))
			return goja.Undefined()
		})
		k.Method("disable", 0, func(c goja.FunctionCall) goja.Value {
			r.setStores(r.stores().without(this(c.This)))
			return goja.Undefined()
		})
		k.Static("bind", 1, r.bindContext)
		k.Static("snapshot", 0, func(goja.FunctionCall) goja.Value {
			s := r.stores()
			return r.Func("", 1, func(c goja.FunctionCall) goja.Value {
				return r.within(s, c.Argument(0), goja.Undefined(), rest(c, 1))
			})
		})
	})
}

// bindContext returns a function that calls another with what is current now.
func (r *Realm) bindContext(c goja.FunctionCall) goja.Value {
	fn, ok := c.Argument(0).(*goja.Object)
	if _, callable := goja.AssertFunction(fn); !ok || !callable {
		r.TypeError("The argument must be a function")
	}
	s := r.stores()
	return r.Func(fn.Get("name").String(), int(fn.Get("length").ToInteger()), func(c goja.FunctionCall) goja.Value {
		return r.within(s, fn, c.This, append([]goja.Value(nil), c.Arguments...))
	})
}
