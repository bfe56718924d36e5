package webapi

import (
	"math"

	"github.com/dop251/goja"

	"samkit.dev/internal/jsrt"
)

// defaultController is a ReadableStreamDefaultController.
type defaultController struct {
	r      *Realm
	s      *readableStream
	queue  []queuedChunk
	total  float64
	high   float64
	size   func(goja.Value) float64 // nil counts
	src    Source                   // behind a native stream
	pulled bool

	started, closing, pulling, again bool

	pullAlg   func() goja.Value           // returns a promise; nil when cleared
	cancelAlg func(goja.Value) goja.Value // returns a promise
}

type queuedChunk struct {
	v    goja.Value
	size float64
}

// defaultControllerOf sets up the controller of an underlying source written in JavaScript.
func (r *Realm) defaultControllerOf(s *readableStream, source underlyingSource, high float64, size func(goja.Value) float64) *defaultController {
	c := &defaultController{r: r, s: s, high: high, size: size}
	s.ctrl = c
	self := r.defaultControllerClass().New(c)
	c.pullAlg = func() goja.Value { return r.promiseCall(source.pull, source.object, self) }
	c.cancelAlg = func(reason goja.Value) goja.Value { return r.promiseCall(source.cancel, source.object, reason) }
	c.start(source.begin(r, self))
	return c
}

// newReadableStream returns a stream over a Go source, which is pulled only when
// somebody reads.
func (r *Realm) newReadableStream(src Source) *readableStream {
	return r.newStreamOf(src, nil)
}

// NewReadableStream returns a ReadableStream over src: of Uint8Array, or of the values that decode makes
// of a chunk.
func (r *Realm) NewReadableStream(src Source, decode func(chunk []byte) []goja.Value) goja.Value {
	return r.newStreamOf(src, decode).object()
}

func (r *Realm) newStreamOf(src Source, decode func([]byte) []goja.Value) *readableStream {
	s := &readableStream{r: r}
	c := &defaultController{r: r, s: s}
	if decode == nil {
		c.src = src
	}
	s.ctrl = c
	c.pullAlg = func() goja.Value {
		d := r.Defer()
		c.pulled = true
		src.Pull(func(chunk []byte, done bool, err goja.Value) {
			switch {
			case err != nil:
				c.error(err)
			case decode != nil && len(chunk) > 0:
				var values []goja.Value
				if err := r.Try(func() { values = decode(chunk) }); err != nil {
					c.error(err)
				}
				for _, v := range values {
					if c.open() {
						c.enqueue(v)
					}
				}
				if done && c.open() {
					c.close()
				}
			default:
				if len(chunk) > 0 && c.open() {
					c.enqueue(r.Uint8Array(chunk))
				}
				if done && c.open() {
					c.close()
				}
			}
			d.Resolve(goja.Undefined())
		})
		return d.Promise
	}
	c.cancelAlg = func(reason goja.Value) goja.Value {
		src.Cancel(reason)
		return r.Resolved(goja.Undefined())
	}
	c.started = true
	return s
}

func (c *defaultController) native() Source {
	if c.src == nil || c.pulled || c.s.state != streamReadable {
		return nil
	}
	return c.src
}

// start waits for the source's start to finish.
func (c *defaultController) start(result goja.Value) {
	c.r.Then(c.r.Resolved(result), func(goja.Value) goja.Value {
		c.started = true
		c.pullIfNeeded()
		return nil
	}, func(e goja.Value) goja.Value {
		c.error(e)
		return nil
	})
}

// open is CanCloseOrEnqueue.
func (c *defaultController) open() bool { return !c.closing && c.s.state == streamReadable }

func (c *defaultController) desired() float64 { return c.high - c.total }

func (c *defaultController) shouldPull() bool {
	if !c.open() || !c.started {
		return false
	}
	if rd := c.s.reader; rd != nil && len(rd.requests) > 0 {
		return true
	}
	return c.desired() > 0
}

func (c *defaultController) pullIfNeeded() {
	if !c.shouldPull() {
		return
	}
	if c.pulling {
		c.again = true
		return
	}
	c.pulling = true
	c.r.Then(c.pullAlg(), func(goja.Value) goja.Value {
		c.pulling = false
		if c.again {
			c.again = false
			c.pullIfNeeded()
		}
		return nil
	}, func(e goja.Value) goja.Value {
		c.error(e)
		return nil
	})
}

func (c *defaultController) clear() {
	c.pullAlg, c.cancelAlg, c.size = nil, nil, nil
}

func (c *defaultController) close() {
	c.closing = true
	if len(c.queue) == 0 {
		c.clear()
		c.s.close()
	}
}

func (c *defaultController) enqueue(v goja.Value) {
	if rd := c.s.reader; rd != nil && len(rd.requests) > 0 {
		rd.shift().chunk(v)
		c.pullIfNeeded()
		return
	}
	size := 1.0
	if c.size != nil {
		if thrown := c.r.Try(func() {
			size = c.size(v)
			if math.IsNaN(size) || size < 0 || math.IsInf(size, 0) {
				c.r.RangeError("The size of a chunk must be a finite, non-negative number.")
			}
		}); thrown != nil {
			c.error(thrown)
			panic(thrown)
		}
	}
	c.queue = append(c.queue, queuedChunk{v, size})
	c.total += size
	c.pullIfNeeded()
}

func (c *defaultController) error(e goja.Value) {
	if c.s.state != streamReadable {
		return
	}
	c.queue, c.total = nil, 0
	c.clear()
	c.s.fail(e)
}

func (c *defaultController) pullSteps(q *readRequest) {
	if len(c.queue) == 0 {
		c.s.reader.requests = append(c.s.reader.requests, q)
		c.pullIfNeeded()
		return
	}
	first := c.queue[0]
	c.queue[0] = queuedChunk{}
	c.queue = c.queue[1:]
	c.total = max(c.total-first.size, 0)
	if c.closing && len(c.queue) == 0 {
		c.clear()
		c.s.close()
	} else {
		c.pullIfNeeded()
	}
	q.chunk(first.v)
}

func (c *defaultController) cancelSteps(reason goja.Value) goja.Value {
	c.queue, c.total = nil, 0
	alg := c.cancelAlg
	c.clear()
	if alg == nil {
		return c.r.Resolved(goja.Undefined())
	}
	return alg(reason)
}

func (c *defaultController) releaseSteps() {}

func (r *Realm) defaultControllerClass() *jsrt.Class {
	return r.Class("ReadableStreamDefaultController", 0, nil, func(k *jsrt.Class) {
		this := func(v goja.Value) *defaultController { return jsrt.This[*defaultController](r.Runtime, v) }
		k.Getter("desiredSize", func(v goja.Value) goja.Value {
			c := this(v)
			switch c.s.state {
			case streamErrored:
				return goja.Null()
			case streamClosed:
				return r.VM.ToValue(0)
			}
			return r.VM.ToValue(c.desired())
		})
		k.Method("close", 0, func(f goja.FunctionCall) goja.Value {
			c := this(f.This)
			if !c.open() {
				r.TypeError("The stream is not in a state that permits close.")
			}
			c.close()
			return goja.Undefined()
		})
		k.Method("enqueue", 0, func(f goja.FunctionCall) goja.Value {
			c := this(f.This)
			if !c.open() {
				r.TypeError("The stream is not in a state that permits enqueue.")
			}
			c.enqueue(f.Argument(0))
			return goja.Undefined()
		})
		k.Method("error", 0, func(f goja.FunctionCall) goja.Value {
			this(f.This).error(f.Argument(0))
			return goja.Undefined()
		})
	})
}
