package isolate

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"
)

func BenchmarkRoundTrip(b *testing.B) {
	for _, l := range []Level{Sandboxed, Process} {
		for _, callers := range []int{1, 16} {
			b.Run(fmt.Sprintf("%v/c=%d", l, callers), func(b *testing.B) { benchRoundTrip(b, l, callers) })
		}
	}
}

func benchRoundTrip(b *testing.B, l Level, callers int) {
	p := start(b, newSpawner(b), &Options{Level: l})
	answers := make([]chan struct{}, callers)
	for i := range answers {
		answers[i] = make(chan struct{}, 1)
	}
	p.Run(func(typ byte, call uint32, payload []byte) error {
		answers[call] <- struct{}{}
		return nil
	})
	ctx := context.Background()
	payload := string(make([]byte, 200))
	b.ReportAllocs()
	before, _ := p.Usage()
	b.ResetTimer()
	var wg sync.WaitGroup
	for i := range callers {
		n := b.N / callers
		if i < b.N%callers {
			n++
		}
		wg.Go(func() {
			for range n {
				p.Send(ctx, func(b []byte) []byte { return AppendFrame(b, frameEcho, uint32(i), payload) })
				<-answers[i]
			}
		})
	}
	wg.Wait()
	b.StopTimer()
	after, _ := p.Usage()
	b.ReportMetric(float64((after.CPU-before.CPU).Nanoseconds())/float64(b.N), "worker-ns/op")
}

func BenchmarkStart(b *testing.B) {
	s := newSpawner(b)
	for b.Loop() {
		p := start(b, s, nil)
		p.Kill(nil)
		<-p.Done()
	}
}

func BenchmarkTakeSpare(b *testing.B) {
	s := newSpawner(b)
	sp := NewSpares(s, 2, nil)
	defer sp.Close()
	var taken time.Duration
	for b.Loop() {
		for {
			if live, _ := s.Live(); live >= 2 {
				break
			}
			time.Sleep(time.Millisecond)
		}
		time.Sleep(10 * time.Millisecond)
		begin := time.Now()
		p, err := sp.Take(context.Background())
		if err != nil {
			b.Fatal(err)
		}
		if _, err := newCaller(p).call(frameEcho, ""); err != nil {
			b.Fatal(err)
		}
		taken += time.Since(begin)
		p.Kill(nil)
		<-p.Done()
	}
	b.ReportMetric(float64(taken.Microseconds())/float64(b.N), "µs-to-echo/op")
}

func BenchmarkIdleMemory(b *testing.B) {
	for _, l := range []Level{Sandboxed, Process} {
		b.Run(l.String(), func(b *testing.B) {
			s := newSpawner(b)
			var sum int64
			n := 0
			for b.Loop() {
				p := start(b, s, &Options{Level: l})
				if _, err := newCaller(p).call(frameEcho, ""); err != nil {
					b.Fatal(err)
				}
				u, err := p.Usage()
				if err != nil {
					b.Fatal(err)
				}
				sum += u.Memory
				n++
				p.Kill(nil)
				<-p.Done()
			}
			b.ReportMetric(float64(sum)/float64(n)/1e6, "MB-private")
		})
	}
}

func BenchmarkUsage(b *testing.B) {
	p := start(b, newSpawner(b), nil)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := p.Usage(); err != nil {
			b.Fatal(err)
		}
	}
}
