package canvas

import "samkit.dev/internal/workers"

// minWarm is how many projects a handler keeps prepared at least: their settings, responses, bundles and bindings, some
// ten kilobytes for a small one. The others are prepared again when asked for.
const minWarm = 1000

// warmest is how many there are: those that have workers, and as many again.
func (h *Handler) warmest() int {
	if p, ok := h.fetch.(*workers.Pool); ok {
		return max(minWarm, 2*p.Workers())
	}
	return minWarm
}

// warmed counts a site that was prepared, and has those give up what was prepared of them that were not asked for
// the longest, if there are too many. The caller holds no lock but the site's building.
func (h *Handler) warmed() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.warm++
	if h.warm <= h.maxWarm || h.closed {
		return
	}
	var idle []*site
	h.warm = 0
	for _, s := range h.oldest() {
		if s.gen.Load() != nil || !s.snapshots.empty() {
			h.warm++
			idle = append(idle, s)
		}
	}
	if h.warm <= h.maxWarm {
		return
	}
	idle = idle[:h.warm-h.maxWarm*3/4]
	h.warm -= len(idle)
	h.active.Add(1)
	go func() {
		defer h.active.Done()
		for _, s := range idle {
			s.chill()
			h.part(s)
		}
	}()
}

// chill gives up what can be made again, unless somebody uses it. What is on the console stays, and a worker of the project.
func (s *site) chill() {
	c := &s.scripts
	if !s.hub.empty() || !c.mu.TryLock() {
		return
	}
	defer c.mu.Unlock()
	if s.busy.Load() > 0 { // it was counted before it asked for c.mu
		return
	}
	s.h.databases.Add(-c.open.Swap(0))
	if err := c.close(); err != nil {
		s.h.log.Error("canvas: closing a database", "project", s.project.ID(), "err", err)
	}
	c.built = nil
	n := s.snapshots.chill()
	if gen := s.gen.Swap(nil); gen != nil {
		n += gen.retire()
	}
	s.h.hold(-n)
}
