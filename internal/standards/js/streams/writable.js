// WritableStream, its writer and its controller: Streams, 5.
import { is, ok, rejects, same, settle, test, throws } from "../harness.js"
import { deferred, recorder, stateOf } from "./support.js"

for (const bad of [null, 5, "x", true]) test("a sink that is " + JSON.stringify(bad), () => { throws(() => new WritableStream(bad), TypeError) })
for (const name of ["start", "write", "close", "abort"]) test("a sink's " + name + " that is no function", () => { for (const bad of [null, 5, {}]) throws(() => new WritableStream({ [name]: bad }), TypeError) })
test("a sink with a type", () => { for (const type of ["bytes", "", null, 0]) throws(() => new WritableStream({ type }), RangeError); ok(new WritableStream({ type: undefined })) })
for (const bad of [-1, NaN, -Infinity, "x"]) test("a sink's highWaterMark of " + bad, () => { throws(() => new WritableStream({}, { highWaterMark: bad }), RangeError) })
test("members of a sink are read once, in order", () => {
	const log = [], sink = {}
	for (const name of ["write", "type", "start", "close", "abort"]) Object.defineProperty(sink, name, { get() { log.push(name) } })
	new WritableStream(sink, { get size() { log.push("size") }, get highWaterMark() { log.push("highWaterMark") } })
	same(log, ["highWaterMark", "size", "abort", "close", "start", "type", "write"])
})
test("a sink's start that throws", () => { const e = new Error("x"); throws(() => new WritableStream({ start() { throw e } }), e) })
test("a sink's start that rejects errors the stream", async () => {
	const e = new Error("x"), w = new WritableStream({ start: () => Promise.reject(e) }).getWriter()
	await rejects(w.closed, e)
	await rejects(w.ready, e)
	await rejects(w.write(1), e)
})
test("start gets the controller, and runs with the sink as this", () => {
	let args, self
	const sink = { start(...a) { args = a; self = this } }
	new WritableStream(sink)
	is(args.length, 1)
	is(self, sink)
	is(Object.prototype.toString.call(args[0]), "[object WritableStreamDefaultController]")
})
test("write gets the chunk and the controller", async () => {
	let args, self
	const sink = { write(...a) { args = a; self = this } }, chunk = {}
	is(await new WritableStream(sink).getWriter().write(chunk), undefined)
	is(args.length, 2)
	is(args[0], chunk)
	ok("error" in args[1])
	is(self, sink)
})
test("close gets nothing", async () => {
	let args, self
	const sink = { close(...a) { args = a; self = this } }
	is(await new WritableStream(sink).getWriter().close(), undefined)
	is(args.length, 0)
	is(self, sink)
})
test("writes wait for start", async () => {
	const d = deferred(), { stream, log } = recorder({ start: () => d.promise }), w = stream.getWriter()
	const p = w.write("a")
	await settle()
	same(log, [])
	d.resolve()
	await p
	same(log, [["write", "a"]])
})
test("writes run one after the other", async () => {
	const gates = [deferred(), deferred()]
	let n = 0
	const { stream, log } = recorder({ write: () => gates[n++].promise }), w = stream.getWriter()
	const a = w.write("a"), b = w.write("b")
	await settle()
	same(log, [["write", "a"]])
	gates[0].resolve()
	await a
	await settle()
	same(log, [["write", "a"], ["write", "b"]])
	is(await stateOf(b), "pending")
	gates[1].resolve()
	is(await b, undefined)
})
test("close runs after all writes", async () => {
	const { stream, log } = recorder({ write: () => settle() }), w = stream.getWriter()
	w.write(1); w.write(2)
	await w.close()
	same(log, [["write", 1], ["write", 2], ["close"]])
	is(await w.closed, undefined)
})
test("a write that fails errors the stream", async () => {
	const e = new Error("x"), { stream, log } = recorder({ write() { throw e } }), w = stream.getWriter()
	const all = [w.write(1), w.write(2), w.close(), w.closed]
	for (const p of all) await rejects(p, e)
	await rejects(w.ready, e)
	same(log, [["write", 1]])
})
test("a write that rejects errors the stream", async () => {
	const e = new Error("x"), w = new WritableStream({ write: () => Promise.reject(e) }).getWriter()
	await rejects(w.write(1), e)
	await rejects(w.closed, e)
	await rejects(w.write(2), e)
	await rejects(w.close(), TypeError)
})
test("a close that fails errors the stream", async () => {
	const e = new Error("x"), w = new WritableStream({ close() { throw e } }).getWriter()
	await rejects(w.close(), e)
	await rejects(w.closed, e)
	is(w.desiredSize, null)
})
test("write and close of a closed stream", async () => {
	const w = new WritableStream().getWriter()
	await w.close()
	await rejects(w.write(1), TypeError)
	await rejects(w.close(), TypeError)
	is(w.desiredSize, 0)
	is(await w.ready, undefined)
})
test("write and close while it closes", async () => {
	const d = deferred(), w = new WritableStream({ close: () => d.promise }).getWriter(), p = w.close()
	await rejects(w.write(1), TypeError)
	await rejects(w.close(), TypeError)
	d.resolve()
	await p
})
test("close of a stream without a writer", async () => {
	const { stream, log } = recorder()
	is(await stream.close(), undefined)
	same(log, [["close"]])
	await rejects(stream.close(), TypeError)
})
test("close and abort of a locked stream", async () => {
	const s = new WritableStream()
	s.getWriter()
	await rejects(s.close(), TypeError)
	await rejects(s.abort(), TypeError)
})

test("getWriter locks, releaseLock unlocks", () => {
	const s = new WritableStream()
	is(s.locked, false)
	const w = s.getWriter()
	ok(w instanceof WritableStreamDefaultWriter)
	is(s.locked, true)
	throws(() => s.getWriter(), TypeError)
	throws(() => new WritableStreamDefaultWriter(s), TypeError)
	is(w.releaseLock(), undefined)
	is(s.locked, false)
	ok(new WritableStreamDefaultWriter(s))
})
for (const bad of [undefined, {}, null]) test("a writer of " + JSON.stringify(bad), () => { throws(() => new WritableStreamDefaultWriter(bad), TypeError) })
test("a released writer does nothing", async () => {
	const w = new WritableStream().getWriter()
	w.releaseLock()
	is(w.releaseLock(), undefined)
	for (const p of [w.write(1), w.close(), w.abort(), w.closed, w.ready]) await rejects(p, TypeError)
	throws(() => w.desiredSize, TypeError)
})
test("writes go on after releaseLock", async () => {
	const { stream, log } = recorder(), w = stream.getWriter(), p = w.write("a")
	w.releaseLock()
	is(await p, undefined)
	same(log, [["write", "a"]])
})
test("releaseLock rejects the closed promise that was there, and replaces ready", async () => {
	const w = new WritableStream().getWriter(), { closed, ready } = w
	w.releaseLock()
	is(w.closed, closed)
	await rejects(closed, TypeError)
	is(await ready, undefined)
	ok(w.ready !== ready)
})
test("releaseLock of a closed stream replaces closed", async () => {
	const w = new WritableStream().getWriter()
	await w.close()
	const { closed } = w
	w.releaseLock()
	ok(w.closed !== closed)
	is(await closed, undefined)
})
test("a second writer sees the state", async () => {
	const s = new WritableStream(), w = s.getWriter()
	await w.close()
	w.releaseLock()
	const v = s.getWriter()
	is(await v.closed, undefined)
	is(await v.ready, undefined)
})

test("desiredSize and ready follow the queue", async () => {
	const d = deferred(), w = new WritableStream({ write: () => d.promise }, { highWaterMark: 2 }).getWriter()
	is(w.desiredSize, 2)
	is(await w.ready, undefined)
	const first = w.ready
	const a = w.write(1)
	is(w.desiredSize, 1)
	is(w.ready, first)
	const b = w.write(2)
	is(w.desiredSize, 0)
	ok(w.ready !== first)
	is(await stateOf(w.ready), "pending")
	w.write(3)
	is(w.desiredSize, -1)
	d.resolve()
	await Promise.all([a, b])
	is(await w.ready, undefined)
})
test("a highWaterMark of 0 is never ready", async () => {
	const w = new WritableStream({}, { highWaterMark: 0 }).getWriter()
	is(w.desiredSize, 0)
	is(await stateOf(w.ready), "pending")
	await w.write(1)
	is(await stateOf(w.ready), "pending")
})
test("the default highWaterMark is 1", () => { is(new WritableStream().getWriter().desiredSize, 1) })
test("close makes a writer ready", async () => {
	const w = new WritableStream({}, { highWaterMark: 0 }).getWriter()
	w.close()
	is(await w.ready, undefined)
})
test("size measures what is written", async () => {
	const w = new WritableStream({ write: () => new Promise(() => {}) }, { highWaterMark: 10, size: (x) => x.length }).getWriter()
	w.write("abc")
	is(w.desiredSize, 7)
})
test("size that throws errors the writable stream", async () => {
	const e = new Error("x"), w = new WritableStream({}, { size() { throw e } }).getWriter()
	await rejects(w.write(1), e)
	await rejects(w.closed, e)
})
for (const bad of [NaN, -1, Infinity]) {
	test("size of a written chunk that is " + bad, async () => {
		const w = new WritableStream({}, { size: () => bad }).getWriter()
		await rejects(w.write(1), RangeError)
		await rejects(w.closed, RangeError)
	})
}
test("size that releases the writer", async () => {
	let w
	const s = new WritableStream({}, { size() { w.releaseLock(); return 1 } })
	w = s.getWriter()
	await rejects(w.write(1), TypeError)
})

test("controller.error errors the stream", async () => {
	const e = new Error("x"), { stream, controller, log } = recorder(), w = stream.getWriter()
	is(controller.error(e), undefined)
	await rejects(w.closed, e)
	await rejects(w.write(1), e)
	await rejects(w.ready, e)
	is(w.desiredSize, null)
	same(log, [])
	controller.error(new Error("y"))
})
test("controller.error within write lets the write succeed", async () => {
	const e = new Error("x"), w = new WritableStream({ write(_, c) { c.error(e) } }).getWriter()
	is(await w.write(1), undefined)
	await rejects(w.closed, e)
})
test("controller.error of a closed stream does nothing", async () => {
	const { stream, controller } = recorder(), w = stream.getWriter()
	await w.close()
	controller.error(new Error("x"))
	is(await w.closed, undefined)
})
test("controller.error in start", async () => {
	const e = new Error("x"), w = new WritableStream({ start(c) { c.error(e) } }).getWriter()
	await rejects(w.ready, e)
	await rejects(w.closed, e)
})
test("the controller of a sink cannot be made", () => { throws(() => new WritableStreamDefaultController(), TypeError) })

test("abort calls the sink with the reason", async () => {
	const reason = {}, { stream, log } = recorder()
	is(await stream.abort(reason), undefined)
	is(log.length, 1)
	is(log[0][1], reason)
	const w = stream.getWriter()
	await rejects(w.closed, reason)
	await rejects(w.write(1), reason)
})
test("abort of a writer", async () => {
	const { stream, log } = recorder(), w = stream.getWriter()
	is(await w.abort("why"), undefined)
	same(log, [["abort", "why"]])
	is(await w.closed.then(() => 0, (e) => e), "why")
	is(w.desiredSize, null)
})
test("abort drops writes that wait", async () => {
	const d = deferred(), { stream, log } = recorder({ write: () => d.promise }), w = stream.getWriter()
	const a = w.write(1), b = w.write(2)
	await settle()
	const p = w.abort("why")
	is(await stateOf(p), "pending")
	d.resolve()
	is(await a, undefined)
	is(await b.then(() => 0, (e) => e), "why")
	is(await p, undefined)
	same(log, [["write", 1], ["abort", "why"]])
})
test("abort waits for start", async () => {
	const d = deferred(), { stream, log } = recorder({ start: () => d.promise }), p = stream.abort("why")
	await settle()
	same(log, [])
	d.resolve()
	await p
	same(log, [["abort", "why"]])
})
test("abort that fails", async () => {
	const e = new Error("x")
	await rejects(new WritableStream({ abort() { throw e } }).abort(), e)
	await rejects(new WritableStream({ abort: () => Promise.reject(e) }).abort(), e)
})
test("abort of a closed stream does nothing", async () => {
	const { stream, log } = recorder(), w = stream.getWriter()
	await w.close()
	is(await w.abort("x"), undefined)
	same(log, [["close"]])
})
test("abort of an errored stream does nothing", async () => {
	const { stream, controller, log } = recorder()
	await settle()
	controller.error(new Error("x"))
	is(await stream.abort("y"), undefined)
	same(log, [])
})
test("abort twice is one abort", async () => {
	const { stream, log } = recorder(), w = stream.getWriter()
	const a = w.abort("a"), b = w.abort("b")
	await a; await b
	same(log, [["abort", "a"]])
})
test("abort while it closes waits for close", async () => {
	const d = deferred(), { stream, log } = recorder({ close: () => d.promise }), w = stream.getWriter(), closing = w.close()
	await settle()
	const p = w.abort("why")
	d.resolve()
	is(await closing, undefined)
	is(await p, undefined)
	is(await w.closed, undefined)
	same(log, [["close"]])
})
test("abort rejects a close that waits", async () => {
	const d = deferred(), { stream, log } = recorder({ write: () => d.promise }), w = stream.getWriter()
	w.write(1).catch(() => {})
	const closing = w.close()
	await settle()
	const p = w.abort("why")
	d.resolve()
	await p
	is(await closing.then(() => 0, (e) => e), "why")
	same(log, [["write", 1], ["abort", "why"]])
})
test("abort after an error that a write waits for rejects", async () => {
	const d = deferred(), e = new Error("x"), { stream, controller, log } = recorder({ write: () => d.promise }), w = stream.getWriter()
	w.write(1)
	await settle()
	controller.error(e)
	const p = w.abort("why")
	d.resolve()
	await rejects(p, e)
	same(log, [["write", 1]])
})
test("abort makes ready reject", async () => {
	const w = new WritableStream({ write: () => new Promise(() => {}) }).getWriter()
	w.write(1).catch(() => {})
	const { ready } = w
	w.abort("why")
	is(await ready.then(() => 0, (e) => e), "why")
	w.closed.catch(() => {})
})
test("the controller's signal aborts with the reason", async () => {
	let seen
	const reason = new Error("why"), { stream, controller } = recorder({ abort() { seen = controller.signal.aborted } })
	ok(controller.signal instanceof AbortSignal)
	is(controller.signal.aborted, false)
	await stream.abort(reason)
	is(seen, true)
	is(controller.signal.reason, reason)
	is(controller.signal, controller.signal)
})
test("the signal aborts while a write runs", async () => {
	const w = new WritableStream({ write: (_, c) => new Promise((_, no) => { c.signal.addEventListener("abort", () => no(c.signal.reason)) }) }).getWriter()
	const e = new Error("why"), p = w.write(1)
	await settle()
	const a = w.abort(e)
	await rejects(p, e)
	await a
})
test("an error and a close do not abort the signal", async () => {
	const a = recorder(), b = recorder()
	a.controller.error(1)
	await b.stream.close()
	await settle()
	is(a.controller.signal.aborted, false)
	is(b.controller.signal.aborted, false)
})
test("members of a writable stream check what they are called on", async () => {
	const s = WritableStream.prototype, w = WritableStreamDefaultWriter.prototype
	throws(() => Object.getOwnPropertyDescriptor(s, "locked").get.call({}), TypeError)
	for (const p of [s.abort.call({}), s.close.call({}), w.write.call({}), w.close.call({}), w.abort.call({})]) await rejects(p, TypeError)
	for (const name of ["closed", "ready"]) await rejects(Object.getOwnPropertyDescriptor(w, name).get.call({}), TypeError)
	throws(() => s.getWriter.call({}), TypeError)
})

const strategies = [["CountQueuingStrategy", CountQueuingStrategy, 0], ["ByteLengthQueuingStrategy", ByteLengthQueuingStrategy, 1]]
for (const [name, Strategy, length] of strategies) {
	test(name + " keeps its highWaterMark", () => {
		for (const [given, want] of [[5, 5], [0, 0], [-1, -1], [NaN, NaN], [Infinity, Infinity], ["7", 7], [null, 0], [1.5, 1.5]]) is(new Strategy({ highWaterMark: given }).highWaterMark, want)
	})
	test(name + " needs a highWaterMark", () => { for (const bad of [undefined, null, {}, 5, { highWaterMark: undefined }]) throws(() => new Strategy(bad), TypeError); throws(() => new Strategy(), TypeError) })
	test(name + " needs new", () => { throws(() => Strategy({ highWaterMark: 1 }), TypeError) })
	test(name + " has one size function", () => {
		const { size } = new Strategy({ highWaterMark: 1 })
		is(size, new Strategy({ highWaterMark: 2 }).size)
		is(size.name, "size")
		is(size.length, length)
	})
	test(name + " checks what its getters are called on", () => { for (const k of ["size", "highWaterMark"]) throws(() => Object.getOwnPropertyDescriptor(Strategy.prototype, k).get.call({}), TypeError) })
	test(name + " may be a base class", () => {
		class Mine extends Strategy { more() { return 1 } }
		const m = new Mine({ highWaterMark: 3 })
		same([m.highWaterMark, m.more(), m instanceof Strategy], [3, 1, true])
	})
}
test("CountQueuingStrategy counts 1", () => { const { size } = new CountQueuingStrategy({ highWaterMark: 1 }); same([size(), size("abc"), size(null)], [1, 1, 1]) })
test("ByteLengthQueuingStrategy takes byteLength as it is", () => {
	const { size } = new ByteLengthQueuingStrategy({ highWaterMark: 1 })
	same([size(new Uint8Array(3)), size({ byteLength: 9 }), size({}), size("abc")], [3, 9, undefined, undefined])
	throws(() => size(), TypeError)
	throws(() => size(null), TypeError)
})
test("a strategy measures in a stream", () => {
	const w = new WritableStream({ write: () => new Promise(() => {}) }, new ByteLengthQueuingStrategy({ highWaterMark: 16 })).getWriter()
	w.write(new Uint8Array(6))
	is(w.desiredSize, 10)
})
