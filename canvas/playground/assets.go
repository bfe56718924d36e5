package playground

import (
	"bytes"
	"compress/gzip"
	"crypto/rand"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	htmltemplate "html/template"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
)

//go:embed dist
var dist embed.FS

// An asset is a built file of the page.
type asset struct {
	data    []byte
	gzipped func() []byte // made when first asked for
	etag    string
	typ     string
}

// loadAssets reads the built files, once for a page.
func loadAssets() map[string]asset {
	entries, err := dist.ReadDir("dist")
	if err != nil {
		panic(err) // embedded
	}
	assets := make(map[string]asset)
	for _, e := range entries {
		data, err := dist.ReadFile("dist/" + e.Name())
		if err != nil {
			panic(err)
		}
		sum := sha256.Sum256(data)
		assets[e.Name()] = asset{data: data, gzipped: sync.OnceValue(func() []byte { return compress(data) }), etag: `"` + hex.EncodeToString(sum[:16]) + `"`, typ: typeOf(e.Name())}
	}
	return assets
}

func compress(data []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write(data)
	w.Close()
	return b.Bytes()
}

func typeOf(name string) string {
	switch path.Ext(name) {
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case "":
		return "text/plain; charset=utf-8"
	}
	return mime.TypeByExtension(path.Ext(name))
}

// serveAsset serves a built file. Names are stable, so a browser asks each time
// and is told that nothing has changed.
func (p *page) serveAsset(w http.ResponseWriter, r *http.Request) {
	a, ok := p.assets[r.PathValue("name")]
	if !ok {
		http.NotFound(w, r)
		return
	}
	head := w.Header()
	head.Set("ETag", a.etag)
	head.Set("Cache-Control", "no-cache")
	head.Set("Vary", "Accept-Encoding")
	head.Set("X-Content-Type-Options", "nosniff")
	head.Set("Cross-Origin-Resource-Policy", "same-origin")
	if r.Header.Get("If-None-Match") == a.etag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	data := a.data
	if acceptsGzip(r) {
		head.Set("Content-Encoding", "gzip")
		data = a.gzipped()
	}
	head.Set("Content-Type", a.typ)
	head.Set("Content-Length", strconv.Itoa(len(data)))
	if r.Method != http.MethodHead {
		w.Write(data)
	}
}

func acceptsGzip(r *http.Request) bool {
	for part := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		coding, params, _ := strings.Cut(strings.TrimSpace(part), ";")
		if coding == "gzip" && strings.ReplaceAll(params, " ", "") != "q=0" {
			return true
		}
	}
	return false
}

var shell = htmltemplate.Must(htmltemplate.New("page").Parse(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="style-nonce" nonce="{{.Nonce}}">
<title>Playground</title>
<link rel="icon" href="data:,">
<script src="dist/boot.js"></script>
<link rel="stylesheet" href="dist/app.css">
<link rel="modulepreload" href="dist/app.js">
</head>
<body>
<div id="root"></div>
<noscript>The playground is an editor and needs JavaScript.</noscript>
<script type="module" src="dist/app.js"></script>
</body>
</html>
`))

// servePage serves the page's document. Its policy lets it load its own files, talk
// to its own program and frame what the program serves, and documents that it made of a file; styles are added by the editor under a
// nonce, which scripts of the page can read and markup can't.
func (p *page) servePage(w http.ResponseWriter, r *http.Request) {
	nonce := rand.Text()
	head := w.Header()
	head.Set("Content-Security-Policy", strings.Join([]string{
		"default-src 'none'", "script-src 'self'", "style-src 'self' 'nonce-" + nonce + "'",
		"img-src 'self' blob: data:", "media-src blob:", "font-src 'self' blob:",
		"connect-src 'self'", "frame-src blob: " + p.apps.FrameSrc(), "base-uri 'none'", "form-action 'none'",
		"frame-ancestors 'self'",
	}, "; "))
	head.Set("Content-Type", "text/html; charset=utf-8")
	head.Set("Cache-Control", "no-store")
	head.Set("X-Content-Type-Options", "nosniff")
	head.Set("Referrer-Policy", "no-referrer")
	head.Set("Cross-Origin-Opener-Policy", "same-origin")
	head.Set("X-Robots-Tag", "noindex")
	if r.Method == http.MethodHead {
		return
	}
	if err := shell.Execute(w, struct{ Nonce string }{nonce}); err != nil {
		p.log.Debug("playground: page not delivered", "err", err)
	}
}
