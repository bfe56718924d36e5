package hostile

import (
	"os"
	"runtime"
	"runtime/debug"
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
	within(t, level, 64<<20, func() { Run(t, target, others) })
	within(t, level, 128<<20, func() { Run(t, target, caches) }) // the host keeps what is cached
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	before.compare(t)
	s := p.Stats()
	t.Logf("%d requests, %d workers started, %d killed, limits %v", s.Requests, s.Started, s.Killed, s.LimitHits)
}

// within runs a part of the corpus, in which this process must not grow by more than most bytes.
func within(t *testing.T, level Level, most int64, run func()) {
	grown := watchRSS(t)
	run()
	// In process it is this heap that the code fills, up to its limit and what
	// it takes until the next collection.
	if peak := grown(); peak > most && level != InProcess && !raceEnabled {
		t.Errorf("the host grew by %d MB", peak>>20)
	} else {
		t.Logf("the host grew by %d MB at most", peak>>20)
	}
}

// watchRSS samples the resident memory of this process; the function returned ends
// that and says by how much it grew at most.
func watchRSS(t *testing.T) (grown func() int64) {
	debug.FreeOSMemory()
	begin := rss()
	stop, done := make(chan struct{}), make(chan int64)
	go func() {
		peak := begin
		for {
			peak = max(peak, rss())
			select {
			case <-stop:
				done <- peak - begin
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
	}()
	return func() int64 { close(stop); return <-done }
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
