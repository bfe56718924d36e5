package webapi

import (
	"github.com/dop251/goja"

	"samkit.dev/internal/htmlrewrite"
	"samkit.dev/internal/jsrt"
)

// A rewriteSource is a body that is rewritten as it is read. It stops where a handler waits
// for something, and goes on when that has come.
type rewriteSource struct {
	r       *Realm
	rules   *htmlRewriter
	in      Source
	rw      *htmlrewrite.Rewriter
	context any // that was current when transform was called

	input  []byte // that has come, but is not rewritten yet
	closed bool   // no more comes
	ended  bool   // the rewriter knows
	done   bool   // no more output comes
	failed goja.Value

	out     []htmlrewrite.Segment
	stream  Source // the contents of a segment that is being read
	text    bool   // they are text
	piece   []byte // of them
	waiting bool   // for a promise, or for input
	deliver func([]byte, bool, goja.Value)
}

// rewritePiece is how much input is rewritten before what it gave is handed on.
const rewritePiece = 64 << 10

func (s *rewriteSource) Pull(deliver func([]byte, bool, goja.Value)) {
	s.deliver = deliver
	if !s.waiting {
		s.run()
	}
}

func (s *rewriteSource) Cancel(reason goja.Value) {
	if s.done {
		return
	}
	s.done = true
	if s.stream != nil {
		s.stream.Cancel(reason)
	}
	s.in.Cancel(reason)
}

// run goes on until there is something to deliver or to wait for.
func (s *rewriteSource) run() {
	for s.deliver != nil && !s.waiting {
		switch {
		case len(s.piece) > 0:
			piece := s.piece
			s.piece = nil
			s.give(piece, false, nil)
		case s.stream != nil:
			s.await(func(resume func()) { s.readStream(resume) })
		case len(s.out) > 0:
			seg := s.out[0]
			s.out = s.out[1:]
			if seg.Stream == nil {
				s.give(seg.Bytes, false, nil)
				break
			}
			s.stream, s.text = seg.Stream.Stream.(Source), !seg.Stream.HTML
		case s.failed != nil: // after what came before
			s.give(nil, false, s.failed)
		case s.done:
			s.give(nil, true, nil)
		default:
			s.step()
		}
	}
}

func (s *rewriteSource) give(chunk []byte, done bool, err goja.Value) {
	deliver := s.deliver
	s.deliver = nil
	deliver(chunk, done, err)
}

// await starts something that calls resume once, perhaps at once.
func (s *rewriteSource) await(start func(resume func())) {
	s.waiting = true
	now := true
	start(func() {
		s.waiting = false
		if !now {
			s.run()
		}
	})
	now = false
}

// step calls the next handler, or reads more input.
func (s *rewriteSource) step() {
	s.r.Yield()
	if s.rw.Pending() > rewritePiece {
		s.collect()
		if len(s.out) > 0 {
			return
		}
	}
	c, err := s.rw.Next()
	switch {
	case err != nil:
		s.fail(s.r.VM.NewTypeError("Parser error: %s", err.Error()))
	case c.Unit != nil:
		s.call(&c)
	default:
		s.collect()
		switch {
		case !s.closed || len(s.input) > 0:
			s.feed()
		case !s.ended:
			s.ended = true
			s.rw.Close()
		default:
			s.done = true
		}
	}
}

func (s *rewriteSource) collect() { s.out = append(s.out, s.rw.Output()...) }

func (s *rewriteSource) fail(err goja.Value) {
	if s.done {
		return
	}
	s.collect() // what came before is still good
	s.done, s.failed = true, err
	s.in.Cancel(err)
}

// feed gives the rewriter more input.
func (s *rewriteSource) feed() {
	if len(s.input) > 0 {
		n := min(len(s.input), rewritePiece)
		s.rw.Write(s.input[:n:n])
		s.input = s.input[n:]
		return
	}
	if len(s.out) > 0 { // goes first
		return
	}
	s.await(func(resume func()) {
		s.in.Pull(func(chunk []byte, done bool, err goja.Value) {
			s.input = chunk
			switch {
			case err != nil:
				s.done, s.failed = true, err
			case done:
				s.closed = true
			}
			resume()
		})
	})
}

// readStream delivers a piece of content that comes in a stream.
func (s *rewriteSource) readStream(resume func()) {
	s.stream.Pull(func(chunk []byte, done bool, err goja.Value) {
		if err != nil {
			s.stream = nil
			s.fail(err)
		} else {
			if done {
				s.stream = nil
			}
			if len(chunk) > 0 {
				if s.text {
					chunk = []byte(htmlrewrite.Escape(string(chunk)))
				}
				s.piece = chunk
			}
		}
		resume()
	})
}

// call calls a handler. While what it returned is pending, what has been rewritten already
// is handed on.
func (s *rewriteSource) call(c *htmlrewrite.Call) {
	r := s.r
	tok, arg := r.unitObject(c.Unit)
	var result goja.Value
	before := r.Context
	r.Context = s.context
	thrown := r.Try(func() { result = s.handle(c, arg) })
	r.Context = before
	if thrown != nil {
		tok.end()
		s.fail(thrown)
		return
	}
	o, ok := result.(*goja.Object)
	if !ok {
		tok.end()
		return
	}
	promise, ok := jsrt.IsPromise(o)
	if ok && promise.State() == goja.PromiseStateFulfilled || !ok && !r.thenable(o) {
		tok.end()
		return
	}
	s.collect()
	s.await(func(resume func()) {
		settle := func(err goja.Value) goja.Value {
			tok.end()
			if err != nil {
				s.fail(err)
			}
			resume()
			return nil
		}
		r.Then(o, func(goja.Value) goja.Value { return settle(nil) }, settle)
	})
	if s.waiting && len(s.out) > 0 && s.deliver != nil && s.out[0].Stream == nil {
		seg := s.out[0]
		s.out = s.out[1:]
		s.give(seg.Bytes, false, nil)
	}
}

// thenable reports whether an object is a promise of somebody's own.
func (r *Realm) thenable(o *goja.Object) (yes bool) {
	r.Try(func() { _, yes = goja.AssertFunction(o.Get("then")) })
	return yes
}

func (s *rewriteSource) handle(c *htmlrewrite.Call, arg goja.Value) goja.Value {
	if c.Handler != nil {
		return s.r.Call(c.Handler.(goja.Callable), goja.Undefined(), arg)
	}
	on := s.rules.of(c.Rule)
	var fn goja.Callable
	switch c.Unit.(type) {
	case *htmlrewrite.Element:
		fn = on.element
	case *htmlrewrite.Text:
		fn = on.text
	case *htmlrewrite.Comment:
		fn = on.comments
	case *htmlrewrite.Doctype:
		fn = on.doctype
	case *htmlrewrite.End:
		fn = on.end
	}
	return s.r.Call(fn, on.this, arg)
}
