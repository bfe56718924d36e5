// Byte streams, BYOB readers and requests: Streams, 4.5, 4.7 and 4.8.
import { is, ok, rejects, same, settle, test, throws } from "../harness.js"
import { chunksOf, deferred, stateOf } from "./support.js"

const u8 = (...b) => new Uint8Array(b)
function bytes(source = {}, strategy) {
	let controller
	const stream = new ReadableStream({ ...source, type: "bytes", start(c) { controller = c; return source.start?.(c) } }, strategy)
	return { stream, controller }
}
const byob = (source, strategy) => { const b = bytes(source, strategy); return { ...b, reader: b.stream.getReader({ mode: "byob" }) } }
const list = (v) => Array.from(new Uint8Array(v.buffer, v.byteOffset, v.byteLength))

test("a byte stream has its controller", () => {
	const { stream, controller } = bytes()
	is(Object.prototype.toString.call(controller), "[object ReadableByteStreamController]")
	throws(() => new ReadableByteStreamController(), TypeError)
	throws(() => new ReadableStreamBYOBRequest(), TypeError)
	is(stream.locked, false)
})
test("a byte stream takes no size", () => { throws(() => new ReadableStream({ type: "bytes" }, { size: () => 1 }), RangeError) })
for (const bad of [0, -1, NaN, Infinity, "x"]) test("autoAllocateChunkSize of " + bad, () => { throws(() => new ReadableStream({ type: "bytes", autoAllocateChunkSize: bad }), TypeError) })
for (const [given, want] of [[undefined, 0], [0, 0], [7, 7]]) test("a byte stream's highWaterMark of " + given, () => { is(bytes({}, { highWaterMark: given }).controller.desiredSize, want) })
test("a byte stream's highWaterMark that is none", () => { throws(() => bytes({}, { highWaterMark: -1 }), RangeError) })
test("desiredSize counts bytes", () => {
	const { controller: c } = bytes({}, { highWaterMark: 10 })
	c.enqueue(u8(1, 2, 3))
	is(c.desiredSize, 7)
	c.enqueue(new Uint16Array(2))
	is(c.desiredSize, 3)
	c.close()
	is(c.desiredSize, 3)
	c.error(1)
	is(c.desiredSize, null)
})
test("a byte stream's desiredSize once closed", () => { const { controller: c } = bytes({}, { highWaterMark: 10 }); c.close(); is(c.desiredSize, 0) })
test("enqueue takes the buffer away", () => {
	const { controller: c } = bytes(), a = u8(1, 2)
	c.enqueue(a)
	is(a.byteLength, 0)
	is(a.buffer.byteLength, 0)
	throws(() => c.enqueue(a), TypeError)
})
for (const [what, bad] of [["nothing", undefined], ["null", null], ["a string", "x"], ["an object", {}], ["an ArrayBuffer", new ArrayBuffer(1)], ["an empty view", new Uint8Array()], ["an empty part", new Uint8Array(new ArrayBuffer(5), 0, 0)]]) {
	test("a byte stream does not enqueue " + what, () => { throws(() => bytes().controller.enqueue(bad), TypeError) })
}
test("a default reader gets Uint8Arrays", async () => {
	const { stream, controller: c } = bytes()
	c.enqueue(new Uint16Array([0x0101, 0x0202])); c.enqueue(new DataView(u8(9, 8, 7).buffer, 1, 1)); c.close()
	const all = await chunksOf(stream)
	for (const x of all) is(x.constructor, Uint8Array)
	same(all.map(list), [[1, 1, 2, 2], [8]])
})
test("enqueue for a read that waits", async () => {
	const { stream, controller: c } = bytes(), p = stream.getReader().read()
	c.enqueue(u8(5))
	same(list((await p).value), [5])
})
test("close, enqueue and error of a byte stream that has ended", async () => {
	const { stream, controller: c } = bytes()
	c.close()
	throws(() => c.close(), TypeError)
	throws(() => c.enqueue(u8(1)), TypeError)
	c.error(1)
	same(await chunksOf(stream), [])
})
test("close of a byte stream waits for its queue", async () => {
	const { stream, controller: c } = bytes()
	c.enqueue(u8(1)); c.close()
	throws(() => c.enqueue(u8(1)), TypeError)
	const r = stream.getReader()
	is(await stateOf(r.closed), "pending")
	await r.read()
	is(await r.closed, undefined)
})
test("error of a byte stream", async () => {
	const e = new Error("x"), { reader, controller: c } = byob(), p = reader.read(u8(0))
	c.error(e)
	await rejects(p, e)
	await rejects(reader.closed, e)
	await rejects(reader.read(u8(0)), e)
	throws(() => c.enqueue(u8(1)), TypeError)
})
test("a byte stream's pull that fails", async () => { const e = new Error("x"); await rejects(byob({ pull() { throw e } }).reader.read(u8(0)), e) })
test("a byte stream is pulled once for a read", async () => {
	let n = 0
	const { reader } = byob({ pull() { n++ } })
	await settle()
	is(n, 0)
	reader.read(u8(0))
	await settle()
	is(n, 1)
})
test("byobRequest is null without a BYOB read", async () => {
	let seen
	const { stream, controller } = bytes({ pull(c) { seen = c.byobRequest; c.enqueue(u8(1)) } })
	is(controller.byobRequest, null)
	await stream.getReader().read()
	is(seen, null)
})

test("a BYOB read is filled from the queue", async () => {
	const { reader, controller: c } = byob()
	c.enqueue(u8(1, 2, 3))
	const { value, done } = await reader.read(new Uint8Array(2))
	same([list(value), done, value.buffer.byteLength], [[1, 2], false, 2])
	const next = await reader.read(new Uint8Array(5))
	same([list(next.value), next.value.buffer.byteLength], [[3], 5])
})
test("a BYOB read joins chunks", async () => {
	const { reader, controller: c } = byob()
	c.enqueue(u8(1)); c.enqueue(u8(2, 3)); c.enqueue(u8(4))
	same(list((await reader.read(new Uint8Array(3))).value), [1, 2, 3])
})
test("a BYOB read takes the buffer away", () => {
	const { reader } = byob(), a = new Uint8Array(4)
	reader.read(a)
	is(a.buffer.byteLength, 0)
})
test("a BYOB read keeps the offset of its view", async () => {
	const { reader, controller: c } = byob(), buffer = new ArrayBuffer(8)
	const p = reader.read(new Uint8Array(buffer, 3, 4))
	c.enqueue(u8(1, 2))
	const { value } = await p
	same([value.byteOffset, value.byteLength, value.buffer.byteLength, list(value)], [3, 2, 8, [1, 2]])
})
for (const Kind of [Int8Array, Uint8ClampedArray, Uint16Array, Int32Array, Float32Array, Float64Array, BigUint64Array, DataView]) {
	test("a BYOB read into a " + Kind.name, async () => {
		const { reader, controller: c } = byob(), p = reader.read(new Kind(new ArrayBuffer(8)))
		c.enqueue(u8(1, 2, 3, 4, 5, 6, 7, 8))
		const { value } = await p
		is(value.constructor, Kind)
		same(list(value), [1, 2, 3, 4, 5, 6, 7, 8])
	})
}
test("a BYOB read gives whole elements", async () => {
	const { reader, controller: c } = byob()
	const p = reader.read(new Uint16Array(4))
	c.enqueue(u8(1))
	is(await stateOf(p), "pending")
	c.enqueue(u8(2, 3))
	same(list((await p).value), [1, 2])
	same(list((await reader.read(new Uint8Array(4))).value), [3])
})
test("close with half an element is an error", async () => {
	const { reader, controller: c } = byob(), p = reader.read(new Uint16Array(1))
	c.enqueue(u8(1))
	throws(() => c.close(), TypeError)
	await rejects(p, TypeError)
})
test("a queue that ends with half an element", async () => {
	const { reader, controller: c } = byob()
	c.enqueue(u8(1)); c.close()
	await rejects(reader.read(new Uint16Array(1)), TypeError)
	await rejects(reader.closed, TypeError)
})
for (const [what, bad] of [["nothing", undefined], ["an ArrayBuffer", new ArrayBuffer(4)], ["an array", [1]], ["an empty view", new Uint8Array()], ["an empty part", new Uint8Array(new ArrayBuffer(4), 4)]]) {
	test("a BYOB read into " + what, async () => { await rejects(byob().reader.read(bad), TypeError) })
}
test("a BYOB read into a buffer that was taken", async () => {
	const a = new Uint8Array(4)
	structuredClone(a.buffer, { transfer: [a.buffer] })
	await rejects(byob().reader.read(a), TypeError)
})
test("a BYOB read of a closed stream gives the empty view back", async () => {
	const { reader, controller: c } = byob()
	c.close()
	const { value, done } = await reader.read(new Uint8Array(4))
	same([done, value.byteLength, value.buffer.byteLength, value.constructor === Uint8Array], [true, 0, 4, true])
})
test("a BYOB read that waits at close is done by respond(0)", async () => {
	let request
	const { reader, controller: c } = byob({ pull(x) { request = x.byobRequest } }), p = reader.read(new Uint8Array(4))
	await settle()
	c.close()
	is(await stateOf(p), "pending")
	request.respond(0)
	const { value, done } = await p
	same([done, value.byteLength], [true, 0])
})
test("a BYOB read that waits at cancel", async () => {
	const { reader } = byob(), p = reader.read(new Uint8Array(4))
	await reader.cancel()
	same(await p, { value: undefined, done: true })
})
test("a BYOB reader that is released", async () => {
	const { stream, reader, controller: c } = byob(), p = reader.read(new Uint8Array(4))
	reader.releaseLock()
	await rejects(p, TypeError)
	await rejects(reader.read(u8(0)), TypeError)
	await rejects(reader.closed, TypeError)
	c.enqueue(u8(1, 2))
	same(list((await stream.getReader().read()).value), [1, 2])
})
test("respond after the reader was released goes to the next one", async () => {
	let request
	const { stream, reader } = byob({ pull(c) { if (!request) request = c.byobRequest; else if (!request.view) c.enqueue(u8(8)) } }), p = reader.read(new Uint8Array(4))
	await settle()
	reader.releaseLock()
	await rejects(p, TypeError)
	const next = stream.getReader().read()
	request.view[0] = 7
	request.respond(1)
	same(list((await next).value), [7])
})

for (const [min, ok1] of [[1, [1, 2]], [2, [1, 2]], [3, [1, 2, 3]], [4, [1, 2, 3, 4]]]) {
	test("a BYOB read of at least " + min, async () => {
		const { reader, controller: c } = byob(), p = reader.read(new Uint8Array(4), { min })
		c.enqueue(u8(1, 2))
		is(await stateOf(p), min > 2 ? "pending" : "fulfilled")
		c.enqueue(u8(3))
		if (min > 3) is(await stateOf(p), "pending")
		c.enqueue(u8(4))
		same(list((await p).value), ok1)
	})
}
for (const [min, type] of [[0, TypeError], [-1, TypeError], [NaN, TypeError], [5, RangeError], [Infinity, TypeError]]) test("a BYOB read with a min of " + min, async () => { await rejects(byob().reader.read(new Uint8Array(4), { min }), type) })
test("min counts elements", async () => {
	const { reader, controller: c } = byob(), p = reader.read(new Uint16Array(4), { min: 2 })
	c.enqueue(u8(1, 2, 3))
	is(await stateOf(p), "pending")
	c.enqueue(u8(4))
	same(list((await p).value), [1, 2, 3, 4])
	await rejects(byob().reader.read(new Uint16Array(2), { min: 3 }), RangeError)
})
test("respond until min is reached", async () => {
	let n = 0
	const { reader } = byob({ pull(c) { c.byobRequest.view[0] = ++n; c.byobRequest.respond(1) } })
	same(list((await reader.read(new Uint8Array(5), { min: 3 })).value), [1, 2, 3])
	is(n, 3)
})

test("respond hands the buffer out", async () => {
	let view
	const { reader } = byob({ pull(c) { view = c.byobRequest.view; view.set([1, 2, 3]); c.byobRequest.respond(2) } })
	const { value, done } = await reader.read(new Uint8Array(4))
	same([list(value), done, value.buffer.byteLength], [[1, 2], false, 4])
	is(view.byteLength, 0)
})
test("byobRequest is one object until it is answered", async () => {
	const { reader, controller: c } = byob(), p = reader.read(new Uint8Array(4))
	const q = c.byobRequest
	ok(q instanceof ReadableStreamBYOBRequest)
	is(c.byobRequest, q)
	same([q.view.constructor === Uint8Array, q.view.byteLength], [true, 4])
	q.respond(1)
	await p
	is(q.view, null)
	is(c.byobRequest, null)
	throws(() => q.respond(1), TypeError)
	throws(() => q.respondWithNewView(u8(1)), TypeError)
})
test("the request's view shows what is left to fill", async () => {
	const { reader, controller: c } = byob()
	reader.read(new Uint16Array(new ArrayBuffer(8), 2, 2))
	let v = c.byobRequest.view
	same([v.byteOffset, v.byteLength], [2, 4])
	c.byobRequest.respond(1)
	v = c.byobRequest.view
	same([v.byteOffset, v.byteLength], [3, 3])
})
test("enqueue instead of respond makes the request void", async () => {
	const { reader, controller: c } = byob(), p = reader.read(new Uint8Array(4)), q = c.byobRequest
	c.enqueue(u8(1))
	is(q.view, null)
	throws(() => q.respond(1), TypeError)
	same(list((await p).value), [1])
})
test("respond with more than there is room", () => { const { reader, controller: c } = byob(); reader.read(new Uint8Array(4)); throws(() => c.byobRequest.respond(5), RangeError) })
test("respond(0) while it is open", () => { const { reader, controller: c } = byob(); reader.read(new Uint8Array(4)); throws(() => c.byobRequest.respond(0), TypeError) })
for (const bad of [-1, NaN, Infinity, "x"]) test("respond(" + bad + ")", () => { const { reader, controller: c } = byob(); reader.read(new Uint8Array(4)); throws(() => c.byobRequest.respond(bad), TypeError) })
test("respond(1) once it is closed", () => { const { reader, controller: c } = byob(); reader.read(new Uint8Array(4)); const q = c.byobRequest; c.close(); throws(() => q.respond(1), TypeError) })
test("respond after the view's buffer was taken", () => {
	const { reader, controller: c } = byob()
	reader.read(new Uint8Array(4))
	const q = c.byobRequest, b = q.view.buffer
	structuredClone(b, { transfer: [b] })
	throws(() => q.respond(1), TypeError)
})
test("respondWithNewView of the same buffer", async () => {
	const { reader, controller: c } = byob(), p = reader.read(new Uint8Array(4)), q = c.byobRequest
	q.view.set([1, 2, 3])
	q.respondWithNewView(q.view.subarray(0, 2))
	same(list((await p).value), [1, 2])
})
test("respondWithNewView of a buffer that was moved", async () => {
	const { reader, controller: c } = byob(), p = reader.read(new Uint8Array(4)), q = c.byobRequest, b = q.view.buffer
	const moved = new Uint8Array(structuredClone(b, { transfer: [b] }))
	moved.set([5, 6, 7, 8])
	q.respondWithNewView(moved)
	same(list((await p).value), [5, 6, 7, 8])
	is(moved.byteLength, 0)
})
for (const [what, make, type] of [
	["another offset", (v) => v.subarray(1), RangeError], ["another buffer's size", () => new Uint8Array(5), RangeError], ["no bytes", (v) => v.subarray(0, 0), TypeError],
	["no view", () => new ArrayBuffer(4), TypeError], ["nothing", () => undefined, TypeError],
]) test("respondWithNewView of " + what, () => { const { reader, controller: c } = byob(); reader.read(new Uint8Array(4)); const q = c.byobRequest; throws(() => q.respondWithNewView(make(q.view)), type) })
test("respondWithNewView of a longer view", () => {
	const { reader, controller: c } = byob()
	reader.read(new Uint8Array(new ArrayBuffer(8), 0, 4))
	const q = c.byobRequest
	throws(() => q.respondWithNewView(new Uint8Array(q.view.buffer, 0, 6)), RangeError)
})

test("autoAllocateChunkSize makes requests for a default reader", async () => {
	let size
	const { stream } = bytes({ autoAllocateChunkSize: 16, pull(c) { const v = c.byobRequest.view; size = v.byteLength; v[0] = 9; c.byobRequest.respond(1) } })
	const { value } = await stream.getReader().read()
	same([list(value), size, value.buffer.byteLength], [[9], 16, 16])
})
test("autoAllocateChunkSize and enqueue", async () => {
	const { stream } = bytes({ autoAllocateChunkSize: 16, pull(c) { c.enqueue(u8(1, 2)) } })
	same(list((await stream.getReader().read()).value), [1, 2])
})
test("autoAllocateChunkSize leaves BYOB reads alone", async () => {
	const { reader } = byob({ autoAllocateChunkSize: 16, pull(c) { c.byobRequest.respond(c.byobRequest.view.byteLength) } })
	is((await reader.read(new Uint8Array(3))).value.byteLength, 3)
})
test("several BYOB reads wait", async () => {
	const { reader, controller: c } = byob(), a = reader.read(new Uint8Array(2)), b = reader.read(new Uint8Array(2))
	c.enqueue(u8(1, 2, 3))
	same([list((await a).value), list((await b).value)], [[1, 2], [3]])
})
test("several reads that wait end at once", async () => {
	const { reader, controller: c } = byob(), a = reader.read(new Uint8Array(2)), b = reader.read(new Uint8Array(3))
	c.close()
	c.byobRequest.respond(0)
	same([(await a).done, (await b).done, (await b).value.byteLength, (await b).value.buffer.byteLength], [true, true, 0, 3])
})
test("a byte stream's cancel gets the reason", async () => {
	let got
	const { reader } = byob({ cancel(r) { got = r } })
	is(await reader.cancel("why"), undefined)
	is(got, "why")
})
test("a byte stream can be iterated and piped", async () => {
	const all = [], { stream, controller: c } = bytes()
	c.enqueue(u8(1)); c.enqueue(u8(2)); c.close()
	await stream.pipeThrough(new TransformStream()).pipeTo(new WritableStream({ write(x) { all.push(...x) } }))
	same(all, [1, 2])
})
test("members of BYOB classes check what they are called on", async () => {
	await rejects(ReadableStreamBYOBReader.prototype.read.call({}, u8(1)), TypeError)
	await rejects(ReadableStreamBYOBReader.prototype.read.call(new ReadableStream().getReader(), u8(1)), TypeError)
	throws(() => ReadableStreamBYOBReader.prototype.releaseLock.call({}), TypeError)
	for (const k of ["byobRequest", "desiredSize"]) throws(() => Object.getOwnPropertyDescriptor(ReadableByteStreamController.prototype, k).get.call({}), TypeError)
})
for (const [what, make] of [["a Response", () => new Response("hello").body], ["a Request", () => new Request("http://x/", { method: "POST", body: "hello" }).body], ["a Blob", () => new Blob(["hello"]).stream()]]) {
	test("the stream of " + what + " is a byte stream", async () => {
		const r = make().getReader({ mode: "byob" })
		let text = ""
		for (;;) {
			const { value, done } = await r.read(new Uint8Array(2))
			if (done) break
			ok(value.byteLength <= 2)
			text += new TextDecoder().decode(value)
		}
		is(text, "hello")
	})
}
