package workers

import (
	"bytes"

	"github.com/dop251/goja"

	"samkit.dev/host"
	"samkit.dev/internal/isolate"
)

// A streaming is a stream of a caller's function, as the runner has it.
type streaming struct {
	in      *instance
	c       *call
	binding uint32
	id      uint32 // of the call that began it
	first   []byte
	last    bool
	rest    []byte // of values: a line that is not whole yet
	pull    *op    // until it is answered
	closed  bool
}

// stream makes the result of a call from its answer.
func (in *instance) stream(o *op, how host.Streaming, rd *isolate.Reader) goja.Value {
	s := &streaming{in: in, c: o.call, binding: o.binding, id: o.id, last: rd.Bool()}
	s.first = []byte(rd.String())
	if how == host.Values {
		return in.realm.NewReadableStream(lineSource{s}, s.values)
	}
	return in.realm.NewReadableStream(s, nil)
}

// A lineSource gives chunks with the end of a line in them, since a stream waits for something after each.
type lineSource struct{ *streaming }

// Pull implements [webapi.Source].
func (s lineSource) Pull(deliver func([]byte, bool, goja.Value)) {
	s.streaming.Pull(func(chunk []byte, done bool, thrown goja.Value) {
		if done || thrown != nil || bytes.IndexByte(chunk, '\n') >= 0 {
			deliver(chunk, done, thrown)
			return
		}
		s.rest = append(s.rest, chunk...)
		s.Pull(deliver)
	})
}

// values are the values whose lines are whole.
func (s *streaming) values(chunk []byte) (all []goja.Value) {
	s.rest = append(s.rest, chunk...)
	for {
		line, rest, whole := bytes.Cut(s.rest, []byte("\n"))
		if !whole {
			return all
		}
		s.rest = rest
		all = append(all, s.in.realm.ParseJSON(string(line)))
	}
}

// Pull implements [webapi.Source].
func (s *streaming) Pull(deliver func([]byte, bool, goja.Value)) {
	first := s.first
	s.first = nil
	switch {
	case s.closed:
		deliver(nil, true, nil)
		return
	case s.last:
		s.closed = true
		deliver(first, true, nil)
		return
	case len(first) > 0:
		deliver(first, false, nil)
		return
	case s.c.ended:
		s.closed = true
		deliver(nil, false, s.in.realm.NewError("TypeError", "The request that began this stream has ended, so it cannot be read any more."))
		return
	}
	if e := s.in.realm.Try(func() { s.in.chargeTo(s.c) }); e != nil {
		s.Cancel(goja.Undefined())
		deliver(nil, false, e)
		return
	}
	s.pull = s.ask(streamPull, func(rd *isolate.Reader, thrown goja.Value) {
		s.pull = nil
		last, piece := false, ""
		if thrown == nil {
			last, piece = rd.Bool(), rd.Rest()
		}
		s.closed = last || thrown != nil
		deliver([]byte(piece), last, thrown)
	})
}

// Cancel implements [webapi.Source].
func (s *streaming) Cancel(goja.Value) {
	if s.closed || s.last {
		return
	}
	s.closed, s.first, s.rest = true, nil, nil
	if s.pull != nil {
		s.pull.drop(s.in)
		s.pull = nil
	}
	if !s.c.ended {
		s.ask(streamStop, nil).drop(s.in)
	}
}

// ask sends a call about the stream.
func (s *streaming) ask(action byte, done func(*isolate.Reader, goja.Value)) *op {
	p := isolate.AppendUint32(append(isolate.AppendString(nil, ""), action), s.id)
	o := &op{binding: s.binding, payload: p, call: s.c, done: done}
	s.in.send(o)
	return o
}
