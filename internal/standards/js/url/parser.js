// The basic URL parser: URL, 4.4. A case has the input, its base and the wanted href;
// null means that it is no URL.
import { is, test, throws } from "../harness.js"

const group = (title, cases) => {
	for (const [input, base, want] of cases) {
		const name = title + ": " + JSON.stringify(input) + (base === undefined ? "" : " against " + base)
		test(name, () => {
			if (want === null) {
				throws(() => new URL(input, base), TypeError)
				is(URL.canParse(input, base), false)
				is(URL.parse(input, base), null)
				return
			}
			const u = new URL(input, base)
			is(u.href, want)
			is(URL.canParse(input, base), true)
			is(URL.parse(input, base).href, want)
			is(new URL(want).href, want, "again")
		})
	}
}
const alone = (title, cases) => group(title, cases.map(([input, want]) => [input, undefined, want]))

alone("around the URL", [
	["\u0000\u001f https://s.test/p \u0001", "https://s.test/p"],
	["\u00a0https://s.test/", null],
	["https://s.test/p\u00a0", "https://s.test/p%C2%A0"],
	["\thttps:\n//s.te\rst/\tp?\nq#\rf", "https://s.test/p?q#f"],
	["https://s.test/a b ", "https://s.test/a%20b"],
	["https://s.test/#a b ", "https://s.test/#a%20b"],
])

alone("scheme", [
	["HtTpS://s.test/", "https://s.test/"],
	["x-y.z+9://h/", "x-y.z+9://h/"],
	["9x://h/", null],
	["+x:h", null],
	["x_y://h", null],
	["\u212attp:h", null],
	["x:", "x:"],
	["http\t:s.test", "http://s.test/"],
	["WSS:s.test:443", "wss://s.test/"],
	["ftp:/s.test:21/f;type=a", "ftp://s.test/f;type=a"],
])

alone("slashes", [
	["https:s.test", "https://s.test/"],
	["https:\\s.test\\p\\q", "https://s.test/p/q"],
	["https:///\\//s.test", "https://s.test/"],
	["https://", null],
	["https:", null],
	["https:?q", null],
	["y:\\s\\t", "y:\\s\\t"],
	["y://h\\p", null],
	["y:/\\h", "y:/\\h"],
	["y:////h", "y:////h"],
	["y://", "y://"],
	["y://?q#f", "y://?q#f"],
	["y://#", "y://#"],
])

alone("user name and password", [
	["https://me:secret@s.test/", "https://me:secret@s.test/"],
	["https://me:a:b@s.test/", "https://me:a%3Ab@s.test/"],
	["https://@s.test/", "https://s.test/"],
	["https://:@s.test/", "https://s.test/"],
	["https://:p@s.test/", "https://:p@s.test/"],
	["https://a@b@c@s.test/", "https://a%40b%40c@s.test/"],
	["https://a%40b%3a@s.test/", "https://a%40b%3a@s.test/"],
	["https://\u00fc#@s.test", "https://xn--tda/#@s.test"],
	["https://a/b@s.test", "https://a/b@s.test"],
	["https://a?b@s.test", "https://a/?b@s.test"],
	["https://a\\b@s.test", "https://a/b@s.test"],
	["https://!$&'()*+,;=@s.test/", "https://!$&'()*+,%3B%3D@s.test/"],
	["https://-._~`{}|^\"<>@s.test/", "https://-._~%60%7B%7D%7C%5E%22%3C%3E@s.test/"],
	["https://me@/p", null],
	["https://me@", null],
	["z://me@", null],
	["z://me:pw@h", "z://me:pw@h"],
	["https://me@:80/", null],
])

alone("port", [
	["https://s.test:/p", "https://s.test/p"],
	["https://s.test:443/p", "https://s.test/p"],
	["https://s.test:00443/p", "https://s.test/p"],
	["http://s.test:443/", "http://s.test:443/"],
	["http://s.test:0/", "http://s.test:0/"],
	["http://s.test:65535", "http://s.test:65535/"],
	["http://s.test:65536", null],
	["http://s.test:000000000000000000001", "http://s.test:1/"],
	["http://s.test:1e3", null],
	["http://s.test:\u0661", null],
	["http://s.test:8\t0", "http://s.test/"],
	["http://s.test:80?q", "http://s.test/?q"],
	["http://s.test:81#f", "http://s.test:81/#f"],
	["http://s.test:81\\p", "http://s.test:81/p"],
	["http://s.test:+81/", null],
	["http://s.test: 81/", null],
	["http://s.test:81:82/", null],
	["z://h:80", "z://h:80"],
	["z://h:65536", null],
	["z://:80", null],
	["file://h:1/", null],
])

alone("path", [
	["https://s.test/a/./b/../c", "https://s.test/a/c"],
	["https://s.test/a/b/..", "https://s.test/a/"],
	["https://s.test/a/b/.", "https://s.test/a/b/"],
	["https://s.test/..", "https://s.test/"],
	["https://s.test/a/../../../b", "https://s.test/b"],
	["https://s.test/a//../b", "https://s.test/a/b"],
	["https://s.test/a/%2E%2e/b/%2e/c", "https://s.test/b/c"],
	["https://s.test/a/.%2E/b", "https://s.test/b"],
	["https://s.test/a/%2e.%2e/b", "https://s.test/a/%2e.%2e/b"],
	["https://s.test/a/..;/b", "https://s.test/a/..;/b"],
	["https://s.test/a\\..\\b", "https://s.test/b"],
	["https://s.test/a%5c..%5cb", "https://s.test/a%5c..%5cb"],
	["https://s.test/a%2f..%2fb", "https://s.test/a%2f..%2fb"],
	["https://s.test/%", "https://s.test/%"],
	["https://s.test/%4", "https://s.test/%4"],
	["https://s.test/%4G%c3%A9", "https://s.test/%4G%c3%A9"],
	["https://s.test/\u{1f4a9}", "https://s.test/%F0%9F%92%A9"],
	["https://s.test/\ud800x", "https://s.test/%EF%BF%BDx"],
	["https://s.test/x\udfff", "https://s.test/x%EF%BF%BD"],
	["https://s.test/\ufeffx", "https://s.test/%EF%BB%BFx"],
	["z:/a/../b", "z:/b"],
	["z:/..//b", "z:/.//b"],
	["z:/.//b", "z:/.//b"],
	["z:/a/..//b?q", "z:/.//b?q"],
	["z://h/..", "z://h/"],
	["z://h/a/%2e%2E/b", "z://h/b"],
	["z:a/../b", "z:a/../b"],
	["z:a/./b?./c#./d", "z:a/./b?./c#./d"],
])

alone("opaque path", [
	["data:,a b", "data:,a b"],
	["data:text/html,<p>\"'`{}", "data:text/html,<p>\"'`{}"],
	["data:\u00e9\u007f", "data:%C3%A9%7F"],
	["data:a\u0000b", "data:a%00b"],
	["data:a b ", "data:a b"],
	["mailto:x@y.test?subject=a b", "mailto:x@y.test?subject=a%20b"],
	["urn:A:B", "urn:A:B"],
	["javascript:a\n+b", "javascript:a+b"],
	["about:blank#\u00e9", "about:blank#%C3%A9"],
	["x:?q", "x:?q"],
	["x:#f", "x:#f"],
	["x:%zz", "x:%zz"],
])

alone("query and fragment", [
	["https://s.test?a=b?c", "https://s.test/?a=b?c"],
	["https://s.test/??", "https://s.test/??"],
	["https://s.test/#?#", "https://s.test/#?#"],
	["https://s.test/?'", "https://s.test/?%27"],
	["z://h/?'", "z://h/?'"],
	["https://s.test/?%27%zz", "https://s.test/?%27%zz"],
	["https://s.test/?\u00e9\ud83d\ude00", "https://s.test/?%C3%A9%F0%9F%98%80"],
	["https://s.test/?\ud83d", "https://s.test/?%EF%BF%BD"],
	["https://s.test/?a\tb\\c", "https://s.test/?ab\\c"],
	["https://s.test/#a\u0000b", "https://s.test/#a%00b"],
	["https://s.test/?#", "https://s.test/?#"],
])

group("relative", [
	["x", "https://s.test/a/b?q#f", "https://s.test/a/x"],
	["", "https://s.test/a/b?q#f", "https://s.test/a/b?q"],
	["  ", "https://s.test/a/b?q#f", "https://s.test/a/b?q"],
	["?", "https://s.test/a/b?q#f", "https://s.test/a/b?"],
	["#", "https://s.test/a/b?q#f", "https://s.test/a/b?q#"],
	["?r#g", "https://me:pw@s.test:8/a?q", "https://me:pw@s.test:8/a?r#g"],
	["/x", "https://me:pw@s.test:8/a?q", "https://me:pw@s.test:8/x"],
	["//t.test", "https://me:pw@s.test:8/a?q", "https://t.test/"],
	["\\\\t.test\\x", "https://s.test/a", "https://t.test/x"],
	["https:x", "https://s.test/a/b", "https://s.test/a/x"],
	["https:/x", "https://s.test/a/b", "https://s.test/x"],
	["https://x", "https://s.test/a/b", "https://x/"],
	["http:x", "https://s.test/a/b", "http://x/"],
	["../../..", "https://s.test/a/b/c", "https://s.test/"],
	[".", "https://s.test/a/b", "https://s.test/a/"],
	["./x/../y", "https://s.test/a/b", "https://s.test/a/y"],
	["x:y", "https://s.test/a", "x:y"],
	["./x:y", "https://s.test/a", "https://s.test/x:y"],
	["1x:y", "https://s.test/a", "https://s.test/1x:y"],
	[":80", "https://s.test/a", "https://s.test/:80"],
	["@t.test", "https://s.test/a/", "https://s.test/a/@t.test"],
	["///x", "https://s.test/a", "https://x/"],
	["x", "z://h", "z://h/x"],
	["..", "z://h/a/b", "z://h/"],
	["//i/x", "z://h/a", "z://i/x"],
	["///x", "z://h/a", "z:///x"],
	["\\x", "z://h/a", "z://h/\\x"],
	["z:x", "z://h/a", "z:x"],
	["x", "z:/a/b", "z:/a/x"],
	["//", "z:/a", "z://"],
	["#g", "z:o?q#f", "z:o?q#g"],
	["#g", "data:,x ", "data:,x#g"],
	["x", "z:o", null],
	["?q", "z:o", null],
	["", "z:o", null],
	["x", "not a base", null],
	["https://s.test/", "not a base", null],
	["https://s.test/", "", null],
	["//", "https://s.test/", null],
	["https://", "https://s.test/", null],
])

alone("file", [
	["file:", "file:///"],
	["file:x", "file:///x"],
	["file:/x", "file:///x"],
	["file://h/x", "file://h/x"],
	["file://LocalHost/x", "file:///x"],
	["file:////x", "file:////x"],
	["file:\\\\h\\x", "file://h/x"],
	["file:///d|/x", "file:///d:/x"],
	["file://d:/x", "file:///d:/x"],
	["file:///d:/../x", "file:///d:/x"],
	["file:///d:", "file:///d:"],
	["file:///dd:/../x", "file:///x"],
	["file:///x/d|/y", "file:///x/d|/y"],
	["file://1.2/x", "file://1.0.0.2/x"],
	["file://a b/", null],
	["file://[1::]/x", "file://[1::]/x"],
	["file:#f", "file:///#f"],
	["file:?q", "file:///?q"],
])
group("file, relative", [
	["x", "file:///d:/y/z", "file:///d:/y/x"],
	["/x", "file:///d:/y", "file:///d:/x"],
	["/e:/x", "file:///d:/y", "file:///e:/x"],
	["e|/x", "file:///d:/y", "file:///e:/x"],
	["..", "file:///d:/", "file:///d:/"],
	["//h/x", "file:///d:/y", "file://h/x"],
	["///x", "file:///d:/y", "file:///x"],
	["", "file://h/y?q#f", "file://h/y?q"],
	["?r", "file://h/y?q#f", "file://h/y?r"],
	["#g", "file://h/y?q#f", "file://h/y?q#g"],
	["/x", "file://h/d:/y", "file://h/d:/x"],
	["file:x", "file://h/y", "file://h/x"],
])
