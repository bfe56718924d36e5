package canvas

import (
	"context"
	"net/http"
	"runtime"
	"sync"
	"sync/atomic"
	"weak"

	"samkit.dev/internal/workers"
)

// people are those whose requests run, so that [Handler.Revoke] reaches what has begun. A
// request is asked twice: it notes the number of revocations before it is known whose it is, and
// joins that person's life afterwards. Between the two nobody slips through.
type people struct {
	revocations atomic.Uint64

	mu      sync.Mutex                    // guards what follows
	revoked map[string]uint64             // by principal: the number of their last revocation, if it is after floor
	floor   uint64                        // up to here anybody may have been revoked
	lives   map[string]weak.Pointer[life] // of those who have requests, waitUntil included: these keep them
}

// A life is a person's time until Revoke, as a context that ends then.
type life struct {
	context.Context
	end context.CancelCauseFunc
}

func newPeople() *people {
	return &people{revoked: map[string]uint64{}, lives: map[string]weak.Pointer[life]{}}
}

// join returns a person's present life, or nil if they were revoked after since.
func (p *people) join(principal string, since uint64) *life {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.revoked[principal] > since || p.floor > since {
		return nil
	}
	if l := p.lives[principal].Value(); l != nil {
		return l
	}
	l := &life{}
	l.Context, l.end = context.WithCancelCause(context.Background())
	p.lives[principal] = weak.Make(l)
	runtime.AddCleanup(l, p.forget, principal)
	return l
}

// forget drops a life that nobody holds.
func (p *people) forget(principal string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.lives[principal].Value() == nil {
		delete(p.lives, principal)
	}
}

// maxRevoked bounds the revocations that are known one by one. When there are more they are forgotten together, and
// the requests that are just between the two questions then are asked to come again, whosever they are.
const maxRevoked = 10_000

// revoke ends a person's life. The next request begins another.
func (p *people) revoke(principal string) {
	p.mu.Lock()
	if len(p.revoked) >= maxRevoked {
		clear(p.revoked)
		p.floor = p.revocations.Load()
	}
	p.revoked[principal] = p.revocations.Add(1)
	l := p.lives[principal].Value()
	delete(p.lives, principal)
	p.mu.Unlock()
	if l != nil {
		l.end(workers.ErrOver)
	}
}

// join has the visit end when the person is revoked. It answers itself if that has happened since
// the visit began. One of nobody in particular has nothing that could be taken away.
func (v *visit) join() bool {
	if v.who == (Visitor{}) && v.loc.token == "" {
		return true
	}
	if v.life = v.h.people.join(v.who.Principal, v.since); v.life != nil {
		return true
	}
	v.sessionEnded()
	return false
}

// ended reports whether the visit's rights have ended: those of its person, or of its session.
func (v *visit) ended() bool {
	select {
	case <-v.app.Done:
		return true
	default:
		return v.life != nil && v.life.Err() != nil
	}
}

func (v *visit) sessionEnded() {
	v.fail(http.StatusForbidden, failure{Code: "denied", Message: "This session has ended.", Hint: "Load the page again."})
}
