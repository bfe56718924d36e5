package webapi

import (
	"slices"
	"strings"

	"github.com/dop251/goja"

	"samkit.dev/internal/jsrt"
)

// headers is a header list of the Fetch standard: lower-case names and values in turn.
type headers struct {
	kv     []string
	frozen bool         // guard "immutable", of a request that came in
	obj    *goja.Object // the Headers object, once made
}

// get returns the combined value of a name given in lower case.
func (h *headers) get(name string) (string, bool) {
	value, found := "", false
	for k := 0; k < len(h.kv); k += 2 {
		if h.kv[k] != name {
			continue
		}
		if found {
			value += ", " + h.kv[k+1]
		} else {
			value, found = h.kv[k+1], true
		}
	}
	return value, found
}

func (h *headers) has(name string) bool {
	for k := 0; k < len(h.kv); k += 2 {
		if h.kv[k] == name {
			return true
		}
	}
	return false
}

// maxHeaders bounds a list, since every operation is linear in it.
const maxHeaders = 2048

func (r *Realm) addHeader(h *headers, name, value string) {
	if len(h.kv) >= 2*maxHeaders {
		r.RangeError("A header list holds at most %d headers.", maxHeaders)
	}
	h.kv = append(h.kv, name, value)
}

func (h *headers) del(name string) {
	kept := h.kv[:0]
	for k := 0; k < len(h.kv); k += 2 {
		if h.kv[k] != name {
			kept = append(kept, h.kv[k], h.kv[k+1])
		}
	}
	h.kv = kept
}

// set replaces the first value of name and drops the others.
func (h *headers) set(name, value string) {
	done, kept := false, h.kv[:0]
	for k := 0; k < len(h.kv); k += 2 {
		switch {
		case h.kv[k] != name:
			kept = append(kept, h.kv[k], h.kv[k+1])
		case !done:
			kept, done = append(kept, name, value), true
		}
	}
	if !done {
		kept = append(kept, name, value)
	}
	h.kv = kept
}

func (h *headers) clone() headers { return headers{kv: slices.Clone(h.kv)} }

// sorted is the list to iterate over: by name, values combined, except that
// each set-cookie stands alone.
func (h *headers) sorted() []string {
	out := make([]string, 0, len(h.kv))
	for k := 0; k < len(h.kv); k += 2 {
		name := h.kv[k]
		if name == "set-cookie" {
			out = append(out, name, h.kv[k+1])
			continue
		}
		if h.earlier(name, k) {
			continue
		}
		value, _ := h.get(name)
		out = append(out, name, value)
	}
	for a := 2; a < len(out); a += 2 { // insertion sort: stable, and lists are short
		for b := a; b > 0 && out[b-2] > out[b]; b -= 2 {
			out[b-2], out[b-1], out[b], out[b+1] = out[b], out[b+1], out[b-2], out[b-1]
		}
	}
	return out
}

// earlier reports whether name stands before index k.
func (h *headers) earlier(name string, k int) bool {
	for j := 0; j < k; j += 2 {
		if h.kv[j] == name {
			return true
		}
	}
	return false
}

func lower(s string) string {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c >= 'A' && c <= 'Z' {
			return strings.ToLower(s)
		}
	}
	return s
}

// tokenChar tells the bytes of a header name (RFC 9110, token).
func tokenChar(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("!#$%&'*+-.^_`|~", c) >= 0
}

// headerName checks and lower-cases a name, or throws.
func (r *Realm) headerName(v goja.Value) string {
	s := r.str(v)
	if s == "" {
		r.TypeError("Invalid header name.")
	}
	for i := 0; i < len(s); i++ {
		if !tokenChar(s[i]) {
			r.TypeError("Invalid header name.")
		}
	}
	return lower(s)
}

// headerValue normalizes and checks a value, or throws.
func (r *Realm) headerValue(v goja.Value) string {
	s := strings.Trim(r.str(v), httpSpace)
	if strings.ContainsAny(s, "\x00\r\n") {
		r.TypeError("Invalid header value.")
	}
	return s
}

// fill adds the entries of a HeadersInit.
func (r *Realm) fill(h *headers, init goja.Value) {
	o, ok := init.(*goja.Object)
	if !ok {
		if !goja.IsUndefined(init) {
			r.TypeError("Failed to construct 'Headers': the provided value is not of type '(record<ByteString, ByteString> or sequence<sequence<ByteString>>)'.")
		}
		return
	}
	if it := o.GetSymbol(goja.SymIterator); jsrt.Defined(it) {
		if src, ok := jsrt.Is[*headers](o); ok && r.headersClass().Iterates(it) { // as it would say itself
			h.kv = append(h.kv, src.kv...)
			return
		}
		r.VM.ForOf(o, func(e goja.Value) bool {
			var pair []goja.Value
			if _, ok := e.(*goja.Object); !ok {
				r.TypeError("To initialize a Headers object from a sequence, the sequence must contain only [name, value] pairs.")
			}
			r.VM.ForOf(e, func(v goja.Value) bool { pair = append(pair, v); return len(pair) < 3 })
			if len(pair) != 2 {
				r.TypeError("To initialize a Headers object from a sequence, the sequence must contain only [name, value] pairs.")
			}
			r.addHeader(h, r.headerName(pair[0]), r.headerValue(pair[1]))
			return true
		})
		return
	}
	r.EachMember(o, func(k jsrt.Key, v goja.Value) {
		r.addHeader(h, r.headerName(r.VM.ToValue(k.String())), r.headerValue(v))
	})
}

// headersObject returns the one Headers object of h.
func (r *Realm) headersObject(h *headers) goja.Value {
	if h.obj == nil {
		h.obj = r.headersClass().New(h)
	}
	return h.obj
}

func (r *Realm) headersClass() *jsrt.Class {
	if r.classes.headers == nil {
		r.classes.headers = r.Class("Headers", 0, func(c goja.ConstructorCall) any {
			h := &headers{}
			r.fill(h, c.Argument(0))
			return h
		}, r.defineHeaders)
	}
	return r.classes.headers
}

func (r *Realm) defineHeaders(c *jsrt.Class) {
	this := func(v goja.Value) *headers { return jsrt.This[*headers](r.Runtime, v) }
	writable := func(v goja.Value) *headers {
		h := this(v)
		if h.frozen {
			r.TypeError("Can't modify immutable headers.")
		}
		return h
	}
	c.Method("get", 1, func(f goja.FunctionCall) goja.Value {
		r.argc(f, 1, "get on Headers")
		if v, ok := this(f.This).get(r.headerName(f.Argument(0))); ok {
			return r.VM.ToValue(v)
		}
		return goja.Null()
	})
	c.Method("has", 1, func(f goja.FunctionCall) goja.Value {
		r.argc(f, 1, "has on Headers")
		return r.VM.ToValue(this(f.This).has(r.headerName(f.Argument(0))))
	})
	c.Method("set", 2, func(f goja.FunctionCall) goja.Value {
		r.argc(f, 2, "set on Headers")
		h := writable(f.This)
		name := r.headerName(f.Argument(0))
		value := r.headerValue(f.Argument(1))
		if !h.has(name) {
			r.addHeader(h, name, value)
		} else {
			h.set(name, value)
		}
		return goja.Undefined()
	})
	c.Method("append", 2, func(f goja.FunctionCall) goja.Value {
		r.argc(f, 2, "append on Headers")
		h := writable(f.This)
		name := r.headerName(f.Argument(0))
		r.addHeader(h, name, r.headerValue(f.Argument(1)))
		return goja.Undefined()
	})
	c.Method("delete", 1, func(f goja.FunctionCall) goja.Value {
		r.argc(f, 1, "delete on Headers")
		writable(f.This).del(r.headerName(f.Argument(0)))
		return goja.Undefined()
	})
	cookies := func(h *headers) goja.Value {
		var all []any
		for k := 0; k < len(h.kv); k += 2 {
			if h.kv[k] == "set-cookie" {
				all = append(all, h.kv[k+1])
			}
		}
		return r.VM.NewArray(all...)
	}
	c.Method("getSetCookie", 0, func(f goja.FunctionCall) goja.Value { return cookies(this(f.This)) })
	c.Method("getAll", 1, func(f goja.FunctionCall) goja.Value { // workerd's own
		r.argc(f, 1, "getAll on Headers")
		h := this(f.This)
		if r.headerName(f.Argument(0)) != "set-cookie" {
			r.TypeError("getAll() can only be used with the header name \"Set-Cookie\".")
		}
		return cookies(h)
	})
	c.Method("forEach", 1, func(f goja.FunctionCall) goja.Value {
		r.argc(f, 1, "forEach on Headers")
		h := this(f.This)
		fn, ok := goja.AssertFunction(f.Argument(0))
		if !ok {
			r.TypeError("Failed to execute 'forEach' on 'Headers': parameter 1 is not of type 'Function'.")
		}
		kv := h.sorted()
		for k := 0; k < len(kv); k += 2 {
			r.Call(fn, f.Argument(1), r.VM.ToValue(kv[k+1]), r.VM.ToValue(kv[k]), f.This)
		}
		return goja.Undefined()
	})
	iterate := func(pick func(name, value string) goja.Value) func(goja.FunctionCall) goja.Value {
		return func(f goja.FunctionCall) goja.Value {
			kv, k := this(f.This).sorted(), 0
			return r.Iterator("Headers Iterator", func() (goja.Value, bool) {
				if k >= len(kv) {
					return nil, false
				}
				k += 2
				return pick(kv[k-2], kv[k-1]), true
			})
		}
	}
	c.Method("entries", 0, iterate(func(n, v string) goja.Value { return r.VM.NewArray(n, v) }))
	c.Method("keys", 0, iterate(func(n, _ string) goja.Value { return r.VM.ToValue(n) }))
	c.Method("values", 0, iterate(func(_, v string) goja.Value { return r.VM.ToValue(v) }))
	c.Alias(goja.SymIterator, "entries")
}
