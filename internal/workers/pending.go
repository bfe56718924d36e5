package workers

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"samkit.dev/host"
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

	body io.Reader // of the request, if it comes in pieces

	ctx    context.Context // for binding calls; ends with the request
	cancel context.CancelFunc
	call   host.Call

	calls    int // to bindings
	console  int64
	received int64 // of the response body
	owed     int   // read from the response since the last credit

	wake chan struct{} // capacity 1

	mu       sync.Mutex // guards the rest
	queue    []message
	inFlight int   // bytes of response body in queue
	closed   bool  // no more messages come
	length   int64 // of the request body read so far
	feeding  bool  // a goroutine reads it
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
		p.queue = append(p.queue, m)
		p.w.queued.Add(m.size())
		if m.typ == frameChunk {
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
			if m.typ == frameChunk {
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
			p.abandon("The client has disconnected.", false)
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

func (p *pending) head(ctx context.Context, payload string) (*Response, error) {
	rd := isolate.NewReader(payload)
	res := &Response{Status: int(rd.Uint32()), StatusText: rd.String()}
	var err error
	if peek := rd; peek.Count(8) > maxHeaders {
		err = fmt.Errorf("too many headers")
	} else {
		res.Header = readHeader(&rd)
	}
	last, kind, body := rd.Bool(), rd.Byte(), rd.String()
	if err == nil {
		err = rd.Close()
	}
	if err == nil {
		err = checkHead(res, kind)
	}
	if err != nil {
		p.w.misbehaved(fmt.Errorf("malformed response: %w", err))
		p.finish()
		return nil, &Error{Code: "worker_died", Message: "the worker sent a malformed response", Status: 502}
	}
	if int64(len(body)) > p.limits.ResponseBody {
		p.abandon(limitMessage("limit_response_body"), true)
		p.w.pool.task(p.drain)
		return nil, p.w.pool.limited("limit_response_body")
	}
	switch {
	case kind == bodyStream:
		res.Body = &responseBody{p: p, ctx: ctx, left: body}
	default:
		res.Bytes = []byte(body)
		if last {
			p.finish()
		} else {
			p.w.pool.task(p.drain)
		}
	}
	return res, nil
}

// checkHead makes sure of what JavaScript's Response made sure of: that nothing in the head
// could be taken for something else by those who pass it on.
func checkHead(res *Response, kind byte) error {
	if res.Status < 200 || res.Status > 599 {
		return fmt.Errorf("status %d", res.Status)
	}
	if kind > bodyStream {
		return fmt.Errorf("a body of kind %d", kind)
	}
	if strings.ContainsAny(res.StatusText, "\r\n\x00") {
		return fmt.Errorf("status text %.100q", res.StatusText)
	}
	for i := 0; i < len(res.Header); i += 2 {
		if name, value := res.Header[i], res.Header[i+1]; !isToken(name) || strings.ContainsAny(value, "\r\n\x00") {
			return fmt.Errorf("header %.100q: %.100q", name, value)
		}
	}
	return nil
}

// isToken reports whether s is a token of RFC 9110, in lower case.
func isToken(s string) bool {
	for i := range len(s) {
		if c := s[i]; !(c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || strings.IndexByte("!#$%&'*+-.^_`|~", c) >= 0) {
			return false
		}
	}
	return s != ""
}

// failed makes an Error of a failure frame.
func (p *pending) failed(payload string) *Error {
	rd := isolate.NewReader(payload)
	f := readFailure(&rd)
	if rd.Close() != nil {
		return &Error{Code: "worker_died", Message: "the worker sent a malformed failure", Status: 502}
	}
	if !failureCodes[f.code] { // code can throw errors that have any
		f.code = "exception"
	}
	e := &Error{Code: f.code, Message: p.app.original(clip(f.message, maxMessage)), Stack: p.app.original(clip(f.stack, maxMessage)), Status: statusOf(f.code)}
	p.w.pool.count(f.code)
	return e
}

// maxMessage is the most of an error's message, and of its stack, in bytes.
const maxMessage = 64 << 10

// failureCodes are those that a runner may give.
var failureCodes = map[string]bool{
	"limit_wall": true, "limit_cpu": true, "limit_memory": true, "limit_calls": true, "limit_request_body": true, "limit_response_body": true,
	"limit_console": true, "exception": true, "no_handler": true, "no_response": true, "unavailable": true, "worker_died": true, "internal": true,
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
		case frameChunk, frameEnd, frameFail, frameHead, messageLimit:
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
	p.w.remove(p)
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

// An opCall is one binding call of a frame.
type opCall struct {
	id, binding uint32
	payload     string
}

// perform runs the binding calls of a frame and sends their answers. Calls that may
// take long run beside each other.
func (p *pending) perform(payload string) error {
	rd := isolate.NewReader(payload)
	n := rd.Count(12)
	if p.calls += n; p.calls > p.limits.Calls { // the runner refuses earlier
		return fmt.Errorf("it made more calls than it may")
	}
	var few [4]opCall
	ops := few[:0]
	for range n {
		ops = append(ops, opCall{rd.Uint32(), rd.Uint32(), rd.String()})
	}
	if err := rd.Close(); err != nil {
		return err
	}
	if p.ctx == nil {
		p.begin()
	}
	if p.app.slow(ops) {
		for _, o := range ops {
			p.slowly(o)
		}
		return nil
	}
	p.reply(ops)
	return nil
}

// begin makes the context of the request's binding calls.
func (p *pending) begin() {
	base := host.WithCall(context.WithoutCancel(p.w.pool.ctx), p.call)
	p.ctx, p.cancel = context.WithDeadline(base, p.deadline)
}

// maxReplies is from how many bytes on answers are sent without waiting for the others.
const maxReplies = 64 << 10

// reply runs calls and sends their answers, large ones one by one: together they
// could be as large as the number of calls allows.
func (p *pending) reply(ops []opCall) {
	ctx := p.ctx
	b := make([]byte, 0, 256)
	n := uint32(0)
	for i, o := range ops {
		b = isolate.AppendUint32(b, o.id)
		b = perform(ctx, p.w.pool.opts.Logger, p.app, o.binding, o.payload, b)
		if n++; len(b) < maxReplies && i < len(ops)-1 {
			continue
		}
		err := p.w.link.Send(ctx, func(out []byte) []byte {
			out, at := isolate.Begin(out, frameReplies, p.id)
			out = isolate.AppendUint32(out, n)
			return isolate.End(append(out, b...), at)
		})
		if err != nil {
			return // a dead worker's request ends by itself
		}
		if b, n = b[:0], 0; cap(b) > 1<<20 {
			b = nil
		}
	}
}

// replyFetch is reply for a call of which only so many run at once, since their
// answers are held whole.
func (p *pending) replyFetch(o opCall) {
	select {
	case p.w.fetches <- struct{}{}:
		defer func() { <-p.w.fetches }()
	case <-p.ctx.Done(): // is answered with the error
	}
	p.reply([]opCall{o})
}

// slowly runs a call that may wait for something outside.
func (p *pending) slowly(o opCall) {
	if int(o.binding) < len(p.app.Bindings) && p.app.Bindings[o.binding].Fetch != nil {
		p.w.pool.task(func() { p.replyFetch(o) })
		return
	}
	p.w.pool.task(func() { p.reply([]opCall{o}) })
}

// slow reports whether any of the calls may wait for something outside.
func (a *App) slow(ops []opCall) bool {
	for _, o := range ops {
		if int(o.binding) < len(a.Bindings) {
			if d := &a.Bindings[o.binding]; d.Caller != nil || d.Fetch != nil {
				return true
			}
		}
	}
	return false
}

// feed sends one piece of the request body.
func (p *pending) feed() {
	buf := make([]byte, 64<<10)
	n, err := p.body.Read(buf)
	for n == 0 && err == nil {
		n, err = p.body.Read(buf)
	}
	p.mu.Lock()
	p.length += int64(n)
	over := p.length > p.limits.RequestBody
	p.feeding = false
	p.mu.Unlock()
	done, message := err == io.EOF, ""
	switch {
	case over:
		p.w.pool.count("limit_request_body")
		message = limitMessage("limit_request_body")
	case err != nil && err != io.EOF:
		message = "the request body could not be read"
	}
	p.w.link.Send(context.Background(), func(b []byte) []byte {
		b, at := isolate.Begin(b, frameBody, p.id)
		b = isolate.AppendBool(b, done)
		b = isolate.AppendString(b, message)
		return isolate.End(append(b, buf[:n]...), at)
	})
}

// A responseBody reads a streamed response body. Reading it serves the request.
type responseBody struct {
	p    *pending
	ctx  context.Context // of the request
	left string
	err  error
}

func (b *responseBody) Read(dst []byte) (int, error) {
	for b.left == "" && b.err == nil {
		m, ok := message{}, false
		if b.ctx.Err() == nil { // what has come already does not keep a stream going
			m, ok = b.p.next(b.ctx.Done())
		}
		if !ok {
			b.stop(gone(b.ctx))
			break
		}
		switch m.typ {
		case frameChunk:
			b.p.received += int64(len(m.payload))
			if b.p.received > b.p.limits.ResponseBody {
				b.stop(b.p.w.pool.limited("limit_response_body"))
				break
			}
			b.left = m.payload
		case frameEnd:
			b.err = io.EOF
			b.p.w.pool.task(b.p.drain)
		case frameFail:
			b.err = b.p.failed(m.payload)
			b.p.w.pool.task(b.p.drain)
		case frameDone:
			b.err = io.ErrUnexpectedEOF
			b.p.finish()
		case messageLimit:
			b.err = m.err
			b.p.w.pool.task(b.p.drain)
		case messageEnd:
			b.err = m.err
			b.p.finish()
		default:
			if err := b.p.serve(m); err != nil {
				b.p.w.misbehaved(err)
			}
		}
	}
	if b.left == "" {
		return 0, b.err
	}
	n := copy(dst, b.left)
	b.left = b.left[n:]
	b.p.owed += n
	if b.p.owed >= streamWindow/4 || b.left == "" && b.p.owed >= streamWindow/8 {
		b.p.credit()
	}
	return n, nil
}

// credit tells the runner that there is room again.
func (p *pending) credit() {
	n := uint32(p.owed)
	p.owed = 0
	p.w.link.Send(context.Background(), func(b []byte) []byte {
		b, at := isolate.Begin(b, frameCredit, p.id)
		return isolate.End(isolate.AppendUint32(b, n), at)
	})
}

func (b *responseBody) stop(err error) {
	b.err = err
	b.p.abandon("The response is not wanted any more.", false)
	b.p.w.pool.task(b.p.drain)
}

// Close cancels what is still being produced.
func (b *responseBody) Close() error {
	if b.err == nil {
		b.stop(io.ErrClosedPipe)
	}
	return nil
}
