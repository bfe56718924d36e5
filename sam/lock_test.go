package sam

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"
	"time"
)

// TestLock has many want a lock, of whom some give up: never do two hold it, and it is free in the end.
func TestLock(t *testing.T) {
	var l lock
	var wg sync.WaitGroup
	inside, got, gaveUp := 0, 0, 0 // guarded by l; gaveUp by mu
	var mu sync.Mutex
	for i := range 16 {
		wg.Go(func() {
			rnd := rand.New(rand.NewPCG(1, uint64(i)))
			for range 500 {
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(rnd.IntN(50))*time.Microsecond)
				if err := l.acquire(ctx); err != nil {
					if err != ctx.Err() {
						t.Error(err)
					}
					mu.Lock()
					gaveUp++
					mu.Unlock()
				} else {
					if inside++; inside != 1 {
						t.Errorf("%d hold it", inside)
					}
					got++
					if got%7 == 0 {
						time.Sleep(time.Duration(rnd.IntN(60)) * time.Microsecond)
					}
					inside--
					l.release()
				}
				cancel()
			}
		})
	}
	wg.Wait()
	if got == 0 || got+gaveUp != 16*500 {
		t.Errorf("%d got it, %d gave up", got, gaveUp)
	}
	l.hold()
	if l.waiters != 0 || len(l.next) != 0 {
		t.Errorf("%d wait for it, %d of them may have it", l.waiters, len(l.next))
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if l.acquire(over) == nil {
		t.Error("two hold it")
	}
	l.release()
	if err := l.acquire(t.Context()); err != nil {
		t.Error(err)
	}
}

func BenchmarkLock(b *testing.B) {
	var l lock
	for b.Loop() {
		if err := l.acquire(b.Context()); err != nil {
			b.Fatal(err)
		}
		l.release()
	}
}
