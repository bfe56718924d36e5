package workers

import (
	"runtime"
	"runtime/metrics"
	"time"
)

// heapTick is how often the heap is looked at while code runs in this process.
const heapTick = 5 * time.Millisecond

// sweepTime is the least time between two collections that the watch asks for.
const sweepTime = 20 * time.Millisecond

// A heapWatch stops code in this process that makes the heap grow by more than
// a request may use. Go does not know whose memory it is: what the rest
// of the program takes while code runs counts as well, and it is the code that
// has been running longest that is stopped.
type heapWatch struct {
	idle   bool  // no code ran at the last look
	before int64 // bytes in use when code began to run
	swept  time.Time
	sample [1]metrics.Sample
}

func newHeapWatch() *heapWatch {
	h := &heapWatch{idle: true}
	h.sample[0].Name = "/memory/classes/heap/objects:bytes"
	return h
}

// size is the size of the heap's objects, those that nobody needs any more included.
func (h *heapWatch) size() int64 {
	metrics.Read(h.sample[:])
	return int64(h.sample[0].Value.Uint64())
}

// look is called by the pool's watch; running are the workers that have requests.
func (h *heapWatch) look(running []*worker, limit int64) {
	if len(running) == 0 {
		h.idle = true
		return
	}
	size := h.size()
	if h.idle {
		h.idle, h.before = false, size
		return
	}
	h.before = min(h.before, size) // a collection has found garbage that was there before
	if size-h.before <= limit || time.Since(h.swept) < sweepTime {
		return
	}
	runtime.GC()
	h.swept = time.Now()
	if h.size()-h.before <= limit {
		return // it was garbage
	}
	var longest *localLink
	var since int64
	var victim *worker
	for _, w := range running {
		if l, ok := w.link.(*localLink); ok {
			if s := l.since.Load(); s != 0 && (longest == nil || s < since) {
				longest, since, victim = l, s, w
			}
		}
	}
	if victim != nil {
		victim.kill(&Error{Code: "limit_memory"})
	}
}
