package workers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"

	"samkit.dev/internal/isolate"
)

// exchanges are what a request does on the network. They belong to the goroutine that
// serves the request.
type exchanges struct {
	byID    map[uint32]*exchange
	count   atomic.Int64  // requests, those after redirects included
	waiting chan struct{} // one for each that waits for a head
}

// maxHeads is how many exchanges of a request wait for a head at once, as on Workers.
const maxHeads = 6

// goesOn reports whether a call is part of an exchange that is known, and so none that is counted.
func (x *exchanges) goesOn(payload string) bool {
	rd := isolate.NewReader(payload)
	if rd.Byte() == actSend {
		return false
	}
	return x.byID[rd.Uint32()] != nil
}

// sweep forgets those of which nothing comes any more. A WebSocket may have ever new ones.
func (x *exchanges) sweep() {
	for id, e := range x.byID {
		e.mu.Lock()
		over := e.over
		e.mu.Unlock()
		if over && (e.up == nil || e.up.told()) {
			delete(x.byID, id)
		}
	}
}

// end stops all of them.
func (x *exchanges) end() {
	for _, e := range x.byID {
		e.stop()
	}
	x.byID = nil
}

// An exchange is an [Outbound] and its [Inbound].
type exchange struct {
	p      *pending
	base   context.Context // of the request's calls
	ctx    context.Context // base, until the exchange ends
	cancel context.CancelCauseFunc
	up     *upload // nil if no body comes in pieces

	mu      sync.Mutex // guards the rest
	down    *download  // once there is one
	pulling bool
	stopped bool
	over    bool // all of the response has been given, or that there is none
}

var errStopped = errors.New("workers: the exchange is not wanted any more")

// exchange does what a call of fetch asks. An error means a worker that breaks the rules.
func (p *pending) exchange(o opCall) error {
	rd := isolate.NewReader(o.payload)
	action := rd.Byte()
	if action == actSend {
		return p.beginExchange(o, &rd)
	}
	id := rd.Uint32()
	e := p.network.byID[id]
	if e == nil && action == actStop { // it ended at the same time
		return rd.Close()
	}
	if e == nil {
		return fmt.Errorf("it named an exchange that is not there")
	}
	switch action {
	case actPush:
		offset, last := rd.Uint64(), rd.Bool()
		piece := rd.Rest()
		if rd.Err() != nil || e.up == nil || len(piece) > maxPiece || piece == "" && !last {
			return fmt.Errorf("a piece of a request body that cannot be")
		}
		if !e.up.offer(o, offset, last, piece) {
			return fmt.Errorf("it sent a second piece before the first was taken")
		}
	case actPull:
		if err := rd.Close(); err != nil {
			return err
		}
		e.mu.Lock()
		ok := e.down != nil && !e.pulling && !e.stopped
		e.pulling = true
		e.mu.Unlock()
		if !ok {
			return fmt.Errorf("it asked for a piece of a response that cannot be")
		}
		p.w.pool.task(func() { e.pull(o) })
	case actStop:
		delete(p.network.byID, id)
		e.stop()
		return rd.Close()
	default:
		return fmt.Errorf("an action of fetch that is not known")
	}
	return nil
}

func (p *pending) beginExchange(o opCall, rd *isolate.Reader) error {
	q := &Outbound{Method: rd.String(), URL: rd.String(), Header: readHeader(rd), Redirect: rd.String()}
	kind, length, body := rd.Byte(), rd.Uint64(), rd.String()
	if err := rd.Close(); err != nil {
		return err
	}
	if kind > sendAgain || len(body) > maxWhole || p.network.byID[o.id] != nil {
		return fmt.Errorf("a request for the network that cannot be")
	}
	if p.network.byID == nil {
		p.network.byID, p.network.waiting = map[uint32]*exchange{}, make(chan struct{}, maxHeads)
	}
	q.MaxBody, q.Length = p.limits.ResponseBody, -1
	q.Admit = func() error { return p.admit(q) }
	if len(p.network.byID) >= 64 {
		p.network.sweep()
	}
	e := &exchange{p: p}
	e.base = p.ctx
	e.ctx, e.cancel = context.WithCancelCause(p.ctx)
	p.network.byID[o.id] = e
	context.AfterFunc(e.ctx, p.w.hold(o)) // it ends with the exchange
	switch kind {
	case sendNone:
		q.Length = 0
	case sendWhole:
		q.Length = int64(len(body))
		q.Body = func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(body)), nil }
	default:
		if kind == sendAgain && length < 1<<62 {
			q.Length = int64(length)
		}
		e.up = newUpload(e, kind == sendAgain)
		q.Body = e.up.reader
	}
	if err := p.refuse(len(o.payload)); err != nil {
		e.end(o, err)
		return nil // it stays known: pieces of its body may be on their way
	}
	p.w.pool.task(func() { e.run(o, q) })
	return nil
}

// maxAsked is the most that is kept of a request, without what of its body comes in pieces. Who
// carries it out has limits for each of its parts, below this.
const maxAsked = 2 << 20

// refuse says why a request of some size is not even begun. Those that would only wait until they were
// refused would be kept in memory meanwhile.
func (p *pending) refuse(size int) error {
	begun := 0
	for _, e := range p.network.byID {
		if e.ctx.Err() == nil {
			begun++
		}
	}
	switch {
	case p.app.Network == nil:
		return &NetworkError{Code: "fetch_denied", Message: "fetch failed: this app has no access to the network"}
	case size > maxAsked:
		return p.networkLimit("limit_fetch_headers")
	case begun > p.limits.Fetches:
		return p.networkLimit("limit_fetches")
	}
	return nil
}

// admit counts a request against the limits.
func (p *pending) admit(q *Outbound) error {
	if q.Length > p.limits.RequestBody {
		return p.networkLimit("limit_fetch_request")
	}
	if p.network.count.Add(1) > int64(p.limits.Fetches) {
		return p.networkLimit("limit_fetches")
	}
	p.w.pool.fetches.Add(1)
	return nil
}

// networkLimit is the error of a limit.
func (p *pending) networkLimit(code string) error {
	return &NetworkError{Code: code, Message: limitMessage(code)}
}

// end answers with an error.
func (e *exchange) end(o opCall, err error) {
	if e.up != nil {
		e.up.headed(true)
	}
	e.finish()
	e.settle(o, nil, err)
}

// finish notes that all of the response has been given.
func (e *exchange) finish() {
	e.mu.Lock()
	e.over = true
	e.mu.Unlock()
	e.cancel(nil)
}

// run sends the request and answers with the head of the response.
func (e *exchange) run(o opCall, q *Outbound) {
	in, err := e.send(q)
	if err != nil {
		e.end(o, err)
		return
	}
	if e.up != nil {
		e.up.headed(false)
	}
	kind, first, last := recvNone, []byte(nil), true
	switch {
	case in.NoBody || in.Body == nil:
		if in.Body != nil {
			in.Body.Close()
		}
	default:
		kind = recvStream
		d := &download{body: in.Body, left: q.MaxBody, size: in.Length}
		if first, last, err = d.begin(); err != nil {
			d.close()
			e.end(o, e.reason(err))
			return
		}
		if last {
			kind = recvWhole
			d.close()
		} else if !e.keep(d) {
			return
		}
	}
	if last {
		defer e.finish()
	}
	e.settle(o, func(b []byte) []byte {
		b = isolate.AppendUint32(b, uint32(in.Status))
		b = isolate.AppendString(b, in.StatusText)
		b = isolate.AppendString(b, in.URL)
		b = isolate.AppendBool(b, in.Redirected)
		b = appendHeader(b, in.Header)
		return isolate.AppendBytes(append(b, kind), first)
	}, nil)
}

// send waits for the head of the response.
func (e *exchange) send(q *Outbound) (in *Inbound, err error) {
	select {
	case e.p.network.waiting <- struct{}{}:
		defer func() { <-e.p.network.waiting }()
	case <-e.ctx.Done():
		return nil, e.reason(e.ctx.Err())
	}
	defer func() {
		if x := recover(); x != nil {
			in, err = nil, fmt.Errorf("a panic: %v", x)
		}
	}()
	in, err = e.p.app.Network(e.ctx, q)
	return in, e.reason(err)
}

// reason prefers why the exchange was ended to what that led to.
func (e *exchange) reason(err error) error {
	if err == nil {
		return nil
	}
	var ne *NetworkError
	if cause := context.Cause(e.ctx); errors.As(cause, &ne) {
		return ne
	}
	return err
}

// keep has the exchange own a body, unless it is stopped.
func (e *exchange) keep(d *download) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.stopped {
		d.close()
		return false
	}
	e.down = d
	return true
}

// pull answers with the next piece of the response body.
func (e *exchange) pull(o opCall) {
	piece, last, err := e.down.next()
	if err != nil {
		e.down.close()
		err = e.reason(err)
	}
	e.mu.Lock()
	e.pulling = false
	over := last || err != nil
	if over {
		e.down, e.over = nil, true
	}
	stopped := e.stopped
	e.mu.Unlock()
	if stopped {
		return
	}
	e.settle(o, func(b []byte) []byte { return append(isolate.AppendBool(b, last), piece...) }, err)
	if over {
		e.cancel(nil)
	}
}

// stop ends the exchange, if it has not ended.
func (e *exchange) stop() {
	e.mu.Lock()
	e.stopped = true
	d := e.down
	e.mu.Unlock()
	e.cancel(errStopped)
	if e.up != nil {
		e.up.end()
	}
	if d != nil {
		e.p.w.pool.task(d.close)
	}
}

// settle answers a call of fetch.
func (e *exchange) settle(o opCall, fill func([]byte) []byte, err error) {
	p := e.p
	if err != nil && e.base.Err() != nil {
		return // the request ends, by its time limit for instance: not by an error that code could answer
	}
	var ne *NetworkError
	if errors.As(err, &ne) {
		p.w.pool.count(ne.Code)
		if ne.Err != nil {
			p.w.pool.opts.Logger.Debug("samkit: a fetch failed", slog.String("project", p.app.Project), "error", ne.Err)
		}
	}
	p.w.link.Send(e.base, func(out []byte) []byte { // a dead worker's request ends by itself
		out, at := isolate.Begin(out, frameReplies, p.id)
		out = isolate.AppendUint32(out, 1)
		out = isolate.AppendUint32(out, o.id)
		out = answer(out, p.w.pool.opts.Logger, p.app, func(b []byte) ([]byte, error) {
			if err != nil {
				return nil, err
			}
			return fill(b), nil
		})
		return isolate.End(out, at)
	})
}
