package webapi

import (
	"github.com/dop251/goja"

	"samkit.dev/internal/jsrt"
)

// transformStream is what a TransformStream carries, and with an identity of their
// own the streams made of one, such as TextEncoderStream.
type transformStream struct {
	r            *Realm
	readable     *readableStream
	source       *defaultController // of readable
	writable     *writableStream
	backpressure bool
	change       *jsrt.Deferred // of backpressure
	decoder      *textDecoder   // of a TextDecoderStream
	finish       *jsrt.Deferred // of the first of close, abort and cancel

	transform func(goja.Value) goja.Value // returns a promise
	flush     func() goja.Value
	cancel    func(goja.Value) goja.Value
}

// newTransform returns a transform stream whose algorithms the caller sets, and then starts.
func (r *Realm) newTransform(writableHigh float64, writableSize func(goja.Value) float64, readableHigh float64, readableSize func(goja.Value) float64) *transformStream {
	t := &transformStream{r: r}
	none := func() goja.Value { return r.Resolved(goja.Undefined()) }
	t.flush = none
	t.cancel = func(goja.Value) goja.Value { return none() }
	sink := r.newWritable(writableHigh, writableSize)
	sink.writeAlg, sink.closeAlg, sink.abortAlg = t.sinkWrite, t.sinkClose, t.sinkAbort
	t.writable = sink.s
	t.readable = &readableStream{r: r}
	t.source = &defaultController{r: r, s: t.readable, high: readableHigh, size: readableSize}
	t.readable.ctrl = t.source
	t.source.pullAlg, t.source.cancelAlg = t.sourcePull, t.sourceCancel
	t.change = r.Defer()
	t.backpressure = true
	return t
}

func (t *transformStream) start(result goja.Value) {
	t.writable.ctrl.start(result)
	t.source.start(result)
}

func (t *transformStream) setBackpressure(b bool) {
	if t.backpressure == b {
		return
	}
	t.change.Resolve(goja.Undefined())
	t.change = t.r.Defer()
	t.backpressure = b
}

func (t *transformStream) error(e goja.Value) {
	t.source.error(e)
	t.errorWritable(e)
}

func (t *transformStream) errorWritable(e goja.Value) {
	t.writable.ctrl.errorIfNeeded(e)
	if t.backpressure {
		t.setBackpressure(false)
	}
}

// enqueue is the controller's enqueue.
func (t *transformStream) enqueue(v goja.Value) {
	c := t.source
	if !c.open() {
		t.r.TypeError("The readable side is not in a state that permits enqueue.")
	}
	if thrown := t.r.Try(func() { c.enqueue(v) }); thrown != nil {
		t.errorWritable(thrown)
		panic(t.readable.stored)
	}
	if full := !c.shouldPull(); full != t.backpressure {
		t.setBackpressure(true)
	}
}

func (t *transformStream) terminate() {
	if t.source.open() {
		t.source.close()
	}
	t.errorWritable(t.r.VM.NewTypeError("The transform stream has been terminated."))
}

func (t *transformStream) sinkWrite(v goja.Value) goja.Value {
	perform := func(goja.Value) goja.Value {
		return t.r.Then(t.transform(v), nil, func(e goja.Value) goja.Value {
			t.error(e)
			panic(e)
		})
	}
	if !t.backpressure {
		return perform(nil)
	}
	return t.r.Then(t.change.Promise, func(goja.Value) goja.Value {
		if t.writable.state == writableErroring {
			panic(t.writable.stored)
		}
		return perform(nil)
	}, nil)
}

func (t *transformStream) sinkClose() goja.Value {
	if t.finish != nil {
		return t.finish.Promise
	}
	t.finish = t.r.Defer()
	t.r.Then(t.flush(), func(goja.Value) goja.Value {
		if t.readable.state == streamErrored {
			t.finish.Reject(t.readable.stored)
			return nil
		}
		if t.source.open() {
			t.source.close()
		}
		t.finish.Resolve(goja.Undefined())
		return nil
	}, func(e goja.Value) goja.Value {
		t.source.error(e)
		t.finish.Reject(e)
		return nil
	})
	return t.finish.Promise
}

func (t *transformStream) sinkAbort(reason goja.Value) goja.Value {
	if t.finish != nil {
		return t.finish.Promise
	}
	t.finish = t.r.Defer()
	t.r.Then(t.cancel(reason), func(goja.Value) goja.Value {
		if t.readable.state == streamErrored {
			t.finish.Reject(t.readable.stored)
		} else {
			t.source.error(reason)
			t.finish.Resolve(goja.Undefined())
		}
		return nil
	}, func(e goja.Value) goja.Value {
		t.source.error(e)
		t.finish.Reject(e)
		return nil
	})
	return t.finish.Promise
}

func (t *transformStream) sourcePull() goja.Value {
	t.setBackpressure(false)
	return t.change.Promise
}

func (t *transformStream) sourceCancel(reason goja.Value) goja.Value {
	if t.finish != nil {
		return t.finish.Promise
	}
	t.finish = t.r.Defer()
	t.r.Then(t.cancel(reason), func(goja.Value) goja.Value {
		if t.writable.state == writableErrored {
			t.finish.Reject(t.writable.stored)
			return nil
		}
		t.errorWritable(reason)
		t.finish.Resolve(goja.Undefined())
		return nil
	}, func(e goja.Value) goja.Value {
		t.errorWritable(e)
		t.finish.Reject(e)
		return nil
	})
	return t.finish.Promise
}

func (r *Realm) transformStreamClass() *jsrt.Class {
	return r.Class("TransformStream", 0, func(c goja.ConstructorCall) any {
		return r.constructTransform(c.Argument(0), c.Argument(1), c.Argument(2))
	}, r.transformMembers)
}

// transformMembers adds readable and writable.
func (r *Realm) transformMembers(c *jsrt.Class) {
	this := func(v goja.Value) *transformStream { return jsrt.This[*transformStream](r.Runtime, v) }
	c.Getter("readable", func(v goja.Value) goja.Value { return this(v).readable.object() })
	c.Getter("writable", func(v goja.Value) goja.Value { return this(v).writable.object() })
}

func (r *Realm) constructTransform(transformer, writable, readable goja.Value) *transformStream {
	o, _ := transformer.(*goja.Object)
	if o == nil && !goja.IsUndefined(transformer) {
		r.TypeError("The transformer must be an object.")
	}
	in, out := r.queuing(writable), r.queuing(readable)
	var start, transform, flush, cancel goja.Callable
	if o != nil {
		cancel, flush = r.member(o, "cancel"), r.member(o, "flush")
		typed := member(o, "readableType") != nil
		start, transform = r.member(o, "start"), r.member(o, "transform")
		if member(o, "writableType") != nil || typed {
			r.RangeError("The transformer's readableType and writableType must be undefined.")
		}
	}
	outHigh, inHigh := out.highWaterMark(r, 0), in.highWaterMark(r, 1)
	t := r.newTransform(inHigh, in.size, outHigh, out.size)
	self := r.transformControllerClass().New(t)
	t.transform = func(v goja.Value) goja.Value {
		return r.Async(func() goja.Value { t.enqueue(v); return goja.Undefined() })
	}
	result := goja.Undefined()
	if o != nil {
		if transform != nil {
			t.transform = func(v goja.Value) goja.Value { return r.promiseCall(transform, o, v, self) }
		}
		t.flush = func() goja.Value { return r.promiseCall(flush, o, self) }
		t.cancel = func(reason goja.Value) goja.Value { return r.promiseCall(cancel, o, reason) }
		if start != nil {
			result = r.Call(start, o, self)
		}
	}
	t.start(result)
	return t
}

func (r *Realm) transformControllerClass() *jsrt.Class {
	return r.Class("TransformStreamDefaultController", 0, nil, func(k *jsrt.Class) {
		this := func(v goja.Value) *transformStream { return jsrt.This[*transformStream](r.Runtime, v) }
		k.Getter("desiredSize", func(v goja.Value) goja.Value {
			t := this(v)
			switch t.readable.state {
			case streamErrored:
				return goja.Null()
			case streamClosed:
				return r.VM.ToValue(0)
			}
			return r.VM.ToValue(t.source.desired())
		})
		k.Method("enqueue", 0, func(f goja.FunctionCall) goja.Value { this(f.This).enqueue(f.Argument(0)); return goja.Undefined() })
		k.Method("error", 0, func(f goja.FunctionCall) goja.Value { this(f.This).error(f.Argument(0)); return goja.Undefined() })
		k.Method("terminate", 0, func(f goja.FunctionCall) goja.Value { this(f.This).terminate(); return goja.Undefined() })
	})
}
