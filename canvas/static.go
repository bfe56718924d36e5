package canvas

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"
	"samkit.dev/host/console"
	"samkit.dev/sam"
)

// maxPrepared is the size up to which a file is kept as it is sent. Larger
// ones are read from the store each time, as far as asked for.
const maxPrepared = 2 << 20

// content answers with a file of the app or by its functions.js.
func (v *visit) content() {
	gen, err := v.generation()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		v.notFound()
		return
	case err != nil:
		v.broken("reading the project", err)
		return
	}
	if !v.pinned(gen) {
		v.dispatch(gen)
	}
}

// static answers with a file, or reports false if there is none at this path.
func (v *visit) static(gen *generation) bool {
	name := v.loc.name
	key := readyKey{name, wantsPage(v.r)}
	if p := gen.lookup(key); p != nil && !(key.page && v.stores(gen) && isPage(p.name)) && (v.r.Method == http.MethodGet || v.r.Method == http.MethodHead) {
		v.beginWith(p.data())["Cache-Control"] = v.caching(p.name, http.StatusOK)
		v.send(p, http.StatusOK)
		return true
	}
	file, found := v.resolve(gen, norm.NFC.String(name))
	if !found.ok {
		return false
	}
	if !v.reads() {
		return true
	}
	if found.redirect != "" {
		v.redirect(http.StatusTemporaryRedirect, found.redirect)
		return true
	}
	v.file(gen, file, key, http.StatusOK)
	return true
}

// A resolution says what a path leads to.
type resolution struct {
	ok       bool
	redirect string // relative; "" for a file
}

// resolve finds the file at a path: itself, a folder's index.html, a page
// without its extension, or a module that is imported without one.
func (v *visit) resolve(gen *generation, name string) (sam.File, resolution) {
	if gen.config.hides(name) {
		return sam.File{}, resolution{}
	}
	try := func(name string) (sam.File, bool) {
		if gen.config.hides(name) {
			return sam.File{}, false
		}
		f, err := gen.files.Stat(v.ctx(), gen.file(name))
		return f, err == nil && !v.private(gen, f.Name)
	}
	if name == "" || strings.HasSuffix(name, "/") {
		f, ok := try(name + "index.html")
		return f, resolution{ok: ok}
	}
	if f, ok := try(name); ok {
		return f, resolution{ok: true}
	}
	if _, ok := try(name + "/index.html"); ok {
		return sam.File{}, resolution{ok: true, redirect: slashLocation(v.r)}
	}
	if f, ok := try(name + ".html"); ok {
		return f, resolution{ok: true}
	}
	switch v.r.Header.Get("Sec-Fetch-Dest") {
	case "script", "worker", "sharedworker", "empty", "":
		return v.resolveModule(try, name)
	}
	return sam.File{}, resolution{}
}

// moduleExts are tried, in this order, for an import without an extension.
var moduleExts = []string{".ts", ".tsx", ".mts", ".jsx", ".js", ".mjs"}

func (v *visit) resolveModule(try func(string) (sam.File, bool), name string) (sam.File, resolution) {
	stem := strings.TrimSuffix(name, path.Ext(name))
	switch path.Ext(name) {
	case ".js", ".mjs", ".jsx": // TypeScript's way of importing x.ts
		for _, e := range []string{".ts", ".tsx", ".mts"} {
			if f, ok := try(stem + e); ok {
				return f, resolution{ok: true}
			}
		}
	}
	for _, e := range moduleExts {
		if f, ok := try(name + e); ok {
			return f, resolution{ok: true}
		}
	}
	for _, e := range moduleExts {
		if _, ok := try(name + "/index" + e); ok {
			return sam.File{}, resolution{ok: true, redirect: "./" + escape(path.Base(name)) + "/index" + e + query(v.r)}
		}
	}
	return sam.File{}, resolution{}
}

// file answers with a file, prepared for where it is asked for.
func (v *visit) file(gen *generation, f sam.File, key readyKey, status int) {
	if f.Size > maxPrepared && !derived(f.Name, key.page) {
		v.large(gen, f, status)
		return
	}
	if key.page && isPage(f.Name) && v.stores(gen) {
		v.ownPage(gen, f, status)
		return
	}
	p, err := gen.prepare(v.ctx(), v.app.consoleOf(v.site), f, key)
	if err != nil {
		if v.ctx().Err() == nil {
			v.broken("reading a file", err)
		}
		return
	}
	if status == http.StatusOK {
		gen.store(key, p)
	}
	v.beginWith(p.data())["Cache-Control"] = v.caching(f.Name, status)
	v.send(p, status)
}

// isPage reports whether a file is HTML by its name.
func isPage(name string) bool {
	ext := strings.ToLower(path.Ext(name))
	return ext == ".html" || ext == ".htm"
}

// derived reports whether a file is served as something else than its bytes.
func derived(name string, page bool) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".html", ".htm":
		return page
	case ".css", ".ts", ".tsx", ".mts", ".jsx":
		return true
	}
	return false
}

// prepare makes the response that a file is at a path.
func (g *generation) prepare(ctx context.Context, out *console.Buffer, f sam.File, key readyKey) (*prepared, error) {
	data, err := g.files.ReadFile(ctx, f.Name)
	if err != nil {
		return nil, err
	}
	contentType := mediaType(f.Name, data)
	body := data
	rel := rootFrom(strings.Count(key.name, "/"))
	switch strings.ToLower(path.Ext(f.Name)) {
	case ".html", ".htm":
		if key.page {
			body = g.page(data, rel)
		}
	case ".css":
		if body = data; g.site.h.own == nil {
			body = rewriteCSS(data, rel)
		}
	case ".ts", ".tsx", ".mts", ".jsx":
		body = g.module(out, f, data)
		contentType = "text/javascript; charset=utf-8"
	}
	hash := sam.Hash(data)
	if derived(f.Name, key.page) {
		sum := sha256.Sum256(body)
		hash = hex.EncodeToString(sum[:])
	}
	p := newPrepared(f.Name, contentType, body, hash)
	g.addHeaders(p, key.name)
	return p, nil
}

// page makes a page of an app work below its prefix.
func (g *generation) page(data []byte, rel string) []byte {
	h := g.rewriter(rel)
	return h.bytes(data)
}

func (g *generation) rewriter(rel string) htmlRewriter {
	h := g.site.h
	return htmlRewriter{rel: rel, inject: h.client.tag(rel, g.id), cors: h.opts.Origin == Opaque, root: h.own != nil}
}

// rewriter is for pages that only this visitor gets.
func (v *visit) rewriter(gen *generation) (htmlRewriter, error) {
	rel := v.loc.rel()
	out := gen.rewriter(rel)
	out.turn = &v.site.rewriting
	var err error
	out.inject, err = v.tag(gen, rel)
	return out, err
}

// ownPage answers with a page that holds what this visitor stored.
func (v *visit) ownPage(gen *generation, f sam.File, status int) {
	data, err := gen.files.ReadFile(v.ctx(), f.Name)
	if err == nil {
		var out htmlRewriter
		if out, err = v.rewriter(gen); err == nil {
			data = out.bytes(data)
		}
	}
	if err != nil {
		if v.ctx().Err() == nil {
			v.broken("reading a page", err)
		}
		return
	}
	p := newPrepared(f.Name, mediaType(f.Name, data), data, sam.Hash(data))
	gen.addHeaders(p, v.loc.name)
	v.begin()["Cache-Control"] = valPrivate
	v.send(p, status)
}

func (g *generation) addHeaders(p *prepared, name string) {
	if len(g.headers) == 0 {
		return
	}
	h := http.Header{"Content-Type": p.contentType}
	applyHeaders(g.headers, "/"+name, h)
	if ct := h["Content-Type"]; len(ct) > 0 {
		p.contentType = ct
	}
	for _, own := range []string{"Content-Type", "Content-Length", "Content-Encoding", "Content-Range", "Etag", "Accept-Ranges"} {
		delete(h, own)
	}
	p.extra = h
}

// large answers with a file that is not kept in memory.
func (v *visit) large(gen *generation, f sam.File, status int) {
	file, err := gen.files.FS(v.ctx()).Open(f.Name)
	if err != nil {
		v.broken("reading a file", err)
		return
	}
	defer file.Close()
	seeker, ok := file.(io.ReadSeeker)
	if !ok {
		v.broken("reading a file", errors.New("the store's files do not seek"))
		return
	}
	head := make([]byte, 512)
	n, err := io.ReadFull(seeker, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		v.broken("reading a file", err)
		return
	}
	defer v.unblock(v.h.done)()
	p := newPrepared(f.Name, mediaType(f.Name, head[:n]), nil, f.Hash)
	gen.addHeaders(p, v.loc.name)
	h := v.begin()
	h["Cache-Control"] = v.caching(f.Name, status)
	h["Content-Type"] = p.contentType
	for name, values := range p.extra {
		h[name] = values
	}
	h["Etag"] = p.etag
	if status != http.StatusOK {
		v.w.WriteHeader(status)
		io.Copy(v.w, io.MultiReader(bytes.NewReader(head[:n]), seeker))
		return
	}
	http.ServeContent(v.w, saneRange(v.r), "", time.Time{}, seeker)
}

// redirected answers by a rule of _redirects, or returns the path that a rule
// with status 200 puts in the place of this one.
func (v *visit) redirected(gen *generation) (instead string, answered bool) {
	to, status, ok := redirect(gen.redirects, "/"+v.loc.name)
	if !ok {
		return "", false
	}
	if status != http.StatusOK {
		v.leave(status, to)
		return "", true
	}
	u, err := url.Parse(to)
	if err != nil || !validPath(strings.TrimPrefix(u.Path, "/")) {
		return "", false
	}
	return strings.TrimPrefix(u.Path, "/"), false
}

// missing answers where there is no file: with another one if a rule or the
// settings say so, or with 404.
func (v *visit) missing(gen *generation, instead string) {
	page := wantsPage(v.r)
	if v.r.Method != http.MethodGet && v.r.Method != http.MethodHead || gen.config.hides(v.loc.name) {
		v.notFound()
		return
	}
	if instead != "" {
		if f, found := v.resolve(gen, instead); found.ok && found.redirect == "" {
			v.file(gen, f, readyKey{v.loc.name, page}, http.StatusOK)
			return
		}
	}
	name, status := gen.config.absent(v.loc.name, func(name string) bool {
		_, err := gen.files.Stat(v.ctx(), gen.file(name))
		return err == nil
	})
	if name == "" || !page {
		v.notFound()
		return
	}
	f, err := gen.files.Stat(v.ctx(), gen.file(name))
	if err != nil {
		v.notFound()
		return
	}
	// Every unknown path shares one response with those as deep.
	key := readyKey{strings.Repeat("~/", v.loc.depth()), true}
	if p := gen.lookup(key); p != nil && status == http.StatusOK && !v.stores(gen) {
		v.beginWith(p.data())["Cache-Control"] = valNoCache
		v.send(p, status)
		return
	}
	v.file(gen, f, key, status)
}
