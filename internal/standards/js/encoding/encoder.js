// TextEncoder and the streams: WHATWG Encoding, 8.2 and 8.4; btoa and atob: HTML, 8.3.
import { is, ok, rejects, same, test, throws } from "../harness.js"

const hex = (b) => Array.from(b, (x) => x.toString(16).padStart(2, "0")).join("")

test("encode gives UTF-8", () => {
	const b = new TextEncoder().encode("Aé€😀")
	ok(b instanceof Uint8Array)
	is(hex(b), "41c3a9e282acf09f9880")
})
test("encode replaces halves of pairs", () => {
	is(hex(new TextEncoder().encode("\ud83d")), "efbfbd")
	is(hex(new TextEncoder().encode("a\ude00b")), "61efbfbd62")
	is(hex(new TextEncoder().encode("\ude00\ud83d")), "efbfbdefbfbd")
	is(hex(new TextEncoder().encode("\ud83d\ud83d\ude00")), "efbfbdf09f9880")
})
test("encode converts to a string", () => {
	is(new TextEncoder().encode().length, 0)
	is(new TextEncoder().encode(undefined).length, 0)
	is(hex(new TextEncoder().encode(null)), "6e756c6c")
	is(hex(new TextEncoder().encode(12)), "3132")
	throws(() => new TextEncoder().encode(Symbol()), TypeError)
})
test("the encoding is UTF-8", () => {
	is(new TextEncoder().encoding, "utf-8")
	is(new TextEncoder("utf-16").encoding, "utf-8")
})
const into = [["abc", 10, 3, 3], ["abc", 2, 2, 2], ["é", 1, 0, 0], ["aé", 2, 1, 1], ["aé", 3, 2, 3], ["€", 2, 0, 0], ["😀", 3, 0, 0], ["😀", 4, 2, 4], ["\ud83d", 3, 1, 3], ["\ud83dx", 4, 2, 4], ["", 5, 0, 0], ["abc", 0, 0, 0]]
for (const [text, room, read, written] of into) test("encodeInto " + JSON.stringify(text) + " into " + room, () => {
	same(new TextEncoder().encodeInto(text, new Uint8Array(room)), { read, written })
})
test("encodeInto writes at the view's offset", () => {
	const b = new Uint8Array(6)
	new TextEncoder().encodeInto("xy", b.subarray(2, 5))
	same([...b], [0, 0, 120, 121, 0, 0])
})
test("encodeInto takes a Uint8Array alone", () => {
	throws(() => new TextEncoder().encodeInto("x", new Uint16Array(4)), TypeError)
	throws(() => new TextEncoder().encodeInto("x", new ArrayBuffer(4)), TypeError)
	throws(() => new TextEncoder().encodeInto("x"), TypeError)
})

async function collect(stream, chunks) {
	const w = stream.writable.getWriter()
	const writing = (async () => { for (const c of chunks) await w.write(c); await w.close() })()
	const failed = new Promise((_, no) => writing.catch(no)) // the reading side may not hear of it
	const reading = (async () => { const all = []; for await (const c of stream.readable) all.push(c); return all })()
	reading.catch(() => {})
	const all = await Promise.race([reading, failed])
	await writing
	return all
}
test("TextEncoderStream encodes", async () => {
	const out = await collect(new TextEncoderStream(), ["a", "é", ""])
	is(out.map(hex).join("|"), "61|c3a9")
	ok(out.every((c) => c instanceof Uint8Array))
})
test("TextEncoderStream joins halves of a pair", async () => {
	is((await collect(new TextEncoderStream(), ["\ud83d", "\ude00"])).map(hex).join(""), "f09f9880")
	is((await collect(new TextEncoderStream(), ["a\ud83d", "b"])).map(hex).join(""), "61efbfbd62")
	is((await collect(new TextEncoderStream(), ["\ud83d"])).map(hex).join(""), "efbfbd")
	is((await collect(new TextEncoderStream(), ["\ud83d", "", "\ude00"])).map(hex).join(""), "f09f9880")
})
test("TextDecoderStream decodes across chunks", async () => {
	is((await collect(new TextDecoderStream(), [[0xf0, 0x9f], [0x98, 0x80], [0x41]].map((b) => new Uint8Array(b)))).join(""), "😀A")
})
test("TextDecoderStream shows what is not complete", async () => {
	is((await collect(new TextDecoderStream(), [new Uint8Array([0xe2, 0x82])])).join(""), "\ufffd")
})
test("TextDecoderStream may be fatal", async () => {
	await rejects(collect(new TextDecoderStream("utf-8", { fatal: true }), [new Uint8Array([0xff])]), TypeError)
	await rejects(collect(new TextDecoderStream("utf-8", { fatal: true }), [new Uint8Array([0xe2])]), TypeError)
})
test("TextDecoderStream has a decoder's attributes", () => {
	const s = new TextDecoderStream("latin1", { fatal: true, ignoreBOM: true })
	same([s.encoding, s.fatal, s.ignoreBOM], ["windows-1252", true, true])
	throws(() => new TextDecoderStream("nope"), RangeError)
})
test("TextDecoderStream takes buffers alone", async () => { await rejects(collect(new TextDecoderStream(), ["x"]), TypeError) })
test("TextDecoderStream drops a mark", async () => {
	is((await collect(new TextDecoderStream(), [new Uint8Array([0xef]), new Uint8Array([0xbb, 0xbf, 0x41])])).join(""), "A")
})

test("btoa encodes Latin-1", () => {
	is(btoa(""), "")
	is(btoa("f"), "Zg==")
	is(btoa("fo"), "Zm8=")
	is(btoa("foo"), "Zm9v")
	is(btoa("\0\xff"), "AP8=")
	is(btoa(null), "bnVsbA==")
})
test("btoa refuses what is beyond", () => { throws(() => btoa("€"), "InvalidCharacterError") })
test("btoa needs an argument", () => { throws(() => btoa(), TypeError) })
const encoded = { "": "", "Zg==": "f", "Zg": "f", "Zm8": "fo", "Zm8=": "fo", " Zm 9\tv\n": "foo", "AP8=": "\0\xff", "bnVsbA==": "null", "YR": "a", "+/": "\xfb" }
for (const [from, to] of Object.entries(encoded)) test("atob " + JSON.stringify(from), () => { is(atob(from), to) })
for (const bad of ["Z", "Zg=", "Zg===", "Z===", "=", "Zm9v=", "Zm9v====", "Z*==", "Zg=x", "Z-_w", "Zm9vZ", "\u00a0Zg==", "Zg==\v"]) test("atob refuses " + JSON.stringify(bad), () => { throws(() => atob(bad), "InvalidCharacterError") })
test("atob converts to a string", () => {
	is(atob(null), "\x9e\xe9e")
	throws(() => atob(), TypeError)
})
