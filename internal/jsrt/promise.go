package jsrt

import "github.com/dop251/goja"

// A Deferred is a promise that Go settles, within a turn.
type Deferred struct {
	Promise goja.Value
	resolve func(any) error
	reject  func(any) error
}

// notePromise keeps what Promise has before code gets hold of it and may change it.
func (rt *Runtime) notePromise(v goja.Value) {
	o := v.(*goja.Object)
	rt.promise = o
	rt.promiseResolve, _ = goja.AssertFunction(o.Get("resolve"))
	rt.promiseThen, _ = goja.AssertFunction(o.Get("prototype").(*goja.Object).Get("then"))
}

// findPromise makes Promise, if neither code nor goja has done so yet: it takes 9 KB.
func (rt *Runtime) findPromise() {
	if rt.promise == nil {
		rt.Global.Get("Promise")
	}
}

// Defer returns a pending promise.
func (rt *Runtime) Defer() *Deferred {
	p, resolve, reject := rt.VM.NewPromise()
	return &Deferred{Promise: rt.VM.ToValue(p), resolve: resolve, reject: reject}
}

// Resolve resolves the promise; later calls do nothing.
func (d *Deferred) Resolve(v goja.Value) { must(d.resolve(v)) }

// Reject rejects the promise; later calls do nothing.
func (d *Deferred) Reject(v goja.Value) { must(d.reject(v)) }

// must passes on what goja reports when it is interrupted while settling.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

// Resolved returns a promise for v; v itself if it is a promise.
func (rt *Runtime) Resolved(v goja.Value) goja.Value {
	rt.findPromise()
	p, err := rt.promiseResolve(rt.promise, v)
	if err != nil {
		panic(err)
	}
	return p
}

// Rejection returns a rejected promise.
func (rt *Runtime) Rejection(reason goja.Value) goja.Value {
	p, _, reject := rt.VM.NewPromise()
	must(reject(reason))
	return rt.VM.ToValue(p)
}

// Async runs fn and returns a promise of its result; what fn throws rejects it.
// It is the body of every operation that returns a promise.
func (rt *Runtime) Async(fn func() goja.Value) goja.Value {
	var v goja.Value
	if ex := rt.VM.Try(func() { v = fn() }); ex != nil {
		return rt.Rejection(ex.Value())
	}
	return rt.Resolved(v)
}

// Then registers native reactions. Either may be nil, which passes the outcome
// on. It returns the promise derived from p.
func (rt *Runtime) Then(p goja.Value, ok, fail func(goja.Value) goja.Value) goja.Value {
	v, err := rt.promiseThen(rt.Resolved(p), rt.reaction(ok), rt.reaction(fail))
	if err != nil {
		panic(err)
	}
	return v
}

// reaction makes a handler that is a JavaScript function around fn, so that
// calls which fn makes don't drain the job queue early.
func (rt *Runtime) reaction(fn func(goja.Value) goja.Value) goja.Value {
	if fn == nil {
		return goja.Undefined()
	}
	n := rt.VM.ToValue(func(c goja.FunctionCall) goja.Value {
		if v := fn(c.Argument(0)); v != nil {
			return v
		}
		return goja.Undefined()
	})
	if rt.bind == nil {
		rt.bind, _ = goja.AssertFunction(rt.constant(bindProgram))
	}
	f, err := rt.bind(nil, n)
	if err != nil {
		panic(err)
	}
	return f
}

// IsPromise returns v as a promise of this realm.
func IsPromise(v goja.Value) (*goja.Promise, bool) {
	o, ok := v.(*goja.Object)
	if !ok || o.ExportType() != promiseType {
		return nil, false
	}
	p, ok := o.Export().(*goja.Promise)
	return p, ok
}

// Handled marks a promise, so that its rejection is not reported.
func (rt *Runtime) Handled(p goja.Value) {
	rt.Then(p, nil, func(goja.Value) goja.Value { return goja.Undefined() })
}

// Call calls a function from native code within a turn. What it throws is thrown on.
func (rt *Runtime) Call(fn goja.Callable, this goja.Value, args ...goja.Value) goja.Value {
	v, err := fn(this, args...)
	if err != nil {
		panic(err)
	}
	return v
}

// Try runs fn and returns what it throws, or nil.
func (rt *Runtime) Try(fn func()) goja.Value {
	if ex := rt.VM.Try(fn); ex != nil {
		return ex.Value()
	}
	return nil
}
