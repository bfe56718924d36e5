package webapi

import (
	"math"

	"github.com/dop251/goja"

	"samkit.dev/internal/jsrt"
)

type writableState uint8

const (
	writableOpen writableState = iota
	writableClosed
	writableErroring
	writableErrored
)

// writableStream is what a WritableStream carries.
type writableStream struct {
	r            *Realm
	self         *goja.Object
	state        writableState
	stored       goja.Value
	writer       *streamWriter
	ctrl         *writableController
	backpressure bool

	requests      []*jsrt.Deferred // writes that wait
	inFlightWrite *jsrt.Deferred
	closeRequest  *jsrt.Deferred
	inFlightClose *jsrt.Deferred
	pendingAbort  *abortRequest
	digestion     *digestion // of a DigestStream
}

type abortRequest struct {
	done            *jsrt.Deferred
	reason          goja.Value
	alreadyErroring bool
}

func writableOf(v goja.Value) (*writableStream, bool) { return jsrt.Is[*writableStream](v) }

func (s *writableStream) object() goja.Value {
	if s.self == nil {
		s.self = s.r.writableStreamClass().New(s)
	}
	return s.self
}

func (s *writableStream) locked() bool { return s.writer != nil }

func (s *writableStream) closeQueuedOrInFlight() bool {
	return s.closeRequest != nil || s.inFlightClose != nil
}

func (s *writableStream) abort(reason goja.Value) goja.Value {
	r := s.r
	if s.state == writableClosed || s.state == writableErrored {
		return r.Resolved(goja.Undefined())
	}
	s.ctrl.signal.abort(reason)
	if s.state == writableClosed || s.state == writableErrored {
		return r.Resolved(goja.Undefined())
	}
	if s.pendingAbort != nil {
		return s.pendingAbort.done.Promise
	}
	a := &abortRequest{done: r.Defer(), reason: reason, alreadyErroring: s.state == writableErroring}
	if a.alreadyErroring {
		a.reason = goja.Undefined()
	}
	s.pendingAbort = a
	if !a.alreadyErroring {
		s.startErroring(reason)
	}
	return a.done.Promise
}

func (s *writableStream) close() goja.Value {
	r := s.r
	if s.state == writableClosed || s.state == writableErrored {
		return r.Rejection(r.VM.NewTypeError("This WritableStream has been closed."))
	}
	s.closeRequest = r.Defer()
	done := s.closeRequest.Promise
	if s.writer != nil && s.backpressure && s.state == writableOpen {
		s.writer.ready.Resolve(goja.Undefined())
	}
	s.ctrl.queue = append(s.ctrl.queue, queuedChunk{})
	s.ctrl.advance()
	return done
}

func (s *writableStream) dealWithRejection(e goja.Value) {
	if s.state == writableOpen {
		s.startErroring(e)
		return
	}
	s.finishErroring()
}

func (s *writableStream) startErroring(reason goja.Value) {
	s.state, s.stored = writableErroring, reason
	if s.writer != nil {
		s.writer.rejectReady(reason)
	}
	if s.inFlightWrite == nil && s.inFlightClose == nil && s.ctrl.started {
		s.finishErroring()
	}
}

func (s *writableStream) finishErroring() {
	s.state = writableErrored
	s.ctrl.queue, s.ctrl.total = nil, 0
	for _, q := range s.requests {
		q.Reject(s.stored)
	}
	s.requests = nil
	a := s.pendingAbort
	if a == nil {
		s.rejectCloseAndClosed()
		return
	}
	s.pendingAbort = nil
	if a.alreadyErroring {
		a.done.Reject(s.stored)
		s.rejectCloseAndClosed()
		return
	}
	abort := s.ctrl.abortAlg
	s.ctrl.clear()
	p := s.r.Resolved(goja.Undefined())
	if abort != nil {
		p = abort(a.reason)
	}
	s.r.Then(p, func(goja.Value) goja.Value {
		a.done.Resolve(goja.Undefined())
		s.rejectCloseAndClosed()
		return nil
	}, func(e goja.Value) goja.Value {
		a.done.Reject(e)
		s.rejectCloseAndClosed()
		return nil
	})
}

func (s *writableStream) rejectCloseAndClosed() {
	if s.closeRequest != nil {
		s.closeRequest.Reject(s.stored)
		s.closeRequest = nil
	}
	if s.writer != nil {
		s.writer.closed.Reject(s.stored)
		s.r.Handled(s.writer.closed.Promise)
	}
}

func (s *writableStream) finishClose(e goja.Value) {
	if e != nil {
		s.inFlightClose.Reject(e)
		s.inFlightClose = nil
		if s.pendingAbort != nil {
			s.pendingAbort.done.Reject(e)
			s.pendingAbort = nil
		}
		s.dealWithRejection(e)
		return
	}
	s.inFlightClose.Resolve(goja.Undefined())
	s.inFlightClose = nil
	if s.state == writableErroring {
		s.stored = nil
		if s.pendingAbort != nil {
			s.pendingAbort.done.Resolve(goja.Undefined())
			s.pendingAbort = nil
		}
	}
	s.state = writableClosed
	if s.writer != nil {
		s.writer.closed.Resolve(goja.Undefined())
	}
}

func (s *writableStream) updateBackpressure() {
	b := s.ctrl.high-s.ctrl.total <= 0
	if s.writer != nil && b != s.backpressure {
		if b {
			s.writer.ready = s.r.Defer()
		} else {
			s.writer.ready.Resolve(goja.Undefined())
		}
	}
	s.backpressure = b
}

// writableController is a WritableStreamDefaultController.
type writableController struct {
	r       *Realm
	s       *writableStream
	queue   []queuedChunk // one without a value closes
	total   float64
	high    float64
	size    func(goja.Value) float64
	started bool
	signal  *abortSignal

	writeAlg func(goja.Value) goja.Value
	closeAlg func() goja.Value
	abortAlg func(goja.Value) goja.Value
}

func (c *writableController) clear() {
	c.writeAlg, c.closeAlg, c.abortAlg, c.size = nil, nil, nil, nil
}

// start waits for the sink's start to finish.
func (c *writableController) start(result goja.Value) {
	c.s.updateBackpressure()
	c.r.Then(c.r.Resolved(result), func(goja.Value) goja.Value {
		c.started = true
		c.advance()
		return nil
	}, func(e goja.Value) goja.Value {
		c.started = true
		c.s.dealWithRejection(e)
		return nil
	})
}

// chunkSize asks the strategy; what it throws errors the stream.
func (c *writableController) chunkSize(v goja.Value) float64 {
	n := 1.0
	if c.size != nil {
		if thrown := c.r.Try(func() { n = c.size(v) }); thrown != nil {
			c.errorIfNeeded(thrown)
			return 1
		}
	}
	return n
}

func (c *writableController) errorIfNeeded(e goja.Value) {
	if c.s.state == writableOpen {
		c.clear()
		c.s.startErroring(e)
	}
}

func (c *writableController) write(v goja.Value, size float64) {
	if !(size >= 0) || math.IsInf(size, 1) {
		c.errorIfNeeded(c.r.NewError("RangeError", "The size of a chunk must be a finite, non-negative number."))
		return
	}
	c.queue = append(c.queue, queuedChunk{v, size})
	c.total += size
	if !c.s.closeQueuedOrInFlight() && c.s.state == writableOpen {
		c.s.updateBackpressure()
	}
	c.advance()
}

func (c *writableController) advance() {
	s := c.s
	if !c.started || s.inFlightWrite != nil {
		return
	}
	if s.state == writableErroring {
		s.finishErroring()
		return
	}
	if len(c.queue) == 0 || s.state == writableErrored || s.state == writableClosed {
		return
	}
	if first := c.queue[0]; first.v != nil {
		c.processWrite(first.v)
	} else {
		c.processClose()
	}
}

func (c *writableController) processClose() {
	s := c.s
	s.inFlightClose, s.closeRequest = s.closeRequest, nil
	c.queue = nil
	alg := c.closeAlg
	p := alg()
	c.clear()
	c.r.Then(p, func(goja.Value) goja.Value { s.finishClose(nil); return nil },
		func(e goja.Value) goja.Value { s.finishClose(e); return nil })
}

func (c *writableController) processWrite(v goja.Value) {
	s := c.s
	s.inFlightWrite = s.requests[0]
	s.requests = s.requests[1:]
	c.r.Then(c.writeAlg(v), func(goja.Value) goja.Value {
		s.inFlightWrite.Resolve(goja.Undefined())
		s.inFlightWrite = nil
		if len(c.queue) > 0 {
			c.total = max(c.total-c.queue[0].size, 0)
			c.queue = c.queue[1:]
		}
		if !s.closeQueuedOrInFlight() && s.state == writableOpen {
			s.updateBackpressure()
		}
		c.advance()
		return nil
	}, func(e goja.Value) goja.Value {
		if s.state == writableOpen {
			c.clear()
		}
		s.inFlightWrite.Reject(e)
		s.inFlightWrite = nil
		s.dealWithRejection(e)
		return nil
	})
}

func (r *Realm) writableStreamClass() *jsrt.Class {
	return r.Class("WritableStream", 0, func(c goja.ConstructorCall) any {
		return r.constructWritable(c.Argument(0), c.Argument(1))
	}, func(c *jsrt.Class) {
		this := func(v goja.Value) *writableStream { return jsrt.This[*writableStream](r.Runtime, v) }
		c.Getter("locked", func(v goja.Value) goja.Value { return r.VM.ToValue(this(v).locked()) })
		c.Async("abort", 0, func(f goja.FunctionCall) goja.Value {
			s := this(f.This)
			if s.locked() {
				r.TypeError("This WritableStream is currently locked to a writer.")
			}
			return s.abort(f.Argument(0))
		})
		c.Async("close", 0, func(f goja.FunctionCall) goja.Value {
			s := this(f.This)
			if s.locked() {
				r.TypeError("This WritableStream is currently locked to a writer.")
			}
			if s.closeQueuedOrInFlight() {
				r.TypeError("This WritableStream is closing already.")
			}
			return s.close()
		})
		c.Method("getWriter", 0, func(f goja.FunctionCall) goja.Value {
			return r.writerClass().New(this(f.This).acquire())
		})
	})
}

func (r *Realm) constructWritable(sink, strategy goja.Value) *writableStream {
	o, _ := sink.(*goja.Object)
	if o == nil && !goja.IsUndefined(sink) {
		r.TypeError("The underlying sink must be an object.")
	}
	q := r.queuing(strategy)
	var start, write, closing, abort goja.Callable
	if o != nil {
		abort, closing, start = r.member(o, "abort"), r.member(o, "close"), r.member(o, "start")
		typed := member(o, "type") != nil
		write = r.member(o, "write")
		if typed {
			r.RangeError("The underlying sink's type must be undefined.")
		}
	}
	c := r.newWritable(q.highWaterMark(r, 1), q.size)
	self := r.writableControllerClass().New(c)
	c.writeAlg = func(v goja.Value) goja.Value { return r.promiseCall(write, sink, v, self) }
	c.closeAlg = func() goja.Value { return r.promiseCall(closing, sink) }
	c.abortAlg = func(reason goja.Value) goja.Value { return r.promiseCall(abort, sink, reason) }
	result := goja.Undefined()
	if start != nil {
		result = r.Call(start, sink, self)
	}
	c.start(result)
	return c.s
}

func (r *Realm) newWritable(high float64, size func(goja.Value) float64) *writableController {
	s := &writableStream{r: r}
	s.ctrl = &writableController{r: r, s: s, high: high, size: size, signal: r.newAbortSignal()}
	return s.ctrl
}

func (r *Realm) writableControllerClass() *jsrt.Class {
	return r.Class("WritableStreamDefaultController", 0, nil, func(k *jsrt.Class) {
		this := func(v goja.Value) *writableController { return jsrt.This[*writableController](r.Runtime, v) }
		k.Getter("signal", func(v goja.Value) goja.Value { return this(v).signal.object(r) })
		k.Method("error", 0, func(f goja.FunctionCall) goja.Value {
			this(f.This).errorIfNeeded(f.Argument(0))
			return goja.Undefined()
		})
	})
}
