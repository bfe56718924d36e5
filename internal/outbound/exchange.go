package outbound

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"samkit.dev/internal/netguard"
	"samkit.dev/internal/webapi"
	"samkit.dev/internal/workers"
)

// An exchange is one call of fetch.
type exchange struct {
	c      *Client
	q      *workers.Outbound
	record func(Record)
	sent   atomic.Int64
	got    atomic.Int64
	once   sync.Once

	rec    Record // what is known so far
	method string
	header http.Header
	body   func() (io.ReadCloser, error)
	length int64
}

// run sends the request, and after redirects others, until there is a response to give.
func (x *exchange) run(ctx context.Context) (*workers.Inbound, error) {
	if err := x.prepare(); err != nil {
		return nil, err
	}
	href, from := x.q.URL, ""
	for {
		if err := x.q.Admit(); err != nil {
			return nil, err
		}
		target, err := netguard.ParseTarget(href)
		if err != nil {
			return nil, failed("fetch_denied", "fetch failed: %s", err)
		}
		if err := x.c.opts.Guard.Check(target); err != nil {
			return nil, x.explain(err, target, from)
		}
		res, hop, err := x.send(ctx, href, target)
		if err != nil {
			return nil, x.explain(err, target, from)
		}
		x.rec.Status = res.StatusCode
		if !redirects(res) || x.q.Redirect == "manual" {
			return x.inbound(res, hop, href, target)
		}
		location := res.Header.Get("Location")
		res.Body.Close()
		hop.end(nil)
		if href, err = x.redirect(res.StatusCode, location, href, target); err != nil {
			return nil, err
		}
		from = target.String()
	}
}

// prepare checks what the worker asks for.
func (x *exchange) prepare() error {
	href, ok := webapi.URLHref(x.q.URL)
	switch {
	case len(x.q.URL) > maxURL:
		x.rec.URL = x.q.URL[:maxURL]
		return failed("fetch_failed", "fetch failed: the URL is longer than %d bytes", maxURL)
	case !ok || href != x.q.URL:
		return failed("fetch_failed", "fetch failed: the URL is malformed")
	case !validMethod(x.q.Method):
		return failed("fetch_failed", "fetch failed: the method is not supported")
	}
	x.method, x.body, x.length = x.q.Method, x.q.Body, x.q.Length
	header, length, err := requestHeader(x.q.Header)
	if x.length < 0 && length >= 0 {
		x.length = length // of a stream, as the code says
	}
	x.header = header
	return err
}

func validMethod(m string) bool {
	switch strings.ToUpper(m) {
	case "", "CONNECT", "TRACE", "TRACK":
		return false
	}
	return len(m) <= 100 && token(m)
}

func redirects(res *http.Response) bool {
	switch res.StatusCode {
	case 301, 302, 303, 307, 308:
		return res.Header.Get("Location") != ""
	}
	return false
}

// redirect changes the request for where a response sends it, as the Fetch standard's
// HTTP-redirect fetch does.
func (x *exchange) redirect(status int, location, href string, target netguard.Target) (string, error) {
	if x.q.Redirect == "error" {
		return "", failed("fetch_redirect", "fetch failed: %s answered with a redirect, which the request does not allow", target)
	}
	next, ok := webapi.URLJoin(text(location), href)
	if !ok || len(next) > maxURL {
		return "", failed("fetch_redirect", "fetch failed: %s redirects to a malformed URL", target)
	}
	to, err := netguard.ParseTarget(next)
	if err != nil {
		return "", failed("fetch_denied", "fetch failed: %s sends a redirect that cannot be followed: %s", target, err)
	}
	if x.rec.Hops++; x.rec.Hops > maxHops {
		x.rec.Hops = maxHops
		return "", failed("fetch_redirect", "fetch failed: too many redirects: more than %d were followed", maxHops)
	}
	if (status == 301 || status == 302) && x.method == "POST" || status == 303 && x.method != "GET" && x.method != "HEAD" {
		x.method, x.body, x.length = "GET", nil, 0
		for _, name := range []string{"Content-Encoding", "Content-Language", "Content-Location", "Content-Type"} {
			x.header.Del(name)
		}
	}
	if to != target {
		for _, name := range []string{"Authorization", "Cookie", "Proxy-Authorization", "Cookie2"} {
			x.header.Del(name)
		}
	}
	return next, nil
}

// A hop is one HTTP request.
type hop struct {
	cancel context.CancelCauseFunc
	ctx    context.Context
	c      *Client
	once   sync.Once
}

// end releases what the hop holds.
func (h *hop) end(cause error) {
	h.once.Do(func() {
		h.cancel(cause)
		<-h.c.live
	})
}

var errLate = errors.New("too late")

// send sends one request and waits for the head of its response.
func (x *exchange) send(ctx context.Context, href string, target netguard.Target) (*http.Response, *hop, error) {
	h := &hop{c: x.c}
	h.ctx, h.cancel = context.WithCancelCause(ctx)
	late := time.AfterFunc(x.c.opts.Head, func() { h.cancel(errLate) })
	defer late.Stop()
	select {
	case x.c.live <- struct{}{}:
	case <-h.ctx.Done():
		defer h.cancel(nil)
		return nil, nil, context.Cause(h.ctx)
	}
	res, err := x.roundTrip(h.ctx, href, target)
	if err != nil {
		if cause := context.Cause(h.ctx); cause != nil {
			err = cause
		}
		h.end(nil)
		return nil, nil, err
	}
	return res, h, nil
}

func (x *exchange) roundTrip(ctx context.Context, href string, target netguard.Target) (*http.Response, error) {
	req := (&http.Request{
		Method: x.method, URL: requestURL(href, target), Host: target.Authority(),
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: x.header.Clone(),
	}).WithContext(ctx)
	if x.body != nil && x.length != 0 {
		body, err := x.body()
		if err != nil {
			return nil, failed("fetch_redirect", "fetch failed: %s would have to be sent the body again after a redirect, but it is a stream", target)
		}
		req.Body, req.ContentLength = &counted{body, &x.sent}, x.length
		req.GetBody = func() (io.ReadCloser, error) {
			body, err := x.body()
			if err != nil {
				return nil, err
			}
			return &counted{body, &x.sent}, nil
		}
	}
	return x.c.transport.RoundTrip(req)
}

// requestURL is the URL for net/http, with the path as it stands in href.
func requestURL(href string, target netguard.Target) *url.URL {
	u := &url.URL{Scheme: target.Scheme, Host: target.Authority()}
	_, rest, _ := strings.Cut(href, "://")
	rest, _, _ = strings.Cut(rest, "#")
	path := "/"
	if i := strings.IndexAny(rest, "/?"); i >= 0 {
		path = rest[i:]
	}
	path, u.RawQuery, u.ForceQuery = strings.Cut(path, "?")
	if !strings.HasPrefix(path, "//") {
		u.Opaque = path // is sent as it is
		return u
	}
	u.Path, u.RawPath = path, path
	if plain, err := url.PathUnescape(path); err == nil {
		u.Path = plain
	}
	return u
}

// A counted body counts what is read of it.
type counted struct {
	io.ReadCloser
	n *atomic.Int64
}

func (c *counted) Read(b []byte) (int, error) {
	n, err := c.ReadCloser.Read(b)
	c.n.Add(int64(n))
	return n, err
}

// end records the call, once.
func (x *exchange) end(err error) {
	x.once.Do(func() {
		if x.record == nil {
			return
		}
		r := x.rec
		r.Duration = time.Since(r.Time)
		r.Sent, r.Received = x.sent.Load(), x.got.Load()
		var ne *workers.NetworkError
		switch {
		case err == nil:
		case errors.As(err, &ne):
			r.Code, r.Message = ne.Code, ne.Message
		default:
			r.Code, r.Message = "canceled", "the request or its code ended before the response"
		}
		x.record(r)
	})
}

func failed(code, format string, args ...any) *workers.NetworkError {
	return &workers.NetworkError{Code: code, Message: fmt.Sprintf(format, args...)}
}
