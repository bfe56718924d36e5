package escape

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"time"

	"samkit.dev/canvas"
	"samkit.dev/host"
	"samkit.dev/sam"
)

// A mode is a boundary between an app's page and the program.
type mode struct {
	name   string
	origin canvas.Origin
	prefix string // where its handler is mounted in the program
	frames string // the policy of a page that frames its apps and nothing else
	proof  bool   // is no boundary, and shows what the probes can do
}

var modes = []mode{
	{"Opaque", canvas.Opaque, "/apps/", "frame-src " + hostURL + "/apps/", false},
	{"Own", canvas.Own, "/own/", "frame-src " + hostURL + "/own/ https://*." + domain, false},
	{"Trusted", canvas.Trusted, "/trusted/", "", true},
}

// domain is where apps have hosts of their own.
const domain = "usercontent.test"

// project is the URL of a project as the program links to it.
func (m mode) project(w *world, r *run, id sam.ProjectID) string {
	return hostURL + m.prefix + string(id) + "/"
}

// sealed is the URL of the attacker's app below its sealed path.
func (m mode) sealed(w *world, r *run) string {
	return hostURL + m.prefix + w.handlers[m.name].Path(canvas.Visitor{Principal: r.id}, "attacker")
}

// direct is the URL of a project where it lies.
func (m mode) direct(w *world, id sam.ProjectID) string {
	if m.origin != canvas.Own {
		return m.project(w, nil, id)
	}
	return w.own[id]
}

// A world is a network with the program, its apps and an attacker.
type world struct {
	net      *network
	grace    time.Duration              // for what a probe sets off and nobody expects
	handlers map[string]*canvas.Handler // by mode
	app      map[string]string          // the attacker's files
	own      map[sam.ProjectID]string   // URLs of origins of projects' own

	mu   sync.Mutex // guards what follows
	ids  map[string]*run
	runs map[string]*run // by secret
}

func newWorld(probes []*probe) (*world, error) {
	w := &world{handlers: map[string]*canvas.Handler{}, ids: map[string]*run{}, runs: map[string]*run{}}
	var err error
	if w.app, err = folder("app"); err != nil {
		return nil, err
	}
	w.app["probes.js"] = script(probes)
	victim, err := folder("victim")
	if err != nil {
		return nil, err
	}
	ctx := context.Background()
	ws := sam.NewWorkspace(sam.NewMemStore(), "owner", nil)
	projects := map[sam.ProjectID]*sam.Project{}
	for id, files := range map[sam.ProjectID]map[string]string{"attacker": w.app, "victim": victim} {
		if projects[id], err = ws.Create(ctx, id, sam.Files(files)); err != nil {
			return nil, err
		}
	}
	bank := w.bank()
	find := func(_ context.Context, _ canvas.Visitor, id sam.ProjectID) (*canvas.App, error) {
		app := &canvas.App{Project: projects[id]}
		if id == "victim" {
			app.Host = bank
		}
		return app, nil
	}
	mux := http.NewServeMux()
	mux.Handle("/", w.host())
	for _, m := range modes {
		o := &canvas.Options{Origin: m.origin, Auth: w.auth, Principal: w.principal, Logger: slog.New(slog.DiscardHandler)}
		if m.origin == canvas.Own {
			o.Domain, o.Home = domain, hostURL+m.prefix
		}
		h, err := canvas.NewSite(find, o)
		if err != nil {
			w.close()
			return nil, err
		}
		w.handlers[m.name] = h
		canvas.Mount(mux, m.prefix, w.spy(h))
	}
	w.net, err = newNetwork(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		switch hostname := strings.TrimSuffix(r.Host, ":443"); {
		case strings.HasSuffix(r.URL.Path, "/report"):
			w.report(rw, r)
		case hostname == "host.test" && r.TLS != nil:
			mux.ServeHTTP(rw, r)
		case strings.HasSuffix(hostname, "."+domain) && r.TLS != nil:
			w.handlers["Own"].ServeHTTP(rw, r)
		case hostname == "evil.test" || strings.HasSuffix(hostname, ".evil.test"):
			w.evil(rw, r)
		default:
			http.NotFound(rw, r) // what browsers ask for themselves
		}
	}), w.connected)
	if err != nil {
		w.close()
		return nil, err
	}
	w.own = map[sam.ProjectID]string{}
	for id := range projects {
		if w.own[id], err = w.ownURL(id); err != nil {
			w.close()
			return nil, err
		}
	}
	return w, nil
}

// ownURL asks the program where a project's own origin is.
func (w *world) ownURL(id sam.ProjectID) (string, error) {
	rn := &run{id: "nobody", secret: rand.Text()}
	w.enter(rn)
	r := httptest.NewRequest("GET", hostURL+"/own/"+string(id)+"/", nil)
	r.URL.Path = "/" + string(id) + "/"
	r.AddCookie(&http.Cookie{Name: sessionCookie, Value: rn.secret})
	rec := httptest.NewRecorder()
	w.handlers["Own"].ServeHTTP(rec, r)
	u, err := url.Parse(rec.Header().Get("Location"))
	if err != nil || u.Host == "" {
		return "", fmt.Errorf("the project %s has no origin of its own: %d %s", id, rec.Code, rec.Body)
	}
	return "https://" + u.Host + "/", nil
}

func (w *world) close() {
	for _, h := range w.handlers {
		h.Close()
	}
	if w.net != nil {
		w.net.close()
	}
}

func (w *world) enter(r *run) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ids[r.id], w.runs[r.secret] = r, r
}

func (w *world) byID(id string) *run {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.ids[id]
}

func (w *world) bySecret(secret string) *run {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.runs[secret]
}

// auth is the program's log-in as middleware.
func (w *world) auth(next http.Handler) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if w.session(r) == nil {
			http.Error(rw, "log in", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(rw, r)
	})
}

func (w *world) principal(r *http.Request) string {
	if rn := w.session(r); rn != nil {
		return rn.id
	}
	return ""
}

// bank is what the other project may call. It is told in whose name.
func (w *world) bank() *host.Capabilities {
	type none struct{}
	type order struct {
		Probe string `json:"probe"`
	}
	caps := host.New()
	c := caps.Define("bank", 1)
	visitor := func(ctx context.Context) (*run, error) {
		call, _ := host.CallFrom(ctx)
		if rn := w.byID(call.Principal); rn != nil {
			return rn, nil
		}
		return nil, errors.New("nobody")
	}
	host.Register(c, "mine", "Tells what is the visitor's.", func(ctx context.Context, _ none) (string, error) {
		rn, err := visitor(ctx)
		if err != nil {
			return "", err
		}
		return rn.secret, nil
	})
	host.Register(c, "act", "Acts in the visitor's name.", func(ctx context.Context, o order) (string, error) {
		rn, err := visitor(ctx)
		if err != nil {
			return "", err
		}
		rn.add(o.Probe, escapes, "an act in the visitor's name by another project")
		return "done", nil
	})
	return caps
}

// spy notes the sealed path of the other project, which is a secret from the attacker.
func (w *world) spy(next http.Handler) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if rn := w.session(r); rn != nil && strings.HasPrefix(r.URL.Path, "/victim/") {
			rw = &spyWriter{rw, rn}
		}
		next.ServeHTTP(rw, r)
	})
}

type spyWriter struct {
	http.ResponseWriter
	run *run
}

func (s *spyWriter) Unwrap() http.ResponseWriter { return s.ResponseWriter }

func (s *spyWriter) WriteHeader(status int) {
	if _, rest, ok := strings.Cut(s.Header().Get("Location"), "~1."); ok {
		token, _, _ := strings.Cut(rest, "/")
		s.run.mu.Lock()
		s.run.token = token
		s.run.mu.Unlock()
	}
	s.ResponseWriter.WriteHeader(status)
}

// report hears what pages have to say, at the end of any path: an app's page may ask
// its own prefix only. It never reaches functions.js.
func (w *world) report(rw http.ResponseWriter, r *http.Request) {
	rw.Header().Set("Access-Control-Allow-Origin", "*")
	q := r.URL.Query()
	body, err := io.ReadAll(http.MaxBytesReader(rw, r.Body, 1<<20))
	if rn := w.byID(q.Get("run")); rn != nil && err == nil {
		rn.hear(q.Get("kind"), q.Get("probe"), string(body)+q.Get("text"))
	}
	rw.WriteHeader(http.StatusNoContent)
}
