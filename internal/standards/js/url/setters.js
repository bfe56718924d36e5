// The setters of URL: URL, 6.1, by the basic URL parser with a state override.
// A case has the URL before, the value that is set and the href after.
import { is, test, throws } from "../harness.js"

const tables = {
	protocol: [
		["https://s.test/", "http", "http://s.test/"],
		["https://s.test/", "HTTP:", "http://s.test/"],
		["https://s.test/", "ws://other", "ws://s.test/"],
		["https://s.test/", "", "https://s.test/"],
		["https://s.test/", ":", "https://s.test/"],
		["https://s.test/", "9x", "https://s.test/"],
		["https://s.test/", "h ttp", "https://s.test/"],
		["https://s.test/", "z", "https://s.test/"],
		["https://s.test/", "file", "file://s.test/"],
		["https://s.test:8/", "file", "https://s.test:8/"],
		["https://me@s.test/", "file", "https://me@s.test/"],
		["https://s.test:80/", "http", "http://s.test/"],
		["http://s.test:443/", "https", "https://s.test/"],
		["https://s.test:21/", "ftp", "ftp://s.test/"],
		["file:///p", "https", "file:///p"],
		["file://h/p", "https", "https://h/p"],
		["z://h/p", "y", "y://h/p"],
		["z://h/p", "https", "z://h/p"],
		["z:o", "y+1", "y+1:o"],
		["https://s.test/", "ht\ntp", "http://s.test/"],
	],
	username: [
		["https://s.test/", "me", "https://me@s.test/"],
		["https://me:pw@s.test/", "", "https://:pw@s.test/"],
		["https://me@s.test/", "", "https://s.test/"],
		["https://s.test/", "a:b@c/d", "https://a%3Ab%40c%2Fd@s.test/"],
		["https://s.test/", "%c3%zz", "https://%c3%zz@s.test/"],
		["https://s.test/", "\u00fc\t", "https://%C3%BC%09@s.test/"],
		["file://h/", "me", "file://h/"],
		["z:///p", "me", "z:///p"],
		["z:o", "me", "z:o"],
		["z://h", "me", "z://me@h"],
	],
	password: [
		["https://s.test/", "pw", "https://:pw@s.test/"],
		["https://me:pw@s.test/", "", "https://me@s.test/"],
		["https://me@s.test/", "a:b", "https://me:a%3Ab@s.test/"],
		["https://s.test/", "", "https://s.test/"],
		["https://s.test/", "\ud800", "https://:%EF%BF%BD@s.test/"],
		["file:///p", "pw", "file:///p"],
		["mailto:x", "pw", "mailto:x"],
		["z://me@h", "pw", "z://me:pw@h"],
	],
	host: [
		["https://s.test:8/p", "t.test", "https://t.test:8/p"],
		["https://s.test:8/p", "t.test:9", "https://t.test:9/p"],
		["https://s.test:8/p", "t.test:443", "https://t.test/p"],
		["https://s.test:8/p", "t.test:", "https://t.test:8/p"],
		["https://s.test:8/p", "t.test:9x", "https://t.test:9/p"],
		["https://s.test:8/p", "t.test:x", "https://t.test:8/p"],
		["https://s.test:8/p", "t.test:65536", "https://t.test:8/p"],
		["https://s.test/p", "", "https://s.test/p"],
		["https://s.test/p", ":9", "https://s.test/p"],
		["https://s.test/p", "t.test/q", "https://t.test/p"],
		["https://s.test/p", "t.test?q", "https://t.test/p"],
		["https://s.test/p", "t.test#f", "https://t.test/p"],
		["https://s.test/p", "t.test\\q", "https://t.test/p"],
		["https://s.test/p", "me@t.test", "https://s.test/p"],
		["https://s.test/p", "a b", "https://s.test/p"],
		["https://s.test/p", "0x7f.1", "https://127.0.0.1/p"],
		["https://s.test/p", "[::0:1]:9", "https://[::1]:9/p"],
		["https://s.test/p", "b\u00fccher.test", "https://xn--bcher-kva.test/p"],
		["z:o", "h", "z:o"],
		["z://h/p", "", "z:///p"],
		["z://h:1/p", "", "z://h:1/p"],
		["z://me@h/p", "", "z://me@h/p"],
		["z:/p", "h", "z://h/p"],
		["z://h/p", "A\u00fc", "z://A%C3%BC/p"],
		["file:///p", "h", "file://h/p"],
		["file://h/p", "", "file:///p"],
		["file://h/p", "localhost", "file:///p"],
		["file://h/p", "i:9", "file://h/p"],
	],
	hostname: [
		["https://s.test:8/p", "t.test", "https://t.test:8/p"],
		["https://s.test:8/p", "t.test:9", "https://s.test:8/p"],
		["https://s.test/p", "", "https://s.test/p"],
		["https://s.test/p", "t.test/q", "https://t.test/p"],
		["https://s.test/p", "[::1]", "https://[::1]/p"],
		["https://s.test/p", "[::1]x", "https://s.test/p"],
		["https://s.test/p", "1.256", "https://1.0.1.0/p"],
		["https://s.test/p", "*", "https://*/p"],
		["z://h:1/", "", "z://h:1/"],
		["z://h/", "", "z:///"],
		["z:/.//p", "h", "z://h//p"],
		["z:o", "h", "z:o"],
		["file:///p", "h", "file://h/p"],
	],
	port: [
		["https://s.test/", "8", "https://s.test:8/"],
		["https://s.test:8/", "", "https://s.test/"],
		["https://s.test:8/", "443", "https://s.test/"],
		["https://s.test/", "09x", "https://s.test:9/"],
		["https://s.test/", "9/p", "https://s.test:9/"],
		["https://s.test:8/", "x9", "https://s.test:8/"],
		["https://s.test:8/", "-1", "https://s.test:8/"],
		["https://s.test:8/", "65536", "https://s.test:8/"],
		["https://s.test:8/", 9.5, "https://s.test:9/"],
		["https://s.test:8/", "\t9", "https://s.test:9/"],
		["https://s.test:8/", " 9", "https://s.test:8/"],
		["z://h/", "80", "z://h:80/"],
		["z:///", "80", "z:///"],
		["z:o", "80", "z:o"],
		["file://h/", "80", "file://h/"],
	],
	pathname: [
		["https://s.test/p?q#f", "", "https://s.test/?q#f"],
		["https://s.test/p?q#f", "a/b", "https://s.test/a/b?q#f"],
		["https://s.test/p", "/a/../b", "https://s.test/b"],
		["https://s.test/p", "\\a\\b", "https://s.test/a/b"],
		["https://s.test/p", "a?b#c", "https://s.test/a%3Fb%23c"],
		["https://s.test/p", "//h/x", "https://s.test//h/x"],
		["https://s.test/p", "a\tb c", "https://s.test/ab%20c"],
		["https://s.test/p", "%2e%2E/x", "https://s.test/x"],
		["z:o", "x", "z:o"],
		["z://h/p", "", "z://h"],
		["z://h", "x", "z://h/x"],
		["z:/p", "//x", "z:/.//x"],
		["z:/p", "/.//x", "z:/.//x"],
		["z://h/p", "\\x", "z://h/\\x"],
		["file:///p", "d|/x", "file:///d:/x"],
	],
	search: [
		["https://s.test/?q#f", "", "https://s.test/#f"],
		["https://s.test/?q#f", "?", "https://s.test/?#f"],
		["https://s.test/#f", "a=b", "https://s.test/?a=b#f"],
		["https://s.test/", "??a", "https://s.test/??a"],
		["https://s.test/", "a#b'c d", "https://s.test/?a%23b%27c%20d"],
		["z://h/", "'", "z://h/?'"],
		["z:o", "q", "z:o?q"],
		["https://s.test/", "\u00e9\n", "https://s.test/?%C3%A9"],
		["https://s.test/", "%zz+", "https://s.test/?%zz+"],
	],
	hash: [
		["https://s.test/#f", "", "https://s.test/"],
		["https://s.test/#f", "#", "https://s.test/#"],
		["https://s.test/", "##f", "https://s.test/##f"],
		["https://s.test/", "a b`<\">", "https://s.test/#a%20b%60%3C%22%3E"],
		["https://s.test/", "\u00e9\r?", "https://s.test/#%C3%A9?"],
		["z:o", "f", "z:o#f"],
		["javascript:x", "f", "javascript:x#f"],
		["https://s.test/", "a\u0000b", "https://s.test/#a%00b"],
	],
	href: [
		["https://s.test/p", "z:o", "z:o"],
		["https://s.test/p", " HTTP://T.test:80/a/../b ", "http://t.test/b"],
	],
}
for (const [attribute, cases] of Object.entries(tables)) {
	for (const [url, value, want] of cases) {
		test("setting " + attribute + " of " + url + " to " + JSON.stringify(value), () => {
			const u = new URL(url)
			u[attribute] = value
			is(u.href, want)
		})
	}
}

test("setting href to what is no URL throws and changes nothing", () => {
	const u = new URL("https://s.test/p?a=1")
	const p = u.searchParams
	throws(() => { u.href = "/relative" }, TypeError)
	throws(() => { u.href = "https://" }, TypeError)
	is(u.href, "https://s.test/p?a=1")
	is(p.get("a"), "1")
})
test("setters convert to strings", () => {
	const u = new URL("https://s.test/")
	u.pathname = null
	u.search = { toString: () => "q" }
	u.hash = undefined
	u.port = 81
	is(u.href, "https://s.test:81/null?q#undefined")
	throws(() => { u.hash = Symbol() }, TypeError)
})
test("setting the query's last part of an opaque path keeps what is before", () => {
	const u = new URL("z:a b?q#f")
	u.hash = ""
	is(u.search, "?q")
	u.search = ""
	is(u.protocol, "z:")
	is(u.hash, "")
})
