package workers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"samkit.dev/internal/isolate"
)

// A worker is a runner and what the pool knows of it. It serves one domain.
type worker struct {
	pool   *Pool
	domain string
	idle   time.Duration // of App
	link   link

	fetches chan struct{} // one for each running call of a Binding.Fetch
	queued  atomic.Int64  // bytes in the queues of its requests, and of calls that wait for something outside

	mu       sync.Mutex // guards the rest
	calls    map[uint32]*pending
	apps     map[*App]uint32
	byID     map[uint32]*App
	order    []*App // loaded ones, the least recently used first
	nextCall uint32
	nextApp  uint32
	sockets  int // requests that have become one
	users    int // requests that have it, waiting ones included
	dead     bool
	used     time.Time // when the last request ended
	frames   uint64    // received
	stray    int64     // bytes printed outside of requests since the last began

	printed pace // of the goroutine that receives

	// Of the watch.
	seenFrames uint64
	cpu        time.Duration // at the last look
	cpuMark    time.Duration // at the last look at which it had sent something
	trimmed    bool
	killing    bool
}

// maxFetches is how many calls of Binding.Fetch a worker has at once, as on Workers.
const maxFetches = 6

// maxApps is how many versions of an app stay loaded in a worker.
const maxApps = 4

// begin sends a request to the runner, and before it the app if that is new.
// first is the body if that is small.
func (w *worker) begin(ctx context.Context, app *App, q *Request, first []byte) (*pending, error) {
	limits := w.pool.limitsOf(app)
	p := &pending{
		w: w, app: app, limits: limits, started: time.Now(),
		wake: make(chan struct{}, 1), upgrade: upgrades(q.Header),
		principal: q.Principal, rights: q.Life,
	}
	p.deadline = p.started.Add(limits.Wall)
	if q.Body != nil && (q.Length < 0 || q.Length > wholeBody) {
		p.body = q.Body // is pulled
	}
	w.mu.Lock()
	if w.dead {
		w.mu.Unlock()
		return nil, errEnded
	}
	w.nextCall++
	p.id = w.nextCall
	p.startCPU = w.cpu
	w.calls[p.id] = p
	w.stray = 0
	w.mu.Unlock()
	if q.Life != nil {
		p.unhook = context.AfterFunc(q.Life, p.revoke)
	}
	w.pool.wake()
	err := w.link.Send(ctx, func(b []byte) []byte {
		// Here, where it is decided which request comes first: no other may find the app loaded earlier.
		w.mu.Lock()
		appID, loaded := w.apps[app]
		var old []uint32
		if !loaded {
			appID, old = w.admit(app)
		}
		w.mu.Unlock()
		if !loaded {
			b = appendLoad(b, appID, app, limits)
		}
		for _, id := range old {
			b = isolate.AppendFrame(b, frameUnload, id, "")
		}
		b, at := isolate.Begin(b, frameRequest, p.id)
		b = isolate.AppendUint32(b, appID)
		b = appendEvent(b, q)
		b = isolate.AppendString(b, q.Method)
		b = isolate.AppendString(b, q.URL)
		b = appendHeader(b, q.Header)
		kind := bodyWhole
		if p.body != nil {
			kind = bodyStream
		}
		b = append(b, kind)
		b = isolate.AppendBytes(b, first)
		return isolate.End(b, at)
	})
	if err != nil {
		p.finish()
		return nil, err
	}
	return p, nil
}

// wholeBody is the size up to which a request body is sent along in one piece.
const wholeBody = 64 << 10

// smallBody reads a small body whole, and leaves a large one to be pulled. A
// client that takes its time has no worker meanwhile, so that it keeps none from others.
func (p *Pool) smallBody(ctx context.Context, app *App, q *Request) ([]byte, error) {
	if q.Body == nil || q.Length == 0 {
		return nil, nil
	}
	limits := p.limitsOf(app)
	if q.Length > limits.RequestBody {
		return nil, p.limited("limit_request_body")
	}
	if q.Length < 0 || q.Length > wholeBody {
		return nil, nil
	}
	b := make([]byte, q.Length)
	read := make(chan error, 1)
	go func() { // ends with the Read; see Request.Body
		_, err := io.ReadFull(q.Body, b)
		read <- err
	}()
	late := time.NewTimer(limits.Wall)
	defer late.Stop()
	select {
	case err := <-read:
		if err != nil {
			return nil, &Error{Code: "canceled", Message: "the request body could not be read", Status: 400, Err: err}
		}
		return b, nil
	case <-late.C:
		return nil, &Error{Code: "canceled", Message: "the request body did not arrive in time", Status: 408}
	case <-ctx.Done():
		return nil, gone(ctx)
	case <-p.ctx.Done():
		return nil, errShut()
	}
}

// admit gives an app its id. It returns the ids of those that leave for it.
func (w *worker) admit(app *App) (id uint32, old []uint32) {
	w.nextApp++
	w.apps[app], w.byID[w.nextApp] = w.nextApp, app
	w.order = append(w.order, app)
	for len(w.order) > maxApps {
		gone := w.order[0]
		w.order = w.order[1:]
		old = append(old, w.apps[gone])
		delete(w.byID, w.apps[gone])
		delete(w.apps, gone)
	}
	return w.nextApp, old
}

func appendLoad(b []byte, id uint32, app *App, l Limits) []byte {
	b, at := isolate.Begin(b, frameLoad, id)
	b = isolate.AppendBytes(b, app.Script.Code)
	b = isolate.AppendString(b, app.Script.After)
	b = isolate.AppendBytes(b, app.Script.packedMap())
	b = isolate.AppendBool(b, app.Fresh)
	b = isolate.AppendBool(b, app.Prompt)
	b = isolate.AppendUint64(b, uint64(l.CPU))
	b = isolate.AppendUint64(b, uint64(l.ResponseBody))
	b = isolate.AppendUint64(b, uint64(l.Console))
	b = isolate.AppendUint32(b, uint32(min(l.Calls, math.MaxInt32)))
	b = appendWasm(b, app, l)
	b = appendBindings(b, app.Bindings)
	return isolate.End(b, at)
}

// receive takes a frame from the runner. An error ends the worker: everything
// that a runner says is checked, since it runs strangers' code.
func (w *worker) receive(typ byte, id uint32, payload []byte) error {
	w.mu.Lock()
	w.frames++
	p := w.calls[id]
	w.mu.Unlock()
	if typ == frameConsole {
		return w.print(p, string(payload))
	}
	if typ < frameHead || typ > framePull {
		return fmt.Errorf("a frame of unknown type %d", typ)
	}
	if p == nil { // the request has ended meanwhile
		return nil
	}
	if typ == frameChunk || typ == frameEmit {
		p.mu.Lock()
		flood := p.inFlight+len(payload) > streamWindow+(2<<20)
		p.mu.Unlock()
		if flood {
			return fmt.Errorf("it sent more of a response than it may")
		}
	}
	if w.queued.Load()+int64(len(payload)) > maxQueued {
		return fmt.Errorf("it asked for more than can be served")
	}
	p.push(message{typ: typ, payload: string(payload)})
	return nil
}

// maxQueued is how many bytes of frames of a worker may wait, for those who serve its requests or with them. It
// leaves room for some of the largest values of KV.
const maxQueued = 128 << 20

// misbehaved ends a worker that broke the rules of the link.
func (w *worker) misbehaved(err error) {
	w.kill(&Error{Code: "worker_died", Message: "the worker broke the rules of its link", Status: 502, Err: err})
}

func (w *worker) kill(reason error) {
	w.mu.Lock()
	first := !w.killing
	w.killing = true
	w.mu.Unlock()
	if first {
		w.pool.killed.Add(1)
		w.link.Kill(reason)
	}
}

// remove forgets a request.
func (w *worker) remove(p *pending) {
	w.mu.Lock()
	if w.calls[p.id] == p {
		delete(w.calls, p.id)
		if p.socket {
			w.sockets--
		}
	}
	idle := len(w.calls) == 0
	if idle {
		w.used = time.Now()
		w.trimmed = false
	}
	w.mu.Unlock()
	if idle {
		w.pool.idle()
	}
}

// wait ends the requests of a worker that has ended.
func (w *worker) wait() {
	<-w.link.Done()
	err := w.link.Err()
	w.mu.Lock()
	w.dead = true
	calls := make([]*pending, 0, len(w.calls))
	for _, p := range w.calls {
		calls = append(calls, p)
	}
	cpu := w.cpu
	w.mu.Unlock()
	w.pool.lost(w, err)
	for _, p := range calls {
		p.push(message{typ: messageEnd, err: w.verdict(p, err, cpu, len(calls))})
	}
}

// verdict says what the end of the worker means for one of its requests.
func (w *worker) verdict(p *pending, err error, cpu time.Duration, calls int) *Error {
	var e *Error
	var exit *isolate.ExitError
	switch {
	case errors.As(err, &e) && e.Code == "limit_wall" && time.Now().After(p.deadline),
		errors.As(err, &e) && e.Code == "limit_cpu" && cpu-p.startCPU >= p.limits.CPU,
		errors.As(err, &e) && e.Code == "limit_memory":
		return w.pool.limited(e.Code)
	case errors.As(err, &exit) && exit.Cause == isolate.Memory:
		return w.pool.limited("limit_memory")
	case errors.As(err, &exit) && exit.Cause == isolate.Crashed && calls == 1:
		return &Error{Code: "worker_died", Message: "the worker crashed while it ran the request", Status: 500, Err: err}
	}
	return &Error{Code: "worker_died", Message: "the worker ended because of another request of this app", Status: 503, Retry: time.Second, Err: err}
}
