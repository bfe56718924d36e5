package workers

import (
	"context"
	"errors"
	"time"
)

// A slot is the place of a domain's worker, which may be starting still.
type slot struct {
	ready chan struct{}
	w     *worker
	err   error
}

// acquire returns the worker of the app's domain, starting it if there is none.
func (p *Pool) acquire(ctx context.Context, app *App) (*worker, error) {
	var patience <-chan time.Time // from the first wait on
	for {
		p.mu.Lock()
		if p.closed {
			p.mu.Unlock()
			return nil, errShut()
		}
		s := p.workers[app.place()]
		if s == nil && (len(p.workers) < p.opts.Workers || p.evict()) {
			s = &slot{ready: make(chan struct{})}
			p.workers[app.place()] = s
			p.mu.Unlock()
			p.fill(s, app)
		} else if s == nil {
			free := p.free
			if p.waiting[app.place()] >= maxWaiting {
				p.mu.Unlock()
				return nil, busy()
			}
			p.waiting[app.place()]++
			p.mu.Unlock()
			if patience == nil {
				timer := time.NewTimer(queueTime)
				defer timer.Stop()
				patience = timer.C
			}
			var err error
			select {
			case <-free:
			case <-patience:
				err = busy()
			case <-ctx.Done():
				err = gone(ctx)
			}
			p.mu.Lock()
			if p.waiting[app.place()]--; p.waiting[app.place()] == 0 {
				delete(p.waiting, app.place())
			}
			p.mu.Unlock()
			if err != nil {
				return nil, err
			}
			continue
		} else {
			select {
			case <-s.ready: // the common case
			default:
				p.mu.Unlock()
				select {
				case <-s.ready:
				case <-ctx.Done():
					return nil, gone(ctx)
				}
				p.mu.Lock()
			}
			if s.err == nil && p.workers[app.place()] == s {
				s.w.users++
				p.mu.Unlock()
				return s.w, nil
			}
			p.mu.Unlock()
		}
		if s.err != nil {
			return nil, &Error{Code: "unavailable", Message: "no worker could be started", Status: 503, Retry: time.Second, Err: s.err}
		}
	}
}

const (
	queueTime  = 5 * time.Second // for a worker when all are taken
	maxWaiting = 128             // requests of a domain
)

func busy() *Error {
	return &Error{Code: "unavailable", Message: "all workers are busy", Status: 503, Retry: time.Second}
}

// gone is the error of a request that nobody waits for.
func gone(ctx context.Context) *Error {
	return &Error{Code: "canceled", Message: "the client is gone", Status: 499, Err: context.Cause(ctx)}
}

func errShut() *Error {
	return &Error{Code: "unavailable", Message: "the engine is closed", Status: 503}
}

// fill starts the worker of a slot.
func (p *Pool) fill(s *slot, app *App) {
	if p.spawner != nil {
		p.calm(p.ctx, app.place())
	}
	w, err := p.start(app)
	p.mu.Lock()
	closed := p.closed
	if closed && err == nil { // Close did not see it
		w.link.Kill(errClosed)
		err = errClosed
	}
	s.w, s.err = w, err
	if err == nil {
		p.tasks.Go(w.wait)
	} else if p.workers[app.place()] == s {
		delete(p.workers, app.place())
		p.signal()
	}
	p.mu.Unlock()
	close(s.ready)
	if err != nil && !closed {
		p.opts.Logger.Error("samkit: no worker could be started", "domain", app.Domain, "error", err)
	}
}

// evict ends the worker that has been idle longest, to make room. mu is held.
func (p *Pool) evict() bool {
	var oldest *slot
	var domain string
	for d, s := range p.workers {
		if s.w == nil || s.w.users > 0 {
			continue
		}
		s.w.mu.Lock()
		busy, used := len(s.w.calls) > s.w.sockets, s.w.used
		for _, p := range s.w.calls { // a client whose socket ends connects again
			if p.quiet.After(used) {
				used = p.quiet
			}
		}
		s.w.mu.Unlock()
		if !busy && (oldest == nil || used.Before(oldest.w.used)) {
			oldest, domain = s, d
		}
	}
	if oldest == nil {
		return false
	}
	delete(p.workers, domain)
	oldest.w.link.Kill(errIdle)
	return true
}

var errIdle = errors.New("workers: idle")

// release gives a worker back.
func (p *Pool) release(w *worker) {
	p.mu.Lock()
	w.users--
	if w.users == 0 && len(p.waiting) > 0 {
		p.signal()
	}
	p.mu.Unlock()
}

// idle is called when a worker has no request left, which may be long after
// the last response.
func (p *Pool) idle() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.waiting) > 0 {
		p.signal()
	}
}

// signal wakes those who wait for a worker. mu is held.
func (p *Pool) signal() {
	close(p.free)
	p.free = make(chan struct{})
}

// remove makes room for another worker in place of one that has ended.
func (p *Pool) remove(w *worker) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s := p.workers[w.domain]; s != nil && s.w == w {
		delete(p.workers, w.domain)
		p.signal()
	}
}
