package isolate

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// grace is what a worker gets to end by itself after it closed its link.
const grace = 200 * time.Millisecond

// errNoFrame means that the worker ended before its first frame.
var errNoFrame = errors.New("no frame")

// errKilled is the reason of Kill(nil).
var errKilled = errors.New("no longer wanted")

// A Proc is a running worker. It is safe for concurrent use.
type Proc struct {
	spawner *Spawner
	os      *os.Process
	conn    conn
	stderr  *os.File
	meter   meter
	opts    Options
	out     queue
	in      inbox // of the reader, before Run of Start
	noise   noise // of reap, until done is closed
	done    chan struct{}
	memory  atomic.Int64  // limit in bytes, or 0
	active  atomic.Bool   // since the last tick of the watch
	idle    int           // ticks without activity; of the watch
	cpu     time.Duration // at its last look

	mu      sync.Mutex // guards the rest
	reason  error      // of the first Kill
	reaped  bool       // the process id may belong to another
	status  *os.ProcessState
	reading bool // the reader goroutine runs
	ended   bool // done is closed
	exit    error
}

// child is a process just started.
type child struct {
	os     *os.Process
	conn   conn
	stderr *os.File
	meter  meter
}

// conn is the parent's end of the link.
type conn interface {
	Read(p []byte) (int, error)
	Write(p []byte) (int, error)
	Close() error
	// tryWrite writes what it can without waiting.
	tryWrite(p []byte) (int, error)
}

func newProc(s *Spawner, c *child, o *Options) *Proc {
	p := &Proc{
		spawner: s,
		os:      c.os,
		conn:    c.conn,
		stderr:  c.stderr,
		meter:   c.meter,
		opts:    *o,
		in:      inbox{limit: o.MaxFrame},
		done:    make(chan struct{}),
	}
	p.memory.Store(o.Memory)
	p.out.conn = c.conn
	return p
}

// PID returns the process id.
func (p *Proc) PID() int { return p.os.Pid }

// Done is closed when the process has ended, all that it sent has been
// handled, and nothing of it is left.
func (p *Proc) Done() <-chan struct{} { return p.done }

// Err returns nil while the worker lives, then an [ExitError] that says why it
// ended.
func (p *Proc) Err() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.exit
}

// Kill ends the process at once, and whatever it started. It does not wait.
// The first reason given is the one in Err.
func (p *Proc) Kill(reason error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.reaped {
		return
	}
	if p.reason == nil {
		p.reason = cmp.Or(reason, errKilled)
	}
	killChild(p.os)
}

// Usage returns what the process has used until now. It fails once the process
// has ended, and with errors.ErrUnsupported where the system cannot tell.
func (p *Proc) Usage() (Usage, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.reaped {
		return Usage{}, os.ErrProcessDone
	}
	return p.meter.read()
}

// Usage is what a process has used.
type Usage struct {
	CPU     time.Duration // user and system time, of all threads, since its start
	Memory  int64         // bytes of its own: pages shared with other processes do not count
	Threads int           // 0 where the system does not tell
}

// LimitMemory lowers the worker's memory limit to n bytes, which its own pages
// must be below. It is for workers that were started before it was known what
// they would run, such as spares. A limit cannot be raised.
func (p *Proc) LimitMemory(n int64) error {
	now := p.memory.Load()
	if n <= 0 || now != 0 && n > now {
		return fmt.Errorf("isolate: a worker's memory limit can be lowered, not changed from %d to %d bytes", now, n)
	}
	if err := p.lower(n); err != nil {
		return fmt.Errorf("isolate: lower memory limit: %w", err)
	}
	p.memory.Store(n)
	p.spawner.wakeWatch()
	return p.Post(func(b []byte) []byte { return appendMemory(b, n) })
}

func (p *Proc) lower(n int64) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.reaped {
		return os.ErrProcessDone
	}
	return p.meter.lower(p.os.Pid, n)
}

// reap is the goroutine that waits for the process. Its standard error ends
// when it does, which needs no thread to wait for.
func (p *Proc) reap() {
	p.drainStderr()
	late := time.AfterFunc(grace, func() { p.Kill(ErrLinkClosed) })
	status := awaitExit(p.os)
	late.Stop()
	p.mu.Lock()
	killChild(p.os) // what the process started
	if status == nil {
		status, _ = p.os.Wait()
	}
	p.status, p.reaped = status, true
	p.meter.close()
	p.mu.Unlock()
	p.out.fail(ErrEnded)
	hurry(p.conn)
	p.finish()
}

// finish closes done once both the process and the reader have ended.
func (p *Proc) finish() {
	p.mu.Lock()
	if p.ended || !p.reaped || p.reading {
		p.mu.Unlock()
		return
	}
	p.ended = true
	p.exit = exitError(p.os.Pid, p.status, p.reason, p.noise.String())
	p.mu.Unlock()
	p.conn.Close()
	p.out.wait()
	p.spawner.remove(p)
	close(p.done)
}
