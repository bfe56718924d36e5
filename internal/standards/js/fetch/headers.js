// The Headers class: Fetch, 2.2 and 5.1.
import { is, ok, same, test, throws } from "../harness.js"

test("headers of nothing are empty", () => {
	same([...new Headers()], [])
	same([...new Headers(undefined)], [])
	same([...new Headers({})], [])
	same([...new Headers([])], [])
})
test("headers need new", () => { throws(() => Headers(), TypeError) })
for (const bad of [null, 1, "a: b", true, Symbol("s")]) test("headers of " + String(bad), () => { throws(() => new Headers(bad), TypeError) })
test("headers of a record", () => {
	same([...new Headers({ B: 1, a: null, c: undefined })], [["a", "null"], ["b", "1"], ["c", "undefined"]])
})
test("headers of a record: own enumerable members only", () => {
	const o = Object.create({ inherited: "x" }, { hidden: { value: "x" }, seen: { value: "y", enumerable: true } })
	same([...new Headers(o)], [["seen", "y"]])
})
test("headers of a record: names that differ in case are combined", () => { is(new Headers({ a: "1", A: "2" }).get("a"), "1, 2") })
test("headers of a record: what a getter removes is left out", () => {
	const o = { get a() { delete o.b; return "1" }, b: "2" }
	same([...new Headers(o)], [["a", "1"]])
})
test("headers of a record with a symbol", () => { throws(() => new Headers({ [Symbol("s")]: "x" }), TypeError) })
test("headers of a record that throws", () => {
	const e = new Error("mine")
	throws(() => new Headers({ get a() { throw e } }), e)
	throws(() => new Headers({ a: { toString() { throw e } } }), e)
})
test("headers of pairs", () => {
	same([...new Headers([["b", "1"], ["a", "2"], ["b", "3"]])], [["a", "2"], ["b", "1, 3"]])
	same([...new Headers(new Map([["x", "y"]]))], [["x", "y"]])
	same([...new Headers(new Set([new Set(["x", "y"])]))], [["x", "y"]])
	same([...new Headers((function* () { yield ["x", "y"] })())], [["x", "y"]])
	same([...new Headers(new URLSearchParams("x=y"))], [["x", "y"]])
})
for (const [name, bad] of [["of one", [["a"]]], ["of three", [["a", "b", "c"]]], ["of none", [[]]], ["that are numbers", [1]], ["that are null", [null]]])
	test("headers of pairs " + name, () => { throws(() => new Headers(bad), TypeError) })
test("headers of headers are a copy", () => {
	const a = new Headers({ x: "1" }), b = new Headers(a)
	b.set("x", "2")
	is(a.get("x"), "1")
})
test("headers of headers keep each cookie", () => {
	const h = new Headers([["set-cookie", "a=1"], ["set-cookie", "b=2"]])
	same(new Headers(h).getSetCookie(), ["a=1", "b=2"])
})
test("headers of headers go by their iterator", () => {
	const h = new Headers({ x: "1" })
	h[Symbol.iterator] = function* () { yield ["y", "2"] }
	same([...new Headers(h)], [["y", "2"]])
})
test("an iterator that is no function", () => { throws(() => new Headers({ [Symbol.iterator]: 1 }), TypeError) })

for (const name of ["a", "!#$%&'*+-.^_`|~09azAZ", "A-b"]) test("the name " + JSON.stringify(name), () => {
	const h = new Headers()
	h.append(name, "v")
	is(h.get(name), "v")
	same([...h.keys()], [name.toLowerCase()])
})
for (const name of ["", " ", "a b", "a:", "a\n", "a\0", "(a)", "a,b", "a/b", "a;b", "a=b", "a?", "@", "[", "\\", "{", "\"", "\u00e9", "\u0100", "\u{1f600}", "a\u007f"]) test("no name: " + JSON.stringify(name), () => {
	const h = new Headers()
	throws(() => h.append(name, "v"), TypeError, "append")
	throws(() => h.set(name, "v"), TypeError, "set")
	throws(() => h.get(name), TypeError, "get")
	throws(() => h.has(name), TypeError, "has")
	throws(() => h.delete(name), TypeError, "delete")
	throws(() => new Headers({ [name]: "v" }), TypeError, "record")
	throws(() => new Headers([[name, "v"]]), TypeError, "pairs")
})
for (const [value, want] of [
	["", ""], [" ", ""], [" a ", "a"], ["\t\r\n a b\t \r\n", "a b"], ["a,b", "a,b"], ["\"q\"", "\"q\""], ["a\u0001b", "a\u0001b"], ["a\u007fb", "a\u007fb"], [1.5, "1.5"], [null, "null"], [["a", "b"], "a,b"],
]) test("the value " + JSON.stringify(value), () => {
	const h = new Headers()
	h.set("x", value)
	is(h.get("x"), want)
	is(new Headers([["x", value]]).get("x"), want)
})
for (const value of ["a\nb", "a\rb", "a\0b", "\0", "a\r\nb: c"]) test("no value: " + JSON.stringify(value), () => {
	const h = new Headers()
	throws(() => h.append("x", value), TypeError, "append")
	throws(() => h.set("x", value), TypeError, "set")
	throws(() => new Headers({ x: value }), TypeError, "record")
	is(h.has("x"), false)
})
test("a value that is a symbol", () => {
	throws(() => new Headers().set("x", Symbol("s")), TypeError)
	throws(() => new Headers().append(Symbol("s"), "x"), TypeError)
	throws(() => new Headers([["x", Symbol("s")]]), TypeError)
})
test("values beyond ASCII but within Latin-1", () => { is(new Headers({ x: "caf\u00e9" }).get("x"), "caf\u00e9") })
test("values beyond Latin-1 are none", () => { throws(() => new Headers({ x: "\u0100" }), TypeError) })

test("append adds a value", () => {
	const h = new Headers({ a: "1" })
	is(h.append("A", "2"), undefined)
	h.append("a", "")
	is(h.get("a"), "1, 2, ")
})
test("set replaces all values", () => {
	const h = new Headers([["a", "1"], ["b", "2"], ["a", "3"]])
	is(h.set("A", "4"), undefined)
	same([...h], [["a", "4"], ["b", "2"]])
})
test("delete removes all values", () => {
	const h = new Headers([["a", "1"], ["b", "2"], ["a", "3"]])
	is(h.delete("A"), undefined)
	h.delete("gone")
	same([...h], [["b", "2"]])
})
test("get and has ignore case", () => {
	const h = new Headers({ "X-Y": "1" })
	same([h.get("x-y"), h.get("X-Y"), h.has("x-Y"), h.get("z"), h.has("z")], ["1", "1", true, null, false])
})
test("get combines cookies", () => {
	const h = new Headers([["set-cookie", "a"], ["set-cookie", "b"]])
	is(h.get("set-cookie"), "a, b")
})
test("getSetCookie gives each", () => {
	const h = new Headers()
	same(h.getSetCookie(), [])
	h.append("Set-Cookie", "a=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT")
	h.append("set-cookie", "a=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT")
	h.append("SET-COOKIE", "")
	same(h.getSetCookie(), ["a=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT", "a=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT", ""])
	h.set("set-cookie", "z")
	same(h.getSetCookie(), ["z"])
	h.delete("set-cookie")
	same(h.getSetCookie(), [])
})
test("iteration is sorted, combined and has each cookie", () => {
	const h = new Headers([["set-cookie", "b=1"], ["z", "1"], ["a", "1"], ["Set-Cookie", "a=2"], ["Z", "2"], ["m-n", ""], ["m", "x"]])
	same([...h], [["a", "1"], ["m", "x"], ["m-n", ""], ["set-cookie", "b=1"], ["set-cookie", "a=2"], ["z", "1, 2"]])
})
test("headers: keys, values and entries", () => {
	const h = new Headers({ b: "2", a: "1" })
	same([...h.keys()], ["a", "b"])
	same([...h.values()], ["1", "2"])
	same([...h.entries()], [["a", "1"], ["b", "2"]])
	is(Headers.prototype[Symbol.iterator], Headers.prototype.entries)
})
test("headers' iteration sees changes", () => {
	const h = new Headers({ a: "1", c: "3" }), seen = []
	for (const [k] of h) {
		seen.push(k)
		if (k === "a") h.append("d", "4")
		if (k === "c") h.append("e", "5")
	}
	same(seen, ["a", "c", "d", "e"])
})
test("headers' iteration goes by place, also when one is deleted", () => {
	const h = new Headers({ a: "1", b: "2", c: "3" }), seen = []
	for (const [k] of h) { seen.push(k); h.delete(k) }
	same(seen, ["a", "c"])
})
test("headers' iterator is one of headers", () => {
	const i = new Headers({ a: "1" }).keys()
	is(Object.prototype.toString.call(i), "[object Headers Iterator]")
	is(i[Symbol.iterator](), i)
	same(i.next(), { value: "a", done: false })
	same(i.next(), { value: undefined, done: true })
})
test("headers: forEach passes value, name and headers", () => {
	const h = new Headers({ b: "2", a: "1" }), self = {}, log = []
	is(h.forEach(function (...args) { log.push([this === self, args[0], args[1], args[2] === h]) }, self), undefined)
	same(log, [[true, "1", "a", true], [true, "2", "b", true]])
	throws(() => h.forEach(), TypeError)
	throws(() => h.forEach({}), TypeError)
})
for (const [method, n] of [["append", 2], ["set", 2], ["delete", 1], ["get", 1], ["has", 1]])
	test("headers: " + method + " needs arguments", () => {
		const h = new Headers()
		throws(() => h[method](), TypeError)
		if (n === 2) throws(() => h[method]("a"), TypeError)
	})
test("headers are of class Headers", () => {
	is(Object.prototype.toString.call(new Headers()), "[object Headers]")
	throws(() => Headers.prototype.get.call({}, "a"), TypeError)
})
test("headers of a network error and of a redirect are immutable", () => {
	for (const h of [Response.error().headers, Response.redirect("https://s.test").headers]) {
		throws(() => h.set("a", "b"), TypeError)
		throws(() => h.append("a", "b"), TypeError)
		throws(() => h.delete("location"), TypeError)
	}
})
test("a copy of immutable headers is not", () => {
	const h = new Headers(Response.redirect("https://s.test/").headers)
	h.set("a", "b")
	same([...h], [["a", "b"], ["location", "https://s.test/"]])
})
test("headers of a request and of a response can be changed", () => {
	const q = new Request("https://s.test", { headers: { a: "1" } }), p = new Response("", { headers: { a: "1" } })
	for (const { headers } of [q, p]) {
		headers.set("a", "2")
		headers.append("b", "3")
		is(headers.get("a"), "2")
	}
	is(q.headers, q.headers)
	is(q.headers.get("b"), "3")
})
test("the names that browsers forbid are free", () => {
	const q = new Request("https://s.test", { headers: { Cookie: "a=1", Host: "x", Origin: "https://t.test", "Accept-Encoding": "br", Referer: "/", "Sec-X": "1", Via: "x" } })
	same([...q.headers.keys()], ["accept-encoding", "cookie", "host", "origin", "referer", "sec-x", "via"])
	is(new Response("", { headers: { "Set-Cookie": "a=1" } }).headers.get("set-cookie"), "a=1")
})
