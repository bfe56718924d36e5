package workers

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"samkit.dev/host"
)

// A lateLife is over before anybody who waits for its end gets to run.
type lateLife struct {
	context.Context
	over atomic.Bool
}

func (l *lateLife) Err() error {
	if l.over.Load() {
		return context.Canceled
	}
	return l.Context.Err()
}

func TestNoCallBeginsAfterItsLife(t *testing.T) {
	eachLevel(t, Options{}, func(t *testing.T, p *Pool) {
		ctx, end := context.WithCancelCause(t.Context())
		defer end(nil)
		life := &lateLife{Context: ctx}
		calls := 0
		caps := host.New()
		host.Register(caps.Define("clock", 1), "tick", "Counts.", func(context.Context, struct{}) (int, error) {
			if calls++; calls == 3 {
				life.over.Store(true)
				time.AfterFunc(100*time.Millisecond, func() { end(ErrOver) })
			}
			return calls, nil
		})
		a := app(t, `export default { async fetch(request, env) { for (;;) try { await env.HOST.clock.tick({}) } catch {} } }`, Binding{Name: "HOST", Caller: caps})
		if _, err := p.Fetch(ctx, a, &Request{Method: "GET", URL: "http://test/", Life: life}); err == nil {
			t.Error("answered")
		}
		if calls != 3 {
			t.Errorf("%d calls, of which 3 began in its life", calls)
		}
	})
}
