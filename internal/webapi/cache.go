package webapi

import (
	"strconv"
	"strings"

	"github.com/dop251/goja"

	"samkit.dev/internal/httpcache"
	"samkit.dev/internal/jsrt"
)

// cacheGlobals are the Cache API as Workers has it
// (https://developers.cloudflare.com/workers/runtime-apis/cache/).
var cacheGlobals = []global{
	{"caches", func(r *Realm) goja.Value { return r.cacheStorageClass().New(&cacheStorage{}) }},
	class("CacheStorage", (*Realm).cacheStorageClass),
	class("Cache", (*Realm).cacheClass),
}

// A CacheCall is what code asks of a cache.
type CacheCall struct {
	Cache  string   // "" is the default one; a named one has a colon in front
	URL    string   // absolute
	Header []string // of the request
	Put    *Outgoing
	Delete bool
}

// A CacheHost is a [Host] that keeps responses.
type CacheHost interface {
	Host
	// Cache does what a call asks. It returns a promise for what answer returns: it is given
	// the response, or nil for none, and whether something was deleted.
	Cache(call *CacheCall, answer func(res *Outgoing, deleted bool) goja.Value) goja.Value
}

// cache is CacheHost.Cache; a host that keeps nothing has nothing.
func (r *Realm) cache(call *CacheCall, answer func(*Outgoing, bool) goja.Value) goja.Value {
	h, ok := r.Host.(CacheHost)
	if !ok || !httpcache.Fits(call.Header) || call.Put != nil && !httpcache.Fits(call.Put.Header) {
		return answer(nil, false) // nothing of that kind is kept
	}
	return h.Cache(call, answer)
}

type cacheStorage struct {
	standard *goja.Object // caches.default
}

// A responseCache is what a Cache carries: its name.
type responseCache struct{ name string }

// maxCacheName is the longest name of a cache, in bytes.
const maxCacheName = 1024

func (r *Realm) cacheStorageClass() *jsrt.Class {
	return r.Class("CacheStorage", 0, nil, func(c *jsrt.Class) {
		this := func(v goja.Value) *cacheStorage { return jsrt.This[*cacheStorage](r.Runtime, v) }
		c.Getter("default", func(v goja.Value) goja.Value {
			s := this(v)
			if s.standard == nil {
				s.standard = r.cacheClass().New(&responseCache{})
			}
			return s.standard
		})
		c.Async("open", 1, func(f goja.FunctionCall) goja.Value {
			this(f.This)
			r.parameter(f, 0, "open", "CacheStorage", "string")
			name := r.str(f.Argument(0))
			if len(name) > maxCacheName {
				r.TypeError("The name of a cache is longer than %d bytes.", maxCacheName)
			}
			return r.cacheClass().New(&responseCache{":" + name})
		})
		r.notImplemented(c, "match", "has", "delete", "keys")
	})
}

func (r *Realm) notImplemented(c *jsrt.Class, names ...string) {
	for _, name := range names {
		c.Method(name, 0, func(goja.FunctionCall) goja.Value {
			panic(r.NewError("Error", "Failed to execute '"+name+"' on '"+c.Name+"': the method is not implemented."))
		})
	}
}

func (r *Realm) cacheClass() *jsrt.Class {
	return r.Class("Cache", 0, nil, func(c *jsrt.Class) {
		this := func(f goja.FunctionCall) *responseCache { return jsrt.This[*responseCache](r.Runtime, f.This) }
		c.Async("match", 1, func(f goja.FunctionCall) goja.Value {
			call, get := r.cacheCall(this(f), f, "match")
			if !get {
				return goja.Undefined()
			}
			return r.cache(call, func(res *Outgoing, _ bool) goja.Value {
				if res == nil {
					return goja.Undefined()
				}
				return r.NewResponse(res, "")
			})
		})
		c.Async("put", 2, func(f goja.FunctionCall) goja.Value { return r.cachePut(this(f), f) })
		c.Async("delete", 1, func(f goja.FunctionCall) goja.Value {
			call, get := r.cacheCall(this(f), f, "delete")
			if !get {
				return r.VM.ToValue(false)
			}
			call.Delete = true
			return r.cache(call, func(_ *Outgoing, deleted bool) goja.Value { return r.VM.ToValue(deleted) })
		})
		r.notImplemented(c, "add", "addAll")
	})
}

// cacheCall reads the request of a call. get is false for one that is no GET and has no
// leave to be taken for one.
func (r *Realm) cacheCall(c *responseCache, f goja.FunctionCall, op string) (call *CacheCall, get bool) {
	r.parameter(f, 0, op, "Cache", "Request or string")
	q, ok := jsrt.Is[*request](f.Argument(0))
	if !ok {
		q = r.constructRequest(goja.ConstructorCall{Arguments: f.Arguments[:1]}).(*request)
	}
	get = q.method == "GET"
	if op != "put" {
		get = get || flag(r.dictionary(f.Argument(1), "The options"), "ignoreMethod")
	}
	url, _, _ := strings.Cut(q.url, "#")
	if !strings.HasPrefix(url, "http://") && !strings.HasPrefix(url, "https://") {
		r.TypeError("Invalid URL. Cache API keys must be fully-qualified, valid URLs.")
	}
	return &CacheCall{Cache: c.name, URL: url, Header: q.list().kv}, get
}

// cachePut keeps a response. One that may not be kept, or is too large, is read and forgotten:
// a cache promises nothing.
func (r *Realm) cachePut(c *responseCache, f goja.FunctionCall) goja.Value {
	p, ok := jsrt.Is[*response](f.Argument(1))
	if !ok {
		r.parameter(f, 0, "put", "Cache", "Request or string")
		r.badParameter(1, "put", "Cache", "Response")
	}
	if p.typ == "error" {
		r.TypeError("Cache is unable to store an error response")
	}
	call, get := r.cacheCall(c, f, "put")
	if !get {
		r.TypeError("Cannot cache response to non-GET request.")
	}
	if p.status == 206 {
		r.TypeError("Cannot cache response to a range request (206 Partial Content).")
	}
	if vary, _ := p.headers.get("vary"); strings.Contains(vary, "*") {
		r.TypeError("Cannot cache response with 'Vary: *' header.")
	}
	switch p.status {
	case 101:
		r.TypeError("Cannot cache WebSocket upgrade response.")
	case 304:
		return goja.Undefined()
	}
	call.Put = &Outgoing{Status: p.status}
	for i := 0; i+1 < len(p.headers.kv); i += 2 {
		if p.headers.kv[i] != "content-length" {
			call.Put.Header = append(call.Put.Header, p.headers.kv[i], p.headers.kv[i+1])
		}
	}
	done := func(*Outgoing, bool) goja.Value { return goja.Undefined() }
	length := func(n int) { call.Put.Header = append(call.Put.Header, "content-length", strconv.Itoa(n)) }
	if p.body.null {
		if !nullBody(p.status) {
			length(0)
		}
		return r.cache(call, done)
	}
	r.use(&p.body)
	if data, ok := p.body.immediate(); ok {
		if call.Put.Body = data; len(data) > httpcache.MaxEntry {
			return goja.Undefined()
		}
		length(len(data))
		return r.cache(call, done)
	}
	src := p.body.source
	if src == nil {
		src = r.sourceOf(p.body.stream)
	}
	d := r.Defer()
	bounded := &boundedSource{Source: src, left: httpcache.MaxEntry}
	r.readAll(bounded, func(data []byte) {
		call.Put.Body = data
		if thrown := r.Try(func() { d.Resolve(r.cache(call, done)) }); thrown != nil {
			d.Reject(thrown)
		}
	}, func(err goja.Value) {
		if bounded.left < 0 {
			d.Resolve(goja.Undefined())
			return
		}
		d.Reject(err)
	})
	return d.Promise
}

// A boundedSource gives up a source that is longer than it may be: left is negative then.
type boundedSource struct {
	Source
	left int
}

func (s *boundedSource) Pull(deliver func([]byte, bool, goja.Value)) {
	s.Source.Pull(func(chunk []byte, done bool, err goja.Value) {
		if err == nil {
			s.left -= len(chunk)
		}
		if s.left >= 0 {
			deliver(chunk, done, err)
			return
		}
		if !done {
			s.Source.Cancel(goja.Undefined())
		}
		deliver(nil, false, goja.Undefined())
	})
}
