package workers

import (
	"strings"
	"sync/atomic"
	"time"

	"samkit.dev/internal/bundle"
	"samkit.dev/internal/isolate"
	"samkit.dev/internal/jsrt"
	"samkit.dev/internal/wasm"
)

// A runner is the side that has the JavaScript: the loop of a worker process,
// or its like in this process. It belongs to one goroutine at a time.
type runner struct {
	// send appends frames for the pool.
	send     func(f func(b []byte) []byte)
	flush    func(time.Duration) // sends what there is now within that time, if the turn does not end before; nil in the host's process
	now      func() time.Time
	apps     map[uint32]*loaded
	calls    map[uint32]*call
	timers   timerQueue
	nextOp   uint32
	current  atomic.Pointer[instance] // while a turn runs; for interrupts from other goroutines
	stopped  atomic.Pointer[string]   // the code with which stop was called
	engine   *wasm.Engine             // once WebAssembly is used
	memory   int64                    // of a request, if the runner is in the host's process and so has to guard it
	programs *programs                // if memory is set
	after    following                // of the last app that had one
}

// running notes whose turn begins, or none's, and returns whose it was.
func (r *runner) running(in *instance) (before *instance) {
	before = r.current.Swap(in)
	if code := r.stopped.Load(); code != nil && in != nil {
		in.interrupt(*code)
	}
	return before
}

// stop interrupts the turn that runs, and every one that begins later. It may be called
// from any goroutine.
func (r *runner) stop(code string) {
	r.stopped.Store(&code)
	if in := r.current.Load(); in != nil {
		in.interrupt(code)
	}
}

func (in *instance) interrupt(code string) {
	in.realm.Interrupt(code)
	in.wasm.interrupt()
}

// loaded is an app as the runner knows it.
type loaded struct {
	id       uint32
	program  *jsrt.Program
	after    *jsrt.Program // of Script.After; nil if there is none
	failed   *failure      // it does not compile
	bindings []bindingSpec
	limits   runLimits
	wasm     wasmCode
	guard    *guard // nil in a worker process

	packedMap string      // until it is needed; see readStack
	positions *bundle.Map // nil if there is none
	fresh     bool
	prompt    bool
	shared    *instance // for all requests, unless fresh
	live      int       // calls that run
	gone      bool      // unloaded, but for its calls
}

// runLimits are the limits that a runner enforces by itself. The pool
// enforces them again.
type runLimits struct {
	cpu      time.Duration
	response int64
	console  int64
	calls    int
}

func newRunner(send func(func([]byte) []byte)) *runner {
	return &runner{send: send, now: time.Now, apps: map[uint32]*loaded{}, calls: map[uint32]*call{}}
}

// handle takes one frame of the pool's.
func (r *runner) handle(typ byte, id uint32, payload string) error {
	rd := isolate.NewReader(payload)
	switch typ {
	case frameLoad:
		r.load(id, &rd)
	case frameUnload:
		if a := r.apps[id]; a != nil {
			a.gone = true
			r.release(a)
		}
	case frameRequest:
		r.request(id, &rd)
	case frameReplies:
		if c := r.calls[id]; c != nil {
			c.settle(&rd)
		}
	case frameBody:
		if c := r.calls[id]; c != nil {
			c.arrive(&rd)
		}
	case frameCredit:
		if c := r.calls[id]; c != nil {
			c.grant(int(rd.Uint32()))
		}
	case frameHear:
		if c := r.calls[id]; c != nil {
			c.hear(&rd)
		}
	case frameCancel:
		if c := r.calls[id]; c != nil {
			over := rd.Bool()
			c.cancel(rd.String(), over)
		}
	}
	return rd.Err()
}

// tick fires the timers that are due.
func (r *runner) tick() {
	now := r.now()
	for t := r.timers.due(now); t != nil; t = r.timers.due(now) {
		if t.in.dead {
			continue
		}
		t.in.timers--
		t.in.enter(t.call, t.fn)
	}
}

func (r *runner) load(id uint32, rd *isolate.Reader) {
	a := &loaded{id: id}
	code, after := rd.String(), rd.String()
	a.packedMap = strings.Clone(rd.String())
	a.fresh, a.prompt = rd.Bool(), rd.Bool()
	a.limits = runLimits{cpu: time.Duration(rd.Uint64()), response: int64(rd.Uint64()), console: int64(rd.Uint64()), calls: int(rd.Uint32())}
	a.wasm = readWasm(rd)
	a.bindings = readBindings(rd)
	r.apps[id] = a
	if rd.Err() != nil {
		return
	}
	if r.memory > 0 {
		a.guard = &guard{memory: r.memory, cpu: a.limits.cpu}
		a.guard.mention(code + after)
	}
	var err error
	a.program, err = r.compile(chunkName, code, a.guard)
	if err == nil && after != "" {
		a.after, err = r.following(after, a.guard)
	}
	if err != nil {
		a.failed = &failure{code: "exception", message: err.Error()}
	}
}

// compile compiles code, guarded if g is not nil.
func (r *runner) compile(name, code string, g *guard) (*jsrt.Program, error) {
	if g == nil {
		return jsrt.Compile(name, []byte(code))
	}
	return r.programs.compile(name, code, g.matchTime())
}

// A following is what runs after the code of an app. Those that have one have the same one mostly.
type following struct {
	code    string
	match   time.Duration // of the guard
	program *jsrt.Program
}

// afterName is what frames of a following have: those of the runtime are left out of stacks.
const afterName = "samkit:after"

func (r *runner) following(code string, g *guard) (*jsrt.Program, error) {
	var match time.Duration
	if g != nil {
		match = g.matchTime()
	}
	if f := &r.after; f.program != nil && f.code == code && f.match == match {
		return f.program, nil
	}
	p, err := r.compile(afterName, code, g)
	if err != nil {
		return nil, err
	}
	r.after = following{strings.Clone(code), match, p}
	return p, nil
}

func (r *runner) request(id uint32, rd *isolate.Reader) {
	a := r.apps[rd.Uint32()]
	c := &call{r: r, id: id, in: nil}
	c.read(rd)
	if rd.Err() != nil || a == nil || a.gone {
		r.fail(id, failure{code: "unavailable", message: "the app is not loaded"})
		return
	}
	if a.failed != nil {
		r.fail(id, *a.failed)
		return
	}
	in := a.shared
	if in == nil || in.dead || a.fresh {
		in = newInstance(r, a)
		if !a.fresh {
			a.shared = in
		}
	}
	c.in, c.app = in, a
	a.live++
	r.calls[id] = c
	in.calls = append(in.calls, c)
	c.start()
}

// fail ends a call that never ran.
func (r *runner) fail(id uint32, f failure) {
	r.send(func(b []byte) []byte {
		b, at := isolate.Begin(b, frameFail, id)
		b = isolate.End(f.append(b), at)
		return isolate.AppendFrame(b, frameDone, id, "")
	})
}

// release forgets an app that is unloaded and has no calls.
func (r *runner) release(a *loaded) {
	if a.gone && a.live == 0 {
		delete(r.apps, a.id)
	}
}
