// Constructor strings and the normal form of patterns: URL Pattern, 1.6 and 2.
import { is, same, test, throws } from "../harness.js"

const fields = ["protocol", "username", "password", "hostname", "port", "pathname", "search", "hash"]

// A case has a constructor string, its base and the eight components.
for (const [input, base, want] of [
	["https://s.test/a", undefined, ["https", "*", "*", "s.test", "", "/a", "*", "*"]],
	["https://s.test", undefined, ["https", "*", "*", "s.test", "", "*", "*", "*"]],
	["https://s.test/", undefined, ["https", "*", "*", "s.test", "", "/", "*", "*"]],
	["https://s.test:8080/a?q#f", undefined, ["https", "*", "*", "s.test", "8080", "/a", "q", "f"]],
	["https://s.test?q", undefined, ["https", "*", "*", "s.test", "", "/", "q", "*"]],
	["https://s.test#f", undefined, ["https", "*", "*", "s.test", "", "/", "", "f"]],
	["https://s.test/a?", undefined, ["https", "*", "*", "s.test", "", "/a", "", "*"]],
	["https://me\\:pw@s.test/", undefined, ["https", "me", "pw", "s.test", "", "/", "*", "*"]],
	["https://me@s.test/", undefined, ["https", "me", "*", "s.test", "", "/", "*", "*"]],
	["https://:sub.s.test/:page", undefined, ["https", "*", "*", ":sub.s.test", "", "/:page", "*", "*"]],
	["https://s.test/a\\?q", undefined, ["https", "*", "*", "s.test", "", "/a", "q", "*"]],
	["https://s.test/:a\\?q", undefined, ["https", "*", "*", "s.test", "", "/:a", "q", "*"]],
	["https://s.test/:a?q", undefined, ["https", "*", "*", "s.test", "", "/:a?q", "*", "*"]],
	["https://s.test/*\\?q", undefined, ["https", "*", "*", "s.test", "", "/*", "q", "*"]],
	["https://s.test/{a}?q", undefined, ["https", "*", "*", "s.test", "", "/{a}?q", "*", "*"]],
	["https://s.test/(a)?q", undefined, ["https", "*", "*", "s.test", "", "/(a)?q", "*", "*"]],
	["http{s}?://s.test/", undefined, ["http{s}?", "*", "*", "s.test", "", "/", "*", "*"]],
	["*://s.test/", undefined, ["*", "*", "*", "s.test", "", "/", "*", "*"]],
	["(https|wss)://s.test/", undefined, ["(https|wss)", "*", "*", "s.test", "", "/", "*", "*"]],
	["https://s.test:*/", undefined, ["https", "*", "*", "s.test", "*", "/", "*", "*"]],
	["https://s.test:443/", undefined, ["https", "*", "*", "s.test", "", "/", "*", "*"]],
	["https://[\\:\\:1]:9/", undefined, ["https", "*", "*", "[\\:\\:1]", "9", "/", "*", "*"]],
	["https://{a,b}.test/", undefined, ["https", "*", "*", "a,b.test", "", "/", "*", "*"]],
	["https:s.test/a", undefined, null],
	["https\\:s.test/a", undefined, ["https", "*", "*", "s.test", "", "/a", "*", "*"]],
	["data\\:x", undefined, ["data", "*", "*", "", "", "x", "*", "*"]],
	["z://h/a", undefined, ["z", "*", "*", "h", "", "/a", "*", "*"]],
	["z:a", undefined, null],
	["https://a b/", undefined, null],
	["https://s.test:x/", undefined, ["https", "*", "*", "s.test:x", "", "/", "*", "*"]],
	["https://s.test:9x/", undefined, ["https", "*", "*", "s.test", "9", "/", "*", "*"]],
	["https://{s.test/", undefined, null],
	["/a", "https://s.test:8/b?q#f", ["https", "*", "*", "s.test", "8", "/a", "*", "*"]],
	["a", "https://s.test/b/c?q#f", ["https", "*", "*", "s.test", "", "/b/a", "*", "*"]],
	["?q", "https://s.test/b/c?r#f", ["https", "*", "*", "s.test", "", "/b/c", "q", "*"]],
	["#g", "https://s.test/b/c?r#f", ["https", "*", "*", "s.test", "", "/b/c", "r", "g"]],
	["", "https://s.test/b/c?r#f", ["https", "*", "*", "s.test", "", "/b/", "*", "*"]],
	["//t.test/a", "https://s.test/", ["https", "*", "*", "s.test", "", "//t.test/a", "*", "*"]],
	[":a", "https://s.test/b/", ["https", "*", "*", "s.test", "", "/b/:a", "*", "*"]],
	["/a", "https://me:pw@s.test/", ["https", "*", "*", "s.test", "", "/a", "*", "*"]],
	["a", "https://s.test/x*(y)/", ["https", "*", "*", "s.test", "", "/x\\*\\(y\\)/a", "*", "*"]],
	["http://t.test/", "https://s.test/b", ["http", "*", "*", "t.test", "", "/", "*", "*"]],
]) test("the constructor string " + JSON.stringify(input) + (base ? " on " + base : ""), () => {
	if (!want) { throws(() => new URLPattern(input, base), TypeError); return }
	const p = base ? new URLPattern(input, base) : new URLPattern(input)
	same(fields.map((f) => p[f]), want)
})

// A case has a component's pattern and its normal form.
for (const [field, pattern, want] of [
	["pathname", "/a/(.*)", "/a/*"],
	["pathname", "/a/([^\\/]+?)", "/a/([^\\/]+?)"],
	["pathname", "/{a}", "/a"],
	["pathname", "/{a}?b", "/{a}?b"],
	["pathname", "{/:x}", "/:x"],
	["pathname", "/{:x}", "/{:x}"],
	["pathname", "/{:x}b", "/{:x}b"],
	["pathname", "/:x{b}", "{/:x}b"],
	["pathname", "/:x\\b", "{/:x}b"],
	["pathname", "/:x{-}", "/:x-"],
	["pathname", "/{:x}(y)", "/{:x}(y)"],
	["pathname", "/:x(.*)", "/:x(.*)"],
	["pathname", "/{*}", "/{*}"],
	["pathname", "/*{*}", "/*(.*)"],
	["pathname", "/a{*}", "/a*"],
	["pathname", "{a}b", "ab"],
	["pathname", "/\\a\\:b", "/a\\:b"],
	["pathname", "/caf\u00e9", "/caf%C3%A9"],
	["pathname", "/a b/{c d}?", "/a%20b/{c%20d}?"],
	["pathname", "/x/../y", "/y"],
	["hostname", "S.Test", "s.test"],
	["hostname", "*.B\u00fccher.test", "*.xn--bcher-kva.test"],
	["hostname", "{:a.}?s.test", "{:a.}?s.test"],
	["hostname", "([^.]+?).test", "([^.]+?).test"],
	["protocol", "HTTPS:", "https"],
	["port", "080", "80"],
	["search", "?a b", "a%20b"],
	["search", "a\\?b", "a\\?b"],
	["hash", "#a b", "a%20b"],
	["username", "a@b", "a%40b"],
	["password", "p:w", "p:w"],
]) test("the normal form of " + field + " " + JSON.stringify(pattern), () => {
	const got = new URLPattern({ [field]: pattern })[field]
	is(got, want)
	is(new URLPattern({ [field]: got })[field], got, "again")
})

for (const [init, want] of [
	[{ protocol: "https", port: "443" }, ["https", "*", "*", "*", "", "*", "*", "*"]],
	[{ protocol: "http", port: "443" }, ["http", "*", "*", "*", "443", "*", "*", "*"]],
	[{ protocol: "http{s}?", port: "80" }, ["http{s}?", "*", "*", "*", "80", "*", "*", "*"]],
	[{ protocol: "data", pathname: "a b" }, ["data", "*", "*", "*", "*", "a b", "*", "*"]],
	[{ protocol: "https", pathname: "a b" }, ["https", "*", "*", "*", "*", "a%20b", "*", "*"]],
	[{ baseURL: "https://s.test:8/a/b?q#f" }, ["https", "*", "*", "s.test", "8", "/a/b", "q", "f"]],
	[{ search: "r", baseURL: "https://s.test/a?q#f" }, ["https", "*", "*", "s.test", "", "/a", "r", "*"]],
	[{ hostname: "t.test", baseURL: "https://s.test:8/a" }, ["https", "*", "*", "t.test", "*", "*", "*", "*"]],
	[{ port: "9", baseURL: "https://s.test:8/a" }, ["https", "*", "*", "s.test", "9", "*", "*", "*"]],
	[{ pathname: "c", baseURL: "https://s.test/a/b" }, ["https", "*", "*", "s.test", "", "/a/c", "*", "*"]],
	[{ pathname: "/c", baseURL: "https://s.test/a/b" }, ["https", "*", "*", "s.test", "", "/c", "*", "*"]],
	[{ pathname: "{/c}", baseURL: "https://s.test/a/b" }, ["https", "*", "*", "s.test", "", "/c", "*", "*"]],
	[{ protocol: "http", baseURL: "https://s.test/a" }, ["http", "*", "*", "*", "*", "*", "*", "*"]],
	[{ username: "me", baseURL: "https://you:pw@s.test/" }, ["https", "me", "*", "s.test", "", "/", "", ""]],
	[{ hash: "g", baseURL: "https://s.test/?q" }, ["https", "*", "*", "s.test", "", "/", "q", "g"]],
]) test("the components of " + JSON.stringify(init), () => { const p = new URLPattern(init); same(fields.map((f) => p[f]), want) })
