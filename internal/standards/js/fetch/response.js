// The Response class: Fetch, 5.5.
import { is, ok, rejects, same, test, throws } from "../harness.js"

test("a response of nothing", async () => {
	const p = new Response()
	same([p.status, p.ok, p.type, p.url, p.redirected, p.body, p.bodyUsed, [...p.headers]], [200, true, "default", "", false, null, false, []])
	is(await p.text(), "")
})
test("a response needs new", () => { throws(() => Response(), TypeError) })
for (const body of [null, undefined]) test("a response of " + body + " has no body", async () => {
	const p = new Response(body)
	is(p.body, null)
	is(p.headers.get("content-type"), null)
	is(await p.text(), "")
	is(p.bodyUsed, false)
	is(await p.text(), "", "again")
})
test("a response of an empty string has a body", () => { ok(new Response("").body instanceof ReadableStream) })
for (const [status, good] of [[200, true], [201, true], [299, true], [300, false], [304, false], [400, false], [404, false], [500, false], [599, false]])
	test("the status " + status, () => {
		const p = new Response(null, { status })
		same([p.status, p.ok], [status, good])
	})
for (const status of [0, 1, 99, 100, 102, 199, 600, 999, -200, NaN, Infinity, "x", null]) test("no status: " + status, () => { throws(() => new Response(null, { status }), RangeError) })
test("a status is converted to a number", () => {
	is(new Response(null, { status: "404" }).status, 404)
	is(new Response(null, { status: 404.9 }).status, 404)
	is(new Response(null, { status: undefined }).status, 200)
	is(new Response(null, { status: { valueOf: () => 201 } }).status, 201)
})
test("a status is an unsigned short", () => { is(new Response(null, { status: 65536 + 200 }).status, 200) })
for (const status of [204, 205, 304]) test("the status " + status + " has no body", () => {
	throws(() => new Response("x", { status }), TypeError)
	throws(() => new Response(new Uint8Array(1), { status }), TypeError)
	throws(() => new Response(new Blob([]).stream(), { status }), TypeError)
	throws(() => Response.json({}, { status }), TypeError)
	is(new Response(null, { status }).body, null)
	is(new Response(undefined, { status }).body, null)
})
for (const status of [204, 205, 304]) test("the status " + status + " has no empty body", () => { throws(() => new Response("", { status }), TypeError) })
for (const text of ["Fine", "a b\tc", "I'm a teapot", ""]) test("the statusText " + JSON.stringify(text), () => { is(new Response("", { statusText: text }).statusText, text) })
for (const text of ["a\nb", "\r", "\0", "\u007f"]) test("no statusText: " + JSON.stringify(text), () => { throws(() => new Response("", { statusText: text }), TypeError) })
test("a statusText beyond Latin-1", () => { throws(() => new Response("", { statusText: "\u0100" }), TypeError) })
test("the init of a response is a dictionary", () => {
	is(new Response("", undefined).status, 200)
	is(new Response("", null).status, 200)
	throws(() => new Response("", 404), TypeError)
	throws(() => new Response("", "x"), TypeError)
})
test("the init can be a response", () => {
	const a = new Response("a", { status: 201, statusText: "Made", headers: { x: "1" } })
	const b = new Response("b", a)
	same([b.status, b.statusText, b.headers.get("x")], [201, "Made", "1"])
	b.headers.set("x", "2")
	is(a.headers.get("x"), "1")
})
test("the body and init of another response", async () => {
	const a = new Response("a", { headers: { x: "1" } }), b = new Response(a.body, a)
	b.headers.append("x", "2")
	is(b.headers.get("x"), "1, 2")
	is(await b.text(), "a")
	is(a.bodyUsed, true)
})
test("headers of a response that are none", () => {
	throws(() => new Response("", { headers: null }), TypeError)
	throws(() => new Response("", { headers: { "a b": "c" } }), TypeError)
	throws(() => new Response("", { headers: "x" }), TypeError)
})

test("Response.json", async () => {
	const p = Response.json({ a: [1, "\u00e9"], b: undefined })
	same([p.status, p.headers.get("content-type"), p.type], [200, "application/json", "default"])
	is(await p.text(), '{"a":[1,"\u00e9"]}')
})
test("Response.json of values", async () => {
	for (const [v, want] of [[null, "null"], [1, "1"], ["a", '"a"'], [true, "true"], [[], "[]"], [NaN, "null"], [new Date(0), '"1970-01-01T00:00:00.000Z"'], [{ toJSON: () => 5 }, "5"]])
		is(await Response.json(v).text(), want)
})
test("Response.json of what has no JSON", () => {
	throws(() => Response.json(undefined), TypeError)
	throws(() => Response.json(() => {}), TypeError)
	throws(() => Response.json(Symbol("s")), TypeError)
	throws(() => Response.json(1n), TypeError)
	const o = {}
	o.o = o
	throws(() => Response.json(o), TypeError)
	const e = new Error("mine")
	throws(() => Response.json({ get a() { throw e } }), e)
})
test("Response.json needs an argument", () => { throws(() => Response.json(), TypeError) })
test("Response.json takes an init", async () => {
	const p = Response.json({}, { status: 400, statusText: "Oh", headers: { "content-type": "application/problem+json", x: "1" } })
	same([p.status, p.statusText, p.headers.get("content-type"), p.headers.get("x")], [400, "Oh", "application/problem+json", "1"])
	throws(() => Response.json({}, { status: 99 }), RangeError)
	same(await Response.json([1]).json(), [1])
})
test("Response.error", () => {
	const p = Response.error()
	same([p.type, p.status, p.ok, p.body, p.url, [...p.headers]], ["error", 0, false, null, "", []])
	is(p.statusText, "")
})
for (const status of [301, 302, 303, 307, 308]) test("Response.redirect with " + status, () => {
	const p = Response.redirect("https://s.test/a b", status)
	same([p.status, p.headers.get("location"), p.body, p.ok, p.redirected, p.type], [status, "https://s.test/a%20b", null, false, false, "default"])
})
test("Response.redirect has 302 by default", () => {
	is(Response.redirect("https://s.test").status, 302)
	is(Response.redirect("https://s.test", undefined).status, 302)
	is(Response.redirect(new URL("https://s.test")).headers.get("location"), "https://s.test/")
})
for (const status of [200, 300, 304, 309, 0, 400, NaN, null]) test("Response.redirect without " + status, () => { throws(() => Response.redirect("https://s.test", status), RangeError) })
test("Response.redirect to no URL", () => {
	throws(() => Response.redirect("https://"), TypeError)
	throws(() => Response.redirect(), TypeError)
})

test("clone makes an equal response", async () => {
	const a = new Response("hi", { status: 201, statusText: "Made", headers: { x: "1" } }), b = a.clone()
	ok(b instanceof Response && b !== a && b.headers !== a.headers)
	same([b.status, b.statusText, b.headers.get("x"), b.headers.get("content-type")], [201, "Made", "1", "text/plain;charset=UTF-8"])
	b.headers.set("x", "2")
	is(a.headers.get("x"), "1")
	same([await a.text(), await b.text()], ["hi", "hi"])
})
test("clone of a clone", async () => {
	const a = new Response("hi"), b = a.clone(), c = b.clone()
	same(await Promise.all([a, b, c].map((p) => p.text())), ["hi", "hi", "hi"])
})
test("clone of a response without a body", () => {
	const a = new Response(null, { status: 204 }), b = a.clone()
	same([b.status, b.body], [204, null])
})
test("clone of a used response throws", async () => {
	const a = new Response("hi")
	await a.text()
	throws(() => a.clone(), TypeError)
})
test("clone of a locked response throws", () => {
	const a = new Response("hi")
	a.body.getReader()
	throws(() => a.clone(), TypeError)
})
test("clone gives the first another stream", () => {
	const a = new Response(new Blob(["hi"]).stream()), before = a.body
	a.clone()
	ok(before.locked)
	ok(!a.body.locked)
})
test("clones of a stream that fails both fail", async () => {
	const e = new Error("mine")
	const a = new Response(new ReadableStream({ pull(c) { c.error(e) } })), b = a.clone()
	await rejects(a.text(), e)
	await rejects(b.text(), e)
})
test("clones of a stream read at their own pace", async () => {
	const a = new Response(new ReadableStream({ start(c) { for (const s of ["a", "b", "c"]) c.enqueue(new TextEncoder().encode(s)); c.close() } })), b = a.clone()
	is(await a.text(), "abc")
	is(await b.text(), "abc")
})
test("one clone can be cancelled", async () => {
	const a = new Response("hi"), b = a.clone()
	a.body.cancel()
	is(await b.text(), "hi")
})
test("tee of a response's body", async () => {
	const [x, y] = new Response("hi").body.tee()
	same([await new Response(x).text(), await new Response(y).text()], ["hi", "hi"])
})
test("attributes of a response cannot be set", () => {
	const p = new Response()
	for (const k of ["status", "ok", "statusText", "headers", "url", "redirected", "type", "body", "bodyUsed"]) throws(() => { p[k] = "x" }, TypeError, k)
})
test("a response is of class Response", () => {
	is(Object.prototype.toString.call(new Response()), "[object Response]")
	throws(() => Response.prototype.status, TypeError)
	is(Response.length, 0)
})
test("a class can extend Response", () => {
	class Mine extends Response { constructor(b) { super(b, { status: 418 }) } }
	const p = new Mine("x")
	ok(p instanceof Response && p instanceof Mine)
	is(p.status, 418)
})
