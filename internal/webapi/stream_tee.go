package webapi

import (
	"bytes"

	"github.com/dop251/goja"

	"samkit.dev/internal/jsrt"
)

// A byteTeeing is the state that the branches of a byte stream share.
type byteTeeing struct {
	r        *Realm
	s        *readableStream
	rd       *streamReader // of one kind or the other, as a branch needs it
	branch   [2]*byteController
	canceled [2]bool
	reason   [2]goja.Value
	reading  bool
	again    [2]bool
	done     *jsrt.Deferred
}

// teeBytes is ReadableByteStreamTee.
func (r *Realm) teeBytes(s *readableStream) (a, b *readableStream) {
	t := &byteTeeing{r: r, s: s, rd: s.acquire(), done: r.Defer()}
	branch := func(k int) *readableStream {
		st := &readableStream{r: r}
		c := &byteController{r: r, s: st}
		st.ctrl = c
		c.pullAlg = func() goja.Value { return t.pull(k) }
		c.cancelAlg = func(reason goja.Value) goja.Value { return t.cancel(k, reason) }
		t.branch[k] = c
		c.start(goja.Undefined())
		return st
	}
	a, b = branch(0), branch(1)
	t.forwardError()
	return a, b
}

// forwardError errors the branches where the reader that is in use now fails.
func (t *byteTeeing) forwardError() {
	rd := t.rd
	t.r.Then(rd.closed.Promise, nil, func(e goja.Value) goja.Value {
		if t.rd == rd {
			t.branch[0].error(e)
			t.branch[1].error(e)
			t.finish()
		}
		return nil
	})
}

// finish settles cancel, unless both branches were canceled and wait for the source.
func (t *byteTeeing) finish() {
	if !t.canceled[0] || !t.canceled[1] {
		t.done.Resolve(goja.Undefined())
	}
}

// use releases the reader for one of the other kind.
func (t *byteTeeing) use(byob bool) {
	if t.rd.byob == byob {
		return
	}
	t.rd.release()
	if byob {
		t.rd = t.s.acquireBYOB()
	} else {
		t.rd = t.s.acquire()
	}
	t.forwardError()
}

// pull reads for branch k, into its buffer if it has one.
func (t *byteTeeing) pull(k int) goja.Value {
	switch {
	case t.reading:
		t.again[k] = true
	case len(t.branch[k].pulls) > 0:
		t.reading = true
		t.readInto(k)
	default:
		t.reading = true
		t.read()
	}
	return t.r.Resolved(goja.Undefined())
}

// later runs the steps of a chunk as a microtask, so that an error that comes with it
// is seen first, and pulls again if a branch has asked meanwhile.
func (t *byteTeeing) later(steps func()) {
	t.r.Then(t.r.Resolved(goja.Undefined()), func(goja.Value) goja.Value {
		t.again = [2]bool{}
		steps()
		t.reading = false
		if t.again[0] {
			t.pull(0)
		} else if t.again[1] {
			t.pull(1)
		}
		return nil
	}, nil)
}

func (t *byteTeeing) read() {
	t.use(false)
	t.rd.read(&readRequest{
		chunk: func(v goja.Value) {
			t.later(func() {
				b, _ := t.r.Bytes(v)
				t.enqueue(0, bytes.Clone(b))
				t.enqueue(1, b)
			})
		},
		close: func(goja.Value) {
			t.reading = false
			for k := range t.branch {
				t.end(k)
			}
			t.finish()
		},
		fail: func(goja.Value) { t.reading = false },
	})
}

// readInto has the source fill the buffer that branch k was given.
func (t *byteTeeing) readInto(k int) {
	t.use(true)
	want := t.branch[k].pulls[0]
	into := &pullInto{data: want.data, offset: want.offset + want.filled, length: want.length - want.filled, least: 1, elem: 1, view: "Uint8Array"}
	q := &readRequest{
		chunk: func(v goja.Value) {
			t.later(func() {
				data, offset, n := t.r.takeBytes(v)
				t.enqueue(1-k, bytes.Clone(data[offset:offset+n]))
				if t.live(k) {
					t.branch[k].respondWith(data, n)
				}
			})
		},
		close: func(v goja.Value) {
			t.reading = false
			for b := range t.branch {
				t.end(b)
			}
			t.finish()
		},
		fail: func(goja.Value) { t.reading = false },
	}
	t.s.wasUsed = true
	if t.s.state == streamErrored {
		q.fail(t.s.stored)
		return
	}
	t.s.ctrl.(*byteController).pullInto(into, q)
}

// live reports whether a branch still waits for its buffer.
func (t *byteTeeing) live(k int) bool {
	return !t.canceled[k] && t.branch[k].s.state == streamReadable && len(t.branch[k].pulls) > 0
}

// enqueue gives a branch a chunk, unless it was canceled.
func (t *byteTeeing) enqueue(k int, b []byte) {
	if c := t.branch[k]; !t.canceled[k] && c.open() && len(b) > 0 {
		c.enqueue(b)
	}
}

// end closes a branch and answers what waits in it.
func (t *byteTeeing) end(k int) {
	c := t.branch[k]
	if t.canceled[k] {
		return
	}
	if c.open() {
		c.finish()
	}
}

func (t *byteTeeing) cancel(k int, reason goja.Value) goja.Value {
	t.canceled[k], t.reason[k] = true, reason
	if t.canceled[1-k] {
		t.done.Resolve(t.s.cancel(t.r.VM.NewArray(t.reason[0], t.reason[1])))
	}
	return t.done.Promise
}
