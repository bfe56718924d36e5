// EventEmitter, https://nodejs.org/api/events.html
const kCapture = Symbol.for("nodejs.rejection")
function EventEmitter() {
	if (!this._events || this._events === Object.getPrototypeOf(this)._events) { this._events = Object.create(null); this._eventsCount = 0 }
	this._maxListeners = this._maxListeners || undefined
}
const check = fn => {
	if (typeof fn !== "function") throw Object.assign(new TypeError(`The "listener" argument must be of type function. Received ${fn === null ? "null" : typeof fn}`), { code: "ERR_INVALID_ARG_TYPE" })
}
const init = e => { if (!e._events) EventEmitter.call(e) }
const add = (e, type, fn, first) => {
	check(fn)
	init(e)
	if (e._events.newListener) e.emit("newListener", type, fn.listener ?? fn)
	const list = e._events[type]
	if (list) e._events[type] = first ? [fn, ...list] : [...list, fn]
	else { e._events[type] = [fn]; e._eventsCount++ }
	return e
}
const onceOf = (e, type, fn) => {
	check(fn)
	const wrapped = function (...args) { e.removeListener(type, wrapped); return Reflect.apply(fn, e, args) }
	wrapped.listener = fn
	return wrapped
}
Object.assign(EventEmitter.prototype, {
	on(type, fn) { return add(this, type, fn) },
	prependListener(type, fn) { return add(this, type, fn, true) },
	once(type, fn) { return add(this, type, onceOf(this, type, fn)) },
	prependOnceListener(type, fn) { return add(this, type, onceOf(this, type, fn), true) },
	removeListener(type, fn) {
		check(fn)
		init(this)
		const list = this._events[type]
		if (!list) return this
		const i = list.findLastIndex(f => f === fn || f.listener === fn)
		if (i < 0) return this
		if (list.length === 1) { delete this._events[type]; this._eventsCount-- } else this._events[type] = list.toSpliced(i, 1)
		if (this._events.removeListener) this.emit("removeListener", type, fn)
		return this
	},
	removeAllListeners(...types) {
		init(this)
		for (const type of types.length ? types : Reflect.ownKeys(this._events)) {
			for (const fn of [...(this._events[type] ?? [])].reverse()) this.removeListener(type, fn)
		}
		return this
	},
	emit(type, ...args) {
		init(this)
		const list = this._events[type]
		if (!list) {
			if (type !== "error") return false
			if (args[0] instanceof Error) throw args[0]
			throw Object.assign(new Error(`Unhandled error. (${String(args[0])})`), { code: "ERR_UNHANDLED_ERROR", context: args[0] })
		}
		for (const fn of list) Reflect.apply(fn, this, args)
		return true
	},
	listeners(type) { return (this._events?.[type] ?? []).map(f => f.listener ?? f) },
	rawListeners(type) { return [...(this._events?.[type] ?? [])] },
	listenerCount(type) { return this._events?.[type]?.length ?? 0 },
	eventNames() { return this._events ? Reflect.ownKeys(this._events) : [] },
	setMaxListeners(n) { this._maxListeners = n; return this },
	getMaxListeners() { return this._maxListeners ?? EventEmitter.defaultMaxListeners },
})
EventEmitter.prototype.addListener = EventEmitter.prototype.on
EventEmitter.prototype.off = EventEmitter.prototype.removeListener
const target = e => typeof e.addEventListener === "function" && typeof e.on !== "function"
const once = (e, type, { signal } = {}) => new Promise((resolve, reject) => {
	if (signal?.aborted) return reject(signal.reason)
	const done = (...args) => { clean(); resolve(args) }
	const fail = error => { clean(); reject(error) }
	const abort = () => fail(signal.reason)
	const clean = () => {
		if (target(e)) e.removeEventListener(type, done)
		else { e.removeListener(type, done); if (type !== "error") e.removeListener("error", fail) }
		signal?.removeEventListener("abort", abort)
	}
	if (target(e)) e.addEventListener(type, done, { once: true })
	else { e.once(type, done); if (type !== "error") e.once("error", fail) }
	signal?.addEventListener("abort", abort, { once: true })
})
async function* on(e, type, { signal } = {}) {
	const queue = []
	let wake, failure
	const push = (...args) => { queue.push(args); wake?.() }
	const fail = error => { failure = { error }; wake?.() }
	const abort = () => fail(signal.reason)
	if (signal?.aborted) throw signal.reason
	e.on(type, push)
	if (type !== "error") e.on("error", fail)
	signal?.addEventListener("abort", abort, { once: true })
	try {
		for (;;) {
			while (queue.length) yield queue.shift()
			if (failure) throw failure.error
			await new Promise(r => { wake = r })
		}
	} finally {
		e.removeListener(type, push)
		e.removeListener("error", fail)
		signal?.removeEventListener("abort", abort)
	}
}
Object.assign(EventEmitter, {
	EventEmitter, once, on, defaultMaxListeners: 10, captureRejectionSymbol: kCapture, errorMonitor: Symbol("events.errorMonitor"),
	listenerCount: (e, type) => e.listenerCount(type),
	setMaxListeners(n, ...emitters) { for (const e of emitters) e.setMaxListeners?.(n) },
	getEventListeners: (e, type) => e.listeners?.(type) ?? [],
})
module.exports = EventEmitter
