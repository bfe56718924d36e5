package webapi

import "testing"

// TestComplete checks what goja lacks against what V8 answers.
func TestComplete(t *testing.T) {
	for _, c := range []struct{ names, src, want string }{
		{"captureStackTrace", `const o = { name: "N", message: "m" }; Error.captureStackTrace(o); o.stack.split("\n")[0] + Object.keys(o)`, "N: mname,message"},
		{"captureStackTrace", `class E extends Error { constructor(m) { super(m); Error.captureStackTrace(this, E) } }; function site() { return new E("x") }; const s = site().stack.split("\n"); s[0] + "|" + /\bsite\b/.test(s[1])`, "Error: x|true"},
		{"captureStackTrace", `const f = a => { try { Error.captureStackTrace(a) } catch (e) { return e.name } }; f(1)`, "TypeError"},
		{"isWellFormed", `["a", "a😀", "\ud83d", "\ude00\ud83d", ""].map(s => s.isWellFormed() + s.toWellFormed()).join()`, "truea,truea😀,false\ufffd,false\ufffd\ufffd,true"},
		{"WeakRef", `const o = {}; const w = new WeakRef(o); [w.deref() === o, String(w), (() => { try { new WeakRef(1) } catch (e) { return e.name } })()].join()`, "true,[object WeakRef],TypeError"},
		{"FinalizationRegistry", `const f = new FinalizationRegistry(() => {}); [f.register({}, 1), f.unregister({})].join()`, ",false"},
		{"groupBy", `JSON.stringify([Object.groupBy([1, 2, 3], n => n % 2 ? "odd" : "even"), [...Map.groupBy("abca", c => c)]])`, `[{"odd":[1,3],"even":[2]},[["a",["a","a"]],["b",["b"]],["c",["c"]]]]`},
		{"groupBy", `Object.getPrototypeOf(Object.groupBy([], x => x)) + "" + Object.groupBy([1], () => "__proto__").__proto__`, "null1"},
		{"withResolvers try", `typeof Promise.withResolvers().resolve + typeof Promise.try(() => 1).then`, "functionfunction"},
		{"escape", `RegExp.escape("a.b-c\n d") + RegExp.escape("1x")`, `\x61\.b\x2dc\n\x20d\x31x`},
		{"escape", `RegExp.escape("\ud800é\u2028\0😀/") + RegExp.escape("")`, `\ud800é\u2028` + "\x00😀" + `\/`},
		{"typedFrom", `[Uint8Array.from("ab", c => c.charCodeAt(0)), Uint8Array.from("12"), Float32Array.from(5).length, Uint16Array.from(new Set([3])), (() => { try { Uint8Array.from(null) } catch (e) { return e.name } })()].join("|")`, "97,98|1,2|0|3|TypeError"},
		{"transfer", `const a = new Uint8Array([1, 2]).buffer; const b = a.transfer(3); [a.detached, a.byteLength, new Uint8Array(b)].join()`, "true,0,1,2,0"},
		{"iterators", `[1, 2, 3, 4].values().map(x => x * 2).filter(x => x > 2).drop(1).take(1).toArray().join()`, "6"},
		{"iterators", `function* g() { try { yield 1; yield 2 } finally { log.push("closed") } }; const log = []; const it = g().take(1); it.next(); it.next(); g().find(x => x == 1); [g().some(x => x > 1), g().every(x => x < 2), g().reduce((a, b) => a + b), ...log].join()`, "true,false,3,closed,closed,closed,closed,closed"},
		{"iterators", `[..."ab"].values().flatMap(c => [c, c + c]).toArray().join() + Iterator.from({ next: () => ({ done: true }) }).toArray().length + ([].values() instanceof Iterator)`, "a,aa,b,bb0true"},
		{"iterators", `let closed = 0; const src = { __proto__: Iterator.prototype, next: () => ({ value: 1, done: false }), return() { closed++; return {} } }; try { src.map(() => { throw 1 }).next() } catch {}; src.map(x => x).return(); try { src.map(1) } catch {}; closed`, "3"},
		{"iterators", `let closed = 0; const bad = { __proto__: Iterator.prototype, next() { throw "n" }, return() { closed++; return {} } }; try { bad.map(x => x).next() } catch (e) { e + closed }`, "n0"},
	} {
		r := newTestRealm(t)
		eval(t, r, "__samkit_complete('"+c.names+"')")
		if got := eval(t, r, c.src).String(); got != c.want {
			t.Errorf("%s\ngot  %s\nwant %s", c.src, got, c.want)
		}
	}
	r := newTestRealm(t)
	eval(t, r, "__samkit_complete('fromAsync try nothing')")
	for src, want := range map[string]string{
		`Array.fromAsync([Promise.resolve(1), 2]).then(a => a.join())`:                                                                                "1,2",
		`Array.fromAsync({ length: 2, 0: Promise.resolve("x") }, async (v, i) => v + i).then(a => a.join())`:                                          "x0,NaN",
		`Array.fromAsync({ [Symbol.asyncIterator]() { let i = 0; return { next: async () => ({ value: i, done: i++ > 2 }) } } }).then(a => a.join())`: "0,1,2",
		`Promise.try(() => { throw "t" }).catch(e => e)`:                                                                                              "t",
		`Array.fromAsync(null)`: "! TypeError: The items are not iterable",
	} {
		if got := evalAsync(t, r, src); got != want {
			t.Errorf("%s: %s, want %s", src, got, want)
		}
	}
}

// TestIndentedJSON compares JSON.stringify with V8.
func TestIndentedJSON(t *testing.T) {
	for src, want := range map[string]string{
		`JSON.stringify({ a: [], b: { c: [1], d: {} }, e: [[], [{}]] }, null, 1)`:                                                               "{\n \"a\": [],\n \"b\": {\n  \"c\": [\n   1\n  ],\n  \"d\": {}\n },\n \"e\": [\n  [],\n  [\n   {}\n  ]\n ]\n}",
		`JSON.stringify({ "k:,[": "{\"\\", u: undefined, n: null }, null, "--")`:                                                                "{\n--\"k:,[\": \"{\\\"\\\\\",\n--\"n\": null\n}",
		`JSON.stringify([1, { a: 2, b: 3 }], ["a"], 20)`:                                                                                        "[\n          1,\n          {\n                    \"a\": 2\n          }\n]",
		`JSON.stringify([1], (k, v) => k === "0" ? 5 : v, new String("😀😀😀😀😀😀"))`:                                                                "[\n😀😀😀😀😀5\n]",
		`JSON.stringify(undefined, null, 2) + JSON.stringify([], null, 2) + JSON.stringify(1, null, 2) + JSON.stringify({}) + JSON.stringify()`: "undefined[]1{}undefined",
		`JSON.stringify(["é", "\ud800"], null, 1)`:                                                                                              "[\n \"é\",\n \"\\ud800\"\n]",
		`JSON.stringify([1], null, 0) + JSON.stringify([1], null, -1) + JSON.stringify([1], null, {}) + JSON.stringify.length`:                  "[1][1][1]3",
	} {
		if got := eval(t, newTestRealm(t), src).String(); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", src, got, want)
		}
	}
}
