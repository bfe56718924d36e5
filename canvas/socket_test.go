package canvas

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"samkit.dev/sam"
)

var echoApp = sam.Files{"functions.js": `export default { async fetch(request, env) {
	const { pathname } = new URL(request.url)
	if (pathname === "/api/log") return new Response(await env.KV.get("closed"))
	if (request.headers.get("upgrade") !== "websocket") return new Response("no socket", { status: 426 })
	const [client, server] = Object.values(new WebSocketPair())
	server.accept()
	server.addEventListener("message", async ({ data }) => {
		if (data === "bye") server.close(4000, "so long")
		else if (data === "loop") for (;;);
		else server.send(typeof data === "string" ? "echo " + data : data)
	})
	server.addEventListener("close", e => env.KV.put("closed", [e.code, e.reason, e.wasClean].join()))
	return new Response(null, { status: 101, webSocket: client, headers: { "x-made": "here", "sec-websocket-protocol": "chat", "access-control-allow-origin": "*", "content-security-policy": "sandbox allow-same-origin", "service-worker-allowed": "/", "sec-websocket-extensions": "x", "connection": "close", "x-accel-redirect": "/" } })
} }`}

func dial(t *testing.T, url string, opts *websocket.DialOptions) (*websocket.Conn, *http.Response, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	conn, res, err := websocket.Dial(ctx, strings.Replace(url, "http", "ws", 1), opts)
	if err == nil {
		t.Cleanup(func() { conn.CloseNow() })
	}
	return conn, res, err
}

func TestWebSocket(t *testing.T) {
	r := serveApp(t, echoApp, nil)
	srv := httptest.NewServer(r.mux)
	defer srv.Close()
	conn, res, err := dial(t, srv.URL+"/p/api/chat", &websocket.DialOptions{Subprotocols: []string{"other", "chat"}, HTTPHeader: http.Header{"Origin": {"null"}}})
	if err != nil {
		t.Fatal(err)
	}
	if res.Header.Get("X-Made") != "here" || conn.Subprotocol() != "chat" {
		t.Errorf("headers %v", res.Header)
	}
	for _, name := range []string{"Set-Cookie", "Content-Security-Policy", "Service-Worker-Allowed", "Sec-Websocket-Extensions", "X-Accel-Redirect"} {
		if v := res.Header.Values(name); len(v) > 0 && name != "Content-Security-Policy" || strings.Contains(strings.Join(v, ""), "same-origin") {
			t.Errorf("%s: %q came through", name, v)
		}
	}
	if c := res.Header.Values("Connection"); len(c) != 1 || c[0] != "Upgrade" {
		t.Errorf("Connection: %q", c)
	}
	for _, m := range []struct {
		kind websocket.MessageType
		data string
		want string
	}{{websocket.MessageText, "hi", "echo hi"}, {websocket.MessageBinary, "\x00\xff", "\x00\xff"}, {websocket.MessageText, "", "echo "}, {websocket.MessageText, strings.Repeat("x", 900_000), "echo " + strings.Repeat("x", 900_000)}} {
		if err := conn.Write(t.Context(), m.kind, []byte(m.data)); err != nil {
			t.Fatal(err)
		}
		conn.SetReadLimit(2 << 20)
		kind, data, err := conn.Read(t.Context())
		if err != nil || kind != m.kind || string(data) != m.want {
			t.Fatalf("%.20q: %v %.20q %v", m.data, kind, data, err)
		}
	}
	closed := func(want string) {
		t.Helper()
		for range 200 {
			if w := r.get("/p/api/log"); w.Body.String() == want {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
		t.Errorf("functions.js heard %q; want %q", r.get("/p/api/log").Body.String(), want)
	}
	// Code closes.
	if err := conn.Write(t.Context(), websocket.MessageText, []byte("bye")); err != nil {
		t.Fatal(err)
	}
	_, _, err = conn.Read(t.Context())
	var bye websocket.CloseError
	if !errors.As(err, &bye) || bye.Code != 4000 || bye.Reason != "so long" {
		t.Errorf("close: %v", err)
	}
	closed("4000,so long,true")
	// The client closes.
	if conn, _, err = dial(t, srv.URL+"/p/api/chat", nil); err != nil {
		t.Fatal(err)
	}
	if err := conn.Close(3001, "done"); err != nil {
		t.Error(err)
	}
	closed("3001,done,true")
	// The client vanishes.
	if conn, _, err = dial(t, srv.URL+"/p/api/chat", nil); err != nil {
		t.Fatal(err)
	}
	conn.CloseNow()
	closed("1006,WebSocket disconnected without sending Close frame.,false")
	// A message beyond the limit.
	if conn, _, err = dial(t, srv.URL+"/p/api/chat", nil); err != nil {
		t.Fatal(err)
	}
	conn.Write(t.Context(), websocket.MessageText, make([]byte, maxSocketMessage+1))
	if _, _, err = conn.Read(t.Context()); websocket.CloseStatus(err) != websocket.StatusMessageTooBig {
		t.Errorf("a large message: %v", err)
	}
}

func TestWebSocketRefused(t *testing.T) {
	r := serveApp(t, echoApp, nil)
	srv := httptest.NewServer(r.mux)
	defer srv.Close()
	expect(t, r.get("/p/api/chat"), 426, "no socket")
	if _, res, err := dial(t, srv.URL+"/p/nowhere", nil); err == nil || res.StatusCode != 404 {
		t.Errorf("a file that is not there: %v", err)
	}
}

// Pages of other sites get no WebSocket on a person's behalf.
func TestWebSocketOfAnotherSite(t *testing.T) {
	for name, opts := range map[string]*Options{
		"trusted":   {Origin: Trusted},
		"principal": {Principal: func(*http.Request) string { return "eve" }},
		"auth":      {Auth: func(h http.Handler) http.Handler { return h }},
	} {
		t.Run(name, func(t *testing.T) {
			r := serveApp(t, echoApp, opts)
			srv := httptest.NewServer(r.mux)
			defer srv.Close()
			for origin, ok := range map[string]bool{"https://evil.example": false, "null": false, srv.URL: true, "": true} {
				o := &websocket.DialOptions{HTTPHeader: http.Header{}}
				if origin != "" {
					o.HTTPHeader.Set("Origin", origin)
				}
				_, res, err := dial(t, srv.URL+"/p/api/chat", o)
				if ok != (err == nil) || !ok && res.StatusCode != 403 {
					t.Errorf("from %q: %v", origin, err)
				}
			}
		})
	}
}

// The end of the handler ends its WebSockets.
func TestWebSocketEndsWithHandler(t *testing.T) {
	r := serveApp(t, echoApp, nil)
	srv := httptest.NewServer(r.mux)
	defer srv.Close()
	conn, _, err := dial(t, srv.URL+"/p/api/chat", nil)
	if err != nil {
		t.Fatal(err)
	}
	go r.Close()
	if _, _, err = conn.Read(t.Context()); websocket.CloseStatus(err) != websocket.StatusGoingAway {
		t.Errorf("%v", err)
	}
}
