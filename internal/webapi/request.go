package webapi

import (
	"strings"

	"github.com/dop251/goja"

	"samkit.dev/internal/jsrt"
)

// An Incoming is a request that came in from outside.
type Incoming struct {
	Method string
	URL    string   // absolute
	Header []string // names and values in turn
	Body   []byte   // nil if there is none or Source is set
	Source Source
}

type request struct {
	method   string
	url      string
	urlValue goja.Value
	in       *Incoming // headers not looked at yet
	headers  headers
	body     body
	redirect string
	cache    string // "no-store", "no-cache" or "" for neither
	cf       goja.Value
	signal   *abortSignal
}

// list returns the header list, which an incoming request makes late.
func (q *request) list() *headers {
	if q.in != nil {
		kv := make([]string, len(q.in.Header))
		for k := 0; k+1 < len(kv); k += 2 {
			kv[k], kv[k+1] = lower(q.in.Header[k]), q.in.Header[k+1]
		}
		q.headers, q.in = headers{kv: kv, frozen: true}, nil
	}
	return &q.headers
}

func (r *Realm) signalOfRequest(q *request) *abortSignal {
	if q.signal == nil {
		q.signal = r.newAbortSignal()
	}
	return q.signal
}

// NewRequest returns the Request object of an incoming request and a function
// that aborts its signal.
func (r *Realm) NewRequest(in *Incoming) (o *goja.Object, abort func(reason goja.Value)) {
	q := &request{method: in.Method, url: in.URL, in: in}
	switch {
	case in.Source != nil:
		q.body.source = in.Source
	case len(in.Body) > 0:
		q.body.bytes = in.Body
	default:
		q.body.null = true
	}
	return r.requestClass().New(q), func(reason goja.Value) { r.signalOfRequest(q).abort(reason) }
}

// normalMethod upper-cases the methods that the Fetch standard normalizes.
func (r *Realm) normalMethod(v goja.Value) string {
	given := r.str(v)
	s := given
	for i := 0; i < len(s); i++ {
		if !tokenChar(s[i]) {
			s = ""
		}
	}
	switch up := strings.ToUpper(s); up {
	case "":
		r.TypeError("Invalid HTTP method string: %s", given)
	case "DELETE", "GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH": // workerd knows PATCH, too
		return up
	case "CONNECT", "TRACE", "TRACK":
		r.TypeError("HTTP %s method is unsupported.", up)
	}
	return s
}

func (r *Realm) requestClass() *jsrt.Class {
	if r.classes.request == nil {
		r.classes.request = r.Class("Request", 1, r.constructRequest, r.defineRequest)
	}
	return r.classes.request
}

func (r *Realm) constructRequest(c goja.ConstructorCall) any {
	q := &request{method: "GET", redirect: "follow", body: body{null: true}}
	init := c.Argument(1)
	r.dictionary(init, "The init of a Request")
	own := jsrt.Option(init, "body")
	if src, ok := jsrt.Is[*request](c.Argument(0)); ok {
		q.method, q.url, q.redirect, q.cache, q.cf, q.signal = src.method, src.url, src.redirect, src.cache, src.cf, src.signal
		q.headers = src.list().clone()
		if own == nil && !src.body.null { // the new request takes the body over
			r.use(&src.body)
			q.body = src.body
			q.body.used = false
			src.body = body{used: true}
		}
	} else {
		url := r.str(c.Argument(0))
		href, ok := URLHref(url)
		if !ok {
			r.TypeError("Invalid URL: %s", url)
		}
		q.url = href
	}
	if v := jsrt.Option(init, "method"); v != nil {
		q.method = r.normalMethod(v)
	}
	if v := jsrt.Option(init, "headers"); v != nil {
		q.headers = headers{}
		r.fill(&q.headers, v)
	}
	if v := jsrt.Option(init, "redirect"); v != nil {
		q.redirect = r.str(v)
		if q.redirect != "follow" && q.redirect != "manual" && q.redirect != "error" {
			r.TypeError("Invalid redirect value, must be one of \"follow\", \"manual\" or \"error\".")
		}
	}
	if o, ok := init.(*goja.Object); ok {
		if v := o.Get("signal"); v != nil && !goja.IsUndefined(v) {
			q.signal = nil
			if !goja.IsNull(v) {
				s, ok := signalOf(v)
				if !ok {
					r.TypeError("Failed to construct 'Request': member signal is not of type AbortSignal.")
				}
				q.signal = s
			}
		}
	}
	if v := jsrt.Option(init, "integrity"); v != nil && r.str(v) != "" { // never taken and not checked
		r.TypeError("Subrequest integrity checking is not implemented. The integrity option must be either undefined or an empty string.")
	}
	if v := jsrt.Option(init, "cache"); v != nil {
		if q.cache = r.str(v); q.cache != "no-store" && q.cache != "no-cache" { // what workerd knows
			r.TypeError("Unsupported cache mode: %s", q.cache)
		}
	}
	if v := jsrt.Option(init, "cf"); v != nil {
		q.cf = v
	}
	if (jsrt.Defined(own) || !q.body.null) && (q.method == "GET" || q.method == "HEAD") {
		r.TypeError("Request with a GET or HEAD method cannot have a body.")
	}
	if jsrt.Defined(own) {
		if typ := r.extract(&q.body, own); typ != "" && !q.headers.has("content-type") {
			q.headers.kv = append(q.headers.kv, "content-type", typ)
		}
	}
	return q
}

func (r *Realm) defineRequest(c *jsrt.Class) {
	this := func(v goja.Value) *request { return jsrt.This[*request](r.Runtime, v) }
	c.Getter("method", func(v goja.Value) goja.Value { return r.VM.ToValue(this(v).method) })
	c.Getter("url", func(v goja.Value) goja.Value {
		q := this(v)
		if q.urlValue == nil {
			q.urlValue = r.VM.ToValue(q.url)
		}
		return q.urlValue
	})
	c.Getter("headers", func(v goja.Value) goja.Value { return r.headersObject(this(v).list()) })
	c.Getter("redirect", func(v goja.Value) goja.Value {
		if q := this(v); q.redirect != "" {
			return r.VM.ToValue(q.redirect)
		}
		return r.VM.ToValue("manual") // as workerd has it for incoming requests
	})
	c.Getter("signal", func(v goja.Value) goja.Value { return r.signalOfRequest(this(v)).object(r) })
	c.Getter("cf", func(v goja.Value) goja.Value {
		if q := this(v); q.cf != nil {
			return q.cf
		}
		return goja.Undefined()
	})
	c.Getter("cache", func(v goja.Value) goja.Value {
		if q := this(v); q.cache != "" {
			return r.VM.ToValue(q.cache)
		}
		return goja.Undefined()
	})
	c.Getter("integrity", func(v goja.Value) goja.Value { this(v); return r.VM.ToValue("") })
	c.Getter("keepalive", func(v goja.Value) goja.Value { this(v); return r.VM.ToValue(false) })
	r.bodyMembers(c, func(v goja.Value) (*body, *headers) { q := this(v); return &q.body, q.list() })
	c.Method("clone", 0, func(f goja.FunctionCall) goja.Value {
		q := this(f.This)
		twin := &request{method: q.method, url: q.url, redirect: q.redirect, cache: q.cache, cf: q.cf, signal: r.signalOfRequest(q)}
		twin.body = r.cloneBody(&q.body)
		twin.headers = q.list().clone()
		return r.requestClass().New(twin)
	})
}

// A Departure is a request that code sends.
type Departure struct {
	Method   string
	URL      string
	Header   []string // lower-case names and values in turn
	Body     []byte   // all of it, unless Source is set
	Source   Source
	NoBody   bool   // there is none, as opposed to an empty one
	Redirect string // "follow", "manual" or "error"
	signal   *abortSignal
}

// OnAbort has fn run when the request's signal is aborted. remove can be called at any time.
func (d *Departure) OnAbort(fn func(reason goja.Value)) (remove func()) {
	if d.signal == nil {
		return func() {}
	}
	return d.signal.onAbort(fn)
}

// depart makes a request of the arguments of fetch.
func (r *Realm) depart(input, init goja.Value) (*request, *Departure) {
	q, ok := jsrt.Is[*request](input)
	if !ok || jsrt.Defined(init) {
		q = r.constructRequest(goja.ConstructorCall{Arguments: []goja.Value{input, init}}).(*request)
	}
	if q.signal != nil && q.signal.aborted() {
		panic(q.signal.reason())
	}
	d := &Departure{Method: q.method, URL: q.url, Header: q.list().kv, NoBody: q.body.null, Redirect: q.redirect, signal: q.signal}
	if d.Redirect == "" {
		d.Redirect = "manual" // as a request that came in says of itself
	}
	return q, d
}

// Departing makes a request of the arguments of fetch, reads its body and
// returns a promise for what send returns.
func (r *Realm) Departing(input, init goja.Value, send func(*Departure) goja.Value) goja.Value {
	q, d := r.depart(input, init)
	if q.body.null {
		return send(d)
	}
	return r.consume(&q.body, func(data []byte) goja.Value {
		d.Body = data
		return send(d)
	})
}
