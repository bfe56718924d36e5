package canvas

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"samkit.dev/internal/workers"
	"samkit.dev/sam"
)

// login is a program's middleware: without its cookie it sends to a page.
func login(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := r.Cookie("sid"); err != nil {
			http.Redirect(w, r, "/login", http.StatusSeeOther)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func principal(r *http.Request) string {
	c, err := r.Cookie("sid")
	if err != nil {
		return ""
	}
	return c.Value
}

// forgetful is a middleware that replaces the request's context.
func forgetful(next http.Handler) http.Handler {
	return login(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r.WithContext(context.Background()))
	}))
}

var page = []string{"Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document", "Sec-Fetch-Site", "none"}

func as(who string, header ...string) []string {
	return append([]string{"Cookie", "sid=" + who}, header...)
}

// follow returns where a redirect leads.
func follow(t *testing.T, target string, w *httptest.ResponseRecorder) string {
	t.Helper()
	if w.Code < 300 || w.Code > 399 {
		t.Fatalf("GET %s: %d, want a redirect; body %.200s", target, w.Code, w.Body)
	}
	u, err := httptest.NewRequest("GET", target, nil).URL.Parse(w.Header().Get("Location"))
	if err != nil {
		t.Fatal(err)
	}
	return u.RequestURI()
}

func TestSealedPaths(t *testing.T) {
	for name, auth := range map[string]func(http.Handler) http.Handler{"login": login, "new context": forgetful, "none": nil} {
		t.Run(name, func(t *testing.T) {
			var seen *workers.Request
			r := newRig(t, demo, func(_ context.Context, _ *workers.App, req *workers.Request) (*workers.Response, error) {
				seen = req
				return &workers.Response{Status: 200}, nil
			}, &Options{Auth: auth, Principal: principal})

			if auth != nil {
				w := r.get("/p/", page...)
				if w.Code != 303 || w.Header().Get("Location") != "/login" {
					t.Errorf("without a login: %d %q", w.Code, w.Header().Get("Location"))
				}
				if w := r.get("/p/app.js", "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Dest", "script", "Sec-Fetch-Mode", "no-cors"); w.Code != 303 {
					t.Errorf("a script without a token: %d", w.Code)
				}
			}
			at := follow(t, "/p/docs/?q=1", r.get("/p/docs/?q=1", as("ann", page...)...))
			if !strings.HasPrefix(at, "/p/~1.") || !strings.HasSuffix(at, "/docs/?q=1") {
				t.Fatalf("sent to %s", at)
			}
			expect(t, r.get(at, as("ann", page...)...), 200, `<img src="../bg.png">`)
			root := strings.TrimSuffix(at, "docs/?q=1")
			// What the page asks for carries no cookie.
			expect(t, r.get(root+"app.js", "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Dest", "script", "Sec-Fetch-Mode", "no-cors"), 200)
			expect(t, r.do("POST", root+"api/x", "{}", "Origin", "null", "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "cors", "Sec-Fetch-Dest", "empty"), 200)
			if seen == nil || seen.Principal != "ann" || seen.URL != "http://example.com/api/x" {
				t.Errorf("functions.js saw %+v", seen)
			}
			// A framed page's own links carry no Lax cookie.
			expect(t, r.get(at, page...), 200)
			// Somebody else's cookie sends to their own path.
			own := follow(t, at, r.get(at, as("bob", page...)...))
			if own != "/p/docs/?q=1" {
				t.Errorf("bob on ann's path is sent to %s", own)
			}
			r.Revoke("ann")
			if w := r.get(root+"app.js", "Sec-Fetch-Mode", "no-cors"); w.Code != 403 {
				t.Errorf("a revoked token: %d", w.Code)
			}
			if back := follow(t, at, r.get(at, page...)); back != "/p/docs/?q=1" {
				t.Errorf("a revoked token sends to %s", back)
			}
			if strings.Contains(r.log.String(), "~1.") {
				t.Errorf("a token was logged:\n%s", r.log)
			}
		})
	}
}

func TestTokenOfAnotherProjectOrRole(t *testing.T) {
	r := newRig(t, demo, nil, &Options{Auth: login, Principal: principal})
	for name, g := range map[string]grant{
		"project": {Project: "other", Role: 1, Principal: "ann", Issued: 1 << 62},
		"role":    {Role: 2, Principal: "ann", Issued: nowForTest()},
		"session": {Role: 1, Principal: "ann", Session: "s", Issued: nowForTest()},
	} {
		if w := r.get("/p/"+r.sealer.seal(g)+"/app.js", "Sec-Fetch-Mode", "cors"); w.Code != 403 {
			t.Errorf("a token of another %s: %d", name, w.Code)
		}
	}
	expect(t, r.get("/p/"+r.sealer.seal(grant{Role: 1, Principal: "ann", Issued: nowForTest()})+"/app.js"), 200)
}

// A form on another site must not act with the visitor's cookies.
func TestForeignForm(t *testing.T) {
	ran := false
	r := newRig(t, demo, func(context.Context, *workers.App, *workers.Request) (*workers.Response, error) {
		ran = true
		return &workers.Response{Status: 200}, nil
	}, &Options{Auth: login, Principal: principal})
	w := r.do("POST", "/p/api/transfer", "x", as("ann", "Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document")...)
	if w.Code != 403 || ran {
		t.Errorf("%d, ran %v", w.Code, ran)
	}
	// A program with a session, not a browser, is answered in place.
	if w := r.do("POST", "/p/api/transfer", "x", as("ann")...); w.Code != 200 || !ran {
		t.Errorf("a program: %d, ran %v", w.Code, ran)
	}
}

func TestPath(t *testing.T) {
	r := newRig(t, demo, nil, &Options{Auth: login, Principal: principal})
	path := r.Path(Visitor{Principal: "ann"}, "")
	expect(t, r.get("/p/"+path, page...), 200, "style.css")
	if r := newRig(t, demo, nil, nil); r.Path(Visitor{}, "") != "./" {
		t.Errorf("Path of a public app is %q", r.Path(Visitor{}, ""))
	}
}

func TestSessionEnds(t *testing.T) {
	session := "s1"
	r := newRig(t, demo, nil, nil)
	r.Handler.find = func(context.Context, Visitor, sam.ProjectID) (*App, error) {
		return &App{Project: r.project, Session: session}, nil
	}
	at := follow(t, "/p/", r.get("/p/", page...))
	expect(t, r.get(at+"app.js"), 200)
	session = "s2"
	if w := r.get(at+"app.js", "Sec-Fetch-Mode", "cors"); w.Code != 403 {
		t.Errorf("after the session: %d", w.Code)
	}
}

func BenchmarkSealedStatic(b *testing.B) {
	r := newRig(b, demo, nil, &Options{Principal: principal})
	benchmark(b, r.mux, "/p/"+r.Path(Visitor{Principal: "ann"}, "")+"app.js")
}
