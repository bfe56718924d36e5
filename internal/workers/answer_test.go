package workers

import "testing"

// TestPlainAnswers answers with what is no promise, and what awaiting makes of it.
func TestPlainAnswers(t *testing.T) {
	for name, c := range map[string][2]string{
		"Response":      {`return new Response("plain")`, "plain"},
		"jobs first":    {`const r = new Response("x"); let v = "no"; Promise.resolve().then(() => { v = "yes"; r.headers.set("x", v) }); return r`, "x"},
		"own then":      {`const r = new Response("a"); r.then = ok => { delete r.then; ok(new Response("b")) }; return r`, "b"},
		"class's then":  {`Response.prototype.then = function (ok) { delete Response.prototype.then; ok(new Response("c")) }; return new Response("a")`, "c"},
		"getter's then": {`Object.defineProperty(Response.prototype, "then", { configurable: true, get() { return ok => { delete Response.prototype.then; ok(new Response("d")) } } }); return new Response("a")`, "d"},
		"subclass":      {`return new (class extends Response {})("e")`, "e"},
		"thenable":      {`return { then(ok) { ok(new Response("f")) } }`, "f"},
		"waits":         {`ctx.waitUntil(new Promise(ok => setTimeout(ok, 1))); return new Response("g")`, "g"},
		"stream":        {`return new Response(new ReadableStream({ start(c) { c.enqueue(new TextEncoder().encode("h")); c.close() } }))`, "h"},
	} {
		t.Run(name, func(t *testing.T) {
			eachLevel(t, Options{}, func(t *testing.T, p *Pool) {
				a := app(t, "export default { fetch(request, env, ctx) { "+c[0]+" } }")
				for range 2 {
					if _, body := get(t, p, a, "/"); body != c[1] {
						t.Errorf("%q, want %q", body, c[1])
					}
				}
			})
		})
	}
}
