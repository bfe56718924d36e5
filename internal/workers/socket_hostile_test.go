package workers

import (
	"io"
	"strings"
	"testing"
	"time"
)

// TestSocketLargeMessage proves that a message too large for a client fails in the code, not in the worker.
func TestSocketLargeMessage(t *testing.T) {
	eachLevel(t, Options{}, func(t *testing.T, p *Pool) {
		a := app(t, `export default { fetch(request, env) {
			const [client, server] = Object.values(new WebSocketPair())
			server.accept()
			server.addEventListener("message", ({ data }) => {
				try { server.send("x".repeat(data)); server.send("sent") } catch (e) { server.send(e.name + ": " + e.message) }
			})
			return new Response(null, { status: 101, webSocket: client })
		} }`)
		s := dial(t, p, a)
		for _, c := range []struct{ size, want string }{{"1048576", "sent"}, {"1048577", "TypeError: "}, {"20000000", "TypeError: "}} {
			if err := s.Write(SocketMessage{Text: true, Data: []byte(c.size)}); err != nil {
				t.Fatal(err)
			}
			m, err := s.Read()
			if err == nil && c.want == "sent" {
				m, err = s.Read()
			}
			if err != nil || !strings.HasPrefix(string(m.Data), c.want) {
				t.Fatalf("%s bytes: %.200s, %v; want %s", c.size, m, err, c.want)
			}
		}
	})
}

// TestSocketPairAfterResponse proves that two ends which answer each other for ever end with their request.
func TestSocketPairAfterResponse(t *testing.T) {
	eachLevel(t, Options{}, func(t *testing.T, p *Pool) {
		a := app(t, `let n = 0; export default { fetch(request) {
			if (request.url.endsWith("/n")) return new Response(String(n))
			const [a, b] = Object.values(new WebSocketPair())
			a.accept(); b.accept()
			a.addEventListener("message", e => { n++; a.send(e.data) }); b.addEventListener("message", e => b.send(e.data))
			a.send("x")
			return new Response("started")
		} }`)
		get(t, p, a, "/")
		_, one := get(t, p, a, "/n")
		time.Sleep(50 * time.Millisecond)
		if _, two := get(t, p, a, "/n"); one != two {
			t.Errorf("%s messages, then %s", one, two)
		}
	})
}

// TestSocketSpins proves that a socket whose code never comes to an end by itself is ended
// by the limit of CPU time, though its client says nothing.
func TestSocketSpins(t *testing.T) {
	for _, spin := range []string{
		`const go = () => setTimeout(go); go()`,
		`const go = () => Promise.resolve().then(go); setTimeout(go)`,
		`const [a, b] = Object.values(new WebSocketPair()); a.accept(); b.accept(); a.onmessage = e => a.send(e.data); b.onmessage = e => b.send(e.data); a.send("x")`,
		`const go = async () => { for (;;) await caches.default.match("http://c.test/").catch(() => {}) }; go()`,
	} {
		p, err := NewPool(Options{Limits: Limits{Wall: 10 * time.Second, CPU: 300 * time.Millisecond}})
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		res, err := p.Fetch(t.Context(), app(t, `export default { fetch(request, env) {
			const [client, server] = Object.values(new WebSocketPair())
			server.accept()
			`+spin+`
			return new Response(null, { status: 101, webSocket: client })
		} }`), &Request{Method: "GET", URL: "http://test/", Header: []string{"upgrade", "websocket"}})
		if err == nil {
			_, err = res.Socket.Read()
			res.Socket.Close()
		}
		if err == nil || err == io.EOF || time.Since(start) > 8*time.Second {
			t.Errorf("%s: %v after %v", spin, err, time.Since(start))
		}
		p.Close()
	}
}

// TestSocketSlowClients has code send without end to as many clients as there may be, of which none takes
// anything: neither the host's memory grows beyond its bounds nor does another project wait.
func TestSocketSlowClients(t *testing.T) {
	p, err := NewPool(Options{Limits: Limits{Memory: 256 << 20}})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	a := app(t, `const all = []; export default { fetch(request) {
		if (request.method === "POST") { for (let i = 0; i < 20; i++) for (const s of all) try { s.send("x".repeat(50_000)) } catch {} ; return new Response("sent") }
		const [client, server] = Object.values(new WebSocketPair())
		server.accept()
		all.push(server)
		return new Response(null, { status: 101, webSocket: client }) } }`)
	before := inUse()
	for range maxSockets {
		dial(t, p, a)
	}
	if res, err := p.Fetch(t.Context(), a, &Request{Method: "GET", URL: "http://test/", Header: []string{"upgrade", "websocket"}}); err == nil {
		t.Errorf("one more socket: %+v", res)
	}
	res, err := p.Fetch(t.Context(), a, &Request{Method: "POST", URL: "http://test/"})
	t.Log(res != nil, err)
	time.Sleep(100 * time.Millisecond)
	if n := inUse() - before; n > 200<<20 {
		t.Errorf("%d MB wait in the host", n>>20)
	} else {
		t.Logf("%d MB wait in the host", n>>20)
	}
	other := app(t, `export default { fetch() { return new Response("ok") } }`)
	other.Domain = "neighbour"
	start := time.Now()
	if _, body := get(t, p, other, "/"); body != "ok" || time.Since(start) > 3*time.Second {
		t.Errorf("the neighbour got %q after %v", body, time.Since(start))
	}
}

// TestSocketClientFloods has a client send more than the code takes: it waits, or its socket ends, but
// other requests of the project are served by the same worker.
func TestSocketClientFloods(t *testing.T) {
	for name, code := range map[string]string{
		"slow":         `server.accept(); server.addEventListener("message", () => { const t = Date.now(); while (Date.now() - t < 3); server.send("x") })`,
		"not accepted": ``,
	} {
		t.Run(name, func(t *testing.T) {
			p, err := NewPool(Options{Limits: Limits{Memory: 64 << 20, CPU: 5 * time.Second}})
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			a := app(t, `export default { fetch(request) {
				if (request.method === "HEAD") return new Response("well")
				const [client, server] = Object.values(new WebSocketPair())
				`+code+`
				return new Response(null, { status: 101, webSocket: client }) } }`)
			s := dial(t, p, a)
			done := make(chan struct{})
			t.Cleanup(func() { <-done }) // the test's context has ended
			go func() {
				defer close(done)
				for {
					if _, err := s.Read(); err != nil {
						return
					}
				}
			}()
			data := make([]byte, 1<<20)
			end := time.Now().Add(1500 * time.Millisecond)
			n := 0
			for ; time.Now().Before(end); n++ {
				if err := s.Write(SocketMessage{Data: data}); err != nil {
					t.Log(n, err)
					break
				}
				if n%20 == 0 {
					if _, err := p.Fetch(t.Context(), a, &Request{Method: "HEAD", URL: "http://test/"}); err != nil {
						t.Fatalf("after %d messages: %v", n, err)
					}
				}
			}
			t.Log(n, "messages")
			if _, err := p.Fetch(t.Context(), a, &Request{Method: "HEAD", URL: "http://test/"}); err != nil {
				t.Error(err)
			}
			if k := p.Stats(); k.Killed > 0 || k.Started > 2 {
				t.Errorf("workers ended: %+v", k)
			}
		})
	}
}
