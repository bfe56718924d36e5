// Blob and File: File API.
import { is, ok, rejects, same, test, throws } from "../harness.js"

test("a Blob of nothing", async () => {
	for (const b of [new Blob(), new Blob(undefined), new Blob([])]) {
		same([b.size, b.type, await b.text()], [0, "", ""])
	}
})
test("a Blob joins its parts", async () => {
	const b = new Blob(["é", new Uint8Array([65, 66]), new Uint8Array([67]).buffer, new Blob(["D"]), new DataView(new Uint8Array([68, 69, 70]).buffer, 1, 1)])
	is(await b.text(), "éABCDE")
	is(b.size, 7)
})
test("other parts are converted to strings", async () => {
	is(await new Blob([1, null, undefined, {}, [2, 3], true]).text(), "1nullundefined[object Object]2,3true")
})
test("parts come from any iterable", async () => {
	is(await new Blob(new Set(["a", "b"])).text(), "ab")
	is(await new Blob(new Uint8Array([1, 2])).text(), "12")
	is(await new Blob(new String("xyz")).text(), "xyz")
})
for (const bad of ["text", 5, true, null, {}]) test("parts that are no iterable object: " + JSON.stringify(bad), () => { throws(() => new Blob(bad), TypeError) })
test("halves of pairs are replaced", async () => { is(await new Blob(["\ud83d"]).text(), "\ufffd") })
test("a Blob keeps what its parts were", async () => {
	const u = new Uint8Array([65]), b = new Blob([u])
	u[0] = 66
	is(await b.text(), "A")
})
test("the type is in lower case", () => {
	is(new Blob([], { type: "Text/HTML; Charset=X" }).type, "text/html; charset=x")
	is(new Blob([], { type: null }).type, "null")
	is(new Blob([], {}).type, "")
})
test("a type with other characters is dropped", () => {
	for (const type of ["té", "a\x1f", "a\x7f", "\u0100"]) is(new Blob([], { type }).type, "", JSON.stringify(type))
})
test("endings stay or become the system's", async () => {
	is(await new Blob(["a\r\nb\n"]).text(), "a\r\nb\n")
	is(await new Blob(["a\r\nb\n"], { endings: "transparent" }).text(), "a\r\nb\n")
})
const slices = [[[], "hello"], [[1], "ello"], [[1, 3], "el"], [[-2], "lo"], [[-3, -1], "ll"], [[0, -9], ""], [[3, 1], ""], [[9], ""], [[0, 99], "hello"], [[-99, 2], "he"], [[undefined, 2], "he"], [[null, 2], "he"], [[1.9, 3.9], "el"], [[NaN], "hello"]]
for (const [args, want] of slices) test("slice(" + args.map(String) + ")", async () => { is(await new Blob(["he", "llo"]).slice(...args).text(), want) })
test("slice has a type of its own", () => {
	const b = new Blob(["x"], { type: "a/b" })
	is(b.slice().type, "")
	is(b.slice(0, 1, "C/D").type, "c/d")
	is(b.slice(0, 1, "\u0100").type, "")
	ok(b.slice() instanceof Blob)
})
test("a slice of a slice", async () => { is(await new Blob(["abcdef"]).slice(1, 5).slice(1, 3).text(), "cd") })
test("arrayBuffer and bytes are copies", async () => {
	const b = new Blob(["ab"])
	const x = new Uint8Array(await b.arrayBuffer())
	x[0] = 0
	is(await b.text(), "ab")
	const y = await b.bytes()
	ok(y instanceof Uint8Array)
	same([...y], [97, 98])
})
test("text drops a mark", async () => { is(await new Blob([new Uint8Array([0xef, 0xbb, 0xbf, 0x41])]).text(), "A") })
test("text replaces what is broken", async () => { is(await new Blob([new Uint8Array([0xff, 0x41])]).text(), "\ufffdA") })
test("stream gives the bytes", async () => {
	let s = ""
	for await (const c of new Blob(["a", "b".repeat(10)]).stream()) { ok(c instanceof Uint8Array); s += new TextDecoder().decode(c) }
	is(s, "a" + "b".repeat(10))
})
test("stream of nothing ends", async () => {
	const r = new Blob().stream().getReader()
	same(await r.read(), { value: undefined, done: true })
})
test("stream can be had again", async () => {
	const b = new Blob(["x"])
	is(await new Response(b.stream()).text() + await new Response(b.stream()).text(), "xx")
})
test("a Response takes a Blob with its type", async () => {
	const r = new Response(new Blob(["x"], { type: "a/b" }))
	is(r.headers.get("content-type"), "a/b")
	is((await new Response("x", { headers: { "content-type": "Text/X" } }).blob()).type, "text/x")
})
test("a File has a name and a time", async () => {
	const before = Date.now(), f = new File(["x"], "a/b.txt", { type: "text/plain" })
	same([f.name, f.type, f.size, await f.text()], ["a/b.txt", "text/plain", 1, "x"])
	ok(f.lastModified >= before - 1000 && f.lastModified <= Date.now() + 1000)
	ok(f instanceof Blob)
	is(f.slice(0, 1) instanceof File, false)
})
test("lastModified may be given", () => {
	is(new File([], "x", { lastModified: 5 }).lastModified, 5)
	is(new File([], "x", { lastModified: -1.7 }).lastModified, -1)
	is(new File([], "x", { lastModified: NaN }).lastModified, 0)
})
test("a File needs parts and a name", () => {
	throws(() => new File(), TypeError)
	throws(() => new File([]), TypeError)
	throws(() => new File("x", "y"), TypeError)
	is(new File([], null).name, "null")
})
test("classes name themselves", () => {
	is(Object.prototype.toString.call(new Blob()), "[object Blob]")
	is(Object.prototype.toString.call(new File([], "x")), "[object File]")
})
test("members check what they are called on", async () => {
	throws(() => Object.getOwnPropertyDescriptor(Blob.prototype, "size").get.call({}), TypeError)
	await rejects(Promise.resolve().then(() => Blob.prototype.text.call({})), TypeError)
})
