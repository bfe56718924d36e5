//go:build amd64 || arm64

package isolate

import (
	"context"
	"os"
	"regexp"
	"strconv"
	"sync"
	"testing"
)

// TestManyWorkers starts as many as an engine may have. None of them may cost
// the parent a thread, which it would if something waited for it in the kernel.
func TestManyWorkers(t *testing.T) {
	const n = 64
	s := newSpawner(t)
	before := threads(t)
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			p, err := s.Start(context.Background(), nil)
			if err != nil {
				t.Error(err)
				return
			}
			if _, err := newCaller(p).call(frameEcho, "x"); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if live, _ := s.Live(); live != n {
		t.Errorf("%d workers live, want %d", live, n)
	}
	if after := threads(t); after > before+10 {
		t.Errorf("%d threads with %d workers, %d without", after, n, before)
	}
	s.Close()
	if live, _ := s.Live(); live != 0 {
		t.Errorf("%d workers after Close", live)
	}
}

func threads(t *testing.T) int {
	t.Helper()
	m := regexp.MustCompile(`Threads:\t(\d+)`).FindStringSubmatch(readProc(t, os.Getpid(), "status"))
	n, err := strconv.Atoi(m[1])
	if err != nil {
		t.Fatal(err)
	}
	return n
}
