package hostile

import (
	"os"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"testing"
	"time"

	"samkit.dev/internal/workers"
)

func TestMain(m *testing.M) {
	workers.Main()
	os.Exit(m.Run())
}

// strict is for machines that have nothing else to do.
var strict = os.Getenv("SAMKIT_STRICT") != ""

func corpus(t *testing.T) []Case {
	t.Helper()
	cases, err := Cases()
	if err != nil {
		t.Fatal(err)
	}
	return cases
}

func TestSandboxed(t *testing.T) { at(t, workers.Sandboxed, Sandboxed) }
func TestProcess(t *testing.T)   { at(t, workers.Process, Process) }
func TestInProcess(t *testing.T) { at(t, workers.InProcess, InProcess) }

// at runs the whole corpus at a level and then looks for what it left behind.
func at(t *testing.T, isolation workers.Isolation, level Level) {
	before := takeStock()
	p, err := workers.NewPool(workers.Options{Isolation: isolation, Limits: Limits, Workers: 8, Idle: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	var caches, others []Case
	for _, c := range corpus(t) {
		if c.Group == "cache" {
			caches = append(caches, c)
		} else {
			others = append(others, c)
		}
	}
	target := &Target{Level: level, Fetch: p.Fetch, Strict: strict}
	within(t, target, 32<<20, others)
	within(t, target, 128<<20, caches) // the host keeps what is cached
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	before.compare(t)
	s := p.Stats()
	t.Logf("%d requests, %d workers started, %d killed, limits %v", s.Requests, s.Started, s.Killed, s.LimitHits)
}

// within runs a part of the corpus, in which no case may make this process grow by more than growth
// allows, and all together leave no more than kept bytes.
func within(t *testing.T, target *Target, kept int64, cases []Case) {
	m := watchRSS()
	first := rss()
	var most int64
	target.After = func(t *testing.T, c *Case) {
		grown := m.lap()
		most = max(most, grown)
		if testing.Verbose() {
			t.Logf("%-45s the host grew by %d MB", c.Name, grown>>20)
		}
		if want := growth(target.Level); grown > want && !raceEnabled {
			t.Errorf("%s: the host grew by %d MB, want %d", c.Name, grown>>20, want>>20)
		}
	}
	Run(t, target, cases)
	m.stop()
	debug.FreeOSMemory()
	if left := rss() - first; left > kept && !raceEnabled {
		t.Errorf("the host keeps %d MB", left>>20)
	} else {
		t.Logf("the host grew by %d MB at most, and keeps %d", most>>20, left>>20)
	}
}

// growth is by how much a case may make this process grow. In process it is this heap that the code
// fills: up to its limit, and by what it takes until that is noticed, which is longer on a busy machine.
func growth(l Level) int64 {
	const most = 64 << 20
	switch {
	case l != InProcess:
		return most
	case strict:
		return Limits.Memory + most
	}
	return 4 * Limits.Memory
}

// A meter samples the resident memory of this process.
type meter struct {
	begin, peak atomic.Int64 // in bytes, of this lap
	quit, done  chan struct{}
}

func watchRSS() *meter {
	m := &meter{quit: make(chan struct{}), done: make(chan struct{})}
	m.restart()
	go func() {
		defer close(m.done)
		for {
			m.peak.Store(max(m.peak.Load(), rss()))
			select {
			case <-m.quit:
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
	}()
	return m
}

// lap returns by how much the process had grown at most since the last lap, and begins another.
func (m *meter) lap() int64 {
	defer m.restart()
	return m.peak.Load() - m.begin.Load()
}

// restart gives back what is free: what one case left as garbage is not the next one's.
func (m *meter) restart() {
	debug.FreeOSMemory()
	m.begin.Store(rss())
	m.peak.Store(m.begin.Load())
}

func (m *meter) stop() {
	close(m.quit)
	<-m.done
}

// A stock is what this process has that could leak.
type stock struct {
	goroutines, files, children int
}

func takeStock() stock {
	return stock{goroutines: runtime.NumGoroutine(), files: openFiles(), children: children()}
}

// compare waits until the process has no more than before.
func (before stock) compare(t *testing.T) {
	t.Helper()
	var now stock
	for range 300 {
		now = takeStock()
		if now.goroutines <= before.goroutines && now.files <= before.files && now.children <= before.children {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	buf := make([]byte, 64<<10)
	t.Errorf("left behind: %+v, before %+v\n%s", now, before, buf[:runtime.Stack(buf, true)])
}

// TestPromised holds the corpus to its size.
func TestPromised(t *testing.T) {
	promised := map[Level]int{}
	seen := map[string]bool{}
	all := corpus(t)
	for i := range all {
		c := &all[i]
		if seen[c.Number] {
			t.Errorf("two cases are number %s", c.Number)
		}
		seen[c.Number] = true
		for _, l := range levels {
			if w := c.Wants(l); w.Promised {
				promised[l]++
			} else {
				t.Logf("%s: %s %s: %s", l, c.Number, c.Name, w.Why)
			}
		}
	}
	t.Logf("%d cases, promised: %v", len(all), promised)
	if len(all) < 200 || promised[Sandboxed] != len(all) || promised[Process] != len(all) || promised[InProcess] < 200 {
		t.Errorf("%d cases, promised: %v", len(all), promised)
	}
}

func TestParse(t *testing.T) {
	for _, text := range []string{
		"=== 1\nall: ok\n\nx", "=== 1 a\nall: ok", "=== 1 a\nsandboxed: ok\n\nx", "=== 1 a\nall: ok\nnobody: x\n\nx",
		"=== 1 a\nall: ok | \n\nx", "=== 1 a\nall: status x\n\nx", "=== 1 a\nall: ok\nbody: x\n\nx",
	} {
		if list, err := parse("x", text); err == nil {
			t.Errorf("%q: %+v", text, list)
		}
	}
	list, err := parse("x", "words\n=== 1 a b\nall: ok: t\ninprocess: not promised: why\nbody: 3\n\ncode()\n=== 2 c\nall: a | b\n\nd")
	if err != nil || len(list) != 2 || list[0].Name != "a b" || list[0].Body != 3 || list[0].Wants(InProcess).String() != "not promised: why" ||
		list[0].Wants(Process).Text != "t" || list[1].Wants(Sandboxed).String() != "a | b" {
		t.Errorf("%+v, %v", list, err)
	}
}
