package webapi

import (
	"github.com/dop251/goja"

	"samkit.dev/internal/jsrt"
)

// sourceOf locks a stream and returns its contents as a Source of bytes. A stream over
// a Go source that nobody has touched gives that source itself.
func (r *Realm) sourceOf(s *readableStream) Source {
	native := s.ctrl.native()
	rd := s.acquire()
	if native != nil {
		s.wasUsed = true
		return native
	}
	return &readerSource{r: r, rd: rd}
}

// whole takes all contents of a stream that is only another form of bytes, as that of
// new Response(other.body, other), which middleware does all the time.
func (s *readableStream) whole() ([]byte, bool) {
	src, ok := s.ctrl.native().(*bytesSource)
	if !ok || s.locked() {
		return nil, false
	}
	data := src.data
	src.data = nil
	s.disturb(s.r)
	s.reader = &streamReader{r: s.r, stream: s} // for good, as of whoever reads a body to its end; nobody sees its promise
	return data, true
}

// readerSource reads a stream of JavaScript's.
type readerSource struct {
	r  *Realm
	rd *streamReader
}

func (s *readerSource) Pull(deliver func([]byte, bool, goja.Value)) {
	s.rd.read(&readRequest{
		chunk: func(v goja.Value) {
			b, ok := s.r.Bytes(v)
			if !ok {
				e := s.r.VM.NewTypeError("This ReadableStream did not return bytes.")
				s.Cancel(e)
				deliver(nil, false, e)
				return
			}
			deliver(append([]byte(nil), b...), false, nil)
		},
		close: func(goja.Value) { deliver(nil, true, nil) },
		fail:  func(e goja.Value) { deliver(nil, false, e) },
	})
}

func (s *readerSource) Cancel(reason goja.Value) {
	if s.rd.stream != nil {
		s.r.Handled(s.rd.stream.cancel(reason))
	}
}

// tee returns two streams of a stream's chunks. Those of a byte stream are copies.
func (r *Realm) tee(s *readableStream) (a, b *readableStream) {
	if !s.locked() && !s.busy() && s.asBytes() {
		return r.teeBytes(s)
	}
	rd := s.acquire()
	t := &teeing{r: r, s: s, rd: rd, done: r.Defer()}
	branch := func(k int) *readableStream {
		st := &readableStream{r: r}
		c := &defaultController{r: r, s: st, high: 1}
		st.ctrl = c
		c.pullAlg = t.pull
		c.cancelAlg = func(reason goja.Value) goja.Value { return t.cancel(k, reason) }
		t.branch[k] = c
		c.start(goja.Undefined())
		return st
	}
	a, b = branch(0), branch(1)
	r.Then(rd.closed.Promise, nil, func(e goja.Value) goja.Value {
		t.branch[0].error(e)
		t.branch[1].error(e)
		if !t.canceled[0] || !t.canceled[1] {
			t.done.Resolve(goja.Undefined())
		}
		return nil
	})
	return a, b
}

// teeing is the state that two branches share.
type teeing struct {
	r              *Realm
	s              *readableStream
	rd             *streamReader
	branch         [2]*defaultController
	canceled       [2]bool
	reason         [2]goja.Value
	reading, again bool
	done           *jsrt.Deferred
}

func (t *teeing) pull() goja.Value {
	if t.reading {
		t.again = true
		return t.r.Resolved(goja.Undefined())
	}
	t.reading = true
	t.rd.read(&readRequest{
		chunk: func(v goja.Value) {
			// As a microtask, so that a branch that is errored meanwhile gets no chunk.
			t.r.Then(t.r.Resolved(goja.Undefined()), func(goja.Value) goja.Value {
				t.again = false
				for k, c := range t.branch {
					if !t.canceled[k] && c.open() {
						c.enqueue(v)
					}
				}
				t.reading = false
				if t.again {
					t.pull()
				}
				return nil
			}, nil)
		},
		close: func(goja.Value) {
			t.reading = false
			for k, c := range t.branch {
				if !t.canceled[k] && c.open() {
					c.close()
				}
			}
			if !t.canceled[0] || !t.canceled[1] {
				t.done.Resolve(goja.Undefined())
			}
		},
		fail: func(goja.Value) { t.reading = false },
	})
	return t.r.Resolved(goja.Undefined())
}

func (t *teeing) cancel(k int, reason goja.Value) goja.Value {
	t.canceled[k], t.reason[k] = true, reason
	if t.canceled[1-k] {
		t.done.Resolve(t.s.cancel(t.r.VM.NewArray(t.reason[0], t.reason[1])))
	}
	return t.done.Promise
}
