// What patterns match: URL Pattern, 2 and 3. A case has the pattern, what it matches, with
// the groups of the component it is for, and what it doesn't.
import { is, same, test, throws } from "../harness.js"

const tables = {
	pathname: [
		["/a/b", { "/a/b": {} }, ["/a", "/a/b/", "/A/b", "/x/a/b"]],
		["/a/:b", { "/a/x": { b: "x" }, "/a/x.y": { b: "x.y" } }, ["/a/", "/a", "/a/x/", "/a/x/y"]],
		["/a/:b?", { "/a": { b: undefined }, "/a/x": { b: "x" } }, ["/a/", "/a/x/y"]],
		["/a/:b*", { "/a": { b: undefined }, "/a/x": { b: "x" }, "/a/x/y": { b: "x/y" } }, ["/a/", "/ax"]],
		["/a/:b+", { "/a/x": { b: "x" }, "/a/x/y/z": { b: "x/y/z" } }, ["/a", "/a/"]],
		["/a/*", { "/a/": { 0: "" }, "/a/x/y": { 0: "x/y" } }, ["/a"]],
		["/a/*?", { "/a": { 0: undefined }, "/a/": { 0: "" }, "/a/x": { 0: "x" } }, ["/ax"]],
		["/a*", { "/a": { 0: "" }, "/a/b": { 0: "/b" }, "/ab": { 0: "b" } }, ["/b"]],
		["*/b", { "/a/b": { 0: "/a" }, "/b": { 0: "" } }, ["/a/b/"]],
		["/:a/:b", { "/x/y": { a: "x", b: "y" } }, ["/x", "/x/"]],
		["/:a-:b", { "/x-y": { a: "x", b: "y" }, "/x-y-z": { a: "x", b: "y-z" } }, ["/xy"]],
		["/:a.:b", { "/x.y": { a: "x", b: "y" } }, ["/x"]],
		["/:a(\\d+)", { "/12": { a: "12" } }, ["/x", "/12x", "/"]],
		["/(\\d+)-(\\w+)", { "/12-ab": { 0: "12", 1: "ab" } }, ["/12"]],
		["/(a|b)", { "/a": { 0: "a" }, "/b": { 0: "b" } }, ["/c", "/ab"]],
		["/(?:a|b)", null],
		["/a(?:b)", null],
		["/((?:a|b)+)", { "/ab": { 0: "ab" } }, ["/c"]],
		["/((a))", null],
		["/{a}", { "/a": {} }, ["/"]],
		["/{a}?", { "/a": {}, "/": {} }, ["/aa"]],
		["/{a}*", { "/": {}, "/a": {}, "/aaa": {} }, ["/b"]],
		["/{a}+", { "/a": {}, "/aa": {} }, ["/"]],
		["/a{/:b}?", { "/a": { b: undefined }, "/a/x": { b: "x" } }, ["/a/"]],
		["/a{.:ext}?", { "/a": { ext: undefined }, "/a.js": { ext: "js" } }, ["/a."]],
		["/{:b.}*c", { "/c": { b: undefined }, "/x.c": { b: "x" }, "/x.y.c": { b: "x.y" } }, ["/xc"]],
		["{/:l}?/p", { "/p": { l: undefined }, "/de/p": { l: "de" } }, ["/a/b/p"]],
		["/a\\:b", { "/a:b": {} }, ["/ax"]],
		["/a\\*", { "/a*": {} }, ["/ab"]],
		["/a\\{b\\}", { "/a%7Bb%7D": {} }, ["/ab"]],
		["/\\(x\\)", { "/(x)": {} }, ["/x"]],
		["/caf\u00e9", { "/caf\u00e9": {}, "/caf%C3%A9": {} }, ["/cafe"]],
		["/a b", { "/a b": {}, "/a%20b": {} }, []],
		["/a/../b", { "/b": {}, "/x/../b": {} }, ["/a/b"]],
		["/:\u00e9t\u00e9", { "/x": { "\u00e9t\u00e9": "x" } }, []],
		["/:$a_1", { "/x": { $a_1: "x" } }, []],
		["/:a:b", { "/xy": { a: "x", b: "y" } }, ["/x"]],
		["/:a{b}", { "/xb": { a: "x" } }, ["/x", "/b"]],
		["/:a(.*)", { "/": { a: "" }, "/x/y": { a: "x/y" } }, []],
		["/:a([^\\/]+?)", { "/x": { a: "x" } }, ["/x/y"]],
		["/([^\\/]+?)", { "/x": { 0: "x" } }, ["/x/y"]],
		["/**", { "/x/y": { 0: "x/y" } }, []],
		["/***", { "/x/y": { 0: "x/y", 1: "" } }, []],
		["/:a/:a", null],
		["/:", null],
		["/:1", null],
		["/(", null],
		["/()", null],
		["/(a", null],
		["/a)", { "/a)": {} }, []],
		["/{a", null],
		["/a}", null],
		["/{a{b}}", null],
		["/a?", null],
		["/a+", null],
		["/\\", null],
		["/(\u00e9)", null],
		["/([)", null],
		["/(a++)", null],
	],
	hostname: [
		["s.test", { "s.test": {}, "S.TEST": {} }, ["a.s.test", "s.test."]],
		["*.s.test", { "a.s.test": { 0: "a" }, "a.b.s.test": { 0: "a.b" } }, ["s.test"]],
		[":a.s.test", { "x.s.test": { a: "x" } }, ["x.y.s.test", "s.test"]],
		["{:a.}?s.test", { "s.test": { a: undefined }, "x.s.test": { a: "x" } }, ["xs.test"]],
		["{*.}?s.test", { "s.test": { 0: undefined }, "x.y.s.test": { 0: "x.y" } }, ["xs.test"]],
		["(a|b).test", { "a.test": { 0: "a" } }, ["c.test"]],
		["b\u00fccher.test", { "b\u00fccher.test": {}, "xn--bcher-kva.test": {} }, []],
		["127.1", { "127.0.0.1": {} }, ["127.1.1.1"]],
		["[\\:\\:1]", { "[::1]": {} }, ["[::2]"]],
		["[\\:\\:AB\\::num]", { "[::ab:1]": { num: "1" } }, ["[::ac:1]"]],
		["", { "": {} }, ["s.test"]],
		["a b", null],
		["a<b", null],
		["[\\:\\:x]", null],
	],
	protocol: [
		["https", { https: {} }, ["http"]],
		["http{s}?", { http: {}, https: {} }, ["ws"]],
		["https:", { https: {} }, []],
		["(ws|wss)", { wss: { 0: "wss" } }, ["http"]],
		["w:x", { wss: { x: "ss" } }, ["w"]],
		["HTTPS", { https: {} }, []],
		["a\\+b.c-d", { "a+b.c-d": {} }, []],
		["caf\u00e9", null],
	],
	port: [
		["8080", { 8080: {} }, ["", "80", "808"]],
		["", { "": {} }, ["8080"]],
		["80*", { 80: { 0: "" }, 8080: { 0: "80" } }, ["90"]],
		["(80|443)", { 443: { 0: "443" } }, ["8"]],
		["{80}?", { "": {}, 80: {} }, ["8"]],
		["x", null],
		["99999", null],
	],
	username: [["me", { me: {} }, ["", "Me"]], ["m:x", { me: { x: "e" } }, ["x"]], ["a@b", { "a@b": {} }, []]],
	password: [["pw*", { pw: { 0: "" }, pwd: { 0: "d" } }, ["x"]]],
	search: [
		["a=:v", { "a=1": { v: "1" }, "?a=1": { v: "1" }, "a=1&b=2": { v: "1&b=2" } }, ["a="]],
		["?a", { a: {} }, ["?b"]],
		["*a=1*", { "x&a=1": { 0: "x&", 1: "" } }, ["a=2"]],
		["\u00e9", { "\u00e9": {}, "%C3%A9": {} }, []],
		["", { "": {}, "?": {} }, ["a"]],
	],
	hash: [["#f", { f: {}, "#f": {} }, ["g"]], [":h", { top: { h: "top" }, "a/b": { h: "a/b" } }, [""]], ["a b", { "a b": {} }, []]],
}

for (const [field, cases] of Object.entries(tables)) {
	for (const [pattern, matches, others] of cases) {
		test(field + " " + JSON.stringify(pattern), () => {
			if (!matches) {
				throws(() => new URLPattern({ [field]: pattern }), TypeError)
				return
			}
			const p = new URLPattern({ [field]: pattern })
			for (const [input, want] of Object.entries(matches)) {
				const m = p.exec({ [field]: input })
				is(!!m, true, input)
				same({ ...m[field].groups }, want, input)
				is(p.test({ [field]: input }), true, input)
			}
			for (const input of others) is(p.exec({ [field]: input }), null, input)
		})
	}
}
