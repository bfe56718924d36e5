package webapi

import (
	"github.com/dop251/goja"
)

// byteController is a ReadableByteStreamController. Buffers that change hands are
// detached, as the standard has it.
type byteController struct {
	r     *Realm
	s     *readableStream
	queue [][]byte
	total int
	high  float64
	auto  int // autoAllocateChunkSize; 0 if there is none

	pulls   []*pullInto
	request *byobRequest // for pulls[0], once asked for

	started, closing, pulling, again bool

	pullAlg   func() goja.Value
	cancelAlg func(goja.Value) goja.Value
}

// A pullInto is a buffer to be filled.
type pullInto struct {
	data   []byte // the whole buffer, ours
	offset int    // of the part to fill
	length int
	filled int
	least  int    // bytes to fill before it is handed out
	elem   int    // size of an element
	view   string // the class of view to hand out
	auto   bool   // made for a default reader
	orphan bool   // its reader has been released
}

// byobRequest is a ReadableStreamBYOBRequest.
type byobRequest struct {
	c    *byteController // nil once answered
	view goja.Value
	self goja.Value

	buffer goja.ArrayBuffer // of view
}

func (r *Realm) byteControllerOf(s *readableStream, source underlyingSource, high float64) *byteController {
	c := &byteController{r: r, s: s, high: high, auto: source.auto}
	s.ctrl = c
	self := r.byteControllerClass().New(c)
	c.pullAlg = func() goja.Value { return r.promiseCall(source.pull, source.object, self) }
	c.cancelAlg = func(reason goja.Value) goja.Value { return r.promiseCall(source.cancel, source.object, reason) }
	c.start(source.begin(r, self))
	return c
}

// start waits for the source's start to finish.
func (c *byteController) start(result goja.Value) {
	c.r.Then(c.r.Resolved(result), func(goja.Value) goja.Value {
		c.started = true
		c.pullIfNeeded()
		return nil
	}, func(e goja.Value) goja.Value { c.error(e); return nil })
}

func (c *byteController) native() Source { return nil }
func (c *byteController) open() bool     { return !c.closing && c.s.state == streamReadable }

func (c *byteController) shouldPull() bool {
	if !c.open() || !c.started {
		return false
	}
	if rd := c.s.reader; rd != nil && len(rd.requests) > 0 {
		return true
	}
	return c.high-float64(c.total) > 0
}

func (c *byteController) pullIfNeeded() {
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
	}, func(e goja.Value) goja.Value { c.error(e); return nil })
}

// takeRequest makes the request void and its buffer ours again.
func (c *byteController) takeRequest() {
	if c.request != nil && !c.request.buffer.Detached() {
		c.request.buffer.Detach()
	}
	c.dropRequest()
}

// dropRequest makes the request void.
func (c *byteController) dropRequest() {
	if c.request != nil {
		c.request.c, c.request.view = nil, goja.Null()
		c.request = nil
	}
}

func (c *byteController) error(e goja.Value) {
	if c.s.state != streamReadable {
		return
	}
	c.dropRequest()
	c.pulls, c.queue, c.total = nil, nil, 0
	c.pullAlg, c.cancelAlg = nil, nil
	c.s.fail(e)
}

func (c *byteController) close() {
	if c.total > 0 {
		c.closing = true
		return
	}
	if len(c.pulls) > 0 && c.pulls[0].filled%c.pulls[0].elem != 0 {
		e := c.r.VM.NewTypeError("The stream was closed with an element half filled.")
		c.error(e)
		panic(e)
	}
	c.closing = true
	c.pullAlg, c.cancelAlg = nil, nil
	c.s.close()
}

// enqueue takes over the bytes of a chunk.
func (c *byteController) enqueue(b []byte) {
	if len(c.pulls) > 0 {
		c.takeRequest()
		if p := c.pulls[0]; p.orphan {
			c.pulls = c.pulls[1:]
			if p.filled > 0 {
				c.push(append([]byte(nil), p.data[p.offset:p.offset+p.filled]...))
			}
		}
	}
	switch rd := c.s.reader; {
	case rd == nil:
		c.push(b)
	case !rd.byob:
		for c.total > 0 && len(rd.requests) > 0 {
			rd.shift().chunk(c.r.Uint8Array(c.pop()))
		}
		if len(rd.requests) == 0 {
			c.push(b)
		} else {
			if len(c.pulls) > 0 {
				c.pulls = c.pulls[1:]
			}
			rd.shift().chunk(c.r.Uint8Array(b))
		}
	default:
		c.push(b)
		c.fillPulls()
	}
	c.pullIfNeeded()
}

func (c *byteController) push(b []byte) {
	c.queue = append(c.queue, b)
	c.total += len(b)
}

func (c *byteController) pop() []byte {
	b := c.queue[0]
	c.queue = c.queue[1:]
	c.total -= len(b)
	if c.total == 0 && c.closing {
		c.pullAlg, c.cancelAlg = nil, nil
		c.s.close()
	}
	return b
}

// fill copies from the queue and reports whether the buffer can be handed out.
func (c *byteController) fill(p *pullInto) bool {
	limit := min(c.total, p.length-p.filled)
	ready := false
	if whole := (p.filled + limit) / p.elem * p.elem; whole >= p.least {
		limit = whole - p.filled
		ready = true
	}
	for limit > 0 {
		first := c.queue[0]
		n := copy(p.data[p.offset+p.filled:p.offset+p.length], first[:min(limit, len(first))])
		p.filled += n
		limit -= n
		c.total -= n
		if n == len(first) {
			c.queue = c.queue[1:]
		} else {
			c.queue[0] = first[n:]
		}
	}
	return ready
}

// fillPulls hands out the buffers that the queue can fill.
func (c *byteController) fillPulls() {
	for len(c.pulls) > 0 && c.total > 0 && len(c.s.reader.requests) > 0 {
		p := c.pulls[0]
		if !c.fill(p) {
			return
		}
		c.pulls = c.pulls[1:]
		c.commit(p)
	}
}

// viewOf makes the view of what has been filled.
func (c *byteController) viewOf(p *pullInto) goja.Value {
	v, err := c.r.VM.New(c.r.VM.Get(p.view), c.r.Buffer(p.data), c.r.VM.ToValue(p.offset), c.r.VM.ToValue(p.filled/p.elem))
	if err != nil {
		panic(err)
	}
	return v
}

func (c *byteController) commit(p *pullInto) {
	q := c.s.reader.shift()
	v := c.viewOf(p)
	if c.s.state == streamClosed {
		q.close(v)
	} else {
		q.chunk(v)
	}
}

func (c *byteController) pullSteps(q *readRequest) {
	if c.total > 0 {
		b := c.pop()
		if c.s.state == streamReadable {
			c.pullIfNeeded()
		}
		q.chunk(c.r.Uint8Array(b))
		return
	}
	if c.auto > 0 {
		c.pulls = append(c.pulls, &pullInto{data: make([]byte, c.auto), length: c.auto, least: 1, elem: 1, view: "Uint8Array", auto: true})
	}
	c.s.reader.requests = append(c.s.reader.requests, q)
	c.pullIfNeeded()
}

// pullInto is ReadableByteStreamControllerPullInto.
func (c *byteController) pullInto(p *pullInto, q *readRequest) {
	if len(c.pulls) > 0 {
		c.pulls = append(c.pulls, p)
		c.s.reader.requests = append(c.s.reader.requests, q)
		return
	}
	if c.s.state == streamClosed {
		p.filled = 0
		q.close(c.viewOf(p))
		return
	}
	if c.total > 0 {
		if c.fill(p) {
			if c.total == 0 && c.closing {
				c.pullAlg, c.cancelAlg = nil, nil
				c.s.close()
			} else {
				c.pullIfNeeded()
			}
			q.chunk(c.viewOf(p))
			return
		}
		if c.closing {
			e := c.r.VM.NewTypeError("The stream was closed with an element half filled.")
			c.error(e)
			q.fail(e)
			return
		}
	}
	c.pulls = append(c.pulls, p)
	c.s.reader.requests = append(c.s.reader.requests, q)
	c.pullIfNeeded()
}

func (c *byteController) cancelSteps(reason goja.Value) goja.Value {
	c.dropRequest()
	c.pulls, c.queue, c.total = nil, nil, 0
	alg := c.cancelAlg
	c.pullAlg, c.cancelAlg = nil, nil
	if alg == nil {
		return c.r.Resolved(goja.Undefined())
	}
	return alg(reason)
}

func (c *byteController) releaseSteps() {
	if len(c.pulls) > 0 {
		c.pulls[0].orphan = true
		c.pulls = c.pulls[:1]
	}
}

// checkView throws unless a view, by the size of its buffer, its offset and its
// length, may answer for the first buffer.
func (c *byteController) checkView(size, offset, length int) {
	switch p := c.pulls[0]; {
	case (c.s.state == streamClosed) != (length == 0):
		c.r.TypeError("The view has no bytes while the stream is open, or has some once it is closed.")
	case p.offset+p.filled != offset:
		c.r.RangeError("The view is not at the offset that was asked for.")
	case len(p.data) != size:
		c.r.RangeError("The view's buffer is not of the size that was asked for.")
	case p.filled+length > p.length:
		c.r.RangeError("The view is larger than the buffer that was asked for.")
	}
}

// respondWith is respond where data, which checkView has allowed, takes the place of
// the first buffer.
func (c *byteController) respondWith(data []byte, n int) {
	c.pulls[0].data = data
	c.respond(n)
}

// respond says that n bytes of the first buffer have been written.
func (c *byteController) respond(n int) {
	p := c.pulls[0]
	if c.s.state == streamClosed {
		if n != 0 {
			c.r.TypeError("A closed stream takes no bytes.")
		}
		c.takeRequest()
		if p.orphan {
			c.pulls = c.pulls[1:]
		}
		for rd := c.s.reader; rd != nil && rd.byob && len(rd.requests) > 0 && len(c.pulls) > 0; {
			p := c.pulls[0]
			c.pulls = c.pulls[1:]
			p.filled = 0
			rd.shift().close(c.viewOf(p))
		}
		return
	}
	if n == 0 {
		c.r.TypeError("respond needs at least one byte while the stream is open.")
	}
	if p.filled+n > p.length {
		c.r.RangeError("respond was given more bytes than the buffer holds.")
	}
	c.takeRequest()
	p.filled += n
	if p.orphan {
		c.pulls = c.pulls[1:]
		c.push(append([]byte(nil), p.data[p.offset:p.offset+p.filled]...))
		c.pullIfNeeded()
		return
	}
	if p.filled < p.least {
		c.pullIfNeeded()
		return
	}
	c.pulls = c.pulls[1:]
	if rest := p.filled % p.elem; rest > 0 {
		end := p.offset + p.filled
		c.push(append([]byte(nil), p.data[end-rest:end]...))
		p.filled -= rest
	}
	if c.s.reader != nil && len(c.s.reader.requests) > 0 {
		c.commit(p)
		if c.s.reader != nil && c.s.reader.byob {
			c.fillPulls()
		}
	}
	c.pullIfNeeded()
}
