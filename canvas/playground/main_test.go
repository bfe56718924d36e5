package playground

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"

	"samkit.dev/canvas"
	"samkit.dev/canvas/workbench"
	"samkit.dev/host/engine"
	"samkit.dev/sam"
	"samkit.dev/wasi"
)

func TestMain(m *testing.M) {
	engine.Main()
	os.Exit(m.Run())
}

// A site is a playground on a server, asked as its page would.
type site struct {
	t     *testing.T
	group *workbench.Group
	page  *page
	srv   *httptest.Server
	base  string // ends in /play/
	token string
	user  string
}

// commands compiles what terminals run once.
var commands = sync.OnceValue(func() *wasi.Runner {
	r, err := wasi.New(nil)
	if err != nil {
		panic(err)
	}
	return r
})

// secretKey seals the secrets of tests.
func secretKey(context.Context) ([]byte, error) { return make([]byte, 32), nil }

func newSite(t *testing.T) *site {
	t.Helper()
	return newSiteWith(t, &Options{})
}

func newSiteWith(t *testing.T, opts *Options) *site {
	t.Helper()
	store := sam.NewMemStore()
	t.Cleanup(func() { store.Close() })
	eng, err := engine.New(&engine.Options{Isolation: engine.InProcess})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { eng.Close() })
	group := workbench.NewGroup(func(ctx context.Context, person string) (*workbench.Bench, error) {
		return workbench.New(ctx, sam.NewWorkspace(store, person, &sam.Options{SecretKey: secretKey}), eng, &workbench.Options{Roles: store.Space(person + "/~bench"), Commands: commands()})
	})
	t.Cleanup(func() { group.Close() })
	user := func(r *http.Request) string { return r.Header.Get("X-User") }
	opts.Principal = user
	apps, err := canvas.NewSite(group.App, &canvas.Options{Engine: eng, Principal: user})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { apps.Close() })
	mux := http.NewServeMux()
	canvas.Mount(mux, "/play/canvas/", apps)
	page := newPage(group, apps, "canvas/", opts)
	mux.Handle("/play/", http.StripPrefix("/play", page.routes()))
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	s := &site{t: t, group: group, page: page, srv: srv, base: srv.URL + "/play/"}
	s.login("ada")
	return s
}

// login makes the site ask as a person from now on.
func (s *site) login(user string) {
	s.t.Helper()
	s.user = user
	var got sessionReply
	s.ask("GET", "api/session", nil, 200, &got)
	s.token = got.Token
}

// request makes a request as the page's own script would.
func (s *site) request(method, path string, body any) *http.Request {
	s.t.Helper()
	var r io.Reader
	switch body := body.(type) {
	case nil:
	case []byte:
		r = bytes.NewReader(body)
	case string:
		r = strings.NewReader(body)
	default:
		data, err := json.Marshal(body)
		if err != nil {
			s.t.Fatal(err)
		}
		r = bytes.NewReader(data)
	}
	req, err := http.NewRequestWithContext(s.t.Context(), method, s.base+path, r)
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("X-User", s.user)
	req.Header.Set("Sec-Fetch-Site", "same-origin")
	req.Header.Set(tokenHeader, s.token)
	return req
}

// send sends a request and returns the status and the body of the answer.
func (s *site) send(req *http.Request) (int, []byte, http.Header) {
	s.t.Helper()
	resp, err := s.srv.Client().Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return resp.StatusCode, data, resp.Header
}

// ask sends a request, checks the status and decodes the answer into v, if that is not nil.
func (s *site) ask(method, path string, body any, status int, v any) {
	s.t.Helper()
	got, data, _ := s.send(s.request(method, path, body))
	if got != status {
		s.t.Fatalf("%s %s: status %d, want %d: %s", method, path, got, status, data)
	}
	if v == nil {
		return
	}
	if err := json.Unmarshal(data, v); err != nil {
		s.t.Fatalf("%s %s: %v in %s", method, path, err, data)
	}
}

// create makes a project from a template.
func (s *site) create(id, template string) projectReply {
	s.t.Helper()
	var p projectReply
	s.ask("POST", "api/projects", createRequest{id, template}, 201, &p)
	return p
}

func file(id, name string) string {
	return "api/projects/" + id + "/file?name=" + url.QueryEscape(name)
}

func raw(id, name, expected string) string {
	return "api/projects/" + id + "/raw?name=" + url.QueryEscape(name) + "&expected=" + expected
}
