package workers

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

func TestStorms(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := storms{}
		for i := range stormBurst {
			if d := all.pause("a", time.Now()); d != 0 {
				t.Errorf("after %d ends: %v", i, d)
			}
			all.ended("a", time.Now())
		}
		all.ended("a", time.Now())
		if d := all.pause("a", time.Now()); d != stormPause {
			t.Errorf("after the burst: %v", d)
		}
		if d := all.pause("b", time.Now()); d != 0 {
			t.Errorf("a neighbour: %v", d)
		}
		begin, starts := time.Now(), 0
		for time.Since(begin) < time.Minute { // a project that does nothing else
			time.Sleep(all.pause("a", time.Now()))
			all.ended("a", time.Now())
			starts++
			time.Sleep(time.Millisecond)
		}
		if starts > 130 {
			t.Errorf("%d starts in a minute", starts)
		}
		time.Sleep(time.Minute)
		if d := all.pause("a", time.Now()); d != 0 {
			t.Errorf("after a minute of peace: %v", d)
		}
		for i := range 3 * stormMost {
			all.ended(fmt.Sprint(i), time.Now())
			time.Sleep(time.Millisecond)
		}
		if len(all) > 2*stormMost {
			t.Errorf("%d domains are remembered", len(all))
		}
	})
}

// A project whose requests kill their worker is served on, but no longer at once. The limit leaves a fresh worker
// under the race detector time for a request that is well.
func TestCrashStorm(t *testing.T) {
	p, err := NewPool(Options{Isolation: Process, Limits: Limits{CPU: 300 * time.Millisecond, Wall: 20 * time.Second}})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	a := app(t, `export default { fetch(request) { if (request.url.endsWith("/ok")) return new Response("ok"); for (;;) {} } }`)
	start := time.Now()
	const n = stormBurst + 4
	for range n {
		failure_(t, p, a, "/spin")
	}
	if took := time.Since(start); took < 2*stormPause {
		t.Errorf("%d workers in %v", n, took)
	}
	if _, body := get(t, p, a, "/ok"); body != "ok" {
		t.Error(body)
	}
}
