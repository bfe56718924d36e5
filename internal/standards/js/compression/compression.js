// CompressionStream and DecompressionStream: WHATWG Compression.
import { is, ok, rejects, same, test, throws } from "../harness.js"

const bytes = (s) => new TextEncoder().encode(s)

async function through(stream, ...chunks) {
	const w = stream.writable.getWriter()
	const wrote = (async () => { for (const c of chunks) await w.write(c); await w.close() })()
	const failed = new Promise((_, no) => wrote.catch(no)) // the reading side may not hear of it
	const all = await Promise.race([new Response(stream.readable).arrayBuffer(), failed])
	await wrote
	return new Uint8Array(all)
}
const unhex = (s) => new Uint8Array(s.match(/../g).map((x) => parseInt(x, 16)))

for (const format of ["gzip", "deflate", "deflate-raw"]) {
	test(format + " goes there and back", async () => {
		const text = "hello ".repeat(1000)
		const packed = await through(new CompressionStream(format), bytes(text))
		ok(packed.length < 200)
		is(new TextDecoder().decode(await through(new DecompressionStream(format), packed)), text)
	})
	test(format + " of nothing", async () => {
		const packed = await through(new CompressionStream(format))
		ok(packed.length > 0)
		is((await through(new DecompressionStream(format), packed)).length, 0)
	})
	test(format + " of an empty chunk", async () => {
		const packed = await through(new CompressionStream(format), new Uint8Array())
		is((await through(new DecompressionStream(format), packed)).length, 0)
	})
	test(format + " in pieces of one byte", async () => {
		const packed = await through(new CompressionStream(format), ...Array.from(bytes("abcabc"), (b) => new Uint8Array([b])))
		is(new TextDecoder().decode(await through(new DecompressionStream(format), ...Array.from(packed, (b) => new Uint8Array([b])))), "abcabc")
	})
	test(format + " takes every kind of buffer", async () => {
		const b = bytes("abcdefgh")
		for (const chunk of [b.buffer.slice(0), new Uint8Array(b), new DataView(b.buffer.slice(0)), new Uint16Array(b.buffer.slice(0)), new Float64Array(b.buffer.slice(0))]) {
			is(new TextDecoder().decode(await through(new DecompressionStream(format), await through(new CompressionStream(format), chunk))), "abcdefgh")
		}
	})
	for (const bad of [undefined, null, 5, "text", {}, [1, 2], true]) {
		test(format + " refuses a chunk of " + JSON.stringify(bad), async () => {
			await rejects(through(new CompressionStream(format), bad), TypeError)
			await rejects(through(new DecompressionStream(format), bad), TypeError)
		})
	}
	test(format + " that is cut off", async () => {
		const packed = await through(new CompressionStream(format), bytes("hello hello"))
		await rejects(through(new DecompressionStream(format), packed.subarray(0, packed.length - 1)), TypeError)
	})
	test(format + " with more after its end", async () => {
		const packed = await through(new CompressionStream(format), bytes("hello"))
		await rejects(through(new DecompressionStream(format), new Uint8Array([...packed, 0])), TypeError)
	})
	test(format + " that is no data", async () => {
		await rejects(through(new DecompressionStream(format), new Uint8Array([255, 255, 255, 255])), TypeError)
	})
	test(format + " of data that does not shrink", async () => {
		const random = crypto.getRandomValues(new Uint8Array(60000))
		same([...await through(new DecompressionStream(format), await through(new CompressionStream(format), random))].slice(0, 99), [...random].slice(0, 99))
	})
}
test("gzip of another's making", async () => {
	is(new TextDecoder().decode(await through(new DecompressionStream("gzip"), unhex("1f8b0800000000000003cb48cdc9c95728cf2fca49010085114a0d0b000000"))), "hello world")
})
test("deflate of another's making", async () => {
	is(new TextDecoder().decode(await through(new DecompressionStream("deflate"), unhex("789ccb48cdc9c95728cf2fca4901001a0b045d"))), "hello world")
})
test("a wrong checksum of gzip", async () => {
	await rejects(through(new DecompressionStream("gzip"), unhex("1f8b0800000000000003cb48cdc9c95728cf2fca49010085114a0e0b000000")), TypeError)
})
test("a wrong size in gzip", async () => {
	await rejects(through(new DecompressionStream("gzip"), unhex("1f8b0800000000000003cb48cdc9c95728cf2fca49010085114a0d0c000000")), TypeError)
})
test("a wrong checksum of deflate", async () => {
	await rejects(through(new DecompressionStream("deflate"), unhex("789ccb48cdc9c95728cf2fca4901001a0b045c")), TypeError)
})
test("formats are those of the standard", () => {
	for (const C of [CompressionStream, DecompressionStream]) {
		for (const f of ["a", "GZIP", "", undefined, "zstd"]) throws(() => new C(f), TypeError)
		throws(() => new C(), TypeError)
	}
})
test("a format is converted to a string", () => { new CompressionStream({ toString: () => "gzip" }) })
test("the ends are streams, always the same", () => {
	const c = new CompressionStream("gzip")
	ok(c.readable instanceof ReadableStream && c.writable instanceof WritableStream)
	is(c.readable, c.readable)
	is(Object.prototype.toString.call(c), "[object CompressionStream]")
})
test("pipeThrough takes one", async () => {
	const s = new Blob(["x".repeat(100)]).stream().pipeThrough(new CompressionStream("gzip")).pipeThrough(new DecompressionStream("gzip"))
	is((await new Response(s).text()).length, 100)
})
test("what comes out are bytes", async () => {
	const s = new Blob(["x"]).stream().pipeThrough(new CompressionStream("gzip"))
	for await (const c of s) ok(c instanceof Uint8Array)
})
test("what is decompressed comes before the end", async () => {
	const packed = await through(new CompressionStream("gzip"), crypto.getRandomValues(new Uint8Array(60000)).map((b) => b & 63))
	const d = new DecompressionStream("gzip"), w = d.writable.getWriter(), r = d.readable.getReader()
	w.write(packed.subarray(0, packed.length - 1)).catch(() => {})
	const { value, done } = await r.read()
	ok(!done && value.length > 0)
	await r.cancel()
})
