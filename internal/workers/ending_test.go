package workers

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"time"
)

// A stalled body has bytes that never come, until it is released.
type stalled struct{ until chan struct{} }

func (s stalled) Read([]byte) (int, error) { <-s.until; return 0, io.ErrUnexpectedEOF }

// within fails the test if fn takes longer than d.
func within(t *testing.T, d time.Duration, what string, fn func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); fn() }()
	select {
	case <-done:
	case <-time.After(d):
		t.Fatalf("%s takes longer than %v", what, d)
	}
}

func TestStreamEndsWithItsContext(t *testing.T) {
	eachLevel(t, Options{}, func(t *testing.T, p *Pool) {
		a := app(t, `export default { fetch() {
			return new Response(new ReadableStream({ async pull(c) {
				if (this.n) await new Promise(f => setTimeout(f, 10_000))
				this.n = 1
				c.enqueue(new TextEncoder().encode("first"))
			} }))
		} }`)
		ctx, cancel := context.WithCancel(t.Context())
		res, err := p.Fetch(ctx, a, &Request{Method: "GET", URL: "http://test/"})
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		time.AfterFunc(50*time.Millisecond, cancel)
		within(t, 2*time.Second, "the end of a stream whose reader has gone", func() {
			if text, err := io.ReadAll(res.Body); string(text) != "first" || !errors.Is(err, context.Canceled) {
				t.Errorf("read %q, %v", text, err)
			}
		})
	})
}

func TestSlowBodyHoldsNoWorker(t *testing.T) {
	eachLevel(t, Options{Workers: 1}, func(t *testing.T, p *Pool) {
		slow := app(t, `export default { async fetch(r) { return new Response(await r.text()) } }`)
		body := stalled{make(chan struct{})}
		var wg sync.WaitGroup
		wg.Go(func() {
			p.Fetch(t.Context(), slow, &Request{Method: "POST", URL: "http://test/", Body: body, Length: 10})
		})
		time.Sleep(100 * time.Millisecond)
		other := app(t, `export default { fetch() { return new Response("ok") } }`)
		other.Domain += " other"
		within(t, 2*time.Second, "another app's request", func() { get(t, p, other, "/") })
		close(body.until)
		wg.Wait()
	})
}

// A small body that comes slowly is bound by the time of the request, too.
func TestSlowBodyEndsWithItsContext(t *testing.T) {
	eachLevel(t, Options{}, func(t *testing.T, p *Pool) {
		a := app(t, `export default { async fetch(r) { return new Response(await r.text()) } }`)
		body := stalled{make(chan struct{})}
		defer close(body.until)
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		within(t, 2*time.Second, "a request whose client has gone", func() {
			_, err := p.Fetch(ctx, a, &Request{Method: "POST", URL: "http://test/", Body: body, Length: 10})
			var e *Error
			if !errors.As(err, &e) || e.Code != "canceled" {
				t.Errorf("got %v", err)
			}
		})
	})
}

func TestCloseDoesNotWaitForABody(t *testing.T) {
	for _, length := range []int64{10, 1 << 20, -1} {
		eachLevel(t, Options{}, func(t *testing.T, p *Pool) {
			a := app(t, `export default { async fetch(r) { return new Response(await r.text()) } }`)
			body := stalled{make(chan struct{})}
			var wg sync.WaitGroup
			wg.Go(func() {
				p.Fetch(t.Context(), a, &Request{Method: "POST", URL: "http://test/", Body: body, Length: length})
			})
			time.Sleep(200 * time.Millisecond)
			within(t, 2*time.Second, "Close", func() { p.Close() })
			close(body.until)
			wg.Wait()
		})
	}
}

func TestWaitersHearOfLateWork(t *testing.T) {
	for name, code := range map[string]string{
		"waitUntil": `export default { fetch(r, env, ctx) {
			ctx.waitUntil(new Promise(f => setTimeout(f, 500)))
			return new Response("ok")
		} }`,
		"stream": `export default { fetch(r, env, ctx) {
			return new Response(new ReadableStream({ async pull(c) {
				await new Promise(f => setTimeout(f, 500))
				c.enqueue(new TextEncoder().encode("ok")); c.close()
			} }))
		} }`,
	} {
		t.Run(name, func(t *testing.T) {
			eachLevel(t, Options{Workers: 1}, func(t *testing.T, p *Pool) {
				late := app(t, code)
				res, err := p.Fetch(t.Context(), late, &Request{Method: "GET", URL: "http://test/"})
				if err != nil {
					t.Fatal(err)
				}
				var wg sync.WaitGroup
				if res.Body != nil {
					wg.Go(func() { io.Copy(io.Discard, res.Body); res.Body.Close() })
				}
				other := app(t, `export default { fetch() { return new Response("ok") } }`)
				other.Domain += " other"
				within(t, 3*time.Second, "the request that waits for the worker", func() { get(t, p, other, "/") })
				wg.Wait()
			})
		})
	}
}

// Requests that come while the pool closes are answered or refused; nothing of them stays.
func TestCloseWhileRequestsCome(t *testing.T) {
	for _, level := range []Isolation{InProcess, Process} {
		for i := range 30 {
			p, err := NewPool(Options{Isolation: level})
			if err != nil {
				t.Fatal(err)
			}
			var wg sync.WaitGroup
			for j := range 8 {
				a := app(t, `export default { fetch(r, env, ctx) {
					ctx.waitUntil(new Promise(f => setTimeout(f, 5)))
					return new Response("ok")
				} }`)
				a.Domain += strings.Repeat("x", j)
				wg.Go(func() {
					for range 20 {
						ctx, cancel := context.WithTimeout(t.Context(), time.Duration(j)*time.Millisecond)
						p.Fetch(ctx, a, &Request{Method: "GET", URL: "http://test/"})
						cancel()
					}
				})
			}
			time.Sleep(time.Duration(i) * time.Millisecond / 2)
			within(t, 5*time.Second, "Close", func() { p.Close(); p.Close() })
			wg.Wait()
		}
	}
}
