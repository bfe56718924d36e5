// TransformStream: Streams, 6.
import { is, ok, rejects, same, settle, test, throws } from "../harness.js"
import { chunksOf, deferred, stateOf, streamOf } from "./support.js"

for (const bad of [null, 5, "x"]) test("a transformer that is " + JSON.stringify(bad), () => { throws(() => new TransformStream(bad), TypeError) })
for (const name of ["start", "transform", "flush", "cancel"]) test("a transformer's " + name + " that is no function", () => { for (const bad of [null, 5, {}]) throws(() => new TransformStream({ [name]: bad }), TypeError) })
test("a transformer with types", () => { for (const k of ["readableType", "writableType"]) for (const v of ["bytes", "", null]) throws(() => new TransformStream({ [k]: v }), RangeError) })
test("strategies of a TransformStream are checked", () => {
	throws(() => new TransformStream({}, { highWaterMark: -1 }), RangeError)
	throws(() => new TransformStream({}, {}, { highWaterMark: NaN }), RangeError)
	throws(() => new TransformStream({}, { size: 5 }), TypeError)
})
test("the sides are always the same", () => {
	const t = new TransformStream()
	ok(t.readable instanceof ReadableStream)
	ok(t.writable instanceof WritableStream)
	is(t.readable, t.readable)
	is(t.writable, t.writable)
	is(Object.prototype.toString.call(t), "[object TransformStream]")
})
test("without a transformer chunks go through", async () => { same(await chunksOf(streamOf(1, "b", null).pipeThrough(new TransformStream())), [1, "b", null]) })
test("transform may enqueue none or many", async () => {
	const t = new TransformStream({ transform(x, c) { for (let i = 0; i < x; i++) c.enqueue(x) } })
	same(await chunksOf(streamOf(0, 1, 3).pipeThrough(t)), [1, 3, 3, 3])
})
test("transform may wait", async () => {
	const t = new TransformStream({ async transform(x, c) { await settle(); c.enqueue(x * 2) } })
	same(await chunksOf(streamOf(1, 2).pipeThrough(t)), [2, 4])
})
test("methods get their arguments and the transformer as this", async () => {
	const log = [], transformer = {
		start(...a) { log.push(["start", this === transformer, a.length]) },
		transform(...a) { log.push(["transform", this === transformer, a.length]) },
		flush(...a) { log.push(["flush", this === transformer, a.length]) },
	}
	await chunksOf(streamOf(1).pipeThrough(new TransformStream(transformer)))
	same(log, [["start", true, 1], ["transform", true, 2], ["flush", true, 1]])
})
test("start may enqueue", async () => {
	const t = new TransformStream({ start(c) { c.enqueue("head") } })
	same(await chunksOf(streamOf("x").pipeThrough(t)), ["head", "x"])
})
test("start that throws or rejects", async () => {
	const e = new Error("x")
	throws(() => new TransformStream({ start() { throw e } }), e)
	const t = new TransformStream({ start: () => Promise.reject(e) })
	await rejects(t.readable.getReader().read(), e)
	await rejects(t.writable.getWriter().closed, e)
})
test("transform waits for start", async () => {
	const d = deferred()
	let n = 0
	const t = new TransformStream({ start: () => d.promise, transform() { n++ } })
	t.writable.getWriter().write(1)
	t.readable.getReader().read()
	await settle()
	is(n, 0)
	d.resolve()
	await settle()
	is(n, 1)
})
test("flush may enqueue, and the stream closes after it", async () => {
	const t = new TransformStream({ async flush(c) { await settle(); c.enqueue("tail") } })
	same(await chunksOf(streamOf("x").pipeThrough(t)), ["x", "tail"])
})
test("flush that fails errors both sides", async () => {
	const e = new Error("x"), t = new TransformStream({ flush() { throw e } }), w = t.writable.getWriter(), r = t.readable.getReader()
	const closing = w.close()
	await rejects(r.read(), e)
	await rejects(closing, e)
	await rejects(w.closed, e)
})
test("transform that fails errors both sides", async () => {
	const e = new Error("x"), t = new TransformStream({ transform() { throw e } }), w = t.writable.getWriter(), r = t.readable.getReader()
	const p = w.write(1)
	p.catch(() => {})
	await rejects(r.read(), e)
	await rejects(p, e)
	await rejects(w.closed, e)
	await rejects(r.closed, e)
})
test("transform that rejects errors both sides", async () => {
	const e = new Error("x"), t = new TransformStream({ transform: () => Promise.reject(e) })
	await rejects(chunksOf(streamOf(1).pipeThrough(t)), e)
})

test("the writable side starts with backpressure", async () => {
	const t = new TransformStream(), w = t.writable.getWriter()
	is(w.desiredSize, 1)
	const p = w.write(1)
	is(w.desiredSize, 0)
	is(await stateOf(p), "pending")
	is((await t.readable.getReader().read()).value, 1)
	is(await p, undefined)
	is(await w.ready, undefined)
})
test("a readable highWaterMark lets writes through", async () => {
	const t = new TransformStream({}, undefined, { highWaterMark: 2 }), w = t.writable.getWriter()
	is(await w.write(1), undefined)
	is(await w.write(2), undefined)
	is(await stateOf(w.write(3)), "pending")
})
test("a transform that gives nothing keeps no backpressure", async () => {
	const t = new TransformStream({ transform() {} }, undefined, { highWaterMark: 1 }), w = t.writable.getWriter()
	for (let i = 0; i < 5; i++) is(await w.write(i), undefined)
})
test("desiredSize of a TransformStream's controller", async () => {
	let c
	new TransformStream({ start(x) { c = x } }, {}, { highWaterMark: 4 })
	is(c.desiredSize, 4)
	c.enqueue(1)
	is(c.desiredSize, 3)
	c.terminate()
	is(c.desiredSize, 3)
	c.error(1)
	is(c.desiredSize, null)
})
test("a writable strategy measures what is written", () => {
	const w = new TransformStream({}, { highWaterMark: 10, size: (x) => x.length }).writable.getWriter()
	w.write("abc")
	is(w.desiredSize, 7)
})
test("a readable strategy that throws errors both sides", async () => {
	const e = new Error("x"), t = new TransformStream({}, {}, { highWaterMark: 1, size() { throw e } }), w = t.writable.getWriter()
	await rejects(w.write(1), e)
	await rejects(t.readable.getReader().closed, e)
	await rejects(w.closed, e)
})

test("terminate closes the readable and errors the writable side", async () => {
	let c
	const t = new TransformStream({ start(x) { c = x; c.enqueue(1) } }, {}, { highWaterMark: 1 }), w = t.writable.getWriter()
	is(c.terminate(), undefined)
	same(await chunksOf(t.readable), [1])
	await rejects(w.closed, TypeError)
	await rejects(w.write(1), TypeError)
	throws(() => c.enqueue(2), TypeError)
	is(c.terminate(), undefined)
})
test("terminate within transform", async () => {
	const t = new TransformStream({ transform(x, c) { c.enqueue(x); c.terminate() } })
	same(await chunksOf(streamOf(1, 2, 3).pipeThrough(t)), [1])
})
test("terminate does not flush", async () => {
	let flushed = 0
	const t = new TransformStream({ start(c) { c.terminate() }, flush() { flushed++ } })
	same(await chunksOf(t.readable), [])
	await settle()
	is(flushed, 0)
})
test("controller.error errors both sides of a TransformStream", async () => {
	const e = new Error("x")
	let c
	const t = new TransformStream({ start(x) { c = x } })
	is(c.error(e), undefined)
	await rejects(t.readable.getReader().read(), e)
	await rejects(t.writable.getWriter().write(1), e)
	throws(() => c.enqueue(1), TypeError)
})
test("a write that waits is rejected by an error", async () => {
	const e = new Error("x")
	let c
	const t = new TransformStream({ start(x) { c = x } }), p = t.writable.getWriter().write(1)
	await settle()
	c.error(e)
	await rejects(p, e)
})
test("abort of the writable side errors the readable one", async () => {
	const log = [], t = new TransformStream({ cancel(r) { log.push(r) } }), e = new Error("why"), r = t.readable.getReader(), p = r.read()
	p.catch(() => {})
	is(await t.writable.abort(e), undefined)
	await rejects(p, e)
	same(log.length, 1)
	is(log[0], e)
})
test("cancel of the readable side errors the writable one", async () => {
	const log = [], t = new TransformStream({ cancel(r) { log.push(r) } }), w = t.writable.getWriter(), e = new Error("why")
	is(await t.readable.cancel(e), undefined)
	await rejects(w.closed, e)
	await rejects(w.write(1), e)
	is(log[0], e)
})
test("cancel unblocks a write that waits", async () => {
	const e = new Error("why"), t = new TransformStream(), w = t.writable.getWriter(), p = w.write(1)
	p.catch(() => {})
	await settle()
	await t.readable.cancel(e)
	await rejects(p, e)
})
test("a transformer's cancel that fails", async () => {
	const e = new Error("x"), t = new TransformStream({ cancel() { throw e } })
	await rejects(t.readable.cancel("why"), e)
	await rejects(t.writable.getWriter().closed, e)
	const u = new TransformStream({ cancel() { throw e } })
	await rejects(u.writable.abort("why"), e)
	await rejects(u.readable.getReader().closed, e)
})
test("flush is not called after cancel, nor cancel after flush", async () => {
	const log = [], make = () => new TransformStream({ flush() { log.push("flush") }, cancel() { log.push("cancel") } })
	const a = make()
	await a.readable.cancel()
	await rejects(a.writable.close(), TypeError)
	const b = make(), all = chunksOf(b.readable)
	await b.writable.close()
	await all
	same(log, ["cancel", "flush"])
})
test("the controller of a transformer cannot be made", () => { throws(() => new TransformStreamDefaultController(), TypeError) })
test("members of a TransformStream check what they are called on", () => { for (const k of ["readable", "writable"]) throws(() => Object.getOwnPropertyDescriptor(TransformStream.prototype, k).get.call({}), TypeError) })
