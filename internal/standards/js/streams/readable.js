// ReadableStream with a default controller: Streams, 4.2 and 4.6.
import { is, ok, rejects, same, settle, test, throws } from "../harness.js"
import { chunksOf, deferred, readable, stateOf, streamOf } from "./support.js"

for (const [what, args] of [["nothing", []], ["undefined", [undefined]], ["an empty source", [{}]], ["a strategy of undefined", [{}, undefined]], ["an empty strategy", [{}, {}]]]) {
	test("a stream made of " + what, () => {
		const s = new ReadableStream(...args)
		is(s.locked, false)
		is(Object.prototype.toString.call(s), "[object ReadableStream]")
	})
}
for (const bad of [null, 5, "text", true]) test("a source that is " + JSON.stringify(bad), () => { throws(() => new ReadableStream(bad), TypeError) })
for (const name of ["start", "pull", "cancel"]) {
	test(name + " that is no function", () => {
		for (const bad of [null, 5, "x", {}]) throws(() => new ReadableStream({ [name]: bad }), TypeError)
		ok(new ReadableStream({ [name]: undefined }))
	})
}
for (const bad of ["", "byte", "Bytes", null, 0, {}]) test("a source of type " + JSON.stringify(bad), () => { throws(() => new ReadableStream({ type: bad }), TypeError) })
test("a type that converts to bytes", () => { ok(new ReadableStream({ type: { toString: () => "bytes" } })) })
for (const bad of [-1, NaN, -Infinity, "x"]) test("a highWaterMark of " + bad, () => { throws(() => new ReadableStream({}, { highWaterMark: bad }), RangeError) })
for (const bad of [5, "x", true]) test("a strategy that is " + bad, () => { throws(() => new ReadableStream({}, bad), TypeError) })
test("a size that is no function", () => { for (const bad of [5, null, {}]) throws(() => new ReadableStream({}, { size: bad }), TypeError) })
for (const [given, want] of [[0, 0], [1.5, 1.5], [Infinity, Infinity], ["3", 3], [true, 1], [undefined, 1]]) {
	test("a highWaterMark of " + JSON.stringify(given) + " is " + want, () => { is(readable({}, { highWaterMark: given }).controller.desiredSize, want) })
}
test("what start throws the constructor throws", () => { const e = new Error("x"); throws(() => new ReadableStream({ start() { throw e } }), e) })
test("start runs at once, with the source as this and one argument", () => {
	let args, self
	const source = { start(...a) { args = a; self = this } }
	new ReadableStream(source)
	is(args.length, 1)
	is(self, source)
	is(Object.prototype.toString.call(args[0]), "[object ReadableStreamDefaultController]")
})
test("methods of a source are read once, in order", () => {
	const log = [], source = {}
	for (const name of ["type", "start", "pull", "cancel", "autoAllocateChunkSize"]) Object.defineProperty(source, name, { get() { log.push(name) } })
	const strategy = { get size() { log.push("size") }, get highWaterMark() { log.push("highWaterMark") } }
	new ReadableStream(source, strategy)
	same(log, ["highWaterMark", "size", "autoAllocateChunkSize", "cancel", "pull", "start", "type"])
})
test("pull waits for start", async () => {
	const d = deferred(), log = []
	new ReadableStream({ start() { log.push("start"); return d.promise }, pull() { log.push("pull") } })
	await settle()
	same(log, ["start"])
	d.resolve()
	await settle()
	same(log, ["start", "pull"])
})
test("pull is not called within the constructor", async () => {
	let pulled = 0
	new ReadableStream({ pull() { pulled++ } })
	is(pulled, 0)
	await settle()
	is(pulled, 1)
})
test("pull is called until the queue is full", async () => {
	let n = 0
	new ReadableStream({ pull(c) { c.enqueue(n++) } }, { highWaterMark: 4 })
	await settle()
	is(n, 4)
})
test("pull is not called without a read where highWaterMark is 0", async () => {
	let n = 0
	const r = new ReadableStream({ pull(c) { c.enqueue(n++) } }, { highWaterMark: 0 }).getReader()
	await settle()
	is(n, 0)
	same(await r.read(), { value: 0, done: false })
	await settle()
	is(n, 1)
})
test("pull is not called again before its promise is fulfilled", async () => {
	const d = deferred()
	let n = 0
	const s = new ReadableStream({ pull() { n++; return d.promise } }), r = s.getReader()
	await settle()
	r.read(); r.read()
	await settle()
	is(n, 1)
	d.resolve()
	await settle()
	is(n, 2)
})
test("pull that does nothing is called once for a read", async () => {
	let n = 0
	const r = new ReadableStream({ pull() { n++ } }, { highWaterMark: 0 }).getReader()
	r.read()
	await settle()
	is(n, 1)
})
test("pull that throws errors the stream", async () => {
	const e = new Error("x"), r = new ReadableStream({ pull() { throw e } }).getReader()
	await rejects(r.read(), e)
	await rejects(r.closed, e)
})
test("pull that rejects errors the stream", async () => {
	const e = new Error("x"), r = new ReadableStream({ pull: () => Promise.reject(e) }).getReader()
	await rejects(r.read(), e)
})
test("pull has the source as this", async () => {
	let self, arg
	const source = { pull(c) { self = this; arg = c; c.close() } }
	await chunksOf(new ReadableStream(source))
	is(self, source)
	ok("enqueue" in arg)
})
test("start that rejects errors the stream", async () => {
	const e = new Error("x"), r = new ReadableStream({ start: () => Promise.reject(e) }).getReader()
	await rejects(r.read(), e)
	await rejects(r.closed, e)
})
test("start that rejects with undefined", async () => {
	const r = new ReadableStream({ start: () => Promise.reject() }).getReader()
	is(await r.closed.then(() => "fulfilled", (e) => e), undefined)
})
test("chunks come in order, of any type", async () => {
	const o = {}, all = [undefined, null, 0, "x", o, Symbol.iterator, 5n]
	const got = await chunksOf(streamOf(...all))
	is(got.length, all.length)
	got.forEach((x, i) => is(x, all[i]))
})
test("a chunk that is a promise is not waited for", async () => {
	const p = Promise.resolve(1), r = streamOf(p).getReader()
	is((await r.read()).value, p)
})
test("a read waits for enqueue", async () => {
	const { stream, controller } = readable(), r = stream.getReader(), p = r.read()
	is(await stateOf(p), "pending")
	controller.enqueue("a")
	same(await p, { value: "a", done: false })
})
test("reads that wait are answered in order", async () => {
	const { stream, controller } = readable(), r = stream.getReader()
	const all = [r.read(), r.read(), r.read()]
	controller.enqueue(1); controller.enqueue(2); controller.close()
	same(await Promise.all(all), [{ value: 1, done: false }, { value: 2, done: false }, { value: undefined, done: true }])
})
test("desiredSize counts what is queued", () => {
	const { controller: c } = readable({}, { highWaterMark: 2 })
	is(c.desiredSize, 2)
	c.enqueue(1); is(c.desiredSize, 1)
	c.enqueue(1); is(c.desiredSize, 0)
	c.enqueue(1); is(c.desiredSize, -1)
})
test("desiredSize is not lowered by a chunk for a read that waits", () => {
	const { stream, controller: c } = readable({}, { highWaterMark: 1 })
	stream.getReader().read()
	c.enqueue(1)
	is(c.desiredSize, 1)
})
test("desiredSize grows by a read", async () => {
	const { stream, controller: c } = readable({}, { highWaterMark: 1 }), r = stream.getReader()
	c.enqueue(1); c.enqueue(2)
	is(c.desiredSize, -1)
	await r.read()
	is(c.desiredSize, 0)
})
test("desiredSize of a closed stream is 0, of an errored one null", () => {
	const a = readable({}, { highWaterMark: 5 })
	a.controller.close()
	is(a.controller.desiredSize, 0)
	const b = readable({}, { highWaterMark: 5 })
	b.controller.error(1)
	is(b.controller.desiredSize, null)
})
test("desiredSize while a close waits for the queue", () => {
	const { controller: c } = readable({}, { highWaterMark: 3 })
	c.enqueue(1); c.close()
	is(c.desiredSize, 2)
})
test("size measures chunks and gets them alone", () => {
	const seen = []
	const { controller: c } = readable({}, { highWaterMark: 10, size(...a) { seen.push([this, a]); return a[0].length } })
	c.enqueue("abc")
	is(c.desiredSize, 7)
	same(seen.map(([, a]) => a), [["abc"]])
	is(seen[0][0], undefined)
})
test("size is not asked for a chunk that a read waits for", () => {
	let asked = 0
	const { stream, controller: c } = readable({}, { size() { asked++; return 1 } })
	stream.getReader().read()
	c.enqueue(1)
	is(asked, 0)
})
test("size that throws errors the stream and is thrown by enqueue", async () => {
	const e = new Error("x"), { stream, controller: c } = readable({}, { size() { throw e } })
	throws(() => c.enqueue(1), e)
	await rejects(stream.getReader().read(), e)
})
for (const bad of [NaN, -1, Infinity, -Infinity, undefined, "x"]) {
	test("size that gives " + String(bad), async () => {
		const { stream, controller: c } = readable({}, { size: () => bad })
		throws(() => c.enqueue(1), RangeError)
		await rejects(stream.getReader().closed, RangeError)
	})
}
test("size may give what converts to a number", () => { const { controller: c } = readable({}, { highWaterMark: 5, size: () => "2" }); c.enqueue(1); is(c.desiredSize, 3) })
test("close ends after the queue", async () => {
	const r = streamOf("a").getReader()
	is(await stateOf(r.closed), "pending")
	same(await r.read(), { value: "a", done: false })
	is(await r.closed, undefined)
	same(await r.read(), { value: undefined, done: true })
	same(await r.read(), { value: undefined, done: true })
})
test("close twice, enqueue after close", () => {
	const { controller: c } = readable()
	c.enqueue(1); c.close()
	throws(() => c.close(), TypeError)
	throws(() => c.enqueue(2), TypeError)
})
test("close and enqueue of an errored stream", () => {
	const { controller: c } = readable()
	c.error(new Error("x"))
	throws(() => c.close(), TypeError)
	throws(() => c.enqueue(2), TypeError)
	is(c.error(new Error("y")), undefined)
})
test("close and enqueue of a canceled stream", async () => {
	const { stream, controller: c } = readable()
	await stream.cancel()
	throws(() => c.close(), TypeError)
	throws(() => c.enqueue(2), TypeError)
	is(c.error(new Error("x")), undefined)
	is(await stream.getReader().closed, undefined)
})
test("error after close with an empty queue does nothing", async () => {
	const { stream, controller: c } = readable()
	c.close(); c.error(new Error("x"))
	is(await stream.getReader().closed, undefined)
})
test("error throws the queue away", async () => {
	const { stream, controller: c } = readable(), e = new Error("x")
	c.enqueue(1); c.close(); c.error(e)
	await rejects(stream.getReader().read(), e)
})
test("error without a reason", async () => {
	const { stream, controller: c } = readable()
	c.error()
	is(await stream.getReader().read().then(() => "fulfilled", (e) => e), undefined)
})
test("error rejects reads that wait", async () => {
	const { stream, controller: c } = readable(), r = stream.getReader(), e = { any: 1 }
	const all = [r.read(), r.read(), r.closed]
	c.error(e)
	for (const p of all) await rejects(p.then(), e)
})
test("close in start", async () => { same(await chunksOf(new ReadableStream({ start(c) { c.close() } })), []) })
test("pull is not called after close", async () => {
	let n = 0
	new ReadableStream({ start(c) { c.close() }, pull() { n++ } })
	await settle()
	is(n, 0)
})
test("enqueue and close give undefined", () => { const { controller: c } = readable(); is(c.enqueue(1), undefined); is(c.close(), undefined) })
test("controllers cannot be made", () => {
	throws(() => new ReadableStreamDefaultController(), TypeError)
	throws(() => new ReadableStreamDefaultController(new ReadableStream()), TypeError)
})

test("cancel calls the source with the reason", async () => {
	const reason = {}
	let got, self
	const source = { cancel(...a) { got = a; self = this } }
	is(await new ReadableStream(source).cancel(reason), undefined)
	is(got.length, 1)
	is(got[0], reason)
	is(self, source)
})
test("cancel waits for the source and gives undefined", async () => {
	const d = deferred(), p = new ReadableStream({ cancel: () => d.promise }).cancel()
	is(await stateOf(p), "pending")
	d.resolve(5)
	is(await p, undefined)
})
test("cancel that throws or rejects", async () => {
	const e = new Error("x")
	await rejects(new ReadableStream({ cancel() { throw e } }).cancel(), e)
	await rejects(new ReadableStream({ cancel: () => Promise.reject(e) }).cancel(), e)
})
test("cancel closes although the source fails", async () => {
	const s = new ReadableStream({ cancel() { throw new Error("x") } })
	await rejects(s.cancel())
	same(await s.getReader().read(), { value: undefined, done: true })
})
test("cancel drops the queue", async () => {
	const s = streamOf(1, 2)
	await s.cancel()
	same(await chunksOf(s), [])
})
test("cancel of a locked stream", async () => { const s = new ReadableStream(); s.getReader(); await rejects(s.cancel(), TypeError) })
test("cancel of a closed stream does not call the source", async () => {
	let called = 0
	const s = new ReadableStream({ start(c) { c.close() }, cancel() { called++ } })
	is(await s.cancel(), undefined)
	is(called, 0)
})
test("cancel of an errored stream rejects with its error", async () => {
	let called = 0
	const e = new Error("x"), s = new ReadableStream({ start(c) { c.error(e) }, cancel() { called++ } })
	await rejects(s.cancel("y"), e)
	is(called, 0)
})
test("cancel twice calls the source once", async () => {
	let called = 0
	const s = new ReadableStream({ cancel() { called++ } })
	await s.cancel(); await s.cancel()
	is(called, 1)
})
test("cancel while start has not finished", async () => {
	const log = [], s = new ReadableStream({ start: () => new Promise(() => {}), pull() { log.push("pull") }, cancel(r) { log.push(r) } })
	await s.cancel("r")
	same(log, ["r"])
})
test("cancel ends reads that wait", async () => {
	const r = new ReadableStream().getReader(), p = r.read()
	await r.cancel()
	same(await p, { value: undefined, done: true })
	is(await r.closed, undefined)
})
test("members check what they are called on", async () => {
	const get = (name) => Object.getOwnPropertyDescriptor(ReadableStream.prototype, name).get
	throws(() => get("locked").call({}), TypeError)
	await rejects(ReadableStream.prototype.cancel.call({}), TypeError)
	throws(() => ReadableStream.prototype.getReader.call({}), TypeError)
	throws(() => ReadableStream.prototype.tee.call({}), TypeError)
})
