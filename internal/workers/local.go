package workers

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"samkit.dev/internal/isolate"
)

// A link is how a worker's runner is reached: a process, or a runner in this one.
type link interface {
	// Send passes frames on. It may wait until the runner takes them.
	Send(ctx context.Context, f func([]byte) []byte) error
	// Kill ends the runner; it does not wait.
	Kill(reason error)
	Usage() (isolate.Usage, error)
	Done() <-chan struct{}
	Err() error
}

// A localLink runs JavaScript in the goroutine of whoever sends. It gives no
// protection: an endless native call can't be stopped.
type localLink struct {
	receive func(typ byte, call uint32, payload []byte) error
	done    chan struct{}
	busy    atomic.Int64 // nanoseconds in turns that have ended
	since   atomic.Int64 // start of the turn that runs; 0 if none does

	mu    sync.Mutex // held while JavaScript runs; guards the runner
	r     *runner
	in    []byte // frames to the runner
	out   []byte // frames from the runner
	alarm *time.Timer

	state  sync.Mutex // guards the rest; never held while waiting
	ended  bool
	reason error
}

// newLocalLink returns a link to a new runner, whose requests may use so much memory. It shares programs with others.
func newLocalLink(memory int64, programs *programs, receive func(byte, uint32, []byte) error) *localLink {
	l := &localLink{receive: receive, done: make(chan struct{})}
	l.r = newRunner(func(f func([]byte) []byte) {
		l.out = f(l.out)
		if len(l.out) > 64<<10 {
			l.deliver()
		}
	})
	l.r.memory, l.r.programs = memory, programs
	return l
}

var errEnded = errors.New("workers: the isolate has ended")

func (l *localLink) Send(ctx context.Context, f func([]byte) []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.dead() {
		return errEnded
	}
	l.in = f(l.in[:0])
	err := l.run(func() error {
		return eachFrame(l.in, func(typ byte, call uint32, payload []byte) error {
			return l.r.handle(typ, call, string(payload))
		})
	})
	if cap(l.in) > 32<<10 { // mostly that of a script
		l.in = nil
	}
	if err == nil {
		err = l.settle()
	}
	if err != nil {
		l.Kill(err)
	}
	return err
}

// settle hands on what the runner said and sets the alarm for its next timer.
func (l *localLink) settle() error {
	if err := l.deliver(); err != nil {
		return err
	}
	next := l.r.timers.next()
	if next.IsZero() {
		return nil
	}
	d := max(time.Until(next), 0)
	if l.alarm == nil {
		l.alarm = time.AfterFunc(d, l.ring)
	} else {
		l.alarm.Reset(d)
	}
	return nil
}

func (l *localLink) ring() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.dead() {
		return
	}
	err := l.run(func() error { l.r.tick(); return nil })
	if err == nil {
		err = l.settle()
	}
	if err != nil {
		l.Kill(err)
	}
}

func (l *localLink) deliver() error {
	err := eachFrame(l.out, l.receive)
	l.out = l.out[:0]
	if cap(l.out) > 1<<20 {
		l.out = nil
	}
	return err
}

// eachFrame cuts b into frames.
func eachFrame(b []byte, fn func(typ byte, call uint32, payload []byte) error) error {
	for len(b) >= 9 {
		n := int(uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24)
		call := uint32(b[5]) | uint32(b[6])<<8 | uint32(b[7])<<16 | uint32(b[8])<<24
		if err := fn(b[4], call, b[9:4+n]); err != nil {
			return err
		}
		b = b[4+n:]
	}
	return nil
}

func (l *localLink) dead() bool {
	l.state.Lock()
	defer l.state.Unlock()
	return l.ended
}

// Kill makes the runner stop as soon as JavaScript lets it.
func (l *localLink) Kill(reason error) {
	l.state.Lock()
	defer l.state.Unlock()
	if l.ended {
		return
	}
	l.ended, l.reason = true, reason
	l.interrupt(reason)
	close(l.done)
}

// interrupt stops the turn that runs, if one does.
func (l *localLink) interrupt(reason error) {
	code := "worker_died"
	var e *Error
	if errors.As(reason, &e) {
		code = e.Code
	}
	l.r.stop(code)
}

// Usage counts the time in which JavaScript ran. It does not know its memory.
func (l *localLink) Usage() (isolate.Usage, error) {
	busy := time.Duration(l.busy.Load())
	if since := l.since.Load(); since != 0 {
		busy += time.Since(started) - time.Duration(since)
	}
	return isolate.Usage{CPU: busy}, nil
}

// started is what a localLink counts time from.
var started = time.Now()

// run calls fn with the clock of Usage running. An interrupt that comes as a turn ends is
// noticed by whatever uses the runtime next, maybe outside of a turn: a panic ends the
// runner and nothing else.
func (l *localLink) run(fn func() error) (err error) {
	begin := time.Since(started)
	l.since.Store(int64(begin))
	defer func() {
		l.since.Store(0)
		l.busy.Add(int64(time.Since(started) - begin))
		if x := recover(); x != nil {
			err = fmt.Errorf("workers: the runner panicked: %v\n%s", x, debug.Stack())
		}
	}()
	return fn()
}

func (l *localLink) Done() <-chan struct{} { return l.done }

func (l *localLink) Err() error {
	l.state.Lock()
	defer l.state.Unlock()
	if !l.ended {
		return nil
	}
	return l.reason
}
