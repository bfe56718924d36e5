package outbound

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"

	"samkit.dev/internal/netguard"
	"samkit.dev/internal/workers"
)

func TestMain(m *testing.M) {
	workers.Main()
	os.Exit(m.Run())
}

// BenchmarkFetch is a request whose code fetches once from a server of this process, beside one that does not.
func BenchmarkFetch(b *testing.B) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, `{"ok":true}`) }))
	defer s.Close()
	list, err := netguard.ParseList([]string{s.Listener.Addr().String()})
	if err != nil {
		b.Fatal(err)
	}
	c := New(Options{Guard: &netguard.Guard{List: list}})
	defer c.Close()
	code := `exports.default = { async fetch(request) {
		if (new URL(request.url).pathname === "/none") return Response.json({ ok: true })
		return Response.json(await (await fetch("` + s.URL + `/")).json()) } }`
	app := &workers.App{Domain: "bench", Version: "1", Script: &workers.Script{Code: []byte(code)}, Network: c.Network(nil)}
	for _, level := range []struct {
		name string
		i    workers.Isolation
	}{{"inprocess", workers.InProcess}, {"process", workers.Process}} {
		p, err := workers.NewPool(workers.Options{Isolation: level.i})
		if err != nil {
			b.Fatal(err)
		}
		for _, path := range []string{"/none", "/fetch"} {
			b.Run(level.name+path, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					res, err := p.Fetch(b.Context(), app, &workers.Request{Method: "GET", URL: "http://test" + path})
					if err != nil || res.Status != 200 {
						b.Fatal(res, err)
					}
				}
			})
		}
		p.Close()
	}
}
