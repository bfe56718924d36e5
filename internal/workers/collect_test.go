package workers

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

// retained keeps garbage from being optimised away, and what is live alive.
var retained [][]byte

// TestCollector shows when a worker collects: once there is enough garbage, and not while much is live.
func TestCollector(t *testing.T) {
	before := debug.SetGCPercent(100)
	defer func() { debug.SetGCPercent(before); retained = nil }()
	collections := func() uint32 { var m runtime.MemStats; runtime.ReadMemStats(&m); return m.NumForcedGC }
	waste := func(size int) {
		retained = nil
		for range size >> 16 {
			retained = append(retained, make([]byte, 1<<16))
		}
	}

	c := newCollector()
	waste(0)
	runtime.GC()
	n := collections()
	for range 4 * collectFrames {
		c.turned(0)
	}
	if got := collections() - n; got != 0 {
		t.Errorf("%d collections without garbage", got)
	}
	waste(collectRoom + 1<<20)
	waste(0)
	c.turned(0)
	if got := collections() - n; got != 0 {
		t.Errorf("it looked after every small turn")
	}
	c.turned(collectTurn)
	if got := collections() - n; got != 1 {
		t.Errorf("%d collections after a turn that made garbage, want 1", got)
	}

	waste(2 * collectLarge)
	runtime.GC()
	n = collections()
	live := retained
	waste(collectRoom + 1<<20)
	c.turned(time.Second)
	if got := collections() - n; got != 0 || !c.large {
		t.Errorf("%d collections of a large heap (large: %t)", got, c.large)
	}
	runtime.KeepAlive(live)
	live = nil
	waste(0)
	runtime.GC()
	if c.turned(time.Second); c.large {
		t.Error("the heap counts as large for ever")
	}
}
