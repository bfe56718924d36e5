package canvas_test

import (
	"bufio"
	"context"
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"samkit.dev/canvas"
	"samkit.dev/sam"
)

const forever = "max-age=31536000, immutable"

// pinnedFiles is an app whose page, module, style and functions.js say which version they are.
func pinnedFiles(version string) sam.Files {
	return sam.Files{
		"index.html":   `<!doctype html><script type="module" src="/app.ts"></script><h1>` + version + `</h1>`,
		"docs/a.html":  `<p>` + version,
		"app.ts":       `export const version: string = "` + version + `"`,
		"style.css":    `h1::after { content: "` + version + `" }`,
		"large.bin":    strings.Repeat(version, (3<<20)/len(version)),
		"sam.json":     `{}`,
		"_headers":     "/style.css\n  X-Version: " + version + "\n",
		"functions.js": `import { name } from "./lib/name.js"; export default { async fetch(request, env) { const n = 1 + Number(await env.KV.get("n") ?? 0); await env.KV.put("n", String(n)); return Response.json({ name, n, page: await (await env.ASSETS.fetch("https://x/docs/a.html")).text() }) } }`,
		"lib/name.js":  `export const name = "` + version + `"`,
	}
}

// deploy makes a project exactly these files and returns a checkpoint of them.
func deploy(t *testing.T, ws *sam.Workspace, version string) (*sam.Project, string) {
	t.Helper()
	p, err := ws.Deploy(t.Context(), "app", pinnedFiles(version))
	if err != nil {
		t.Fatal(err)
	}
	c, err := p.Checkpoint(t.Context(), version, sam.Parts{})
	if err != nil {
		t.Fatal(err)
	}
	return p, c.ID
}

func ask(t *testing.T, h http.Handler, method, target string, header ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, target, nil)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

var page = []string{"Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document", "Accept", "text/html"}

func TestSnapshot(t *testing.T) {
	ws := workspace()
	p, one := deploy(t, ws, "one")
	var mu sync.Mutex
	app := canvas.App{Project: p, Snapshot: one}
	pin := func(id string) { mu.Lock(); defer mu.Unlock(); app.Snapshot = id }
	site, err := canvas.NewSite(func(context.Context, canvas.Visitor, sam.ProjectID) (*canvas.App, error) {
		mu.Lock()
		defer mu.Unlock()
		a := app
		return &a, nil
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer site.Close()
	h := http.NewServeMux()
	canvas.Mount(h, "/apps/", site)
	_, two := deploy(t, ws, "two") // people go on editing

	at := "/apps/app/~at." + one + "/"
	if w := ask(t, h, "GET", "/apps/app/docs/a?x=1", page...); w.Code != 302 || w.Header().Get("Location") != "../~at."+one+"/docs/a?x=1" {
		t.Errorf("a page leads to %d %q", w.Code, w.Header().Get("Location"))
	}
	for _, c := range []struct{ path, has, cache string }{
		{at, "<h1>one</h1>", "no-cache"},
		{at + "docs/a", "<p>one", "no-cache"},
		{at + "app.ts", `"one"`, "public, " + forever},
		{at + "app", `"one"`, "public, " + forever},
		{at + "style.css", `"one"`, "public, " + forever},
		{at + "large.bin", "oneoneone", "public, " + forever},
		{at + "absent.js", "", "no-store"},
		{at + "lib/name.js", "one", "public, " + forever},
		{at + "functions.js", "", "no-store"},
		{at + "api/x", `"name":"one"`, "no-store"},
		{"/apps/app/app.ts", `"one"`, "no-cache"},
		{"/apps/app/api/x", `"name":"one"`, "no-store"},
	} {
		header := []string{"Sec-Fetch-Dest", "script", "Sec-Fetch-Mode", "cors", "Sec-Fetch-Site", "cross-site"}
		if c.cache == "no-cache" && strings.HasPrefix(c.path, at) {
			header = page
		}
		w := ask(t, h, "GET", c.path, header...)
		if want := http.StatusOK; c.has != "" && w.Code != want || !strings.Contains(w.Body.String(), c.has) || strings.Contains(w.Body.String(), "two") || w.Header().Get("Cache-Control") != c.cache {
			t.Errorf("%s: %d, Cache-Control %q, %.200s", c.path, w.Code, w.Header().Get("Cache-Control"), w.Body)
		}
	}
	if w := ask(t, h, "GET", at+"style.css"); w.Header().Get("X-Version") != "one" {
		t.Errorf("_headers: %v", w.Header())
	}
	if w := ask(t, h, "GET", at, page...); !strings.Contains(w.Header().Get("Content-Security-Policy"), at) || !strings.Contains(w.Body.String(), `src="./app.ts"`) {
		t.Errorf("the page is confined to %s and says %s", w.Header().Get("Content-Security-Policy"), w.Body)
	}
	if w := ask(t, h, "GET", at+"app.ts", "If-None-Match", ask(t, h, "GET", at+"app.ts").Header().Get("Etag")); w.Code != 304 || w.Header().Get("Cache-Control") != "public, "+forever {
		t.Errorf("asked again: %d %v", w.Code, w.Header())
	}
	// env.ASSETS is of that moment, KV of now.
	first := ask(t, h, "GET", at+"api/x").Body.String()
	if second := ask(t, h, "GET", at+"api/x").Body.String(); !strings.Contains(first, "<p>one") || first == second {
		t.Errorf("%s, then %s", first, second)
	}

	// Another checkpoint: what was one's is no more, but what its open pages ask for.
	pin(two)
	if w := ask(t, h, "GET", at+"docs/a", page...); w.Code != 302 || w.Header().Get("Location") != "../../~at."+two+"/docs/a" {
		t.Errorf("an old page leads to %d %q", w.Code, w.Header().Get("Location"))
	}
	if w := ask(t, h, "GET", at+"app.ts"); w.Code != 404 || w.Header().Get("Cache-Control") != "no-store" {
		t.Errorf("an old module: %d %v", w.Code, w.Header())
	}
	if w := ask(t, h, "GET", at+"api/x"); w.Code != 200 || !strings.Contains(w.Body.String(), `"name":"two"`) {
		t.Errorf("an old page's call: %d %s", w.Code, w.Body)
	}

	// None: the project.
	pin("")
	deploy(t, ws, "three")
	if w := ask(t, h, "GET", at, page...); w.Code != 302 || w.Header().Get("Location") != "../" {
		t.Errorf("an old page leads to %d %q", w.Code, w.Header().Get("Location"))
	}
	for path, has := range map[string]string{"/apps/app/app.ts": "three", "/apps/app/api/x": `"name":"three"`} {
		if w := ask(t, h, "GET", path); w.Code != 200 || !strings.Contains(w.Body.String(), has) || w.Header().Get("Cache-Control") == "public, "+forever {
			t.Errorf("%s: %d %v %s", path, w.Code, w.Header(), w.Body)
		}
	}

	// None there: nothing.
	for _, id := range []string{"00000009-aaaaaaaaaa", "../x", "x/y"} {
		pin(id)
		if w := ask(t, h, "GET", "/apps/app/app.ts"); w.Code != 404 {
			t.Errorf("checkpoint %q: %d", id, w.Code)
		}
	}
}

// An open page hears nothing of what is written, but of another snapshot.
func TestSnapshotEvents(t *testing.T) {
	ws := workspace()
	p, one := deploy(t, ws, "one")
	_, two := deploy(t, ws, "two")
	var mu sync.Mutex
	app, reload := canvas.App{Project: p, Snapshot: one}, make(chan struct{})
	app.Reload = reload
	pin := func(id string) { mu.Lock(); defer mu.Unlock(); app.Snapshot = id }
	site, err := canvas.NewSite(func(context.Context, canvas.Visitor, sam.ProjectID) (*canvas.App, error) {
		mu.Lock()
		defer mu.Unlock()
		a := app
		return &a, nil
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(site)
	defer server.Close() // waits for the streams, which site ends
	defer site.Close()
	at := server.URL + "/app/~at." + one + "/"
	next := follow(t, at+"~events")
	seen := next()
	pin("")
	live := follow(t, server.URL+"/app/~events")
	live()
	if !strings.HasPrefix(seen, "seen ") {
		t.Fatalf("the stream begins with %q", seen)
	}
	if err := p.WriteFile(t.Context(), "index.html", []byte("three")); err != nil {
		t.Fatal(err)
	}
	if e := live(); !strings.HasPrefix(e, "reload ") || e == "reload " {
		t.Errorf("a page that follows the project hears %q", e)
	}
	site.Reload("app")
	if e := next(); e != "reload " {
		t.Errorf("the page hears %q", e)
	}
	pin(two)
	close(reload)
	if e := next(); e != "reload " {
		t.Errorf("the page hears %q", e)
	}
	next = follow(t, at+"~events?v="+strings.TrimPrefix(seen, "seen "))
	if e := next(); !strings.HasPrefix(e, "reload ") || e == "reload " {
		t.Errorf("a page of another snapshot hears %q", e)
	}
}

// follow opens an event stream, and returns what gives its next event: the kind and the id.
func follow(t *testing.T, url string) (next func() string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	r, err := http.NewRequestWithContext(ctx, "GET", url, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { res.Body.Close() })
	lines := bufio.NewScanner(res.Body)
	return func() string {
		t.Helper()
		id := ""
		for lines.Scan() {
			if text, ok := strings.CutPrefix(lines.Text(), "id: "); ok {
				id = text
			}
			if kind, ok := strings.CutPrefix(lines.Text(), "event: "); ok {
				return kind + " " + id
			}
		}
		t.Fatalf("the stream of %s ended: %v", url, lines.Err())
		return ""
	}
}

// What only some people may see is kept by their browsers alone.
func TestSnapshotPrivate(t *testing.T) {
	ws := workspace()
	p, one := deploy(t, ws, "one")
	h, err := canvas.New(canvas.App{Project: p, Snapshot: one}, &canvas.Options{Principal: func(r *http.Request) string { return r.Header.Get("X-Who") }})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	w := ask(t, h, "GET", "/~at."+one+"/docs/a", append([]string{"X-Who", "ada"}, page...)...)
	token := strings.TrimSuffix(strings.TrimPrefix(w.Header().Get("Location"), "../../"), "docs/a")
	if w.Code != 302 || !strings.HasPrefix(token, "~1.") {
		t.Fatalf("%d %v", w.Code, w.Header())
	}
	w = ask(t, h, "GET", "/"+token+"docs/a", page...)
	if w.Code != 302 || w.Header().Get("Location") != "../~at."+one+"/docs/a" {
		t.Fatalf("%d %v", w.Code, w.Header())
	}
	w = ask(t, h, "GET", "/"+token+"~at."+one+"/app.ts")
	if w.Code != 200 || w.Header().Get("Cache-Control") != "private, "+forever {
		t.Errorf("%d %v", w.Code, w.Header())
	}
}

func TestSnapshotOfNothing(t *testing.T) {
	p, _ := deploy(t, workspace(), "one")
	if _, err := canvas.New(canvas.App{Project: p, Snapshot: "00000009-aaaaaaaaaa"}, nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("New: %v", err)
	}
}
