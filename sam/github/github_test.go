package github_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"samkit.dev/sam"
	"samkit.dev/sam/github"
)

// archive is a repository as GitHub packs it.
func archive() []byte {
	var b bytes.Buffer
	gz := gzip.NewWriter(&b)
	w := tar.NewWriter(gz)
	w.WriteHeader(&tar.Header{Typeflag: tar.TypeXGlobalHeader, Name: "pax_global_header", PAXRecords: map[string]string{"comment": "0123456789"}})
	w.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: "octo-hello-0123456/", Mode: 0o755})
	for name, data := range map[string]string{"index.html": "<h1>hello</h1>", "lib/" + strings.Repeat("long/", 30) + "x": "x"} {
		w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: "octo-hello-0123456/" + name, Size: int64(len(data)), Mode: 0o644})
		io.WriteString(w, data)
	}
	w.WriteHeader(&tar.Header{Typeflag: tar.TypeSymlink, Name: "octo-hello-0123456/link", Linkname: "index.html"})
	w.Close()
	gz.Close()
	return b.Bytes()
}

// A host behaves as GitHub does: one server answers with redirects to another.
type host struct {
	api, code *httptest.Server
	mu        sync.Mutex // guards asked
	asked     []string   // for, by paths of the API
}

func newHost() *host {
	h := &host{}
	h.code = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		data := archive()
		w.Header().Set("Content-Type", "application/x-gzip")
		switch r.URL.Path {
		case "/octo/hello/legacy.tar.gz/v1":
			w.Write(data)
		case "/cut":
			w.Write(data[:len(data)/2])
		case "/lost":
			w.Header().Set("Content-Length", strconv.Itoa(len(data)))
			w.Write(data[:len(data)/2])
		default:
			http.NotFound(w, r)
		}
	}))
	h.api = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.mu.Lock()
		h.asked = append(h.asked, r.URL.EscapedPath())
		h.mu.Unlock()
		if r.Header.Get("User-Agent") == "" || r.Header.Get("Authorization") != "" || r.Header.Get("Cookie") != "" {
			http.Error(w, "a name, and no credentials", http.StatusBadRequest)
			return
		}
		to := func(address string) { http.Redirect(w, r, address, http.StatusFound) }
		switch r.URL.Path {
		case "/repos/octo/hello/tarball", "/repos/octo/hello/tarball/v1", "/repos/octo/hello/tarball/feature/x":
			to(h.code.URL + "/octo/hello/legacy.tar.gz/v1")
		case "/repos/octo/renamed/tarball":
			http.Redirect(w, r, h.api.URL+"/repos/octo/hello/tarball", http.StatusMovedPermanently)
		case "/repos/octo/cut/tarball":
			to(h.code.URL + "/cut")
		case "/repos/octo/lost/tarball":
			to(h.code.URL + "/lost")
		case "/repos/octo/round/tarball":
			to(r.URL.Path)
		case "/repos/octo/inside/tarball":
			to("http://127.0.0.1:1/")
		case "/repos/octo/metadata/tarball":
			to("http://169.254.169.254/latest/meta-data/")
		case "/repos/octo/file/tarball":
			to("file:///etc/passwd")
		case "/repos/octo/user/tarball":
			to(strings.Replace(h.code.URL, "://", "://user:password@", 1) + "/octo/hello/legacy.tar.gz/v1")
		case "/repos/octo/rate/tarball":
			w.Header().Set("X-RateLimit-Remaining", "0")
			w.Header().Set("X-RateLimit-Reset", "2000000000")
			w.WriteHeader(http.StatusForbidden)
		case "/repos/octo/later/tarball":
			w.Header().Set("Retry-After", "60")
			w.WriteHeader(http.StatusTooManyRequests)
		case "/repos/octo/forbidden/tarball":
			w.WriteHeader(http.StatusForbidden)
		case "/repos/octo/taken-down/tarball":
			w.WriteHeader(http.StatusUnavailableForLegalReasons)
		case "/repos/octo/broken/tarball":
			w.WriteHeader(http.StatusBadGateway)
		default:
			w.WriteHeader(http.StatusNotFound)
			io.WriteString(w, `{"message":"Not Found"}`)
		}
	}))
	return h
}

func (h *host) close() {
	h.api.Close()
	h.code.Close()
}

func (h *host) fetcher() (*github.Fetcher, error) {
	return github.New(&github.Options{API: h.api.URL, Hosts: []string{h.code.Listener.Addr().String()}})
}

func TestFetcher(t *testing.T) {
	h := newHost()
	defer h.close()
	f, err := h.fetcher()
	if err != nil {
		t.Fatal(err)
	}
	w := sam.NewWorkspace(sam.NewMemStore(), "o", nil)
	imported := func(source string) error {
		p, dropped, err := w.ImportRepo(t.Context(), "app", f, source)
		if err != nil {
			if _, err := w.Open(t.Context(), "app"); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s left something: %v", source, err)
			}
			return err
		}
		data, err := p.ReadFile(t.Context(), "index.html")
		if err != nil || string(data) != "<h1>hello</h1>" || fmt.Sprint(dropped) != "[link]" {
			t.Errorf("%s: %q, dropped %q, %v", source, data, dropped, err)
		}
		return w.Delete(t.Context(), "app")
	}
	for _, source := range []string{"octo/hello", "octo/hello@v1", "octo/hello@feature/x", "octo/renamed"} {
		if err := imported(source); err != nil {
			t.Errorf("%s: %v", source, err)
		}
	}
	h.mu.Lock()
	got := fmt.Sprint(h.asked[:3])
	h.mu.Unlock()
	if got != "[/repos/octo/hello/tarball /repos/octo/hello/tarball/v1 /repos/octo/hello/tarball/feature/x]" {
		t.Errorf("asked for %s", got)
	}
	for _, source := range []string{"octo/missing", "octo/hello@missing", "octo/hello:missing"} {
		if err := imported(source); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", source, err)
		}
	}
	var refused *sam.PackageError
	for _, source := range []string{"octo/cut", "octo/lost"} {
		if err := imported(source); !errors.As(err, &refused) || !strings.Contains(err.Error(), "cut short") {
			t.Errorf("%s: %v", source, err)
		}
	}
	for source, want := range map[string]string{
		"octo/round": "too many redirects", "octo/inside": "not granted", "octo/metadata": "not granted", "octo/file": "only http and https",
		"octo/user": "user name", "octo/forbidden": "status 403", "octo/taken-down": "status 451", "octo/broken": "status 502",
	} {
		if err := imported(source); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", source, err, want)
		}
	}
	var rate *github.RateError
	if err := imported("octo/rate"); !errors.As(err, &rate) || rate.Until.Unix() != 2000000000 {
		t.Errorf("octo/rate: %v", err)
	}
	if err := imported("octo/later"); !errors.As(err, &rate) || time.Until(rate.Until) <= 0 || time.Until(rate.Until) > time.Minute {
		t.Errorf("octo/later: %v", err)
	}
}

// TestEnds looks that a request ends with its context, and with the body's Close.
func TestEnds(t *testing.T) {
	gone := make(chan struct{}, 2)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Write(archive()[:20])
		http.NewResponseController(w).Flush()
		<-r.Context().Done()
		gone <- struct{}{}
	}))
	defer s.Close()
	f, err := github.New(&github.Options{API: s.URL})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	b, err := f.Fetch(ctx, "o", "r", "")
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := io.ReadAll(b); !errors.Is(err, context.Canceled) {
		t.Errorf("read after the end: %v", err)
	}
	b.Close()
	<-gone
	if b, err = f.Fetch(t.Context(), "o", "r", ""); err != nil {
		t.Fatal(err)
	}
	b.Close()
	<-gone
}

func TestNewRefuses(t *testing.T) {
	for _, o := range []github.Options{{API: "ftp://x"}, {API: "github.com"}, {API: "https://user@github.com"}, {API: "https://x/?a=b"}, {API: "https://x/#a"}, {Hosts: []string{"127.0.0.1"}}} {
		if _, err := github.New(&o); err == nil {
			t.Errorf("New(%+v) has no error", o)
		}
	}
	// An address that is no public one is reached only if it is granted as an address.
	f, err := github.New(&github.Options{API: "http://localhost:9"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Fetch(t.Context(), "o", "r", ""); err == nil || !strings.Contains(err.Error(), "its name leads to") {
		t.Errorf("localhost: %v", err)
	}
}

func Example() {
	h := newHost() // in the place of GitHub
	defer h.close()
	f, err := github.New(&github.Options{API: h.api.URL, Hosts: []string{h.code.Listener.Addr().String()}})
	if err != nil {
		log.Fatal(err)
	}
	ws := sam.NewWorkspace(sam.NewMemStore(), "demo", nil)
	_, dropped, err := ws.ImportRepo(context.Background(), "hello", f, "octo/hello@v1")
	fmt.Println("left out:", dropped, err)
	// Output: left out: [link] <nil>
}
