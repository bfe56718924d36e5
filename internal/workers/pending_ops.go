package workers

import (
	"context"
	"fmt"

	"samkit.dev/host"
	"samkit.dev/internal/isolate"
	"samkit.dev/sqlshim"
)

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
	var few [4]opCall
	ops := few[:0]
	for range n {
		ops = append(ops, opCall{rd.Uint32(), rd.Uint32(), rd.String()}.alone(len(payload)))
	}
	if err := rd.Close(); err != nil {
		return err
	}
	if p.ended() {
		return nil
	}
	if p.ctx == nil {
		p.begin()
	}
	if !p.count(ops) {
		return fmt.Errorf("it made more calls than it may")
	}
	calls := ops[:0]
	for _, o := range ops {
		if o.binding != networkBinding {
			calls = append(calls, o)
		} else if err := p.exchange(o); err != nil {
			return err
		}
	}
	if ops = calls; len(ops) == 0 {
		return nil
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

// count counts calls, and reports false if they are more than there may be.
func (p *pending) count(ops []opCall) bool {
	n := 0
	for i := range ops {
		if ops[i].binding == networkBinding && p.network.goesOn(ops[i].payload) || p.streams.stops(ops[i]) {
			continue
		}
		n++
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.socket && p.renew {
		p.ctx, p.renew = p.budget(p.life), false
	}
	p.calls += n
	if p.socket { // for each message; the runner may be one behind
		return p.calls <= 2*p.limits.Calls
	}
	return p.calls <= p.limits.Calls // the runner refuses earlier
}

// identity is who calls, as bindings are told. Most requests call nobody.
func (p *pending) identity() host.Call {
	return host.Call{Principal: p.principal, Project: p.app.Project, Role: p.app.Role, Session: p.app.Session, ID: p.w.pool.callID(p.id)}
}

// begin makes the context of the request's binding calls.
func (p *pending) begin() {
	base := host.WithCall(context.WithoutCancel(p.w.pool.ctx), p.identity())
	ctx, cancel := context.WithDeadline(p.budget(base), p.deadline)
	p.ctx = ctx
	p.setCancel(cancel)
}

// budget gives a context the rows that a request may read and write.
func (p *pending) budget(ctx context.Context) context.Context {
	for i := range p.app.Bindings {
		if p.app.Bindings[i].DB != nil {
			return sqlshim.WithRows(ctx, p.limits.RowsRead, p.limits.RowsWritten)
		}
	}
	return ctx
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
		if p.ended() {
			return
		}
		b = isolate.AppendUint32(b, o.id)
		b = perform(ctx, p.w.pool.opts.Logger, p.w.pool.caches, p.app, &p.streams, o, b)
		if p.ended() || ctx.Err() == context.DeadlineExceeded {
			return // the request ends by its time limit, not by an error that code could answer
		}
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
	release := p.w.hold(o)
	run := func() { p.reply([]opCall{o}) }
	if int(o.binding) < len(p.app.Bindings) && p.app.Bindings[o.binding].Fetch != nil {
		run = func() { p.replyFetch(o) }
	}
	p.w.pool.task(func() {
		defer release()
		run()
	})
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
