// ReadableStreamDefaultReader and iteration: Streams, 4.2.5, 4.4; ReadableStream.from.
import { is, ok, rejects, same, settle, test, throws } from "../harness.js"
import { chunksOf, deferred, readable, stateOf, streamOf } from "./support.js"

test("getReader locks", () => {
	const s = new ReadableStream(), r = s.getReader()
	is(s.locked, true)
	ok(r instanceof ReadableStreamDefaultReader)
	throws(() => s.getReader(), TypeError)
})
test("a reader by its constructor", async () => {
	const s = streamOf(1), r = new ReadableStreamDefaultReader(s)
	is(s.locked, true)
	same(await r.read(), { value: 1, done: false })
	throws(() => new ReadableStreamDefaultReader(s), TypeError)
})
for (const bad of [undefined, null, {}, 5]) test("a reader of " + JSON.stringify(bad), () => { throws(() => new ReadableStreamDefaultReader(bad), TypeError) })
for (const mode of ["", "BYOB", "default", null, 1]) test("a reader of mode " + JSON.stringify(mode), () => { throws(() => new ReadableStream().getReader({ mode }), TypeError) })
test("a reader of no mode", () => { for (const o of [undefined, null, {}, { mode: undefined }]) ok(new ReadableStream().getReader(o)) })
test("a BYOB reader of a default stream", () => {
	throws(() => new ReadableStream().getReader({ mode: "byob" }), TypeError)
	throws(() => new ReadableStreamBYOBReader(new ReadableStream()), TypeError)
})
test("releaseLock unlocks", async () => {
	const s = streamOf(1, 2), r = s.getReader()
	is((await r.read()).value, 1)
	is(r.releaseLock(), undefined)
	is(s.locked, false)
	is((await s.getReader().read()).value, 2)
})
test("releaseLock twice", () => { const r = new ReadableStream().getReader(); r.releaseLock(); is(r.releaseLock(), undefined) })
test("releaseLock of an old reader leaves the new one", () => {
	const s = new ReadableStream(), a = s.getReader()
	a.releaseLock()
	s.getReader()
	a.releaseLock()
	is(s.locked, true)
})
test("releaseLock rejects reads that wait", async () => {
	const { stream, controller } = readable(), r = stream.getReader(), all = [r.read(), r.read()]
	r.releaseLock()
	for (const p of all) await rejects(p, TypeError)
	const p = stream.getReader().read()
	controller.enqueue("a")
	same(await p, { value: "a", done: false })
})
test("a released reader does nothing", async () => {
	const s = new ReadableStream(), r = s.getReader()
	r.releaseLock()
	await rejects(r.read(), TypeError)
	await rejects(r.cancel(), TypeError)
	await rejects(r.closed, TypeError)
})
test("releaseLock rejects the closed promise that was there", async () => {
	const r = new ReadableStream().getReader(), p = r.closed
	r.releaseLock()
	is(r.closed, p)
	await rejects(p, TypeError)
})
test("releaseLock of a closed stream makes a new closed promise", async () => {
	const r = streamOf().getReader(), p = r.closed
	is(await p, undefined)
	r.releaseLock()
	ok(r.closed !== p)
	await rejects(r.closed, TypeError)
})
test("releaseLock of an errored stream makes a new closed promise", async () => {
	const e = new Error("x"), r = new ReadableStream({ start(c) { c.error(e) } }).getReader(), p = r.closed
	await rejects(p, e)
	r.releaseLock()
	ok(r.closed !== p)
	await rejects(r.closed, TypeError)
})
test("closed is one promise", () => { const r = new ReadableStream().getReader(); is(r.closed, r.closed) })
test("closed of a reader of a closed stream", async () => { is(await streamOf().getReader().closed, undefined) })
test("closed of a second reader", async () => {
	const { stream, controller } = readable(), a = stream.getReader()
	a.releaseLock()
	const b = stream.getReader()
	controller.close()
	is(await b.closed, undefined)
	await rejects(a.closed, TypeError)
})
test("cancel of a reader", async () => {
	let got
	const r = new ReadableStream({ cancel(x) { got = x } }).getReader()
	is(await r.cancel("why"), undefined)
	is(got, "why")
})
test("read results are ordinary objects", async () => {
	const x = await streamOf(1).getReader().read()
	same(Object.keys(x), ["value", "done"])
	is(Object.getPrototypeOf(x), Object.prototype)
})
test("members of a reader check what they are called on", async () => {
	const p = ReadableStreamDefaultReader.prototype
	await rejects(p.read.call({}), TypeError)
	await rejects(p.cancel.call({}), TypeError)
	throws(() => p.releaseLock.call({}), TypeError)
	await rejects(Object.getOwnPropertyDescriptor(p, "closed").get.call({}), TypeError)
})
test("read fulfills before closed where a close comes with the chunk", async () => {
	const log = [], { stream, controller } = readable(), r = stream.getReader()
	r.read().then(() => log.push("read")); r.closed.then(() => log.push("closed"))
	controller.enqueue(1); controller.close()
	await settle()
	same(log, ["read", "closed"])
})

test("iteration gives all chunks and releases", async () => {
	const s = streamOf(1, 2, 3), got = []
	for await (const x of s) { is(s.locked, true); got.push(x) }
	same(got, [1, 2, 3])
	is(s.locked, false)
})
test("break cancels", async () => {
	let canceled = 0
	const s = new ReadableStream({ pull(c) { c.enqueue(1) }, cancel() { canceled++ } })
	for await (const _ of s) break
	is(canceled, 1)
	is(s.locked, false)
})
test("a throw in the loop cancels", async () => {
	let canceled = 0
	const s = new ReadableStream({ pull(c) { c.enqueue(1) }, cancel() { canceled++ } }), e = new Error("x")
	await rejects((async () => { for await (const _ of s) throw e })(), e)
	is(canceled, 1)
})
test("break with preventCancel leaves the rest", async () => {
	const s = streamOf(1, 2, 3)
	for await (const x of s.values({ preventCancel: true })) { is(x, 1); break }
	is(s.locked, false)
	same(await chunksOf(s), [2, 3])
})
test("iteration of an errored stream", async () => {
	const e = new Error("x"), { stream, controller } = readable()
	controller.error(e)
	await rejects((async () => { for await (const _ of stream);})(), e)
	is(stream.locked, false)
})
test("an iterator locks at once", () => { const s = new ReadableStream(); s.values(); is(s.locked, true); throws(() => s.values(), TypeError) })
test("values is the async iterator", () => { is(ReadableStream.prototype[Symbol.asyncIterator], ReadableStream.prototype.values) })
test("an iterator is its own iterable", () => { const it = new ReadableStream().values(); is(it[Symbol.asyncIterator](), it) })
test("next and return of an iterator", async () => {
	const it = streamOf(1, 2).values()
	same(await it.next(), { value: 1, done: false })
	same(await it.return("x"), { value: "x", done: true })
	same(await it.next(), { value: undefined, done: true })
	same(await it.return("y"), { value: "y", done: true })
})
test("next after the end", async () => {
	const it = streamOf(1).values()
	await it.next()
	same(await it.next(), { value: undefined, done: true })
	same(await it.next(), { value: undefined, done: true })
})
test("next calls that do not wait for each other", async () => {
	const it = streamOf(1, 2).values()
	same(await Promise.all([it.next(), it.next(), it.next()]), [{ value: 1, done: false }, { value: 2, done: false }, { value: undefined, done: true }])
})
test("return waits for next calls", async () => {
	const { stream, controller } = readable(), it = stream.values(), log = []
	const a = it.next().then((x) => log.push(x.value)), b = it.return("r").then((x) => log.push(x.value))
	await settle()
	same(log, [])
	controller.enqueue(1)
	await Promise.all([a, b])
	same(log, [1, "r"])
})
test("next after an error is done", async () => {
	const e = new Error("x"), { stream, controller } = readable(), it = stream.values()
	controller.error(e)
	await rejects(it.next(), e)
	same(await it.next(), { value: undefined, done: true })
})
test("return of an errored stream", async () => {
	const e = new Error("x"), { stream, controller } = readable(), it = stream.values()
	controller.error(e)
	await rejects(it.return(), e)
})

for (const [what, make] of [
	["an array", () => [1, 2, 3]], ["a Set", () => new Set([1, 2, 3])], ["promises", () => [1, Promise.resolve(2), 3]],
	["a generator", () => (function* () { yield* [1, 2, 3] })()],
	["an async generator", () => (async function* () { yield 1; yield 2; yield 3 })()],
	["a stream", () => streamOf(1, 2, 3)],
	["an object with next only", () => { let n = 0; return { [Symbol.iterator]: () => ({ next: () => (n < 3 ? { value: ++n, done: false } : { done: true }) }) } }],
]) test("from " + what, async () => { same(await chunksOf(ReadableStream.from(make())), [1, 2, 3]) })
test("from a string", async () => { same(await chunksOf(ReadableStream.from("héy")), ["h", "é", "y"]) })
for (const bad of [undefined, null, 5, {}, true, Symbol.iterator]) test("from " + String(bad) + " throws", () => { throws(() => ReadableStream.from(bad), TypeError) })
test("from prefers the async iterator", async () => {
	const o = { async *[Symbol.asyncIterator]() { yield "async" }, *[Symbol.iterator]() { yield "sync" } }
	same(await chunksOf(ReadableStream.from(o)), ["async"])
})
test("from takes the sync iterator where the async one is null", async () => { same(await chunksOf(ReadableStream.from({ [Symbol.asyncIterator]: null, *[Symbol.iterator]() { yield 1 } })), [1]) })
test("from calls nothing before a read", async () => {
	let calls = 0
	const s = ReadableStream.from({ [Symbol.asyncIterator]: () => ({ next() { calls++; return Promise.resolve({ done: true }) } }) })
	await settle()
	is(calls, 0)
	same(await chunksOf(s), [])
	is(calls, 1)
})
test("from passes an error of next on", async () => {
	const e = new Error("x")
	await rejects(chunksOf(ReadableStream.from({ [Symbol.asyncIterator]: () => ({ next() { throw e } }) })), e)
	await rejects(chunksOf(ReadableStream.from({ [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(e) }) })), e)
	await rejects(chunksOf(ReadableStream.from([Promise.reject(e)])), e)
})
test("from a result that is no object", async () => { await rejects(chunksOf(ReadableStream.from({ [Symbol.asyncIterator]: () => ({ next: () => Promise.resolve(5) }) })), TypeError) })
test("from a method that gives no object", () => { throws(() => ReadableStream.from({ [Symbol.iterator]: () => 5 }), TypeError) })
test("from throws what the method throws", () => { const e = new Error("x"); throws(() => ReadableStream.from({ [Symbol.iterator]() { throw e } }), e) })
test("from does not wait for a value of an async iterator", async () => {
	const p = Promise.resolve(1)
	let n = 0
	const s = ReadableStream.from({ [Symbol.asyncIterator]: () => ({ next: async () => ({ value: p, done: n++ > 0 }) }) })
	is((await s.getReader().read()).value, p)
})
test("cancel of a stream from an iterator calls return", async () => {
	let got
	const s = ReadableStream.from({ [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}), return(x) { got = x; return Promise.resolve({}) } }) })
	is(await s.cancel("why"), undefined)
	is(got, "why")
})
test("cancel of a stream from an iterator without return", async () => { is(await ReadableStream.from({ [Symbol.iterator]: () => ({ next() {} }) }).cancel(), undefined) })
test("cancel where return fails", async () => {
	const e = new Error("x"), from = (fn) => ReadableStream.from({ [Symbol.asyncIterator]: () => ({ next() {}, return: fn }) })
	await rejects(from(() => { throw e }).cancel(), e)
	await rejects(from(() => Promise.reject(e)).cancel(), e)
	await rejects(from(() => Promise.resolve(5)).cancel(), TypeError)
	await rejects(from(5).cancel(), TypeError)
})
