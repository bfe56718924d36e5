package jsrt

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/dop251/goja"
)

// jsonTexts are read; what comes of them is described by describeJSON.
var jsonTexts = []string{
	`{"a":1,"__proto__":{"x":1},"b":2}`, `{"__proto__":null}`, `{"__proto__":1,"__proto__":2}`, `{"a":1,"a":2}`, `{"a":1,"b":2,"a":{"c":3}}`, `{"2":1,"1":2,"b":3,"a":4,"4294967295":5,"4294967294":6,"01":7,"-1":8}`,
	`[1e21,1E-7,-0,0,-1,1.5,123456789012345678,1e400,-1e400,5e-324,0.1,1e-400,1.0,1E+2,9007199254740993,0.000001,1e-6,123456789012345,1234567890123456,-0.0,-0e5,4.35,0.3e1]`,
	`"\ud800"`, `"\ud83d\ude00"`, `"\ude00\ud83d"`, `"\ud83d\ud83d\ude00"`, `"\ud83dx"`, `"\ud83d\n"`, `"\ud83d\u0041"`, "\"é中😀\"", "{\"é\":1,\"😀\":2}", `{"\ud800":1,"\udfff":2,"a\ud800b":3,"\ud83d\ude00":4,"\u0000":5,"\ufffd":6}`, "{\"\uFFFD\":1}", "\"\uFFFD\"",
	`[]`, `{}`, `[[],{}]`, "  [1 , 2 ]\t\r\n ", `tru`, `[1,]`, `{"a":1,}`, `01`, `-01`, `00`, `1.`, `1.e1`, `.5`, `+1`, `1e`, `1e+`, `1e-x`, `-`, `-a`, `--1`, `0x10`, `1_000`, "\"\t\"", "\"a\nb\"", "\"\u007f\"", `"\x"`, `"\'"`, `"\u"`, `"\u12"`, `"\u12g4"`, `"\u+123"`, `"\u 123"`, `"\`, `"\\`, `"`, `"abc`, `{"a"}`, `{"a":}`, `{"a" 1}`, `{"a":1 "b":2}`, `{"a":1;}`, `{a:1}`, `{'a':1}`, `{1:2}`, `{"a":1,b:2}`, `{,}`, `[,]`, `[1,,2]`, `[1 2]`, `[1`, `[`, `{`, `{"`, `{"a`, `{"a"`, `{"a":`, `{"a":1`, `{"a":1,`, ``, ` `, "\n", `[1] 2`, `[1] x`, `]`, `}`, `1 2`, `"a" "b"`, `truex`, `trux`, `tr1`, `tr"`, `nul`, `null `, `nullx`, `falsy`, `fal`,
	`undefined`, `NaN`, `Infinity`, `-Infinity`, `[object Object]`, `[NaN]`, `x`, `é`, "😀", "[1,2,3,4,5,😀,6,7,8,9,10]", `abcdefghijklmnopqrstuvwxyz`, `[1,2,3,4,5,6,7,8,9,10,x,12,13,14,15,16]`, `[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,x]`, `12345678901234567890x`, `[0123456789012345678]`, `<html><body>Not found</body></html>`, "[1,\n2,\r\n3,\r4,\nx]", "{\n  \"a\": 1,\n  \"b\" 2\n}", "{\r\n\"a\":1,\r\n}", "[\"é😀\" 1]", "\ufeff1", "\u00a01", "\v1", "\f1", "1\u2028", "[1]\x00", "\x00", "\"\x00\"", "[1\x00]", `//`, `/* */1`, `[1]//`,
	`{"":1}`, `{"":{"":{"":1}}}`, "\"a\u2028b\u2029\"", `{"constructor":1,"toString":2,"valueOf":3,"hasOwnProperty":4}`, `"\u0000"`, `"\u000A\u000a\/\b\f\n\r\t\"\\"`, `[null,true,false]`, `1e5`, `-0`, `0`, `"\u00e9\u4e2d\ud83d\ude00 and some more text behind"`, `{"a":{"b":{"c":[{"d":1},{"d":2}]}}}`, `{"length":5}`, `["a","a","a"]`,
	`[` + strings.Repeat(`{"id":1,"name":"some name","tags":["a","b","é"],"ok":true,"none":null,"f":1.25,"text":"something longer than twenty-four bytes \" escaped"},`, 60) + `1]`,
	`[` + strings.Repeat(`{"id":1,"name":"some name"},`, 300) + `x]`, `{"k":"` + strings.Repeat("é😀x", 2000) + `","` + strings.Repeat("k", 3000) + `":[` + strings.Repeat("-17,170,", 400) + `1e3]}`,
	`[` + strings.Repeat(`"\ud800","\u00e9\ud83d",`, 300) + `{"\ud800":1}]`,
}

// describeJSON is JavaScript: describe(fn) tells all of what fn returns or throws.
const describeJSON = `
	const text = s => Array.from({length: s.length}, (_, i) => { const c = s.charCodeAt(i); return c < 32 || c > 126 ? "<" + c.toString(16) + ">" : s[i] }).join("");
	const tell = (v, depth) => {
		if (typeof v === "string") return '"' + text(v) + '"';
		if (typeof v === "bigint" || typeof v === "symbol" || typeof v === "function") return typeof v;
		if (v === null || typeof v !== "object") return Object.is(v, -0) ? "-0" : String(v);
		if (depth > 20) return "deep";
		const list = Array.isArray(v);
		const proto = Object.getPrototypeOf(v);
		const members = Reflect.ownKeys(v).map(k => { const d = Object.getOwnPropertyDescriptor(v, k); return (typeof k === "symbol" ? "symbol" : text(k)) + (d.writable && d.enumerable && d.configurable ? "" : "!") + ":" + (d.get ? "get" : tell(d.value, depth + 1)) });
		return (list ? "[" : "{") + members.join(",") + (list ? "]" : "}") + (proto === (list ? Array : Object).prototype ? "" : "^");
	};
	const message = e => e instanceof SyntaxError ? text(e.message.replace(/ \(line \d+ column \d+\)$/, "")) : e instanceof RangeError || /revoked|proxy|Proxy|trap|symbol|Symbol/.test(e.message) ? "" : text(e.message);
	const describe = fn => { try { return tell(fn(), 0) } catch (e) { return e instanceof Error ? e.constructor.name + " " + message(e) : "threw " + tell(e, 0) } };
`

// jsonScripts are expressions.
var jsonScripts = []string{
	// values without JSON, and such that have others in their place
	`JSON.stringify([undefined, () => 1, Symbol(), class {}, async () => 1, function* () {}])`, `JSON.stringify({a: undefined, b: () => 1, c: Symbol(), d: 1})`, `JSON.stringify(undefined)`, `JSON.stringify()`, `JSON.stringify(() => 1)`, `JSON.stringify(Symbol())`, `JSON.stringify(null)`, `JSON.stringify(true)`, `JSON.stringify("é\u2028\ud800\ude00\ud800x\udc00\u0000\x7f\"\\\b\f\n\r\t\v/")`, `JSON.stringify("\ud800")`, `JSON.stringify("\ufffd\ud800")`, `JSON.stringify("\ufffd")`,
	`JSON.stringify(new Date(0))`, `JSON.stringify(new Date(NaN))`, `JSON.stringify({toJSON() { return 5 }})`, `JSON.stringify({toJSON() { return undefined }})`, `JSON.stringify([{toJSON() { return undefined }}])`, `JSON.stringify({a: {toJSON(k) { return typeof k + k }}, b: [{toJSON(k) { return typeof k + k }}]})`, `JSON.stringify({toJSON: 5, a: 1})`, `JSON.stringify({toJSON() { return {toJSON() { return 1 }, b: 2} }})`, `JSON.stringify({toJSON(k) { return "<" + k + ">" }})`, `JSON.stringify({a: {toJSON() { return this.x }, x: [1]}})`, `JSON.stringify(Object.create({toJSON() { return "inherited" }}))`, `JSON.stringify({toJSON() { throw 7 }})`, `JSON.stringify({toJSON() { return new Number(3) }})`, `JSON.stringify({toJSON() { return 1n }})`, `JSON.stringify({toJSON: new Proxy(() => 9, {})})`,
	`(() => { const f = () => 1; f.toJSON = () => "f"; return JSON.stringify([f]) })()`, `JSON.stringify([new Number(3), new String("x"), new Boolean(false), new Boolean(true), Object(Symbol())])`, `JSON.stringify(Object.assign(new Number(3), {a: 1}))`, `JSON.stringify(new (class extends Number { valueOf() { return 4 } })(3))`, `JSON.stringify(Object.assign(new Number(3), {valueOf() { return 9 }}))`, `JSON.stringify(Object.assign(new String("a"), {toString() { return "b" }}))`, `JSON.stringify(Object.assign(new Boolean(true), {valueOf() { return false }}))`, `JSON.stringify(Object.assign(new Number(3), {valueOf() { throw 5 }}))`,
	`JSON.stringify({a: NaN, b: Infinity, c: -0, d: -Infinity})`, `JSON.stringify([1e21, 1e-7, 0.1, 1e15, 123456789012345680000, 5e-324, 1.7976931348623157e308, 1e20, 1e-6, 1.5e-9, -1e-7, 1e100, 9007199254740993, 2**31, -(2**31), 2**53, 0.000001234, 1/3, 100, 1e300])`,
	`JSON.stringify(Object.create({x: 1}))`, `JSON.stringify(Object.create(null))`, `JSON.stringify(Object.assign(Object.create(null), {a: 1}))`, `JSON.stringify(new Map([[1, 2]]))`, `JSON.stringify(new Set([1]))`, `JSON.stringify(/x/g)`, `JSON.stringify(new Error("x"))`, `JSON.stringify(new Uint8Array([1, 2]))`, `JSON.stringify(new Float64Array([0.5, NaN]))`, `JSON.stringify(new ArrayBuffer(2))`, `JSON.stringify((function () { return arguments })(1, 2))`, `JSON.stringify(new (class A { x = 1; #y = 2; get z() { return 3 } }))`, `JSON.stringify(new (class extends Array {})(1, 2, 3))`, `JSON.stringify(Promise.resolve(1))`, `JSON.stringify(Object("abc"))`, `JSON.stringify({a: Object("abc")})`, `JSON.stringify(JSON)`, `JSON.stringify(Math)`, `JSON.stringify((function* () {})())`, `JSON.stringify(new WeakMap())`,
	`JSON.stringify({get a() { return 7 }, set b(v) {}})`, `JSON.stringify([, 1, , 2])`, `JSON.stringify(new Array(3))`, `JSON.stringify(Object.assign([1], {a: 2}))`, `JSON.stringify(Object.defineProperty({}, "a", {value: 1}))`, `JSON.stringify(Object.defineProperty({b: 2}, "a", {get() { return 1 }, enumerable: true}))`, `JSON.stringify({b: 1, 10: 2, a: 3, 9: 4, [Symbol()]: 5})`, `(() => { const a = [1]; a[5000] = 2; return JSON.stringify(a).length })()`, `(() => { const a = []; a[3000000] = 2; return JSON.stringify(a).length })()`, `JSON.stringify(Object.freeze({a: Object.freeze([1])}))`, `JSON.stringify({"": 1, "a\"b": 2, "\n": 3, "é": 4, "\ud800": 5, "\ufffd": 6, "__proto__": 7, ["__proto__"]: 8})`, `JSON.stringify({"\ud800": {"\udc00x": [1]}, "\ufffd": 2}, null, 1)`, `JSON.stringify({"\ufffd": 2})`,
	`JSON.stringify(1n)`, `JSON.stringify({a: 1n})`, `JSON.stringify(Object(1n))`, `(() => { BigInt.prototype.toJSON = function () { return typeof this + this }; try { return JSON.stringify([1n, Object(2n)]) } finally { delete BigInt.prototype.toJSON } })()`, `(() => { "use strict"; BigInt.prototype.toJSON = function () { "use strict"; return typeof this + this }; try { return JSON.stringify([1n]) } finally { delete BigInt.prototype.toJSON } })()`, `(() => { String.prototype.toJSON = () => 1; Number.prototype.toJSON = () => 2; try { return JSON.stringify(["a", 1, new String("b")]) } finally { delete String.prototype.toJSON; delete Number.prototype.toJSON } })()`, `(() => { Object.prototype.toJSON = () => 1; try { return JSON.stringify([{}]) } finally { delete Object.prototype.toJSON } })()`, `(() => { Array.prototype[1] = "inherited"; try { return JSON.stringify([0, , 2]) } finally { delete Array.prototype[1] } })()`,
	// getters and traps, how often and in what order
	`(() => { let n = 0; const o = {get a() { n++; throw 1 }}; try { JSON.stringify(o) } catch {} return n })()`, `(() => { let n = 0; const o = {get a() { n++; return 1 }, b: [{toJSON() { n += 10; return {get c() { n += 100; throw new TypeError("x") }} }}]}; try { JSON.stringify(o) } catch (e) { return [n, e.message] } })()`, `(() => { const log = []; const p = new Proxy({a: 1, b: [2]}, {get(t, k) { log.push("get " + String(k)); return Reflect.get(t, k) }, ownKeys(t) { log.push("ownKeys"); return Reflect.ownKeys(t) }, getOwnPropertyDescriptor(t, k) { log.push("desc " + String(k)); return Reflect.getOwnPropertyDescriptor(t, k) }, has(t, k) { log.push("has"); return k in t }}); return [JSON.stringify(p), JSON.stringify({p}), log] })()`, `(() => { const log = []; const p = new Proxy([1, , 3], {get(t, k) { log.push(String(k)); return Reflect.get(t, k) }, has(t, k) { log.push("has " + String(k)); return k in t }}); return [JSON.stringify(p), log] })()`,
	`JSON.stringify(new Proxy([1, 2], {}))`, `JSON.stringify(new Proxy(new Proxy([1, 2], {}), {}))`, `JSON.stringify(new Proxy(() => 1, {}))`, `JSON.stringify([new Proxy(class {}, {})])`, `JSON.stringify(new Proxy(new Number(1), {}))`, `JSON.stringify(new Proxy({}, {ownKeys() { throw 3 }}))`, `JSON.stringify(new Proxy([], {get(t, k) { return k === "length" ? 2.7 : k === "toJSON" ? undefined : "e" + k }}))`, `JSON.stringify(new Proxy([], {get(t, k) { return k === "length" ? -5 : undefined }}))`, `(() => { const {proxy, revoke} = Proxy.revocable([], {}); revoke(); return JSON.stringify(proxy) })()`, `(() => { const {proxy, revoke} = Proxy.revocable({}, {}); revoke(); return JSON.stringify({proxy}) })()`,
	`(() => { const o = {get a() { delete this.b; return 1 }, b: 2, c: 3}; return JSON.stringify(o) })()`, `(() => { const o = {get a() { this.z = 9; return 1 }, b: 2}; return JSON.stringify(o) })()`, `(() => { const a = [{toJSON() { a.length = 1; return 0 }}, 1, 2]; return JSON.stringify(a) })()`, `(() => { const a = [{toJSON() { a.push(5); return 0 }}, 1]; return JSON.stringify(a) })()`, `(() => { const o = {a: 1, b: {toJSON() { return JSON.stringify({c: [1, {d: 2}]}) }}, e: 3}; return JSON.stringify(o) })()`,
	// what code does to objects that are being written
	`(() => { const o = {a: {toJSON() { delete o.b; o.c = 5; o.z = 6; return 1 }}, b: 2, c: 3}; return JSON.stringify(o) })()`, `(() => { const o = {a: {toJSON() { Object.defineProperty(o, "b", {get() { return 9 }, enumerable: true}); Object.defineProperty(o, "c", {enumerable: false}); return 1 }}, b: 2, c: 3}; return JSON.stringify(o) })()`, `(() => { const o = {a: {toJSON() { Object.setPrototypeOf(o, {b: "inherited"}); delete o.b; return 1 }}, b: 2}; return JSON.stringify(o) })()`,
	`(() => { const o = {a: {toJSON() { Object.prototype.toJSON = function () { return "late" }; return 1 }}, b: {c: 1}, d: [1]}; try { return JSON.stringify([{e: 1}, o, {f: 1}]) } finally { delete Object.prototype.toJSON } })()`, `(() => { const a = [{toJSON() { Array.prototype.toJSON = () => "list"; return 1 }}, [2], {x: [3]}]; try { return JSON.stringify(a) } finally { delete Array.prototype.toJSON } })()`, `(() => { let n = 0; Object.defineProperty(Object.prototype, "toJSON", {get() { n++ }, configurable: true}); try { return [JSON.stringify({a: {}, b: [{}, 1]}), n] } finally { delete Object.prototype.toJSON } })()`,
	`(() => { const a = [{toJSON() { a[100000] = 1; a.length = 4; delete a[1]; return 0 }}, 1, 2]; return JSON.stringify(a) })()`, `(() => { const a = [{toJSON() { Object.defineProperty(a, 1, {get() { return "got" }}); return 0 }}, 1, 2]; return JSON.stringify(a) })()`, `(() => { const a = [1, 2]; a.toJSON = () => "own"; return JSON.stringify({a}) })()`, `(() => { const o = {toJSON: undefined, a: 1}; return JSON.stringify([o]) })()`, `JSON.stringify(Object.create(new Proxy({}, {get(t, k) { return k === "toJSON" ? () => "trapped" : undefined }})))`, `(() => { const p = new Proxy({}, {get() { return undefined }}); return JSON.stringify([Object.assign(Object.create(p), {a: {b: 1}}), Object.assign(Object.create(p), {a: 2})]) })()`,
	`(() => { const o = {b: 1}; o[2] = 2; o[1] = 3; o.a = {"10": 1, x: 2, "9": 3}; return JSON.stringify(o) })()`, `(() => { const o = JSON.parse('{"b":1,"2":2,"1":3,"a":{"10":1,"x":2,"9":3,"x":4}}'); o.c = 5; delete o.b; return [JSON.stringify(o), Object.keys(o), JSON.stringify({...o}), Object.entries(o.a)] })()`, `(() => { const o = JSON.parse("{" + Array.from({length: 40}, (_, i) => '"k' + (39 - i) + '":' + i).join() + "}"); for (let i = 0; i < 40; i += 3) delete o["k" + i]; for (let i = 0; i < 9; i++) o["n" + i] = i; return [JSON.stringify(o), Object.keys(o)] })()`, `(() => { const rows = JSON.parse("[" + Array(600).fill('{"a":1,"b":[2],"é":{"c":null}}').join() + "]"); rows[5].a = 7; rows[6].z = 1; delete rows[7].b; Object.freeze(rows[8]); for (const k in rows[9]) delete rows[9][k]; return [JSON.stringify(rows.slice(4, 11)), rows.length, Object.isFrozen(rows[8]), Object.isFrozen(rows[10])] })()`,
	// cycles
	`(() => { const o = {}; o.o = o; return JSON.stringify(o) })()`, `(() => { const o = {x: {y: [{}]}}; o.x.y[0].z = o; return JSON.stringify(o) })()`, `(() => { const p = {a: {b: {c: {d: {e: {}}}}}}; p.a.b.c.d.e.f = p.a; return JSON.stringify(p) })()`, `(() => { const p = {a: {b: {c: {d: {}}}}}; p.a.b.c.d.e = p.a; return JSON.stringify(p) })()`, `(() => { const p = {a: {b: {c: {}}}}; p.a.b.c.d = p; return JSON.stringify(p) })()`, `(() => { class K {}; const k = new K; k.k = k; return JSON.stringify({q: [k]}) })()`, `(() => { const n = Object.create(null); n["a b"] = n; return JSON.stringify(n) })()`, `(() => { const a = []; a.push([a]); return JSON.stringify(a) })()`, `(() => { const o = {}; const s = {a: o, b: o, c: [o, o]}; return JSON.stringify(s) })()`, `(() => { const o = {toJSON() { return {x: o} }}; try { return JSON.stringify(o) } catch (e) { return e.constructor.name } })()`, `(() => { const o = {}; o.p = new Proxy(o, {}); try { return JSON.stringify(o) } catch (e) { return e.constructor.name } })()`,
	// replacers
	`JSON.stringify({a: 1, b: 2, c: {a: 3, d: 4}}, ["a", "c"])`, `JSON.stringify({a: 1, b: 2}, ["b", "a", "b"])`, `JSON.stringify({1: "x", a: 2, 2: 3}, [1, new Number(2), new String("a"), {}, null, true, undefined, Symbol()])`, `JSON.stringify({a: 1}, [])`, `JSON.stringify([{a: 1, b: 2}], ["b"])`, `JSON.stringify({a: 1, toString: 5}, ["toString", "hasOwnProperty", "__proto__"])`, `JSON.stringify({a: 1, b: 2}, new Proxy(["b"], {}))`, `JSON.stringify({"\ud800": 1, "\ufffd": 2, "\udc00": 3}, ["\udc00", "\ud800"])`, `JSON.stringify({a: 1}, {0: "a", length: 1})`, `JSON.stringify({a: 1}, "a")`, `JSON.stringify({a: 1}, null)`, `JSON.stringify({0: 1, "-1": 2, 1.5: 3}, [-0, -1, 1.5])`,
	`JSON.stringify({a: 1, b: [2, {c: 3}]}, (k, v) => typeof v === "number" ? v * 2 : v)`, `(() => { const log = []; JSON.stringify({a: 1, b: [2]}, function (k, v) { log.push(typeof k + k, JSON.stringify(this)); return v }); return log })()`, `JSON.stringify({a: 1}, () => undefined)`, `JSON.stringify({a: 1, b: 2}, (k, v) => k === "a" ? undefined : v)`, `JSON.stringify([1, 2], (k, v) => k === "0" ? undefined : v)`, `JSON.stringify(1, (k, v) => ({a: k + v}).a)`, `JSON.stringify(undefined, () => 5)`, `JSON.stringify({a: new Date(0)}, (k, v) => typeof v)`, `JSON.stringify({a: 1n}, (k, v) => typeof v === "bigint" ? "" + v : v)`, `JSON.stringify({a: 1}, (k, v) => { throw 8 })`, `JSON.stringify([, 1], (k, v) => k && v === undefined ? "hole" : v)`, `JSON.stringify({a: 1}, (k, v) => k ? new Boolean(true) : v)`, `JSON.stringify({a: 1}, async () => 1)`, `JSON.stringify({"\ud800": 1}, (k, v) => k.length === 1 ? k.charCodeAt(0) : v)`, `JSON.stringify({x: 1, y: 2}, new Proxy((k, v) => k === "x" ? 7 : v, {}))`, `JSON.stringify({a: {b: 1}}, (k, v) => v, 2)`,
	// indentation
	`JSON.stringify({a: [], b: {c: [1], d: {}}, e: [[], [{}]]}, null, 1)`, `JSON.stringify({"k:,[": "{\"\\", u: undefined, n: null}, null, "--")`, `JSON.stringify([1, {a: 2, b: 3}], ["a"], 20)`, `JSON.stringify([1], null, "😀😀😀😀😀😀")`, `JSON.stringify([1], null, "123456789😀x")`, `JSON.stringify(["é😀"], null, "123456789😀x")`, `JSON.stringify([1, [2]], null, new Number(2.9))`, `JSON.stringify([1], null, new String("ab"))`, `JSON.stringify([1], null, 0) + JSON.stringify([1], null, -1) + JSON.stringify([1], null, {}) + JSON.stringify([1], null, true) + JSON.stringify([1], null, "") + JSON.stringify([1], null, NaN) + JSON.stringify([1], null, 1n)`, `JSON.stringify([1], null, Infinity)`, `JSON.stringify({a: undefined}, null, 2)`, `JSON.stringify([undefined], null, 2)`, `JSON.stringify({a: 1, b: () => 1, c: 2}, null, "\t")`, `JSON.stringify([[[]], {a: {}}], null, 2)`, `JSON.stringify("x", null, 2)`, `JSON.stringify({a: 1}, null, Object.assign(new Number(1), {valueOf() { return 3 }}))`, `JSON.stringify({a: 1}, null, Symbol())`,
	// arguments of parse
	`JSON.parse()`, `JSON.parse(undefined)`, `JSON.parse(null)`, `JSON.parse(5)`, `JSON.parse(true)`, `JSON.parse({})`, `JSON.parse([])`, `JSON.parse([1])`, `JSON.parse({toString() { return "[1]" }})`, `JSON.parse({toString() { throw 4 }})`, `JSON.parse(Symbol())`, `JSON.parse(1n)`, `JSON.parse(new String("[2]"))`, `JSON.parse(-0)`, `JSON.parse(NaN)`, `JSON.parse("\"\ud800\"")`, `JSON.parse("\"\ud800\ude00x\ufffd\udc00\"")`, `JSON.parse("{\"\ud800\":\"\ud83d\\ude00\"}")`, `JSON.parse("\"\\ud83d\ude00\"")`, `JSON.parse("\ud800")`, `JSON.parse("[\"\ud800\" x]")`, `JSON.parse("\ufffd")`, `JSON.parse("[1,2]", 5)`, `JSON.parse("[1,2]", {})`, `JSON.parse("[1,2]", null)`,
	// revivers
	`JSON.parse('{"a":1,"b":[2,{"c":3}]}', (k, v) => typeof v === "number" ? v * 2 : v)`, `(() => { const log = []; JSON.parse('{"b":{"x":1},"2":[5],"1":null}', function (k, v) { log.push(typeof k + k, JSON.stringify(this), JSON.stringify(v), arguments.length >= 2); return v }); return log })()`, `JSON.parse("5", (k, v) => [k, v])`, `JSON.parse('{"a":1,"b":2}', (k, v) => k === "a" ? undefined : v)`, `JSON.parse("[1,2,3]", (k, v) => k === "1" ? undefined : v)`, `JSON.parse("[1]", () => undefined)`, `JSON.parse("[1]", () => { throw 6 })`, `JSON.parse('{"a":1,"b":2}', function (k, v) { if (k === "a") delete this.b; return v })`, `JSON.parse('{"a":1,"b":2}', function (k, v) { if (k === "a") this.c = 5; return v })`, `JSON.parse("[1,2,3]", function (k, v) { if (k === "0") this.length = 1; return v })`, `JSON.parse('{"a":1,"b":{"c":2}}', function (k, v) { if (k === "a") Object.freeze(this); return k === "c" ? 9 : k === "" ? v : 7 })`, `JSON.parse('{"a":1,"b":2}', function (k, v) { if (k === "a") this.b = new Proxy({x: 1}, {defineProperty() { return false }, deleteProperty() { return false }}); return k === "x" ? undefined : v })`, `JSON.parse('{"a":1,"b":2}', function (k, v) { if (k === "a") this.b = new Proxy([1, 2], {defineProperty() { throw 5 }}); return v })`, `JSON.parse('{"\\ud800":1,"\\ufffd":2,"x":3}', (k, v) => k === "x" ? undefined : typeof v === "number" ? k.charCodeAt(0) : v)`, `JSON.parse('{"\\ud800":1,"a":2}', (k, v) => k === "\ud800" ? undefined : v)`, `JSON.parse('{"__proto__":{"a":1}}', (k, v) => v)`, `JSON.parse('{"__proto__":1,"b":2}', (k, v) => k === "__proto__" ? {z: 1} : v)`, `JSON.parse('{"a":1,"b":2}', function (k, v) { if (k === "a") Object.defineProperty(this, "b", {get() { throw 9 }}); return v })`, `JSON.parse("[[1],2]", new Proxy((k, v) => v, {}))`,
	// the functions themselves
	`[JSON.parse.name, JSON.parse.length, JSON.stringify.name, JSON.stringify.length]`, `["parse", "stringify"].map(n => { const d = Object.getOwnPropertyDescriptor(JSON, n); return [d.writable, d.enumerable, d.configurable] })`, `[JSON[Symbol.toStringTag], String(JSON), typeof JSON]`, `["name", "length"].map(n => { const d = Object.getOwnPropertyDescriptor(JSON.stringify, n); return [d.writable, d.enumerable, d.configurable] })`, `"prototype" in JSON.parse`, `(0, JSON.parse)("1")`, `JSON.stringify.call(undefined, 1)`, `[1].map(JSON.stringify)`, `["1", "2"].map(JSON.parse)`, `Object.keys(JSON)`,
	// prototypes that code has changed
	`(() => { Object.defineProperty(Object.prototype, "a", {set(v) { throw 1 }, configurable: true}); try { return JSON.parse('{"a":1}') } finally { delete Object.prototype.a } })()`, `(() => { Object.defineProperty(Object.prototype, "a", {value: 1, configurable: true}); try { return JSON.parse('{"a":2}') } finally { delete Object.prototype.a } })()`, `(() => { Object.defineProperty(Array.prototype, "0", {set(v) { throw 1 }, configurable: true}); try { return JSON.parse("[1]") } finally { delete Array.prototype[0] } })()`,
	// depth
	`JSON.stringify(JSON.parse("[".repeat(3000) + "]".repeat(3000))).length`, `JSON.parse('{"a":'.repeat(2000) + "1" + "}".repeat(2000)).a.a.a.a !== undefined`,
	`(() => { let a = []; for (let i = 0; i < 100000; i++) a = [a]; return JSON.stringify(a) })()`, `(() => { let a = {}; for (let i = 0; i < 100000; i++) a = {a}; return JSON.stringify(a) })()`,
}

func newJSON() *Runtime {
	rt := New()
	rt.InstallJSON(rt.VM.Get("JSON").(*goja.Object))
	return rt
}

func TestJSONAgainstNode(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("node is not installed")
		}
		t.Skip("node is not installed: the comparison with another implementation needs it")
	}
	var cases []string
	for _, text := range jsonTexts {
		lit, _ := json.Marshal(text)
		cases = append(cases, "JSON.parse("+string(lit)+")", "JSON.stringify(JSON.parse("+string(lit)+"))", "JSON.stringify(JSON.parse("+string(lit)+"), null, 2)")
	}
	cases = append(cases, jsonScripts...)
	want := nodeResults(t, node, cases)
	for i, src := range cases {
		rt := newJSON()
		v, err := rt.VM.RunString(describeJSON + "describe(() => (" + src + "))")
		if err != nil {
			t.Errorf("%s: %v", src, err)
			continue
		}
		if got := v.String(); got != want[i] {
			t.Errorf("%.500s\n got %.500s\nnode %.500s", src, got, want[i])
		}
	}
}

// nodeResults describes what node makes of expressions.
func nodeResults(t *testing.T, node string, cases []string) (want []string) {
	t.Helper()
	data, _ := json.Marshal(cases)
	cmd := exec.Command(node, "-e", describeJSON+`const stringify = JSON.stringify;
		const out = JSON.parse(require("fs").readFileSync(0, "utf8")).map(src => describe(() => (0, eval)("(" + src + ")")));
		console.log(stringify(out))`)
	cmd.Stdin = bytes.NewReader(data)
	raw, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &want); err != nil {
		t.Fatal(err)
	}
	return want
}

// TestJSONFaults proves what is said, also where node is missing or older.
func TestJSONFaults(t *testing.T) {
	rt := newJSON()
	for text, want := range map[string]string{
		"{\n  \"a\": 1,\r\n  b": "Expected double-quoted property name in JSON at position 15 (line 3 column 3)",
		"[1 2]":                 "Expected ',' or ']' after array element in JSON at position 3 (line 1 column 4)",
		"<html>":                `Unexpected token '<', "<html>" is not valid JSON`,
		"undefined":             `"undefined" is not valid JSON`,
		"":                      "Unexpected end of JSON input",
		"😀":                     "",
	} {
		e, ok := rt.Try(func() { rt.ParseJSON(text) }).(*goja.Object)
		if !ok {
			t.Errorf("%q: nothing thrown", text)
		} else if got := e.Get("message").String(); e.Get("name").String() != "SyntaxError" || want != "" && got != want {
			t.Errorf("%q: %s: %s", text, e.Get("name"), got)
		}
	}
}

// TestJSONDepth proves that what is nested deeply throws, however it comes to be so.
func TestJSONDepth(t *testing.T) {
	for _, code := range []string{
		`JSON.parse("[".repeat(1e6) + "]".repeat(1e6))`, `JSON.parse('{"a":'.repeat(1e6))`,
		`let a = []; for (let i = 0; i < 1e5; i++) a = [a]; JSON.stringify(a)`,
		`let b = {}; for (let i = 0; i < 1e5; i++) b = {get b() { return this.c }, c: b}; JSON.stringify(b)`,
		`const f = n => { let a = n ? {toJSON() { return f(n - 1) }} : 1; for (let i = 0; i < 4000; i++) a = [a]; return JSON.stringify(a) }; f(100)`,
		`const g = n => { let s = "[".repeat(4000) + "]".repeat(4000); return JSON.parse(s, (k, v) => n ? g(n - 1) : v) }; g(100)`,
		`const h = n => ({get a() { return JSON.stringify(h(n + 1)) }}); JSON.stringify(h(0))`,
	} {
		rt := newJSON()
		v, err := rt.VM.RunString("try { " + strings.Replace(code, "; JSON", "; globalThis.r = JSON", 1) + `; "no error" } catch (e) { e.name }`)
		if err == nil && v.String() != "RangeError" {
			t.Errorf("%.60s: %s", code, v)
		}
		var overflow *goja.StackOverflowError
		if err != nil && !errors.As(err, &overflow) {
			t.Errorf("%.60s: %v", code, err)
		}
		if err == nil {
			if got, err := rt.VM.RunString("JSON.stringify(JSON.parse('[[1]]'))"); err != nil || got.String() != "[[1]]" || rt.json.depth != 0 {
				t.Errorf("%.60s: afterwards %v %v, depth %d", code, got, err, rt.json.depth)
			}
		}
	}
}

// TestJSONLimits proves that what would be too long or too much is not made.
func TestJSONLimits(t *testing.T) {
	rt := newJSON()
	rt.MaxText = 1 << 20
	for code, want := range map[string]string{
		`JSON.stringify(new Array(1e9))`:                       "RangeError: Invalid string length",
		`JSON.stringify({}, new Array(2**32 - 1))`:             "RangeError: Invalid array length",
		`JSON.parse("[" + "1,".repeat(2e5) + "1]")`:            "RangeError: JSON has too many values",
		`JSON.parse("[" + "1,".repeat(1e5) + "1]")`:            "no error",
		`Object.keys = () => 1; JSON.stringify({"\ufffd": 1})`: "no error",
	} {
		v, err := rt.VM.RunString(`try { ` + code + `; "no error" } catch (e) { e.name + ": " + e.message }`)
		if err != nil || v.String() != want {
			t.Errorf("%s: %v %v, want %s", code, v, err, want)
		}
	}
}

// TestJSONKeep proves that a small part of a large text does not keep all of it.
func TestJSONKeep(t *testing.T) {
	text := `["` + strings.Repeat("x", 100) + `",` + strings.Repeat(" ", 1<<20) + `{"` + strings.Repeat("k", 50) + `":1}]`
	p := jsonParser{rt: New(), s: text, words: new([jsonWords]jsonWord)}
	if s := p.keep(text[2:102]); s != text[2:102] || p.chunk.Cap() > 2*jsonChunkLen {
		t.Error(len(s), p.chunk.Cap())
	}
}
