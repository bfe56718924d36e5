package playground

import (
	"net/http"
	"strings"
	"testing"
)

func TestOnlyThePageMayChangeThings(t *testing.T) {
	s := newSite(t)
	s.create("p", "blank")
	for name, spoil := range map[string]func(http.Header){
		"no token":          func(h http.Header) { h.Del(tokenHeader) },
		"wrong token":       func(h http.Header) { h.Set(tokenHeader, "x") },
		"another site":      func(h http.Header) { h.Set("Sec-Fetch-Site", "cross-site") },
		"a sibling domain":  func(h http.Header) { h.Set("Sec-Fetch-Site", "same-site") },
		"the address bar":   func(h http.Header) { h.Set("Sec-Fetch-Site", "none") },
		"an opaque origin":  func(h http.Header) { h.Set("Origin", "null"); h.Del("Sec-Fetch-Site") },
		"another origin":    func(h http.Header) { h.Set("Origin", "http://evil.example"); h.Del("Sec-Fetch-Site") },
		"somebody's token":  func(h http.Header) { h.Set("X-User", "bob") },
		"a SAM on a canvas": func(h http.Header) { h.Set("Origin", "null"); h.Set("Sec-Fetch-Site", "cross-site") },
	} {
		req := s.request("DELETE", "api/projects/p", nil)
		spoil(req.Header)
		if status, data, _ := s.send(req); status != 403 {
			t.Errorf("%s: status %d: %s", name, status, data)
		}
	}
	s.ask("GET", "api/projects/p", nil, 200, nil)
}

func TestOthersMayNotRead(t *testing.T) {
	s := newSite(t)
	s.create("p", "blank")
	for site, want := range map[string]int{"same-origin": 200, "none": 200, "": 200, "cross-site": 403, "same-site": 403} {
		req := s.request("GET", "api/projects/p", nil)
		req.Header.Set("Sec-Fetch-Site", site)
		if site == "" {
			req.Header.Del("Sec-Fetch-Site")
		}
		status, _, head := s.send(req)
		if status != want {
			t.Errorf("from %q: status %d, want %d", site, status, want)
		}
		if head.Get("Access-Control-Allow-Origin") != "" || head.Get("Cross-Origin-Resource-Policy") != "same-origin" {
			t.Errorf("from %q: headers %v", site, head)
		}
	}
}

// Browsers that say no Sec-Fetch-Site say the Origin of what may be read across sites.
func TestOthersMayNotReadByOrigin(t *testing.T) {
	s := newSite(t)
	for origin, want := range map[string]int{"null": 403, "http://evil.example": 403, "http://127.0.0.1:1": 403} {
		req := s.request("GET", "api/session", nil)
		req.Header.Del("Sec-Fetch-Site")
		req.Header.Set("Origin", origin)
		if status, body, _ := s.send(req); status != want {
			t.Errorf("%s: status %d: %s", origin, status, body)
		}
	}
}

func TestPage(t *testing.T) {
	s := newSite(t)
	status, body, head := s.send(s.request("GET", "", nil))
	if status != 200 || !strings.Contains(string(body), "dist/app.js") {
		t.Fatalf("status %d: %s", status, body)
	}
	csp := head.Get("Content-Security-Policy")
	for _, want := range []string{"default-src 'none'", "script-src 'self';", "connect-src 'self'", "frame-src blob: 'self'", "base-uri 'none'", "frame-ancestors 'self'"} {
		if !strings.Contains(csp, want) {
			t.Errorf("the policy lacks %q: %s", want, csp)
		}
	}
	if strings.Contains(csp, "unsafe") || strings.Contains(csp, "http") {
		t.Errorf("policy %s", csp)
	}
	if strings.Contains(string(body), "://") {
		t.Errorf("the page names another host: %s", body)
	}
	_, second, _ := s.send(s.request("GET", "", nil))
	if string(second) == string(body) {
		t.Error("two pages have the same nonce")
	}
}

func TestAssets(t *testing.T) {
	s := newSite(t)
	for name, typ := range map[string]string{"app.js": "text/javascript", "editor.js": "text/javascript", "boot.js": "text/javascript", "app.css": "text/css", "NOTICE": "text/plain"} {
		status, body, head := s.send(s.request("GET", "dist/"+name, nil)) // the client asks for gzip and unpacks
		if status != 200 || len(body) == 0 || !strings.HasPrefix(head.Get("Content-Type"), typ) {
			t.Errorf("%s: status %d, %d bytes, %s", name, status, len(body), head.Get("Content-Type"))
		}
		if string(body) != string(loadAssets()[name].data) {
			t.Errorf("%s differs from what was built", name)
		}
		req := s.request("GET", "dist/"+name, nil)
		req.Header.Set("If-None-Match", head.Get("ETag"))
		if status, body, _ := s.send(req); status != 304 || len(body) != 0 {
			t.Errorf("%s unchanged: status %d, %d bytes", name, status, len(body))
		}
		req = s.request("GET", "dist/"+name, nil)
		req.Header.Set("Accept-Encoding", "gzip;q=0")
		if _, body, head := s.send(req); head.Get("Content-Encoding") != "" || string(body) != string(loadAssets()[name].data) {
			t.Errorf("%s plain: %s", name, head.Get("Content-Encoding"))
		}
	}
	s.ask("GET", "dist/nothere.js", nil, 404, nil)
	s.ask("GET", "dist/..%2fdoc.go", nil, 404, nil)
}

// TestFirstLoad holds the budget of the first load.
func TestFirstLoad(t *testing.T) {
	total := 0
	for name, a := range loadAssets() {
		if name != "NOTICE" {
			total += len(a.gzipped())
		}
	}
	if total > 350<<10 {
		t.Errorf("the page weighs %d bytes gzipped", total)
	}
}

func TestNewWithoutItsParts(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("New took nil")
		}
	}()
	New(nil, nil, "canvas/", nil)
}
