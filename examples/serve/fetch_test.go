package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFetchFlag(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "from outside") }))
	defer server.Close()
	dir := t.TempDir()
	code := "export default { fetch: () => fetch('" + server.URL + "').catch(e => new Response(e.message)) }"
	if err := os.WriteFile(filepath.Join(dir, "functions.js"), []byte(code), 0o644); err != nil {
		t.Fatal(err)
	}
	p := start(t, "-isolation=process", "-fetch", "api.example.com,"+server.Listener.Addr().String(), dir)
	if r := p.do("GET", "api/", ""); r.body != "from outside" {
		t.Error(r.body)
	}
	p = start(t, "-isolation=process", dir)
	if r := p.do("GET", "api/", ""); !strings.Contains(r.body, server.Listener.Addr().String()) || !strings.Contains(r.body, "App.Fetch") && !strings.Contains(r.body, "canvas.App{Fetch") {
		t.Error(r.body)
	}
}
