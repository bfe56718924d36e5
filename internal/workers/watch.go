package workers

import (
	"cmp"
	"time"

	"samkit.dev/internal/isolate"
)

const (
	tick     = 20 * time.Millisecond
	grace    = 100 * time.Millisecond // for a runner to end a request that is over its time
	trimTime = time.Second            // of idleness, before memory goes back to the system
)

// wake makes the watch look, if it sleeps.
func (p *Pool) wake() {
	select {
	case p.watcher <- struct{}{}:
	default:
	}
}

// watch enforces time and CPU limits, trims idle workers and ends them.
func (p *Pool) watch() {
	tick := tick
	if p.opts.Isolation == InProcess {
		tick = heapTick
	}
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	for {
		busy := p.look(time.Now())
		if busy {
			select {
			case <-p.ctx.Done():
				return
			case <-ticker.C:
			}
			continue
		}
		ticker.Stop()
		select {
		case <-p.ctx.Done():
			return
		case <-p.watcher:
		case <-time.After(min(p.opts.Idle/4+time.Millisecond, trimTime/2)):
		}
		ticker.Reset(tick)
	}
}

// look visits all workers and reports whether any has a request.
func (p *Pool) look(now time.Time) bool {
	p.mu.Lock()
	var all []*worker
	for domain, s := range p.workers {
		if s.w == nil {
			continue
		}
		s.w.mu.Lock()
		idle := len(s.w.calls) == 0 && !s.w.used.IsZero() && now.Sub(s.w.used) > cmp.Or(s.w.idle, p.opts.Idle)
		s.w.mu.Unlock()
		if idle && s.w.users == 0 {
			delete(p.workers, domain)
			s.w.link.Kill(errIdle)
			p.signal()
			continue
		}
		all = append(all, s.w)
	}
	p.mu.Unlock()
	var running []*worker
	for _, w := range all {
		if w.look(now) {
			running = append(running, w)
		}
	}
	if p.heap != nil {
		p.heap.look(running, p.opts.Limits.Memory)
	}
	return len(running) > 0
}

// look enforces the limits of the worker's requests.
func (w *worker) look(now time.Time) (busy bool) {
	w.mu.Lock()
	if len(w.calls) == 0 {
		trim := !w.trimmed && !w.used.IsZero() && now.Sub(w.used) > trimTime
		w.trimmed = w.trimmed || trim
		w.mu.Unlock()
		if trim && w.pool.opts.Isolation != InProcess {
			w.link.Send(w.pool.ctx, func(b []byte) []byte { return isolate.AppendFrame(b, frameTrim, 0, "") })
		}
		return false
	}
	var late []*pending
	stuck := false
	cpuLimit := time.Duration(1<<63 - 1)
	socketsOnly := true
	for _, p := range w.calls {
		if !p.socket {
			socketsOnly = false
		} else if now.Sub(p.window) > p.limits.Wall {
			p.window, p.startCPU = now, w.cpu
		}
		if now.After(p.deadline) {
			p.mu.Lock()
			if p.overdue.IsZero() {
				p.overdue = now
				late = append(late, p)
			} else if now.Sub(p.overdue) > grace {
				stuck = true
			}
			p.mu.Unlock()
		}
		cpuLimit = min(cpuLimit, p.limits.CPU)
	}
	only := len(w.calls) == 1
	var oldest time.Duration
	if only {
		for _, p := range w.calls {
			oldest = p.startCPU
		}
	}
	w.mu.Unlock()

	for _, p := range late {
		p.push(message{typ: messageLimit, err: w.pool.limited("limit_wall")})
		w.pool.task(func() { p.abandon(limitMessage("limit_wall"), true) })
	}
	if stuck {
		w.kill(&Error{Code: "limit_wall"})
		return true
	}
	grew := w.checkCPU(cpuLimit, only, oldest)
	return !socketsOnly || grew > tick/4 // open sockets alone need no close watch
}

// checkCPU kills a worker that has computed for longer than a request may
// without saying anything, or with one request to blame. It returns what the
// worker has used since the last look.
func (w *worker) checkCPU(limit time.Duration, only bool, start time.Duration) (grew time.Duration) {
	u, err := w.link.Usage()
	if err != nil {
		return 0
	}
	w.mu.Lock()
	grew = u.CPU - w.cpu
	if w.frames != w.seenFrames {
		w.seenFrames, w.cpuMark = w.frames, w.cpu
	}
	w.cpu = u.CPU
	over := u.CPU-w.cpuMark > limit || only && u.CPU-start > limit
	w.mu.Unlock()
	if over {
		w.kill(&Error{Code: "limit_cpu"})
	}
	return grew
}
