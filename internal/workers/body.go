package workers

import (
	"github.com/dop251/goja"

	"samkit.dev/internal/isolate"
)

// A bodySource is a request body that comes in frames, one piece for each pull.
type bodySource struct {
	c       *call
	asked   bool // a piece is on its way
	deliver func([]byte, bool, goja.Value)
	closed  bool
	err     goja.Value
}

func (s *bodySource) Pull(deliver func(chunk []byte, done bool, err goja.Value)) {
	if s.closed || s.c.ended {
		deliver(nil, s.err == nil, s.err)
		return
	}
	s.deliver = deliver
	s.asked = true
	s.c.in.waiting++
	s.c.r.send(func(b []byte) []byte { return isolate.AppendFrame(b, framePull, s.c.id, "") })
}

func (s *bodySource) Cancel(goja.Value) { s.closed = true }

// close ends the body with an error.
func (s *bodySource) close(err goja.Value) {
	s.closed, s.err = true, err
	if s.asked {
		s.asked = false
		s.c.in.waiting--
		s.deliver(nil, false, err)
	}
}

// arrive takes a body frame: whether it is the last, an error, a piece.
func (c *call) arrive(rd *isolate.Reader) {
	done, message, piece := rd.Bool(), rd.String(), rd.Rest()
	s := c.body
	if rd.Err() != nil || s == nil || !s.asked {
		return
	}
	s.asked = false
	c.in.waiting--
	c.in.enter(c, func() {
		if message != "" {
			s.closed, s.err = true, c.in.realm.NewError("TypeError", message)
			s.deliver(nil, false, s.err)
			return
		}
		if done {
			s.closed = true
			if piece == "" {
				s.deliver(nil, true, nil)
				return
			}
		}
		s.deliver([]byte(piece), false, nil)
	})
}
