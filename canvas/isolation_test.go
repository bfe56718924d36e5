package canvas

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"samkit.dev/sam"
)

// Inverse resource isolation, request by request: what a browser says of a
// request, and whether an app in an opaque origin may have sent it.
func TestInverseIsolation(t *testing.T) {
	r := newRig(t, demo, nil, &Options{Auth: login, Principal: principal})
	at := "/p/" + r.Path(Visitor{Principal: "ann"}, "") + "app.js"
	refused := []string{"script", "worker", "sharedworker", "serviceworker", "object", "embed", "empty", "audioworklet", "paintworklet", "json"}
	allowed := []string{"style", "image", "font", "audio", "video", "track", "manifest", "document", "iframe", "frame"}
	for _, site := range []string{"", "none", "cross-site", "same-site", "same-origin"} {
		for _, dest := range append(slices.Clone(refused), allowed...) {
			mode := "no-cors"
			if dest == "document" || dest == "iframe" || dest == "frame" {
				mode = "navigate"
			}
			header := []string{"Sec-Fetch-Dest", dest, "Sec-Fetch-Mode", mode}
			if site != "" {
				header = append(header, "Sec-Fetch-Site", site)
			}
			want := 200
			if strings.HasPrefix(site, "same-") && slices.Contains(refused, dest) {
				want = 403
			}
			if w := r.get(at, header...); w.Code != want {
				t.Errorf("%q of %s is answered %d, want %d", site, dest, w.Code, want)
			}
		}
	}
	// Plain http and Chromium's WebSockets say nothing.
	expect(t, r.get(at), 200)
}

// A service worker is refused by either sign of one.
func TestServiceWorkerOfTheProgram(t *testing.T) {
	r := newRig(t, demo, nil, nil)
	w := r.get("/p/app.js", "Service-Worker", "script", "Sec-Fetch-Site", "same-origin", "Sec-Fetch-Mode", "same-origin", "Sec-Fetch-Dest", "serviceworker")
	if w.Code != 403 || w.Header().Get("Service-Worker-Allowed") != "" {
		t.Errorf("%d %v", w.Code, w.Header())
	}
	// Over plain http of another machine there is no Sec-Fetch, and no service worker, but this header.
	if w := r.get("/p/app.js", "Service-Worker", "script"); w.Code != 403 {
		t.Errorf("without Sec-Fetch: %d", w.Code)
	}
	own := newOwnRig(t, Options{})
	host := strings.TrimPrefix(own.own.origin(own.own.label(mustOpen(t, own, "shared"))), "https://")
	if w := do(own.root, "GET", "/app.js", "", "Host", host, "Service-Worker", "script", "Sec-Fetch-Site", "same-origin", "Sec-Fetch-Mode", "same-origin", "Sec-Fetch-Dest", "serviceworker"); w.Code != 200 {
		t.Errorf("on the app's own host: %d", w.Code)
	}
}

// What a middleware around the handler set before acts on no app's response.
func TestHeadersOfMiddlewareAreTakenOff(t *testing.T) {
	r := newRig(t, demo, nil, nil)
	around := http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		w.Header().Set("Set-Cookie", "sid=1")
		w.Header().Set("Clear-Site-Data", `"*"`)
		w.Header().Set("Content-Security-Policy", "default-src *")
		r.mux.ServeHTTP(w, req)
	})
	for _, target := range []string{"/p/", "/p/app.js", "/p/api/x", "/p/nope", "/p/a%2fb", "/p/~frame/", "/p/~frame"} {
		h := do(around, "GET", target, "", page...).Header()
		if h.Get("Set-Cookie") != "" || h.Get("Clear-Site-Data") != "" || strings.Contains(h.Get("Content-Security-Policy"), "*") || len(h["Content-Security-Policy"]) != 1 {
			t.Errorf("%s: %v", target, h)
		}
	}
}

// An app leaves its prefix for people alone, by whichever of its redirects.
func TestLeavingIsForPeople(t *testing.T) {
	files := sam.Files{"index.html": "x", "_redirects": "/out https://other.test/ 307\n/host http://example.com/login 302\n", "functions.js": "export default {}"}
	for _, to := range []string{"https://other.test/", "http://other.test/", "//other.test/x", "https://example.com/login"} {
		r := newRig(t, files, answers(307, []string{"location", to}, ""), nil)
		for _, path := range []string{"/p/api/x", "/p/out"} {
			for _, tt := range []struct {
				method string
				header []string
				status int
			}{
				{"GET", page, 307},
				{"GET", []string{"Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "iframe", "Sec-Fetch-Site", "same-origin"}, 307},
				{"POST", page, 403},
				{"GET", []string{"Sec-Fetch-Mode", "no-cors", "Sec-Fetch-Dest", "image", "Sec-Fetch-Site", "cross-site"}, 403},
				{"GET", []string{"Sec-Fetch-Mode", "cors", "Sec-Fetch-Dest", "empty", "Sec-Fetch-Site", "cross-site", "Origin", "null"}, 403},
				{"GET", []string{"Origin", "null"}, 403},
			} {
				w := r.do(tt.method, path, "", tt.header...)
				if w.Code != tt.status && !(path == "/p/out" && tt.method == "POST") {
					t.Errorf("%s %s to %s, %v: %d, want %d", tt.method, path, to, tt.header, w.Code, tt.status)
				}
				if w.Code == 403 && w.Header().Get("Location") != "" {
					t.Errorf("a refusal has a Location")
				}
			}
		}
	}
}

// Browsers match a policy's paths after decoding, so no encoded separator is an app's.
func TestEncodedSeparators(t *testing.T) {
	r := newRig(t, demo, nil, nil)
	own := newOwnRig(t, Options{})
	host := strings.TrimPrefix(own.own.origin(own.own.label(mustOpen(t, own, "shared"))), "https://")
	for _, path := range []string{"a%2fb", "a%2Fb", "a%5cb", "a%5Cb", "..%2fsecret", "%2e%2e/x", "x/%2e%2e/%2e%2e/secret", "api/..%2f..%2fx", "a%00b", "a%0ab"} {
		if w := r.get("/p/" + path); w.Code != 400 {
			t.Errorf("%s: %d", path, w.Code)
		}
		if w := do(own.root, "GET", "/"+path, "", "Host", host); w.Code != 400 {
			t.Errorf("%s on its own host: %d", path, w.Code)
		}
	}
}
