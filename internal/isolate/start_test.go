package isolate

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"
)

func TestStartErrors(t *testing.T) {
	s := newSpawner(t)
	ctx := context.Background()
	fails := func(name string, ctx context.Context, o *Options, say string) {
		t.Helper()
		p, err := s.Start(ctx, o)
		if err == nil {
			p.Kill(nil)
			t.Errorf("%s: started", name)
		} else if !strings.Contains(err.Error(), say) {
			t.Errorf("%s: %v", name, err)
		}
	}
	fails("no such level", ctx, &Options{Level: 7}, "no level 7")
	fails("no such program", ctx, &Options{Level: Process, Command: []string{"./no such program"}}, "no such program")
	if runtime.GOOS != "windows" {
		fails("program that ends", ctx, &Options{Level: Process, Command: []string{"sh", "-c", "echo not today >&2; exit 5"}}, "exit status 5: not today")
		fails("program that chats", ctx, &Options{Level: Process, Command: []string{"sh", "-c", "echo hello, parent >&3; sleep 60"}}, "malformed frame")
		brief, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
		defer cancel()
		fails("program that never is ready", brief, &Options{Level: Process, Command: []string{"sleep", "60"}}, "deadline exceeded")
		fails("program that hangs", brief, &Options{Level: Process, Command: []string{"sh", "-c", "sleep 60"}}, "deadline exceeded")
	}
	canceled, cancel := context.WithCancel(ctx)
	cancel()
	fails("canceled", canceled, &Options{Level: Process}, "canceled")
	if live, _ := s.Live(); live != 0 {
		t.Errorf("%d workers are left", live)
	}
}

func TestMainNotCalled(t *testing.T) {
	if !MainCalled() {
		t.Fatal("TestMain calls Main")
	}
	s := newSpawner(t)
	defer state.Store(state.Load())
	state.Store(mainNotCalled)
	if _, err := s.Start(context.Background(), &Options{Level: Process}); !errors.Is(err, ErrMainNotCalled) {
		t.Error("Main not called:", err)
	}
	state.Store(mainServing)
	if _, err := s.Start(context.Background(), &Options{Level: Process}); err == nil || !strings.Contains(err.Error(), "cannot start workers") {
		t.Error("in a worker:", err)
	}
}

// TestForgetfulCommand runs a program that would start itself without end.
func TestForgetfulCommand(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	_, err = newSpawner(t).Start(context.Background(), &Options{Level: Process, Command: []string{exe, "forgetful"}})
	if err == nil || !strings.Contains(err.Error(), ErrMainNotCalled.Error()) {
		t.Error(err)
	}
}

func TestMarker(t *testing.T) {
	want := config{Process, 1 << 30, true}
	if got, err := parseMarker(want.marker()); err != nil || got != want {
		t.Errorf("got %v, %v", got, err)
	}
	for _, s := range []string{"", "x", "0 1 1 false", "1 1 1", "2", "2 1", "2 1 1", "2 x 1 false", "2 1 x false", "2 1 1 x", "2 1 1 true 1", "2 300 1 false"} {
		if c, err := parseMarker(s); err == nil {
			t.Errorf("%q: %v", s, c)
		}
	}
}

func TestLinkDeadline(t *testing.T) {
	levels(t, func(t *testing.T, l Level) {
		c := newCaller(start(t, newSpawner(t), &Options{Level: l}))
		got, err := c.call(frameDo, "deadline 30")
		if err != nil || !strings.HasPrefix(got, "false<nil>") && !strings.HasPrefix(got, "false <nil>") {
			t.Fatalf("%q, %v", got, err)
		}
		f := strings.Fields(got)
		if ms := f[len(f)-1]; len(ms) != 2 || ms < "30" || ms > "90" {
			t.Errorf("waited %s ms, want 30", ms)
		}
	})
}

func TestSpares(t *testing.T) {
	s := newSpawner(t)
	sp := NewSpares(s, 2, &Options{Level: Process})
	defer sp.Close()
	waitLive(t, s, 2)
	seen := map[int]bool{}
	for range 4 {
		p, err := sp.Take(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if seen[p.PID()] {
			t.Error("taken twice")
		}
		seen[p.PID()] = true
		if _, err := newCaller(p).call(frameEcho, ""); err != nil {
			t.Fatal(err)
		}
	}
	waitLive(t, s, 6)
	for _, p := range s.list() { // the spares too
		p.Kill(errors.New("bad weather"))
		<-p.Done()
	}
	p, err := sp.Take(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if got, err := newCaller(p).call(frameEcho, "x"); err != nil {
		t.Errorf("%q, %v", got, err)
	}
	sp.Close()
	sp.Close()
}

func waitLive(t *testing.T, s *Spawner, n int) {
	t.Helper()
	for end := time.Now().Add(5 * time.Second); ; time.Sleep(2 * time.Millisecond) {
		live, _ := s.Live()
		if live == n {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%d workers live, want %d", live, n)
		}
	}
}

// TestMemoryLimit checks that what a worker takes stays near its limit, and that
// the parent's watch finds a worker that the system lets be.
func TestMemoryLimit(t *testing.T) {
	s := newSpawner(t)
	p := start(t, s, &Options{Level: best(), Memory: 32 << 20})
	go newCaller(p).call(frameDo, "grow")
	var most int64
	for p.Err() == nil {
		if u, err := p.Usage(); err == nil {
			most = max(most, u.Memory)
		}
		time.Sleep(time.Millisecond)
	}
	if most > overhead*110<<20 {
		t.Errorf("a worker limited to 32 MiB took %d MiB", most>>20)
	}
	p = start(t, s, &Options{Level: best(), Memory: -1})
	c := newCaller(p)
	if _, err := c.call(frameDo, "fill 20"); err != nil {
		t.Fatal(err)
	}
	p.check(10 << 20 / overhead)
	if exit := waitExit(t, p, nil); exit.Cause != Memory || !errors.Is(exit, ErrMemory) {
		t.Error(exit)
	}
}

func TestLimitMemory(t *testing.T) {
	s := newSpawner(t)
	for _, memory := range []int64{-1, 1 << 30} {
		p := start(t, s, &Options{Level: best(), Memory: memory})
		if err := p.LimitMemory(32 << 20); err != nil {
			t.Fatal(err)
		}
		if err := p.LimitMemory(64 << 20); err == nil {
			t.Error("a limit was raised")
		}
		if err := p.LimitMemory(0); err == nil {
			t.Error("a limit was taken away")
		}
		c := newCaller(p)
		for range 5 { // garbage is collected in time
			if _, err := c.call(frameDo, "waste 50"); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := c.call(frameDo, fmt.Sprint("make ", overhead*600_000_000)); err == nil {
			t.Error("the limit does not hold")
			p.Kill(nil)
		}
		if exit := waitExit(t, p, nil); exit.Cause != Memory {
			t.Error(exit)
		}
		if err := p.LimitMemory(1 << 20); err == nil {
			t.Error("a dead worker was limited")
		}
	}
}
