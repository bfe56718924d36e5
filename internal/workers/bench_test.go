package workers

import (
	"testing"

	"samkit.dev/kv"
	"samkit.dev/sam"
	"samkit.dev/sqlshim"
)

func BenchmarkFetch(b *testing.B) {
	ws := sam.NewWorkspace(sam.NewMemStore(), "o", nil)
	project, err := ws.Create(b.Context(), "p", sam.Files{"index.html": "x"})
	if err != nil {
		b.Fatal(err)
	}
	ns := kv.New(project.State(), "KV")
	if err := ns.Put(b.Context(), kv.Entry{Key: "k", Value: make([]byte, 100)}); err != nil {
		b.Fatal(err)
	}
	db, err := sqlshim.Open(b.Context(), project.State(), "DB", nil)
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(b.Context(), "CREATE TABLE items (id INTEGER PRIMARY KEY, name TEXT, qty INTEGER)\nINSERT INTO items VALUES (1, 'one', 10), (2, 'two', 20)"); err != nil {
		b.Fatal(err)
	}
	a := &App{
		Domain: "bench", Version: "1", Limits: Limits{Calls: 1 << 30},
		Bindings: []Binding{{Name: "KV", KV: ns}, {Name: "DB", DB: db}},
		Script: &Script{Code: []byte(`exports.default = { async fetch(request, env) {
			switch (new URL(request.url).pathname) {
			case "/json": return Response.json({ ok: true, msg: "hello" })
			case "/kv": return new Response(await env.KV.get("k"))
			case "/kv4": return new Response((await Promise.all([1, 2, 3, 4].map(i => env.KV.get("k")))).join(""))
			case "/cache": {
				const hit = await caches.default.match("http://c.example/a")
				if (hit) return hit
				await caches.default.put("http://c.example/a", new Response("x".repeat(1000), { headers: { "cache-control": "max-age=600" } }))
				return new Response("miss")
			}
			case "/db": return Response.json(await env.DB.prepare("SELECT id, name, qty FROM items WHERE id = ?").bind(2).first())
			}
		} }`)},
	}
	for _, level := range []struct {
		name string
		i    Isolation
	}{{"inprocess", InProcess}, {"sandboxed", Sandboxed}} {
		p, err := NewPool(Options{Isolation: level.i})
		if err != nil {
			b.Fatal(err)
		}
		for _, path := range []string{"/json", "/kv", "/kv4", "/db", "/cache"} {
			fetch := func(b *testing.B) {
				res, err := p.Fetch(b.Context(), a, &Request{Method: "GET", URL: "http://test" + path, Header: []string{"Host", "test", "User-Agent", "bench"}})
				if err != nil || res.Status != 200 {
					b.Fatal(res, err)
				}
			}
			b.Run(level.name+path+"/c=1", func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					fetch(b)
				}
			})
			b.Run(level.name+path+"/c=16", func(b *testing.B) {
				b.SetParallelism(8)
				b.RunParallel(func(pb *testing.PB) {
					for pb.Next() {
						fetch(b)
					}
				})
			})
		}
		p.Close()
	}
}
