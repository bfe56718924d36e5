// The URL class: URL, 6.1.
import { is, ok, same, test, throws } from "../harness.js"

const all = "href origin protocol username password host hostname port pathname search hash".split(" ")
const parts = (u) => all.slice(1).map((k) => u[k])

for (const [input, want] of [
	["https://me:pw@s.test:8443/a/b?q=1#f", ["https://s.test:8443", "https:", "me", "pw", "s.test:8443", "s.test", "8443", "/a/b", "?q=1", "#f"]],
	["http://s.test:80", ["http://s.test", "http:", "", "", "s.test", "s.test", "", "/", "", ""]],
	["https://s.test/?#", ["https://s.test", "https:", "", "", "s.test", "s.test", "", "/", "", ""]],
	["ws://[::1]:9/x", ["ws://[::1]:9", "ws:", "", "", "[::1]:9", "[::1]", "9", "/x", "", ""]],
	["wss://:pw@s.test", ["wss://s.test", "wss:", "", "pw", "s.test", "s.test", "", "/", "", ""]],
	["ftp://me@s.test/f", ["ftp://s.test", "ftp:", "me", "", "s.test", "s.test", "", "/f", "", ""]],
	["file:///p", ["null", "file:", "", "", "", "", "", "/p", "", ""]],
	["file://h/p", ["null", "file:", "", "", "h", "h", "", "/p", "", ""]],
	["data:text/plain,x?y#z", ["null", "data:", "", "", "", "", "", "text/plain,x", "?y", "#z"]],
	["z://me:pw@H:1", ["null", "z:", "me", "pw", "H:1", "H", "1", "", "", ""]],
	["z:/.//p", ["null", "z:", "", "", "", "", "", "//p", "", ""]],
	["z:///p", ["null", "z:", "", "", "", "", "", "/p", "", ""]],
	["blob:https://s.test:444/id", ["https://s.test:444", "blob:", "", "", "", "", "", "https://s.test:444/id", "", ""]],
	["blob:http://me:pw@s.test/id", ["http://s.test", "blob:", "", "", "", "", "", "http://me:pw@s.test/id", "", ""]],
	["blob:ftp://s.test/id", ["null", "blob:", "", "", "", "", "", "ftp://s.test/id", "", ""]],
	["blob:blob:https://s.test/", ["null", "blob:", "", "", "", "", "", "blob:https://s.test/", "", ""]],
	["blob:x", ["null", "blob:", "", "", "", "", "", "x", "", ""]],
	["blob:file:///x", ["null", "blob:", "", "", "", "", "", "file:///x", "", ""]],
]) test("the parts of " + input, () => { same(parts(new URL(input)), want) })

test("URL needs new", () => { throws(() => URL("https://s.test"), TypeError) })
test("URL needs an argument", () => { throws(() => new URL(), TypeError) })
test("URL converts its arguments", () => {
	is(new URL({ toString: () => "https://s.test/x" }).href, "https://s.test/x")
	is(new URL(1, "https://s.test").href, "https://s.test/1")
	is(new URL(null, "https://s.test").href, "https://s.test/null")
	is(new URL("x", new URL("https://s.test/a/")).href, "https://s.test/a/x")
	is(new URL(undefined, { toString: () => "https://s.test" }).href, "https://s.test/undefined")
})
test("an undefined base is none, null is one", () => {
	is(new URL("https://s.test/", undefined).href, "https://s.test/")
	throws(() => new URL("https://s.test/", null), TypeError)
})
test("a conversion that throws is passed on", () => {
	const e = new Error("mine")
	throws(() => new URL({ toString() { throw e } }), e)
	throws(() => new URL("x", { toString() { throw e } }), e)
	throws(() => new URL(Symbol("s")), TypeError)
})
test("arguments are converted from left to right", () => {
	const log = []
	const say = (v) => ({ toString() { log.push(v); return "https://s.test/" + v } })
	new URL(say("a"), say("b"))
	URL.canParse(say("c"), say("d"))
	same(log, ["a", "b", "c", "d"])
})
test("URL.canParse needs an argument", () => { throws(() => URL.canParse(), TypeError) })
test("URL.parse needs an argument", () => { throws(() => URL.parse(), TypeError) })
test("URL.parse makes a URL each time", () => {
	const a = URL.parse("https://s.test/"), b = URL.parse("https://s.test/")
	ok(a instanceof URL)
	ok(a !== b)
})
test("URL.canParse gives booleans", () => {
	is(URL.canParse(undefined), false)
	is(URL.canParse("undefined", "https://s.test"), true)
	is(URL.canParse("x:y", undefined), true)
})
test("toString and toJSON are href", () => {
	const u = new URL("HTTPS://S.test")
	is(u.toString(), "https://s.test/")
	is(u.toJSON(), "https://s.test/")
	is(`${u}`, "https://s.test/")
	is(JSON.stringify({ u }), '{"u":"https://s.test/"}')
	is(u + "", "https://s.test/")
})
test("attributes are accessors of the prototype", () => {
	const u = new URL("https://s.test")
	for (const k of [...all, "searchParams"]) {
		const d = Object.getOwnPropertyDescriptor(URL.prototype, k)
		is(typeof d?.get, "function", k)
		is(d.set === undefined, k === "origin" || k === "searchParams", k)
		same([d.enumerable, d.configurable], [true, true], k)
		ok(!Object.hasOwn(u, k), k)
	}
})
test("a URL is an object of class URL", () => {
	is(Object.prototype.toString.call(new URL("https://s.test")), "[object URL]")
	is(URL.name, "URL")
	is(URL.length, 1)
	is(URL.parse.length, 1)
	is(URL.canParse.length, 1)
})
test("attributes want a URL for this", () => {
	const { get } = Object.getOwnPropertyDescriptor(URL.prototype, "href")
	throws(() => get.call({}), TypeError)
	throws(() => URL.prototype.href, TypeError)
	throws(() => URL.prototype.toString.call({}), TypeError)
})
test("origin and searchParams cannot be set", () => {
	const u = new URL("https://s.test/?a=1")
	throws(() => { u.origin = "https://t.test" }, TypeError)
	is(u.origin, "https://s.test")
})
test("a class can extend URL", () => {
	class Mine extends URL { get first() { return this.pathname.split("/")[1] } }
	const u = new Mine("/a/b", "https://s.test")
	is(u.first, "a")
	ok(u instanceof URL && u instanceof Mine)
})
test("lone surrogates of a URL become U+FFFD", () => { is(new URL("https://s.test/?\ud83d#\ude00").href, "https://s.test/?%EF%BF%BD#%EF%BF%BD") })
