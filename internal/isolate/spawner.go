package isolate

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"
)

// startTimeout bounds a start whose context has no deadline.
const startTimeout = 10 * time.Second

// Options configures one worker. The zero Options is usable: sandboxed, this
// program, 128 MiB.
type Options struct {
	Level Level
	// Command is the program to run, with its arguments, instead of this one.
	// It must call Main. A name without a slash is looked up in PATH.
	Command []string
	// Memory is what the worker may use of its own, in bytes: pages that it
	// shares with other processes do not count. Zero means 128 MiB, negative
	// no limit.
	Memory int64
	// Compiles lets a sandboxed worker make memory executable that it cannot write any
	// more, as a compiler of WebAssembly does.
	Compiles bool
	// MaxFrame bounds frames from the worker, in bytes; zero means MaxFrame.
	MaxFrame int
	// Nice is added to the program's nice value, up to 19, for the worker to give way to others,
	// where the system has such a value; zero adds nothing.
	Nice int
}

func (o *Options) withDefaults() Options {
	var c Options
	if o != nil {
		c = *o
	}
	switch {
	case c.Memory == 0:
		c.Memory = 128 << 20
	case c.Memory < 0:
		c.Memory = 0
	}
	if c.MaxFrame <= 0 || c.MaxFrame > MaxFrame {
		c.MaxFrame = MaxFrame
	}
	return c
}

// A Spawner starts workers and owns them. It is safe for concurrent use.
//
// It starts them all on one operating-system thread of its own: on Linux a
// worker is told to die with the thread that started it, and other threads of
// a Go program come and go.
type Spawner struct {
	jobs    chan func() // run on the thread
	wake    chan struct{}
	stop    chan struct{}
	joined  sync.WaitGroup // thread and watch
	jobMu   sync.RWMutex   // held for reading while sending to jobs
	mu      sync.Mutex     // guards the rest
	procs   map[*Proc]struct{}
	closed  bool
	started uint64
}

// NewSpawner returns a Spawner, which the caller closes.
func NewSpawner() *Spawner {
	s := &Spawner{
		jobs:  make(chan func()),
		wake:  make(chan struct{}, 1),
		stop:  make(chan struct{}),
		procs: make(map[*Proc]struct{}),
	}
	s.joined.Add(2)
	go s.thread()
	go s.watch()
	return s
}

func (s *Spawner) thread() {
	defer s.joined.Done()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for job := range s.jobs {
		job()
	}
}

// Start starts a worker and waits until it is confined and ready. It fails if
// that takes longer than ctx allows, or 10 seconds.
func (s *Spawner) Start(ctx context.Context, opts *Options) (*Proc, error) {
	o := opts.withDefaults()
	if err := s.mayStart(&o); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, startTimeout, errNotReady)
	defer cancel()
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("isolate: start worker: %w", context.Cause(ctx))
	}
	p, err := s.launch(&o)
	if err != nil {
		return nil, err
	}
	unkill := context.AfterFunc(ctx, func() { p.Kill(context.Cause(ctx)) })
	err = p.awaitReady()
	if !unkill() && err == nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		p.Kill(err)
		<-p.Done()
		var exit *ExitError
		if errors.As(p.Err(), &exit) && (errors.Is(err, errNoFrame) || ctx.Err() != nil) {
			err = exit // says more
		}
		return nil, fmt.Errorf("isolate: start worker: %w", err)
	}
	return p, nil
}

var errNotReady = errors.New("it did not get ready in time; does the program call Main first?")

func (s *Spawner) mayStart(o *Options) error {
	if err := Probe(o.Level); err != nil {
		return err
	}
	switch state.Load() {
	case mainServing:
		return errors.New("isolate: a worker cannot start workers")
	case mainNotCalled:
		if len(o.Command) == 0 {
			return ErrMainNotCalled
		}
	}
	return nil
}

// launch starts the process on the thread and registers it.
func (s *Spawner) launch(o *Options) (*Proc, error) {
	s.jobMu.RLock()
	defer s.jobMu.RUnlock()
	s.mu.Lock()
	closed := s.closed
	s.mu.Unlock()
	if closed {
		return nil, ErrClosed
	}
	var c *child
	var err error
	done := make(chan struct{})
	s.jobs <- func() {
		defer close(done)
		c, err = startChild(o)
	}
	<-done
	if err != nil {
		return nil, fmt.Errorf("isolate: start worker: %w", err)
	}
	p := newProc(s, c, o)
	s.mu.Lock()
	s.procs[p] = struct{}{}
	s.started++
	s.mu.Unlock()
	go p.reap()
	if o.Memory > 0 {
		s.wakeWatch()
	}
	return p, nil
}

func (s *Spawner) wakeWatch() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

func (s *Spawner) remove(p *Proc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.procs, p)
}

// list returns the workers that have not ended.
func (s *Spawner) list() []*Proc {
	s.mu.Lock()
	defer s.mu.Unlock()
	ps := make([]*Proc, 0, len(s.procs))
	for p := range s.procs {
		ps = append(ps, p)
	}
	return ps
}

// Live returns the number of workers that have not ended, and Started how many
// there have been.
func (s *Spawner) Live() (live int, started uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.procs), s.started
}

// Close kills all workers and waits until they and their goroutines have
// ended. It may be called twice. It must not be called from a [Handler].
func (s *Spawner) Close() error {
	s.mu.Lock()
	again := s.closed
	s.closed = true
	s.mu.Unlock()
	if !again {
		close(s.stop)
		s.jobMu.Lock() // no start is under way any more
		for _, p := range s.list() {
			p.Kill(ErrClosed)
		}
		close(s.jobs)
		s.jobMu.Unlock()
	}
	for _, p := range s.list() {
		<-p.Done()
	}
	s.joined.Wait()
	return nil
}
