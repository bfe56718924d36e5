package e2e

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/dom"
	. "github.com/chromedp/chromedp"
)

// codeHost answers as GitHub does, and holds back half of acme/slow until the request ends.
func codeHost(t *testing.T) (url string, gone <-chan struct{}) {
	t.Helper()
	var b bytes.Buffer
	gz := gzip.NewWriter(&b)
	w := tar.NewWriter(gz)
	for name, data := range map[string]string{"site/index.html": "<!doctype html><h1>Recipes</h1>", "README.md": "# no"} {
		w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: "acme-recipes-0123456/" + name, Size: int64(len(data)), Mode: 0o644})
		io.WriteString(w, data)
	}
	w.Close()
	gz.Close()
	ended := make(chan struct{}, 1)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.Contains(r.URL.Path, "/acme/slow/"):
			w.Write(b.Bytes()[:b.Len()/2])
			w.(http.Flusher).Flush()
			<-r.Context().Done()
			ended <- struct{}{}
		case strings.Contains(r.URL.Path, "/acme/recipes/"):
			w.Write(b.Bytes())
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(srv.Close)
	return srv.URL, ended
}

// choose gives a file to the input that a selector finds.
func (b *tab) choose(selector, path string) {
	b.t.Helper()
	b.until("document.querySelector(" + quote(selector) + ")")
	doc, err := Call(b.ctx, dom.GetDocument, dom.GetDocumentParams{})
	b.must(err)
	node, err := Call(b.ctx, dom.QuerySelector, dom.QuerySelectorParams{NodeID: doc.Root.NodeID, Selector: selector})
	b.must(err)
	_, err = Call(b.ctx, dom.SetFileInputFiles, dom.SetFileInputFilesParams{Files: []string{path}, NodeID: node.NodeID})
	b.must(err)
}

// home shows the gallery.
func (b *tab) home() {
	b.t.Helper()
	if eval[bool](b, "!document.querySelector('.gallery')") {
		b.click(".topbar button", "Templates")
	}
	b.until("document.querySelector('.gallery')")
}

func TestImportAndExport(t *testing.T) {
	github, gone := codeHost(t)
	p := launch(t, "-github", github)
	b := p.visit()
	downloads := t.TempDir()
	_, err := Call(b.ctx, browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{Behavior: "allow", DownloadPath: downloads})
	b.must(err)

	b.create("blank").until("document.querySelector('h1').textContent == 'Hello'")
	b.edit("Hello", "Good morning")
	b.click(".topbar button", "Export")
	b.click("[role=menuitem]", "Export files")
	pkg := filepath.Join(downloads, "blank.sam")
	poll(t, "the package", func() bool { _, err := os.Stat(pkg); return err == nil })

	b.home()
	b.shot("bring")
	b.choose(".drop input[type=file]", pkg)
	b.until("document.querySelector('.project')?.textContent.startsWith('blank-2')")
	b.frame().until("document.querySelector('h1')?.textContent == 'Good morning'")

	b.click(".topbar button", "Export")
	b.click("[role=menuitem]", "Copy files and data")
	b.until("document.querySelector('.project')?.textContent.startsWith('blank-3')")

	bad := filepath.Join(downloads, "bad.sam")
	if err := os.WriteFile(bad, []byte("no zip at all"), 0o600); err != nil {
		t.Fatal(err)
	}
	b.home()
	b.choose(".drop input[type=file]", bad)
	b.until("document.querySelector('.toast.bad')?.textContent.includes('The package')")

	b.click(".drop input.mono", "")
	b.insert("https://github.com/acme/recipes/tree/main/site")
	b.click(".drop.solid button", "Import")
	b.until("document.querySelector('.project')?.textContent.startsWith('site')")
	b.frame().until("document.querySelector('h1')?.textContent == 'Recipes'")

	b.home()
	b.click(".drop input.mono", "")
	b.insert("acme/slow")
	b.click(".drop.solid button", "Import")
	b.until("document.querySelector('.progress [role=progressbar]')")
	b.until("document.querySelector('.progress').textContent.includes('Downloaded')")
	b.shot("progress")
	b.click(".progress button", "Cancel")
	b.until("!document.querySelector('.progress')")
	<-gone
	if eval[bool](b, "[...document.querySelectorAll('.mine .go')].some(e => e.textContent.includes('slow'))") {
		t.Error("a cancelled import has left a project")
	}
}

// poll waits until something has become true.
func poll(t *testing.T, what string, f func() bool) {
	t.Helper()
	deadline := time.Now().Add(30 * time.Second)
	for !f() {
		if time.Now().After(deadline) {
			t.Fatal("waited in vain for " + what)
		}
		time.Sleep(20 * time.Millisecond)
	}
}
