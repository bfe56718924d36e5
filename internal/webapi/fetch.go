package webapi

import (
	"strings"

	"github.com/dop251/goja"
)

// fetchGlobals are the classes of the Fetch standard, and fetch.
var fetchGlobals = []global{
	class("Headers", (*Realm).headersClass),
	class("Request", (*Realm).requestClass),
	class("Response", (*Realm).responseClass),
	function("fetch", 1, func(r *Realm, c goja.FunctionCall) goja.Value {
		return r.Async(func() goja.Value { return r.fetch(c.Argument(0), c.Argument(1)) })
	}),
}

// fetch hands a request to the network, with a body that is read as it is sent.
func (r *Realm) fetch(input, init goja.Value) goja.Value {
	q, d := r.depart(input, init)
	scheme, rest, _ := strings.Cut(d.URL, "://")
	if scheme != "http" && scheme != "https" {
		r.TypeError("Fetch API cannot load: %s", d.URL)
	}
	authority := rest
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		authority = rest[:i]
	}
	if i := strings.LastIndexByte(authority, '@'); i >= 0 { // not to be repeated in a message
		r.TypeError("fetch failed: the URL for %s holds a user name or a password; send an Authorization header instead", authority[i+1:])
	}
	if r.Network == nil {
		r.TypeError("fetch failed: this app has no access to the network, so it cannot reach %s", d.URL)
	}
	if !d.NoBody {
		r.use(&q.body)
		if data, ok := q.body.immediate(); ok {
			d.Body = data
		} else if d.Source = q.body.source; d.Source == nil {
			d.Source = r.sourceOf(q.body.stream)
		}
	}
	return r.Network(d)
}
