package canvas

import (
	"strings"
	"testing"

	"samkit.dev/host"
	"samkit.dev/sam"
)

var errDenied = &host.Error{Code: host.Denied, Message: "not yours"}

// Every response carries the sandbox, whatever it is.
func TestOpaqueHeadersEverywhere(t *testing.T) {
	r := newRig(t, demo, answers(500, []string{"content-security-policy", "default-src *", "set-cookie", "a=b", "access-control-allow-origin", "https://evil", "clear-site-data", "*"}, "<h1>x"), nil)
	for _, tt := range []struct {
		method, target string
		header         []string
	}{
		{"GET", "/p/", nil}, {"GET", "/p/app.js", nil}, {"GET", "/p/docs", nil}, {"GET", "/p/nope", nil}, {"GET", "/p/a%2fb", nil},
		{"GET", "/p/api/x", nil}, {"POST", "/p/api/x", nil}, {"POST", "/p/app.js", nil}, {"OPTIONS", "/p/api/x", []string{"Access-Control-Request-Method", "PUT"}},
		{"GET", "/p/app.js", []string{"If-None-Match", "*"}}, {"GET", "/p/app.js", []string{"Range", "bytes=9999-"}}, {"GET", "/p/~nope", nil},
		{"POST", "/p/~log", nil}, {"GET", "/p/app.js", []string{"Sec-Fetch-Site", "same-origin", "Sec-Fetch-Dest", "script"}},
		{"GET", "/p/" + r.client.name, nil}, {"DELETE", "/p/~events", nil}, {"GET", "/p/~1.x.y/", nil},
	} {
		h := r.do(tt.method, tt.target, "", tt.header...).Header()
		csp := h.Get("Content-Security-Policy")
		if !strings.HasPrefix(csp, "sandbox allow-scripts allow-forms allow-modals allow-downloads; default-src http://example.com/p/") {
			t.Errorf("%s %s: Content-Security-Policy %q", tt.method, tt.target, csp)
		}
		for name, want := range map[string]string{
			"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Access-Control-Allow-Origin": "*",
			"Cross-Origin-Resource-Policy": "cross-origin", "Cross-Origin-Opener-Policy": "same-origin", "X-Robots-Tag": "noindex", "Access-Control-Allow-Credentials": "",
			"Set-Cookie": "", "Clear-Site-Data": "",
		} {
			if got := strings.Join(h.Values(name), "|"); got != want {
				t.Errorf("%s %s: %s is %q, want %q", tt.method, tt.target, name, got, want)
			}
		}
		if !strings.Contains(h.Get("Vary"), "Origin") || !strings.Contains(h.Get("Permissions-Policy"), "camera=()") {
			t.Errorf("%s %s: Vary %q, Permissions-Policy %q", tt.method, tt.target, h.Get("Vary"), h.Get("Permissions-Policy"))
		}
	}
}

func TestPolicyText(t *testing.T) {
	p := newPolicy(Opaque, []string{"https://host.example"}, []string{"https://cdn.example"})
	got := p.csp(base{"https", "h.example:8443", "/a;b/~1.x.y/"})[0]
	want := "sandbox allow-scripts allow-forms allow-modals allow-downloads; " +
		"default-src https://h.example:8443/a%3Bb/~1.x.y/ 'unsafe-inline' 'unsafe-eval' 'wasm-unsafe-eval' data: blob: https://cdn.example; " +
		"connect-src https://h.example:8443/a%3Bb/~1.x.y/ wss://h.example:8443/a%3Bb/~1.x.y/ data: blob: https://cdn.example; " +
		"form-action https://h.example:8443/a%3Bb/~1.x.y/; base-uri 'none'; frame-ancestors 'self' https://host.example; object-src 'none'"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := newPolicy(Opaque, nil, nil).csp(base{"http", "h; script-src *", "/"})[0]; strings.Contains(got, "script-src") {
		t.Errorf("a Host header ended up in the policy: %s", got)
	}
	for i := range 1000 { // the cache is bounded
		p.csp(base{"http", "h", "/" + strings.Repeat("x", i) + "/"})
	}
	if len(p.cache) > maxPolicies {
		t.Errorf("%d policies are kept", len(p.cache))
	}
}

func TestOptionsAreChecked(t *testing.T) {
	for _, o := range []Options{
		{Origin: 9}, {Frames: []string{"https://a; script-src *"}}, {Frames: []string{"a.example"}}, {BaseURL: "example.com"},
		{BaseURL: "https://h/?q"}, {Key: []byte("short")},
	} {
		if h, err := newHandler(nil, &o, answers(200, nil, "")); err == nil {
			t.Errorf("%+v was accepted", o)
			h.Close()
		}
	}
	for _, connect := range []string{"*", "cdn.example", "https://a b", "https://a/path", "javascript:x", "https://a;b", "https://u@a", "https://"} {
		if err := checkApp(&App{Connect: []string{connect}}); err == nil {
			t.Errorf("Connect %q was accepted", connect)
		}
	}
	if err := checkApp(&App{Connect: []string{"https://cdn.example", "wss://*.example:8443", "http://localhost:11434/"}}); err != nil {
		t.Error(err)
	}
}

func TestBase(t *testing.T) {
	for _, tt := range []struct {
		opts   Options
		header []string
		want   string
	}{
		{Options{}, nil, "http://example.com/p/"},
		{Options{}, []string{"X-Forwarded-Proto", "https", "X-Forwarded-Host", "evil"}, "http://example.com/p/"},
		{Options{Forwarded: true}, []string{"X-Forwarded-Proto", "https", "X-Forwarded-Host", "pub.example, x", "X-Forwarded-Prefix", "/public/"}, "https://pub.example/public/p/"},
		{Options{BaseURL: "https://pub.example/base/"}, nil, "https://pub.example/base/p/"},
	} {
		r := newRig(t, demo, nil, &tt.opts)
		csp := r.get("/p/app.js", tt.header...).Header().Get("Content-Security-Policy")
		if !strings.Contains(csp, "default-src "+tt.want+" ") {
			t.Errorf("%+v: %s", tt, csp)
		}
	}
}

func TestTrusted(t *testing.T) {
	r := newRig(t, demo, nil, &Options{Origin: Trusted})
	if !strings.Contains(r.log.String(), "Trusted") {
		t.Error("no warning was logged")
	}
	w := r.get("/p/", "Sec-Fetch-Site", "same-origin", "Sec-Fetch-Dest", "document")
	expect(t, w, 200, `src="./app.js"`)
	h := w.Header()
	if csp := h.Get("Content-Security-Policy"); csp != "base-uri 'self'; object-src 'none'; frame-ancestors 'self'" {
		t.Errorf("Content-Security-Policy %q", csp)
	}
	if h.Get("Access-Control-Allow-Origin") != "" || h.Get("Cross-Origin-Resource-Policy") != "same-origin" {
		t.Error("a trusted app is open to other origins")
	}
	expect(t, r.get("/p/app.js", "Sec-Fetch-Site", "same-origin", "Sec-Fetch-Dest", "script"), 200)
}

func TestIsolation(t *testing.T) {
	r := newRig(t, demo, nil, nil)
	for _, tt := range []struct {
		site, mode, dest string
		status           int
	}{
		{"cross-site", "cors", "script", 200}, {"same-origin", "no-cors", "script", 403}, {"same-site", "cors", "empty", 403},
		{"same-origin", "no-cors", "worker", 403}, {"same-origin", "no-cors", "serviceworker", 403}, {"same-origin", "no-cors", "object", 403},
		{"same-origin", "no-cors", "style", 200}, {"same-origin", "no-cors", "image", 200}, {"same-origin", "cors", "font", 200},
		{"same-origin", "navigate", "document", 200}, {"same-origin", "navigate", "iframe", 200}, {"none", "navigate", "document", 200}, {"", "", "", 200},
		{"same-origin", "cors", "", 403},
	} {
		w := r.get("/p/app.js", "Sec-Fetch-Site", tt.site, "Sec-Fetch-Mode", tt.mode, "Sec-Fetch-Dest", tt.dest)
		if w.Code != tt.status {
			t.Errorf("%s %s %s: %d, want %d", tt.site, tt.mode, tt.dest, w.Code, tt.status)
		}
	}
	if !strings.Contains(r.log.String(), "refused a request of the program's own page") {
		t.Error("the refusal is no alarm in the log")
	}
}

func TestPreflight(t *testing.T) {
	r := newRig(t, demo, nil, nil)
	w := r.do("OPTIONS", "/p/api/x", "", "Access-Control-Request-Method", "PUT", "Access-Control-Request-Headers", "content-type,x-a", "Origin", "null")
	h := w.Header()
	if w.Code != 204 || h.Get("Access-Control-Allow-Headers") != "content-type,x-a" || !strings.Contains(h.Get("Access-Control-Allow-Methods"), "PUT") {
		t.Errorf("%d %v", w.Code, h)
	}
}

// Data has a policy that is shorter because it is narrower.
func TestPolicyOfData(t *testing.T) {
	files := sam.Files{"index.html": "<p>", "a.txt": "text", "b.json": "{}", "c.svg": "<svg/>", "d.js": "1", "e.txt": "save me",
		"_headers": "/e.txt\n  Content-Disposition: attachment\n"}
	r := newRig(t, files, nil, nil)
	const narrow = "sandbox; default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'; object-src 'none'"
	for target, data := range map[string]bool{
		"/p/": false, "/p/a.txt": true, "/p/b.json": true, "/p/c.svg": false, "/p/d.js": false, "/p/e.txt": false,
	} {
		for range 2 { // prepared, then kept
			h := r.get(target).Header()
			if got := h.Get("Content-Security-Policy") == narrow; got != data || (h.Get("Permissions-Policy") == "") != data {
				t.Errorf("%s: %v", target, h)
			}
		}
	}
	for _, tt := range []struct {
		data   bool
		header []string
	}{
		{true, []string{"content-type", "application/json"}},
		{true, []string{"content-type", "Application/JSON ; charset=utf-8"}},
		{true, []string{"content-type", "text/event-stream"}},
		{true, []string{"content-type", "text/plain;charset=UTF-8"}},
		{false, nil},
		{false, []string{"content-type", ""}},
		{false, []string{"content-type", "text/html"}},
		{false, []string{"content-type", "image/svg+xml"}},
		{false, []string{"content-type", "application/xml"}},
		{false, []string{"content-type", "text/javascript"}}, // a worker's script brings the worker's policy
		{false, []string{"content-type", "application/json, text/html"}},
		{false, []string{"content-type", "application/json", "content-type", "text/html"}},
		{false, []string{"content-type", "text/plain", "content-disposition", "attachment"}},
	} {
		for _, status := range []int{200, 404, 500} {
			r := newRig(t, demo, answers(status, tt.header, "<h1>x"), nil)
			h := r.get("/p/api/x").Header()
			if got := h.Get("Content-Security-Policy") == narrow; got != tt.data || (h.Get("Permissions-Policy") == "") != tt.data {
				t.Errorf("%d %v: %v", status, tt.header, h)
			}
			if !strings.HasPrefix(h.Get("Content-Security-Policy"), "sandbox") || h.Get("X-Content-Type-Options") != "nosniff" ||
				h.Get("Referrer-Policy") != "no-referrer" || h.Get("Access-Control-Allow-Origin") != "*" || h.Get("Vary") == "" {
				t.Errorf("%d %v: %v", status, tt.header, h)
			}
		}
	}
	trusted := newRig(t, files, answers(200, []string{"content-type", "application/json"}, "{}"), &Options{Origin: Trusted})
	for _, target := range []string{"/p/a.txt", "/p/api/x"} {
		if h := trusted.get(target).Header(); h.Get("Content-Security-Policy") != "base-uri 'self'; object-src 'none'; frame-ancestors 'self'" {
			t.Errorf("trusted %s: %v", target, h)
		}
	}
	framed := newRig(t, files, nil, &Options{Frames: []string{"https://host.example"}})
	if csp := framed.get("/p/a.txt").Header().Get("Content-Security-Policy"); !strings.Contains(csp, "frame-ancestors 'self' https://host.example;") {
		t.Error(csp)
	}
}
