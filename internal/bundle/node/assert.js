// https://nodejs.org/api/assert.html
const { inspect } = globalThis.__samkit_node
class AssertionError extends Error {
	constructor({ message, actual, expected, operator }, otherwise) {
		super(message ?? otherwise ?? `${inspect(actual)} ${operator} ${inspect(expected)}`)
		Object.defineProperty(this, "name", { value: "AssertionError", writable: true, configurable: true })
		Object.assign(this, { generatedMessage: message === undefined, code: "ERR_ASSERTION", actual, expected, operator })
	}
}
const fail = (message, actual, expected, operator, otherwise) => {
	if (message instanceof Error) throw message
	throw new AssertionError({ message, actual, expected, operator }, otherwise)
}
const own = o => Reflect.ownKeys(o).filter(k => Object.prototype.propertyIsEnumerable.call(o, k))
const equal = (a, b, strict, seen = new Map()) => {
	if (strict ? Object.is(a, b) : a == b || a !== a && b !== b) return true
	if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false
	if (strict && Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false
	if (Object.prototype.toString.call(a) !== Object.prototype.toString.call(b) || Array.isArray(a) !== Array.isArray(b)) return false
	if (seen.get(a) === b) return true
	seen.set(a, b)
	if (a instanceof Date && a.getTime() !== b.getTime()) return false
	if (a instanceof RegExp && String(a) !== String(b)) return false
	if (a instanceof Error && (a.message !== b.message || a.name !== b.name)) return false
	if (a instanceof Number || a instanceof String || a instanceof Boolean) { if (!Object.is(a.valueOf(), b.valueOf())) return false }
	if (ArrayBuffer.isView(a)) return a.byteLength === b.byteLength && (a.length === undefined || Array.prototype.every.call(a, (v, i) => strict ? Object.is(v, b[i]) : v == b[i]))
	if (a instanceof Map) {
		if (a.size !== b.size) return false
		for (const [k, v] of a) {
			if (b.has(k) ? !equal(v, b.get(k), strict, seen) : ![...b].some(([l, w]) => equal(k, l, strict, seen) && equal(v, w, strict, seen))) return false
		}
	}
	if (a instanceof Set) {
		if (a.size !== b.size) return false
		for (const v of a) if (!b.has(v) && ![...b].some(w => equal(v, w, strict, seen))) return false
	}
	const keys = own(a)
	return keys.length === own(b).length && keys.every(k => Object.prototype.propertyIsEnumerable.call(b, k) && equal(a[k], b[k], strict, seen))
}
const expected = (e, want, message) => {
	if (want === undefined || typeof want === "string") return
	if (want instanceof RegExp) { if (!want.test(String(e))) fail(message, e, want, "throws", `The input did not match the regular expression ${want}. Input: ${inspect(String(e))}`); return }
	if (typeof want === "function") {
		if (want.prototype !== undefined && e instanceof want) return
		if (Error.isPrototypeOf(want) || want === Error) throw e
		if (want.call({}, e) !== true) fail(message, e, want, "throws", "The validation function is expected to return \"true\"")
		return
	}
	for (const k of Object.keys(want)) if (want[k] instanceof RegExp && typeof e[k] === "string" ? !want[k].test(e[k]) : !equal(e[k], want[k], true)) fail(message, e, want, "throws")
}
const assert = (v, message) => { if (!v) fail(message, v, true, "==", "The expression evaluated to a falsy value") }
const thrown = fn => { try { fn() } catch (e) { return { e } } }
const settled = async p => { try { await (typeof p === "function" ? p() : p) } catch (e) { return { e } } }
const lacks = (message, want, otherwise = "Missing expected exception.") => fail(message ?? (typeof want === "string" ? want : undefined), undefined, want, "throws", otherwise)
const spare = (got, message) => fail(message, got.e, undefined, "doesNotThrow", `Got unwanted exception.\nActual message: "${got.e?.message}"`)
const both = strict => ({
	ok: assert, AssertionError, __equal: equal,
	equal(a, b, m) { if (!(strict ? Object.is(a, b) : a == b || a !== a && b !== b)) fail(m, a, b, strict ? "strictEqual" : "==") },
	notEqual(a, b, m) { if (strict ? Object.is(a, b) : a == b) fail(m, a, b, strict ? "notStrictEqual" : "!=") },
	strictEqual(a, b, m) { if (!Object.is(a, b)) fail(m, a, b, "strictEqual", `Expected values to be strictly equal:\n\n${inspect(a)} !== ${inspect(b)}\n`) },
	notStrictEqual(a, b, m) { if (Object.is(a, b)) fail(m, a, b, "notStrictEqual") },
	deepEqual(a, b, m) { if (!equal(a, b, strict)) fail(m, a, b, strict ? "deepStrictEqual" : "deepEqual") },
	notDeepEqual(a, b, m) { if (equal(a, b, strict)) fail(m, a, b, "notDeepEqual") },
	deepStrictEqual(a, b, m) { if (!equal(a, b, true)) fail(m, a, b, "deepStrictEqual", `Expected values to be strictly deep-equal:\n${inspect(a)}\n\n${inspect(b)}`) },
	notDeepStrictEqual(a, b, m) { if (equal(a, b, true)) fail(m, a, b, "notDeepStrictEqual") },
	fail(m) { fail(m, undefined, undefined, "fail", "Failed") },
	ifError(v) { if (v !== null && v !== undefined) throw v instanceof Error ? v : new AssertionError({ message: `ifError got unwanted exception: ${inspect(v)}`, actual: v, expected: null, operator: "ifError" }) },
	match(s, re, m) { if (!re.test(s)) fail(m, s, re, "match", `The input did not match the regular expression ${re}. Input:\n\n${inspect(s)}\n`) },
	doesNotMatch(s, re, m) { if (re.test(s)) fail(m, s, re, "doesNotMatch") },
	throws(fn, want, m) { const got = thrown(fn); if (!got) lacks(m, want); expected(got.e, want, m) },
	doesNotThrow(fn, _, m) { const got = thrown(fn); if (got) spare(got, m) },
	async rejects(p, want, m) { const got = await settled(p); if (!got) lacks(m, want, "Missing expected rejection."); expected(got.e, want, m) },
	async doesNotReject(p, _, m) { const got = await settled(p); if (got) spare(got, m) },
})
Object.assign(assert, both(false))
assert.strict = Object.assign((v, m) => assert(v, m), both(true))
assert.strict.strict = assert.strict
module.exports = assert
