package isolate

import "time"

const (
	watchTick = 20 * time.Millisecond
	watchIdle = 50 // ticks between looks at a worker that is idle

	// maxThreads is far more than the Go runtime makes with one P. Threads may
	// be made in the sandbox, and the system counts them by user only.
	maxThreads = 128
)

// watch is the goroutine that kills workers whose memory passes their limit,
// or whose threads do.
// It sleeps while there are none.
func (s *Spawner) watch() {
	defer s.joined.Done()
	for {
		select {
		case <-s.stop:
			return
		case <-s.wake:
			s.watchAll()
		}
	}
}

func (s *Spawner) watchAll() {
	tick := time.NewTicker(watchTick)
	defer tick.Stop()
	for {
		select {
		case <-s.stop:
			return
		case <-tick.C:
		}
		watched := false
		for _, p := range s.list() {
			if limit := p.memory.Load(); limit > 0 {
				watched = true
				p.check(limit)
			}
		}
		if !watched {
			return
		}
	}
}

// check looks at busy workers each tick and at idle ones now and then.
func (p *Proc) check(memory int64) {
	if p.active.Swap(false) {
		p.idle = 0
	} else {
		p.idle++
	}
	if p.idle > watchIdle && p.idle%watchIdle != 0 {
		return
	}
	u, err := p.Usage()
	if err != nil {
		return
	}
	if u.Memory > overhead*memory {
		p.Kill(ErrMemory)
	}
	if u.Threads > maxThreads {
		p.Kill(ErrThreads)
	}
	if u.CPU > p.cpu+time.Millisecond {
		p.cpu, p.idle = u.CPU, 0
	}
}
