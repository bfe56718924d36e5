package canvas

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"samkit.dev/host/console"
	"samkit.dev/internal/workers"
	"samkit.dev/sam"
)

// A fakeRun answers for functions.js.
type fakeRun func(ctx context.Context, app *workers.App, req *workers.Request) (*workers.Response, error)

func (f fakeRun) Fetch(ctx context.Context, app *workers.App, req *workers.Request) (*workers.Response, error) {
	return f(ctx, app, req)
}

// answers is a functions.js that always answers alike.
func answers(status int, header []string, body string) fakeRun {
	return func(context.Context, *workers.App, *workers.Request) (*workers.Response, error) {
		return &workers.Response{Status: status, Header: header, Bytes: []byte(body)}, nil
	}
}

// newProject is a project in memory.
func newProject(t testing.TB, id sam.ProjectID, files sam.Files) *sam.Project {
	t.Helper()
	store := sam.NewMemStore()
	t.Cleanup(func() { store.Close() })
	p, err := sam.NewWorkspace(store, "test", &sam.Options{
		SecretKey: func(context.Context) ([]byte, error) { return make([]byte, 32), nil },
	}).Create(t.Context(), id, files)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// A rig is a handler for one project below /p/, with what it wrote.
type rig struct {
	*Handler
	project *sam.Project
	console *console.Buffer
	log     *strings.Builder
	mux     http.Handler
}

func newRig(t testing.TB, files sam.Files, run fakeRun, opts *Options, change ...func(*App)) *rig {
	t.Helper()
	r := &rig{project: newProject(t, "app", files), console: console.NewBuffer(0), log: new(strings.Builder)}
	app := App{Project: r.project, Console: r.console}
	for _, fn := range change {
		fn(&app)
	}
	if opts == nil {
		opts = &Options{}
	}
	o := *opts
	o.Logger = slog.New(slog.NewTextHandler(r.log, nil))
	if run == nil {
		run = answers(200, nil, "fake")
	}
	h, err := newHandler(func(context.Context, Visitor, sam.ProjectID) (*App, error) { return &app, nil }, &o, run)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	r.Handler = h
	mux := http.NewServeMux()
	Mount(mux, "/p/", h)
	r.mux = mux
	return r
}

// do asks for a target with headers given as name, value, ….
func (r *rig) do(method, target, body string, header ...string) *httptest.ResponseRecorder {
	return do(r.mux, method, target, body, header...)
}

func do(h http.Handler, method, target, body string, header ...string) *httptest.ResponseRecorder {
	var rd io.Reader
	if body != "" {
		rd = strings.NewReader(body)
	}
	req := httptest.NewRequest(method, target, rd)
	for i := 0; i < len(header); i += 2 {
		if header[i] == "Host" {
			req.Host = header[i+1]
			continue
		}
		req.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, req)
	return w
}

func (r *rig) get(target string, header ...string) *httptest.ResponseRecorder {
	return r.do("GET", target, "", header...)
}

func (r *rig) texts() string {
	var b strings.Builder
	for e := range r.console.Since(0) {
		b.WriteString(e.Level.String() + " " + e.Source + " " + e.Text + "\n")
	}
	return b.String()
}

func expect(t *testing.T, w *httptest.ResponseRecorder, status int, contains ...string) {
	t.Helper()
	if w.Code != status {
		t.Errorf("status %d, want %d; body %.300s", w.Code, status, w.Body)
	}
	for _, want := range contains {
		if !strings.Contains(w.Body.String(), want) {
			t.Errorf("body lacks %q:\n%.600s", want, w.Body)
		}
	}
}

var demo = sam.Files{
	"index.html":        `<!doctype html><head><link rel=stylesheet href="/style.css"></head><script src="/app.js"></script>`,
	"style.css":         `body{background:url(/bg.png)}`,
	"app.js":            `console.log("hi")`,
	"docs/index.html":   `<img src="/bg.png">`,
	"docs/style.css":    `body{background:url(/bg.png)}`,
	"about.html":        `about`,
	"main.tsx":          "import { label } from './util'\nconst n: number = 1\nexport const x = <p>{label}</p>\n",
	"util.ts":           `export const label: string = "a"`,
	"bad.ts":            "export const x = 1\nexport const y: number = = 2\n",
	"lib/index.ts":      `export default 1`,
	"big.bin":           strings.Repeat("0123456789", 300_000),
	"text.txt":          strings.Repeat("hello ", 500),
	"functions.js":      `export default { fetch() {} }`,
	"sam.json":          `{}`,
	".env":              `SECRET=1`,
	"scripts/note.md":   `x`,
	"caf\u00e9.html":    `<p>café`,
	"404.html":          `nothing here <a href="/">home</a>`,
	"data.json":         `{"a":1}`,
	"font.woff2":        "wOF2\x00\x01",
	"site.webmanifest":  `{}`,
	"m.wasm":            "\x00asm\x01\x00\x00\x00",
	"pic.avif":          "\x00\x00\x00 ftypavif",
	"noext":             "plain",
	"noextbin":          "\x00\x01",
	"mod.mjs":           `export {}`,
	"migrations/1.sql":  `x`,
	"node_modules/a.js": `x`,
}

func TestPagesBelowAPrefix(t *testing.T) {
	r := newRig(t, demo, nil, nil)
	w := r.get("/p/")
	expect(t, w, 200, `href="./style.css"`, `<script crossorigin src="./app.js">`, `<head><script src="./`+r.client.name)
	if ct := w.Header().Get("Content-Type"); ct != "text/html; charset=utf-8" {
		t.Errorf("Content-Type %q", ct)
	}
	expect(t, r.get("/p/docs/"), 200, `<img src="../bg.png">`, `src="../`+r.client.name)
	expect(t, r.get("/p/style.css"), 200, `url(./bg.png)`)
	expect(t, r.get("/p/docs/style.css"), 200, `url(../bg.png)`)
	expect(t, r.get("/p/about"), 200, "about")
	expect(t, r.get("/p/caf%C3%A9.html"), 200, "café")
	expect(t, r.get("/p/cafe%CC%81.html"), 200, "café") // decomposed
	expect(t, r.get("/p/"+r.client.name), 200)
	expect(t, r.get("/p/nope/x.html"), 404, `nothing here <a href="../">`)
	expect(t, r.get("/p/nope.js", "Sec-Fetch-Dest", "script"), 404, "not_found")

	// A script that fetches HTML gets a piece, not a page.
	if body := r.get("/p/about.html", "Sec-Fetch-Dest", "empty").Body.String(); body != "about" {
		t.Errorf("fetched HTML is %q", body)
	}
}

func TestRedirectsHoldUnderAnyPrefix(t *testing.T) {
	r := newRig(t, demo, nil, nil)
	strip := func(prefix string) http.Handler { return http.StripPrefix(prefix, r.Handler) }
	tests := []struct {
		h                http.Handler
		target, location string
	}{
		{strip("/p"), "/p/docs?a=b", "./docs/?a=b"},
		{strip("/p"), "/p", "./p/"},
		{strip("/some/prefix"), "/some/prefix", "./prefix/"},
		{strip("/t/a b"), "/t/a%20b/docs", "./docs/"},
		{strip("/p"), "/p/lib", "./lib/index.ts"},
	}
	for _, tt := range tests {
		w := do(tt.h, "GET", tt.target, "")
		if w.Code != 307 || w.Header().Get("Location") != tt.location {
			t.Errorf("GET %s: %d %q, want 307 %q", tt.target, w.Code, w.Header().Get("Location"), tt.location)
		}
	}
	// StripPrefix("/p/") leaves no leading slash.
	expect(t, do(strip("/p/"), "GET", "/p/", ""), 200, "style.css")
	expect(t, do(strip("/p/"), "GET", "/p/docs/", ""), 200, "../bg.png")
}

func TestNeverServed(t *testing.T) {
	r := newRig(t, demo, nil, nil)
	for _, target := range []string{
		"/p/functions.js", "/p/Functions.JS", "/p/functions%2ejs", "/p/functions.js/", "/p/sam.json", "/p/.env", "/p/%2eenv", "/p/scripts/note.md",
		"/p/migrations/1.sql", "/p/node_modules/a.js", "/p/functions", "/p/~nope", "/p/~events/x", "/p/functions.js;x", "/p/functions.js::$DATA", "/p/c:/x", "/p/javascript:alert(1)",
	} {
		if w := r.get(target); w.Code != 404 {
			t.Errorf("GET %s: %d %s", target, w.Code, w.Body)
		}
	}
	for _, target := range []string{"/p/a%2fb", "/p/a%5cb", "/p/a%00", "/p/a%0ab"} {
		if w := r.get(target); w.Code != 400 {
			t.Errorf("GET %s: %d %s", target, w.Code, w.Body)
		}
	}
}

func TestMediaTypes(t *testing.T) {
	r := newRig(t, demo, nil, nil)
	for name, want := range map[string]string{
		"app.js": "text/javascript; charset=utf-8", "mod.mjs": "text/javascript; charset=utf-8", "util.ts": "text/javascript; charset=utf-8",
		"data.json": "application/json", "font.woff2": "font/woff2", "m.wasm": "application/wasm", "pic.avif": "image/avif",
		"site.webmanifest": "application/manifest+json; charset=utf-8", "noext": "text/plain; charset=utf-8", "noextbin": "application/octet-stream",
		"style.css": "text/css; charset=utf-8", "big.bin": "text/plain; charset=utf-8",
	} {
		w := r.get("/p/" + name)
		if got := w.Header().Get("Content-Type"); got != want || w.Header().Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func TestConditionalRequests(t *testing.T) {
	r := newRig(t, demo, nil, nil)
	for _, name := range []string{"app.js", "index.html", "main.tsx", "big.bin"} {
		w := r.get("/p/" + name)
		tag := w.Header().Get("Etag")
		if len(tag) < 10 || tag[0] != '"' || w.Header().Get("Cache-Control") != "no-cache" {
			t.Fatalf("%s: Etag %q, Cache-Control %q", name, tag, w.Header().Get("Cache-Control"))
		}
		for _, asked := range []string{tag, "W/" + tag, `"other", ` + tag, "*"} {
			w := r.get("/p/"+name, "If-None-Match", asked)
			if w.Code != 304 || w.Body.Len() != 0 || !strings.Contains(w.Header().Get("Content-Security-Policy"), "sandbox") {
				t.Errorf("%s, If-None-Match %s: %d", name, asked, w.Code)
			}
		}
		if w := r.get("/p/"+name, "If-None-Match", `"other"`); w.Code != 200 {
			t.Errorf("%s with another tag: %d", name, w.Code)
		}
		head := r.do("HEAD", "/p/"+name, "")
		if head.Code != 200 || head.Body.Len() != 0 || head.Header().Get("Content-Length") != w.Header().Get("Content-Length") {
			t.Errorf("HEAD %s: %d, %d bytes, length %s", name, head.Code, head.Body.Len(), head.Header().Get("Content-Length"))
		}
	}
	if w := r.do("POST", "/p/app.js", "x"); w.Code != 405 || w.Header().Get("Allow") != "GET, HEAD" {
		t.Errorf("POST to a file: %d", w.Code)
	}
}

func TestRanges(t *testing.T) {
	r := newRig(t, demo, nil, nil)
	for _, name := range []string{"text.txt", "big.bin"} {
		whole := r.get("/p/" + name).Body.String()
		tests := []struct {
			rng    string
			status int
			body   string
		}{
			{"bytes=0-4", 206, whole[:5]},
			{"bytes=-3", 206, whole[len(whole)-3:]},
			{"bytes=99999999-", 416, ""},
			{"bytes=-0", 416, ""},
			{"bytes=x", 416, ""},
			{"bytes=0-,0-,0-,0-", 200, whole}, // more than the file
			{"bytes=" + strings.Repeat("0-0,", 10_000) + "1-1", 200, whole},
			{"bytes=18446744073709551615-", 416, ""},
		}
		for _, tt := range tests {
			w := r.get("/p/"+name, "Range", tt.rng)
			if w.Code != tt.status || tt.body != "" && w.Body.String() != tt.body {
				t.Errorf("%s, Range %.30s: %d with %d bytes, want %d with %d", name, tt.rng, w.Code, w.Body.Len(), tt.status, len(tt.body))
			}
			if !strings.Contains(w.Header().Get("Content-Security-Policy"), "sandbox") {
				t.Errorf("%s, Range %.30s: no sandbox", name, tt.rng)
			}
		}
		if w := r.get("/p/"+name, "Range", "bytes=0-4", "If-Range", `"other"`); w.Code != 200 {
			t.Errorf("If-Range of another: %d", w.Code)
		}
	}
}

func TestCompression(t *testing.T) {
	r := newRig(t, demo, nil, nil)
	plain := r.get("/p/text.txt")
	for _, tt := range []struct{ accept, want string }{
		{"gzip", "gzip"}, {"gzip, br, zstd", "zstd"}, {"gzip;q=0", ""}, {"br", ""}, {"zstd;q=0.1, gzip;q=0.5", "gzip"}, {"*", "gzip"}, {"", ""}, {"zstd;q=9", ""},
	} {
		w := r.get("/p/text.txt", "Accept-Encoding", tt.accept)
		if got := w.Header().Get("Content-Encoding"); got != tt.want {
			t.Errorf("Accept-Encoding %q: %q, want %q", tt.accept, got, tt.want)
		}
		if tt.want != "" && (w.Body.Len() >= plain.Body.Len() || w.Header().Get("Etag") == plain.Header().Get("Etag")) {
			t.Errorf("%s: %d bytes, etag %s", tt.want, w.Body.Len(), w.Header().Get("Etag"))
		}
		if !strings.Contains(w.Header().Get("Vary"), "Accept-Encoding") {
			t.Error("Vary does not name Accept-Encoding")
		}
		if w := r.get("/p/text.txt", "Accept-Encoding", tt.accept, "If-None-Match", w.Header().Get("Etag")); w.Code != 304 {
			t.Errorf("%s: revalidated with %d", tt.accept, w.Code)
		}
	}
	if w := r.get("/p/font.woff2", "Accept-Encoding", "gzip"); w.Header().Get("Content-Encoding") != "" {
		t.Error("a font was compressed twice")
	}
}

func TestModules(t *testing.T) {
	r := newRig(t, demo, nil, nil)
	w := r.get("/p/main.tsx", "Sec-Fetch-Dest", "script")
	expect(t, w, 200, "react/jsx-runtime", "sourceMappingURL=data:")
	if strings.Contains(w.Body.String(), ": number") {
		t.Error("types are left")
	}
	expect(t, r.get("/p/util", "Sec-Fetch-Dest", "script"), 200, "label")
	expect(t, r.get("/p/util.js", "Sec-Fetch-Dest", "script"), 200, "label") // TypeScript's way
	w = r.get("/p/bad.ts", "Sec-Fetch-Dest", "script")
	expect(t, w, 200, "__samkit?.fail(", `"file":"bad.ts","line":2`, "throw new Error")
	r.get("/p/bad.ts", "Sec-Fetch-Dest", "script", "If-None-Match", `"x"`)
	if text := r.texts(); strings.Count(text, "bad.ts:2:") != 1 {
		t.Errorf("console:\n%s", text)
	}
}

func TestFollowsCommits(t *testing.T) {
	r := newRig(t, demo, nil, nil)
	before := r.get("/p/app.js")
	if err := r.project.WriteFile(t.Context(), "app.js", []byte("changed")); err != nil {
		t.Fatal(err)
	}
	after := r.get("/p/app.js", "If-None-Match", before.Header().Get("Etag"))
	expect(t, after, 200, "changed")
	if err := r.project.Apply(t.Context(), sam.Edit{Name: "app.js", Remove: true, IfHash: "*"}); err != nil {
		t.Fatal(err)
	}
	if w := r.get("/p/app.js"); w.Code != 404 {
		t.Errorf("a removed file: %d", w.Code)
	}
}

func TestSite(t *testing.T) {
	store := sam.NewMemStore()
	defer store.Close()
	ws := sam.NewWorkspace(store, "test", nil)
	if _, err := ws.Create(t.Context(), "one", sam.Files{"index.html": "<p>one", "a/b.html": "<a href=/>"}); err != nil {
		t.Fatal(err)
	}
	h, err := newHandler(func(ctx context.Context, v Visitor, id sam.ProjectID) (*App, error) {
		p, err := ws.Open(ctx, id)
		return &App{Project: p}, err
	}, nil, answers(200, nil, ""))
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	h.site = true
	mux := http.NewServeMux()
	Mount(mux, "/apps/", h)
	expect(t, do(mux, "GET", "/apps/one/", ""), 200, "<p>one")
	expect(t, do(mux, "GET", "/apps/one/a/b.html", ""), 200, `<a href=../>`)
	if w := do(mux, "GET", "/apps/one", ""); w.Code != 307 || w.Header().Get("Location") != "./one/" {
		t.Errorf("no slash: %d %q", w.Code, w.Header().Get("Location"))
	}
	for _, target := range []string{"/apps/", "/apps/two/", "/apps/ONE/", "/apps/-a/", "/apps/" + strings.Repeat("a", 64) + "/", "/apps/~x/", "/apps/%D0%BEne/"} {
		w := do(mux, "GET", target, "")
		if w.Code != 404 || !strings.Contains(w.Header().Get("Content-Security-Policy"), "sandbox") {
			t.Errorf("GET %s: %d", target, w.Code)
		}
	}
	if got := h.Path(Visitor{}, "one"); got != "one/" {
		t.Errorf("Path = %q", got)
	}
}

func TestFinderErrors(t *testing.T) {
	var fail error
	h, err := newHandler(func(context.Context, Visitor, sam.ProjectID) (*App, error) { return nil, fail }, &Options{Logger: slog.New(slog.DiscardHandler)}, answers(200, nil, ""))
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	for _, tt := range []struct {
		err    error
		status int
	}{{fs.ErrNotExist, 404}, {errDenied, 403}, {io.ErrUnexpectedEOF, 500}, {nil, 500}} {
		fail = tt.err
		w := do(h, "GET", "/", "")
		if w.Code != tt.status || strings.Contains(w.Body.String(), "EOF") {
			t.Errorf("%v: %d %s", tt.err, w.Code, w.Body)
		}
	}
}

func TestClose(t *testing.T) {
	r := newRig(t, demo, nil, nil)
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	w := r.get("/p/")
	if w.Code != 503 || !strings.Contains(w.Header().Get("Content-Security-Policy"), "sandbox") {
		t.Errorf("after Close: %d", w.Code)
	}
}

func FuzzRange(f *testing.F) {
	for _, s := range []string{"bytes=0-1", "bytes=-0", "bytes=-5,1-", "bytes=0-,0-", "x", "bytes=,", "bytes=9-1"} {
		f.Add(s)
	}
	r := newRig(f, sam.Files{"a.txt": "0123456789"}, nil, nil)
	f.Fuzz(func(t *testing.T, rng string) {
		w := r.get("/p/a.txt", "Range", rng)
		if w.Code != 200 && w.Code != 206 && w.Code != 416 || w.Body.Len() > 4096 || !strings.Contains(w.Header().Get("Content-Security-Policy"), "sandbox") {
			t.Fatalf("Range %q: %d with %d bytes", rng, w.Code, w.Body.Len())
		}
	})
}

func BenchmarkStatic10KB(b *testing.B) {
	body := strings.Repeat("0123456789abcdef", 640)
	r := newRig(b, sam.Files{"a.js": body}, nil, nil)
	b.Run("canvas", func(b *testing.B) { benchmark(b, r.mux, "/p/a.js") })
	mux := http.NewServeMux()
	mux.Handle("/p/", http.StripPrefix("/p", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
		w.Header().Set("Etag", `"0123456789abcdef0123456789abcdef"`)
		http.ServeContent(w, r, "a.js", time.Time{}, strings.NewReader(body))
	})))
	b.Run("ServeContent", func(b *testing.B) { benchmark(b, mux, "/p/a.js") })
}

func benchmark(b *testing.B, h http.Handler, target string) {
	req := httptest.NewRequest("GET", target, nil)
	b.ReportAllocs()
	for b.Loop() {
		w := &discardWriter{header: make(http.Header, 16)}
		h.ServeHTTP(w, req)
	}
}

// Most of a project is the same after a commit, and is not compiled again.
func TestModulesAreKept(t *testing.T) {
	r := newRig(t, demo, nil, nil)
	first := r.get("/p/util.ts").Body.String()
	if err := r.project.WriteFile(t.Context(), "main.tsx", []byte("export {}")); err != nil {
		t.Fatal(err)
	}
	if again := r.get("/p/util.ts").Body.String(); again != first {
		t.Errorf("another module: %s", again)
	}
	gen := r.site0().gen.Load()
	if m := gen.modules["util.ts"]; m == nil || string(m.code) != first {
		t.Error("the compiled module was not kept")
	}
	if err := r.project.WriteFile(t.Context(), "util.ts", []byte("export const label = 2")); err != nil {
		t.Fatal(err)
	}
	expect(t, r.get("/p/util.ts"), 200, "label = 2")
}

// Requests, commits, reloads and revocations at once; the race detector looks on.
func TestConcurrentUse(t *testing.T) {
	r := newRig(t, demo, nil, &Options{Principal: principal})
	stop := time.Now().Add(300 * time.Millisecond)
	targets := []string{"/p/", "/p/app.js", "/p/main.tsx", "/p/bad.ts", "/p/style.css", "/p/api/x", "/p/nope", "/p/big.bin", "/p/text.txt"}
	var wg sync.WaitGroup
	for i := range 6 {
		wg.Go(func() {
			for n := i; time.Now().Before(stop); n++ {
				w := r.get(targets[n%len(targets)], "Accept-Encoding", "zstd", "Sec-Fetch-Mode", "cors")
				if w.Code >= 500 || !strings.HasPrefix(w.Header().Get("Content-Security-Policy"), "sandbox") {
					t.Errorf("%s: %d %s", targets[n%len(targets)], w.Code, w.Body)
				}
			}
		})
	}
	wg.Go(func() {
		for n := 0; time.Now().Before(stop); n++ {
			if err := r.project.WriteFile(t.Context(), "app.js", []byte(fmt.Sprint(n))); err != nil {
				t.Error(err)
			}
			r.Reload("app")
			r.Revoke("ann")
			r.do("POST", "/p/~log", `{"entries":[{"text":"x","stack":"at main.tsx:1:1"}]}`)
			time.Sleep(time.Millisecond)
		}
	})
	wg.Wait()
}

func TestJSXImportSource(t *testing.T) {
	r := newRig(t, sam.Files{"a.tsx": "export const x = <p/>", "tsconfig.json": `{ /* preact */ "compilerOptions": { "jsxImportSource": "preact", } }`}, nil, nil)
	expect(t, r.get("/p/a.tsx"), 200, `"preact/jsx-runtime"`)
	if err := r.project.WriteFile(t.Context(), "tsconfig.json", []byte("{")); err != nil {
		t.Fatal(err)
	}
	expect(t, r.get("/p/a.tsx"), 200, `"react/jsx-runtime"`)
}

// A handler forgets projects that nobody asks for, not those with open pages.
func TestSitesAreBounded(t *testing.T) {
	r := newRig(t, demo, nil, nil)
	open := r.site0()
	open.hub.join(func() func() { return func() {} })
	for range maxSites + 10 {
		r.siteOf(&App{Project: new(sam.Project)}).leave()
	}
	if n := len(r.allSites()); n > maxSites {
		t.Errorf("%d sites are kept", n)
	}
	if r.site0() != open {
		t.Error("a project with an open page was forgotten")
	}
}
