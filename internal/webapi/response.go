package webapi

import (
	"github.com/dop251/goja"

	"samkit.dev/internal/jsrt"
)

type response struct {
	status     int
	statusText string // "" means the status's reason, unless said
	said       bool   // code gave statusText
	headers    headers
	body       body
	url        string
	redirected bool
	typ        string // "" means "default"
	socket     *Socket
}

// An Outgoing is a Response that is about to leave.
type Outgoing struct {
	Status     int
	StatusText string
	Header     []string // lower-case names and values in turn
	Body       []byte
	Source     Source  // nil if Body is all there is
	Socket     *Socket // of status 101: the end that leaves
	NoBody     bool    // of a response that came in: the answer to HEAD
	Redirected bool    // of a response that came in
}

// Send takes a Response object apart. It throws a TypeError if v is none or
// its body has been used.
func (r *Realm) Send(v goja.Value) *Outgoing {
	p, ok := jsrt.Is[*response](v)
	if !ok {
		r.TypeError("Incorrect type for Promise: the Promise did not resolve to 'Response'.")
	}
	if p.typ == "error" {
		r.TypeError("Return value from fetch handler is a network error (Response.error()).")
	}
	out := &Outgoing{Status: p.status, StatusText: p.statusText, Header: p.headers.kv}
	if p.socket != nil {
		switch {
		case p.socket.left || p.socket.peer.left:
			r.TypeError("Can't return WebSocket that was already used in a response.")
		case p.socket.accepted:
			r.TypeError("Can't return WebSocket in a Response after calling accept().")
		}
		out.Socket = p.socket
	}
	if p.body.null {
		return out
	}
	r.use(&p.body)
	if data, ok := p.body.immediate(); ok {
		out.Body = data
		return out
	}
	out.Source = p.body.source
	if out.Source == nil {
		out.Source = r.sourceOf(p.body.stream)
	}
	return out
}

// IsPlainResponse reports whether v is a Response that awaiting would give back as
// it is. It is called between turns.
func (r *Realm) IsPlainResponse(v goja.Value) bool {
	if _, ok := jsrt.Is[*response](v); !ok {
		return false
	}
	var then goja.Value
	err := r.Catch(func() { then = v.(*goja.Object).Get("then") })
	return err == nil && then == nil
}

// NewResponse returns the Response object for what came back from outside.
func (r *Realm) NewResponse(in *Outgoing, url string) *goja.Object {
	p := &response{status: in.Status, statusText: in.StatusText, headers: headers{kv: in.Header, frozen: true}, url: url, redirected: in.Redirected}
	switch {
	case in.Source != nil:
		p.body.source = in.Source
	case nullBody(in.Status) || in.NoBody:
		p.body.null = true
	default:
		p.body.bytes = in.Body
	}
	return r.responseClass().New(p)
}

func nullBody(status int) bool {
	return status == 101 || status == 204 || status == 205 || status == 304
}

func (r *Realm) responseClass() *jsrt.Class {
	if r.classes.response == nil {
		r.classes.response = r.Class("Response", 0, r.constructResponse, r.defineResponse)
	}
	return r.classes.response
}

// initialize applies a ResponseInit, or another Response in its place.
func (r *Realm) initialize(p *response, init goja.Value) {
	if src, ok := jsrt.Is[*response](init); ok {
		p.status, p.statusText, p.said, p.headers, p.socket = src.status, src.statusText, src.said, src.headers.clone(), src.socket
		return
	}
	if _, ok := init.(*goja.Object); !ok {
		r.TypeError("Failed to construct 'Response': constructor parameter 2 is not of type 'InitializerDict or Response'.")
	}
	if v := jsrt.Option(init, "status"); v != nil {
		p.status = int(uint16(r.int32(v))) // an unsigned short of Web IDL
		if p.status != 101 && (p.status < 200 || p.status > 599) {
			r.RangeError("Responses may only be constructed with status codes in the range 200 to 599, inclusive.")
		}
	}
	if v := jsrt.Option(init, "statusText"); v != nil {
		p.statusText, p.said = r.str(v), true
		for i := 0; i < len(p.statusText); i++ {
			if c := p.statusText[i]; c < ' ' && c != '\t' || c == 0x7F {
				r.TypeError("Invalid statusText")
			}
		}
	}
	if v := jsrt.Option(init, "headers"); v != nil {
		r.fill(&p.headers, v)
	}
	if v := jsrt.Option(init, "webSocket"); v != nil && !goja.IsNull(v) {
		s, ok := jsrt.Is[*Socket](v)
		if !ok {
			r.TypeError("Incorrect type for the 'webSocket' field on 'InitializerDict': the provided value is not of type 'WebSocket'.")
		}
		p.socket = s
	}
	switch {
	case p.socket != nil && p.status != 101:
		r.RangeError("Responses with a WebSocket must have status code 101.")
	case p.socket == nil && p.status == 101:
		r.RangeError("Responses may only be constructed with status codes in the range 200 to 599, inclusive.")
	}
}

func (r *Realm) constructResponse(c goja.ConstructorCall) any {
	p := &response{status: 200, body: body{null: true}}
	if init := c.Argument(1); jsrt.Defined(init) {
		r.initialize(p, init)
	}
	if v := c.Argument(0); jsrt.Defined(v) {
		typ := r.extract(&p.body, v)
		if nullBody(p.status) {
			if !p.body.empty() { // workerd takes an empty one for none
				r.TypeError("Response with null body status (101, 204, 205, or 304) cannot have a body.")
			}
			p.body = body{null: true}
			return p
		}
		if typ != "" && !p.headers.has("content-type") {
			p.headers.kv = append(p.headers.kv, "content-type", typ)
		}
	}
	return p
}

func (r *Realm) defineResponse(c *jsrt.Class) {
	this := func(v goja.Value) *response { return jsrt.This[*response](r.Runtime, v) }
	c.Getter("status", func(v goja.Value) goja.Value { return r.VM.ToValue(this(v).status) })
	c.Getter("ok", func(v goja.Value) goja.Value { s := this(v).status; return r.VM.ToValue(s >= 200 && s < 300) })
	c.Getter("statusText", func(v goja.Value) goja.Value { return r.VM.ToValue(this(v).text()) })
	c.Getter("headers", func(v goja.Value) goja.Value { return r.headersObject(&this(v).headers) })
	c.Getter("url", func(v goja.Value) goja.Value { return r.VM.ToValue(this(v).url) })
	c.Getter("redirected", func(v goja.Value) goja.Value { return r.VM.ToValue(this(v).redirected) })
	c.Getter("type", func(v goja.Value) goja.Value {
		if p := this(v); p.typ != "" {
			return r.VM.ToValue(p.typ)
		}
		return r.VM.ToValue("default")
	})
	c.Getter("webSocket", func(v goja.Value) goja.Value {
		if s := this(v).socket; s != nil {
			return s.object()
		}
		return goja.Null()
	})
	r.bodyMembers(c, func(v goja.Value) (*body, *headers) { p := this(v); return &p.body, &p.headers })
	c.Method("clone", 0, func(f goja.FunctionCall) goja.Value {
		p := this(f.This)
		if p.socket != nil {
			r.TypeError("Cannot clone a response to a WebSocket handshake.")
		}
		twin := *p
		twin.body = r.cloneBody(&p.body)
		twin.headers = p.headers.clone()
		return r.responseClass().New(&twin)
	})
	c.Static("json", 1, func(f goja.FunctionCall) goja.Value { return r.responseJSON(f.Argument(0), f.Argument(1)) })
	c.Static("error", 0, func(goja.FunctionCall) goja.Value {
		return c.New(&response{typ: "error", headers: headers{frozen: true}, body: body{null: true}})
	})
	c.Static("redirect", 1, func(f goja.FunctionCall) goja.Value { return r.responseRedirect(f.Argument(0), f.Argument(1)) })
}

func (r *Realm) responseJSON(data, init goja.Value) goja.Value {
	p := &response{status: 200}
	text := r.Stringify(data)
	if jsrt.Defined(init) {
		r.initialize(p, init)
	}
	if nullBody(p.status) {
		r.TypeError("Response with null body status (101, 204, 205, or 304) cannot have a body.")
	}
	p.body.bytes = text
	if !p.headers.has("content-type") {
		p.headers.kv = append(p.headers.kv, "content-type", "application/json")
	}
	return r.responseClass().New(p)
}

// Stringify is JSON.stringify as it was before any code ran. What has no JSON throws.
func (r *Realm) Stringify(v goja.Value) []byte {
	text, ok := r.JSON(v)
	if !ok {
		r.TypeError("Value is not JSON serializable")
	}
	return text
}

func (r *Realm) responseRedirect(to, status goja.Value) goja.Value {
	code := 302
	if !goja.IsUndefined(status) {
		code = int(uint16(r.int32(status)))
	}
	switch code {
	case 301, 302, 303, 307, 308:
	default:
		r.RangeError("%d is not a redirect status code. It must be one of: 301, 302, 303, 307, or 308.", code)
	}
	url := r.str(to)
	href, ok := URLHref(url)
	if !ok {
		r.TypeError("Unable to parse URL: %s", url)
	}
	return r.responseClass().New(&response{status: code, headers: headers{kv: []string{"location", href}, frozen: true}, body: body{null: true}})
}
