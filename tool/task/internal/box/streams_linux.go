//go:build amd64 || arm64

package box

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// errWriter is why a command ended whose output could not be written.
var errWriter = errors.New("its output could not be written")

// streams carry a command's input and output.
type streams struct {
	cancel context.CancelCauseFunc
	stdin  io.Reader
	in     *os.File // ours, to write; nil without
	out    [2]*os.File
	child  [3]*os.File
	to     [2]io.Writer
	left   atomic.Int64 // bytes of output that may come
	copies sync.WaitGroup
	feeds  sync.WaitGroup

	mu  sync.Mutex // guards err
	err error
}

func newStreams(j *job, cancel context.CancelCauseFunc) (*streams, error) {
	s := &streams{cancel: cancel, stdin: j.stdin, to: [2]io.Writer{j.out, j.err}}
	s.left.Store(j.limits.Output)
	var err error
	if j.stdin == nil {
		s.child[0], err = os.Open(os.DevNull)
	} else {
		s.child[0], s.in, err = os.Pipe()
	}
	for i := range s.out {
		if err == nil {
			s.out[i], s.child[i+1], err = os.Pipe()
		}
	}
	if err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// theirs returns the ends for the command.
func (s *streams) theirs() [3]*os.File { return s.child }

// begin copies, once the supervisor has the other ends.
func (s *streams) begin() {
	s.closeTheirs()
	for i := range s.out {
		s.copies.Go(func() { s.copy(s.out[i], s.to[i]) })
	}
	if s.in != nil {
		s.feeds.Go(func() {
			defer s.in.Close()
			_, _ = io.Copy(s.in, s.stdin) // who reads no more is no error
		})
	}
}

func (s *streams) closeTheirs() {
	for i, f := range s.child {
		if f != nil {
			f.Close()
			s.child[i] = nil
		}
	}
}

// copy copies to the end, and beyond the limit reads without keeping.
func (s *streams) copy(from *os.File, to io.Writer) {
	if to == nil {
		to = io.Discard
	}
	buf := make([]byte, 32<<10)
	for {
		n, err := from.Read(buf)
		if n > 0 {
			left := s.left.Add(-int64(n))
			keep := int64(n) + min(left, 0)
			if left < 0 {
				s.cancel(errOver{Output})
			}
			if keep > 0 {
				if err := s.write(to, buf[:keep]); err != nil {
					s.cancel(errWriter)
					to = io.Discard
				}
			}
		}
		if err != nil {
			return
		}
	}
}

// write writes from one goroutine at a time, as standard output and error may be the same.
func (s *streams) write(to io.Writer, b []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, err := to.Write(b)
	if err != nil && s.err == nil {
		s.err = fmt.Errorf("%w: %w", errWriter, err)
	}
	return err
}

// finish waits for the output of what has ended. A process that got away would hold a pipe's end: it is not waited for.
func (s *streams) finish() error {
	deadline := time.Now().Add(5 * time.Second)
	for _, f := range s.out {
		_ = f.SetReadDeadline(deadline)
	}
	s.copies.Wait()
	if s.in != nil {
		_ = s.in.Close() // ends a write; a Reader that blocks is its maker's
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// explain adds what a supervisor that failed said on its standard error.
func (s *streams) explain(err error) error {
	s.closeTheirs()
	_ = s.out[1].SetReadDeadline(time.Now().Add(time.Second))
	said, _ := io.ReadAll(io.LimitReader(s.out[1], 4<<10))
	if line, _, _ := strings.Cut(strings.TrimSpace(string(said)), "\n"); line != "" {
		return fmt.Errorf("%w: %s", err, line)
	}
	return err
}

func (s *streams) close() {
	s.closeTheirs()
	for _, f := range append(s.out[:], s.in) {
		if f != nil {
			f.Close()
		}
	}
}
