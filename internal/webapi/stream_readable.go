package webapi

import (
	"math"

	"github.com/dop251/goja"

	"samkit.dev/internal/jsrt"
)

// The streams are those of the Streams standard; names follow its abstract
// operations. All of it runs within turns, on the realm's goroutine.

type streamState uint8

const (
	streamReadable streamState = iota
	streamClosed
	streamErrored
)

// readableStream is what a ReadableStream carries.
type readableStream struct {
	r       *Realm
	self    *goja.Object
	state   streamState
	stored  goja.Value // the error, if errored
	wasUsed bool       // [[disturbed]]
	reader  *streamReader
	ctrl    readableController
}

// A readableController is the controller of a readable stream, as the stream sees it.
type readableController interface {
	pullSteps(q *readRequest)
	cancelSteps(reason goja.Value) goja.Value // a promise
	releaseSteps()
	// native returns the Go source behind a stream that nothing has read from, or nil.
	native() Source
}

// A readRequest waits for a chunk; one of its functions is called, once.
type readRequest struct {
	chunk func(v goja.Value)
	close func(v goja.Value) // v is undefined but for a BYOB reader
	fail  func(e goja.Value)
}

func streamOf(v goja.Value) (*readableStream, bool) {
	s, ok := jsrt.Is[*readableStream](v)
	if ok && s.self == nil {
		s.self, _ = v.(*goja.Object) // to be given back as the same
	}
	return s, ok
}

// object returns the ReadableStream object.
func (s *readableStream) object() goja.Value {
	if s.self == nil {
		s.self = s.r.readableStreamClass().New(s)
	}
	return s.self
}

func (s *readableStream) locked() bool    { return s.reader != nil }
func (s *readableStream) disturbed() bool { return s.wasUsed }

// disturb marks a stream whose contents have been consumed natively.
func (s *readableStream) disturb(*Realm) {
	s.wasUsed = true
	s.close()
}

func (s *readableStream) close() {
	if s.state != streamReadable {
		return
	}
	s.state = streamClosed
	if rd := s.reader; rd != nil {
		rd.closed.Resolve(goja.Undefined())
		if !rd.byob {
			for _, q := range rd.take() {
				q.close(goja.Undefined())
			}
		}
	}
}

func (s *readableStream) fail(e goja.Value) {
	if s.state != streamReadable {
		return
	}
	s.state, s.stored = streamErrored, e
	if rd := s.reader; rd != nil {
		rd.closed.Reject(e)
		s.r.Handled(rd.closed.Promise)
		for _, q := range rd.take() {
			q.fail(e)
		}
	}
}

// cancel is ReadableStreamCancel; it returns a promise.
func (s *readableStream) cancel(reason goja.Value) goja.Value {
	s.wasUsed = true
	switch s.state {
	case streamClosed:
		return s.r.Resolved(goja.Undefined())
	case streamErrored:
		return s.r.Rejection(s.stored)
	}
	s.close()
	if rd := s.reader; rd != nil && rd.byob {
		for _, q := range rd.take() {
			q.close(goja.Undefined())
		}
	}
	return s.r.Then(s.ctrl.cancelSteps(reason), func(goja.Value) goja.Value { return goja.Undefined() }, nil)
}

func (r *Realm) readableStreamClass() *jsrt.Class {
	return r.Class("ReadableStream", 0, func(c goja.ConstructorCall) any {
		return r.constructReadable(c.Argument(0), c.Argument(1))
	}, r.defineReadable)
}

func (r *Realm) constructReadable(source, strategy goja.Value) *readableStream {
	s := &readableStream{r: r}
	src, _ := source.(*goja.Object)
	if src == nil && !goja.IsUndefined(source) {
		r.TypeError("The underlying source must be an object.")
	}
	q := r.queuing(strategy)
	from := r.underlyingSource(src)
	if from.bytes {
		if q.size != nil {
			r.RangeError("The strategy for a byte stream cannot have a size function.")
		}
		s.ctrl = r.byteControllerOf(s, from, q.highWaterMark(r, 0))
		return s
	}
	s.ctrl = r.defaultControllerOf(s, from, q.highWaterMark(r, 1), q.size)
	return s
}

// An underlyingSource is the dictionary of what a stream is made of.
type underlyingSource struct {
	object              goja.Value // for this
	auto                int        // autoAllocateChunkSize; 0 if there is none
	cancel, pull, start goja.Callable
	bytes               bool
}

// maxAutoAllocate bounds what one number of a script's makes us allocate.
const maxAutoAllocate = 16 << 20

// underlyingSource reads an underlying source, whose members code may see being read:
// in the order of their names.
func (r *Realm) underlyingSource(o *goja.Object) underlyingSource {
	u := underlyingSource{object: goja.Undefined()}
	if o == nil {
		return u
	}
	u.object = o
	if v := member(o, "autoAllocateChunkSize"); v != nil {
		n := r.enforceRange(v, "autoAllocateChunkSize")
		if n == 0 || n > maxAutoAllocate {
			r.TypeError("autoAllocateChunkSize must be from 1 to %d.", maxAutoAllocate)
		}
		u.auto = int(n)
	}
	u.cancel, u.pull, u.start = r.member(o, "cancel"), r.member(o, "pull"), r.member(o, "start")
	if t := member(o, "type"); t != nil {
		if r.str(t) != "bytes" {
			r.TypeError("The underlying source's type must be undefined or \"bytes\".")
		}
		u.bytes = true
	}
	return u
}

// begin calls start, if there is one.
func (u underlyingSource) begin(r *Realm, controller goja.Value) goja.Value {
	if u.start == nil {
		return goja.Undefined()
	}
	return r.Call(u.start, u.object, controller)
}

// A queuing is a QueuingStrategy dictionary.
type queuing struct {
	given bool // highWaterMark is there
	high  float64
	size  func(goja.Value) float64 // nil for one that counts
}

// queuing reads a queuing strategy.
func (r *Realm) queuing(strategy goja.Value) (q queuing) {
	o := r.dictionary(strategy, "The queuing strategy")
	if v := member(o, "highWaterMark"); v != nil {
		q.given, q.high = true, r.number(v)
	}
	v := member(o, "size")
	if v == nil {
		return q
	}
	fn, ok := goja.AssertFunction(v)
	if !ok {
		r.TypeError("The strategy's size must be a function.")
	}
	q.size = func(chunk goja.Value) float64 { return r.number(r.Call(fn, goja.Undefined(), chunk)) }
	return q
}

// highWaterMark returns the mark, or missing if there is none.
func (q queuing) highWaterMark(r *Realm, missing float64) float64 {
	if !q.given {
		return missing
	}
	if math.IsNaN(q.high) || q.high < 0 {
		r.RangeError("Invalid highWaterMark.")
	}
	return q.high
}

// member returns a method of an underlying source, sink or transformer, or nil.
func (r *Realm) member(o *goja.Object, name string) goja.Callable {
	v := jsrt.Option(o, name)
	if v == nil {
		return nil
	}
	fn, ok := goja.AssertFunction(v)
	if !ok {
		r.TypeError("%s is not a function.", name)
	}
	return fn
}

// promiseCall calls fn and returns a promise of its result.
func (r *Realm) promiseCall(fn goja.Callable, this goja.Value, args ...goja.Value) goja.Value {
	if fn == nil {
		return r.Resolved(goja.Undefined())
	}
	return r.Async(func() goja.Value { return r.Call(fn, this, args...) })
}

func (r *Realm) defineReadable(c *jsrt.Class) {
	this := func(v goja.Value) *readableStream {
		s := jsrt.This[*readableStream](r.Runtime, v)
		if s.self == nil {
			s.self = v.(*goja.Object)
		}
		return s
	}
	c.Getter("locked", func(v goja.Value) goja.Value { return r.VM.ToValue(this(v).locked()) })
	c.Async("cancel", 0, func(f goja.FunctionCall) goja.Value {
		s := this(f.This)
		if s.locked() {
			r.TypeError("This ReadableStream is currently locked to a reader.")
		}
		return s.cancel(f.Argument(0))
	})
	c.Method("getReader", 0, func(f goja.FunctionCall) goja.Value {
		s := this(f.This)
		if mode := jsrt.Option(f.Argument(0), "mode"); mode != nil {
			if mode.String() != "byob" {
				r.TypeError("The reader's mode must be undefined or \"byob\".")
			}
			return r.byobReaderClass().New(s.acquireBYOB())
		}
		return r.defaultReaderClass().New(s.acquire())
	})
	c.Method("tee", 0, func(f goja.FunctionCall) goja.Value {
		a, b := r.tee(this(f.This))
		return r.VM.NewArray(a.object(), b.object())
	})
	c.Async("pipeTo", 1, func(f goja.FunctionCall) goja.Value {
		s := this(f.This)
		dst, ok := writableOf(f.Argument(0))
		if !ok {
			r.TypeError("pipeTo needs a WritableStream.")
		}
		opts := r.pipeOptions(f.Argument(1))
		if s.locked() || dst.locked() {
			r.TypeError("Cannot pipe a stream that is locked.")
		}
		return r.pipe(s, dst, opts)
	})
	c.Method("pipeThrough", 1, func(f goja.FunctionCall) goja.Value {
		s := this(f.This)
		pair, ok := f.Argument(0).(*goja.Object)
		if !ok {
			r.TypeError("pipeThrough needs an object with readable and writable.")
		}
		readable := pair.Get("readable")
		if _, ok := streamOf(readable); !ok {
			r.TypeError("pipeThrough needs a ReadableStream as readable.")
		}
		dst, ok := writableOf(pair.Get("writable"))
		if !ok {
			r.TypeError("pipeThrough needs a WritableStream as writable.")
		}
		opts := r.pipeOptions(f.Argument(1))
		if s.locked() || dst.locked() {
			r.TypeError("Cannot pipe a stream that is locked.")
		}
		r.Handled(r.pipe(s, dst, opts))
		return readable
	})
	c.Method("values", 0, func(f goja.FunctionCall) goja.Value {
		s := this(f.This)
		prevent := jsrt.Option(f.Argument(0), "preventCancel")
		return r.streamIterator(s.acquire(), prevent != nil && prevent.ToBoolean())
	})
	c.Alias(r.asyncIteratorSymbol(), "values")
	c.Static("from", 1, func(f goja.FunctionCall) goja.Value { return r.streamFrom(f.Argument(0)).object() })
}
