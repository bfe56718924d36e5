package canvas

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"samkit.dev/host"
	"samkit.dev/host/console"
	"samkit.dev/host/engine"
	"samkit.dev/sam"
	"samkit.dev/sqlshim"
)

func TestMain(m *testing.M) {
	engine.Main()
	os.Exit(m.Run())
}

// serveApp serves a project's files by the real engine, below /p/.
func serveApp(t testing.TB, files sam.Files, opts *Options, change ...func(*App)) *rig {
	t.Helper()
	r := &rig{project: newProject(t, "app", files), console: console.NewBuffer(0)}
	app := App{Project: r.project, Console: r.console}
	for _, fn := range change {
		fn(&app)
	}
	h, err := New(app, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	r.Handler = h
	mux := http.NewServeMux()
	Mount(mux, "/p/", h)
	r.mux = mux
	return r
}

func TestEngineEndToEnd(t *testing.T) {
	caps := host.New()
	type in struct {
		Name string `json:"name"`
	}
	host.Register(caps.Define("greeter", 1), "hello", "Greets.", func(ctx context.Context, i in) (string, error) {
		call, _ := host.CallFrom(ctx)
		return fmt.Sprintf("hello, %s (%s, role %d)", i.Name, call.Project, call.Role), nil
	})
	r := serveApp(t, sam.Files{
		"index.html":  "<p>home",
		"lib/name.ts": "export const who: string = 'gopher'",
		"functions.js": `import { who } from "./lib/name"
export default { async fetch(request, env, ctx) {
	const url = new URL(request.url)
	switch (url.pathname) {
	case "/api/url": return Response.json({ url: request.url, method: request.method, cookie: request.headers.get("cookie") })
	case "/api/host": return Response.json(await env.HOST.greeter.hello({ name: who }))
	case "/api/service": return Response.json(await env.CRM.hello({ name: who }))
	case "/api/var": return Response.json([env.GREETING, typeof env.OTHER])
	case "/api/kv": await env.KV.put("n", String(1 + Number(await env.KV.get("n")))); return new Response(await env.KV.get("n"))
	case "/api/db":
		await env.DB.exec("CREATE TABLE IF NOT EXISTS t (x)")
		await env.DB.prepare("INSERT INTO t VALUES (?)").bind(7).run()
		return Response.json(await env.DB.prepare("SELECT x FROM t").first())
	case "/api/asset": return env.ASSETS.fetch(new URL("/index.html", request.url))
	case "/api/echo": return new Response(await request.text(), { status: 201, headers: { "x-a": "b", "set-cookie": "a=b" } })
	case "/api/throw": console.log("before"); throw new Error("went wrong")
	case "/api/redirect": return Response.redirect(new URL("/login?x=1", request.url), 303)
	case "/api/html": return new Response("<head></head><img src='/a.png'>", { headers: { "content-type": "text/html" } })
	}
	return new Response("no", { status: 404 })
} }
`}, nil, func(a *App) {
		a.Host = caps
		a.Services = map[string]host.Caller{"CRM": caps.Define("crm", 1)}
		a.Vars = map[string]string{"GREETING": "hi"}
	})
	for _, tt := range []struct {
		target string
		status int
		want   string
	}{
		{"url?q=1", 200, `"url":"http://example.com/api/url?q=1"`},
		{"host", 200, "hello, gopher (app, role 1)"},
		{"var", 200, `["hi","undefined"]`},
		{"kv", 200, "1"}, {"kv", 200, "2"},
		{"db", 200, `{"x":7}`},
		{"asset", 200, "<p>home"},
		{"throw", 500, `"error":"exception"`},
		{"none", 404, "no"},
	} {
		expect(t, r.get("/p/api/"+tt.target, "Cookie", "a=b"), tt.status, tt.want)
	}
	w := r.do("POST", "/p/api/echo", "hello")
	expect(t, w, 201, "hello")
	if w.Header().Get("X-A") != "b" || w.Header().Get("Set-Cookie") != "" {
		t.Errorf("headers %v", w.Header())
	}
	if w := r.get("/p/api/redirect"); w.Code != 303 || w.Header().Get("Location") != "../login?x=1" {
		t.Errorf("redirect: %d %q", w.Code, w.Header().Get("Location"))
	}
	expect(t, r.get("/p/api/html", page...), 200, "<img src='../a.png'>", r.client.name)
	text := r.texts()
	if !strings.Contains(text, "INFO functions.js:16:29 before") || !strings.Contains(text, "ERROR functions.js:16:") || !strings.Contains(text, "went wrong") {
		t.Errorf("console:\n%s", text)
	}
}

func TestEngineStreams(t *testing.T) {
	r := serveApp(t, sam.Files{"index.html": "<p>", "functions.js": `export default { fetch() {
	let n = 0
	return new Response(new ReadableStream({ async pull(c) {
		await new Promise(r => setTimeout(r, 20))
		c.enqueue(new TextEncoder().encode("data: " + n++ + "\n"))
	} }), { headers: { "content-type": "text/event-stream" } })
} }`}, nil)
	srv := httptest.NewServer(r.mux)
	defer srv.Close()
	res, err := http.Get(srv.URL + "/p/api/stream")
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(res.Body)
	for i := range 3 {
		if line, err := lines.ReadString('\n'); line != fmt.Sprintf("data: %d\n", i) {
			t.Fatalf("line %d: %q, %v", i, line, err)
		}
	}
	res.Body.Close()
}

func TestEngineLimit(t *testing.T) {
	r := serveApp(t, sam.Files{"index.html": "<p>", "functions.js": `export default { fetch(r) {
	if (r.url.endsWith("spin")) for (;;) {}
	return new Response("ok")
} }`}, nil, func(a *App) { a.Limits.Wall = 1500 * time.Millisecond })
	start := time.Now()
	w := r.get("/p/api/spin")
	if took := time.Since(start); took > 6*time.Second || !strings.Contains(w.Body.String(), "limit_") {
		t.Errorf("after %v: %d %s", took, w.Code, w.Body)
	}
	expect(t, r.get("/p/api/x"), 200, "ok")
}

// A database that somebody else wrote, as a restored checkpoint does, comes back.
func TestDatabaseIsOpenedAgain(t *testing.T) {
	r := serveApp(t, sam.Files{"index.html": "<p>", "functions.js": `export default { async fetch(r, env) {
	await env.DB.exec("CREATE TABLE IF NOT EXISTS t (x)")
	await env.DB.prepare("INSERT INTO t VALUES (1)").run()
	return Response.json(await env.DB.prepare("SELECT count(*) AS n FROM t").first())
} }`}, nil)
	expect(t, r.get("/p/api/x"), 200, `{"n":1}`)
	other, err := sqlshim.Open(t.Context(), r.project.State(), "DB", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if _, err := other.Exec(t.Context(), "INSERT INTO t VALUES (1)"); err != nil {
		t.Fatal(err)
	}
	r.get("/p/api/x") // may fail: it learns of the restore
	expect(t, r.get("/p/api/x"), 200, `{"n":3}`)
}

func TestNewReportsBuildErrors(t *testing.T) {
	p := newProject(t, "bad", sam.Files{"index.html": "<p>", "functions.js": "export default {\n  x y\n}"})
	_, err := New(App{Project: p}, nil)
	var be *BuildError
	if !errors.As(err, &be) || be.Diagnostics[0].File != "functions.js" || be.Diagnostics[0].Line != 2 || be.Diagnostics[0].LineText == "" {
		t.Errorf("New: %v", err)
	}
	if _, err := New(App{}, nil); err == nil {
		t.Error("an App without a project was accepted")
	}
	if _, err := NewSite(nil, nil); err == nil {
		t.Error("a nil Finder was accepted")
	}
}

func TestSecretsAreRedacted(t *testing.T) {
	store := sam.NewMemStore()
	defer store.Close()
	key := func(context.Context) ([]byte, error) { return []byte(strings.Repeat("k", 32)), nil }
	p, err := sam.NewWorkspace(store, "test", &sam.Options{SecretKey: key}).Create(t.Context(), "app", sam.Files{
		"functions.js": `export default { fetch(r, env) { console.log("key is " + env.API_KEY, btoa(env.API_KEY)); return Response.json(env.API_KEY.length) } }`})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Secrets().Set(t.Context(), "API_KEY", "sk-very-secret"); err != nil {
		t.Fatal(err)
	}
	out := console.NewBuffer(0)
	h, err := New(App{Project: p, Console: out}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	expect(t, do(h, "GET", "/api/x", ""), 200, "14")
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	e, err := out.Wait(ctx, 0, func(e console.Entry) bool { return strings.Contains(e.Text, "key is") })
	if err != nil || strings.Contains(e.Text, "sk-very") || strings.Contains(e.Text, "c2stdmVy") || !strings.Contains(e.Text, "[secret API_KEY]") {
		b, _ := json.Marshal(e)
		t.Errorf("%s, %v", b, err)
	}
}

// Databases of projects that nobody asks for are closed, and opened again.
func TestDatabasesAreBounded(t *testing.T) {
	store := sam.NewMemStore()
	defer store.Close()
	ws := sam.NewWorkspace(store, "test", nil)
	h, err := NewSite(func(ctx context.Context, _ Visitor, id sam.ProjectID) (*App, error) {
		p, err := ws.Open(ctx, id)
		return &App{Project: p}, err
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	h.maxDatabases = 3
	for round := 1; round <= 2; round++ {
		for i := range 6 {
			id := sam.ProjectID(fmt.Sprintf("p%d", i))
			if round == 1 {
				if _, err := ws.Create(t.Context(), id, sam.Files{"functions.js": `export default { async fetch(r, env) {
	await env.DB.exec("CREATE TABLE IF NOT EXISTS t (x)")
	await env.DB.prepare("INSERT INTO t VALUES (1)").run()
	return Response.json(await env.DB.prepare("SELECT count(*) AS n FROM t").first())
} }`}); err != nil {
					t.Fatal(err)
				}
			}
			expect(t, do(h, "GET", "/"+string(id)+"/api/x", ""), 200, fmt.Sprintf(`{"n":%d}`, round))
		}
		if n := h.databases.Load(); n > 4 {
			t.Errorf("%d databases are open", n)
		}
	}
}

// TestDatabaseOfRequest has a project lose its databases to others, as one of its requests begins: the request keeps them.
func TestDatabaseOfRequest(t *testing.T) {
	r := serveApp(t, sam.Files{"functions.js": `export default { async fetch(r, env) {
	return Response.json(await env.DB.prepare("SELECT 1 AS n").first())
} }`}, nil)
	expect(t, r.get("/p/api/x"), 200, `{"n":1}`)
	s := r.siteOf(&App{Project: r.project, Console: r.console})
	give := func(busy int64) {
		s.scripts.mu.Lock()
		r.mu.Lock()
		r.closing(s, false)
		r.mu.Unlock()
		s.busy.Add(busy)
		s.scripts.mu.Unlock()
		r.active.Wait()
	}
	give(1)
	if s.scripts.dbs["DB"] == nil || r.databases.Load() != 1 || s.scripts.open.Load() != 1 {
		t.Errorf("a request lost its database; %d are counted", r.databases.Load())
	}
	s.busy.Add(-1)
	give(0)
	if s.scripts.dbs != nil || r.databases.Load() != 0 {
		t.Errorf("an idle project has %v; %d are counted", s.scripts.dbs, r.databases.Load())
	}
	expect(t, r.get("/p/api/x"), 200, `{"n":1}`)
}

func BenchmarkFunctions(b *testing.B) {
	r := serveApp(b, sam.Files{"functions.js": `export default { fetch() { return Response.json({ ok: true }) } }`}, nil)
	benchmark(b, r.mux, "/p/api/x")
}
