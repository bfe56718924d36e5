package workers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"
)

// dial has an app answer with a WebSocket.
func dial(t *testing.T, p *Pool, a *App) *Socket {
	t.Helper()
	res, err := p.Fetch(t.Context(), a, &Request{Method: "GET", URL: "http://test/", Header: []string{"upgrade", "websocket"}})
	if err != nil {
		t.Fatal(err)
	}
	if res.Status != 101 || res.Socket == nil {
		t.Fatalf("%+v", res)
	}
	t.Cleanup(func() { res.Socket.Close() })
	return res.Socket
}

func (m SocketMessage) String() string {
	if m.Close {
		return fmt.Sprintf("close %d %s", m.Code, m.Reason)
	}
	return fmt.Sprintf("%t %q", m.Text, m.Data)
}

func TestSocket(t *testing.T) {
	eachLevel(t, Options{}, func(t *testing.T, p *Pool) {
		a := app(t, `export default { fetch(request, env) {
			const [client, server] = Object.values(new WebSocketPair())
			server.accept()
			server.send("hello")
			server.addEventListener("message", async ({ data }) => {
				if (data === "bye") return server.close(4001, "so long")
				if (data === "later") { await scheduler.wait(5); return server.send("later " + (await env.V)) }
				server.send(typeof data === "string" ? data.toUpperCase() : new Uint8Array(data).map(b => b + 1))
			})
			server.addEventListener("close", e => console.log("closed", e.code, e.reason, e.wasClean, server.readyState))
			return new Response(null, { status: 101, webSocket: client, headers: { "x-a": "b" } })
		} }`, Binding{Name: "V", JSON: []byte("5")})
		s := dial(t, p, a)
		expect := func(want string) {
			t.Helper()
			m, err := s.Read()
			if err != nil || m.String() != want {
				t.Fatalf("%v, %v; want %s", m, err, want)
			}
		}
		write := func(m SocketMessage) {
			t.Helper()
			if err := s.Write(m); err != nil {
				t.Fatal(err)
			}
		}
		expect(`true "hello"`)
		write(SocketMessage{Text: true, Data: []byte("grüße")})
		expect(`true "GRÜSSE"`)
		write(SocketMessage{Data: []byte{1, 2, 255}})
		expect(`false "\x02\x03\x00"`)
		write(SocketMessage{Text: true, Data: []byte("later")})
		expect(`true "later 5"`)
		write(SocketMessage{Text: true, Data: []byte("bye")})
		expect(`close 4001 so long`)
		write(SocketMessage{Close: true, Code: 4001, Reason: "so long"})
		if _, err := s.Read(); err != io.EOF {
			t.Errorf("after both sides closed: %v", err)
		}
		// A second, whose client goes without a word.
		s = dial(t, p, a)
		expect(`true "hello"`)
		s.Close()
		status, text := get(t, p, app(t, `export default { fetch() { return new Response("fine") } }`), "/")
		if status != 200 || text != "fine" {
			t.Error(status, text)
		}
	})
}

func TestSocketNeedsUpgrade(t *testing.T) {
	p, err := NewPool(Options{Isolation: InProcess})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	code := `export default { fetch() { return new Response(null, { status: 101, webSocket: new WebSocketPair()[0] }) } }`
	_, err = p.Fetch(t.Context(), app(t, code), &Request{Method: "GET", URL: "http://test/"})
	var e *Error
	if !errors.As(err, &e) || !strings.Contains(e.Message, "Upgrade: websocket") {
		t.Error(err)
	}
}

// A request's wall-clock limit is not a socket's, and each message may compute
// for as long as a request.
func TestSocketOutlivesLimits(t *testing.T) {
	eachLevel(t, Options{Limits: Limits{Wall: 200 * time.Millisecond, Calls: 3}}, func(t *testing.T, p *Pool) {
		a := app(t, `export default { fetch(request, env) {
			const [client, server] = Object.values(new WebSocketPair())
			server.accept()
			server.addEventListener("message", async e => { for (let i = 0; i < 3; i++) await env.A.fetch("http://a/"); server.send(e.data) })
			return new Response(null, { status: 101, webSocket: client })
		} }`, Binding{Name: "A", Fetch: answerWith("x")})
		s := dial(t, p, a)
		for i := range 4 {
			time.Sleep(100 * time.Millisecond)
			if err := s.Write(SocketMessage{Text: true, Data: fmt.Append(nil, i)}); err != nil {
				t.Fatal(err)
			}
			if m, err := s.Read(); err != nil || m.String() != fmt.Sprintf("true \"%d\"", i) {
				t.Fatalf("message %d: %v, %v", i, m, err)
			}
		}
	})
}

// What a socket's code may not do ends the socket, and no more than its worker.
func TestSocketHostile(t *testing.T) {
	for name, tt := range map[string]struct{ body, want string }{
		"endless loop": {`server.addEventListener("message", () => { for (;;); })`, "limit_cpu"},
		"flood":        {`server.addEventListener("message", () => { const s = "x".repeat(1e5); for (;;) server.send(s) })`, "limit_response_body"},
		"many calls":   {`server.addEventListener("message", async () => { for (;;) await env.A.fetch("http://a/") })`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := NewPool(Options{Limits: Limits{CPU: 300 * time.Millisecond, Calls: 10}})
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			a := app(t, `export default { fetch(request, env) {
				if (!request.headers.get("upgrade")) return new Response("fine")
				const [client, server] = Object.values(new WebSocketPair())
				server.accept()
				`+tt.body+`
				return new Response(null, { status: 101, webSocket: client })
			} }`, Binding{Name: "A", Fetch: answerWith("x")})
			s := dial(t, p, a)
			if err := s.Write(SocketMessage{Text: true, Data: []byte("go")}); err != nil {
				t.Fatal(err)
			}
			if tt.want != "" {
				var err error
				for err == nil {
					time.Sleep(10 * time.Millisecond) // a slow client
					_, err = s.Read()
				}
				var e *Error
				if !errors.As(err, &e) || e.Code != tt.want {
					t.Errorf("%v; want %s", err, tt.want)
				}
			}
			if status, text := get(t, p, a, "/"); status != 200 || text != "fine" {
				t.Errorf("the next request: %d %s", status, text)
			}
		})
	}
}

// A socket does not keep its worker from a project that needs one.
func TestSocketGivesWay(t *testing.T) {
	p, err := NewPool(Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	a := app(t, `export default { fetch() {
		const [client, server] = Object.values(new WebSocketPair())
		server.accept()
		return new Response(null, { status: 101, webSocket: client })
	} }`)
	s := dial(t, p, a)
	b := app(t, `export default { fetch() { return new Response("b") } }`)
	b.Domain = "another"
	if status, text := get(t, p, b, "/"); status != 200 || text != "b" {
		t.Error(status, text)
	}
	if _, err := s.Read(); err == nil {
		t.Error("the socket goes on")
	}
}

func answerWith(text string) func(context.Context, *Request) (*Response, error) {
	return func(context.Context, *Request) (*Response, error) {
		return &Response{Status: 200, Bytes: []byte(text)}, nil
	}
}
