// FormData: XMLHttpRequest Standard, 4.
import { is, ok, rejects, same, test, throws } from "../harness.js"

const entries = (f) => [...f].map(([k, v]) => [k, typeof v === "string" ? v : v.name + ":" + v.type + ":" + v.size])

test("append adds, set replaces", () => {
	const f = new FormData()
	f.append("a", "1"); f.append("b", "2"); f.append("a", "3")
	same(entries(f), [["a", "1"], ["b", "2"], ["a", "3"]])
	f.set("a", "4")
	same(entries(f), [["a", "4"], ["b", "2"]])
	f.set("c", "5")
	same([...f.keys()], ["a", "b", "c"])
})
test("get, getAll, has and delete", () => {
	const f = new FormData()
	f.append("a", "1"); f.append("a", "2")
	same([f.get("a"), f.getAll("a"), f.has("a"), f.get("x"), f.getAll("x"), f.has("x")], ["1", ["1", "2"], true, null, [], false])
	is(f.delete("a"), undefined)
	is(f.has("a"), false)
})
test("values are converted to strings", () => {
	const f = new FormData()
	f.append(1, null); f.append("u", undefined); f.append("o", {})
	same(entries(f), [["1", "null"], ["u", "undefined"], ["o", "[object Object]"]])
})
test("a Blob becomes a File called blob", () => {
	const f = new FormData()
	f.append("b", new Blob(["x"], { type: "a/b" }))
	f.append("c", new Blob(["xy"]), "name.txt")
	f.append("d", new File(["xyz"], "own.txt"))
	f.append("e", new File([""], "own.txt"), "other.txt")
	same(entries(f), [["b", "blob:a/b:1"], ["c", "name.txt::2"], ["d", "own.txt::3"], ["e", "other.txt::0"]])
	ok(f.get("b") instanceof File)
})
test("a file name goes with a Blob alone", () => {
	throws(() => new FormData().append("a", "text", "name"), TypeError)
	throws(() => new FormData().set("a", "text", "name"), TypeError)
})
test("arguments are needed", () => {
	for (const [name, n] of [["append", 2], ["set", 2], ["get", 1], ["getAll", 1], ["has", 1], ["delete", 1]]) throws(() => new FormData()[name](...Array(n - 1).fill("x")), TypeError, name)
})
test("iteration in order", () => {
	const f = new FormData()
	f.append("b", "1"); f.append("a", "2")
	same([[...f.keys()], [...f.values()], [...f.entries()]], [["b", "a"], ["1", "2"], [["b", "1"], ["a", "2"]]])
	const log = []
	f.forEach(function (v, k, o) { log.push(k, v, o === f, this.t) }, { t: 1 })
	same(log, ["b", "1", true, 1, "a", "2", true, 1])
	is(f[Symbol.iterator], f.entries)
})
test("iteration sees what is added meanwhile", () => {
	const f = new FormData(), seen = []
	f.append("a", "1")
	for (const [k] of f) { seen.push(k); if (seen.length < 3) f.append("x" + seen.length, "") }
	same(seen, ["a", "x1", "x2"])
})
test("as a body it goes there and back", async () => {
	const f = new FormData()
	f.append("text", "line 1\nline 2 é"); f.append("file", new File([new Uint8Array([0, 255, 13, 10])], 'q"uote\né.bin', { type: "application/x-y" })); f.append("", "")
	const r = new Response(f)
	ok(/^multipart\/form-data; ?boundary=/.test(r.headers.get("content-type")))
	const g = await r.formData()
	is(g.get("text").replaceAll("\r\n", "\n"), "line 1\nline 2 é")
	same([...await g.get("file").bytes()], [0, 255, 13, 10])
	is(g.get("file").type, "application/x-y")
	is(g.get(""), "")
})
test("a urlencoded body is a form", async () => {
	const r = new Response("a=1&b=x+y%20z&a=%C3%A9&c", { headers: { "content-type": "application/x-www-form-urlencoded" } })
	same([...await r.formData()], [["a", "1"], ["b", "x y z"], ["a", "é"], ["c", ""]])
})
test("a multipart body of another's making", async () => {
	const body = '--B\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--B\r\ncontent-disposition: form-data; name="f"; filename="x.txt"\r\nContent-Type: text/plain\r\n\r\nhi\r\n--B--\r\n'
	const f = await new Response(body, { headers: { "content-type": "multipart/form-data; boundary=B" } }).formData()
	is(f.get("a"), "1")
	same([f.get("f").name, f.get("f").type, await f.get("f").text()], ["x.txt", "text/plain", "hi"])
})
test("a body that is no form is refused", async () => {
	await rejects(new Response("x").formData(), TypeError)
	await rejects(new Response("x", { headers: { "content-type": "text/plain" } }).formData(), TypeError)
	await rejects(new Response("nothing", { headers: { "content-type": "multipart/form-data; boundary=B" } }).formData(), TypeError)
	await rejects(new Response("--B--", { headers: { "content-type": "multipart/form-data" } }).formData(), TypeError)
})
