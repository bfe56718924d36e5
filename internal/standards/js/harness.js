// A small harness for the tests in this folder, which run in samkit and in workerd. A
// file of tests imports it and calls test; worker answers with what came of them.

const tests = []

/** Adds a test. It passes if fn, or the promise that it returns, does not throw. */
export function test(name, fn) { tests.push({ name, fn }) }

class Failed extends Error {}

/** Shows a value in a message. */
function show(v) {
	if (typeof v === "string") return JSON.stringify(v)
	if (typeof v === "bigint") return v + "n"
	if (Object.is(v, -0)) return "-0"
	if (typeof v === "function") return "function " + v.name
	if (v instanceof Error) return v.name + ": " + v.message
	if (v && typeof v === "object") {
		if (ArrayBuffer.isView(v)) return v.constructor.name + "[" + Array.from(new Uint8Array(v.buffer, v.byteOffset, v.byteLength)) + "]"
		if (v instanceof ArrayBuffer) return "ArrayBuffer[" + Array.from(new Uint8Array(v)) + "]"
		try { return (Array.isArray(v) ? "" : Object.prototype.toString.call(v).slice(8, -1) + " ") + JSON.stringify(v) } catch { return String(v) }
	}
	return String(v)
}

const about = (message) => (message ? message + ": " : "")

/** Fails unless a value is true or the like. */
export function ok(v, message) { if (!v) throw new Failed(about(message) + "got " + show(v)) }

/** Fails unless two values are the same by Object.is. */
export function is(got, want, message) { if (!Object.is(got, want)) throw new Failed(about(message) + "got " + show(got) + ", want " + show(want)) }

/** Fails unless two values have the same members, to any depth. */
export function same(got, want, message) { if (!alike(got, want)) throw new Failed(about(message) + "got " + show(got) + ", want " + show(want)) }

function alike(a, b) {
	if (Object.is(a, b)) return true
	if (typeof a !== "object" || typeof b !== "object" || !a || !b) return false
	if (Object.prototype.toString.call(a) !== Object.prototype.toString.call(b)) return false
	if (a instanceof ArrayBuffer) return alike(new Uint8Array(a), new Uint8Array(b))
	if (a instanceof Date) return Object.is(a.getTime(), b.getTime())
	if (a instanceof Map || a instanceof Set) return alike([...a], [...b])
	if (a instanceof RegExp || a instanceof Error) return String(a) === String(b)
	const keys = Object.keys(a)
	return keys.length === Object.keys(b).length && keys.every((k) => Object.hasOwn(b, k) && alike(a[k], b[k]))
}

function matches(e, want) {
	if (want === undefined) return true
	if (typeof want === "string") return e?.name === want
	if (typeof want === "function") return e instanceof want
	return e === want
}

const called = (want) => (typeof want === "function" ? want.name : show(want))

/** Fails unless fn throws: any error, one of a class, of a name, or that value. It returns the error. */
export function throws(fn, want, message) {
	let v
	try { v = fn() } catch (e) {
		if (matches(e, want)) return e
		throw new Failed(about(message) + "it threw " + show(e) + ", want " + called(want))
	}
	throw new Failed(about(message) + "it returned " + show(v) + ", want " + called(want) + " thrown")
}

/** Fails unless a promise is rejected, as throws. */
export async function rejects(promise, want, message) {
	let v
	try { v = await promise } catch (e) {
		if (matches(e, want)) return e
		throw new Failed(about(message) + "it was rejected with " + show(e) + ", want " + called(want))
	}
	throw new Failed(about(message) + "it was fulfilled with " + show(v) + ", want " + called(want))
}

/** Waits for some milliseconds. */
export const wait = (ms) => new Promise((f) => setTimeout(f, ms))

/** Lets all promise jobs run that are due. */
export const settle = () => wait(0)

async function run({ name, fn }, env, patience) {
	let late
	try {
		await Promise.race([fn(env), new Promise((_, no) => { late = setTimeout(() => no(new Failed("it did not end within " + patience + " ms")), patience) })])
		return { name, ok: true }
	} catch (e) {
		return { name, ok: false, error: e instanceof Failed ? e.message : show(e) }
	} finally {
		clearTimeout(late)
	}
}

/** Answers with [{name, ok, error}]. A test has patience milliseconds to end: /?patience=500. */
export const worker = {
	async fetch(request, env) {
		const patience = Number(new URL(request.url).searchParams.get("patience") ?? 5000)
		const results = []
		for (const t of tests) results.push(await run(t, env, patience))
		return Response.json(results)
	},
}
