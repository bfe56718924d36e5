package webapi

import "github.com/dop251/goja"

// fetchGlobals are the classes of the Fetch standard, and a fetch that says why it does nothing.
var fetchGlobals = []global{
	class("Headers", (*Realm).headersClass),
	class("Request", (*Realm).requestClass),
	class("Response", (*Realm).responseClass),
	function("fetch", 1, func(r *Realm, c goja.FunctionCall) goja.Value {
		return r.Async(func() goja.Value {
			q := r.constructRequest(goja.ConstructorCall{Arguments: c.Arguments}).(*request)
			r.TypeError("fetch failed: this app has no access to the network, so it cannot reach %s", q.url)
			return nil
		})
	}),
}
