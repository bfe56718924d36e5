// Bodies that are streams: Fetch, 2.2.4 and 5.3, with Streams.
import { is, ok, rejects, same, settle, test, throws } from "../harness.js"

const utf8 = (s) => new TextEncoder().encode(s)
const streamOf = (...chunks) => new ReadableStream({ start(c) { for (const v of chunks) c.enqueue(utf8(v)); c.close() } })

test("a body that was read in part is used", async () => {
	const p = new Response(streamOf("a", "b")), r = p.body.getReader()
	await r.read()
	is(p.bodyUsed, true)
	r.releaseLock()
	is(p.bodyUsed, true)
	await rejects(p.text(), TypeError)
	throws(() => p.clone(), TypeError)
})
test("a lock that was released without reading leaves the body", async () => {
	const p = new Response(streamOf("a", "b"))
	p.body.getReader().releaseLock()
	is(p.bodyUsed, false)
	is(await p.text(), "ab")
})
test("a reader takes the chunks one by one", async () => {
	const r = new Response(streamOf("a", "b")).body.getReader()
	same([...(await r.read()).value], [97])
	same([...(await r.read()).value], [98])
	same(await r.read(), { value: undefined, done: true })
	await r.closed
})
test("the stream of an empty body ends at once", async () => {
	same(await new Response("").body.getReader().read(), { value: undefined, done: true })
})
test("pipeTo reads a body", async () => {
	const got = [], p = new Response(streamOf("a", "b"))
	await p.body.pipeTo(new WritableStream({ write(c) { got.push(...c) } }))
	same(got, [97, 98])
	is(p.bodyUsed, true)
})
test("a stream passes from one response to the next", async () => {
	const a = new Response(streamOf("a", "b")), b = new Response(a.body), c = new Response(b.body)
	is(a.body, c.body)
	is(await c.text(), "ab")
	is(a.bodyUsed, true)
	is(b.bodyUsed, true)
})
test("a stream in two responses is read by one", async () => {
	const s = streamOf("a"), a = new Response(s), b = new Response(s)
	is(await a.text(), "a")
	is(b.bodyUsed, true)
	await rejects(b.text(), TypeError)
})
test("the body of a request passes to a response", async () => {
	const q = new Request("https://s.test", { method: "POST", body: "hi" })
	is(await new Response(q.body).text(), "hi")
	is(q.bodyUsed, true)
})
test("a clone's branches have the same chunks", async () => {
	const a = new Response(streamOf("a", "b")), b = a.clone()
	const x = a.body.getReader(), y = b.body.getReader()
	same([...(await x.read()).value], [97])
	same([...(await y.read()).value], [97])
	same([...(await y.read()).value], [98])
	same([...(await x.read()).value], [98])
})
test("cancelling both clones cancels the source", async () => {
	let why
	const a = new Response(new ReadableStream({ cancel(r) { why = r } })), b = a.clone()
	const done = Promise.all([a.body.cancel(1), b.body.cancel(2)])
	await done
	same(why, [1, 2])
})
test("a clone of a request with a stream", async () => {
	const a = new Request("https://s.test", { method: "POST", body: streamOf("a", "b"), duplex: "half" }), b = a.clone()
	same([await b.text(), await a.text()], ["ab", "ab"])
})
test("text waits for the stream to end", async () => {
	let c, got = ""
	const p = new Response(new ReadableStream({ start(x) { c = x } })).text().then((s) => { got = s })
	c.enqueue(utf8("a"))
	await settle()
	is(got, "")
	c.enqueue(utf8("b"))
	c.close()
	await p
	is(got, "ab")
})
test("a stream that fails late rejects", async () => {
	let c
	const e = new Error("mine")
	const p = new Response(new ReadableStream({ start(x) { c = x } })).text()
	c.enqueue(utf8("a"))
	await settle()
	c.error(e)
	await rejects(p, e)
})
test("a stream that fails with undefined rejects", async () => {
	let got = "nothing"
	await new Response(new ReadableStream({ start(c) { c.error(undefined) } })).text().catch((e) => { got = e })
	is(got, undefined)
})
test("chunks of other views are no bytes of a Uint8Array", async () => {
	await rejects(new Response(new ReadableStream({ start(c) { c.enqueue({}); c.close() } })).text(), TypeError)
	await rejects(new Response(new ReadableStream({ start(c) { c.enqueue(null); c.close() } })).text(), TypeError)
})
test("compression of a body and back", async () => {
	const packed = new Response("hello hello").body.pipeThrough(new CompressionStream("gzip"))
	is(await new Response(packed.pipeThrough(new DecompressionStream("gzip"))).text(), "hello hello")
})
test("many small chunks", async () => {
	let n = 0
	const s = new ReadableStream({ pull(c) { if (n++ < 2000) c.enqueue(utf8("x")); else c.close() } })
	is((await new Response(s).text()).length, 2000)
})
test("a body cannot be cloned by structuredClone", () => {
	throws(() => structuredClone(new Response("x")), "DataCloneError")
	throws(() => structuredClone(new Request("https://s.test")), "DataCloneError")
	throws(() => structuredClone(new Headers()), "DataCloneError")
})
test("bodies have no JSON of their own", () => {
	is(JSON.stringify(new Headers({ a: "1" })), "{}")
})
test("two reads at once: the second is rejected", async () => {
	const p = new Response(streamOf("a"))
	const first = p.text()
	await rejects(p.text(), TypeError)
	is(await first, "a")
})
test("a json body of a stream", async () => { same(await new Response(streamOf('{"a"', ":1}")).json(), { a: 1 }) })
test("a blob body of a stream", async () => {
	const b = await new Response(streamOf("a", "b"), { headers: { "content-type": "x/y" } }).blob()
	same([b.type, b.size], ["x/y", 2])
})
test("a form of a stream", async () => {
	is((await new Response(streamOf("a=", "1&b=2"), { headers: { "content-type": "application/x-www-form-urlencoded" } }).formData()).get("b"), "2")
})
