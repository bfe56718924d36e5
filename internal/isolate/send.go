package isolate

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
)

const (
	queueSize = 1 << 20  // of output; more makes Send wait
	queueHard = 64 << 20 // of output; more through Post ends the worker
	queueKeep = 1 << 20  // larger buffers are dropped once they are empty
)

// A queue is the output to a worker. Whoever appends to it and finds nobody
// writing writes for all. What the worker does not take at once is left to a
// goroutine, so that no sender is held up by a worker that is busy.
type queue struct {
	conn    conn
	writers sync.WaitGroup

	mu      sync.Mutex // guards the rest
	buf     []byte     // waits to be written
	spare   []byte     // the other buffer, while it is not being written
	writing bool
	err     error
	room    chan struct{} // closed when buf is taken; nil if nobody waits
}

// Send appends the frames that f appends to the worker's input and returns,
// usually when they are written, sometimes before. If more than 1 MiB waits to
// be read by the worker, Send waits too, until ctx ends. It fails once the
// worker has ended. f must be quick and must not call methods of the Proc.
//
// Frames of one goroutine arrive in order.
func (p *Proc) Send(ctx context.Context, f func(b []byte) []byte) error {
	q := &p.out
	q.mu.Lock()
	for q.err == nil && len(q.buf) >= queueSize {
		if q.room == nil {
			q.room = make(chan struct{})
		}
		room := q.room
		q.mu.Unlock()
		select {
		case <-room:
		case <-ctx.Done():
			return fmt.Errorf("isolate: send to worker: %w", context.Cause(ctx))
		}
		q.mu.Lock()
	}
	p.active.Store(true)
	return q.append(f)
}

// Post is Send that never waits, for a Handler. A worker that lets more than
// 64 MiB of it wait is killed.
func (p *Proc) Post(f func(b []byte) []byte) error {
	q := &p.out
	q.mu.Lock()
	if q.err == nil && len(q.buf) >= queueHard {
		q.mu.Unlock()
		p.Kill(ErrBacklog)
		return fmt.Errorf("isolate: send to worker: %w", ErrBacklog)
	}
	return q.append(f)
}

// append is called with mu held, and releases it.
func (q *queue) append(f func(b []byte) []byte) error {
	if q.err != nil {
		defer q.mu.Unlock()
		return q.err
	}
	if err := q.add(f); err != nil || q.writing {
		q.mu.Unlock()
		return err
	}
	q.writing = true
	q.mu.Unlock()
	runtime.Gosched() // who is about to send does it now, and one write wakes the worker once for all
	q.mu.Lock()
	q.flush(false)
	return nil
}

// add keeps a panic of f, or an ill-formed frame, from harming other senders.
func (q *queue) add(f func(b []byte) []byte) (err error) {
	n := len(q.buf)
	ok := false
	defer func() {
		if !ok { // f panics
			q.mu.Unlock()
		}
	}()
	b := f(q.buf)
	ok = true
	if len(b) < n {
		return errors.New("isolate: Send's function must append")
	}
	if err := checkFrames(b[n:]); err != nil {
		return fmt.Errorf("isolate: send to worker: %w", err)
	}
	q.buf = b
	return nil
}

// flush writes until nothing is left or the worker ended. If it may not wait
// and comes to, a goroutine does the rest. It is called with mu held and
// writing set, and releases mu.
func (q *queue) flush(mayWait bool) {
	for len(q.buf) > 0 && q.err == nil {
		b := q.buf
		q.buf, q.spare = q.spare[:0], nil
		if q.room != nil {
			close(q.room)
			q.room = nil
		}
		q.mu.Unlock()
		n, err := q.write(b, mayWait)
		if err == nil && n < len(b) {
			q.handOver(b, n)
			return
		}
		q.mu.Lock()
		q.written(b, err)
	}
	q.writing = false
	q.mu.Unlock()
}

func (q *queue) write(b []byte, mayWait bool) (int, error) {
	if mayWait {
		return q.conn.Write(b)
	}
	return q.conn.tryWrite(b)
}

// written takes back the buffer b; mu is held.
func (q *queue) written(b []byte, err error) {
	if err != nil && q.err == nil {
		q.setErr(ErrEnded)
	}
	if cap(b) <= queueKeep {
		q.spare = b[:0]
	}
}

// handOver starts the goroutine that writes b[n:] and what comes after it.
func (q *queue) handOver(b []byte, n int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.err != nil {
		q.writing = false
		return
	}
	q.writers.Add(1)
	go func() {
		defer q.writers.Done()
		_, err := q.conn.Write(b[n:])
		q.mu.Lock()
		q.written(b, err)
		q.flush(true)
	}()
}

// fail makes senders return err, now and later.
func (q *queue) fail(err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.setErr(err)
}

func (q *queue) setErr(err error) {
	if q.err == nil {
		q.err = err
	}
	q.buf = nil
	if q.room != nil {
		close(q.room)
		q.room = nil
	}
}

// wait returns when no goroutine writes; fail comes first.
func (q *queue) wait() { q.writers.Wait() }
