package outbound

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"samkit.dev/internal/netguard"
	"samkit.dev/internal/workers"
)

// inbound makes what the code gets of a response.
func (x *exchange) inbound(res *http.Response, h *hop, href string, target netguard.Target) (*workers.Inbound, error) {
	if res.StatusCode < 200 || res.StatusCode > 599 {
		res.Body.Close()
		h.end(nil)
		return nil, failed("fetch_failed", "fetch failed: %s answered with status %d", target, res.StatusCode)
	}
	href, _, _ = strings.Cut(href, "#")
	_, reason, _ := strings.Cut(res.Status, " ")
	in := &workers.Inbound{
		Status: res.StatusCode, StatusText: text(reason), URL: href, Redirected: x.rec.Hops > 0, Length: res.ContentLength,
		NoBody: x.method == "HEAD" || res.StatusCode == 204 || res.StatusCode == 205 || res.StatusCode == 304,
	}
	wire := &wireBody{x: x, h: h, body: res.Body, left: x.q.MaxBody}
	b := &inboundBody{x: x, h: h, wire: wire, r: wire, target: target}
	in.Body = b
	if !in.NoBody {
		if d := x.c.decoder(res.Header.Values("Content-Encoding"), wire); d != nil {
			b.r, b.decoder = d, d
			in.Length = -1
			// The body is no longer what these say of it. workerd leaves them and encodes again
			// what is passed on with them.
			delete(res.Header, "Content-Encoding")
			delete(res.Header, "Content-Length")
		}
	}
	in.Header = responseHeader(res.Header)
	return in, nil
}

// A wireBody is a body as it comes. It bounds its length and the time between bytes.
type wireBody struct {
	x    *exchange
	h    *hop
	body io.ReadCloser
	left int64
}

var errIdle = errors.New("idle for too long")

func (w *wireBody) Read(b []byte) (int, error) {
	idle := time.AfterFunc(w.x.c.opts.Idle, func() { w.h.cancel(errIdle) })
	n, err := w.body.Read(b)
	idle.Stop()
	w.x.got.Add(int64(n))
	if w.left -= int64(n); w.left < 0 {
		return 0, errLong
	}
	return n, err
}

var errLong = errors.New("too long")

// An inboundBody is a body as code gets it.
type inboundBody struct {
	x       *exchange
	h       *hop
	wire    *wireBody
	r       io.Reader // wire, perhaps decoded
	decoder *decoder  // nil if it is not decoded
	target  netguard.Target
	over    error
}

// Read implements [io.Reader]. Its errors are io.EOF, those of the context, and those for code.
func (b *inboundBody) Read(dst []byte) (int, error) {
	if b.over != nil {
		return 0, b.over
	}
	n, err := b.r.Read(dst)
	if err == nil {
		return n, nil
	}
	if err != io.EOF {
		if cause := context.Cause(b.h.ctx); cause != nil {
			err = cause
		}
		err = b.x.explain(err, b.target, "")
	}
	b.over = err
	if err == io.EOF {
		b.x.end(nil)
	} else {
		b.x.end(err)
	}
	return n, err
}

// Close implements [io.Closer]. The code may have had enough: that is no error.
func (b *inboundBody) Close() error {
	b.x.end(nil)
	if b.over == nil {
		b.over = io.ErrClosedPipe
	}
	if b.decoder != nil {
		b.decoder.close()
	}
	b.h.cancel(nil)
	err := b.wire.body.Close()
	b.h.end(nil)
	return err
}

// explain makes of an error what code may know.
func (x *exchange) explain(err error, target netguard.Target, from string) error {
	var ne *workers.NetworkError
	var refused *netguard.RefusedError
	switch {
	case errors.As(err, &ne):
		return ne
	case errors.As(err, &refused):
		return x.c.refused(refused, from)
	case errors.Is(err, errLate), errors.Is(err, errIdle), errors.Is(err, errConnect):
		what := "did not answer in time"
		if errors.Is(err, errIdle) {
			what = "stopped sending"
		} else if errors.Is(err, errConnect) {
			what = "could not be connected to in time"
		}
		return &workers.NetworkError{Code: "limit_fetch_time", Message: fmt.Sprintf("fetch failed: %s %s", target, what), Err: err}
	case errors.Is(err, errLong):
		return failed("limit_fetch_response", "fetch failed: the response from %s is larger than the limit of a response body, %d bytes", target, x.q.MaxBody)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	}
	code, why := reason(err)
	return &workers.NetworkError{Code: code, Message: fmt.Sprintf("fetch failed: %s: %s", target, why), Err: err}
}
