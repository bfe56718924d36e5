package webapi

import (
	"github.com/dop251/goja"

	"samkit.dev/internal/jsrt"
)

type pipeOptions struct {
	preventClose, preventAbort, preventCancel bool
	signal                                    *abortSignal
}

func (r *Realm) pipeOptions(v goja.Value) pipeOptions {
	flag := func(name string) bool {
		o := jsrt.Option(v, name)
		return o != nil && o.ToBoolean()
	}
	o := pipeOptions{preventClose: flag("preventClose"), preventAbort: flag("preventAbort"), preventCancel: flag("preventCancel")}
	if s := jsrt.Option(v, "signal"); s != nil {
		signal, ok := signalOf(s)
		if !ok {
			r.TypeError("The signal of a pipe must be an AbortSignal.")
		}
		o.signal = signal
	}
	return o
}

// piping is the state of ReadableStreamPipeTo.
type piping struct {
	r        *Realm
	src      *readableStream
	dst      *writableStream
	rd       *streamReader
	w        *streamWriter
	opts     pipeOptions
	ending   bool
	lastDone goja.Value // promise of the last write
	done     *jsrt.Deferred
	unlisten func()
}

// pipe is ReadableStreamPipeTo; it returns a promise.
func (r *Realm) pipe(src *readableStream, dst *writableStream, opts pipeOptions) goja.Value {
	p := &piping{r: r, src: src, dst: dst, opts: opts, rd: src.acquire(), w: dst.acquire(), done: r.Defer(), lastDone: r.Resolved(goja.Undefined())}
	src.wasUsed = true
	if s := opts.signal; s != nil {
		if s.aborted() {
			p.aborted(s.reason())
			return p.done.Promise
		}
		p.unlisten = s.onAbort(p.aborted)
	}
	p.watch()
	p.pump()
	return p.done.Promise
}

func (p *piping) aborted(reason goja.Value) {
	var acts []func() goja.Value
	if !p.opts.preventAbort {
		acts = append(acts, func() goja.Value {
			if p.dst.state == writableOpen {
				return p.dst.abort(reason)
			}
			return p.r.Resolved(goja.Undefined())
		})
	}
	if !p.opts.preventCancel {
		acts = append(acts, func() goja.Value {
			if p.src.state == streamReadable {
				return p.src.cancel(reason)
			}
			return p.r.Resolved(goja.Undefined())
		})
	}
	p.end(func() goja.Value {
		all := p.r.Resolved(goja.Undefined())
		for _, act := range acts {
			one, before := act(), all
			all = p.r.Then(before, func(goja.Value) goja.Value { return one }, nil)
			p.r.Handled(one)
		}
		return all
	}, reason)
}

// watch propagates errors and closing, in both directions: first what has happened
// already, in the order in which one comes before the other.
func (p *piping) watch() {
	switch {
	case p.src.state == streamErrored:
		p.sourceFailed(p.src.stored)
	case p.dst.state == writableErrored:
		p.destinationFailed(p.dst.stored)
	case p.src.state == streamClosed:
		p.sourceClosed(nil)
	case p.dst.closeQueuedOrInFlight() || p.dst.state == writableClosed:
		p.destinationClosed(nil)
	default:
		p.r.Then(p.rd.closed.Promise, p.sourceClosed, p.sourceFailed)
		p.r.Then(p.w.closed.Promise, p.destinationClosed, p.destinationFailed)
	}
}

func (p *piping) sourceFailed(e goja.Value) goja.Value {
	if p.opts.preventAbort {
		p.end(nil, e)
	} else {
		p.end(func() goja.Value { return p.dst.abort(e) }, e)
	}
	return nil
}

func (p *piping) sourceClosed(goja.Value) goja.Value {
	if p.opts.preventClose {
		p.end(nil, nil)
	} else {
		p.end(func() goja.Value { return p.w.closePropagating() }, nil)
	}
	return nil
}

func (p *piping) destinationFailed(e goja.Value) goja.Value {
	if p.opts.preventCancel {
		p.end(nil, e)
	} else {
		p.end(func() goja.Value { return p.src.cancel(e) }, e)
	}
	return nil
}

func (p *piping) destinationClosed(goja.Value) goja.Value {
	return p.destinationFailed(p.r.VM.NewTypeError("The destination of a pipe has been closed."))
}

// pump moves one chunk when the destination is ready, and goes on.
func (p *piping) pump() {
	if p.ending {
		return
	}
	p.r.Then(p.w.ready.Promise, func(goja.Value) goja.Value {
		if p.ending || p.dst.state != writableOpen {
			return nil
		}
		p.rd.read(&readRequest{
			chunk: func(v goja.Value) {
				if p.w.stream == nil {
					return
				}
				p.lastDone = p.w.write(v)
				p.r.Handled(p.lastDone)
				p.pump()
			},
			close: func(goja.Value) {},
			fail:  func(goja.Value) {},
		})
		return nil
	}, func(goja.Value) goja.Value { return nil })
}

// end shuts the pipe down: it waits for the last write, acts, and settles with e.
func (p *piping) end(act func() goja.Value, e goja.Value) {
	if p.ending {
		return
	}
	p.ending = true
	finish := func(e goja.Value) {
		p.w.release()
		p.rd.release()
		if p.unlisten != nil {
			p.unlisten()
		}
		if e != nil {
			p.done.Reject(e)
		} else {
			p.done.Resolve(goja.Undefined())
		}
	}
	proceed := func(goja.Value) goja.Value {
		if act == nil {
			finish(e)
			return nil
		}
		p.r.Then(act(), func(goja.Value) goja.Value { finish(e); return nil }, func(again goja.Value) goja.Value { finish(again); return nil })
		return nil
	}
	if p.dst.state == writableOpen && !p.dst.closeQueuedOrInFlight() {
		p.r.Then(p.lastDone, proceed, proceed)
	} else {
		proceed(nil)
	}
}
