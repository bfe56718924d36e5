// The URLPattern class: URL Pattern, 1.
import { is, ok, same, test, throws } from "../harness.js"

const fields = ["protocol", "username", "password", "hostname", "port", "pathname", "search", "hash"]

test("a pattern of nothing matches any URL", () => {
	const p = new URLPattern()
	for (const f of fields) is(p[f], "*", f)
	ok(p.test("https://s.test/a?b#c"))
	ok(p.test("data:x"))
	ok(p.test({}))
	ok(p.test())
})
test("a pattern of an empty initializer is that of nothing", () => {
	for (const init of [{}, undefined, Object.create(null)]) {
		const p = new URLPattern(init)
		for (const f of fields) is(p[f], "*", f)
	}
})
test("URLPattern needs new", () => { throws(() => URLPattern({}), TypeError) })
test("the input is an initializer or a string", () => {
	is(new URLPattern({ toString: () => "https://s.test" }).hostname, "*")
	throws(() => new URLPattern("relative"), TypeError)
	throws(() => new URLPattern(1), TypeError)
	throws(() => new URLPattern(Symbol()), TypeError)
})
test("an initializer's members are converted to strings", () => {
	const p = new URLPattern({ pathname: 12, port: 8080, search: { toString: () => "q" }, hash: null })
	same([p.pathname, p.port, p.search, p.hash], ["12", "8080", "q", "null"])
})
test("undefined members are missing", () => {
	is(new URLPattern({ pathname: undefined }).pathname, "*")
})
test("other members are ignored", () => {
	is(new URLPattern({ path: "/x", href: "https://s.test", origin: "x" }).pathname, "*")
})
test("a base URL stands in the initializer, not beside it", () => {
	throws(() => new URLPattern({ pathname: "/a" }, "https://s.test"), TypeError)
	is(new URLPattern({ pathname: "/a", baseURL: "https://s.test" }).hostname, "s.test")
})
test("a base URL must be one", () => {
	throws(() => new URLPattern("/a", "no base"), TypeError)
	throws(() => new URLPattern({ pathname: "/a", baseURL: "no base" }), TypeError)
	throws(() => new URLPattern({ baseURL: "" }), TypeError)
	throws(() => new URLPattern("https://s.test/", "no base"), TypeError)
})
test("a relative string needs a base URL", () => {
	throws(() => new URLPattern("/a"), TypeError)
	throws(() => new URLPattern("?q"), TypeError)
	throws(() => new URLPattern("#f"), TypeError)
	throws(() => new URLPattern(""), TypeError)
})
test("attributes are accessors without setters", () => {
	for (const f of [...fields, "hasRegExpGroups"]) {
		const d = Object.getOwnPropertyDescriptor(URLPattern.prototype, f)
		is(typeof d?.get, "function", f)
		is(d.set, undefined, f)
	}
	throws(() => { new URLPattern().pathname = "/x" }, TypeError)
})
test("a pattern is an object of class URLPattern", () => {
	is(Object.prototype.toString.call(new URLPattern()), "[object URLPattern]")
	throws(() => URLPattern.prototype.test.call({}, "https://s.test"), TypeError)
})
for (const [pattern, want] of [
	["/a", false], ["/:a", false], ["/*", false], ["/:a*", false], ["/{a}?", false], ["/(.*)", false], ["/([^\\/]+?)", false],
	["/(\\d+)", true], ["/:a(\\d+)", true], ["/{:a(x)}?", true],
]) test("hasRegExpGroups of " + pattern, () => { is(new URLPattern({ pathname: pattern, protocol: "https" }).hasRegExpGroups, want) })
test("hasRegExpGroups of any component", () => {
	for (const f of fields) is(new URLPattern({ [f]: "(a)" }).hasRegExpGroups, true, f)
})

test("test gives false for what is no URL", () => {
	const p = new URLPattern()
	is(p.test("no url"), false)
	is(p.test("/a", "no base"), false)
	is(p.test(""), false)
	is(p.exec("no url"), null)
})
test("test takes a base URL", () => {
	const p = new URLPattern({ hostname: "s.test", pathname: "/a/*" })
	is(p.test("b", "https://s.test/a/x"), true)
	is(p.test("/b", "https://s.test/a/x"), false)
	is(p.test({ pathname: "b", baseURL: "https://s.test/a/x" }), true)
	throws(() => p.test({ pathname: "b" }, "https://s.test"), TypeError)
	throws(() => p.exec({}, "https://s.test"), TypeError)
})
test("test takes a URL", () => {
	is(new URLPattern({ search: "a=1" }).test(String(new URL("https://s.test/?a=1"))), true)
})
test("an initializer that is no URL matches nothing", () => {
	const p = new URLPattern()
	is(p.test({ baseURL: "x" }), false)
	is(p.test({ port: "x" }), false)
	is(p.test({ hostname: "a b" }), false)
	is(p.test({ protocol: "1" }), false)
	is(p.exec({ port: "99999" }), null)
})
test("exec gives input and groups of all components", () => {
	const n = new URLPattern("https://:sub.s.test/books/:id\\?*#*").exec("https://www.s.test/books/7?x=1#f")
	same(fields.map((f) => n[f].input), ["https", "", "", "www.s.test", "", "/books/7", "x=1", "f"])
	is(n.hostname.groups.sub, "www")
	is(n.pathname.groups.id, "7")
	is(n.search.groups[0], "x=1")
	is(n.hash.groups[0], "f")
	is(n.username.groups[0], "")
})
test("exec repeats its inputs", () => {
	const p = new URLPattern()
	same(p.exec("https://S.test").inputs, ["https://S.test"])
	same(p.exec("/a", "https://S.test").inputs, ["/a", "https://S.test"])
	same(p.exec({ pathname: "/b c" }).inputs, [{ pathname: "/b c" }])
	same(p.exec().inputs, [{}])
})
test("exec without a match is null", () => { is(new URLPattern({ pathname: "/a" }).exec({ pathname: "/b" }), null) })
test("a group that takes no part is undefined", () => {
	const { groups } = new URLPattern({ pathname: "/a/:b?" }).exec({ pathname: "/a" }).pathname
	ok("b" in groups)
	is(groups.b, undefined)
})
test("groups without names are numbered", () => {
	const { groups } = new URLPattern({ pathname: "/*/:name/(x+)/*" }).exec({ pathname: "/a/b/xx/c" }).pathname
	same([groups[0], groups.name, groups[1], groups[2]], ["a", "b", "xx", "c"])
})
test("ignoreCase holds for path, query and fragment", () => {
	const p = new URLPattern({ pathname: "/Ab", search: "Cd", hash: "Ef" }, { ignoreCase: true })
	is(p.test("https://s.test/aB?cD#eF"), true)
	is(new URLPattern({ pathname: "/Ab" }).test("https://s.test/aB"), false)
	is(new URLPattern({ username: "Me" }, { ignoreCase: true }).test("https://me@s.test/"), false)
	is(new URLPattern({ pathname: "/Ab" }, { ignoreCase: false }).test("https://s.test/aB"), false)
	is(new URLPattern({ pathname: "/(Ab)" }, { ignoreCase: true }).test("https://s.test/aB"), true)
})
test("ignoreCase stands beside a base URL", () => {
	is(new URLPattern("/Ab", "https://s.test", { ignoreCase: true }).test("https://s.test/aB"), true)
	is(new URLPattern("https://s.test/Ab", { ignoreCase: true }).test("https://s.test/aB"), true)
})
