package workers

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// A collector has a worker process collect its garbage between turns. What a
// request made is garbage by then, so nothing is marked that is dead a moment later, and
// JavaScript is not slowed down by write barriers: on its one processor a worker would
// otherwise run beside the collector for a third of the time. See RATIONALE.md, "Garbage between turns".
//
// A heap that is large even so is left to the Go runtime, which does not stop for it.
type collector struct {
	heap   [2]metrics.Sample // its size, and what was live at the last collection
	frames int               // since the last look
	large  bool
}

const (
	collectRoom  = 16 << 20 // bytes of garbage that a collection is worth
	collectLarge = 16 << 20 // a heap that takes some ten milliseconds to mark

	// collectFirst is the heap up to which a process that has never collected does not begin to when it is idle. The runtime
	// makes some 0.7 MB of tables for its first collection, which is more than there is garbage then.
	collectFirst = 3 << 20

	// A look takes as long as a hundredth of a small request.
	collectFrames = 8
	collectTurn   = time.Millisecond

	// In percent, as GOGC has it. The first is for turns that make much garbage by themselves.
	collectSmallPercent = 1000
	collectLargePercent = 400
)

func newCollector() *collector {
	debug.SetGCPercent(collectSmallPercent)
	return &collector{heap: [2]metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/gc/heap/live:bytes"}}}
}

// turned is called when JavaScript has nothing to do at the moment, after it took so long for a frame.
func (c *collector) turned(took time.Duration) {
	if c.frames++; c.frames < collectFrames && took < collectTurn {
		return
	}
	c.frames = 0
	metrics.Read(c.heap[:])
	size, live := c.heap[0].Value.Uint64(), c.heap[1].Value.Uint64()
	if large := live > collectLarge; large != c.large {
		c.large = large
		if large {
			debug.SetGCPercent(collectLargePercent)
		} else {
			debug.SetGCPercent(collectSmallPercent)
		}
	}
	if !c.large && size > live+collectRoom {
		runtime.GC()
	}
}

// trim gives memory back that is not in use, as the process has nothing to do.
func (c *collector) trim() {
	cycles := []metrics.Sample{{Name: "/gc/cycles/total:gc-cycles"}}
	metrics.Read(cycles)
	metrics.Read(c.heap[:])
	if cycles[0].Value.Uint64() > 0 || c.heap[0].Value.Uint64() > collectFirst {
		debug.FreeOSMemory()
	}
}
