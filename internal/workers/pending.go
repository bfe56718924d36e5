package workers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"samkit.dev/internal/isolate"
)

// A pending is a request on the pool's side. The goroutine that serves the request
// runs its binding calls, too; when it has its answer and the code still has
// something to do (waitUntil), another goroutine goes on.
type pending struct {
	w        *worker
	id       uint32
	app      *App
	limits   Limits
	started  time.Time
	deadline time.Time
	startCPU time.Duration // of the worker, as far as it was known

	principal string    // of the request
	body      io.Reader // of the request, if it comes in pieces

	ctx    context.Context    // for binding calls; ends with the request
	cancel context.CancelFunc // written under mu, by the goroutine that serves it
	over   atomic.Bool        // it may do nothing more
	rights context.Context    // its Life; nil without one
	unhook func() bool        // from it

	network  exchanges
	streams  callerStreams
	received int64 // of the response body
	owed     int   // read from the response since the last credit

	wake chan struct{} // capacity 1

	upgrade bool // the request asks for a WebSocket

	life   context.Context // of a WebSocket, for its calls
	socket bool            // it is a WebSocket; of the worker's lock, as the next two
	quiet  time.Time       // when it last said or heard something
	window time.Time       // when startCPU was taken

	mu       sync.Mutex // guards the rest
	calls    int        // to bindings, and of fetch
	renew    bool       // a message came since the budget of rows was made
	console  int64
	queue    []message
	only     [1]message // room for a queue of one, as it nearly always is
	inFlight int        // bytes of response body in queue
	closed   bool       // no more messages come
	length   int64      // of the request body read so far
	feeding  bool       // a goroutine reads it
	overdue  time.Time
}

type message struct {
	typ     byte
	payload string
	err     *Error // for messageEnd
}

// Messages of the pool's own, with an err.
const (
	messageLimit byte = 254 // the caller gets err; the runner has not ended yet
	messageEnd   byte = 255 // the request ends here
)

// size is what a message takes in memory.
func (m *message) size() int64 { return int64(len(m.payload)) + 64 }

func (p *pending) push(m message) {
	p.mu.Lock()
	if !p.closed {
		if len(p.queue) == 0 {
			p.queue = p.only[:0]
		}
		p.queue = append(p.queue, m)
		p.w.queued.Add(m.size())
		if m.typ == frameChunk || m.typ == frameEmit {
			p.inFlight += len(m.payload)
		}
	}
	p.mu.Unlock()
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// next waits for a message.
func (p *pending) next(done <-chan struct{}) (message, bool) {
	for {
		p.mu.Lock()
		if len(p.queue) > 0 {
			m := p.queue[0]
			p.queue[0] = message{}
			p.queue = p.queue[1:]
			p.w.queued.Add(-m.size())
			if m.typ == frameChunk || m.typ == frameEmit {
				p.inFlight -= len(m.payload)
			}
			p.mu.Unlock()
			return m, true
		}
		p.mu.Unlock()
		select {
		case <-p.wake:
		case <-done:
			return message{}, false
		}
	}
}

// respond serves the request until it has a response or fails.
func (p *pending) respond(ctx context.Context) (*Response, error) {
	for {
		m, ok := p.next(ctx.Done())
		if !ok {
			p.leave(ctx, "The client has disconnected.")
			p.w.pool.task(p.drain)
			return nil, gone(ctx)
		}
		switch m.typ {
		case frameHead:
			return p.head(ctx, m.payload)
		case frameFail:
			err := p.failed(m.payload)
			p.w.pool.task(p.drain)
			return nil, err
		case frameDone:
			p.finish()
			return nil, &Error{Code: "no_response", Message: "the code ended without a response", Status: 500}
		case messageLimit:
			p.w.pool.task(p.drain)
			return nil, m.err
		case messageEnd:
			p.finish()
			return nil, m.err
		default:
			if err := p.serve(m); err != nil {
				p.w.misbehaved(err)
			}
		}
	}
}

// serve does what a frame asks that is no part of the response.
func (p *pending) serve(m message) error {
	switch m.typ {
	case frameOps:
		return p.perform(m.payload)
	case framePull:
		if p.body == nil {
			return fmt.Errorf("it asked for a body that is not there")
		}
		p.mu.Lock()
		twice := p.feeding
		p.feeding = true
		p.mu.Unlock()
		if twice {
			return fmt.Errorf("it asked twice for a piece of the body")
		}
		go p.feed() // ends with the Read; see Request.Body
	default:
		return fmt.Errorf("a frame of type %d where there can be none", m.typ)
	}
	return nil
}

// drain goes on serving after the response, until nothing of the request is left.
func (p *pending) drain() {
	for {
		m, _ := p.next(nil)
		switch m.typ {
		case frameDone, messageEnd:
			p.finish()
			return
		case frameChunk, frameEmit, frameEnd, frameFail, frameHead, messageLimit:
		default:
			if err := p.serve(m); err != nil {
				p.w.misbehaved(err)
			}
		}
	}
}

// finish releases what the request held. It is called once, by the goroutine that serves it.
func (p *pending) finish() {
	p.mu.Lock()
	for _, m := range p.queue {
		p.w.queued.Add(-m.size())
	}
	p.closed, p.queue = true, nil
	p.mu.Unlock()
	if p.cancel != nil {
		p.cancel()
	}
	if p.unhook != nil {
		p.unhook()
	}
	p.network.end()
	p.streams.end(p.w.pool.task)
	p.w.remove(p)
}

// leave tells the runner that the context of the request has ended.
func (p *pending) leave(ctx context.Context, reason string) {
	if errors.Is(context.Cause(ctx), ErrOver) {
		p.revoke()
		return
	}
	p.abandon(reason, false)
}

// revoke ends the request altogether. Calls of bindings are cancelled; what they would have
// returned is withheld, and what the code asks for from now on is not heard.
func (p *pending) revoke() {
	p.mu.Lock()
	first := !p.over.Swap(true)
	cancel := p.cancel
	p.mu.Unlock()
	if !first {
		return
	}
	if cancel != nil {
		cancel()
	}
	p.abandon("The session has ended.", true)
}

// ended reports whether the request may do nothing more. That its rights have ended is known here at once, and
// to revoke a little later.
func (p *pending) ended() bool {
	return p.over.Load() || p.rights != nil && p.rights.Err() != nil
}

// setCancel says what ends the calls of bindings.
func (p *pending) setCancel(cancel context.CancelFunc) {
	p.mu.Lock()
	p.cancel = cancel
	p.mu.Unlock()
	if p.ended() {
		cancel()
	}
}

// abandon tells the runner that nobody waits for the response any more. What the
// code does in waitUntil may go on, unless the request is over altogether.
func (p *pending) abandon(reason string, over bool) {
	ctx, cancel := context.WithTimeout(p.w.pool.ctx, grace)
	defer cancel()
	p.w.link.Send(ctx, func(b []byte) []byte { // if it is not heard, the watch kills
		b, at := isolate.Begin(b, frameCancel, p.id)
		b = isolate.AppendBool(b, over)
		return isolate.End(isolate.AppendString(b, reason), at)
	})
}
