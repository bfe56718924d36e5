package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"samkit.dev/canvas"
	"samkit.dev/canvas/playground"
	"samkit.dev/canvas/workbench"
	"samkit.dev/host/engine"
	"samkit.dev/sam"
	"samkit.dev/sam/boltstore"
	"samkit.dev/tool"
)

// A desk is a playground in this process, with a bench that a test reaches and every request on record.
type desk struct {
	t     *testing.T
	dir   string // of the store
	store *boltstore.Store
	bench *workbench.Bench
	apps  *canvas.Handler
	srv   *httptest.Server
	token string

	mu   sync.Mutex
	seen []byte // all requests as they came
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	chromium(t)
	d := &desk{t: t, dir: t.TempDir()}
	var err error
	fatal := func() {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	d.store, err = boltstore.Open(d.dir)
	fatal()
	t.Cleanup(func() { d.store.Close() })
	eng, err := engine.New(&engine.Options{Isolation: engine.InProcess})
	fatal()
	t.Cleanup(func() { eng.Close() })
	group := workbench.NewGroup(func(ctx context.Context, person string) (*workbench.Bench, error) {
		return workbench.New(ctx, sam.NewWorkspace(d.store, "me", nil), eng, &workbench.Options{Roles: d.store.Space("me/~bench")})
	})
	t.Cleanup(func() { group.Close() })
	d.bench, err = group.Bench(context.Background(), "")
	fatal()
	d.apps, err = canvas.NewSite(group.App, &canvas.Options{Engine: eng, Dev: true})
	fatal()
	t.Cleanup(func() { d.apps.Close() })
	mux := http.NewServeMux()
	canvas.Mount(mux, "/canvas/", d.apps)
	mux.Handle("/", playground.New(group, d.apps, "canvas/", nil))
	mux.HandleFunc("GET /both/", both)
	d.srv = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		d.record(r)
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(func() { d.srv.CloseClientConnections(); d.srv.Close() })
	var session struct{ Token string }
	d.ask("GET", "api/session", nil, &session)
	d.token = session.Token
	return d
}

// both is a page that frames whatever its query lists, side by side.
func both(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/html")
	fmt.Fprint(w, `<!doctype html><html lang="en"><meta name="color-scheme" content="light dark"><title>Side by side</title><link rel="icon" href="data:,">
<style>html,body{margin:0;height:100%}body{display:flex}iframe{flex:1;border:0;height:100%}</style><body>`)
	for _, path := range r.URL.Query()["path"] {
		fmt.Fprintf(w, `<iframe src="/canvas/%s" title="%[1]s"></iframe>`, path)
	}
}

// record keeps a request's line, headers and body.
func (d *desk) record(r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err == nil {
		r.Body = io.NopCloser(bytes.NewReader(body))
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.seen = append(append(fmt.Appendf(d.seen, "%s %s %v\n", r.Method, r.RequestURI, r.Header), body...), '\n')
}

// hides checks that a text is in no request and no file of the store.
func (d *desk) hides(secret string) {
	d.t.Helper()
	d.mu.Lock()
	for _, form := range []string{secret, url.QueryEscape(secret), fmt.Sprintf("%x", secret)} {
		if i := bytes.Index(d.seen, []byte(form)); i >= 0 {
			d.t.Errorf("the program was sent the secret: …%s", d.seen[max(0, i-200):i])
		}
	}
	if len(d.seen) == 0 {
		d.t.Error("no requests are on record")
	}
	d.mu.Unlock()
	files := 0
	err := filepath.WalkDir(d.dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		files++
		if bytes.Contains(data, []byte(secret)) {
			d.t.Errorf("the secret is in the store: %s", path)
		}
		return err
	})
	if err != nil || files == 0 {
		d.t.Errorf("%d files of the store: %v", files, err)
	}
}

// ask calls a function of the playground's API.
func (d *desk) ask(method, path string, in, out any) {
	d.t.Helper()
	data, _ := json.Marshal(in)
	req, err := http.NewRequestWithContext(context.Background(), method, d.srv.URL+"/"+path, bytes.NewReader(data))
	if err != nil {
		d.t.Fatal(err)
	}
	req.Header.Set("Sec-Fetch-Site", "same-origin")
	req.Header.Set("X-Playground-Token", d.token)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		d.t.Fatal(err)
	}
	defer res.Body.Close()
	if data, err = io.ReadAll(res.Body); err != nil || res.StatusCode > 299 {
		d.t.Fatalf("%s %s: %d %s %v", method, path, res.StatusCode, data, err)
	}
	if out != nil {
		if err := json.Unmarshal(data, out); err != nil {
			d.t.Fatal(err)
		}
	}
}

// template makes a project from a template.
func (d *desk) template(id, template string) {
	d.t.Helper()
	d.ask("POST", "api/projects", map[string]string{"id": id, "template": template}, nil)
}

// project makes a project of files.
func (d *desk) project(id sam.ProjectID, files sam.Files) *sam.Project {
	d.t.Helper()
	p, err := d.bench.Create(context.Background(), id, files)
	if err != nil {
		d.t.Fatal(err)
	}
	return p
}

// beside opens apps side by side, each by its path below the canvas.
func (d *desk) beside(b *tab, paths ...string) {
	b.t.Helper()
	b.open(d.srv.URL + "/both/?" + url.Values{"path": paths}.Encode())
}

// tool opens a project as a tool with a grant, and returns its path.
func (d *desk) tool(id sam.ProjectID, g tool.Grant) (path string, s workbench.Session) {
	d.t.Helper()
	s, err := d.bench.OpenTool(context.Background(), id, g)
	if err != nil {
		d.t.Fatal(err)
	}
	return d.apps.Path(canvas.Visitor{Session: s.ID}, id), s
}

// answer waits for a question to the person that has a text, and answers it.
func (d *desk) answer(text, choice string) workbench.Prompt {
	d.t.Helper()
	deadline := time.Now().Add(30 * time.Second)
	for {
		for _, q := range d.bench.Questions() {
			if strings.Contains(q.Text+q.Origin, text) {
				if err := d.bench.Answer(q.ID, choice); err != nil {
					d.t.Fatal(err)
				}
				return q
			}
		}
		if time.Now().After(deadline) {
			d.t.Fatalf("nobody asks about %q; questions: %+v", text, d.bench.Questions())
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// files returns all files of a project.
func (d *desk) files(p *sam.Project) sam.Files {
	d.t.Helper()
	all := sam.Files{}
	for f, err := range p.Files(context.Background(), "") {
		if err != nil {
			d.t.Fatal(err)
		}
		data, err := p.ReadFile(context.Background(), f.Name)
		if err != nil {
			d.t.Fatal(err)
		}
		all[f.Name] = string(data)
	}
	return all
}
