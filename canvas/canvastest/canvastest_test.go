package canvastest

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"samkit.dev/canvas"
	"samkit.dev/host/engine"
	"samkit.dev/sam"
)

func TestMain(m *testing.M) {
	engine.Main()
	os.Exit(m.Run())
}

// A recorder is a test that fails without failing.
type recorder struct{ text strings.Builder }

func (r *recorder) Helper() {}
func (r *recorder) Errorf(format string, args ...any) {
	fmt.Fprintf(&r.text, format+"\n", args...)
}

func requireLogin(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := r.Cookie("sid"); err != nil {
			http.Redirect(w, r, "/login", http.StatusSeeOther)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func user(r *http.Request) string {
	c, err := r.Cookie("sid")
	if err != nil {
		return ""
	}
	return c.Value
}

func login(r *http.Request) { r.AddCookie(&http.Cookie{Name: "sid", Value: "ann"}) }

func handler(t *testing.T, opts canvas.Options) *canvas.Handler {
	t.Helper()
	store := sam.NewMemStore()
	t.Cleanup(func() { store.Close() })
	p, err := sam.NewWorkspace(store, "test", nil).Create(t.Context(), "notes", sam.Files{"index.html": "<!doctype html><p>notes"})
	if err != nil {
		t.Fatal(err)
	}
	opts.Logger = slog.New(slog.DiscardHandler)
	h, err := canvas.New(canvas.App{Project: p}, &opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	return h
}

func mount(h http.Handler) *http.ServeMux {
	mux := http.NewServeMux()
	canvas.Mount(mux, "/apps/notes/", h)
	return mux
}

func header(name, value string) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			next.ServeHTTP(&late{w, name, value}, r)
		})
	}
}

// late adds a header as the response starts, as compressing middleware does.
type late struct {
	http.ResponseWriter
	name, value string
}

func (l *late) WriteHeader(status int) {
	l.Header().Add(l.name, l.value)
	l.ResponseWriter.WriteHeader(status)
}
func (l *late) Unwrap() http.ResponseWriter { return l.ResponseWriter }

// buffered is a writer that says it flushes and does not.
type buffered struct {
	http.ResponseWriter
	buf bytes.Buffer
}

func (b *buffered) Write(p []byte) (int, error) { return b.buf.Write(p) }
func (b *buffered) Flush()                      {}

func buffer(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b := &buffered{ResponseWriter: w}
		next.ServeHTTP(b, r)
		w.Write(b.buf.Bytes())
	})
}

func TestGoodStacks(t *testing.T) {
	withLogin := canvas.Options{Auth: requireLogin, Principal: user}
	tests := map[string]struct {
		h     http.Handler
		path  string
		login func(*http.Request)
	}{
		"public":          {mount(handler(t, canvas.Options{})), "/apps/notes/", nil},
		"login":           {mount(handler(t, withLogin)), "/apps/notes/", login},
		"at the root":     {handler(t, withLogin), "/", login},
		"trusted":         {mount(handler(t, canvas.Options{Origin: canvas.Trusted})), "/apps/notes/", nil},
		"principal alone": {mount(handler(t, canvas.Options{Principal: user})), "/apps/notes/", login},
		"harmless header": {header("X-Request-Id", "7")(mount(handler(t, withLogin))), "/apps/notes/", login},
		"host header":     {header("Strict-Transport-Security", "max-age=1")(mount(handler(t, withLogin))), "/apps/notes/", login},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) { Check(t, tt.h, tt.path, tt.login) })
	}
}

func TestBadStacks(t *testing.T) {
	withLogin := canvas.Options{Auth: requireLogin, Principal: user}
	public := func() http.Handler { return mount(handler(t, canvas.Options{})) }
	behind := func(prefix string, h http.Handler) http.Handler { // a proxy that takes a prefix off
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			p, ok := strings.CutPrefix(r.URL.Path, prefix)
			if !ok {
				http.NotFound(w, r)
				return
			}
			r2 := r.Clone(r.Context())
			r2.URL.Path, r2.URL.RawPath, r2.RequestURI = p, "", p
			h.ServeHTTP(w, r2)
		})
	}
	tests := map[string]struct {
		h     http.Handler
		login func(*http.Request)
		want  []string
	}{
		"login in front": {requireLogin(public()), login, []string{"GET /apps/notes/~client-", "refused with 303", "canvas.Options.Auth"}},
		"login in front of sealed paths": {requireLogin(mount(handler(t, withLogin))), login,
			[]string{"GET /apps/notes/~…/", "303", "canvas.Options.Auth", "a link of a framed page"}},
		"unauthorized": {http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.Error(w, "who are you", http.StatusUnauthorized)
		}), login, []string{"GET /apps/notes/", "refused with 401", "Options.Auth"}},
		"login does nothing": {mount(handler(t, withLogin)), nil, []string{"redirected to \"/login\"", "session"}},
		"cross-origin protection": {http.NewCrossOriginProtection().Handler(public()), nil,
			[]string{"POST /apps/notes/api/canvastest", "refused with 403", "http.CrossOriginProtection", "around your own routes"}},
		"frame options":   {header("X-Frame-Options", "DENY")(public()), nil, []string{"X-Frame-Options", "canvas.Options.Frames"}},
		"second policy":   {header("Content-Security-Policy", "default-src 'self'")(public()), nil, []string{"second Content-Security-Policy"}},
		"cookie":          {header("Set-Cookie", "track=1")(public()), nil, []string{"Set-Cookie", `"track=…"`}},
		"credentials":     {header("Access-Control-Allow-Credentials", "true")(public()), nil, []string{"Access-Control-Allow-Credentials"}},
		"other CORS":      {header("Access-Control-Allow-Origin", "https://a.example")(public()), nil, []string{"Access-Control-Allow-Origin", "a middleware changed it"}},
		"timeout handler": {http.TimeoutHandler(public(), time.Minute, ""), nil, []string{"~events", "501", "timeoutWriter"}},
		"buffering":       {buffer(public()), nil, []string{"~events", "within 3s"}},
		"hidden prefix":   {behind("/apps/notes", handler(t, canvas.Options{})), nil, []string{"the prefix is hidden", "BaseURL"}},
		"wrong path":      {http.NewServeMux(), nil, []string{"GET /apps/notes/", "404"}},
		"get only": {func() http.Handler {
			mux := http.NewServeMux()
			mux.Handle("GET /apps/notes/", http.StripPrefix("/apps/notes", handler(t, canvas.Options{})))
			return mux
		}(), nil, []string{"POST /apps/notes/", "405", "register the handler for all"}},
		"absolute redirect": {http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/apps/notes" {
				http.Redirect(w, r, "/notes/", http.StatusFound)
				return
			}
			public().ServeHTTP(w, r)
		}), nil, []string{"GET /apps/notes:", "loses the prefix"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var r recorder
			Check(&r, tt.h, "/apps/notes/", tt.login)
			for _, want := range tt.want {
				if !strings.Contains(r.text.String(), want) {
					t.Errorf("the report lacks %q:\n%s", want, r.text.String())
				}
			}
			if strings.Contains(r.text.String(), "~1.") {
				t.Errorf("the report shows a token:\n%s", r.text.String())
			}
		})
	}
	var r recorder
	Check(&r, http.NotFoundHandler(), "notes", nil)
	if !strings.Contains(r.text.String(), "start and end with a slash") {
		t.Errorf("a bad path: %s", r.text.String())
	}
}

const ownHome = "https://example.test/apps/notes/"

// ownStack is a program's routes with apps at hosts of their own.
func ownStack(t *testing.T, opts canvas.Options, home string) (h *canvas.Handler, mux *http.ServeMux) {
	t.Helper()
	opts.Origin, opts.Domain, opts.Home = canvas.Own, "apps.test", home
	h = handler(t, opts)
	mux = mount(h)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { w.Write([]byte("the program")) })
	return h, mux
}

func TestOwnStacks(t *testing.T) {
	withLogin := canvas.Options{Auth: requireLogin, Principal: user}
	for name, opts := range map[string]canvas.Options{"public": {}, "login": withLogin, "principal alone": {Principal: user}} {
		t.Run(name, func(t *testing.T) {
			h, mux := ownStack(t, opts, ownHome)
			Check(t, h.Hosts(http.NewCrossOriginProtection().Handler(mux)), ownHome, login)
		})
	}
	h, mux := ownStack(t, withLogin, ownHome)
	_, moved := ownStack(t, withLogin, "https://other.test/apps/notes/")
	for name, tt := range map[string]struct {
		h    http.Handler
		says []string
	}{
		"no Hosts":                {mux, []string{"the app's host does not lead to the handler", "Handler.Hosts"}},
		"login in front":          {requireLogin(h.Hosts(mux)), []string{"the app's host does not lead to the handler"}},
		"login before the routes": {h.Hosts(header("X-Frame-Options", "DENY")(mux)), nil},
		"frame options":           {header("X-Frame-Options", "DENY")(h.Hosts(mux)), []string{"X-Frame-Options"}},
		"another Home":            {moved, []string{"421"}},
		"another origin":          {mount(handler(t, canvas.Options{})), []string{"the origin is not canvas.Own"}},
	} {
		t.Run(name, func(t *testing.T) {
			var said recorder
			Check(&said, tt.h, ownHome, login)
			text := said.text.String()
			if tt.says == nil && text != "" {
				t.Error(text)
			}
			for _, want := range tt.says {
				if !strings.Contains(text, want) {
					t.Errorf("it does not say %q but %q", want, text)
				}
			}
		})
	}
}
