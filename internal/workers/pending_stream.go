package workers

import (
	"context"
	"io"
	"sync"

	"samkit.dev/host"
	"samkit.dev/internal/isolate"
)

// A function of a caller may stream its result. The answer to the call has what is there at once; the rest is asked for
// piece by piece, by calls of the same binding that name no function but the call that began.

// What such a call does.
const (
	streamPull byte = iota
	streamStop
)

// maxStreams is how many streams of a request are open at once. Each may hold a piece that was read ahead.
const maxStreams = 64

// callerStreams are the streams of a request that have not ended.
type callerStreams struct {
	mu    sync.Mutex // guards what follows
	byID  map[uint32]*callerStream
	ended bool
}

// A callerStream is what a function of a caller streams.
type callerStream struct {
	binding uint32
	cancel  context.CancelFunc
	how     host.Streaming
	body    io.ReadCloser // nil until it is taken
	down    *download
	pulling bool // guarded by the mu of callerStreams
}

// take is given the stream by the function.
func (s *callerStream) take(h *host.Stream) {
	if s.body != nil { // of a caller that calls two
		s.body.Close()
	}
	s.how, s.body = h.Streaming, h.Body
}

// close ends the function's side, after a read that still runs.
func (s *callerStream) close() {
	s.cancel()
	if s.down != nil {
		s.down.close()
	} else if s.body != nil {
		s.body.Close()
	}
}

var (
	errStreamOver = &host.Error{Code: host.NotFound, Message: "The stream has ended."}
	errStreams    = &host.Error{Code: host.Exhausted, Message: "Too many streams of this request are open.", Hint: "Read one to its end, or cancel it, before the next."}
)

// begin answers a call with its stream's first piece.
func (x *callerStreams) begin(o opCall, s *callerStream, b []byte) ([]byte, error) {
	s.down = &download{body: s.body, left: 1 << 62, size: -1}
	first, last, err := s.down.begin()
	if err != nil {
		s.close()
		return nil, err
	}
	if last {
		s.close()
	} else if err := x.keep(o.id, s); err != nil {
		s.close()
		return nil, err
	}
	b = isolate.AppendBool(append(b, byte(s.how)), last)
	return isolate.AppendBytes(b, first), nil
}

func (x *callerStreams) keep(id uint32, s *callerStream) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	switch {
	case x.ended || x.byID[id] != nil:
		return errStreamOver
	case len(x.byID) >= maxStreams:
		return errStreams
	case x.byID == nil:
		x.byID = map[uint32]*callerStream{}
	}
	x.byID[id] = s
	return nil
}

// perform does what a call asks that names no function.
func (x *callerStreams) perform(o opCall, rd *isolate.Reader, b []byte) ([]byte, error) {
	action, id := rd.Byte(), rd.Uint32()
	if err := rd.Close(); err != nil {
		return nil, err
	}
	x.mu.Lock()
	s := x.byID[id]
	ok := s != nil && s.binding == o.binding && (action == streamStop || !s.pulling)
	if ok && action == streamStop {
		delete(x.byID, id)
	} else if ok {
		s.pulling = true
	}
	x.mu.Unlock()
	switch {
	case !ok:
		return nil, errStreamOver
	case action == streamStop:
		s.close()
		return b, nil
	}
	piece, last, err := s.down.next()
	if err == nil && !last && len(piece) < maxWhole { // and what comes with it
		var more []byte
		more, last, err = s.down.begin()
		if err != nil {
			s.down.put(err)
			last, err = false, nil
		}
		piece = append(piece, more...)
	}
	x.mu.Lock()
	s.pulling = false
	if last || err != nil {
		delete(x.byID, id)
	}
	x.mu.Unlock()
	if last || err != nil {
		s.close()
	}
	if err != nil {
		return nil, err
	}
	return append(isolate.AppendBool(b, last), piece...), nil
}

// stops reports whether a call does nothing but stop a stream, and so is none that is counted.
func (x *callerStreams) stops(o opCall) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	if len(x.byID) == 0 {
		return false
	}
	rd := isolate.NewReader(o.payload)
	if rd.String() != "" || rd.Byte() != streamStop {
		return false
	}
	s := x.byID[rd.Uint32()]
	return rd.Close() == nil && s != nil && s.binding == o.binding
}

// end ends all of them. A function that does not heed its context is waited for by a task.
func (x *callerStreams) end(task func(func())) {
	x.mu.Lock()
	x.ended = true
	all := x.byID
	x.byID = nil
	x.mu.Unlock()
	for _, s := range all {
		s.cancel()
		task(s.close)
	}
}
