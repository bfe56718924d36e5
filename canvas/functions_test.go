package canvas

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"samkit.dev/internal/workers"
	"samkit.dev/sam"
)

var back = sam.Files{"index.html": "<p>", "functions.js": "export default { fetch() {} }"}

func TestNoFunctions(t *testing.T) {
	r := newRig(t, sam.Files{"index.html": "<p>"}, nil, nil)
	w := r.get("/p/api/x", append(page, "Accept", "text/html")...)
	expect(t, w, 503, `"error":"no_functions"`, "functions.js", "export default")
	if ct := w.Header().Get("Content-Type"); ct != "application/json" {
		t.Errorf("Content-Type %q", ct)
	}
}

func TestRequestOfFunctions(t *testing.T) {
	var seen *workers.Request
	var body []byte
	run := func(_ context.Context, app *workers.App, req *workers.Request) (*workers.Response, error) {
		seen = req
		if req.Body != nil {
			body, _ = io.ReadAll(req.Body)
		}
		return &workers.Response{Status: 200, Bytes: []byte("{}"), Header: []string{"content-type", "application/json"}}, nil
	}
	r := newRig(t, back, run, nil, func(a *App) { a.Headers = []string{"x-real-ip"} })
	w := r.do("PUT", "/p/api/a%20b?q=%2F", "hello", "Cookie", "sid=1", "Authorization", "Bearer x", "X-Forwarded-For", "1.2.3.4",
		"Proxy-Authorization", "x", "Referer", "http://h/p/~1.a.b/", "X-Real-Ip", "9.9.9.9", "Cf-Connecting-Ip", "8.8.8.8", "Cf-Access-Jwt-Assertion", "x", "X-Amzn-Oidc-Data", "x",
		"X-Goog-Iap-Jwt-Assertion", "x", "X-Auth-Request-Access-Token", "x", "X-Ms-Token-Aad-Id-Token", "x", "Remote-User", "root", "X-Custom", "yes", "Connection", "close")
	expect(t, w, 200)
	if seen.Method != "PUT" || seen.URL != "http://example.com/api/a%20b?q=%2F" || string(body) != "hello" || seen.Length != 5 {
		t.Errorf("functions.js saw %+v with %q", seen, body)
	}
	for i := 0; i < len(seen.Header); i += 2 {
		switch name := seen.Header[i]; name {
		case "host", "x-real-ip", "x-custom":
		default:
			t.Errorf("functions.js saw the header %s", name)
		}
	}
	text := r.texts()
	r.do("PUT", "/p/api/x", "", "Cookie", "sid=2")
	if strings.Count(text, "Cookie") != 1 || r.texts() != text || !strings.Contains(text, "App.Headers") {
		t.Errorf("the console says:\n%s", r.texts())
	}
	if h := w.Header(); h.Get("Cache-Control") != "no-store" || h.Get("Access-Control-Expose-Headers") != "*" {
		t.Errorf("headers %v", h)
	}
	// Deep below a token the path still starts at the app's root.
	r.get("/p/~1.bad/api/x")
}

func TestRequestBodyLimit(t *testing.T) {
	r := newRig(t, back, func(_ context.Context, _ *workers.App, req *workers.Request) (*workers.Response, error) {
		_, err := io.Copy(io.Discard, req.Body)
		var big *http.MaxBytesError
		if errors.As(err, &big) {
			return nil, &workers.Error{Code: "limit_request_body", Message: "too large", Status: 413}
		}
		return &workers.Response{Status: 200}, nil
	}, nil)
	req := httptest.NewRequest("POST", "/p/api/x", strings.NewReader("x"))
	req.ContentLength = 1 << 40
	w := httptest.NewRecorder()
	r.mux.ServeHTTP(w, req)
	expect(t, w, 413, "limit_request_body")
	req = httptest.NewRequest("POST", "/p/api/x", io.LimitReader(zeros{}, 33<<20))
	req.ContentLength = -1
	w = httptest.NewRecorder()
	r.mux.ServeHTTP(w, req)
	expect(t, w, 413, "limit_request_body")
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func TestResponseHeaders(t *testing.T) {
	r := newRig(t, back, answers(201, []string{
		"content-type", "text/plain", "x-custom", "1", "x-custom", "2", "set-cookie", "a=b", "x-accel-redirect", "/secret", "strict-transport-security", "max-age=1",
		"service-worker-allowed", "/", "cross-origin-opener-policy", "unsafe-none", "content-security-policy-report-only", "x", "www-authenticate", "Basic",
		"refresh", "0;url=/", "trailer", "x", "transfer-encoding", "chunked", "content-length", "9999", "connection", "close", "x-bad", "a\nb", "bad name", "x",
		"cache-control", "max-age=60", "ratelimit-limit", "5", "x-frame-options", "DENY", "unknown", "x",
	}, "body"), nil)
	w := r.get("/p/api/x")
	expect(t, w, 201, "body")
	h := w.Header()
	if !slices.Equal(h["X-Custom"], []string{"1", "2"}) || h.Get("Cache-Control") != "max-age=60" || h.Get("Ratelimit-Limit") != "5" || h.Get("Content-Length") != "4" ||
		h.Get("Cross-Origin-Opener-Policy") != "same-origin" {
		t.Errorf("kept headers: %v", h)
	}
	for _, name := range []string{"Set-Cookie", "X-Accel-Redirect", "Strict-Transport-Security", "Service-Worker-Allowed",
		"Content-Security-Policy-Report-Only", "Www-Authenticate", "Refresh", "Trailer", "Transfer-Encoding", "Connection", "X-Bad", "Bad Name", "X-Frame-Options", "Unknown"} {
		if _, has := h[name]; has {
			t.Errorf("%s was passed on: %q", name, h[name])
		}
	}
	if text := r.texts(); !strings.Contains(text, "Set-Cookie") {
		t.Errorf("the console says nothing of the cookie:\n%s", text)
	}
}

func TestResponseRedirects(t *testing.T) {
	tests := []struct {
		location string
		header   []string
		method   string
		status   int
		want     string
	}{
		{"/login", nil, "GET", 302, "../login"},
		{"http://example.com/a/b?c=d#e", nil, "POST", 302, "../a/b?c=d#e"},
		{"y", nil, "GET", 302, "../api/y"},
		{"/", nil, "GET", 302, "../"},
		{"https://other.example/x", page, "GET", 302, "https://other.example/x"},
		{"https://other.example/x", []string{"Sec-Fetch-Mode", "cors"}, "GET", 403, ""},
		{"https://other.example/x", page, "POST", 403, ""},
		{"//evil.example", []string{"Sec-Fetch-Mode", "cors"}, "GET", 403, ""},
		{"javascript:alert(1)", page, "GET", 502, ""},
		{"/\\evil.example", page, "GET", 502, ""},
		{"https://u@evil.example", page, "GET", 502, ""},
		{"/a%2f..%2f..", page, "GET", 502, ""},
		{"https://example.com/x", []string{"Sec-Fetch-Mode", "cors"}, "GET", 403, ""}, // the host itself, by another scheme
	}
	for _, tt := range tests {
		r := newRig(t, back, answers(302, []string{"location", tt.location}, ""), nil)
		w := r.do(tt.method, "/p/api/x", "", tt.header...)
		if w.Code != tt.status || w.Header().Get("Location") != tt.want {
			t.Errorf("%s by %s %v: %d %q, want %d %q", tt.location, tt.method, tt.header, w.Code, w.Header().Get("Location"), tt.status, tt.want)
		}
	}
}

func TestBadStatus(t *testing.T) {
	for _, status := range []int{0, 99, 101, 199, 600, 1000} {
		r := newRig(t, back, answers(status, nil, ""), nil)
		expect(t, r.get("/p/api/x"), 500, `"error":"internal"`)
	}
}

func TestPageOfFunctions(t *testing.T) {
	const made = `<head></head><a href="/x">`
	html := []string{"content-type", "text/html; charset=utf-8"}
	for name, run := range map[string]fakeRun{
		"bytes": answers(200, html, made),
		"stream": func(context.Context, *workers.App, *workers.Request) (*workers.Response, error) {
			return &workers.Response{Status: 200, Header: html, Body: io.NopCloser(strings.NewReader(made))}, nil
		},
	} {
		r := newRig(t, back, run, nil)
		expect(t, r.get("/p/api/page", page...), 200, `<head><script src="../`+r.client.name, `<a href="../x">`)
		if body := r.get("/p/api/page", "Sec-Fetch-Dest", "empty").Body.String(); body != made {
			t.Errorf("%s: a script gets %s", name, body)
		}
	}
}

func TestFunctionsErrors(t *testing.T) {
	fail := &workers.Error{Code: "exception", Message: "Error: secret detail", Stack: "at x (functions.js:3:4)", Status: 500}
	run := func(context.Context, *workers.App, *workers.Request) (*workers.Response, error) { return nil, fail }
	r := newRig(t, back, run, nil)
	w := r.get("/p/api/x")
	expect(t, w, 500, `"error":"exception"`, `"id":"`)
	if strings.Contains(w.Body.String(), "secret") || strings.Contains(w.Body.String(), "functions.js:3") {
		t.Errorf("the visitor sees %s", w.Body)
	}
	if text := r.texts(); !strings.Contains(text, "secret detail") {
		t.Errorf("the console says %s", text)
	}
	if !strings.Contains(r.log.String(), "id=") {
		t.Error("the log has no id")
	}
	dev := newRig(t, back, run, &Options{Dev: true})
	expect(t, dev.get("/p/api/x"), 500, "secret detail", "functions.js:3:4")
	expect(t, dev.get("/p/api/x", page...), 500, "<pre>", "functions.js:3:4")
	fail = &workers.Error{Code: "unavailable", Message: "busy", Status: 503, Retry: time.Second}
	if w := r.get("/p/api/x"); w.Code != 503 || w.Header().Get("Retry-After") == "" {
		t.Errorf("unavailable: %d %v", w.Code, w.Header())
	}
	fail = &workers.Error{Code: "limit_cpu", Message: "over 10 s of CPU", Status: 503}
	expect(t, r.get("/p/api/x"), 503, "limit_cpu", "over 10 s")
}

// TestCrowd has more requests of an app than are answered at once: they are refused, and the files are served.
func TestCrowd(t *testing.T) {
	r := newRig(t, back, func(context.Context, *workers.App, *workers.Request) (*workers.Response, error) {
		return &workers.Response{Status: 200, Bytes: []byte("ok")}, nil
	}, nil)
	s := r.site0()
	s.busy.Store(maxBusy)
	w := r.get("/p/api/x")
	expect(t, w, 503, "exhausted")
	if w.Header().Get("Retry-After") == "" || w.Header().Get("Connection") != "" {
		t.Errorf("%v", w.Header())
	}
	if w := r.do("POST", "/p/api/x", "body"); w.Code != 503 || w.Header().Get("Connection") != "close" {
		t.Errorf("with a body: %d %v", w.Code, w.Header())
	}
	expect(t, r.get("/p/"), 200)
	if n := s.busy.Load(); n != maxBusy {
		t.Errorf("%d are counted", n)
	}
	s.busy.Add(-1)
	expect(t, r.get("/p/api/x"), 200, "ok")
}

func TestFunctionsDoNotBuild(t *testing.T) {
	broken := sam.Files{"index.html": "<p>", "functions.js": "export default {\n  fetch( {"}
	r := newRig(t, broken, nil, nil)
	w := r.get("/p/api/x")
	expect(t, w, 500, `"error":"build"`)
	if strings.Contains(w.Body.String(), "functions.js:2") {
		t.Errorf("the visitor sees %s", w.Body)
	}
	if text := r.texts(); !strings.Contains(text, "functions.js:2:") {
		t.Errorf("the console says %s", text)
	}
	dev := newRig(t, broken, nil, &Options{Dev: true})
	expect(t, dev.get("/p/api/x"), 500, "functions.js:2:")
	if err := r.site0().build(t.Context(), ""); err == nil {
		t.Error("build found nothing")
	} else if be := (*BuildError)(nil); !errors.As(err, &be) || be.Diagnostics[0].File != "functions.js" || be.Diagnostics[0].Line != 2 {
		t.Errorf("build: %v", err)
	}
}

func (r *rig) site0() *site { return r.siteOf(&App{Project: r.project, Console: r.console}) }

// A commit that changes nothing that functions.js is made of keeps its isolate.
func TestScriptIsKept(t *testing.T) {
	var versions []string
	r := newRig(t, sam.Files{"index.html": "<p>", "functions.js": "import './lib.js'\nexport default { fetch() {} }", "lib.js": "globalThis.x = 1"},
		func(_ context.Context, app *workers.App, _ *workers.Request) (*workers.Response, error) {
			versions = append(versions, app.Domain+app.Version)
			return &workers.Response{Status: 200}, nil
		}, nil)
	write := func(name, text string) {
		if err := r.project.WriteFile(t.Context(), name, []byte(text)); err != nil {
			t.Fatal(err)
		}
		r.get("/p/api/x")
	}
	r.get("/p/api/x")
	write("index.html", "<p>2")
	write("lib.js", "globalThis.x = 2")
	if versions[0] != versions[1] || versions[1] == versions[2] {
		t.Errorf("versions %q", versions)
	}
}

func TestStreaming(t *testing.T) {
	next := make(chan string)
	closed := make(chan struct{})
	r := newRig(t, back, func(ctx context.Context, _ *workers.App, _ *workers.Request) (*workers.Response, error) {
		return &workers.Response{Status: 200, Header: []string{"content-type", "text/event-stream"}, Body: &chanBody{ctx, next, closed}}, nil
	}, nil)
	srv := httptest.NewServer(r.mux)
	defer srv.Close()
	ctx, cancel := context.WithCancel(t.Context())
	req, _ := http.NewRequestWithContext(ctx, "GET", srv.URL+"/p/api/stream", nil)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	lines := bufio.NewReader(res.Body)
	for range 3 {
		next <- "data: x\n"
		if line, err := lines.ReadString('\n'); line != "data: x\n" || err != nil {
			t.Fatalf("read %q, %v", line, err)
		}
	}
	cancel() // the client goes away
	select {
	case <-closed:
	case <-time.After(5 * time.Second):
		t.Fatal("the body was not closed when the client went away")
	}
}

// Close ends responses that are still being produced, and waits for them.
func TestCloseEndsStreams(t *testing.T) {
	next, closed := make(chan string, 1), make(chan struct{})
	r := newRig(t, back, func(ctx context.Context, _ *workers.App, _ *workers.Request) (*workers.Response, error) {
		return &workers.Response{Status: 200, Body: &chanBody{ctx, next, closed}}, nil
	}, nil)
	srv := httptest.NewServer(r.mux)
	defer srv.Close()
	next <- "first"
	res, err := http.Get(srv.URL + "/p/api/stream")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	done := make(chan error)
	go func() { done <- r.Close() }()
	select {
	case err := <-done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(5 * time.Second):
		t.Fatal("Close does not return")
	}
	<-closed
	if _, err := io.ReadAll(res.Body); err == nil {
		t.Error("a response that was cut looks whole")
	}
}

// A session that ends takes its requests with it.
func TestDoneEndsRequests(t *testing.T) {
	over := make(chan struct{})
	r := newRig(t, back, func(ctx context.Context, _ *workers.App, _ *workers.Request) (*workers.Response, error) {
		close(over)
		<-ctx.Done()
		return nil, &workers.Error{Code: "canceled", Message: "canceled", Status: 499}
	}, nil, func(a *App) { a.Done = over })
	expect(t, r.get("/p/api/x"), http.StatusForbidden, "session has ended")
}

// And no more than those: others that come on the same connection are answered.
func TestDoneLeavesTheNextRequest(t *testing.T) {
	over := make(chan struct{})
	first := true
	var own context.Context // the request's
	r := newRig(t, back, func(ctx context.Context, _ *workers.App, req *workers.Request) (*workers.Response, error) {
		if first {
			first = false
			io.Copy(io.Discard, req.Body) // so that the server watches the connection
			close(over)
			select {
			case <-own.Done(): // the server takes the connection for gone: see unblock
			case <-time.After(10 * time.Second):
			}
			return nil, &workers.Error{Code: "canceled", Message: "canceled", Status: 499}
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		return &workers.Response{Status: 200, Body: io.NopCloser(strings.NewReader("fine"))}, nil
	}, nil)
	find := r.Handler.find
	r.Handler.find = func(ctx context.Context, v Visitor, id sam.ProjectID) (*App, error) {
		app, err := find(ctx, v, id)
		if app != nil && first {
			ends := *app
			ends.Done = over
			app = &ends
		}
		return app, err
	}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		own = req.Context()
		r.mux.ServeHTTP(w, req)
	}))
	defer srv.Close()
	for i, want := range []string{"session has ended", "fine"} {
		res, err := srv.Client().Post(srv.URL+"/p/api/x", "text/plain", strings.NewReader("x"))
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil || !strings.Contains(string(body), want) {
			t.Errorf("request %d: %d %q, %v; want %q", i, res.StatusCode, body, err, want)
		}
	}
}

// A chanBody yields what a test sends, until its context ends.
type chanBody struct {
	ctx    context.Context
	next   chan string
	closed chan struct{}
}

func (b *chanBody) Read(p []byte) (int, error) {
	select {
	case s := <-b.next:
		return copy(p, s), nil
	case <-b.ctx.Done():
		return 0, b.ctx.Err()
	}
}

func (b *chanBody) Close() error { close(b.closed); return nil }

// A stream that breaks must not look like one that ended.
func TestBrokenStream(t *testing.T) {
	r := newRig(t, back, func(context.Context, *workers.App, *workers.Request) (*workers.Response, error) {
		return &workers.Response{Status: 200, Body: io.NopCloser(io.MultiReader(strings.NewReader("half"), failing{}))}, nil
	}, nil)
	srv := httptest.NewServer(r.mux)
	defer srv.Close()
	res, err := http.Get(srv.URL + "/p/api/x")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if body, err := io.ReadAll(res.Body); err == nil {
		t.Errorf("read %q without an error", body)
	}
	if !strings.Contains(r.texts(), "broke off") {
		t.Errorf("console: %s", r.texts())
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) {
	return 0, &workers.Error{Code: "exception", Message: "thrown in a stream"}
}

// noFlush is what a middleware's own ResponseWriter looks like.
type noFlush struct{ http.ResponseWriter }

func TestHiddenFlush(t *testing.T) {
	r := newRig(t, back, func(context.Context, *workers.App, *workers.Request) (*workers.Response, error) {
		return &workers.Response{Status: 200, Header: []string{"content-type", "text/event-stream"}, Body: io.NopCloser(strings.NewReader("data: 1\n\n"))}, nil
	}, nil)
	hide := http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) { r.mux.ServeHTTP(noFlush{w}, req) })
	for _, target := range []string{"/p/~events", "/p/api/stream"} {
		expect(t, do(hide, "GET", target, ""), 501, "canvas.noFlush", "Unwrap")
	}
	expect(t, do(http.TimeoutHandler(r.mux, time.Minute, ""), "GET", "/p/~events", ""), 501, "timeoutWriter")
}

func TestAssetsBinding(t *testing.T) {
	files := sam.Files{"index.html": "<h1>home</h1>", "a.txt": "a", "functions.js": "export default { fetch() {} }", "sub/index.html": "sub"}
	r := newRig(t, files, func(ctx context.Context, app *workers.App, req *workers.Request) (*workers.Response, error) {
		for _, b := range app.Bindings {
			if b.Name == "ASSETS" {
				_, path, _ := strings.Cut(req.URL, "/api")
				return b.Fetch(ctx, &workers.Request{Method: "GET", URL: "http://example.com" + path})
			}
		}
		return nil, errors.New("no ASSETS")
	}, nil)
	expect(t, r.get("/p/api/a.txt"), 200, "a")
	expect(t, r.get("/p/api/", page...), 200, "<h1>home</h1>", r.client.name)
	expect(t, r.get("/p/api/functions.js"), 404)
	expect(t, r.get("/p/api/sub/"), 200, "sub")
}

func TestRequestsAreNoted(t *testing.T) {
	status := 200
	run := func(context.Context, *workers.App, *workers.Request) (*workers.Response, error) {
		return &workers.Response{Status: status, Bytes: []byte("{}")}, nil
	}
	r := newRig(t, back, run, &Options{Requests: true})
	r.get("/p/api/x?q=1")
	status = 500
	r.get("/p/api/x")
	var got []string
	for e := range r.console.Since(0) {
		got = append(got, string(e.Origin)+" "+e.Level.String()+" "+e.Request+" "+e.Text[:7])
	}
	if want := []string{"request INFO GET /api/x 200 in ", "request WARN GET /api/x 500 in "}; !slices.Equal(got, want) {
		t.Errorf("the console says %q, want %q", got, want)
	}
}
