package canvas

import (
	"net/http"
	"testing"

	"samkit.dev/sam"
)

// TestRestoreServed restores a project that is being served: the next request
// finds files, code, KV and database as they were.
func TestRestoreServed(t *testing.T) {
	code := func(version string) string {
		return `export default { async fetch(request, env) {
			const { searchParams: q } = new URL(request.url)
			await env.DB.exec("CREATE TABLE IF NOT EXISTS t (x)")
			if (q.has("put")) {
				await env.KV.put("k", q.get("put"))
				await env.DB.prepare("INSERT INTO t VALUES (?)").bind(q.get("put")).run()
			}
			const { results } = await env.DB.prepare("SELECT x FROM t").all()
			return new Response([` + version + `, await env.KV.get("k"), ...results.map(r => r.x)].join(" "))
		} }`
	}
	r := serveApp(t, sam.Files{"index.html": "one", "functions.js": code("1")}, nil)
	both := sam.Parts{KV: true, DB: true}
	is := func(path, want string) {
		t.Helper()
		if res := r.do(http.MethodGet, path, ""); res.Code != 200 || res.Body.String() != want {
			t.Errorf("%s: %d %q, want %q", path, res.Code, res.Body, want)
		}
	}
	is("/p/api/?put=a", "1 a a")
	c, err := r.project.Checkpoint(t.Context(), "", both)
	if err != nil {
		t.Fatal(err)
	}
	is("/p/api/?put=b", "1 b a b")
	if err := r.project.Apply(t.Context(), sam.Edit{Name: "functions.js", Data: []byte(code("2")), IfHash: "*"}); err != nil {
		t.Fatal(err)
	}
	is("/p/api/", "2 b a b")
	undo, err := r.project.Restore(t.Context(), c.ID, both)
	if err != nil {
		t.Fatal(err)
	}
	is("/p/api/", "1 a a")
	is("/p/api/?put=c", "1 c a c")
	// The state alone: no file is another one.
	if _, err := r.project.Restore(t.Context(), c.ID, both); err != nil {
		t.Fatal(err)
	}
	is("/p/api/", "1 a a")
	if _, err := r.project.Restore(t.Context(), undo.ID, both); err != nil {
		t.Fatal(err)
	}
	is("/p/api/", "2 b a b")
}
