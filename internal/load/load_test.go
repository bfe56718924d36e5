package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"testing"
	"time"

	"samkit.dev/host/engine"
)

func TestMain(m *testing.M) {
	engine.Main()
	if len(os.Args) > 1 && roles[os.Args[1]] != nil { // a child of a measurement
		if err := run(context.Background(), os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, "load:", err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// sandboxed skips what only Linux has.
func sandboxed(t *testing.T) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("reads /proc")
	}
	if testing.Short() {
		t.Skip("takes seconds")
	}
}

// TestNeighbour has each threat attack for a second. How long the neighbour waits depends on what else the machine
// does, and is for the command to judge; here it has to be served.
func TestNeighbour(t *testing.T) {
	sandboxed(t)
	server, err := start(t.Context(), 0, "serve-neighbour")
	if err != nil {
		t.Fatal(err)
	}
	urls := []string{server.ready + "/neighbour/api/json", server.ready + "/neighbour/page.txt"}
	for _, threat := range threats {
		r, err := attackOnce(t.Context(), server, threat, urls, 10, time.Second)
		if err != nil {
			t.Fatal(err)
		}
		if len(r.quiet.took) != 10 || len(r.attacked.took) != 10 || r.quiet.failed+r.attacked.failed > 0 {
			t.Errorf("beside one that %s: %d and %d requests, %v, %v", threat.what, len(r.quiet.took), len(r.attacked.took), r.quiet.first, r.attacked.first)
		}
	}
	if err := server.end(nil); err != nil {
		t.Error(err)
	}
}

func TestSoak(t *testing.T) {
	sandboxed(t)
	server, err := start(t.Context(), 0, "serve-soak", "8", "12")
	if err != nil {
		t.Fatal(err)
	}
	begin, err := take(server, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	samples, w, err := watch(t.Context(), server, 8, 12, 6*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	end, err := rest(t.Context(), server, begin.stats)
	if err != nil {
		t.Fatal(err)
	}
	if leak := end.stats.leaked(begin.stats); leak != "" {
		t.Error(leak)
	}
	if w.wrong > 0 || len(samples) == 0 || w.good == 0 {
		t.Errorf("%d good requests, %d went wrong: %v; %d samples", w.good, w.wrong, w.first, len(samples))
	}
	if grown := end.own - begin.own; grown > 300*mb {
		t.Errorf("the host grew by %s MB", inMB(grown))
	}
	if err := server.end(nil); err != nil {
		t.Error(err)
	}
}

func TestMany(t *testing.T) {
	sandboxed(t)
	for _, d := range densities(40) {
		var one touched
		c, err := start(t.Context(), 0, "touch", d.isolation.String(), fmt.Sprint(d.projects), fmt.Sprint(d.workers))
		if err != nil {
			t.Fatal(err)
		}
		if err := c.end(&one); err != nil {
			t.Fatal(err)
		}
		if one.Own < one.Before || one.Own > 200*mb {
			t.Errorf("%v: %d projects take %s MB", d.isolation, d.projects, inMB(one.Own))
		}
		if d.isolation == engine.Sandboxed && (one.Workers == 0 || one.Private < mb/2 || one.Private > 64*mb) {
			t.Errorf("%d workers with %s MB each", one.Workers, inMB(one.Private))
		}
	}
}

func TestPercentile(t *testing.T) {
	var d []time.Duration
	for i := range 100 {
		d = append(d, time.Duration(i+1))
	}
	for p, want := range map[float64]time.Duration{0: 1, 1: 1, 50: 50, 99: 99, 99.5: 100, 100: 100} {
		if got := percentile(d, p); got != want {
			t.Errorf("percentile %v is %d", p, got)
		}
	}
	if got := median(slices.Clone(d[:3])); got != 2 {
		t.Errorf("the median is %d", got)
	}
}

func TestSlope(t *testing.T) {
	var samples []sample
	for i := range 10 {
		samples = append(samples, sample{at: time.Duration(i) * 30 * time.Second, own: 50*mb + int64(i)*mb})
	}
	if got := slopeOf(samples); got < 1.99*mb || got > 2.01*mb {
		t.Errorf("%v MB a minute, want 2", got/mb)
	}
	if got := slopeOf(samples[:1]); got != 0 {
		t.Errorf("one sample rises by %v", got)
	}
}
