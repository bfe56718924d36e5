package canvas

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"samkit.dev/internal/workers"
)

// assets answers env.ASSETS.fetch(…): the app's files as they are served, by
// the same rules and without functions.js.
func (s *site) assets(app *App) func(context.Context, *workers.Request) (*workers.Response, error) {
	app = &App{Project: app.Project, Connect: app.Connect, Console: app.Console, Snapshot: app.Snapshot}
	return func(ctx context.Context, req *workers.Request) (*workers.Response, error) {
		u, err := url.Parse(req.URL)
		if err != nil {
			return &workers.Response{Status: http.StatusBadRequest, Bytes: []byte("no URL\n")}, nil
		}
		u = &url.URL{Path: u.Path, RawPath: u.RawPath, RawQuery: u.RawQuery}
		if !strings.HasPrefix(u.Path, "/") {
			u.Path, u.RawPath = "/", ""
		}
		r := (&http.Request{Method: req.Method, URL: u, Host: "assets", Header: http.Header{}, Body: http.NoBody, RequestURI: u.RequestURI()}).WithContext(ctx)
		for i := 0; i+1 < len(req.Header); i += 2 {
			r.Header.Add(req.Header[i], req.Header[i+1])
		}
		// functions.js passes the page on, which is rewritten then, and not compressed twice.
		r.Header.Del("Accept-Encoding")
		r.Header.Set("Sec-Fetch-Dest", "empty")
		w := &capture{header: http.Header{}}
		loc, ok := locate(r, false)
		v := &visit{h: s.h, w: w, r: r, loc: loc, pol: s.h.plain, app: app, site: s}
		if !ok || loc.token != "" || loc.snapshot != "" || strings.HasPrefix(loc.name, "~") {
			v.notFound()
			return w.response(), nil
		}
		gen, err := s.generationAt(ctx, app.Snapshot)
		if err != nil {
			return nil, err
		}
		instead, answered := v.redirected(gen)
		if !answered && !v.static(gen) {
			r.Header.Set("Sec-Fetch-Dest", "document") // the page for what is missing
			v.missing(gen, instead)
		}
		return w.response(), nil
	}
}

// maxAsset bounds what functions.js gets of a file, which is held in memory.
const maxAsset = 32 << 20

var errLargeAsset = errors.New("canvas: the file is too large for env.ASSETS")

// A capture keeps a response in memory, unless it is too large.
type capture struct {
	header http.Header
	status int
	body   bytes.Buffer
	large  bool
}

func (c *capture) Header() http.Header { return c.header }

func (c *capture) WriteHeader(status int) {
	if c.status == 0 {
		c.status = status
	}
}

func (c *capture) Write(p []byte) (int, error) {
	c.WriteHeader(http.StatusOK)
	if c.large = c.large || c.body.Len()+len(p) > maxAsset; c.large {
		return 0, errLargeAsset
	}
	return c.body.Write(p)
}

func (c *capture) ReadFrom(r io.Reader) (int64, error) {
	c.WriteHeader(http.StatusOK)
	if size, err := strconv.Atoi(c.header.Get("Content-Length")); err == nil && size > maxAsset {
		c.large = true
		return 0, errLargeAsset
	}
	n, err := c.body.ReadFrom(io.LimitReader(r, int64(maxAsset+1-c.body.Len())))
	if c.body.Len() > maxAsset {
		c.large, err = true, errLargeAsset
	}
	return n, err
}

// response is what functions.js gets: the headers of the file, not those that
// the handler gives every response anyway.
func (c *capture) response() *workers.Response {
	if c.large {
		return &workers.Response{
			Status: http.StatusRequestEntityTooLarge, Header: []string{"content-type", "text/plain; charset=utf-8"},
			Bytes: fmt.Appendf(nil, "env.ASSETS gives files of at most %d bytes\n", maxAsset),
		}
	}
	res := &workers.Response{Status: max(c.status, 200), Bytes: c.body.Bytes()}
	for name, values := range c.header {
		switch name {
		case "Content-Type", "Etag", "Cache-Control", "Location", "Content-Range", "Accept-Ranges", "Allow":
		default:
			if !strings.HasPrefix(name, "X-") || !responseHeader(name) {
				continue
			}
		}
		for _, v := range values {
			res.Header = append(res.Header, strings.ToLower(name), v)
		}
	}
	return res
}
