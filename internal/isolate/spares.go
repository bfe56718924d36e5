package isolate

import (
	"context"
	"sync"
	"time"
)

// How long to wait after a spare could not be started, or ended.
const (
	minPause = 100 * time.Millisecond
	maxPause = 10 * time.Second
)

// Spares keeps workers ready that were not yet given anything to run, so that
// taking one does not wait for a process to start. It is safe for concurrent
// use.
type Spares struct {
	spawner *Spawner
	opts    Options
	idle    chan *Proc
	ctx     context.Context // of the goroutine that refills; ended by Close
	cancel  context.CancelCauseFunc
	joined  sync.WaitGroup
}

// NewSpares returns n spares that s starts with o, in the background. The
// caller closes it, before s. With n of 0 every Take starts a worker.
func NewSpares(s *Spawner, n int, o *Options) *Spares {
	sp := &Spares{spawner: s, opts: o.withDefaults(), idle: make(chan *Proc, max(n-1, 0))}
	if sp.opts.Memory == 0 {
		sp.opts.Memory = -1 // none, also the second time
	}
	sp.ctx, sp.cancel = context.WithCancelCause(context.Background())
	if n > 0 {
		sp.joined.Add(1)
		go sp.refill()
	}
	return sp
}

// refill holds one spare in its hand and the others in the channel.
func (sp *Spares) refill() {
	defer sp.joined.Done()
	pause := minPause
	for {
		p, err := sp.spawner.Start(sp.ctx, &sp.opts)
		if err == nil {
			select {
			case sp.idle <- p:
				pause = minPause
				continue
			case <-sp.ctx.Done():
				p.Kill(ErrClosed)
				<-p.Done()
				return
			case <-p.Done():
			}
		}
		// Take starts its own, and reports its own error.
		select {
		case <-sp.ctx.Done():
			return
		case <-time.After(pause):
			pause = min(2*pause, maxPause)
		}
	}
}

// Take returns a worker: a spare if there is one, else one that it starts. A
// spare may end at any time, like any worker.
func (sp *Spares) Take(ctx context.Context) (*Proc, error) {
	if sp.ctx.Err() != nil {
		return nil, ErrClosed
	}
	for {
		select {
		case p := <-sp.idle:
			select {
			case <-p.Done():
				continue
			default:
				return p, nil
			}
		default:
			return sp.spawner.Start(ctx, &sp.opts)
		}
	}
}

// Close ends the spares that nobody took, and waits for them. It may be called
// twice.
func (sp *Spares) Close() error {
	sp.cancel(ErrClosed)
	sp.joined.Wait()
	for {
		select {
		case p := <-sp.idle:
			p.Kill(ErrClosed)
			<-p.Done()
		default:
			return nil
		}
	}
}
