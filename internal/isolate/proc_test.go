package isolate

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestEcho(t *testing.T) {
	levels(t, func(t *testing.T, l Level) {
		p := start(t, newSpawner(t), &Options{Level: l})
		c := newCaller(p)
		for _, n := range []int{0, 1, 100, 40 << 10, 5 << 20} {
			want := strings.Repeat("é", n/2) + strings.Repeat("x", n%2)
			got, err := c.call(frameEcho, want)
			if err != nil || got != want {
				t.Fatalf("%d bytes: got %d, %v", n, len(got), err)
			}
		}
		u, err := p.Usage()
		if err != nil || u.CPU <= 0 || u.Memory <= 0 {
			t.Errorf("Usage() = %+v, %v", u, err)
		}
		p.Kill(errors.New("enough"))
		exit := waitExit(t, p, nil)
		if exit.Cause != Killed || !strings.Contains(exit.Error(), "enough") {
			t.Errorf("ended with %v", exit)
		}
		if _, err := c.call(frameEcho, ""); err == nil {
			t.Error("a dead worker was sent to")
		}
	})
}

func TestManyCallers(t *testing.T) {
	levels(t, func(t *testing.T, l Level) {
		c := newCaller(start(t, newSpawner(t), &Options{Level: l}))
		var wg sync.WaitGroup
		for i := range 64 {
			wg.Go(func() {
				for j := range 100 {
					want := fmt.Sprint(i, "/", j) + strings.Repeat(".", i*j)
					if got, err := c.call(frameEcho, want); err != nil || got != want {
						t.Errorf("got %.20q, %v", got, err)
						return
					}
				}
			})
		}
		wg.Wait()
	})
}

func TestSendOrder(t *testing.T) {
	p := start(t, newSpawner(t), &Options{Level: Process})
	const n = 20000
	done := make(chan struct{})
	next := map[byte]uint32{}
	total := 0
	p.Run(func(typ byte, call uint32, payload []byte) error {
		who := payload[0]
		if call != next[who] {
			return fmt.Errorf("frame %d of %d, want %d", call, who, next[who])
		}
		next[who]++
		if total++; total == 2*n {
			close(done)
		}
		return nil
	})
	pad := strings.Repeat("p", 300)
	for who := range 2 {
		go func() {
			for i := range uint32(n) {
				p.Send(context.Background(), func(b []byte) []byte {
					return AppendFrame(b, frameEcho, i, string(byte(who))+pad)
				})
			}
		}()
	}
	select {
	case <-done:
	case <-p.Done():
		t.Fatal(p.Err())
	case <-time.After(20 * time.Second):
		t.Fatal("frames are missing")
	}
}
