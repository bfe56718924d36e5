package workers

import (
	"context"
	"errors"
	"io"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"samkit.dev/host/console"
	"samkit.dev/kv"
	"samkit.dev/sam"
)

func TestMain(m *testing.M) {
	Main()
	os.Exit(m.Run())
}

// eachLevel runs a test at every level of isolation.
func eachLevel(t *testing.T, opts Options, fn func(t *testing.T, p *Pool)) {
	for name, level := range map[string]Isolation{"Sandboxed": Sandboxed, "Process": Process, "InProcess": InProcess} {
		t.Run(name, func(t *testing.T) {
			opts.Isolation = level
			p, err := NewPool(opts)
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			fn(t, p)
		})
	}
}

// app makes an App of the body of a CommonJS module's default export.
func app(t *testing.T, code string, bindings ...Binding) *App {
	return &App{
		Domain: t.Name(), Version: "1", Project: "test", Bindings: bindings,
		Script: &Script{Code: []byte(strings.Replace(code, "export default", "exports.default =", 1))},
	}
}

func get(t *testing.T, p *Pool, a *App, url string) (int, string) {
	t.Helper()
	return do(t, p, a, &Request{Method: "GET", URL: "http://test" + url})
}

func do(t *testing.T, p *Pool, a *App, q *Request) (int, string) {
	t.Helper()
	res, err := p.Fetch(t.Context(), a, q)
	if err != nil {
		t.Fatalf("%s %s: %v", q.Method, q.URL, err)
	}
	if res.Body == nil {
		return res.Status, string(res.Bytes)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatalf("%s %s: reading: %v", q.Method, q.URL, err)
	}
	return res.Status, string(data)
}

func failure_(t *testing.T, p *Pool, a *App, url string) *Error {
	t.Helper()
	res, err := p.Fetch(t.Context(), a, &Request{Method: "GET", URL: "http://test" + url})
	if err == nil && res.Body != nil {
		_, err = io.ReadAll(res.Body)
		res.Body.Close()
	}
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("%s: got %v, %v, want an Error", url, res, err)
	}
	return e
}

func TestHello(t *testing.T) {
	eachLevel(t, Options{}, func(t *testing.T, p *Pool) {
		a := app(t, `let n = 0; export default { fetch(request, env, ctx) {
			n++
			return Response.json({ n, url: request.url, method: request.method, a: request.headers.get("A"), v: env.V })
		} }`, Binding{Name: "V", JSON: []byte(`"value"`)})
		for i, want := range []string{`{"n":1,"url":"http://test/x?y=1","method":"GET","a":"b","v":"value"}`, `{"n":2,"url":"http://test/x?y=1","method":"GET","a":"b","v":"value"}`} {
			status, body := do(t, p, a, &Request{Method: "GET", URL: "http://test/x?y=1", Header: []string{"A", "b"}})
			if status != 200 || body != want {
				t.Fatalf("request %d: %d %s, want %s", i, status, body, want)
			}
		}
	})
}

func TestKV(t *testing.T) {
	eachLevel(t, Options{}, func(t *testing.T, p *Pool) {
		ws := sam.NewWorkspace(sam.NewMemStore(), "o", nil)
		project, err := ws.Create(t.Context(), "p", sam.Files{"index.html": "x"})
		if err != nil {
			t.Fatal(err)
		}
		a := app(t, `export default { async fetch(request, env) {
			await env.KV.put("a", "1", {metadata: {m: 1}})
			await env.KV.put("b", JSON.stringify({x: 2}))
			const [a, b] = await Promise.all([env.KV.get("a"), env.KV.get("b", "json")])
			const missing = await env.KV.get("c")
			const meta = await env.KV.getWithMetadata("a")
			const list = await env.KV.list()
			await env.KV.delete("a")
			let error
			try { await env.KV.get("") } catch (e) { error = e.name + ": " + e.message }
			let put
			try { await env.KV.put("x", {}) } catch (e) { put = e.name }
			return Response.json({ a, b, missing, meta, names: list.keys.map(k => k.name), complete: list.list_complete, gone: await env.KV.get("a"), error, put, bulk: [...await env.KV.get(["a","b"])] })
		} }`, Binding{Name: "KV", KV: kv.New(project.State(), "KV")})
		_, body := get(t, p, a, "/")
		want := `{"a":"1","b":{"x":2},"missing":null,"meta":{"value":"1","metadata":{"m":1},"cacheStatus":null},"names":["a","b"],"complete":true,"gone":null,"error":"TypeError: Key name cannot be empty.","put":"TypeError","bulk":[["a",null],["b","{\"x\":2}"]]}`
		if body != want {
			t.Fatalf("got  %s\nwant %s", body, want)
		}
	})
}

func TestInterleaving(t *testing.T) {
	eachLevel(t, Options{}, func(t *testing.T, p *Pool) {
		a := app(t, `let waiting = []; export default { async fetch(request, env, ctx) {
			const path = new URL(request.url).pathname
			if (path === "/wait") { await new Promise(r => waiting.push(r)); return new Response("woken") }
			if (path === "/sleep") { await new Promise(r => setTimeout(r, 50)); return new Response("slept") }
			if (path === "/hold") { ctx.waitUntil(new Promise(r => setTimeout(r, 300))); await new Promise(r => { waiting.push(r); setTimeout(r, 5000) }); return new Response("held") }
			for (const r of waiting) r()
			return new Response("ok " + waiting.length)
		} }`)
		if _, body := get(t, p, a, "/sleep"); body != "slept" {
			t.Fatal(body)
		}
		done := make(chan string)
		go func() { _, body := get(t, p, a, "/hold"); done <- body }()
		time.Sleep(50 * time.Millisecond)
		if _, body := get(t, p, a, "/"); body != "ok 1" {
			t.Fatal(body)
		}
		select {
		case body := <-done:
			if body != "held" {
				t.Fatal(body)
			}
		case <-time.After(2 * time.Second):
			t.Fatal("a request was not woken by another")
		}
	})
}

func TestFailures(t *testing.T) {
	eachLevel(t, Options{}, func(t *testing.T, p *Pool) {
		for code, want := range map[string]string{
			`export default { fetch() { throw new TypeError("boom") } }`:                "exception: TypeError: boom",
			`export default { async fetch() { await null; throw new Error("later") } }`: "exception: Error: later",
			`export default { fetch() { return 5 } }`:                                   "no_response",
			`export default { fetch() { return new Promise(() => {}) } }`:               "no_response",
			`export default { }`:                                                     "no_handler",
			`export default { fetch( { }`:                                            "exception: SyntaxError",
			`throw new Error("at load"); export default {}`:                          "exception: Error: at load",
			`export default { fetch() { return f(); function f() { return f() } } }`: "exception: RangeError",
			`export default { fetch() { return new Response("x", {status: 99}) } }`:  "exception: RangeError",
			`export default { fetch() { throw null } }`:                              "exception",
			`export default { fetch() { throw { get message() { throw 1 } } } }`:     "exception",
		} {
			a := app(t, code)
			a.Domain += code
			e := failure_(t, p, a, "/")
			if got := e.Code + ": " + e.Message; !strings.HasPrefix(got, want) {
				t.Errorf("%s: %s, want %s", code, got, want)
			}
		}
	})
}

func TestConsole(t *testing.T) {
	eachLevel(t, Options{}, func(t *testing.T, p *Pool) {
		var entries []console.Entry
		a := app(t, "export default { fetch() {\n  console.log('hello', 1)\n  return new Response('x') } }")
		a.Console = func(e console.Entry) { entries = append(entries, e) }
		get(t, p, a, "/")
		if len(entries) != 1 || !strings.HasPrefix(entries[0].Text, "hello 1") || !strings.HasPrefix(entries[0].Source, "functions.js:2:") {
			t.Fatalf("%+v", entries)
		}
	})
}

func TestLimits(t *testing.T) {
	limits := Limits{Wall: 1500 * time.Millisecond, CPU: 250 * time.Millisecond, Memory: 64 << 20, Calls: 3, ResponseBody: 1000, RequestBody: 1000, Console: 2000}
	eachLevel(t, Options{Limits: limits}, func(t *testing.T, p *Pool) {
		a := app(t, `export default { async fetch(request, env, ctx) {
			switch (new URL(request.url).pathname) {
			case "/spin": for (;;) {}
			case "/spin2": for (;;) await null
			case "/sleep": await new Promise(r => setTimeout(r, 5000)); break
			case "/big": return new Response("x".repeat(2000))
			case "/shout": for (let i = 0; i < 1000; i++) console.log("hello"); break
			case "/ok": return new Response("ok")
			case "/after": ctx.waitUntil(new Promise(r => setTimeout(r, 5000))); return new Response("ok")
			}
			return new Response("end")
		} }`)
		for path, want := range map[string]string{"/spin": "limit_cpu", "/spin2": "limit_cpu", "/sleep": "limit_wall", "/big": "limit_response_body", "/shout": "limit_console"} {
			start := time.Now()
			e := failure_(t, p, a, path)
			busy := e.Code == "limit_wall" && time.Since(start) >= limits.Wall // the machine had no time for it
			if e.Code != want && !busy {
				t.Errorf("%s: %v, want %s", path, e, want)
			}
			if d := time.Since(start); d > 10*time.Second {
				t.Errorf("%s ended after %v", path, d)
			}
			if _, body := get(t, p, a, "/ok"); body != "ok" {
				t.Errorf("after %s: %s", path, body)
			}
		}
		if _, body := get(t, p, a, "/after"); body != "ok" {
			t.Error(body)
		}
		if e := failureOfPost(t, p, a, strings.Repeat("x", 2000)); e.Code != "limit_request_body" {
			t.Error(e)
		}
	})
}

func failureOfPost(t *testing.T, p *Pool, a *App, body string) *Error {
	_, err := p.Fetch(t.Context(), a, &Request{Method: "POST", URL: "http://test/", Body: strings.NewReader(body), Length: int64(len(body))})
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("want an Error, got %v", err)
	}
	return e
}

func TestRequestBody(t *testing.T) {
	eachLevel(t, Options{}, func(t *testing.T, p *Pool) {
		a := app(t, `export default { async fetch(request) { const text = await request.text(); return new Response(text.length + text.slice(-3)) } }`)
		for _, n := range []int{0, 3, 70_000, 3_000_000} {
			for _, length := range []int64{int64(n), -1} {
				want := strings.Repeat("x", n)
				_, got := do(t, p, a, &Request{Method: "POST", URL: "http://test/", Body: strings.NewReader(want), Length: length})
				tail := want[max(0, n-3):]
				if got != strconv.Itoa(n)+tail {
					t.Errorf("%d bytes, length %d: %.40s", n, length, got)
				}
			}
		}
	})
}

func TestCancel(t *testing.T) {
	eachLevel(t, Options{}, func(t *testing.T, p *Pool) {
		aborted := make(chan string, 1)
		a := app(t, `export default { async fetch(request, env, ctx) {
			request.signal.addEventListener("abort", () => console.log("aborted"))
			await new Promise(r => setTimeout(r, 3000)); return new Response("x") } }`)
		a.Console = func(e console.Entry) { aborted <- e.Text }
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(100*time.Millisecond, cancel)
		_, err := p.Fetch(ctx, a, &Request{Method: "GET", URL: "http://test/"})
		var e *Error
		if !errors.As(err, &e) || e.Code != "canceled" {
			t.Fatal(err)
		}
		select {
		case s := <-aborted:
			if s != "aborted" {
				t.Fatal(s)
			}
		case <-time.After(2 * time.Second):
			t.Fatal("the signal was not aborted")
		}
	})
}
