package share

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
)

func TestHalf(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	a, b := Join("a"), Join("b")
	defer a.Leave()
	defer b.Leave()
	if again := Join("a"); again != a {
		t.Error("two owners of one key")
	} else {
		again.Leave()
	}
	var now, most atomic.Int32
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			for range 50 {
				if err := a.Enter(t.Context()); err != nil {
					t.Error(err)
					return
				}
				most.Store(max(most.Load(), now.Add(1)))
				runtime.Gosched()
				now.Add(-1)
				a.Exit()
			}
		})
	}
	wg.Wait()
	if most.Load() > 2 || a.running != 0 || a.Waiting() {
		t.Errorf("%d ran at once, %d are left", most.Load(), a.running)
	}
	for range 2 {
		if err := a.Enter(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Enter(t.Context()); err != nil { // whatever a does
		t.Fatal(err)
	}
	b.Exit()
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("enough")
	cancel(cause)
	if err := a.Enter(ctx); !errors.Is(err, cause) || a.Waiting() {
		t.Errorf("a third one: %v", err)
	}
	a.Exit()
	a.Exit()
}

func TestStrangeKeys(t *testing.T) {
	for _, key := range []any{nil, []int{1}, struct{ f func() }{}} {
		a, b := Join(key), Join(key)
		if a == b {
			t.Errorf("%v has one owner", key)
		}
		a.Leave()
		b.Leave()
	}
	if len(owners.byKey) != 0 {
		t.Errorf("%d owners are left", len(owners.byKey))
	}
}
