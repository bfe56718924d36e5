package workers

import (
	"context"
	"errors"
	"net/http"
	"runtime/metrics"
	"strconv"
	"strings"
	"testing"
	"time"

	"samkit.dev/kv"
	"samkit.dev/sam"
)

// peak runs fn and returns how much the heap of this process grew meanwhile, in bytes.
func peak(fn func()) int64 {
	read := func() int64 {
		s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		metrics.Read(s)
		return int64(s[0].Value.Uint64())
	}
	before, most := read(), int64(0)
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			most = max(most, read()-before)
			select {
			case <-stop:
				return
			case <-time.After(time.Millisecond):
			}
		}
	}()
	fn()
	close(stop)
	<-done
	return most
}

// What many calls answer together is not held at once.
func TestManyLargeAnswers(t *testing.T) {
	ws := sam.NewWorkspace(sam.NewMemStore(), "o", nil)
	project, err := ws.Create(t.Context(), "p", sam.Files{"index.html": "x"})
	if err != nil {
		t.Fatal(err)
	}
	ns := kv.New(project.State(), "KV")
	const size, calls = 4 << 20, 300
	if err := ns.Put(t.Context(), kv.Entry{Key: "big", Value: []byte(strings.Repeat("x", size))}); err != nil {
		t.Fatal(err)
	}
	large := func(context.Context, *Request) (*Response, error) {
		return &Response{Status: http.StatusOK, Bytes: make([]byte, size)}, nil
	}
	for name, call := range map[string]string{"KV": `env.KV.get("big")`, "Fetch": `env.ASSETS.fetch("http://x/")`} {
		t.Run(name, func(t *testing.T) {
			p, err := NewPool(Options{Isolation: Process})
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			a := app(t, `export default { async fetch(r, env) {
				await Promise.all(Array.from({ length: `+strconv.Itoa(calls)+` }, () => `+call+`))
				return new Response("ok")
			} }`, Binding{Name: "KV", KV: ns}, Binding{Name: "ASSETS", Fetch: large})
			grew := peak(func() { failure_(t, p, a, "/") }) // the worker has no memory for that
			// Unbounded it is 1 to 4 GB. The race detector makes garbage live longer.
			if grew > 512<<20 {
				t.Errorf("the heap grew by %d MB", grew>>20)
			}
			t.Logf("the heap grew by %d MB", grew>>20)
		})
	}
}

// TestConsoleLoop has code that does nothing but print: its request ends when it has printed too much, not when it has
// computed for too long. One that prints too much and comes to an end leaves its isolate as it was.
func TestConsoleLoop(t *testing.T) {
	eachLevel(t, Options{Limits: Limits{Console: 16 << 10, CPU: time.Minute, Wall: 2 * time.Minute}}, func(t *testing.T, p *Pool) {
		a := app(t, `let asked = 0; exports.default = { async fetch(r) {
	asked++
	if (r.url.endsWith("/loop")) for (;;) console.log("x".repeat(50))
	if (r.url.endsWith("/jobs")) { const f = () => { console.log("x".repeat(50)); queueMicrotask(f) }; f() }
	if (r.url.endsWith("/much")) for (let i = 0; i < 600; i++) console.log("x".repeat(50))
	return new Response(asked + "") } }`)
		for _, c := range [][2]string{{"/much", "limit_console"}, {"/", "2"}, {"/loop", "limit_console"}, {"/", "1"}, {"/jobs", "limit_console"}, {"/", "1"}} {
			res, err := p.Fetch(t.Context(), a, &Request{Method: "GET", URL: "http://x" + c[0]})
			var e *Error
			switch {
			case errors.As(err, &e):
				if e.Code != c[1] {
					t.Errorf("%s: %v, want %s", c[0], err, c[1])
				}
			case string(res.Bytes) != c[1]:
				t.Errorf("%s: %q, want %s", c[0], res.Bytes, c[1])
			}
		}
	})
}
