// structuredClone: HTML, 2.7, "Safe passing of structured data".
import { is, ok, same, test, throws } from "../harness.js"

const copy = (v) => structuredClone(v)

for (const v of [undefined, null, true, false, 0, -0, 1.5, NaN, Infinity, "", "text", "\ud800", 10n, -5n]) {
	test("primitive " + typeof v + " " + (Object.is(v, -0) ? "-0" : typeof v === "string" ? JSON.stringify(v) : String(v)), () => { is(copy(v), v) })
}
test("a symbol throws", () => { throws(() => copy(Symbol("x")), "DataCloneError") })
test("a function throws", () => { throws(() => copy(() => {}), "DataCloneError") })
test("a function in an object throws", () => { throws(() => copy({ a: { f() {} } }), "DataCloneError") })
test("the error is a DOMException", () => {
	const e = throws(() => copy(() => {}))
	ok(e instanceof DOMException)
	is(e.code, 25)
})
test("boxed primitives stay boxed", () => {
	for (const v of [new Boolean(false), new Number(-0), new String("x"), Object(5n)]) {
		const c = copy(v)
		is(typeof c, "object")
		is(Object.getPrototypeOf(c), Object.getPrototypeOf(v))
		ok(Object.is(c.valueOf(), v.valueOf()))
		ok(c !== v)
	}
})
test("a boxed symbol throws", () => { throws(() => copy(Object(Symbol())), "DataCloneError") })
test("a Date", () => {
	const d = new Date(86400000), c = copy(d)
	ok(c instanceof Date && c !== d)
	is(c.getTime(), 86400000)
	is(copy(new Date(NaN)).getTime(), NaN)
})
test("a RegExp without its lastIndex", () => {
	const r = /a(b)/gi
	r.lastIndex = 3
	const c = copy(r)
	same([c.source, c.flags, c.lastIndex, c instanceof RegExp], ["a(b)", "gi", 0, true])
})
test("an object's own enumerable string keys", () => {
	class P { constructor() { this.a = 1 } get b() { return 2 } }
	const o = new P()
	Object.defineProperty(o, "hidden", { value: 3 })
	o[Symbol("s")] = 4
	const c = copy(o)
	same(Object.getOwnPropertyNames(c), ["a"])
	same(Object.getOwnPropertySymbols(c), [])
	is(Object.getPrototypeOf(c), Object.prototype)
})
test("an accessor becomes its value", () => {
	const c = copy({ get a() { return 7 } })
	same(Object.getOwnPropertyDescriptor(c, "a"), { value: 7, writable: true, enumerable: true, configurable: true })
})
test("an accessor that throws throws", () => {
	const why = new Error("why")
	is(throws(() => copy({ get a() { throw why } })), why)
})
test("frozen objects thaw", () => { is(Object.isFrozen(copy(Object.freeze({ a: 1 }))), false) })
test("the order of keys", () => { same(Object.keys(copy({ b: 1, 2: 1, a: 1, 1: 1 })), ["1", "2", "b", "a"]) })
test("__proto__ as a key is data", () => {
	const c = copy(JSON.parse('{"__proto__": {"x": 1}}'))
	ok(Object.hasOwn(c, "__proto__"))
	is(Object.getPrototypeOf(c), Object.prototype)
})
test("an array with holes and properties", () => {
	const a = [1, , 3]
	a.extra = "x"
	const c = copy(a)
	ok(Array.isArray(c))
	same([c.length, 1 in c, c[2], c.extra], [3, false, 3, "x"])
})
test("an array's length without elements", () => { is(copy(new Array(5)).length, 5) })
test("a Map", () => {
	const k = { k: 1 }, m = new Map([[k, k], ["a", new Map()]]), c = copy(m)
	is(c.size, 2)
	const [[ck, cv]] = c
	is(ck, cv)
	ok(ck !== k)
	ok(c.get("a") instanceof Map)
})
test("a Set", () => {
	const c = copy(new Set([1, "a", { b: 2 }]))
	ok(c instanceof Set)
	same([...c], [1, "a", { b: 2 }])
})
test("a Map is copied as it was at first", () => {
	const m = new Map([["a", { get x() { m.set("late", 1); return 1 } }]])
	is(copy(m).size, 1)
})
test("errors keep name, message, stack and cause", () => {
	for (const E of [Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError]) {
		const c = copy(new E("m", { cause: { a: 1 } }))
		ok(c instanceof E)
		is(Object.getPrototypeOf(c), E.prototype)
		is(c.message, "m")
		is(typeof c.stack, "string")
	}
})
test("an error of another name becomes an Error", () => {
	const e = new Error("m")
	e.name = "Mine"
	const c = copy(e)
	is(Object.getPrototypeOf(c), Error.prototype)
})
test("an error's further properties are left behind", () => {
	const e = new Error("m")
	e.code = 5
	is(copy(e).code, undefined)
})
test("a cycle", () => {
	const o = { a: [] }
	o.a.push(o)
	const c = copy(o)
	is(c.a[0], c)
	ok(c !== o)
})
test("what is there twice is one in the copy", () => {
	const x = {}, c = copy([x, x])
	is(c[0], c[1])
})
test("an ArrayBuffer", () => {
	const b = new Uint8Array([1, 2, 3]).buffer, c = copy(b)
	ok(c instanceof ArrayBuffer && c !== b)
	same([...new Uint8Array(c)], [1, 2, 3])
})
for (const T of [Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array, Float32Array, Float64Array, BigInt64Array, BigUint64Array]) {
	test("a " + T.name, () => {
		const v = T.name.startsWith("Big") ? new T([1n, 2n]) : new T([1, 2]), c = copy(v)
		ok(c instanceof T && c !== v && c.buffer !== v.buffer)
		is(c.length, 2)
		is(c[1], v[1])
	})
}
test("views of one buffer share one in the copy", () => {
	const b = new ArrayBuffer(8), [x, y] = copy([new Uint8Array(b, 2, 3), new DataView(b, 4)])
	is(x.buffer, y.buffer)
	same([x.byteOffset, x.length, y.byteOffset, y.byteLength, x.buffer.byteLength], [2, 3, 4, 4, 8])
	x[2] = 9
	is(y.getUint8(0), 9)
})
test("transfer moves a buffer", () => {
	const b = new Uint8Array([1, 2]).buffer, c = structuredClone({ b }, { transfer: [b] })
	is(b.byteLength, 0)
	same([...new Uint8Array(c.b)], [1, 2])
})
test("transfer of what is not in the value still moves it", () => {
	const b = new ArrayBuffer(2)
	structuredClone(null, { transfer: [b] })
	is(b.byteLength, 0)
})
test("a view over a transferred buffer", () => {
	const v = new Uint8Array([1, 2, 3]), c = structuredClone(v, { transfer: [v.buffer] })
	is(v.length, 0)
	same([...c], [1, 2, 3])
})
test("transfer of one buffer twice throws", () => {
	const b = new ArrayBuffer(1)
	throws(() => structuredClone(b, { transfer: [b, b] }), "DataCloneError")
	is(b.byteLength, 1)
})
test("transfer of a detached buffer throws", () => {
	const b = new ArrayBuffer(1)
	structuredClone(b, { transfer: [b] })
	throws(() => structuredClone(null, { transfer: [b] }), "DataCloneError")
})
test("transfer of what cannot be moved throws", () => {
	throws(() => structuredClone(null, { transfer: [{}] }), "DataCloneError")
	throws(() => structuredClone(null, { transfer: [5] }), TypeError)
	throws(() => structuredClone(null, { transfer: 5 }), TypeError)
})
test("a clone of a detached buffer throws", () => {
	const b = new ArrayBuffer(1)
	structuredClone(b, { transfer: [b] })
	throws(() => copy(b), "DataCloneError")
})
for (const [name, make] of [["WeakMap", () => new WeakMap()], ["WeakSet", () => new WeakSet()], ["Promise", () => Promise.resolve()], ["URL", () => new URL("http://a/")], ["AbortSignal", () => AbortSignal.abort()], ["Event", () => new Event("x")]]) {
	test("a " + name + " throws", () => { throws(() => copy(make()), "DataCloneError") })
}
test("a Proxy of an object throws", () => { throws(() => copy(new Proxy({}, {})), "DataCloneError") })
test("it needs an argument", () => { throws(() => structuredClone(), TypeError) })
test("the options may be null or undefined", () => {
	is(structuredClone(1, null), 1)
	is(structuredClone(1, undefined), 1)
	is(structuredClone(1, {}), 1)
})
test("a deep value", () => {
	let o = {}
	for (let i = 0; i < 200; i++) o = { o }
	let c = copy(o), n = 0
	for (; c.o; c = c.o) n++
	is(n, 200)
})
test("arguments become a plain object", () => {
	const c = (function () { return copy(arguments) })(1, 2)
	is(Array.isArray(c), false)
	same(Object.keys(c), ["0", "1"])
})
