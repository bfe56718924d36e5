// Timers, microtasks and scheduling: HTML, "Timers" and "Microtask queuing".
import { is, ok, same, test, throws, wait } from "../harness.js"

test("setTimeout passes its further arguments", async () => {
	same(await new Promise((f) => setTimeout((...a) => f(a), 0, 1, "b", null)), [1, "b", null])
})
test("setTimeout without a delay runs later", async () => {
	let ran = false
	setTimeout(() => { ran = true })
	is(ran, false)
	await wait(1)
	is(ran, true)
})
test("timers of equal delay run in order", async () => {
	const log = []
	for (let i = 0; i < 5; i++) setTimeout(() => log.push(i), 2)
	await wait(10)
	same(log, [0, 1, 2, 3, 4])
})
test("timers run by their delay", async () => {
	const log = []
	setTimeout(() => log.push("b"), 12)
	setTimeout(() => log.push("a"), 1)
	await wait(30)
	same(log, ["a", "b"])
})
for (const delay of [-1, NaN, "x", undefined, null, -Infinity]) test("a delay of " + delay + " is none", async () => {
	let ran = false
	setTimeout(() => { ran = true }, delay)
	await wait(5)
	is(ran, true)
})
test("a delay is converted to a number", async () => {
	let ran = false
	setTimeout(() => { ran = true }, { valueOf: () => 1 })
	await wait(10)
	is(ran, true)
})
test("a microtask runs before a timer", async () => {
	const log = []
	setTimeout(() => log.push("timer"), 0)
	queueMicrotask(() => log.push("micro"))
	Promise.resolve().then(() => log.push("promise"))
	log.push("now")
	await wait(2)
	same(log, ["now", "micro", "promise", "timer"])
})
test("microtasks of a timer run before the next timer", async () => {
	const log = []
	setTimeout(() => { log.push(1); queueMicrotask(() => log.push("1 micro")) }, 0)
	setTimeout(() => log.push(2), 0)
	await wait(5)
	same(log, [1, "1 micro", 2])
})
test("clearTimeout stops a timer", async () => {
	let ran = false
	clearTimeout(setTimeout(() => { ran = true }, 0))
	await wait(5)
	is(ran, false)
})
test("a timer may clear another that is due", async () => {
	let ran = false, other
	setTimeout(() => clearTimeout(other), 0)
	other = setTimeout(() => { ran = true }, 0)
	await wait(5)
	is(ran, false)
})
test("clearing what is no timer does nothing", () => {
	clearTimeout()
	clearTimeout(undefined)
	clearTimeout(12345678)
	clearInterval(-1)
})
test("setInterval repeats until it is cleared", async () => {
	let n = 0
	await new Promise((f) => { const id = setInterval((step) => { n += step; if (n === 6) { clearInterval(id); f() } }, 1, 2) })
	await wait(10)
	is(n, 6)
})
test("clearTimeout and clearInterval are one", async () => {
	let ran = false
	clearInterval(setTimeout(() => { ran = true }, 0))
	const id = setInterval(() => { ran = true }, 1)
	clearTimeout(id)
	await wait(10)
	is(ran, false)
})
test("ids differ and are positive", () => {
	const a = setTimeout(() => {}, 0), b = setTimeout(() => {}, 0)
	ok(Number(a) > 0 && Number(b) > 0 && a !== b)
})
test("setTimeout has a length of 1", () => { is(setTimeout.length, 1) })
test("queueMicrotask takes functions alone", () => {
	throws(() => queueMicrotask(), TypeError)
	throws(() => queueMicrotask(null), TypeError)
	throws(() => queueMicrotask({}), TypeError)
})
test("queueMicrotask passes no argument", async () => {
	same(await new Promise((f) => queueMicrotask((...a) => f(a))), [])
})
test("a timer that is set by a timer runs", async () => {
	let depth = 0
	await new Promise((f) => { const go = () => (++depth === 10 ? f() : setTimeout(go, 0)); go() })
	is(depth, 10)
})
test("scheduler.wait waits", async () => {
	const log = []
	setTimeout(() => log.push("timer"), 1)
	await scheduler.wait(20)
	same(log, ["timer"])
	is(await scheduler.wait(0), undefined)
})
test("scheduler.wait ends with a signal", async () => {
	const c = new AbortController()
	const p = scheduler.wait(10_000, { signal: c.signal })
	c.abort(new Error("enough"))
	let got
	try { await p } catch (e) { got = e }
	ok(got instanceof Error)
})
