package workers

import (
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"samkit.dev/host/console"
)

func TestPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const limit, entry = 1 << 20, 1 << 10
		var p pace
		for range 2 * limit / entry {
			if d := p.add(entry, limit, time.Now()); d != 0 {
				t.Fatalf("the first entries wait %v", d)
			}
		}
		begin, sent := time.Now(), 0
		for time.Since(begin) < 10*time.Second {
			time.Sleep(p.add(entry, limit, time.Now()))
			sent += entry
		}
		if most := 10*limit + 2*entry; sent > most {
			t.Errorf("%d bytes in 10 s, %d are the rate", sent, most)
		}
		time.Sleep(3 * time.Second)
		if d := p.add(entry, limit, time.Now()); d != 0 {
			t.Errorf("after silence it waits %v", d)
		}
	})
}

// One request after the other that prints as much as it may keeps nobody busy but itself, and loses nothing.
func TestConsoleFlood(t *testing.T) {
	eachLevel(t, Options{Limits: Limits{Console: 64 << 10, CPU: 20 * time.Second}}, func(t *testing.T, p *Pool) {
		a := app(t, `export default { fetch() { for (let i = 0; i < 100; i++) console.log("x".repeat(500)); return new Response("ok") } }`)
		var bytes, entries atomic.Int64
		a.Console = func(e console.Entry) { bytes.Add(int64(len(e.Text))); entries.Add(1) }
		begin, n := time.Now(), 0
		for ; time.Since(begin) < time.Second; n++ {
			if _, body := get(t, p, a, fmt.Sprint("/", n)); body != "ok" {
				t.Fatal(body)
			}
		}
		took := time.Since(begin)
		if most := int64((3 + took.Seconds()) * (64 << 10)); bytes.Load() > most {
			t.Errorf("%d bytes in %v, %d are the rate", bytes.Load(), took, most)
		}
		if got := entries.Load(); got != int64(100*n) {
			t.Errorf("%d entries of %d", got, 100*n)
		}
	})
}
