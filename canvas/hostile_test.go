package canvas

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"samkit.dev/host/console"
	"samkit.dev/internal/workers"
	"samkit.dev/sam"
)

// grew returns by how many megabytes fn made the heap grow for good.
func grew(fn func()) int64 {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	fn()
	runtime.GC()
	runtime.ReadMemStats(&after)
	return (int64(after.HeapAlloc) - int64(before.HeapAlloc)) >> 20
}

// A visitor makes up as many paths, hosts and headers as they like.
func TestMadeUpNamesAreNotKept(t *testing.T) {
	files := sam.Files{"index.html": "x", "_redirects": "/spa/* /index.html 200\n"}
	long, short := strings.Repeat("a", 500<<10), strings.Repeat("a", 7<<10)
	for name, ask := range map[string]func(r *rig, i int){
		"token":  func(r *rig, i int) { r.get(fmt.Sprintf("/p/~1.%s%d/x", long, i)) },
		"host":   func(r *rig, i int) { r.get("/p/", "Host", fmt.Sprintf("%s%d", long, i)) },
		"header": func(r *rig, i int) { r.get("/p/api/x", fmt.Sprintf("X-Forwarded-%s%d", long, i), "x") },
		"path":   func(r *rig, i int) { r.get(fmt.Sprintf("/p/%s%d", long, i)) },
		"rule":   func(r *rig, i int) { r.get(fmt.Sprintf("/p/spa/%s%d", short, i)) },
	} {
		r := newRig(t, files, nil, nil)
		ask(r, 0)
		n := 100
		if name == "rule" {
			n = 12_000
		}
		if mb := grew(func() {
			for i := range n {
				ask(r, i)
			}
		}); mb > 90 {
			t.Errorf("%s: the heap grew by %d MB", name, mb)
		}
		if _, last := r.console.Range(); last > 3 {
			t.Errorf("%s: %d lines on the console", name, last)
		}
		runtime.KeepAlive(r)
	}
	r := newRig(t, files, nil, nil)
	expect(t, r.get("/p/"+strings.Repeat("a/", 5000)), http.StatusRequestURITooLong, "at most")
}

// What a page says once is not kept once for each entry.
func TestReportIsNotAmplified(t *testing.T) {
	r := newRig(t, demo, nil, nil)
	entries := strings.TrimSuffix(strings.Repeat(`{"text":"a"},`, 500), ",")
	body := `{"page":"x","path":"` + strings.Repeat("é", 100<<10) + `","entries":[` + entries + `]}`
	took := time.Hour
	for range 3 { // a busy machine may be late once
		start := time.Now()
		expect(t, r.do("POST", "/p/~log", body), http.StatusNoContent)
		took = min(took, time.Since(start))
	}
	if took > 500*time.Millisecond {
		t.Errorf("a report takes %v", took)
	}
	for e := range r.console.Since(0) {
		if len(e.Request) > console.MaxRequest+50 {
			t.Fatalf("Request has %d bytes", len(e.Request))
		}
	}
}

// Close ends what clients hold on to, whatever that is.
func TestCloseWaitsForNoClient(t *testing.T) {
	files := sam.Files{"big.bin": strings.Repeat("x", 16<<20), "big.txt": strings.Repeat("x", 2<<20), "functions.js": `export default { async fetch(r) {
		const path = new URL(r.url).pathname
		if (path == "/api/echo") return new Response(await r.text())
		if (path == "/api/idle") return new Response(new ReadableStream({ async pull(c) { c.enqueue(new Uint8Array(5)); await new Promise(f => setTimeout(f, 20_000)) } }))
		if (path == "/api/big") return new Response(new Uint8Array(16e6))
		return new Response(new ReadableStream({ pull(c) { c.enqueue(new Uint8Array(60000)) } }))
	} }`}
	for name, text := range map[string]string{
		"slow small body": "POST /p/api/echo HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc",
		"slow large body": "POST /p/api/echo HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\nabc",
		"chunked body":    "POST /p/api/echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
		"slow log":        "POST /p/~log HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc",
		"idle stream":     "GET /p/api/idle HTTP/1.1\r\nHost: x\r\n\r\n",
		"unread stream":   "GET /p/api/endless HTTP/1.1\r\nHost: x\r\n\r\n",
		"unread bytes":    "GET /p/api/big HTTP/1.1\r\nHost: x\r\n\r\n",
		"unread file":     "GET /p/big.bin HTTP/1.1\r\nHost: x\r\n\r\n",
		"pipelined":       strings.Repeat("GET /p/big.txt HTTP/1.1\r\nHost: x\r\n\r\n", 20),
		"events":          "GET /p/~events HTTP/1.1\r\nHost: x\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := serveApp(t, files, nil)
			srv := httptest.NewServer(r.mux)
			defer srv.Close()
			c, err := net.Dial("tcp", srv.Listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			io.WriteString(c, text)
			time.Sleep(500 * time.Millisecond)
			done := make(chan struct{})
			go func() { defer close(done); r.Close(); r.Close() }()
			select {
			case <-done:
			case <-time.After(leaveTime + 3*time.Second):
				t.Errorf("Close waits for the client")
			}
		})
	}
}

// An exception may hold a secret, and what steers a terminal.
func TestFailuresShowNoSecret(t *testing.T) {
	const secret = "sk-0123456789"
	fails := func(context.Context, *workers.App, *workers.Request) (*workers.Response, error) {
		return nil, &workers.Error{Code: "exception", Status: 500, Message: "Error: bad key " + secret + "\x1b]0;x\a", Stack: "at f (" + secret + ")\x1b[2J"}
	}
	breaks := func(context.Context, *workers.App, *workers.Request) (*workers.Response, error) {
		body := io.MultiReader(strings.NewReader("x"), breaking{&workers.Error{Code: "exception", Message: secret + "\x1b[2J"}})
		return &workers.Response{Status: 200, Body: io.NopCloser(body)}, nil
	}
	store := sam.NewMemStore()
	defer store.Close()
	project, err := sam.NewWorkspace(store, "test", &sam.Options{SecretKey: func(context.Context) ([]byte, error) { return make([]byte, 32), nil }}).Create(t.Context(), "app", sam.Files{"functions.js": "export default {}"})
	if err != nil {
		t.Fatal(err)
	}
	if err := project.Secrets().Set(t.Context(), "KEY", secret); err != nil {
		t.Fatal(err)
	}
	for _, run := range []fakeRun{fails, breaks} {
		r := newRig(t, nil, run, &Options{Dev: true}, func(a *App) { a.Project = project })
		var w *httptest.ResponseRecorder
		func() {
			defer func() { recover() }() // of a response that breaks off
			w = r.get("/p/api/\u009b2J")
		}()
		text := r.log.String()
		if w != nil {
			text += w.Body.String()
		}
		for e := range r.console.Since(0) {
			text += fmt.Sprint(e)
		}
		if strings.Contains(text, secret) || strings.ContainsAny(text, "\x1b\a\u009b") || !strings.Contains(text, "[secret KEY]") {
			t.Errorf("%q", text)
		}
	}
}

type breaking struct{ err error }

func (b breaking) Read([]byte) (int, error) { return 0, b.err }

// Migrations are the project's own business wherever they lie.
func TestMigrationsAreNotServed(t *testing.T) {
	r := newRig(t, sam.Files{
		"wrangler.toml": "name = \"x\"\nmain = \"src/w.js\"\n[assets]\ndirectory = \".\"\nbinding = \"A\"\n" +
			"[[d1_databases]]\nbinding = \"DB\"\ndatabase_name = \"n\"\ndatabase_id = \"i\"\nmigrations_dir = \"db/SQL\"\n",
		"src/w.js": "export default {}", "db/SQL/0001.sql": "CREATE TABLE t (x)", "db/x.txt": "shown", "index.html": "x",
	}, answers(404, nil, "worker"), nil)
	expect(t, r.get("/p/db/x.txt"), 200, "shown")
	for _, name := range []string{"db/SQL/0001.sql", "db/sql/0001.sql"} {
		if w := r.get("/p/" + name); strings.Contains(w.Body.String(), "CREATE") {
			t.Errorf("%s is served", name)
		}
	}
}

// What one person may see by their cookie no cache gives to another.
func TestVaryByPerson(t *testing.T) {
	public := newRig(t, demo, nil, nil)
	if vary := public.get("/p/app.js").Header().Get("Vary"); strings.Contains(vary, "Cookie") {
		t.Errorf("public: %s", vary)
	}
	private := newRig(t, demo, answers(200, []string{"cache-control", "public, max-age=9"}, "x"), &Options{Principal: func(r *http.Request) string { return r.Header.Get("Cookie") }})
	for _, target := range []string{"/p/app.js", "/p/api/x", "/p/none", "/p/"} {
		w := private.get(target, "Cookie", "ada", "Sec-Fetch-Mode", "cors")
		if vary := w.Header().Get("Vary"); !strings.Contains(vary, "Cookie") || !strings.Contains(vary, "Authorization") {
			t.Errorf("%s: %d Vary: %s", target, w.Code, vary)
		}
	}
}

// Headers that command a proxy in front of the program are nobody's to set.
func TestProxyCommandsAreDropped(t *testing.T) {
	for _, name := range []string{"X-Accel-Redirect", "X-Sendfile", "X-Lighttpd-Send-File", "X-LiteSpeed-Location", "X-LSADC-Backend", "X-Reproxy-URL", "X-Content-Security-Policy-Report-Only"} {
		if responseHeader(http.CanonicalHeaderKey(name)) {
			t.Errorf("%s passes", name)
		}
	}
}

// A file that functions.js asks for is held in memory while it is on its way.
func TestLargeAssets(t *testing.T) {
	r := newRig(t, sam.Files{"big.bin": strings.Repeat("x", maxAsset+1), "fits.bin": strings.Repeat("x", maxAsset)}, nil, nil)
	s := r.siteOf(&App{Project: r.project, Console: r.console})
	fetch := s.assets(&App{Project: r.project, Console: r.console})
	for _, tt := range []struct {
		name, ranges string
		status, size int
	}{
		{"fits.bin", "", 200, maxAsset},
		{"big.bin", "", 413, 0},
		{"big.bin", "bytes=0-9", 206, 10},
		{"big.bin", "bytes=0-,0-", 413, 0},
	} {
		req := &workers.Request{Method: "GET", URL: "http://x/" + tt.name}
		if tt.ranges != "" {
			req.Header = []string{"range", tt.ranges}
		}
		res, err := fetch(t.Context(), req)
		if err != nil || res.Status != tt.status || tt.size > 0 && len(res.Bytes) != tt.size {
			t.Errorf("%s %s: %d, %d bytes, %v", tt.name, tt.ranges, res.Status, len(res.Bytes), err)
		}
	}
}

// A page of another site can have the browser send a person's cookies, but not
// use what they open: neither by a form nor by an element.
func TestOtherSitesUseNoCookies(t *testing.T) {
	r := newRig(t, demo, nil, &Options{Principal: func(r *http.Request) string { return r.Header.Get("Cookie") }})
	from := func(mode, dest string) []string {
		return []string{"Cookie", "ada", "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", mode, "Sec-Fetch-Dest", dest}
	}
	for _, target := range []string{"/p/app.js", "/p/api/x", "/p/~events"} {
		expect(t, r.get(target, from("no-cors", "script")...), http.StatusForbidden, "another site")
		expect(t, r.get(target, from("cors", "empty")...), http.StatusForbidden, "another site")
	}
	expect(t, r.do("POST", "/p/api/x", "x", from("navigate", "document")...), http.StatusForbidden, "another site")
	expect(t, r.get("/p/", from("navigate", "document")...), http.StatusFound) // a link
	expect(t, r.get("/p/app.js", from("no-cors", "script")[2:]...), http.StatusOK)
	sealed := "/p/" + r.Path(Visitor{Principal: "ada"}, "") + "app.js"
	expect(t, r.get(sealed, from("no-cors", "script")...), http.StatusOK)
}

// Where a Worker project serves all of itself, what its code is made of is still its own.
func TestWorkersTextsAreNotServed(t *testing.T) {
	files := sam.Files{
		"wrangler.toml": "name = \"x\"\nmain = \"src/w.js\"\n[assets]\ndirectory = \"./\"\nbinding = \"A\"\n",
		"src/w.js":      "import mail from './mail.html'\nexport default { fetch() { return new Response(mail) } }",
		"src/mail.html": "the secret mail", "src/seen.html": "seen", "index.html": "home", "data.txt": "text",
	}
	r := newRig(t, files, answers(404, nil, "worker"), nil)
	for name, want := range map[string]string{"": "home", "data.txt": "text", "src/seen.html": "seen", "src/mail.html": "worker", "src/mail": "worker", "src/w.js": "worker"} {
		if w := r.get("/p/" + name); !strings.Contains(w.Body.String(), want) || strings.Contains(w.Body.String(), "secret") {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
	}
	if err := r.project.WriteFile(t.Context(), "src/w.js", []byte("export default {")); err != nil {
		t.Fatal(err)
	}
	expect(t, r.get("/p/"), 200, "home")
	if w := r.get("/p/src/w.js"); strings.Contains(w.Body.String(), "export default") {
		t.Error("code that does not build is served")
	}
}
