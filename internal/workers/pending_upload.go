package workers

import (
	"errors"
	"io"
	"sync"

	"samkit.dev/internal/isolate"
)

// An upload is a request body that comes in pieces. A piece is asked for when the
// one before has been taken: the answer to a piece says from which offset on
// more is wanted, so a body of bytes can be wanted from its start again. The
// answer to the last piece waits for the end of the exchange.
type upload struct {
	e     *exchange
	again bool // it can be read from the start more than once

	mu       sync.Mutex // guards the rest
	change   *sync.Cond
	reads    int     // readers so far
	open     bool    // the last of them has not been closed
	wanted   uint64  // offset of the next piece
	call     *opCall // of the piece that has not been answered
	data     string  // of it, what has not been read
	last     bool    // it is the last
	answered bool
	over     bool
	informed bool // that it is over
}

func newUpload(e *exchange, again bool) *upload {
	u := &upload{e: e, again: again}
	u.change = sync.NewCond(&u.mu)
	return u
}

// offer takes a piece. It reports false if one is waiting still.
func (u *upload) offer(o opCall, offset uint64, last bool, data string) bool {
	u.mu.Lock()
	if u.call != nil {
		u.mu.Unlock()
		return false
	}
	u.call = &o
	switch {
	case u.over:
		u.answer(pushedAll)
		return true
	case offset != u.wanted:
		u.answer(u.wanted)
		return true
	case offset+uint64(len(data)) > uint64(u.e.p.limits.RequestBody):
		u.over = true
		u.e.cancel(u.e.p.networkLimit("limit_fetch_request")) // before the reader fails, for whatever reason that would be
		u.change.Broadcast()
		u.answer(pushedAll)
		return true
	}
	u.data, u.last = data, last
	u.change.Broadcast()
	u.mu.Unlock()
	return true
}

// answer answers the piece that is there. It unlocks u.mu, which the caller holds.
func (u *upload) answer(wanted uint64) {
	o := u.call
	u.informed = u.informed || o != nil && wanted == pushedAll
	u.call, u.data, u.last = nil, "", false
	u.mu.Unlock()
	if o != nil {
		u.e.settle(*o, func(b []byte) []byte { return isolate.AppendUint64(b, wanted) }, nil)
	}
}

var errOnce = errors.New("workers: a stream cannot be sent again")

// reader returns the body from its start.
func (u *upload) reader() (io.ReadCloser, error) {
	u.mu.Lock()
	if u.reads > 0 && !u.again {
		u.mu.Unlock()
		return nil, errOnce
	}
	u.reads++
	u.open = true
	r := &uploadReader{u: u, turn: u.reads}
	if u.reads > 1 && u.wanted != 0 {
		u.wanted = 0
		u.answer(0)
		return r, nil
	}
	u.mu.Unlock()
	return r, nil
}

// told reports whether the runner knows that nothing more is wanted.
func (u *upload) told() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.informed
}

// headed is told that no reader comes any more: there is a response, or none will be.
func (u *upload) headed(failed bool) {
	u.mu.Lock()
	u.answered = true
	if failed || !u.open {
		u.finish()
		return
	}
	u.mu.Unlock()
}

// end is told that the exchange has been stopped.
func (u *upload) end() {
	u.mu.Lock()
	u.call = nil // nobody waits for the answer
	u.finish()
}

// finish says that nothing more is wanted. It unlocks u.mu, which the caller holds.
func (u *upload) finish() {
	u.over = true
	u.change.Broadcast()
	u.answer(pushedAll)
}

// An uploadReader reads the body once.
type uploadReader struct {
	u    *upload
	turn int
	eof  bool
}

// Read implements [io.Reader].
func (r *uploadReader) Read(dst []byte) (int, error) {
	u := r.u
	u.mu.Lock()
	for {
		switch {
		case u.over || r.turn != u.reads || !u.open:
			u.mu.Unlock()
			return 0, io.ErrClosedPipe
		case r.eof:
			u.mu.Unlock()
			return 0, io.EOF
		case u.call != nil && u.data != "":
			n := copy(dst, u.data)
			u.data = u.data[n:]
			u.wanted += uint64(n)
			if u.data == "" && !u.last {
				u.answer(u.wanted)
				return n, nil
			}
			r.eof = u.data == ""
			u.mu.Unlock()
			return n, nil
		case u.call != nil && u.last:
			r.eof = true
			u.mu.Unlock()
			return 0, io.EOF
		}
		u.change.Wait()
	}
}

// Close implements [io.Closer].
func (r *uploadReader) Close() error {
	u := r.u
	u.mu.Lock()
	if r.turn != u.reads || !u.open {
		u.mu.Unlock()
		return nil
	}
	u.open = false
	u.change.Broadcast()
	if u.answered {
		u.finish()
		return nil
	}
	u.mu.Unlock()
	return nil
}
