package isolate

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// flushSize is how much output a Link gathers before it writes.
const flushSize = 64 << 10

// A Frame is one message. Payload is a string so that its parts can be kept
// without another copy.
type Frame struct {
	Type    byte
	Call    uint32
	Payload string
}

// A Link is a worker's connection with its parent. It is made for an event
// loop of one goroutine: it is not safe for concurrent use.
type Link struct {
	t  transport
	in inbox

	mu    sync.Mutex // guards what follows from the timer
	out   []byte
	err   error       // of writing
	timer *time.Timer // of FlushWithin; nil until it is needed
	set   bool        // the timer will flush
}

// A transport is the system's part of a Link.
type transport interface {
	// read blocks until bytes arrive, and returns io.EOF when the parent is
	// gone. With a deadline it returns errTimeout after it.
	read(p []byte, deadline time.Time) (int, error)
	// write writes all of p.
	write(p []byte) error
}

func newLink(t transport) *Link { return &Link{t: t, in: inbox{limit: MaxFrame}} }

// Send appends the frames that f appends to the output, and writes it if it is
// large. Otherwise it is written by Flush, or when Next has to wait.
func (l *Link) Send(f func(b []byte) []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.out = f(l.out)
	if len(l.out) >= flushSize {
		l.flush()
	}
}

// Flush writes the output gathered by Send. Its error is final: the parent is
// gone.
func (l *Link) Flush() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.flush()
}

// FlushWithin has what is gathered now written after d, if nothing writes it before, whatever the event
// loop does meanwhile: it may be in a turn that never ends.
func (l *Link) FlushWithin(d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.set || len(l.out) == 0:
		return
	case l.timer == nil:
		l.timer = time.AfterFunc(d, func() { l.Flush() }) // an error is told by Next, if there is one more
	default:
		l.timer.Reset(d)
	}
	l.set = true
}

func (l *Link) flush() error {
	if l.set {
		l.timer.Stop()
		l.set = false
	}
	if len(l.out) > 0 && l.err == nil {
		if err := l.t.write(l.out); err != nil {
			l.err = fmt.Errorf("write to parent: %w", err)
		}
	}
	l.out = l.out[:0]
	if cap(l.out) > inboxKeep {
		l.out = nil
	}
	return l.err
}

// Buffered reports whether Next would return at once.
func (l *Link) Buffered() bool { return l.in.ready() }

// Next returns the next frame. If none is buffered it flushes the output and
// waits for one until the deadline; the zero time means for ever. A deadline
// that has passed still lets in what has arrived.
//
// ok is false if the deadline passed first. The error is io.EOF when the
// parent closed its side, and final in any case.
func (l *Link) Next(deadline time.Time) (f Frame, ok bool, err error) {
	for {
		b, err := l.in.next()
		if err != nil {
			return Frame{}, false, err
		}
		if b != nil {
			typ, call := header(b)
			payload := string(b[headerSize:])
			if typ != 0 {
				return Frame{typ, call, payload}, true, nil
			}
			if err := applyMemory(payload); err != nil {
				return Frame{}, false, err
			}
			continue
		}
		if err := l.Flush(); err != nil {
			return Frame{}, false, err
		}
		n, err := l.t.read(l.in.space(), deadline)
		if err == errTimeout {
			return Frame{}, false, nil
		}
		if n > 0 {
			l.in.filled(n)
			continue
		}
		if err == nil {
			err = io.EOF
		}
		return Frame{}, false, err
	}
}
