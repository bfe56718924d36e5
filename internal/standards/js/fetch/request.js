// The Request class: Fetch, 5.4.
import { is, ok, rejects, same, settle, test, throws } from "../harness.js"

const url = "https://s.test/p"

test("a request of a URL", () => {
	const q = new Request(url)
	same([q.method, q.url, q.redirect, q.bodyUsed, q.body, [...q.headers]], ["GET", url, "follow", false, null, []])
	ok(q.signal instanceof AbortSignal)
	is(q.signal.aborted, false)
})
for (const [input, want] of [
	["HTTPS://S.test", "https://s.test/"],
	[new URL("https://s.test/a b"), "https://s.test/a%20b"],
	[{ toString: () => "https://s.test/x" }, "https://s.test/x"],
	["https://s.test/../x?q", "https://s.test/x?q"],
	[" https://s.test/\n", "https://s.test/"],
]) test("the url of a request of " + JSON.stringify(String(input)), () => { is(new Request(input).url, want) })
for (const bad of ["", "relative", "/path", "//s.test", "https://", undefined, null, 1]) test("no request: " + JSON.stringify(bad), () => { throws(() => new Request(bad), TypeError) })
test("a request needs an argument and new", () => {
	throws(() => new Request(), TypeError)
	throws(() => Request(url), TypeError)
})
test("the init of a request is a dictionary", () => {
	is(new Request(url, undefined).method, "GET")
	is(new Request(url, null).method, "GET")
	throws(() => new Request(url, 1), TypeError)
	throws(() => new Request(url, "POST"), TypeError)
})

for (const m of ["delete", "get", "head", "options", "post", "put"]) test("the method " + m, () => {
	const cased = m[0] + m.slice(1).toUpperCase()
	is(new Request(url, { method: m }).method, m.toUpperCase())
	is(new Request(url, { method: cased }).method, m.toUpperCase())
})
for (const m of ["PATCH", "PROPFIND", "REPORT", "PURGE", "LOCK"]) test("the method " + m, () => { is(new Request(url, { method: m }).method, m) })
for (const m of ["CONNECT", "connect", "TRACE", "trace", "TRACK", "TrAcK", "", " ", "GET ", "a b", "a/b", "\u00e9", null + "\n"]) test("no method: " + JSON.stringify(m), () => { throws(() => new Request(url, { method: m }), TypeError) })
test("an undefined method is GET", () => { is(new Request(url, { method: undefined }).method, "GET") })
test("a method of any kind is converted to a string", () => { is(new Request(url, { method: { toString: () => "post" } }).method, "POST") })

for (const r of ["follow", "manual"]) test("redirect: " + r, () => { is(new Request(url, { redirect: r }).redirect, r) })
for (const r of ["", "Follow", "none", null]) test("no redirect: " + JSON.stringify(r), () => { throws(() => new Request(url, { redirect: r }), TypeError) })

for (const method of ["GET", "HEAD"]) test(method + " has no body", () => {
	throws(() => new Request(url, { method, body: "" }), TypeError)
	throws(() => new Request(url, { method, body: new Uint8Array(1) }), TypeError)
	is(new Request(url, { method, body: null }).body, null)
	is(new Request(url, { method, body: undefined }).body, null)
})
test("no method with a body is GET with one", () => { throws(() => new Request(url, { body: "x" }), TypeError) })

for (const [name, make, type, text] of [
	["a string", () => "caf\u00e9", "text/plain;charset=UTF-8", "caf\u00e9"],
	["an empty string", () => "", "text/plain;charset=UTF-8", ""],
	["a number", () => 12, "text/plain;charset=UTF-8", "12"],
	["an object", () => ({}), "text/plain;charset=UTF-8", "[object Object]"],
	["an array", () => ["a", "b"], "text/plain;charset=UTF-8", "a,b"],
	["params", () => new URLSearchParams({ a: "b c" }), "application/x-www-form-urlencoded;charset=UTF-8", "a=b+c"],
	["a Blob with a type", () => new Blob(["x"], { type: "image/png" }), "image/png", "x"],
	["a Blob without a type", () => new Blob(["x"]), null, "x"],
	["a File", () => new File(["x"], "f", { type: "a/b" }), "a/b", "x"],
	["an ArrayBuffer", () => new Uint8Array([104, 105]).buffer, null, "hi"],
	["a Uint8Array", () => new Uint8Array([104, 105]), null, "hi"],
	["a part of a Uint8Array", () => new Uint8Array([0, 104, 105, 0]).subarray(1, 3), null, "hi"],
	["a Uint16Array", () => new Uint16Array(new Uint8Array([104, 105]).buffer), null, "hi"],
	["a DataView", () => new DataView(new Uint8Array([0, 104, 105]).buffer, 1), null, "hi"],
	["a stream", () => new Blob(["hi"]).stream(), null, "hi"],
]) {
	test("a request with " + name, async () => {
		const q = new Request(url, { method: "POST", body: make() })
		is(q.headers.get("content-type"), type)
		ok(q.body instanceof ReadableStream)
		is(q.bodyUsed, false)
		is(await q.text(), text)
		is(q.bodyUsed, true)
	})
	test("a response with " + name, async () => {
		const p = new Response(make())
		is(p.headers.get("content-type"), type)
		ok(p.body instanceof ReadableStream)
		is(p.bodyUsed, false)
		is(await p.text(), text)
		is(p.bodyUsed, true)
	})
	test("a content type of its own with " + name, () => {
		is(new Request(url, { method: "PUT", body: make(), headers: { "Content-Type": "x/y" } }).headers.get("content-type"), "x/y")
		is(new Response(make(), { headers: [["content-TYPE", "x/y"]] }).headers.get("content-type"), "x/y")
	})
}
test("a request with FormData", async () => {
	const f = new FormData()
	f.append("a", "b")
	const q = new Request(url, { method: "POST", body: f })
	ok(/^multipart\/form-data; ?boundary=/.test(q.headers.get("content-type")), q.headers.get("content-type"))
	is((await q.formData()).get("a"), "b")
})
test("a body that throws", () => {
	const e = new Error("mine")
	throws(() => new Request(url, { method: "POST", body: { toString() { throw e } } }), e)
	throws(() => new Response({ toString() { throw e } }), e)
	throws(() => new Response(Symbol("s")), TypeError)
})
test("bytes of a body are copied", async () => {
	const bytes = new Uint8Array([104, 105]), p = new Response(bytes), q = new Request(url, { method: "POST", body: bytes.buffer })
	bytes[0] = 0
	is(await p.text(), "hi")
	is(await q.text(), "hi")
})

test("a request of a request takes over its members", async () => {
	const a = new Request(url, { method: "POST", headers: { x: "1" }, body: "hi", redirect: "manual" })
	const b = new Request(a)
	same([b.method, b.url, b.headers.get("x"), b.redirect], ["POST", url, "1", "manual"])
	is(await b.text(), "hi")
})
test("a request of a request uses up its body", async () => {
	const a = new Request(url, { method: "POST", body: "hi" }), b = new Request(a)
	is(a.bodyUsed, true)
	is(b.bodyUsed, false)
	await rejects(a.text(), TypeError)
	throws(() => new Request(a), TypeError)
	is(await b.text(), "hi")
})
test("a request of a request with another body leaves the first", async () => {
	const a = new Request(url, { method: "POST", body: "hi" }), b = new Request(a, { body: "other" })
	is(a.bodyUsed, false)
	is(await a.text(), "hi")
	is(await b.text(), "other")
})
test("a request of a used request can have another body", async () => {
	const a = new Request(url, { method: "POST", body: "hi" })
	await a.text()
	is(await new Request(a, { body: "other" }).text(), "other")
})
test("a request of a request changes what init says", () => {
	const a = new Request(url, { method: "PUT", headers: { x: "1", y: "2" }, redirect: "manual" })
	const b = new Request(a, { method: "DELETE", headers: { z: "3" }, redirect: "follow" })
	same([b.method, [...b.headers], b.redirect, b.url], ["DELETE", [["z", "3"]], "follow", url])
	same([a.method, a.redirect, a.headers.get("x")], ["PUT", "manual", "1"])
})
test("a request of a request: a body and GET do not go together", () => {
	const a = new Request(url, { method: "POST", body: "hi" })
	throws(() => new Request(a, { method: "GET" }), TypeError)
})
test("a request of a request copies the headers", () => {
	const a = new Request(url, { headers: { x: "1" } }), b = new Request(a)
	b.headers.set("x", "2")
	is(a.headers.get("x"), "1")
})
test("a request whose stream is locked", () => {
	const a = new Request(url, { method: "POST", body: "hi" })
	a.body.getReader()
	throws(() => new Request(a), TypeError)
	throws(() => a.clone(), TypeError)
})
test("the URL and init of another request", () => {
	const a = new Request(url, { method: "POST", headers: { x: "1" } })
	const b = new Request("https://t.test/", a)
	same([b.url, b.method, b.headers.get("x")], ["https://t.test/", "POST", "1"])
})
test("the init of another request with a body takes it over", async () => {
	const a = new Request(url, { method: "POST", body: "hi", headers: { "content-type": "x/y" } })
	const b = new Request("https://t.test/", a)
	is(b.headers.get("content-type"), "x/y")
	is(await b.text(), "hi")
})

test("clone makes an equal request", async () => {
	const a = new Request(url, { method: "POST", body: "hi", headers: { x: "1" }, redirect: "manual" }), b = a.clone()
	ok(b instanceof Request && b !== a)
	same([b.method, b.url, b.headers.get("x"), b.redirect], ["POST", url, "1", "manual"])
	ok(b.headers !== a.headers)
	b.headers.set("x", "2")
	is(a.headers.get("x"), "1")
	same([await a.text(), await b.text()], ["hi", "hi"])
})
test("clone of a used request throws", async () => {
	const a = new Request(url, { method: "POST", body: "hi" })
	await a.text()
	throws(() => a.clone(), TypeError)
})
test("clone of a request without a body", async () => {
	const a = new Request(url)
	await a.text()
	is(a.clone().body, null)
})

test("the signal of a request follows its init's", () => {
	const c = new AbortController(), q = new Request(url, { signal: c.signal })
	is(q.signal.aborted, false)
	c.abort("why")
	is(q.signal.aborted, true)
	is(q.signal.reason, "why")
})
test("the signal of a request that is aborted already", () => {
	const q = new Request(url, { signal: AbortSignal.abort("why") })
	same([q.signal.aborted, q.signal.reason], [true, "why"])
})
test("the signal of a request fires", () => {
	const c = new AbortController(), q = new Request(url, { signal: c.signal })
	let n = 0
	q.signal.addEventListener("abort", () => n++)
	c.abort()
	is(n, 1)
})
test("the signal of a clone follows", () => {
	const c = new AbortController(), q = new Request(url, { signal: c.signal }).clone()
	c.abort("why")
	same([q.signal.aborted, q.signal.reason], [true, "why"])
})
test("the signal of a request of a request follows", () => {
	const c = new AbortController(), q = new Request(new Request(url, { signal: c.signal }))
	c.abort("why")
	same([q.signal.aborted, q.signal.reason], [true, "why"])
})
test("a signal in init replaces the request's", () => {
	const a = new AbortController(), b = new AbortController()
	const q = new Request(new Request(url, { signal: a.signal }), { signal: b.signal })
	a.abort()
	is(q.signal.aborted, false)
	b.abort("why")
	is(q.signal.reason, "why")
})
test("a null signal is none", () => {
	const c = new AbortController()
	const q = new Request(new Request(url, { signal: c.signal }), { signal: null })
	c.abort()
	is(q.signal.aborted, false)
})
for (const bad of [1, "x", {}, true]) test("no signal: " + JSON.stringify(bad), () => { throws(() => new Request(url, { signal: bad }), TypeError) })
test("fetch of an aborted signal is rejected with its reason", async () => {
	const e = new Error("mine")
	await rejects(fetch(url, { signal: AbortSignal.abort(e) }), e)
	await rejects(fetch(new Request(url, { signal: AbortSignal.abort(e) })), e)
	await rejects(fetch(url, { signal: AbortSignal.abort() }), "AbortError")
})
for (const bad of ["", "relative", "https://"]) test("fetch of no URL is rejected: " + JSON.stringify(bad), async () => { await rejects(fetch(bad), TypeError) })
test("fetch of a request that cannot be is rejected", async () => {
	await rejects(fetch(url, { method: "GET", body: "x" }), TypeError)
	await rejects(fetch(url, { method: "a b" }), TypeError)
	await rejects(fetch(url, { headers: { "a b": "c" } }), TypeError)
})
test("fetch returns a promise also when it throws", () => {
	const p = fetch("relative")
	ok(p instanceof Promise)
	p.catch(() => {})
})
test("attributes of a request cannot be set", () => {
	const q = new Request(url)
	for (const k of ["method", "url", "headers", "redirect", "signal", "body", "bodyUsed"]) throws(() => { q[k] = "x" }, TypeError, k)
})
test("a request is of class Request", () => {
	is(Object.prototype.toString.call(new Request(url)), "[object Request]")
	throws(() => Request.prototype.method, TypeError)
	throws(() => Request.prototype.clone.call(new Response()), TypeError)
})
test("a class can extend Request", () => {
	class Mine extends Request { get host() { return new URL(this.url).host } }
	const q = new Mine(url, { method: "POST", body: "x" })
	ok(q instanceof Request && q instanceof Mine)
	is(q.host, "s.test")
	is(new Request(q).method, "POST")
})
test("the credentials of a URL", () => {
	// Fetch refuses them; runtimes of servers do not.
	is(new URL(new Request("https://me:pw@s.test/").url).hostname, "s.test")
})
test("cache: no-store is known", () => { is(new Request(url, { cache: "no-store" }).cache, "no-store") })
test("cache: no-store is kept", () => {
	const q = new Request(url, { cache: "no-store" })
	is(q.clone().cache, "no-store")
	is(new Request(q).cache, "no-store")
	is(new Request(q, { cache: "no-cache" }).cache, "no-cache")
})
test("cache: what is no mode", () => { throws(() => new Request(url, { cache: "none" }), TypeError) })
test("members that do not concern a server are taken", () => {
	const q = new Request(url, { integrity: "", keepalive: false, referrer: "about:client", referrerPolicy: "no-referrer", window: null, priority: "high", duplex: "half" })
	is(q.url, url)
	same([q.integrity, q.keepalive], ["", false])
})
test("mode and credentials are taken", () => { is(new Request(url, { mode: "cors", credentials: "include" }).url, url) })
