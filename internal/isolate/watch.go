package isolate

import "time"

const (
	watchTick = 20 * time.Millisecond
	watchIdle = 50 // ticks between looks at a worker that is idle
)

// watch is the goroutine that kills workers whose memory passes their limit.
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
			if p.opts.Memory > 0 {
				watched = true
				p.checkMemory()
			}
		}
		if !watched {
			return
		}
	}
}

// checkMemory looks at busy workers each tick and at idle ones now and then.
func (p *Proc) checkMemory() {
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
	if u.Memory > p.opts.Memory {
		p.Kill(ErrMemory)
	}
	if u.CPU > p.cpu+time.Millisecond {
		p.cpu, p.idle = u.CPU, 0
	}
}
