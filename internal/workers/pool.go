package workers

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"log/slog"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"samkit.dev/internal/httpcache"
	"samkit.dev/internal/isolate"
)

// An Isolation is how runners are kept apart from this process.
type Isolation uint8

// The ways, from strong to weak.
const (
	Sandboxed Isolation = iota
	Process
	InProcess
)

// Options configures a [Pool]. Zero fields mean the defaults of package engine.
type Options struct {
	Isolation Isolation
	Command   []string
	Limits    Limits
	Workers   int
	Idle      time.Duration
	Spares    int // workers started before they are needed; negative means none
	Logger    *slog.Logger
}

// A Pool owns the workers. It is safe for concurrent use.
type Pool struct {
	opts     Options
	caches   *httpcache.Store // of the Cache API, by domain
	spawner  *isolate.Spawner // nil in process
	ctx      context.Context  // ends with the pool
	stop     context.CancelFunc
	nonce    string // makes call ids unique among processes
	tasks    sync.WaitGroup
	watcher  chan struct{} // wakes the watch; capacity 1
	heap     *heapWatch    // in process; of the watch
	programs *programs     // in process

	firstSpawn sync.Once
	spares     *isolate.Spares // of firstSpawn

	requests, killed, started, fetches atomic.Uint64

	mu      sync.Mutex // guards the rest
	workers map[string]*slot
	free    chan struct{} // closed when a worker becomes free or ends
	waiting map[string]int
	limits  map[string]uint64
	storms  storms
	closed  bool
}

// NewPool returns a pool. It starts no process, but fails if it could not.
func NewPool(opts Options) (*Pool, error) {
	opts.Limits = opts.Limits.withDefaults(defaultLimits)
	opts.Workers = cmp.Or(opts.Workers, 64)
	opts.Idle = cmp.Or(opts.Idle, 30*time.Second)
	opts.Spares = cmp.Or(opts.Spares, 1)
	if opts.Logger == nil {
		opts.Logger = slog.Default()
	}
	p := &Pool{opts: opts, caches: httpcache.New(), watcher: make(chan struct{}, 1), workers: map[string]*slot{}, free: make(chan struct{}), waiting: map[string]int{}, limits: map[string]uint64{}, storms: storms{}}
	if opts.Isolation == InProcess {
		p.heap, p.programs = newHeapWatch(), newPrograms()
	} else {
		if len(opts.Command) == 0 && !isolate.MainCalled() {
			return nil, ErrNoMain
		}
		if err := isolate.Probe(p.level()); err != nil {
			return nil, err
		}
		p.spawner = isolate.NewSpawner()
	}
	p.ctx, p.stop = context.WithCancel(context.Background())
	var random [6]byte
	rand.Read(random[:])
	p.nonce = hex.EncodeToString(random[:])
	p.tasks.Go(p.watch)
	return p, nil
}

// ErrNoMain reports a program that would start itself over and over: a worker
// is this program executed again, and nothing in it would make it one.
var ErrNoMain = errors.New("workers: Main was not called in this program")

func (p *Pool) level() isolate.Level {
	if p.opts.Isolation == Process {
		return isolate.Process
	}
	return isolate.Sandboxed
}

// Fetch has an app answer a request. The error is an [*Error].
func (p *Pool) Fetch(ctx context.Context, app *App, q *Request) (*Response, error) {
	p.requests.Add(1)
	res, err := p.fetch(ctx, app, q)
	var e *Error
	if errors.As(err, &e) && e.Code == "worker_died" && e.Retry > 0 && q.Body == nil && (q.Method == "GET" || q.Method == "HEAD") && ctx.Err() == nil {
		res, err = p.fetch(ctx, app, q) // nothing has been sent, and a safe method may be repeated
	}
	return res, err
}

func (p *Pool) fetch(ctx context.Context, app *App, q *Request) (*Response, error) {
	first, err := p.smallBody(ctx, app, q)
	if err != nil {
		return nil, err
	}
	for range 3 { // a worker may end between being found and being used
		w, err := p.acquire(ctx, app)
		if err != nil {
			return nil, err
		}
		call, err := w.begin(ctx, app, q, first)
		if err == nil {
			res, err := call.respond(ctx)
			p.release(w)
			return res, err
		}
		p.release(w)
		var e *Error
		if errors.As(err, &e) {
			return nil, e
		}
		p.remove(w)
		if ctx.Err() != nil {
			return nil, gone(ctx)
		}
	}
	return nil, &Error{Code: "unavailable", Message: "no worker stays alive for this app", Status: 503, Retry: time.Second}
}

// task runs fn in a goroutine that Close waits for. What is left of a request
// after Close ends by itself, since its worker has ended.
func (p *Pool) task(fn func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		go fn()
		return
	}
	p.tasks.Go(fn)
}

// start returns a worker, a spare if one fits.
func (p *Pool) start(app *App) (*worker, error) {
	limits := p.limitsOf(app)
	if p.opts.Isolation == InProcess {
		w := p.newWorker()
		w.domain, w.idle = app.place(), app.Idle
		w.link = newLocalLink(limits.Memory, p.programs, w.receive)
		return w, nil
	}
	w, err := p.spawn(limits.Memory+app.compilerMemory(), app.runsWasm())
	if err != nil {
		return nil, err
	}
	w.domain, w.idle = app.place(), app.Idle
	return w, nil
}

func (p *Pool) newWorker() *worker {
	return &worker{pool: p, calls: map[uint32]*pending{}, apps: map[*App]uint32{}, byID: map[uint32]*App{}, used: time.Now(), fetches: make(chan struct{}, maxFetches)}
}

// spawn returns a worker process, a spare unless it needs more memory or runs WebAssembly. Spares are
// kept from the first time on.
func (p *Pool) spawn(memory int64, wasm bool) (*worker, error) {
	ctx, cancel := context.WithTimeout(p.ctx, 10*time.Second)
	defer cancel()
	opts := isolate.Options{Level: p.level(), Command: p.opts.Command, Memory: p.opts.Limits.Memory, Nice: 5}
	p.firstSpawn.Do(func() { p.spares = isolate.NewSpares(p.spawner, max(p.opts.Spares, 0), &opts) })
	var proc *isolate.Proc
	var err error
	if memory > opts.Memory || wasm {
		opts.Memory, opts.Compiles = memory, wasm
		proc, err = p.spawner.Start(ctx, &opts)
	} else if proc, err = p.spares.Take(ctx); err == nil && memory < opts.Memory {
		if err = proc.LimitMemory(memory); err != nil {
			proc.Kill(err)
		}
	}
	if err != nil {
		return nil, err
	}
	w := p.newWorker()
	w.link = proc
	proc.Run(w.receive)
	p.started.Add(1)
	return w, nil
}

// lost notes that a worker has ended.
func (p *Pool) lost(w *worker, err error) {
	p.remove(w)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || errors.Is(err, errIdle) {
		return
	}
	p.storms.ended(w.domain, time.Now())
	var e *Error
	if errors.As(err, &e) {
		return
	}
	p.opts.Logger.Warn("samkit: a worker ended", "domain", w.domain, "error", err)
}

// Close ends all workers and waits. It may be called twice.
func (p *Pool) Close() error {
	p.mu.Lock()
	p.closed = true
	var all []*worker
	for _, s := range p.workers {
		if s.w != nil {
			all = append(all, s.w)
		}
	}
	p.mu.Unlock()
	p.stop()
	for _, w := range all {
		w.link.Kill(errClosed)
	}
	var err error
	if p.spawner != nil {
		p.firstSpawn.Do(func() { p.spares = isolate.NewSpares(p.spawner, 0, nil) }) // none any more
		p.spares.Close()
		err = p.spawner.Close()
	}
	p.tasks.Wait()
	return err
}

var errClosed = errors.New("workers: the pool is closed")

// End ends the worker of an app, whatever it does, if there is one: what its requests had comes to nothing.
func (p *Pool) End(app *App) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s := p.workers[app.place()]; s != nil && s.w != nil {
		delete(p.workers, app.place())
		s.w.link.Kill(errIdle)
		p.signal()
	}
}

func (p *Pool) callID(n uint32) string { return p.nonce + "-" + strconv.FormatUint(uint64(n), 36) }

// Workers returns how many workers there may be at once.
func (p *Pool) Workers() int { return p.opts.Workers }

// Isolation returns the level reached.
func (p *Pool) Isolation() Isolation { return p.opts.Isolation }
