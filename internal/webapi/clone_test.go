package webapi

import (
	"testing"
	"time"

	"github.com/dop251/goja"
)

// TestKinds guards the names of goja's own types.
func TestKinds(t *testing.T) {
	r := newTestRealm(t)
	for src, want := range map[string]kind{
		"({})": kindPlain, "Object.create(null)": kindPlain, "new (class A {})": kindPlain, "Math": kindPlain, "JSON": kindPlain, "Array.prototype.constructor.prototype.map.prototype === undefined ? {} : 0": kindPlain,
		"(function() { return arguments })(1)": kindArguments, "(function(a) { return arguments })(1)": kindArguments, "(function() { 'use strict'; return arguments })(1)": kindArguments,
		"[]": kindArray, "[1,2]": kindArray, "Object.assign([], {99999999: 1})": kindArray, "((s) => s)`a`": kindArray,
		"() => 1": kindFunction, "(class A {})": kindFunction, "(async () => 1)": kindFunction, "(function*() {})": kindFunction, "Map": kindFunction, "URL": kindFunction, "setTimeout": kindFunction, "(() => 1).bind()": kindFunction, "({m() {}}).m": kindFunction, "Function.prototype": kindFunction,
		"new Error": kindError, "new TypeError": kindError, "new (class E extends Error {})": kindError, "new AggregateError([])": kindError,
		"new Date": kindDate, "new Date(NaN)": kindDate, "/x/": kindRegExp, "new Number(1)": kindBoxed, "Object(Symbol())": kindBoxed, "Object(1n)": kindBoxed, "new Boolean(1)": kindBoxed, "new String('')": kindBoxedString,
		"new Map": kindMap, "new Set": kindSet, "new (class M extends Map {})": kindMap, "new WeakMap": kindWeakMap, "new WeakSet": kindWeakSet, "Promise.resolve()": kindPromise, "new Proxy({}, {})": kindProxy, "new Proxy(() => 1, {})": kindProxy,
		"new ArrayBuffer(1)": kindBuffer, "new URL('a:b')": kindBuffer, "new Uint8ClampedArray(1)": kindTypedArray, "new DataView(new ArrayBuffer(1))": kindDataView, "(function*() {})()": kindGenerator, "[][Symbol.iterator]()": kindOther, "new Map().keys()": kindOther,
		"console": kindOther,
	} {
		o, ok := eval(t, r, "("+src+")").(*goja.Object)
		if !ok {
			t.Errorf("%s: no object", src)
		} else if got := kindOf(o); got != want {
			t.Errorf("%s: kind %d, want %d", src, got, want)
		}
	}
}

func TestStructuredClone(t *testing.T) {
	runScripts(t, []script{
		{`structuredClone()`, "! TypeError: Failed to execute 'structuredClone': 1 argument required, but only 0 present."},
		{`[1, "a", null, undefined, true, 5n, NaN].every(v => Object.is(structuredClone(v), v))`, "true"},
		{`Object.is(structuredClone(-0), -0)`, "true"},
		{`structuredClone("\ud800").charCodeAt(0).toString(16)`, "d800"},
		{`structuredClone(Symbol())`, "! DataCloneError: Symbol() could not be cloned."},
		{`let o = {a: {b: [1, {c: 2}]}}, c = structuredClone(o); JSON.stringify(c) + (c !== o) + (c.a.b !== o.a.b)`, `{"a":{"b":[1,{"c":2}]}}truetrue`},
		{`let o = {}; o.self = o; o.list = [o]; let c = structuredClone(o); [c.self === c, c.list[0] === c, c !== o].join()`, "true,true,true"},
		{`let s = {}, c = structuredClone([s, s]); c[0] === c[1] && c[0] !== s`, "true"},
		{`class A { constructor() { this.x = 1 } get y() { return 2 } }; let c = structuredClone(new A); c.x + Object.getPrototypeOf(c).constructor.name + c.y`, "1Objectundefined"},
		{`structuredClone({get a() { return 5 }}).a`, "5"},
		{`structuredClone({get a() { throw new RangeError("g") }})`, "! RangeError: g"},
		{`let o = {a: 1}; Object.defineProperty(o, "h", {value: 1}); o[Symbol()] = 2; Reflect.ownKeys(structuredClone(o)).join()`, "a"},
		{`structuredClone({__proto__: {inherited: 1}, own: 2}).inherited`, "undefined"},
		{`let c = structuredClone(JSON.parse('{"__proto__": {"x": 1}}')); Object.keys(c).join() + c.x`, "__proto__undefined"},
		{`let a = [1, , 3]; a.extra = 4; let c = structuredClone(a); [c.length, 1 in c, c.extra, Array.isArray(c)].join()`, "3,false,4,true"},
		{`let a = []; a.length = 4e9; structuredClone(a).length`, "4000000000"},
		{`let m = structuredClone(new Map([[{k: 1}, new Set([1, "b"])]])); [m.size, [...m.keys()][0].k, [...[...m.values()][0]].join("")].join()`, "1,1,1b"},
		{`let m = new Map; m.set(m, m); let c = structuredClone(m); c.get(c) === c`, "true"},
		{`let m = new Map([[1, 1]]); m.forEach = null; structuredClone(m).get(1)`, "1"},
		{`let d = structuredClone(new Date(5)); d.getTime() + (d instanceof Date) + structuredClone(new Date(NaN)).getTime()`, "NaN"},
		{`structuredClone(new Date(1234567890123)).toISOString()`, "2009-02-13T23:31:30.123Z"},
		{`let x = /a\/b/giy; x.lastIndex = 3; let c = structuredClone(x); c + "" + c.lastIndex`, "/a\\/b/giy0"},
		{`[Object(1), Object("s"), Object(true), Object(5n)].map(v => structuredClone(v)).map(v => typeof v + v).join()`, "object1,objects,objecttrue,object5"},
		{`structuredClone(Object(Symbol()))`, "! DataCloneError: Object could not be cloned."},
		{`let e = structuredClone(new RangeError("m", {cause: {a: 1}})); [e.name, e.message, e instanceof RangeError, e.cause.a, Object.keys(e).length].join()`, "RangeError,m,true,1,0"},
		{`class My extends TypeError { constructor() { super("q"); this.name = "My" } }; let e = structuredClone(new My); [e.name, e.message, e.constructor.name].join()`, "Error,q,Error"},
		{`let e = new Error("x"), c = structuredClone(e); c.stack === e.stack`, "true"},
		{`let e = new Error; structuredClone(e).hasOwnProperty("message")`, "false"},
		{`let e = structuredClone(new DOMException("m", "AbortError")); e.name + e.code + (e instanceof DOMException)`, "AbortError20true"},
		{`let b = new Uint8Array([1, 2, 3]).buffer, c = structuredClone(b); c !== b && new Uint8Array(c).join()`, "1,2,3"},
		{`let u = new Uint16Array([1, 2, 3]).subarray(1), c = structuredClone(u); [c.constructor.name, c.join("-"), c.byteOffset, c.buffer.byteLength].join()`, "Uint16Array,2-3,2,6"},
		{`structuredClone(new Uint8ClampedArray([300])).constructor.name`, "Uint8ClampedArray"},
		{`let b = new ArrayBuffer(8), c = structuredClone([new Uint8Array(b), new DataView(b, 2, 3)]); [c[0].buffer === c[1].buffer, c[1].byteOffset, c[1].byteLength].join()`, "true,2,3"},
		{`let b = new Uint8Array([7]).buffer, c = structuredClone({b}, {transfer: [b]}); [b.byteLength, c.b.byteLength, new Uint8Array(c.b)[0]].join()`, "0,1,7"},
		{`let u = new Uint8Array([7, 8]), c = structuredClone(u, {transfer: [u.buffer]}); [u.length, c.join("")].join()`, "0,78"},
		{`let b = new ArrayBuffer(1); structuredClone(1, {transfer: [b, b]})`, "! DataCloneError: The transfer list holds an object twice."},
		{`structuredClone(1, {transfer: [{}]})`, "! DataCloneError: An object of the transfer list is not transferable."},
		{`structuredClone(1, {transfer: 5})`, "! TypeError: The transfer list is not iterable"},
		{`let b = new ArrayBuffer(1); structuredClone(b, {transfer: [b]}); structuredClone(b)`, "! DataCloneError: A detached ArrayBuffer could not be cloned."},
		{`let b = new ArrayBuffer(1); try { structuredClone(() => 1, {transfer: [b]}) } catch {}; b.byteLength`, "1"},
		{`structuredClone({f() {}})`, "! DataCloneError: f() {} could not be cloned."},
		{`structuredClone(new Proxy({}, {}))`, "! DataCloneError: #<Object> could not be cloned."},
		{`structuredClone(Promise.resolve())`, "! DataCloneError: #<Promise> could not be cloned."},
		{`structuredClone(new WeakMap)`, "! DataCloneError: #<WeakMap> could not be cloned."},
		{`structuredClone((function*() {})())`, "! DataCloneError: #<Object> could not be cloned."},
		{`structuredClone(new URL("a:b"))`, "! DataCloneError: #<URL> could not be cloned."},
		{`structuredClone(new AbortController)`, "! DataCloneError: #<AbortController> could not be cloned."},
		{`let o = {}; for (let i = 0; i < 1e5; i++) o = {o}; structuredClone(o)`, "! RangeError: The objects to clone are nested deeper than 2000 levels"},
		{`let o = {}; for (let i = 0; i < 1000; i++) o = [o]; structuredClone(o).length`, "1"},
		{`let b = structuredClone(new Blob(["abc"], {type: "text/x"})); b.size + b.type`, "3text/x"},
		{`let f = structuredClone(new File(["abc"], "n", {lastModified: 5})); f.name + f.lastModified + (f instanceof File)`, "n5true"},
	})
}

func TestPerformance(t *testing.T) {
	runScripts(t, []script{
		{`performance.now()`, "0"},
		{`scheduler.wait(1500).then(() => performance.now())`, "1500"},
		{`performance.timeOrigin`, "1700000000000"},
		{`performance instanceof EventTarget`, "true"},
		{`scheduler.wait(5).then(() => { performance.mark("a"); return scheduler.wait(7) }).then(() => { let m = performance.measure("m", "a"); return [m.name, m.entryType, m.startTime, m.duration, m instanceof PerformanceMeasure].join() })`, "m,measure,5,7,true"},
		{`let m = performance.mark("x", {startTime: 3, detail: {a: 1}}); [m.startTime, m.detail.a, m.duration, m instanceof PerformanceEntry].join()`, "3,1,0,true"},
		{`performance.measure("m", {start: 1, duration: 5}).duration`, "5"},
		{`performance.measure("m", "none")`, "! SyntaxError: The mark 'none' does not exist."},
		{`performance.measure("m", {})`, "! TypeError: The measure's options have neither start nor end"},
		{`performance.mark("b", {startTime: 2}); performance.mark("a", {startTime: 1}); performance.getEntries().map(e => e.name).join()`, "a,b"},
		{`performance.mark("a"); performance.mark("b"); performance.clearMarks("a"); performance.getEntriesByType("mark").length + performance.getEntriesByName("b").length`, "2"},
		{`for (let i = 0; i < 1500; i++) performance.mark("m" + i); performance.getEntries().length`, "1000"},
		{`JSON.stringify(performance.mark("a", {startTime: 1}))`, `{"name":"a","entryType":"mark","startTime":1,"duration":0,"detail":null}`},
		{`performance.mark("a", {startTime: NaN})`, "! TypeError: startTime is not a finite number"},
		{`performance.now.call({})`, "! TypeError: Illegal invocation: function called with incorrect `this` reference."},
	})
}

func TestCloneTime(t *testing.T) {
	r := newTestRealm(t)
	start := time.Now()
	eval(t, r, `let a = []; for (let i = 0; i < 100000; i++) a.push({i, s: "x"}); structuredClone(a).length`)
	if d := time.Since(start); d > time.Minute { // on a busy machine; what grows with the square takes hours
		t.Errorf("100,000 objects took %v", d)
	}
}
