package workers

import (
	"context"
	"time"
)

// A project whose every request kills its worker would have the program start processes as fast as
// it can. Ends that nobody wished for are forgiven up to a number; then the next start waits.
const (
	stormBurst = 10                     // ends in a row
	stormPause = 500 * time.Millisecond // in which one is forgiven
	stormMost  = 1024                   // domains remembered, more only while they are new
)

// storms are the domains whose workers ended badly of late. They are guarded by the pool's mu.
type storms map[string]storm

type storm struct {
	ends float64 // not forgiven yet
	at   time.Time
}

func (s storm) left(now time.Time) float64 {
	return max(s.ends-float64(now.Sub(s.at))/float64(stormPause), 0)
}

// ended notes that a worker of a domain ended badly.
func (all storms) ended(domain string, now time.Time) {
	if len(all) >= stormMost {
		for d, s := range all {
			if s.left(now) == 0 {
				delete(all, d)
			}
		}
	}
	all[domain] = storm{all[domain].left(now) + 1, now}
}

// pause is how long the next start has to wait. The requests of a domain share one start,
// so that it is no more than a pause for each end beyond the burst.
func (all storms) pause(domain string, now time.Time) time.Duration {
	over := all[domain].left(now) - stormBurst
	return time.Duration(max(over, 0) * float64(stormPause))
}

// calm waits until a worker of the domain may start.
func (p *Pool) calm(ctx context.Context, domain string) {
	p.mu.Lock()
	pause := p.storms.pause(domain, time.Now())
	p.mu.Unlock()
	if pause == 0 {
		return
	}
	select {
	case <-time.After(min(pause, queueTime)):
	case <-ctx.Done():
	}
}
