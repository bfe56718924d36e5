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
	"samkit.dev/kv"
	"samkit.dev/sam"
)

// TestDeletedProject deletes a project while code of it runs on, in a WebSocket: it reaches no
// project that is made by the same name, and ends.
func TestDeletedProject(t *testing.T) {
	store := sam.NewMemStore()
	defer store.Close()
	ws := sam.NewWorkspace(store, "test", nil)
	files := sam.Files{"index.html": "<p>", "functions.js": `export default { fetch(request, env) {
		const [client, server] = Object.values(new WebSocketPair())
		server.accept()
		server.addEventListener("message", async ({ data }) => {
			try { await env.KV.put("left", data); server.send("put") } catch (e) { server.send(String(e)) } })
		return new Response(null, { status: 101, webSocket: client }) } }`}
	if _, err := ws.Create(t.Context(), "p", files); err != nil {
		t.Fatal(err)
	}
	h, err := NewSite(func(ctx context.Context, _ Visitor, id sam.ProjectID) (*App, error) {
		p, err := ws.Open(ctx, id)
		if err != nil {
			return nil, err
		}
		return &App{Project: p, KV: map[string]*kv.Namespace{"KV": kv.New(p.State(), "KV")}}, nil
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	h.socketPing = 100 * time.Millisecond
	mux := http.NewServeMux()
	Mount(mux, "/c/", h)
	srv := httptest.NewServer(mux)
	defer srv.Close()
	conn, _, err := dial(t, srv.URL+"/c/p/api/chat", nil)
	if err != nil {
		t.Fatal(err)
	}
	say := func(conn *websocket.Conn, data string) (string, error) {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		if err := conn.Write(ctx, websocket.MessageText, []byte(data)); err != nil {
			return "", err
		}
		_, answer, err := conn.Read(ctx)
		return string(answer), err
	}
	if got, err := say(conn, "one"); err != nil || got != "put" {
		t.Fatal(got, err)
	}
	if err := ws.Delete(t.Context(), "p"); err != nil {
		t.Fatal(err)
	}
	p, err := ws.Create(t.Context(), "p", files)
	if err != nil {
		t.Fatal(err)
	}
	got, err := say(conn, "two")
	if err == nil && got == "put" {
		t.Error("the code of a deleted project wrote")
	}
	if v, err := kv.New(p.State(), "KV").Get(t.Context(), "left"); err == nil {
		t.Errorf("a new project has %q of a deleted one", v)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	for err == nil {
		_, _, err = conn.Read(ctx)
	}
	if errors.Is(err, context.DeadlineExceeded) || strings.Contains(err.Error(), "deadline") {
		t.Errorf("the socket goes on: %v", err)
	}
}
