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
	switch r.(type) {
	case nil:
		return nil
	case *bytes.Reader, *bytes.Buffer, *strings.Reader, *impatient:
		return r // never blocks
	}
	return &impatient{ctx: ctx, r: r}
}

// An impatient reader reads in a goroutine where it cannot set a deadline. When ctx
// ends first, that goroutine lives until the Read does, as with [os/exec.Cmd].
type impatient struct {
	ctx  context.Context
	r    io.Reader
	left []byte // read and not yet given out
	err  error
}

// deadliner is a pipe of the operating system, or a connection.
type deadliner interface {
	SetReadDeadline(time.Time) error
}

func (i *impatient) Read(buf []byte) (int, error) {
	if err := i.ctx.Err(); err != nil {
		return 0, err
	}
	if d, ok := i.r.(deadliner); ok && d.SetReadDeadline(time.Time{}) == nil {
		stop := context.AfterFunc(i.ctx, func() { d.SetReadDeadline(time.Unix(1, 0)) })
		defer stop()
		n, err := i.r.Read(buf)
		if errors.Is(err, os.ErrDeadlineExceeded) && i.ctx.Err() != nil {
			err = i.ctx.Err()
		}
		return n, err
	}
	if len(i.left) == 0 && i.err == nil {
		type result struct {
			data []byte
			err  error
		}
		done := make(chan result, 1)
		size := min(len(buf), 64<<10)
		go func() {
			data := make([]byte, size)
			n, err := i.r.Read(data)
			done <- result{data[:n], err}
		}()
		select {
		case <-i.ctx.Done():
			return 0, i.ctx.Err()
		case got := <-done:
			i.left, i.err = got.data, got.err
		}
	}
	n := copy(buf, i.left)
	i.left = i.left[n:]
	if len(i.left) > 0 {
		return n, nil
	}
	return n, i.err
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
