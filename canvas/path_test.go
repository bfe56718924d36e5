package canvas

import (
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

func TestLocate(t *testing.T) {
	tests := []struct {
		target string
		site   bool
		want   location
		ok     bool
	}{
		{"/", false, location{}, true},
		{"/a/b.js", false, location{name: "a/b.js"}, true},
		{"/docs/", false, location{name: "docs/"}, true},
		{"/p1/", true, location{project: "p1"}, true},
		{"/p1/x", true, location{project: "p1", name: "x"}, true},
		{"/p1/~1.ab.cd/x", true, location{project: "p1", token: "~1.ab.cd", name: "x"}, true},
		{"/p1/../p2/s", true, location{}, false},
		{"/p1/%2e%2e/p2/s", true, location{}, false},
		{"/p1/..%2fp2/s", true, location{}, false},
		{"/p1/..%5cp2/s", true, location{}, false},
		{"/p1/a%2Fb", true, location{}, false},
		{"/p1//x", true, location{}, false},
		{"/p1/./x", true, location{}, false},
		{"/p1/a%00.js", true, location{}, false},
		{"/p1/%c0%ae%c0%ae/x", true, location{}, false},
		{"/p1/functions.js::$DATA", true, location{project: "p1", name: "functions.js::$DATA"}, true}, // no file has such a name
		{"/p1/a%09b", true, location{}, false},
		{"/p1/%252e%252e/x", true, location{project: "p1", name: "%2e%2e/x"}, true},
		{"/p1/caf%C3%A9.html", true, location{project: "p1", name: "café.html"}, true},
	}
	for _, tt := range tests {
		r := httptest.NewRequest("GET", tt.target, nil)
		got, ok := locate(r, tt.site)
		if ok != tt.ok || got != tt.want {
			t.Errorf("locate(%q) = %+v, %v; want %+v, %v", tt.target, got, ok, tt.want, tt.ok)
		}
	}
}

// A router that decodes the path and forgets RawPath must not let an encoded slash through.
func TestLocateDecodedByRouter(t *testing.T) {
	r := httptest.NewRequest("GET", "/p/a%2Fb", nil)
	r.URL.Path, r.URL.RawPath = "/a/b", ""
	if _, ok := locate(r, false); ok {
		t.Error("an encoded slash was accepted after decoding")
	}
}

func TestMountPrefix(t *testing.T) {
	tests := []struct{ target, strip, want string }{
		{"/apps/p1/x", "/apps", "/apps"},
		{"/x", "", ""},
		{"/t/a%20b/canvas/x", "/t/a b/canvas", "/t/a%20b/canvas"},
		{"/apps/%7Ex", "/apps", "/apps"},
		{"/apps/p1?q=/p1", "/apps", "/apps"},
		{"http://evil.test/apps/p1/x", "/apps", "/apps"},
	}
	for _, tt := range tests {
		r := httptest.NewRequest("GET", tt.target, nil)
		var got string
		http.StripPrefix(tt.strip, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			got = mountPrefix(r)
		})).ServeHTTP(httptest.NewRecorder(), r)
		if got != tt.want {
			t.Errorf("mountPrefix(%q less %q) = %q, want %q", tt.target, tt.strip, got, tt.want)
		}
	}
}

func TestHidden(t *testing.T) {
	for _, name := range []string{
		"functions.js", "Functions.JS", "functions.ts", "functions.mjs", "functions.js.map", "functions/index.js", "functions",
		"function\u017f.js", "FUNCTIONS/x", "sam.json", "SAM.json", "wrangler.toml", "wrangler.jsonc", "package.json",
		"scripts/a.md", "scripts/deep/a.MD", "tasks/x.js", "migrations/0001.sql", "node_modules/a/b.js", "lib/node_modules/a.js",
		".env", ".git/config", "a/.hidden", ".playgrounds-state/kv", "_headers", "_redirects",
	} {
		if !hidden(name) {
			t.Errorf("hidden(%q) = false", name)
		}
	}
	for _, name := range []string{
		"index.html", "a/functions.js", "scripts/app.js", "js/package.json", "myfunctions.js", "tasks.html", "a.md", "docs/",
	} {
		if hidden(name) {
			t.Errorf("hidden(%q) = true", name)
		}
	}
}

func FuzzLocate(f *testing.F) {
	for _, s := range []string{"/p1/../x", "/p1/%2e%2e/x", "/p1/~1.a.b/x", "/p1//", "/%ff", "/a:b/", "/p1/functions%2ejs"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, target string) {
		if !strings.HasPrefix(target, "/") {
			target = "/" + target
		}
		r, err := http.NewRequest("GET", "http://app.test", nil)
		if err != nil {
			t.Fatal(err)
		}
		u, err := r.URL.Parse("http://app.test" + target)
		if err != nil || u.Host != "app.test" {
			return
		}
		r.URL, r.RequestURI = u, u.RequestURI()
		mountPrefix(r)
		l, ok := locate(r, true)
		if !ok {
			return
		}
		name := strings.TrimSuffix(l.name, "/")
		if name != "" && !fs.ValidPath(name) || strings.ContainsAny(l.name, "\\\x00") {
			t.Fatalf("locate(%q) let through %q", target, l.name)
		}
		if strings.HasPrefix(slashLocation(r), "//") {
			t.Fatalf("slashLocation(%q) = %q", target, slashLocation(r))
		}
		for _, location := range []string{slashLocation(r), l.rel() + escape(l.name)} {
			if u, err := url.Parse(location); err != nil || u.Scheme != "" || u.Host != "" {
				t.Fatalf("%q leads from %q to another scheme or host", location, target)
			}
		}
	})
}
