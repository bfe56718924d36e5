// Event and EventTarget: DOM, 2.2 to 2.9.
import { is, ok, same, test, throws } from "../harness.js"

test("the constructor takes a type and flags", () => {
	const e = new Event("x", { bubbles: 1, cancelable: "yes", composed: true })
	same([e.type, e.bubbles, e.cancelable, e.composed], ["x", true, true, true])
})
test("the flags are false by default", () => {
	const e = new Event("x")
	same([e.bubbles, e.cancelable, e.composed, e.defaultPrevented, e.isTrusted], [false, false, false, false, false])
})
test("the type is converted to a string", () => {
	is(new Event(null).type, "null")
	is(new Event({ toString: () => "t" }).type, "t")
	is(new Event("").type, "")
})
test("the constructor needs a type", () => { throws(() => new Event(), TypeError) })
test("the constructor needs new", () => { throws(() => Event("x"), TypeError) })
test("the options may be null, not a number", () => {
	new Event("x", null)
	new Event("x", undefined)
	throws(() => new Event("x", 7), TypeError)
})
test("a new event is nowhere", () => {
	const e = new Event("x")
	is(e.target, null)
	is(e.currentTarget, null)
	is(e.eventPhase, Event.NONE)
	same(e.composedPath(), [])
})
test("phases have numbers", () => {
	same([Event.NONE, Event.CAPTURING_PHASE, Event.AT_TARGET, Event.BUBBLING_PHASE], [0, 1, 2, 3])
})
test("timeStamp is a number", () => { is(typeof new Event("x").timeStamp, "number") })
test("a listener gets the event at its target", () => {
	const t = new EventTarget(), e = new Event("x")
	let seen
	t.addEventListener("x", (got) => { seen = [got === e, got.target === t, got.currentTarget === t, got.eventPhase, got.composedPath().length] })
	is(t.dispatchEvent(e), true)
	same(seen, [true, true, true, 2, 1])
	is(e.currentTarget, null)
	is(e.eventPhase, 0)
	is(e.target, t)
})
test("a listener's this is the target", () => {
	const t = new EventTarget()
	let self
	t.addEventListener("x", function () { self = this })
	t.dispatchEvent(new Event("x"))
	is(self, t)
})
test("an object's handleEvent is looked up for each event", () => {
	const t = new EventTarget(), log = []
	const o = { handleEvent() { log.push(this === o) } }
	t.addEventListener("x", o)
	t.dispatchEvent(new Event("x"))
	o.handleEvent = () => log.push("new")
	t.dispatchEvent(new Event("x"))
	same(log, [true, "new"])
})
test("listeners run in the order in which they were added", () => {
	const t = new EventTarget(), log = []
	for (const n of [1, 2, 3]) t.addEventListener("x", () => log.push(n))
	t.dispatchEvent(new Event("x"))
	same(log, [1, 2, 3])
})
test("a listener is added once for each value of capture", () => {
	const t = new EventTarget()
	let n = 0
	const f = () => n++
	t.addEventListener("x", f)
	t.addEventListener("x", f, { once: true })
	t.addEventListener("x", f, true)
	t.dispatchEvent(new Event("x"))
	is(n, 2)
})
test("removeEventListener looks at capture alone", () => {
	const t = new EventTarget()
	let n = 0
	const f = () => n++
	t.addEventListener("x", f, { capture: true, passive: true })
	t.removeEventListener("x", f)
	t.dispatchEvent(new Event("x"))
	t.removeEventListener("x", f, { capture: true })
	t.dispatchEvent(new Event("x"))
	is(n, 1)
})
test("a null callback is ignored", () => {
	const t = new EventTarget()
	is(t.addEventListener("x", null), undefined)
	is(t.removeEventListener("x", null), undefined)
	is(t.dispatchEvent(new Event("x")), true)
})
test("a listener that is removed meanwhile does not run", () => {
	const t = new EventTarget()
	let ran = false
	const f = () => { ran = true }
	t.addEventListener("x", () => t.removeEventListener("x", f))
	t.addEventListener("x", f)
	t.dispatchEvent(new Event("x"))
	is(ran, false)
})
test("a listener that is added meanwhile runs for the next event", () => {
	const t = new EventTarget()
	let n = 0
	t.addEventListener("x", () => t.addEventListener("x", () => n++), { once: true })
	t.dispatchEvent(new Event("x"))
	is(n, 0)
	t.dispatchEvent(new Event("x"))
	is(n, 1)
})
test("once removes before it calls", () => {
	const t = new EventTarget()
	let n = 0
	t.addEventListener("x", () => { n++; t.dispatchEvent(new Event("x")) }, { once: true })
	t.dispatchEvent(new Event("x"))
	is(n, 1)
})
test("a signal removes a listener", () => {
	const t = new EventTarget(), c = new AbortController()
	let n = 0
	t.addEventListener("x", () => n++, { signal: c.signal })
	t.dispatchEvent(new Event("x"))
	c.abort()
	t.dispatchEvent(new Event("x"))
	is(n, 1)
})
test("a signal that is aborted adds nothing", () => {
	const t = new EventTarget()
	let n = 0
	t.addEventListener("x", () => n++, { signal: AbortSignal.abort() })
	t.dispatchEvent(new Event("x"))
	is(n, 0)
})
test("a listener may abort its own signal", () => {
	const t = new EventTarget(), c = new AbortController()
	let n = 0
	t.addEventListener("x", () => { c.abort(); n++ }, { signal: c.signal })
	t.addEventListener("x", () => n++, { signal: c.signal })
	t.dispatchEvent(new Event("x"))
	is(n, 1)
})
test("a null signal throws", () => { throws(() => new EventTarget().addEventListener("x", () => {}, { signal: null }), TypeError) })
test("stopImmediatePropagation keeps the others from running", () => {
	const t = new EventTarget(), log = []
	t.addEventListener("x", (e) => { log.push(1); e.stopImmediatePropagation() })
	t.addEventListener("x", () => log.push(2))
	t.dispatchEvent(new Event("x"))
	same(log, [1])
})
test("stopPropagation does not", () => {
	const t = new EventTarget(), log = []
	t.addEventListener("x", (e) => { log.push(1); e.stopPropagation() })
	t.addEventListener("x", () => log.push(2))
	t.dispatchEvent(new Event("x"))
	same(log, [1, 2])
})
test("an event that was stopped before runs nothing", () => {
	const t = new EventTarget(), e = new Event("x")
	let n = 0
	t.addEventListener("x", () => n++)
	e.stopPropagation()
	t.dispatchEvent(e)
	is(n, 0)
	t.dispatchEvent(e)
	is(n, 1)
})
test("cancelBubble stops propagation and cannot take it back", () => {
	const e = new Event("x")
	is(e.cancelBubble, false)
	e.cancelBubble = true
	e.cancelBubble = false
	is(e.cancelBubble, true)
})
test("preventDefault works on cancelable events", () => {
	const t = new EventTarget()
	t.addEventListener("x", (e) => e.preventDefault())
	is(t.dispatchEvent(new Event("x", { cancelable: true })), false)
	is(t.dispatchEvent(new Event("x")), true)
})
test("a passive listener cannot prevent", () => {
	const t = new EventTarget()
	t.addEventListener("x", (e) => e.preventDefault(), { passive: true })
	is(t.dispatchEvent(new Event("x", { cancelable: true })), true)
})
test("returnValue is the other side of defaultPrevented", () => {
	const e = new Event("x", { cancelable: true })
	is(e.returnValue, true)
	e.returnValue = true
	is(e.defaultPrevented, false)
	e.returnValue = false
	is(e.defaultPrevented, true)
})
test("an event cannot be dispatched while it is", () => {
	const t = new EventTarget(), e = new Event("x")
	let got
	t.addEventListener("x", () => { got = throws(() => t.dispatchEvent(e), "InvalidStateError") })
	t.dispatchEvent(e)
	ok(got)
})
test("an event can be dispatched again", () => {
	const t = new EventTarget(), e = new Event("x")
	let n = 0
	t.addEventListener("x", () => n++)
	t.dispatchEvent(e)
	t.dispatchEvent(e)
	is(n, 2)
})
test("dispatchEvent takes events alone", () => {
	throws(() => new EventTarget().dispatchEvent(null), TypeError)
	throws(() => new EventTarget().dispatchEvent({ type: "x" }), TypeError)
	throws(() => new EventTarget().dispatchEvent(), TypeError)
})
test("srcElement is the target", () => {
	const t = new EventTarget(), e = new Event("x")
	t.dispatchEvent(e)
	is(e.srcElement, t)
})
test("EventTarget can be extended", () => {
	class Mine extends EventTarget { constructor() { super(); this.n = 0 } go() { this.dispatchEvent(new Event("go")) } }
	const m = new Mine()
	m.addEventListener("go", () => m.n++)
	m.go()
	is(m.n, 1)
	ok(m instanceof EventTarget)
})
test("Event can be extended", () => {
	class Mine extends Event { constructor(v) { super("mine", { cancelable: true }); this.v = v } }
	const t = new EventTarget()
	let got
	t.addEventListener("mine", (e) => { got = e.v })
	t.dispatchEvent(new Mine(5))
	is(got, 5)
})
test("methods check what they are called on", () => {
	throws(() => EventTarget.prototype.addEventListener.call({}, "x", () => {}), TypeError)
	throws(() => Object.getOwnPropertyDescriptor(Event.prototype, "type").get.call({}), TypeError)
})
test("CustomEvent carries a detail", () => {
	const o = {}, e = new CustomEvent("x", { detail: o, bubbles: true })
	is(e.detail, o)
	is(e.bubbles, true)
	is(new CustomEvent("x").detail, null)
	ok(e instanceof Event)
})
test("classes name themselves", () => {
	is(Object.prototype.toString.call(new Event("x")), "[object Event]")
	is(Object.prototype.toString.call(new CustomEvent("x")), "[object CustomEvent]")
	is(Object.prototype.toString.call(new EventTarget()), "[object EventTarget]")
})
