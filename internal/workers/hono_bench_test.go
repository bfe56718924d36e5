package workers

import (
	"io/fs"
	"os"
	"testing"
	"testing/fstest"

	"samkit.dev/internal/bundle"
)

// honoApp is a Hono app of a few routes and a middleware.
const honoApp = `import { Hono } from "hono";
const app = new Hono().basePath("/api");
app.use(async (c, next) => {
	await next();
	c.header("X-App", "compare");
});
app.get("/", (c) => c.text("home"));
app.get("/users", (c) => c.json([]));
app.get("/users/:id", (c) => c.json({ id: c.req.param("id"), name: "Ada" }));
export default app;`

// honoCode bundles an app that imports hono.
func honoCode(tb testing.TB, source string) []byte {
	tb.Helper()
	files := fstest.MapFS{"functions.js": {Data: []byte(source)}}
	tree := os.DirFS("../../examples/serve/testdata/hono")
	err := fs.WalkDir(tree, "node_modules", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(tree, name)
		files[name] = &fstest.MapFile{Data: data}
		return err
	})
	if err != nil {
		tb.Fatal(err)
	}
	out, err := bundle.Functions(tb.Context(), files, "functions.js", nil)
	if err != nil {
		tb.Fatal(err)
	}
	return out.Code
}

// BenchmarkHono is a request to a Hono app without HTTP around it.
func BenchmarkHono(b *testing.B) {
	a := &App{Domain: "bench", Version: "1", Script: &Script{Code: honoCode(b, honoApp)}}
	for _, level := range []struct {
		name string
		i    Isolation
	}{{"inprocess", InProcess}, {"sandboxed", Sandboxed}} {
		b.Run(level.name, func(b *testing.B) {
			p, err := NewPool(Options{Isolation: level.i})
			if err != nil {
				b.Fatal(err)
			}
			defer p.Close()
			b.ReportAllocs()
			for b.Loop() {
				res, err := p.Fetch(b.Context(), a, &Request{Method: "GET", URL: "http://test/api/users/7", Header: []string{"Host", "test", "User-Agent", "bench"}})
				if err != nil || res.Status != 200 {
					b.Fatal(res, err)
				}
			}
		})
	}
}
