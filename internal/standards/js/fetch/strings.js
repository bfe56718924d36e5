// Conversion of arguments to strings: Web IDL, 3.2.10 to 3.2.12.
import { is, ok, rejects, same, test, throws } from "../harness.js"

const url = "https://s.test/", s = Symbol("s")

for (const [what, call] of [
	["a URL of a request", () => new Request(s)],
	["a method", () => new Request(url, { method: s })],
	["redirect", () => new Request(url, { redirect: s })],
	["cache", () => new Request(url, { cache: s })],
	["a body of a request", () => new Request(url, { method: "POST", body: s })],
	["a body of a response", () => new Response(s)],
	["a statusText", () => new Response("", { statusText: s })],
	["a status", () => new Response("", { status: s })],
	["the URL of a redirect", () => Response.redirect(s)],
	["the status of a redirect", () => Response.redirect(url, s)],
	["a header's name", () => new Headers([[s, "x"]])],
	["a header's value", () => new Headers({ x: s })],
	["a name to get", () => new Headers().get(s)],
	["a name in a form", () => new FormData().append(s, "x")],
	["a value in a form", () => new FormData().set("x", s)],
	["a file's name in a form", () => new FormData().set("x", new Blob(), s)],
	["a name to get from a form", () => new FormData().get(s)],
	["a name to look for in a form", () => new FormData().has(s)],
	["a part of a Blob", () => new Blob([s])],
	["the type of a Blob", () => new Blob([], { type: s })],
	["the name of a File", () => new File([], s)],
]) test("a symbol is no string: " + what, () => { throws(call, TypeError) })

test("a body's toString is called once", async () => {
	let n = 0
	const o = { toString() { return "called " + ++n } }
	is(await new Response(o).text(), "called 1")
	is(n, 1)
})
test("a request's URL is converted once", () => {
	let n = 0
	const o = { toString() { n++; return "no url" } }
	throws(() => new Request(o), TypeError)
	throws(() => Response.redirect(o), TypeError)
	is(n, 2)
})
test("a name in a form has no lone surrogates", () => {
	const f = new FormData()
	f.append("\ud800", "\udfff")
	same([...f], [["\ufffd", "\ufffd"]])
	ok(f.has("\ud801"))
})
for (const [method, n] of [["append", 2], ["set", 2], ["delete", 1], ["get", 1], ["getAll", 1], ["has", 1], ["forEach", 1]])
	test("form: " + method + " needs arguments", () => {
		const f = new FormData()
		throws(() => f[method](), TypeError)
		if (n === 2) throws(() => f[method]("a"), TypeError)
	})
