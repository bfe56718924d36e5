// tee: Streams, ReadableStreamDefaultTee and ReadableByteStreamTee.
import { is, ok, rejects, same, settle, test, throws } from "../harness.js"
import { chunksOf, deferred, readable, stateOf, streamOf } from "./support.js"

const u8 = (...b) => new Uint8Array(b)

// Both kinds of stream, of chunks with a length of 1.
const kinds = [["default", {}, (n) => n, (x) => x], ["byte", { type: "bytes" }, (n) => u8(n), (x) => x?.[0]]]
for (const [kind, about, put, get] of kinds) {
	const make = (source = {}, strategy) => {
		let controller
		const stream = new ReadableStream({ ...about, ...source, start(c) { controller = c; return source.start?.(c) } }, strategy)
		return { stream, controller }
	}
	const full = (...n) => make({ start(c) { for (const x of n) c.enqueue(put(x)); c.close() } }).stream
	test(kind + " tee gives both all chunks", async () => {
		const s = full(1, 2, 3), branches = s.tee()
		ok(Array.isArray(branches))
		is(branches.length, 2)
		is(s.locked, true)
		same((await chunksOf(branches[0])).map(get), [1, 2, 3])
		same((await chunksOf(branches[1])).map(get), [1, 2, 3])
	})
	test(kind + " tee of a locked stream", () => { const { stream } = make(); stream.getReader(); throws(() => stream.tee(), TypeError) })
	test(kind + " tee of a closed stream", async () => { const [a, b] = full().tee(); same([await chunksOf(a), await chunksOf(b)], [[], []]) })
	test(kind + " tee of a stream that fails", async () => {
		const e = new Error("x"), { stream, controller } = make(), [a, b] = stream.tee()
		controller.error(e)
		await rejects(a.getReader().read(), e)
		await rejects(b.getReader().closed, e)
	})
	test(kind + " tee of a stream that has failed", async () => {
		const e = new Error("x"), { stream, controller } = make()
		controller.error(e)
		for (const s of stream.tee()) await rejects(s.getReader().read(), e)
	})
	test(kind + " tee: what one reads waits for the other", async () => {
		const [a, b] = full(1, 2).tee(), r = a.getReader()
		is(get((await r.read()).value), 1)
		same((await chunksOf(b)).map(get), [1, 2])
		is(get((await r.read()).value), 2)
		is((await r.read()).done, true)
	})
	test(kind + " tee: reads that wait", async () => {
		const { stream, controller } = make(), [a, b] = stream.tee(), p = a.getReader().read(), q = b.getReader().read()
		await settle()
		controller.enqueue(put(5))
		same([get((await p).value), get((await q).value)], [5, 5])
	})
	test(kind + " tee: cancel of one does not cancel", async () => {
		const reasons = [], { stream, controller } = make({ cancel(r) { reasons.push(r) } }), [a, b] = stream.tee()
		const p = a.cancel("a")
		is(await stateOf(p), "pending")
		same(reasons, [])
		controller.enqueue(put(1)); controller.close()
		same((await chunksOf(b)).map(get), [1])
		is(await p, undefined)
	})
	test(kind + " tee: cancel of both cancels with both reasons", async () => {
		const reasons = [], { stream } = make({ cancel(r) { reasons.push(r) } }), [a, b] = stream.tee()
		const p = a.cancel("a"), q = b.cancel("b")
		is(await p, undefined)
		is(await q, undefined)
		same(reasons, [["a", "b"]])
	})
	test(kind + " tee: cancel in the other order", async () => {
		const reasons = [], { stream } = make({ cancel(r) { reasons.push(r) } }), [a, b] = stream.tee()
		await Promise.all([b.cancel("b"), a.cancel("a")])
		same(reasons, [["a", "b"]])
	})
	test(kind + " tee: cancel that fails", async () => {
		const e = new Error("x"), { stream } = make({ cancel() { throw e } }), [a, b] = stream.tee()
		const p = a.cancel(), q = b.cancel()
		await rejects(p, e)
		await rejects(q, e)
	})
	test(kind + " tee: cancel of one, then an error", async () => {
		const e = new Error("x"), { stream, controller } = make(), [a, b] = stream.tee(), p = a.cancel()
		controller.error(e)
		is(await p, undefined)
		await rejects(b.getReader().read(), e)
	})
	test(kind + " tee of a tee", async () => {
		const [a, b] = full(1, 2).tee(), [c, d] = a.tee()
		same((await Promise.all([b, c, d].map(chunksOf))).map((x) => x.map(get)), [[1, 2], [1, 2], [1, 2]])
	})
	test(kind + " tee: pull that fails", async () => {
		const e = new Error("x"), [a, b] = make({ pull() { throw e } }).stream.tee(), all = [a, b].map((s) => s.getReader().read())
		for (const p of all) await rejects(p, e)
	})
	test(kind + " tee: one branch is piped, one iterated", async () => {
		const [a, b] = full(1, 2).tee(), got = []
		const p = a.pipeTo(new WritableStream({ write(x) { got.push(get(x)) } }))
		for await (const x of b) got.push(get(x))
		await p
		same(got.sort(), [1, 1, 2, 2])
	})
}
test("branches of a default stream share chunks", async () => {
	const o = {}, [a, b] = streamOf(o).tee()
	is((await a.getReader().read()).value, o)
	is((await b.getReader().read()).value, o)
})
test("branches of a byte stream do not share buffers", async () => {
	const [a, b] = new ReadableStream({ type: "bytes", start(c) { c.enqueue(u8(1, 2)); c.close() } }).tee()
	const x = (await a.getReader().read()).value
	x[0] = 9
	same([...(await b.getReader().read()).value], [1, 2])
})
test("tee of a default stream pulls for its branches", async () => {
	let n = 0
	const [a] = new ReadableStream({ pull(c) { c.enqueue(++n) } }, { highWaterMark: 0 }).tee()
	await settle()
	is(n, 1)
	await a.getReader().read()
	await settle()
	is(n, 2)
})
test("tee of a byte stream does not pull by itself", async () => {
	let n = 0
	new ReadableStream({ type: "bytes", pull(c) { c.enqueue(u8(++n)) } }).tee()
	await settle()
	is(n, 0)
})
test("branches of a byte stream are byte streams", async () => {
	const [a, b] = new ReadableStream({ type: "bytes", start(c) { c.enqueue(u8(1, 2, 3)); c.close() } }).tee()
	const r = a.getReader({ mode: "byob" }), { value } = await r.read(new Uint8Array(2))
	same([...value], [1, 2])
	same([...(await r.read(new Uint8Array(2))).value], [3])
	is((await r.read(new Uint8Array(2))).done, true)
	same((await chunksOf(b)).flatMap((x) => [...x]), [1, 2, 3])
})
test("BYOB reads of both branches", async () => {
	const [a, b] = new ReadableStream({ type: "bytes", pull(c) { c.enqueue(u8(1, 2)) } }).tee()
	const [x, y] = await Promise.all([a, b].map((s) => s.getReader({ mode: "byob" }).read(new Uint8Array(2))))
	same([[...x.value], [...y.value]], [[1, 2], [1, 2]])
	ok(x.value.buffer !== y.value.buffer)
})
test("a BYOB read of a branch reaches the source", async () => {
	let size
	const [a, b] = new ReadableStream({ type: "bytes", pull(c) { const q = c.byobRequest; size = q?.view.byteLength; q.view[0] = 7; q.respond(1) } }).tee()
	const { value } = await a.getReader({ mode: "byob" }).read(new Uint8Array(5))
	same([size, [...value]], [5, [7]])
	same([...(await b.getReader().read()).value], [7])
})
test("a BYOB read of a branch at the end", async () => {
	let c
	const [a, b] = new ReadableStream({ type: "bytes", start(x) { c = x } }).tee(), p = a.getReader({ mode: "byob" }).read(new Uint8Array(2)), q = b.getReader().read()
	await settle()
	c.close()
	c.byobRequest?.respond(0)
	is((await p).done, true)
	is((await q).done, true)
})
test("a Response's clone is independent", async () => {
	const a = new Response("hello"), b = a.clone(), x = new Uint8Array(await a.arrayBuffer())
	x[0] = 0
	is(await b.text(), "hello")
})
