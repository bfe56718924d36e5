// URLSearchParams and application/x-www-form-urlencoded: URL, 5 and 6.2.
import { is, ok, same, test, throws } from "../harness.js"

for (const [input, want] of [
	["", []],
	["?", []],
	["??", [["?", ""]]],
	["a", [["a", ""]]],
	["a=", [["a", ""]]],
	["=b", [["", "b"]]],
	["=", [["", ""]]],
	["&", []],
	["&&a&&", [["a", ""]]],
	["a=b=c", [["a", "b=c"]]],
	["a==b", [["a", "=b"]]],
	["a=1&a=2&b", [["a", "1"], ["a", "2"], ["b", ""]]],
	["a;b=c", [["a;b", "c"]]],
	["a+b=c+d", [["a b", "c d"]]],
	["a%2Bb=%20", [["a+b", " "]]],
	["%61%3D=%26", [["a=", "&"]]],
	["a=%", [["a", "%"]]],
	["a=%4&b=%4g", [["a", "%4"], ["b", "%4g"]]],
	["a=%C3%A9%f0%9f%98%80", [["a", "\u00e9\u{1f600}"]]],
	["a=%ff%c3", [["a", "\ufffd\ufffd"]]],
	["a=%e2%82x", [["a", "\ufffdx"]]],
	["a=%ed%a0%80", [["a", "\ufffd\ufffd\ufffd"]]],
	["a=%EF%BB%BFx", [["a", "\ufeffx"]]],
	["\ufeffa=b", [["\ufeffa", "b"]]],
	["a=\u00e9", [["a", "\u00e9"]]],
	["a=\ud800", [["a", "\ufffd"]]],
	["a=%00", [["a", "\0"]]],
	["a=b#c", [["a", "b#c"]]],
	["a=b\n", [["a", "b\n"]]],
	["a%3fb=?", [["a?b", "?"]]],
]) test("the pairs of " + JSON.stringify(input), () => { same([...new URLSearchParams(input)], want) })

for (const [pairs, want] of [
	[[], ""],
	[[["", ""]], "="],
	[[["a", ""]], "a="],
	[[["a b", "c d"]], "a+b=c+d"],
	[[["a+b", "c%d"]], "a%2Bb=c%25d"],
	[[["*-._", "azAZ09"]], "*-._=azAZ09"],
	[[["a&b=c", "#?/"]], "a%26b%3Dc=%23%3F%2F"],
	[[["~'()!", "\n\r"]], "%7E%27%28%29%21=%0A%0D"],
	[[["\u00e9", "\u{1f600}"]], "%C3%A9=%F0%9F%98%80"],
	[[["\ud800", "x\udfff"]], "%EF%BF%BD=x%EF%BF%BD"],
	[[["\0", "\u007f"]], "%00=%7F"],
	[[["a", "1"], ["b", "2"], ["a", "3"]], "a=1&b=2&a=3"],
]) test("the string of " + JSON.stringify(pairs), () => {
	const p = new URLSearchParams(pairs)
	is(p.toString(), want)
	is(String(p), want)
})

test("params of nothing are empty", () => {
	is(new URLSearchParams().size, 0)
	is(new URLSearchParams(undefined).toString(), "")
	is(new URLSearchParams(null).toString(), "null=")
	is(new URLSearchParams(0).toString(), "0=")
	is(new URLSearchParams(true).toString(), "true=")
})
test("params of a record", () => {
	is(new URLSearchParams({ b: 1, a: null, "c d": undefined }).toString(), "b=1&a=null&c+d=undefined")
	is(new URLSearchParams({ 2: "x", 1: "y", z: "" }).toString(), "1=y&2=x&z=")
	is(new URLSearchParams({}).toString(), "")
	is(new URLSearchParams({ a: ["x", "y"] }).toString(), "a=x%2Cy")
})
test("params of a record: own enumerable names only", () => {
	const o = Object.create({ inherited: 1 }, { hidden: { value: 1 }, seen: { value: 2, enumerable: true } })
	is(new URLSearchParams(o).toString(), "seen=2")
})
test("params of a record: names that become the same are one", () => {
	is(new URLSearchParams({ "\ud835": "1", x: "2", "\udc1a": "3" }).toString(), "%EF%BF%BD=3&x=2")
})
test("params of a record with a symbol", () => { throws(() => new URLSearchParams({ [Symbol("s")]: "x" }), TypeError) })
test("params of a record that throws", () => {
	const e = new Error("mine")
	throws(() => new URLSearchParams({ get a() { throw e } }), e)
	throws(() => new URLSearchParams({ a: { toString() { throw e } } }), e)
})
test("params of a function are those of its properties", () => {
	const f = () => {}
	f.a = 1
	is(new URLSearchParams(f).toString(), "a=1")
})
test("params of a sequence of pairs", () => {
	is(new URLSearchParams([["a", 1], ["a", null]]).toString(), "a=1&a=null")
	is(new URLSearchParams(new Map([["a", "b"], ["c", "d"]])).toString(), "a=b&c=d")
	is(new URLSearchParams(new Set(["ab", "cd"].map((s) => new Set(s)))).toString(), "a=b&c=d")
	is(new URLSearchParams((function* () { yield ["x", "y"] })()).toString(), "x=y")
	is(new URLSearchParams([[new String("a"), { toString: () => "b" }]]).toString(), "a=b")
})
for (const [name, bad] of [["of one", [["a"]]], ["of three", [["a", "b", "c"]]], ["of none", [[]]], ["that are numbers", [1, 2]], ["that are null", [null]], ["that are records", [{ a: 1 }]]])
	test("params of a sequence of pairs " + name, () => { throws(() => new URLSearchParams(bad), TypeError) })
test("params whose iterator is no function", () => {
	throws(() => new URLSearchParams({ [Symbol.iterator]: 1 }), TypeError)
	throws(() => new URLSearchParams({ [Symbol.iterator]: () => 1 }), TypeError)
})
test("params of params are a copy", () => {
	const a = new URLSearchParams("x=1"), b = new URLSearchParams(a)
	a.append("y", "2")
	is(b.toString(), "x=1")
})
test("params of params go by their iterator", () => {
	const p = new URLSearchParams("x=1")
	p[Symbol.iterator] = function* () { yield ["y", "2"] }
	is(new URLSearchParams(p).toString(), "y=2")
})
test("params of FormData", () => {
	const f = new FormData()
	f.append("a b", "c")
	is(new URLSearchParams(f).toString(), "a+b=c")
})
test("URLSearchParams needs new", () => { throws(() => URLSearchParams(""), TypeError) })
test("append adds at the end", () => {
	const p = new URLSearchParams("a=1&b=2")
	is(p.append("a", 3), undefined)
	p.append("", undefined)
	is(p.toString(), "a=1&b=2&a=3&=undefined")
})
test("delete by name", () => {
	const p = new URLSearchParams("a=1&b=2&a=3")
	is(p.delete("a"), undefined)
	p.delete("gone")
	is(p.toString(), "b=2")
})
test("delete by name and value", () => {
	const p = new URLSearchParams("a=1&a=2&a=1&a=")
	p.delete("a", "1")
	is(p.toString(), "a=2&a=")
	p.delete("a", "")
	is(p.toString(), "a=2")
	p.delete("a", undefined)
	is(p.toString(), "")
})
test("delete takes null for a value", () => {
	const p = new URLSearchParams("a=null&a=x")
	p.delete("a", null)
	is(p.toString(), "a=x")
})
test("get gives the first value or null", () => {
	const p = new URLSearchParams("a=1&a=2&=e")
	same([p.get("a"), p.get("A"), p.get(""), p.get("b")], ["1", null, "e", null])
})
test("getAll gives all values", () => {
	const p = new URLSearchParams("a=1&b=2&a=3")
	same(p.getAll("a"), ["1", "3"])
	same(p.getAll("c"), [])
	ok(p.getAll("a") !== p.getAll("a"))
})
test("has by name and by value", () => {
	const p = new URLSearchParams("a=1&a=2&b")
	same([p.has("a"), p.has("c"), p.has("a", "2"), p.has("a", "3"), p.has("b", ""), p.has("a", undefined), p.has("b", null)], [true, false, true, false, true, true, false])
})
test("set replaces the first and drops the others", () => {
	const p = new URLSearchParams("x=0&a=1&b=2&a=3")
	is(p.set("a", 9), undefined)
	is(p.toString(), "x=0&a=9&b=2")
	p.set("n", null)
	is(p.toString(), "x=0&a=9&b=2&n=null")
})
test("size counts the pairs", () => {
	const p = new URLSearchParams("a&a&b")
	is(p.size, 3)
	p.delete("a")
	is(p.size, 1)
	throws(() => { p.size = 5 }, TypeError)
})
for (const [method, n] of [["append", 2], ["set", 2], ["delete", 1], ["get", 1], ["getAll", 1], ["has", 1], ["forEach", 1]])
	test("params: " + method + " needs arguments", () => {
		is(URLSearchParams.prototype[method].length, n)
		const p = new URLSearchParams("a=b")
		throws(() => p[method](), TypeError)
		if (n === 2) throws(() => p[method]("a"), TypeError)
	})
for (const [before, want] of [
	["z=b&a=b&z=a&a=a", "a=b&a=a&z=b&z=a"],
	["b&a&B&A&1&", "1=&A=&B=&a=&b="],
	["aa&a&ab&", "a=&aa=&ab="],
	["\ufb03&\u{1f308}&a", "a=&%F0%9F%8C%88=&%EF%AC%83="],
	["\uffff&\u{10000}&\ue000", "%F0%90%80%80=&%EE%80%80=&%EF%BF%BF="],
	["\u{1f308}x&\u{1f308}&\u{1f307}y", "%F0%9F%8C%87y=&%F0%9F%8C%88=&%F0%9F%8C%88x="],
	["=2&=1&a", "=2&=1&a="],
	["e\u0301&\u00e9&e", "e=&e%CC%81=&%C3%A9="],
]) test("sort " + JSON.stringify(before), () => {
	const p = new URLSearchParams(before)
	is(p.sort(), undefined)
	is(p.toString(), want)
})
test("sort is stable for many", () => {
	const p = new URLSearchParams()
	for (let i = 0; i < 500; i++) p.append("k" + (i % 7), String(i))
	p.sort()
	let last = ["", -1]
	for (const [k, v] of p) {
		ok(k > last[0] || k === last[0] && Number(v) > last[1], k + "=" + v)
		last = [k, Number(v)]
	}
})
test("iteration is live", () => {
	const p = new URLSearchParams("a=1&b=2&c=3"), seen = []
	for (const [k] of p) {
		seen.push(k)
		if (k === "a") p.delete("b")
		if (k === "c" && p.size < 4) p.append("d" + p.size, "")
	}
	same(seen, ["a", "c", "d2"])
})
test("deleting while iterating skips one", () => {
	const p = new URLSearchParams("a=1&b=2&c=3"), seen = []
	for (const [k] of p) { seen.push(k); p.delete(k) }
	same(seen, ["a", "c"])
	is(p.toString(), "b=2")
})
test("keys, values and entries", () => {
	const p = new URLSearchParams("a=1&b=2&a=3")
	same([...p.keys()], ["a", "b", "a"])
	same([...p.values()], ["1", "2", "3"])
	same([...p.entries()], [["a", "1"], ["b", "2"], ["a", "3"]])
	is(URLSearchParams.prototype[Symbol.iterator], URLSearchParams.prototype.entries)
})
test("an iterator is one of params", () => {
	const i = new URLSearchParams("a=1").entries()
	is(Object.prototype.toString.call(i), "[object URLSearchParams Iterator]")
	is(i[Symbol.iterator](), i)
	same(i.next(), { value: ["a", "1"], done: false })
	same(i.next(), { value: undefined, done: true })
	same(i.next(), { value: undefined, done: true })
})
test("forEach passes value, name and params", () => {
	const p = new URLSearchParams("a=1&b=2"), self = {}, log = []
	is(p.forEach(function (...args) { log.push([this === self, args[0], args[1], args[2] === p, args.length]) }, self), undefined)
	same(log, [[true, "1", "a", true, 3], [true, "2", "b", true, 3]])
	throws(() => p.forEach(null), TypeError)
})
test("forEach sees what is appended", () => {
	const p = new URLSearchParams("a=1"), seen = []
	p.forEach((v, k) => { seen.push(k); if (seen.length < 3) p.append("n" + seen.length, "") })
	same(seen, ["a", "n1", "n2"])
})
test("params are of class URLSearchParams", () => {
	is(Object.prototype.toString.call(new URLSearchParams()), "[object URLSearchParams]")
	is(URLSearchParams.length, 0)
	throws(() => URLSearchParams.prototype.append.call({}, "a", "b"), TypeError)
	throws(() => URLSearchParams.prototype.size, TypeError)
})

// The params of a URL.

test("a URL has one object for its params", () => {
	const u = new URL("https://s.test/?a=1")
	is(u.searchParams, u.searchParams)
	const p = u.searchParams
	u.search = "?b=2"
	is(u.searchParams, p)
	same([...p], [["b", "2"]])
})
test("changes of the params change the URL", () => {
	const u = new URL("https://s.test/?a=1#f"), p = u.searchParams
	p.append("b", "x y")
	is(u.href, "https://s.test/?a=1&b=x+y#f")
	p.set("a", "\u00e9")
	is(u.search, "?a=%C3%A9&b=x+y")
	p.delete("a")
	p.delete("b")
	is(u.href, "https://s.test/#f")
	is(u.search, "")
})
test("changes of the URL change the params", () => {
	const u = new URL("https://s.test/?a=1"), p = u.searchParams
	u.search = "b=2&c"
	is(p.toString(), "b=2&c=")
	u.href = "https://t.test/?d=4"
	is(p.get("d"), "4")
	u.search = ""
	is(p.size, 0)
	u.hash = "x"
	u.pathname = "/y"
	is(p.size, 0)
})
test("params of a URL leave its query as it is until they change", () => {
	const u = new URL("https://s.test/?a=~'%20")
	is(u.searchParams.get("a"), "~' ")
	is(u.search, "?a=~%27%20")
	u.searchParams.sort()
	is(u.search, "?a=%7E%27+")
})
test("deleting what is not there serializes all the same", () => {
	const u = new URL("https://s.test/?a b")
	u.searchParams.delete("nothing")
	is(u.search, "?a+b=")
})
test("a question mark stays in a URL's params", () => {
	same([...new URL("https://s.test/??a=b").searchParams], [["?a", "b"]])
	const u = new URL("https://s.test/")
	u.search = "??a=b"
	same([...u.searchParams], [["?a", "b"]])
})
test("params of a URL work for opaque paths", () => {
	const u = new URL("mailto:x@s.test?subject=a")
	u.searchParams.append("body", "b c")
	is(u.href, "mailto:x@s.test?subject=a&body=b+c")
})
test("a copy of a URL's params is not live", () => {
	const u = new URL("https://s.test/?a=1"), p = new URLSearchParams(u.searchParams)
	p.set("a", "2")
	is(u.search, "?a=1")
})
test("an iterator of a URL's params sees a new query", () => {
	const u = new URL("https://s.test/?a=1&b=2&c=3"), seen = []
	for (const [k] of u.searchParams) { seen.push(k); if (k === "a") u.search = "?x=1&y=2&z=3" }
	same(seen, ["a", "y", "z"])
})
test("emptied params take the question mark away", () => {
	const u = new URL("https://s.test/?")
	u.searchParams.delete("x")
	is(u.href, "https://s.test/")
})
test("assigning to searchParams does not replace it", () => {
	const u = new URL("https://s.test/?a=1")
	throws(() => { u.searchParams = new URLSearchParams("b=2") }, TypeError)
	is(u.search, "?a=1")
})
