package webapi

import (
	"github.com/dop251/goja"

	"samkit.dev/internal/jsrt"
)

// streamWriter is a WritableStreamDefaultWriter.
type streamWriter struct {
	r      *Realm
	stream *writableStream // nil once released
	closed *jsrt.Deferred
	ready  *jsrt.Deferred
}

// acquire locks the stream to a new writer, or throws.
func (s *writableStream) acquire() *streamWriter {
	r := s.r
	if s.locked() {
		r.TypeError("This WritableStream is currently locked to a writer.")
	}
	w := &streamWriter{r: r, stream: s, closed: r.Defer(), ready: r.Defer()}
	s.writer = w
	switch s.state {
	case writableOpen:
		if s.closeQueuedOrInFlight() || !s.backpressure {
			w.ready.Resolve(goja.Undefined())
		}
	case writableErroring:
		w.rejectReady(s.stored)
	case writableClosed:
		w.ready.Resolve(goja.Undefined())
		w.closed.Resolve(goja.Undefined())
	case writableErrored:
		w.rejectReady(s.stored)
		w.closed.Reject(s.stored)
		r.Handled(w.closed.Promise)
	}
	return w
}

// rejectReady rejects the ready promise, or puts a rejected one in its place.
func (w *streamWriter) rejectReady(e goja.Value) {
	if p, ok := jsrt.IsPromise(w.ready.Promise); ok && p.State() != goja.PromiseStatePending {
		w.ready = w.r.Defer()
	}
	w.ready.Reject(e)
	w.r.Handled(w.ready.Promise)
}

func (w *streamWriter) rejectClosed(e goja.Value) {
	if p, ok := jsrt.IsPromise(w.closed.Promise); ok && p.State() != goja.PromiseStatePending {
		w.closed = w.r.Defer()
	}
	w.closed.Reject(e)
	w.r.Handled(w.closed.Promise)
}

func (w *streamWriter) release() {
	s := w.stream
	if s == nil {
		return
	}
	e := w.r.VM.NewTypeError("This writer has been released.")
	w.rejectReady(e)
	w.rejectClosed(e)
	s.writer, w.stream = nil, nil
}

// write is WritableStreamDefaultWriterWrite; it returns a promise.
func (w *streamWriter) write(v goja.Value) goja.Value {
	r, s := w.r, w.stream
	size := s.ctrl.chunkSize(v)
	switch {
	case w.stream != s:
		return r.Rejection(r.VM.NewTypeError("This writer has been released."))
	case s.state == writableErrored || s.state == writableErroring:
		return r.Rejection(s.stored)
	case s.closeQueuedOrInFlight() || s.state == writableClosed:
		return r.Rejection(r.VM.NewTypeError("This WritableStream has been closed."))
	}
	d := r.Defer()
	s.requests = append(s.requests, d)
	s.ctrl.write(v, size)
	return d.Promise
}

// closePropagating closes unless the stream is closed or closing.
func (w *streamWriter) closePropagating() goja.Value {
	s := w.stream
	switch {
	case s.closeQueuedOrInFlight() || s.state == writableClosed:
		return w.r.Resolved(goja.Undefined())
	case s.state == writableErrored:
		return w.r.Rejection(s.stored)
	}
	return s.close()
}

func (r *Realm) writerClass() *jsrt.Class {
	return r.Class("WritableStreamDefaultWriter", 1, func(c goja.ConstructorCall) any {
		s, ok := writableOf(c.Argument(0))
		if !ok {
			r.TypeError("WritableStreamDefaultWriter needs a WritableStream.")
		}
		return s.acquire()
	}, func(c *jsrt.Class) {
		this := func(v goja.Value) *streamWriter { return jsrt.This[*streamWriter](r.Runtime, v) }
		held := func(v goja.Value) *streamWriter {
			w := this(v)
			if w.stream == nil {
				r.TypeError("This writer has been released.")
			}
			return w
		}
		c.Getter("closed", func(v goja.Value) goja.Value {
			return r.Async(func() goja.Value { return this(v).closed.Promise })
		})
		c.Getter("ready", func(v goja.Value) goja.Value {
			return r.Async(func() goja.Value { return this(v).ready.Promise })
		})
		c.Getter("desiredSize", func(v goja.Value) goja.Value {
			s := held(v).stream
			switch s.state {
			case writableErrored, writableErroring:
				return goja.Null()
			case writableClosed:
				return r.VM.ToValue(0)
			}
			return r.VM.ToValue(s.ctrl.high - s.ctrl.total)
		})
		c.Async("abort", 0, func(f goja.FunctionCall) goja.Value { return held(f.This).stream.abort(f.Argument(0)) })
		c.Async("close", 0, func(f goja.FunctionCall) goja.Value {
			w := held(f.This)
			if w.stream.closeQueuedOrInFlight() {
				r.TypeError("This WritableStream is closing already.")
			}
			return w.stream.close()
		})
		c.Method("releaseLock", 0, func(f goja.FunctionCall) goja.Value {
			this(f.This).release()
			return goja.Undefined()
		})
		c.Async("write", 0, func(f goja.FunctionCall) goja.Value { return held(f.This).write(f.Argument(0)) })
	})
}
