package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"
)

// goodCode is what most projects of a soak have.
const goodCode = `
let seen = 0
export default { async fetch(request, env) {
  const url = new URL(request.url)
  switch (url.pathname) {
  case "/api/json": return Response.json({ hello: "world", seen: ++seen })
  case "/api/kv": {
    const key = "k" + url.searchParams.get("n")
    await env.KV.put(key, "v".repeat(100) + seen)
    return new Response((await env.KV.get(key)).slice(0, 5))
  }
  case "/api/sql": {
    await env.DB.exec("CREATE TABLE IF NOT EXISTS t (id INTEGER PRIMARY KEY, v TEXT)")
    const [, rows] = await env.DB.batch([
      env.DB.prepare("INSERT OR REPLACE INTO t VALUES (?, ?)").bind(Number(url.searchParams.get("n")), "v"),
      env.DB.prepare("SELECT count(*) AS n FROM t")])
    return Response.json(rows.results[0].n > 0)
  }
  case "/api/stream": {
    let n = 0
    return new Response(new ReadableStream({ async pull(c) {
      if (n++ === 5) return c.close()
      await new Promise(r => setTimeout(r, 20))
      c.enqueue(new TextEncoder().encode("data: " + n + "\n\n"))
    } }), { headers: { "content-type": "text/event-stream" } })
  }
  case "/api/echo": {
    const [mine, theirs] = Object.values(new WebSocketPair())
    theirs.accept()
    theirs.addEventListener("message", e => theirs.send(e.data))
    return new Response(null, { status: 101, webSocket: mine })
  }
  case "/api/post": return new Response(String((await request.text()).length))
  case "/api/log": console.log("seen", ++seen, { url }); return new Response("logged")
  case "/api/throw": throw new Error("thrown")
  }
  return new Response("?", { status: 404 })
} }`

const goodPage = `<!doctype html><title>good</title><link rel=stylesheet href=/style.css><p id=p>hello<script type=module src=/app.ts></script>`

var goodFiles = text("functions.js", goodCode, "index.html", goodPage, "style.css", "p { color: red }",
	"app.ts", `const p: HTMLElement = document.getElementById("p")!; p.textContent = "hi"`,
	"wrangler.json", `{"name": "good", "main": "functions.js", "assets": {"directory": "."}, "kv_namespaces": [{"binding": "KV", "id": "kv"}], "d1_databases": [{"binding": "DB", "database_id": "db", "database_name": "db"}]}`)

// A visit is one thing that somebody does with a good project at url.
type visit struct {
	name string
	do   func(ctx context.Context, c *http.Client, url string) error
}

var visits = []visit{
	{"page", want("", 200, "<title>good</title>")},
	{"module", want("app.ts", 200, "getElementById")},
	{"json", want("api/json", 200, `"hello":"world"`)},
	{"json", want("api/json", 200, `"hello":"world"`)},
	{"kv", wantN("api/kv?n=%d", 20, "vvvvv")},
	{"sql", wantN("api/sql?n=%d", 20, "true")},
	{"stream", want("api/stream", 200, "data: 5")},
	{"post", post},
	{"log", want("api/log", 200, "logged")},
	{"throw", want("api/throw", 500, "")},
	{"socket", echo},
	{"events", follow},
	{"gone", leave},
}

// errBusy is an answer that asks to come again.
var errBusy = errors.New("busy")

func want(path string, status int, part string) func(context.Context, *http.Client, string) error {
	return func(ctx context.Context, c *http.Client, url string) error {
		return request(ctx, c, http.MethodGet, url+path, nil, status, part)
	}
}

func wantN(path string, n int, part string) func(context.Context, *http.Client, string) error {
	return func(ctx context.Context, c *http.Client, url string) error {
		return request(ctx, c, http.MethodGet, url+fmt.Sprintf(path, rand.IntN(n)), nil, 200, part)
	}
}

func request(ctx context.Context, c *http.Client, method, url string, body io.Reader, status int, part string) error {
	r, err := http.NewRequestWithContext(ctx, method, url, body)
	if err != nil {
		return err
	}
	if strings.HasSuffix(url, "/") {
		r.Header.Set("Accept", "text/html")
	}
	resp, err := c.Do(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", url, err)
	case resp.StatusCode == http.StatusServiceUnavailable && resp.Header.Get("Retry-After") != "":
		return errBusy
	case resp.StatusCode != status || !strings.Contains(string(got), part):
		return fmt.Errorf("%s: %s %.500q", url, resp.Status, got)
	}
	return nil
}

func post(ctx context.Context, c *http.Client, url string) error {
	n := 1 + rand.IntN(200<<10)
	return request(ctx, c, http.MethodPost, url+"api/post", strings.NewReader(strings.Repeat("x", n)), 200, fmt.Sprint(n))
}

// echo talks over a WebSocket.
func echo(ctx context.Context, c *http.Client, url string) error {
	conn, resp, err := websocket.Dial(ctx, url+"api/echo", nil)
	if resp != nil && resp.StatusCode == http.StatusServiceUnavailable {
		return errBusy
	}
	if err != nil {
		return err
	}
	defer conn.CloseNow()
	for range 3 {
		if err := conn.Write(ctx, websocket.MessageText, []byte("hello")); err != nil {
			return evicted(err)
		}
		if _, got, err := conn.Read(ctx); err != nil || string(got) != "hello" {
			return evicted(fmt.Errorf("%s: echoed %q: %w", url, got, err))
		}
	}
	conn.Close(websocket.StatusNormalClosure, "")
	return nil
}

// evicted tells a socket that ended with its worker, which a project that has been quiet may lose to another.
func evicted(err error) error {
	if websocket.CloseStatus(err) >= 0 || errors.Is(err, io.EOF) {
		return errBusy
	}
	return err
}

// follow opens the event stream of a page, for a while.
func follow(ctx context.Context, c *http.Client, url string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"~events", nil)
	if err != nil {
		return err
	}
	resp, err := c.Do(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	in := bufio.NewScanner(resp.Body)
	for in.Scan() {
		if strings.HasPrefix(in.Text(), "event: seen") {
			return nil
		}
	}
	return fmt.Errorf("%s: an event stream ended early: %s %w", url, resp.Status, in.Err())
}

// leave asks for something and goes before it is there.
func leave(ctx context.Context, c *http.Client, url string) error {
	gone, cancel := context.WithTimeout(ctx, time.Duration(rand.IntN(60))*time.Millisecond)
	defer cancel()
	err := request(gone, c, http.MethodGet, url+"api/stream", nil, 200, "")
	if gone.Err() != nil {
		return nil
	}
	return err
}

// A crowd is what all visitors of a soak did.
type crowd struct {
	mu               sync.Mutex
	good, busy       int
	hostile, answers int
	wrong            int
	first            error
}

// run has visitors come to good and hostile projects until ctx ends.
func (w *crowd) run(ctx context.Context, url string, good, hostile int) {
	var wg sync.WaitGroup
	client := &http.Client{Transport: &http.Transport{MaxIdleConns: 100, MaxIdleConnsPerHost: 100}, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	defer client.CloseIdleConnections()
	for range 12 {
		wg.Go(func() {
			for ctx.Err() == nil {
				v := visits[rand.IntN(len(visits))]
				one, cancel := context.WithTimeout(ctx, time.Minute)
				err := v.do(one, client, fmt.Sprintf("%s/g%d/", url, rand.IntN(good)))
				cancel()
				if ctx.Err() == nil {
					w.note(v, err)
				}
				pause(ctx, 20*time.Millisecond)
			}
		})
	}
	for range 6 {
		wg.Go(func() {
			for ctx.Err() == nil && hostile > 0 {
				one, cancel := context.WithTimeout(ctx, time.Minute)
				answered := provoke(one, client, fmt.Sprintf("%s/h%d/api/x", url, rand.IntN(hostile)))
				cancel()
				w.mu.Lock()
				w.hostile++
				if answered {
					w.answers++
				}
				w.mu.Unlock()
				pause(ctx, 20*time.Millisecond)
			}
		})
	}
	wg.Wait()
}

func (w *crowd) note(v visit, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case err == nil:
		w.good++
	case errors.Is(err, errBusy):
		w.busy++
	default:
		w.wrong++
		if w.first == nil {
			w.first = fmt.Errorf("%s: %w", v.name, err)
		}
	}
}

// provoke has a hostile project do what it does, as a client that is hostile, too: it may read slowly or leave.
func provoke(ctx context.Context, c *http.Client, url string) (answered bool) {
	if rand.IntN(8) == 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Duration(rand.IntN(200))*time.Millisecond)
		defer cancel()
	}
	method, body := http.MethodGet, io.Reader(nil)
	if rand.IntN(3) == 0 {
		method, body = http.MethodPost, strings.NewReader(strings.Repeat("x", rand.IntN(1<<20)))
	}
	r, err := http.NewRequestWithContext(ctx, method, url, body)
	if err != nil {
		return false
	}
	resp, err := c.Do(r)
	if err != nil {
		return false
	}
	defer resp.Body.Close()
	io.Copy(io.Discard, resp.Body)
	return true
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}
