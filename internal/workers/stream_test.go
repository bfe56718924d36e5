package workers

import (
	"context"
	"io"
	"iter"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"samkit.dev/host"
	"samkit.dev/internal/bundle"
)

// A source has functions that stream, and tells of how far they went.
type source struct {
	made   atomic.Int64  // values
	ended  chan struct{} // one for each iterator or reader that ended
	begins chan struct{} // one for each that waits
}

type upTo struct {
	N    int `json:"n"`
	Size int `json:"size,omitempty"`
}

type row struct {
	N    int    `json:"n"`
	Text string `json:"text"`
}

// endless is a reader that its Close, or the end of its context, ends.
type endless struct {
	ctx context.Context
	s   *source
}

func (e endless) Read(p []byte) (int, error) {
	if e.ctx.Err() != nil {
		return 0, e.ctx.Err()
	}
	for i := range p {
		p[i] = 'x'
	}
	e.s.made.Add(int64(len(p)))
	return len(p), nil
}

func (e endless) Close() error { e.s.ended <- struct{}{}; return nil }

func streams() (*host.Capabilities, *source) {
	s := &source{ended: make(chan struct{}, 1000), begins: make(chan struct{}, 1000)}
	caps := host.New()
	c := caps.Define("rows", 1)
	host.Register(c, "list", "Rows.", func(ctx context.Context, in upTo) (iter.Seq[row], error) {
		return func(yield func(row) bool) {
			defer func() { s.ended <- struct{}{} }()
			for i := range in.N {
				s.made.Add(1)
				if !yield(row{i, strings.Repeat("é", in.Size)}) {
					return
				}
			}
		}, nil
	})
	host.Register(c, "wait", "One row, and then it waits.", func(ctx context.Context, _ struct{}) (iter.Seq[row], error) {
		return func(yield func(row) bool) {
			defer func() { s.ended <- struct{}{} }()
			if !yield(row{N: 1}) {
				return
			}
			s.begins <- struct{}{}
			<-ctx.Done()
		}, nil
	})
	host.Register(c, "fail", "Three rows and an error.", func(ctx context.Context, in upTo) (iter.Seq2[row, error], error) {
		return func(yield func(row, error) bool) {
			for i := range 3 {
				if !yield(row{N: i}, nil) {
					return
				}
				time.Sleep(time.Duration(in.N) * time.Millisecond)
			}
			yield(row{}, &host.Error{Code: host.Unavailable, Message: "Not now.", Retry: true})
		}, nil
	})
	host.Register(c, "read", "Bytes.", func(ctx context.Context, in upTo) (io.Reader, error) {
		if in.N == 0 {
			return endless{ctx, s}, nil
		}
		return io.LimitReader(endless{ctx, s}, int64(in.N)), nil
	})
	return caps, s
}

// bundledApp is app of a module as projects have it: for await is no matter of the engine.
func bundledApp(t *testing.T, code string, bindings ...Binding) *App {
	t.Helper()
	made, err := bundle.Functions(t.Context(), fstest.MapFS{"functions.js": {Data: []byte(code)}}, "functions.js", nil)
	if err != nil {
		t.Fatal(err)
	}
	a := app(t, "", bindings...)
	a.Script = &Script{Code: made.Code, Map: made.Map, Hash: made.Hash}
	return a
}

func (s *source) end(t *testing.T) {
	t.Helper()
	select {
	case <-s.ended:
	case <-time.After(30 * time.Second):
		t.Error("the function goes on")
	}
}

func TestStreamsOfCallers(t *testing.T) {
	eachLevel(t, Options{}, func(t *testing.T, p *Pool) {
		for name, c := range map[string]struct{ code, want string }{
			"values":                  {`let n = 0, sum = 0; for await (const r of await env.HOST.rows.list({ n: 5000, size: 20 })) { n++; sum += r.n; if (r.text.length !== 20) throw 1 } return n + " " + sum`, "5000 12497500"},
			"large values":            {`let n = 0; for await (const r of await env.HOST.rows.list({ n: 5, size: 300000 })) n += r.text.length; return n`, "1500000"},
			"none":                    {`let n = 0; for await (const r of await env.HOST.rows.list({ n: 0 })) n++; return n`, "0"},
			"an error":                {`const got = []; try { for await (const r of await env.HOST.rows.fail({ n: 0 })) got.push(r.n) } catch (e) { got.push(e.code, e.message, e.retryable) } return got.join()`, "0,1,2,unavailable,Not now.,true"},
			"a slow error":            {`const got = []; try { for await (const r of await env.HOST.rows.fail({ n: 20 })) got.push(r.n) } catch (e) { got.push(e.code) } return got.join()`, "0,1,2,unavailable"},
			"bytes":                   {`let n = 0; for await (const b of await env.HOST.rows.read({ n: 1000001 })) { if (!(b instanceof Uint8Array)) throw 1; n += b.length } return n`, "1000001"},
			"bytes of a stream":       {`const s = await env.HOST.rows.read({ n: 10 }); return (s instanceof ReadableStream) + await new Response(s).text()`, "truexxxxxxxxxx"},
			"more than one at a time": {`const [a, b] = await Promise.all([env.HOST.rows.list({ n: 300, size: 1000 }), env.HOST.rows.list({ n: 300, size: 999 })]); const ia = a[Symbol.asyncIterator](), ib = b[Symbol.asyncIterator](); let n = 0; for (;;) { const [x, y] = await Promise.all([ia.next(), ib.next()]); if (x.done) break; n += x.value.text.length - y.value.text.length } return n`, "300"},
		} {
			caps, _ := streams()
			a := bundledApp(t, `export default { async fetch(request, env) { const f = async () => { `+c.code+` }; return new Response(String(await f())) } }`, Binding{Name: "HOST", Caller: caps})
			a.Domain += name
			if status, body := get(t, p, a, "/"); status != 200 || body != c.want {
				t.Errorf("%s: %d %s", name, status, body)
			}
		}
	})
}

// As far as code does not read, nothing is made; where it stops, the function ends.
func TestStreamsWaitForTheirReader(t *testing.T) {
	eachLevel(t, Options{}, func(t *testing.T, p *Pool) {
		for name, code := range map[string]string{
			"break":  `for await (const r of await env.HOST.rows.list({ n: 1e6, size: 1000 })) if (r.n > 100) break`,
			"throw":  `try { for await (const r of await env.HOST.rows.list({ n: 1e6, size: 1000 })) if (r.n > 100) throw 1 } catch {}`,
			"cancel": `await (await env.HOST.rows.read({ n: 0 })).cancel()`,
			"left":   `const it = (await env.HOST.rows.list({ n: 1e6, size: 1000 }))[Symbol.asyncIterator](); for (let i = 0; i < 100; i++) await it.next(); await new Promise(r => setTimeout(r, 50))`,
		} {
			caps, s := streams()
			a := bundledApp(t, `export default { async fetch(request, env) { `+code+`; return new Response("ok") } }`, Binding{Name: "HOST", Caller: caps})
			a.Domain += name
			if status, body := get(t, p, a, "/"); status != 200 || body != "ok" {
				t.Errorf("%s: %d %s", name, status, body)
			}
			s.end(t)
			if n := s.made.Load(); name != "cancel" && n > 1000 || n > 1<<20 {
				t.Errorf("%s: %d were made", name, n)
			}
		}
	})
}

// A response that is a function's stream arrives as it is made, and its end ends the function.
func TestStreamAsResponse(t *testing.T) {
	eachLevel(t, Options{}, func(t *testing.T, p *Pool) {
		caps, s := streams()
		a := bundledApp(t, `export default { async fetch(request, env) { return new Response(await env.HOST.rows.read({ n: 0 })) } }`, Binding{Name: "HOST", Caller: caps})
		a.Limits = Limits{Calls: 100}
		res, err := p.Fetch(t.Context(), a, &Request{Method: "GET", URL: "http://test/"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.CopyN(io.Discard, res.Body, 500_000); err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		s.end(t)
		if n := s.made.Load(); n > 20<<20 {
			t.Errorf("%d bytes were made for 500,000", n)
		}
	})
}

// Each piece is a call, and the clock of the request goes on.
func TestLimitsOfStreams(t *testing.T) {
	eachLevel(t, Options{}, func(t *testing.T, p *Pool) {
		caps, s := streams()
		a := bundledApp(t, `export default { async fetch(request, env) {
			let n = 0
			try { for await (const b of await env.HOST.rows.read({ n: 0 })) n += b.length } catch (e) { return new Response(e.code + " " + (n > 0)) }
		} }`, Binding{Name: "HOST", Caller: caps})
		a.Limits = Limits{Calls: 10}
		if _, body := get(t, p, a, "/"); body != "limit_calls true" {
			t.Error(body)
		}
		s.end(t)
		a = bundledApp(t, `export default { async fetch(request, env) { const all = []
			try { for (let i = 0; i < 70; i++) all.push(await env.HOST.rows.list({ n: 1e6, size: 1000 })) } catch (e) { return new Response(e.code + " " + all.length) }
		} }`, Binding{Name: "HOST", Caller: caps})
		a.Domain += "many"
		if _, body := get(t, p, a, "/"); body != "exhausted 64" {
			t.Error(body)
		}
		for range 65 {
			s.end(t)
		}
		a = bundledApp(t, `export default { async fetch(request, env) { for await (const r of await env.HOST.rows.wait({})); return new Response("over") } }`, Binding{Name: "HOST", Caller: caps})
		a.Domain += "time"
		a.Limits = Limits{Wall: 300 * time.Millisecond}
		if _, err := p.Fetch(t.Context(), a, &Request{Method: "GET", URL: "http://test/"}); err == nil || !strings.Contains(err.Error(), "limit_wall") {
			t.Errorf("%v", err)
		}
		s.end(t)
	})
}

// The end of a person's rights ends what streams.
func TestStreamEndsWithItsLife(t *testing.T) {
	eachLevel(t, Options{}, func(t *testing.T, p *Pool) {
		caps, s := streams()
		a := bundledApp(t, `export default { async fetch(request, env) { for await (const r of await env.HOST.rows.wait({})); return new Response("over") } }`, Binding{Name: "HOST", Caller: caps})
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		done := make(chan error, 1)
		go func() {
			_, err := p.Fetch(ctx, a, &Request{Method: "GET", URL: "http://test/"})
			done <- err
		}()
		select {
		case <-s.begins:
		case err := <-done:
			t.Fatal(err)
		}
		cancel(ErrOver)
		s.end(t)
		if err := <-done; err == nil {
			t.Error("the request was answered")
		}
	})
}
