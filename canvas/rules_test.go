package canvas

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"samkit.dev/sam"
)

func TestHeaderRules(t *testing.T) {
	rules, problems := parseHeaders(`
# a comment
/*
  X-All: yes
  Cache-Control: max-age=60
/assets/*
  Cache-Control: public, max-age=31536000, immutable
  X-Where: in :splat
/users/:id/photo.png
  X-User: :id
/secret.txt
  ! X-All
  Set-Cookie: a=b
  nonsense
  Content-Security-Policy: none
no-slash
  X-Lost: 1
/a*b*c
`)
	if len(rules) != 4 || len(problems) != 6 {
		t.Errorf("%d rules, problems %q", len(rules), problems)
	}
	for path, want := range map[string]string{
		"/x":                   "map[Cache-Control:[max-age=60] X-All:[yes]]",
		"/assets/a/b.js":       "map[Cache-Control:[public, max-age=31536000, immutable] X-All:[yes] X-Where:[in a/b.js]]",
		"/users/7/photo.png":   "map[Cache-Control:[max-age=60] X-All:[yes] X-User:[7]]",
		"/users/7/8/photo.png": "map[Cache-Control:[max-age=60] X-All:[yes]]",
		"/secret.txt":          "map[Cache-Control:[max-age=60]]",
	} {
		h := http.Header{}
		applyHeaders(rules, path, h)
		if got := fmt.Sprint(h); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}

func TestRedirectRules(t *testing.T) {
	rules, problems := parseRedirects(`
/old /new 301 # moved
/blog/* /news/:splat
/u/:id/:what /users/:id?show=:what 308
/out/* https://other.example/:splat
/spa/* /index.html 200
/bad javascript:alert(1)
/bad //evil.example
/bad /x 404
/bad
bad /x
/bad https://a.example 200
`)
	if len(rules) != 5 || len(problems) != 6 {
		t.Errorf("%d rules, problems %q", len(rules), problems)
	}
	for path, want := range map[string]string{
		"/old": "/new 301", "/blog/2024/a b": "/news/2024/a%20b 302", "/u/1/x": "/users/1?show=x 308", "/out/y": "https://other.example/y 302",
		"/spa/a": "/index.html 200", "/none": " 0", "/u/1": " 0", "/out//evil.example": "https://other.example/evil.example 302", "/blog/:splat": "/news/:splat 302",
	} {
		to, status, _ := redirect(rules, path)
		if got := fmt.Sprint(to, " ", status); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}

func TestRulesOfAProject(t *testing.T) {
	r := newRig(t, sam.Files{
		"index.html": "<p>home", "real.txt": "real", "docs/a.txt": "a", "functions.js": "export default { fetch() {} }",
		"_headers":   "/docs/*\n  X-Docs: 1\n  Cache-Control: max-age=9\n/*\n  Set-Cookie: a=b\n  Content-Type: text/x-own\n  Etag: \"forged\"\n  Location: /x\n",
		"_redirects": "/old/* /docs/:splat 301\n/away https://other.example/\n/* /index.html 200\n/fn /functions.js 200\n",
	}, nil, nil)
	w := r.get("/p/docs/a.txt")
	expect(t, w, 200, "a")
	h := w.Header()
	if h.Get("X-Docs") != "1" || h.Get("Cache-Control") != "max-age=9" || h.Get("Set-Cookie") != "" || h.Get("Content-Type") != "text/x-own" || strings.Contains(h.Get("Etag"), "forged") || h.Get("Location") != "" {
		t.Errorf("headers %v", h)
	}
	if !strings.HasPrefix(h.Get("Content-Security-Policy"), "sandbox") {
		t.Error("no sandbox")
	}
	w = r.get("/p/old/a.txt")
	if w.Code != 301 || w.Header().Get("Location") != "../docs/a.txt" {
		t.Errorf("%d %q", w.Code, w.Header().Get("Location"))
	}
	if w := r.get("/p/away", page...); w.Code != 302 || w.Header().Get("Location") != "https://other.example/" {
		t.Errorf("away: %d %q", w.Code, w.Header().Get("Location"))
	}
	expect(t, r.get("/p/away", "Sec-Fetch-Mode", "cors"), 403)
	expect(t, r.get("/p/real.txt"), 200, "real")
	expect(t, r.get("/p/some/route"), 200, "<p>home", "../"+r.client.name)
	expect(t, r.get("/p/_redirects"), 404)
	if text := r.texts(); !strings.Contains(text, "_headers:5: Set-Cookie may not be set") {
		t.Errorf("console: %s", text)
	}
}

func FuzzRules(f *testing.F) {
	f.Add("/a/* /b/:splat 301\n", "/a/x")
	f.Add("/*\n  X-A: :splat\n", "/\n")
	f.Add("/:a/:b/*c /:a\n", "/1/2/3c")
	f.Add("/:a:b /x\n", "/::")
	f.Fuzz(func(t *testing.T, text, path string) {
		if len(path) > 1000 {
			return
		}
		headers, _ := parseHeaders(text)
		h := http.Header{}
		applyHeaders(headers, path, h)
		for name, values := range h {
			if !responseHeader(name) || strings.ContainsAny(strings.Join(values, ""), "\r\n") {
				t.Fatalf("%q set %s: %q", text, name, values)
			}
		}
		rules, _ := parseRedirects(text)
		if to, status, ok := redirect(rules, path); ok {
			if strings.HasPrefix(to, "//") || strings.HasPrefix(strings.ToLower(to), "javascript:") {
				t.Fatalf("%q sends %q to %q by %d", text, path, to, status)
			}
		}
	})
}
