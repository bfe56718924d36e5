package wasi

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/tetratelabs/wazero/sys"
)

// readable returns a reader whose Read ends when ctx does, whatever r does.
func readable(ctx context.Context, r io.Reader) io.Reader {
	r = shared(r)
	if from, ok := r.(*source); ok {
		return &impatient{ctx: ctx, from: from}
	}
	return r
}

// shared returns what several may read from one after the other: a source, unless r never blocks.
func shared(r io.Reader) io.Reader {
	switch r := r.(type) {
	case nil, *bytes.Reader, *bytes.Buffer, *strings.Reader, *source:
		return r
	case *impatient:
		return r.from
	}
	return &source{r: r}
}

// An impatient reader reads in a goroutine where it cannot set a deadline. When ctx ends
// first, that goroutine lives until the Read does, as with [os/exec.Cmd]; what it then
// brings is for the next who reads from the source.
type impatient struct {
	ctx  context.Context
	from *source
	err  error
}

// A source is a reader with the Read that is under way.
type source struct {
	r io.Reader

	mu      sync.Mutex    // guards what follows
	reading chan struct{} // closed when the Read is over; nil if there is none
	left    []byte        // read and not yet given out
	err     error         // after left; given out once
}

// Read implements io.Reader.
func (s *source) Read(buf []byte) (int, error) {
	return (&impatient{ctx: context.Background(), from: s}).Read(buf)
}

// deadliner is a pipe of the operating system, or a connection.
type deadliner interface {
	SetReadDeadline(time.Time) error
}

func (i *impatient) Read(buf []byte) (int, error) {
	if err := i.ctx.Err(); err != nil {
		return 0, err
	}
	if i.err != nil || len(buf) == 0 {
		return 0, i.err
	}
	if d, ok := i.from.r.(deadliner); ok && d.SetReadDeadline(time.Time{}) == nil {
		stop := context.AfterFunc(i.ctx, func() { d.SetReadDeadline(time.Unix(1, 0)) })
		defer stop()
		n, err := i.from.r.Read(buf)
		if errors.Is(err, os.ErrDeadlineExceeded) && i.ctx.Err() != nil {
			err = i.ctx.Err()
		}
		return n, err
	}
	for {
		n, reading, err := i.from.take(buf)
		if i.err = err; reading == nil {
			return n, err
		}
		select {
		case <-i.ctx.Done():
			return 0, i.ctx.Err()
		case <-reading:
		}
	}
}

// take gives out what was read. If that is nothing, it begins a Read, unless there is one, and returns its end.
func (s *source) take(buf []byte) (n int, reading <-chan struct{}, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.left) > 0 || s.err != nil {
		n = copy(buf, s.left)
		if s.left = s.left[n:]; len(s.left) == 0 {
			err, s.err = s.err, nil
		}
		return n, nil, err
	}
	if s.reading == nil {
		s.reading = make(chan struct{})
		go s.read(make([]byte, min(len(buf), 64<<10)))
	}
	return 0, s.reading, nil
}

func (s *source) read(buf []byte) {
	n, err := s.r.Read(buf)
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.reading)
	s.reading, s.left, s.err = nil, buf[:n], err
}

// guestReader is standard input as a guest has it: it ends with ctx.
type guestReader struct {
	ctx context.Context
	r   io.Reader
}

func (g guestReader) Read(buf []byte) (int, error) {
	n, err := g.r.Read(buf)
	if g.ctx.Err() != nil {
		panic(sys.NewExitError(exitStopped))
	}
	if n > 0 {
		return n, nil // the error comes again
	}
	return n, err
}

// guestWriter is standard output as a guest has it: when nobody reads any more, the
// guest ends quietly, as by SIGPIPE.
type guestWriter struct {
	ctx context.Context
	w   io.Writer
}

func (g guestWriter) Write(buf []byte) (int, error) {
	if g.ctx.Err() != nil {
		panic(sys.NewExitError(exitStopped))
	}
	n, err := g.w.Write(buf)
	if err != nil {
		if g.ctx.Err() != nil {
			panic(sys.NewExitError(exitStopped))
		}
		if closedPipe(err) {
			panic(sys.NewExitError(exitPipe))
		}
	}
	return n, err
}

// closedPipe reports whether err says that nobody reads any more.
func closedPipe(err error) bool {
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe) || errors.Is(err, fs.ErrClosed) || errors.Is(err, errOutput)
}

var errOutput = errors.New("wasi: too much output")

// An output bounds what a run writes to both streams together. Once it is over, the
// next to write learns that nobody reads any more.
type output struct {
	mu     sync.Mutex // guards all below, and is held while the caller's writers are called
	left   int64
	limit  int64
	marked bool
}

// to returns w within the bounds; nil discards.
func (o *output) to(w io.Writer) io.Writer {
	if w == nil {
		w = io.Discard
	}
	return bounded{o, w}
}

type bounded struct {
	o *output
	w io.Writer
}

func (b bounded) Write(buf []byte) (int, error) {
	o := b.o
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.marked {
		return 0, errOutput
	}
	if int64(len(buf)) <= o.left {
		o.left -= int64(len(buf))
		return b.w.Write(buf)
	}
	n, err := b.w.Write(buf[:o.left])
	o.left, o.marked = 0, true
	if err == nil {
		_, err = fmt.Fprintf(b.w, "\n[output truncated after %d bytes]\n", o.limit)
	}
	if err == nil {
		err = errOutput
	}
	return n, err
}
