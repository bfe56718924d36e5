// AbortController and AbortSignal: DOM, 3.1 to 3.3.
import { is, ok, same, settle, test, throws, wait } from "../harness.js"

test("a new signal is not aborted", () => {
	const { signal } = new AbortController()
	same([signal.aborted, signal.reason, signal.onabort], [false, undefined, null])
	ok(signal instanceof EventTarget)
})
test("a controller has one signal", () => {
	const c = new AbortController()
	is(c.signal, c.signal)
})
test("abort sets the reason and fires an event", () => {
	const c = new AbortController(), log = []
	c.signal.addEventListener("abort", (e) => log.push([e.type, e.isTrusted, e.target === c.signal, e.bubbles, e.cancelable]))
	is(c.abort(), undefined)
	same(log, [["abort", true, true, false, false]])
	is(c.signal.aborted, true)
	is(c.signal.reason.name, "AbortError")
	ok(c.signal.reason instanceof DOMException)
	is(c.signal.reason.code, 20)
})
test("any value can be the reason", () => {
	for (const v of ["why", null, 0, false, { a: 1 }]) {
		const c = new AbortController()
		c.abort(v)
		is(c.signal.reason, v)
	}
})
test("undefined as the reason makes an AbortError", () => {
	const c = new AbortController()
	c.abort(undefined)
	is(c.signal.reason.name, "AbortError")
})
test("abort works once", () => {
	const c = new AbortController()
	let n = 0
	c.signal.onabort = () => n++
	c.abort(1)
	c.abort(2)
	is(c.signal.reason, 1)
	is(n, 1)
})
test("onabort runs in its place", () => {
	const c = new AbortController(), log = []
	c.signal.addEventListener("abort", () => log.push("first"))
	c.signal.onabort = () => log.push("attribute")
	c.signal.addEventListener("abort", () => log.push("last"))
	c.abort()
	same(log, ["first", "attribute", "last"])
})
test("onabort can be taken away", () => {
	const c = new AbortController()
	let n = 0
	c.signal.onabort = () => n++
	c.signal.onabort = null
	c.abort()
	is(n, 0)
})
test("the event sees the signal aborted", () => {
	const c = new AbortController()
	let seen
	c.signal.onabort = () => { seen = c.signal.aborted }
	c.abort()
	is(seen, true)
})
test("throwIfAborted throws the reason", () => {
	const c = new AbortController()
	is(c.signal.throwIfAborted(), undefined)
	const why = new Error("why")
	c.abort(why)
	is(throws(() => c.signal.throwIfAborted()), why)
})
test("AbortSignal cannot be constructed", () => { throws(() => new AbortSignal(), TypeError) })
test("AbortSignal.abort makes an aborted signal", () => {
	is(AbortSignal.abort().reason.name, "AbortError")
	is(AbortSignal.abort(5).reason, 5)
	is(AbortSignal.abort().aborted, true)
})
test("AbortSignal.timeout aborts with a TimeoutError", async () => {
	const s = AbortSignal.timeout(5)
	is(s.aborted, false)
	await new Promise((f) => s.addEventListener("abort", f))
	is(s.reason.name, "TimeoutError")
	is(s.reason.code, 23)
})
test("AbortSignal.timeout of 0 aborts later", async () => {
	const s = AbortSignal.timeout(0)
	is(s.aborted, false)
	await wait(10)
	is(s.aborted, true)
})
test("AbortSignal.timeout takes no negative number", () => {
	throws(() => AbortSignal.timeout(-1), TypeError)
	throws(() => AbortSignal.timeout(NaN), TypeError)
	throws(() => AbortSignal.timeout(), TypeError)
})
test("any follows its sources", () => {
	const a = new AbortController(), b = new AbortController()
	const s = AbortSignal.any([a.signal, b.signal])
	let n = 0
	s.onabort = () => n++
	is(s.aborted, false)
	b.abort("b")
	a.abort("a")
	is(s.reason, "b")
	is(n, 1)
})
test("any of an aborted signal is aborted at once", () => {
	const s = AbortSignal.any([new AbortController().signal, AbortSignal.abort("x"), AbortSignal.abort("y")])
	is(s.aborted, true)
	is(s.reason, "x")
})
test("any of nothing is never aborted", () => { is(AbortSignal.any([]).aborted, false) })
test("any takes an iterable of signals", () => {
	is(AbortSignal.any(new Set([AbortSignal.abort(1)])).reason, 1)
	throws(() => AbortSignal.any([{}]), TypeError)
	throws(() => AbortSignal.any(5), TypeError)
	throws(() => AbortSignal.any(), TypeError)
})
test("any of any follows the sources of sources", () => {
	const c = new AbortController()
	const s = AbortSignal.any([AbortSignal.any([c.signal]), AbortSignal.any([c.signal])])
	c.abort(3)
	is(s.reason, 3)
})
test("dependents are aborted before any event fires", () => {
	const c = new AbortController(), s = AbortSignal.any([c.signal])
	let seen
	c.signal.onabort = () => { seen = s.aborted }
	c.abort()
	is(seen, true)
})
test("events fire on the source first", () => {
	const c = new AbortController(), s = AbortSignal.any([c.signal]), log = []
	s.onabort = () => log.push("dependent")
	c.signal.onabort = () => log.push("source")
	c.abort()
	same(log, ["source", "dependent"])
})
test("any keeps working when nobody holds its sources", async () => {
	const s = AbortSignal.any([AbortSignal.timeout(10)])
	await wait(30)
	is(s.aborted, true)
	is(s.reason.name, "TimeoutError")
})
test("a stream is aborted by a signal", async () => {
	const c = new AbortController(), log = []
	const p = new ReadableStream({ cancel: (r) => log.push(r) }).pipeTo(new WritableStream({ abort: (r) => log.push(r) }), { signal: c.signal })
	await settle()
	c.abort("why")
	is(await p.catch((e) => e), "why")
	same(log, ["why", "why"])
})
test("a listener that throws does not keep others from running", () => {
	const c = new AbortController()
	let n = 0
	c.signal.addEventListener("abort", () => n++)
	c.signal.addEventListener("abort", () => n++)
	c.abort()
	is(n, 2)
})
