package workers

import (
	"context"
	"fmt"
	"strings"

	"samkit.dev/internal/isolate"
)

func (p *pending) head(ctx context.Context, payload string) (*Response, error) {
	rd := isolate.NewReader(payload)
	res := &Response{Status: int(rd.Uint32()), StatusText: rd.String()}
	var err error
	if peek := rd; peek.Count(8) > maxHeaders {
		err = fmt.Errorf("too many headers")
	} else {
		res.Header = readHeader(&rd)
	}
	last, kind, body := rd.Bool(), rd.Byte(), rd.String()
	if err == nil {
		err = rd.Close()
	}
	if err == nil {
		err = checkHead(res, kind)
	}
	if err == nil && kind == bodySocket && !p.upgrade {
		err = fmt.Errorf("a WebSocket that was not asked for")
	}
	if err != nil {
		p.w.misbehaved(fmt.Errorf("malformed response: %w", err))
		p.finish()
		return nil, &Error{Code: "worker_died", Message: "the worker sent a malformed response", Status: 502}
	}
	if int64(len(body)) > p.limits.ResponseBody {
		p.abandon(limitMessage("limit_response_body"), true)
		p.w.pool.task(p.drain)
		return nil, p.w.pool.limited("limit_response_body")
	}
	switch {
	case kind == bodySocket:
		res.Socket, err = p.openSocket(ctx)
		if err != nil {
			return nil, err
		}
	case kind == bodyStream:
		res.Body = &responseBody{p: p, ctx: ctx, left: body}
	default:
		res.Bytes = []byte(body)
		if last {
			p.finish()
		} else {
			p.w.pool.task(p.drain)
		}
	}
	return res, nil
}

// checkHead makes sure of what JavaScript's Response made sure of: that nothing in the head
// could be taken for something else by those who pass it on.
func checkHead(res *Response, kind byte) error {
	if (res.Status < 200 || res.Status > 599) && (res.Status != 101 || kind != bodySocket) {
		return fmt.Errorf("status %d", res.Status)
	}
	if kind > bodySocket || kind == bodySocket && res.Status != 101 {
		return fmt.Errorf("a body of kind %d", kind)
	}
	if strings.ContainsAny(res.StatusText, "\r\n\x00") {
		return fmt.Errorf("status text %.100q", res.StatusText)
	}
	for i := 0; i < len(res.Header); i += 2 {
		if name, value := res.Header[i], res.Header[i+1]; !isToken(name) || strings.ContainsAny(value, "\r\n\x00") {
			return fmt.Errorf("header %.100q: %.100q", name, value)
		}
	}
	return nil
}

// isToken reports whether s is a token of RFC 9110, in lower case.
func isToken(s string) bool {
	for i := range len(s) {
		if c := s[i]; !(c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || strings.IndexByte("!#$%&'*+-.^_`|~", c) >= 0) {
			return false
		}
	}
	return s != ""
}

// failed makes an Error of a failure frame.
func (p *pending) failed(payload string) *Error {
	rd := isolate.NewReader(payload)
	f := readFailure(&rd)
	if rd.Close() != nil {
		return &Error{Code: "worker_died", Message: "the worker sent a malformed failure", Status: 502}
	}
	if !failureCodes[f.code] { // code can throw errors that have any
		f.code = "exception"
	}
	e := &Error{Code: f.code, Message: p.app.original(clip(f.message, maxMessage)), Stack: p.app.original(clip(f.stack, maxMessage)), Status: statusOf(f.code)}
	p.w.pool.count(f.code)
	return e
}

// maxMessage is the most of an error's message, and of its stack, in bytes.
const maxMessage = 64 << 10

// failureCodes are those that a runner may give.
var failureCodes = map[string]bool{
	"limit_wall": true, "limit_cpu": true, "limit_memory": true, "limit_calls": true, "limit_request_body": true, "limit_response_body": true,
	"limit_console": true, "limit_fetches": true, "limit_fetch_request": true, "limit_fetch_response": true, "limit_fetch_headers": true, "limit_fetch_time": true,
	"exception": true, "no_handler": true, "no_response": true, "unavailable": true, "worker_died": true, "internal": true,
}
