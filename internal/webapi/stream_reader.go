package webapi

import (
	"github.com/dop251/goja"

	"samkit.dev/internal/jsrt"
)

// streamReader is a ReadableStreamDefaultReader or a ReadableStreamBYOBReader.
type streamReader struct {
	r        *Realm
	stream   *readableStream // nil once released
	byob     bool
	requests []*readRequest
	closed   *jsrt.Deferred
}

// acquire locks the stream to a new default reader, or throws.
func (s *readableStream) acquire() *streamReader {
	if s.locked() {
		s.r.TypeError("This ReadableStream is currently locked to a reader.")
	}
	rd := &streamReader{r: s.r, stream: s, closed: s.r.Defer()}
	s.reader = rd
	switch s.state {
	case streamClosed:
		rd.closed.Resolve(goja.Undefined())
	case streamErrored:
		rd.closed.Reject(s.stored)
		s.r.Handled(rd.closed.Promise)
	}
	return rd
}

func (rd *streamReader) take() []*readRequest {
	all := rd.requests
	rd.requests = nil
	return all
}

func (rd *streamReader) shift() *readRequest {
	q := rd.requests[0]
	rd.requests[0] = nil
	rd.requests = rd.requests[1:]
	return q
}

// read is ReadableStreamDefaultReaderRead.
func (rd *streamReader) read(q *readRequest) {
	s := rd.stream
	s.wasUsed = true
	switch s.state {
	case streamClosed:
		q.close(goja.Undefined())
	case streamErrored:
		q.fail(s.stored)
	default:
		s.ctrl.pullSteps(q)
	}
}

// release gives the stream free.
func (rd *streamReader) release() {
	s := rd.stream
	if s == nil {
		return
	}
	e := rd.r.VM.NewTypeError("This reader has been released.")
	if s.state != streamReadable {
		rd.closed = rd.r.Defer()
	}
	rd.closed.Reject(e)
	rd.r.Handled(rd.closed.Promise)
	s.ctrl.releaseSteps()
	s.reader, rd.stream = nil, nil
	for _, q := range rd.take() {
		q.fail(e)
	}
}

// readResult is the object that read resolves with.
func (r *Realm) readResult(v goja.Value, done bool) goja.Value {
	o := r.VM.NewObject()
	jsrt.Data(o, "value", v)
	jsrt.Data(o, "done", r.VM.ToValue(done))
	return o
}

// promiseRequest returns a read request that settles a promise with a read result.
func (r *Realm) promiseRequest() (*readRequest, goja.Value) {
	d := r.Defer()
	return &readRequest{
		chunk: func(v goja.Value) { d.Resolve(r.readResult(v, false)) },
		close: func(v goja.Value) { d.Resolve(r.readResult(v, true)) },
		fail:  d.Reject,
	}, d.Promise
}

// readerMembers adds what both kinds of readers have.
func (r *Realm) readerMembers(c *jsrt.Class, this func(goja.Value) *streamReader) {
	c.Getter("closed", func(v goja.Value) goja.Value {
		return r.Async(func() goja.Value { return this(v).closed.Promise })
	})
	c.Async("cancel", 0, func(f goja.FunctionCall) goja.Value {
		rd := this(f.This)
		if rd.stream == nil {
			r.TypeError("This reader has been released.")
		}
		return rd.stream.cancel(f.Argument(0))
	})
	c.Method("releaseLock", 0, func(f goja.FunctionCall) goja.Value {
		this(f.This).release()
		return goja.Undefined()
	})
}

func (r *Realm) defaultReaderClass() *jsrt.Class {
	return r.Class("ReadableStreamDefaultReader", 1, func(c goja.ConstructorCall) any {
		s, ok := streamOf(c.Argument(0))
		if !ok {
			r.TypeError("ReadableStreamDefaultReader needs a ReadableStream.")
		}
		return s.acquire()
	}, func(c *jsrt.Class) {
		this := func(v goja.Value) *streamReader {
			rd := jsrt.This[*streamReader](r.Runtime, v)
			if rd.byob {
				r.TypeError("Illegal invocation")
			}
			return rd
		}
		r.readerMembers(c, this)
		c.Async("read", 0, func(f goja.FunctionCall) goja.Value {
			rd := this(f.This)
			if rd.stream == nil {
				r.TypeError("This reader has been released.")
			}
			q, p := r.promiseRequest()
			rd.read(q)
			return p
		})
	})
}

// streamIterator returns the async iterator of a stream.
func (r *Realm) streamIterator(rd *streamReader, preventCancel bool) goja.Value {
	it := &asyncIteration{
		next: func() goja.Value {
			if rd.stream == nil {
				return r.Resolved(r.readResult(goja.Undefined(), true))
			}
			d := r.Defer()
			rd.read(&readRequest{
				chunk: func(v goja.Value) { d.Resolve(r.readResult(v, false)) },
				close: func(goja.Value) { rd.release(); d.Resolve(r.readResult(goja.Undefined(), true)) },
				fail:  func(e goja.Value) { rd.release(); d.Reject(e) },
			})
			return d.Promise
		},
		stop: func(v goja.Value) goja.Value {
			done := goja.Value(r.readResult(v, true))
			if rd.stream == nil {
				return r.Resolved(done)
			}
			if preventCancel {
				rd.release()
				return r.Resolved(done)
			}
			p := rd.stream.cancel(v)
			rd.release()
			return r.Then(p, func(goja.Value) goja.Value { return done }, nil)
		},
	}
	return r.asyncIteratorClass().New(it)
}

// asyncIteration is what an async iterator of Web IDL carries: steps that run one
// after the other.
type asyncIteration struct {
	next func() goja.Value
	stop func(v goja.Value) goja.Value
	last goja.Value // the promise of the step before; nil at first
	done bool
}

func (r *Realm) asyncIteratorClass() *jsrt.Class {
	return r.Class("ReadableStream AsyncIterator", 0, nil, func(c *jsrt.Class) {
		this := func(v goja.Value) *asyncIteration { return jsrt.This[*asyncIteration](r.Runtime, v) }
		after := func(it *asyncIteration, step func() goja.Value) goja.Value {
			run := func(goja.Value) goja.Value { return step() }
			if it.last == nil {
				it.last = step()
			} else {
				it.last = r.Then(it.last, run, run)
			}
			return it.last
		}
		c.Async("next", 0, func(f goja.FunctionCall) goja.Value {
			it := this(f.This)
			return after(it, func() goja.Value {
				if it.done {
					return r.readResult(goja.Undefined(), true)
				}
				return it.next()
			})
		})
		c.Async("return", 1, func(f goja.FunctionCall) goja.Value {
			it, v := this(f.This), f.Argument(0)
			return after(it, func() goja.Value {
				if it.done {
					return r.readResult(v, true)
				}
				it.done = true
				return it.stop(v)
			})
		})
		c.Method("[Symbol.asyncIterator]", 0, func(f goja.FunctionCall) goja.Value { return f.This })
		c.Alias(r.asyncIteratorSymbol(), "[Symbol.asyncIterator]")
		c.Proto.Delete("[Symbol.asyncIterator]")
	})
}

// asyncIteratorSymbol returns Symbol.asyncIterator, which goja does not have by
// itself; lowered code uses it as it finds it.
func (r *Realm) asyncIteratorSymbol() *goja.Symbol {
	if r.asyncIterator == nil { // nobody has asked for Symbol yet
		r.VM.Get("Symbol")
	}
	return r.asyncIterator
}

// streamFrom is ReadableStream.from: of an async or a sync iterable.
func (r *Realm) streamFrom(v goja.Value) *readableStream {
	o, ok := v.(*goja.Object)
	if !ok && !goja.IsString(v) {
		r.TypeError("ReadableStream.from needs an iterable.")
	}
	if !ok {
		o = v.ToObject(r.VM)
	}
	method := o.GetSymbol(r.asyncIteratorSymbol())
	async := jsrt.Defined(method)
	if !async {
		method = o.GetSymbol(goja.SymIterator)
	}
	fn, ok := goja.AssertFunction(method)
	if !ok {
		r.TypeError("ReadableStream.from needs an iterable.")
	}
	it, ok := r.Call(fn, v).(*goja.Object)
	if !ok {
		r.TypeError("The iterator must be an object.")
	}
	next, ok := goja.AssertFunction(it.Get("next"))
	if !ok {
		r.TypeError("The iterator has no next method.")
	}
	s := &readableStream{r: r}
	c := &defaultController{r: r, s: s}
	s.ctrl = c
	result := func(v goja.Value) *goja.Object {
		res, ok := v.(*goja.Object)
		if !ok {
			r.TypeError("The iterator's result must be an object.")
		}
		return res
	}
	c.pullAlg = func() goja.Value {
		return r.Then(r.promiseCall(next, it), func(v goja.Value) goja.Value {
			res := result(v)
			if done := res.Get("done"); done != nil && done.ToBoolean() {
				c.close()
				return nil
			}
			v, enqueue := res.Get("value"), func(v goja.Value) goja.Value {
				if c.open() {
					c.enqueue(v)
				}
				return nil
			}
			if v == nil {
				v = goja.Undefined()
			}
			if async { // what such an iterator gives is a chunk as it is
				return enqueue(v)
			}
			return r.Then(r.Resolved(v), enqueue, nil)
		}, nil)
	}
	c.cancelAlg = func(reason goja.Value) goja.Value {
		stop := r.member(it, "return")
		if stop == nil {
			return r.Resolved(goja.Undefined())
		}
		return r.Then(r.promiseCall(stop, it, reason), func(v goja.Value) goja.Value { result(v); return nil }, nil)
	}
	c.start(goja.Undefined())
	return s
}
