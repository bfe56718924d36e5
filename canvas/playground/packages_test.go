package playground

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"samkit.dev/kv"
	"samkit.dev/sam"
	"samkit.dev/sam/github"
)

// last returns the last line of an answer that tells of progress.
func last(t *testing.T, body []byte) progressEvent {
	t.Helper()
	lines := bytes.Split(bytes.TrimSpace(body), []byte("\n"))
	var e progressEvent
	if err := json.Unmarshal(lines[len(lines)-1], &e); err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	return e
}

// projects returns the names of a person's projects.
func (s *site) projects() []string {
	var p projectsReply
	s.ask("GET", "api/projects", nil, 200, &p)
	return p.Projects
}

func TestExportAndImport(t *testing.T) {
	s := newSite(t)
	s.create("notes", "blank")
	db := kv.New(s.project("notes").State(), "KV")
	if err := db.Put(t.Context(), kv.Entry{Key: "k", Value: []byte("v")}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		query, name string
		state       bool
	}{{"", "plain", false}, {"?state=1", "whole", true}} {
		status, pkg, head := s.send(s.request("GET", "api/projects/notes/package"+c.query, nil))
		if status != 200 || !strings.Contains(head.Get("Content-Disposition"), "notes.sam") {
			t.Fatalf("export: %d %v", status, head)
		}
		status, body, _ := s.send(s.request("POST", "api/packages?id="+c.name, pkg))
		if e := last(t, body); status != 200 || e.Step != "done" || e.Imported == nil || e.Imported.ID != c.name {
			t.Fatalf("import: %d %s", status, body)
		}
		var got fileReply
		s.ask("GET", file(c.name, "index.html"), nil, 200, &got)
		if !strings.Contains(got.Data, "Hello") {
			t.Errorf("the copy holds %q", got.Data)
		}
		_, err := kv.New(s.project(sam.ProjectID(c.name)).State(), "KV").Get(t.Context(), "k")
		if has := err == nil; has != c.state {
			t.Errorf("export%s: state is there: %v (%v)", c.query, has, err)
		}
	}
	// The name is taken: nothing is read twice over it.
	_, pkg, _ := s.send(s.request("GET", "api/projects/notes/package", nil))
	if status, body, _ := s.send(s.request("POST", "api/packages?id=notes", pkg)); status != 409 {
		t.Errorf("over another: %d %s", status, body)
	}
}

func TestABadPackageIsRefusedByTheNameOfTheEntry(t *testing.T) {
	s := newSite(t)
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range []string{"index.html", "../evil.js"} {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(w, "x")
	}
	z.Close()
	var e failedInfo
	s.ask("POST", "api/packages?id=p", b.Bytes(), 400, &e)
	if e.Code != "invalid" || !strings.Contains(e.Message, "evil.js") {
		t.Errorf("refused with %+v", e)
	}
	s.ask("POST", "api/packages?id=p", []byte("no zip"), 400, &e)
	s.ask("POST", "api/packages?id=No+name", b.Bytes(), 400, &e)
	if got := s.projects(); len(got) != 0 {
		t.Errorf("made %v", got)
	}
}

func TestClone(t *testing.T) {
	s := newSite(t)
	s.create("a", "notes")
	var r importReply
	s.ask("POST", "api/projects/a/clone", cloneRequest{ID: "b"}, 201, &r)
	s.ask("POST", "api/projects/a/clone", cloneRequest{ID: "b"}, 409, nil)
	s.ask("POST", "api/projects/none/clone", cloneRequest{ID: "c"}, 404, nil)
	if got := s.projects(); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("projects %v", got)
	}
}

// repository is an archive as code hosts pack it.
func repository(files map[string]string) []byte {
	var b bytes.Buffer
	gz := gzip.NewWriter(&b)
	w := tar.NewWriter(gz)
	for name, data := range files {
		w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: "acme-recipes-012/" + name, Size: int64(len(data)), Mode: 0o644})
		io.WriteString(w, data)
	}
	w.WriteHeader(&tar.Header{Typeflag: tar.TypeSymlink, Name: "acme-recipes-012/site/link", Linkname: "index.html"})
	w.Close()
	gz.Close()
	return b.Bytes()
}

// codeHost is a site with a server that answers as GitHub does.
func codeHost(t *testing.T, h http.HandlerFunc) *site {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	f, err := github.New(&github.Options{API: srv.URL})
	if err != nil {
		t.Fatal(err)
	}
	return newSiteWith(t, &Options{Repos: f})
}

func TestImportFromACodeHost(t *testing.T) {
	var asked string
	s := codeHost(t, func(w http.ResponseWriter, r *http.Request) {
		if asked = r.URL.Path; strings.Contains(asked, "/none/") {
			w.WriteHeader(404)
			return
		}
		w.Write(repository(map[string]string{"README.md": "no", "site/index.html": "<h1>Recipes</h1>"}))
	})
	status, body, _ := s.send(s.request("POST", "api/repos", repoRequest{ID: "recipes", Source: "https://github.com/acme/recipes/tree/main/site"}))
	e := last(t, body)
	if status != 200 || e.Step != "done" || !slices.Equal(e.Imported.Dropped, []string{"link"}) && !slices.Equal(e.Imported.Dropped, []string{"site/link"}) {
		t.Fatalf("import: %d %s", status, body)
	}
	if asked != "/repos/acme/recipes/tarball/main" {
		t.Errorf("asked for %s", asked)
	}
	var p projectReply
	s.ask("GET", "api/projects/recipes", nil, 200, &p)
	if len(p.Files) != 1 || p.Files[0].Name != "index.html" {
		t.Errorf("files %v", p.Files)
	}
	s.ask("POST", "api/repos", repoRequest{ID: "recipes", Source: "acme/recipes"}, 409, nil)
	s.ask("POST", "api/repos", repoRequest{ID: "other", Source: "not one"}, 400, nil)
	s.ask("POST", "api/repos", repoRequest{ID: "other", Source: "acme/none"}, 404, nil)
	s.ask("POST", "api/repos", repoRequest{ID: "other", Source: "acme/recipes:nowhere"}, 404, nil)
	if got := s.projects(); !slices.Equal(got, []string{"recipes"}) {
		t.Errorf("projects %v", got)
	}
	newSite(t).ask("POST", "api/repos", repoRequest{ID: "other", Source: "acme/recipes"}, 404, nil)
}

// TestHangingUpMakesNothing ends an import while the code host sends, and looks for what may be left.
func TestHangingUpMakesNothing(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	sent := make(chan struct{})
	gone := make(chan struct{})
	s := codeHost(t, func(w http.ResponseWriter, r *http.Request) {
		data := repository(map[string]string{"index.html": strings.Repeat("<p>long", 1000)})
		w.Write(data[:len(data)/2])
		w.(http.Flusher).Flush()
		close(sent)
		<-r.Context().Done()
		close(gone)
	})
	ctx, cancel := context.WithCancel(t.Context())
	req := s.request("POST", "api/repos", repoRequest{ID: "recipes", Source: "acme/recipes"}).WithContext(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		if resp, err := s.srv.Client().Do(req); err == nil {
			io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
		}
	}()
	<-sent
	cancel()
	<-done
	<-gone // the request to the code host has ended as well
	deadline := time.Now().Add(30 * time.Second)
	for {
		left, err := filepath.Glob(filepath.Join(os.TempDir(), "samkit-import-*"))
		if err != nil {
			t.Fatal(err)
		}
		if len(left) == 0 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("left behind: %v", left)
		}
		time.Sleep(10 * time.Millisecond)
	}
	if got := s.projects(); len(got) != 0 {
		t.Errorf("made %v", got)
	}
}

func TestProgressIsTold(t *testing.T) {
	step := make(chan struct{})
	s := codeHost(t, func(w http.ResponseWriter, r *http.Request) {
		data := repository(map[string]string{"index.html": "<h1>slow</h1>"})
		w.Write(data[:20])
		w.(http.Flusher).Flush()
		<-step
		w.Write(data[20:])
	})
	go func() {
		time.Sleep(2 * progressEvery)
		close(step)
	}()
	_, body, _ := s.send(s.request("POST", "api/repos", repoRequest{ID: "slow", Source: "acme/slow"}))
	if !bytes.Contains(body, []byte(`{"step":"fetch","done":`)) || last(t, body).Step != "done" {
		t.Errorf("told %s", body)
	}
}

func TestRepoSource(t *testing.T) {
	for text, want := range map[string]string{
		"acme/recipes":                                        "acme/recipes",
		" acme/recipes@v1:examples/site ":                     "acme/recipes@v1:examples/site",
		"https://github.com/acme/recipes":                     "acme/recipes",
		"https://github.com/acme/recipes.git":                 "acme/recipes",
		"github.com/acme/recipes/":                            "acme/recipes",
		"https://github.com/acme/recipes/tree/main/a/b?tab=x": "acme/recipes@main:a/b",
		"acme/recipes/tree/v1.2":                              "acme/recipes@v1.2",
		"https://example.com/acme/recipes":                    "https://example.com/acme/recipes",
	} {
		if got := repoSource(text); got != want {
			t.Errorf("%q is read as %q, want %q", text, got, want)
		}
	}
}

func TestSearch(t *testing.T) {
	s := newSite(t)
	s.create("p", "blank")
	s.ask("PUT", file("p", "src/a.js"), writeRequest{"one\nTwo three\n", ""}, 200, nil)
	var found struct {
		Matches []struct {
			Path, Text   string
			Line, Column int
		}
	}
	s.ask("GET", "api/projects/p/search?q=two", nil, 200, &found)
	if len(found.Matches) != 1 || found.Matches[0].Path != "src/a.js" || found.Matches[0].Line != 2 || found.Matches[0].Column != 1 {
		t.Errorf("found %+v", found)
	}
	s.ask("GET", "api/projects/p/search?q=two&case=1", nil, 200, &found)
	if len(found.Matches) != 0 {
		t.Errorf("found %+v", found)
	}
	s.ask("GET", "api/projects/p/search?regex=1&q=t.o+th", nil, 200, &found)
	if len(found.Matches) != 1 {
		t.Errorf("found %+v", found)
	}
	s.ask("GET", "api/projects/p/search?regex=1&q=(", nil, 400, nil)
	s.ask("GET", "api/projects/p/search?q=", nil, 400, nil)
	s.ask("GET", "api/projects/none/search?q=x", nil, 404, nil)
}
