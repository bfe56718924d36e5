// The part of https://nodejs.org/api/util.html that libraries use.
const { inspect: show } = globalThis.__samkit_node
const custom = Symbol.for("nodejs.util.inspect.custom")
const inspect = (v, options) => typeof v?.[custom] === "function" ? String(v[custom](options?.depth ?? 2, options ?? {}, inspect)) : show(v)
inspect.custom = custom
inspect.defaultOptions = { depth: 2 }
const format = (first, ...rest) => {
	if (typeof first !== "string") return [first, ...rest].map(v => typeof v === "string" ? v : inspect(v)).join(" ")
	let i = 0
	const text = first.replace(/%[sdifjoOc%]/g, m => {
		if (m === "%%") return rest.length ? "%" : m
		if (i >= rest.length) return m
		const v = rest[i++]
		switch (m) {
		case "%s": return typeof v === "bigint" ? `${v}n` : typeof v === "object" && v !== null && !(v instanceof Error) ? inspect(v) : Object.is(v, -0) ? "-0" : String(v)
		case "%d": return typeof v === "bigint" ? `${v}n` : typeof v === "symbol" ? "NaN" : String(Number(v))
		case "%i": return typeof v === "bigint" ? `${v}n` : typeof v === "symbol" ? "NaN" : String(parseInt(v))
		case "%f": return typeof v === "symbol" ? "NaN" : String(parseFloat(v))
		case "%j": try { return JSON.stringify(v) } catch { return "[Circular]" }
		case "%c": return ""
		}
		return inspect(v)
	})
	return [text, ...rest.slice(i).map(v => typeof v === "string" ? v : inspect(v))].join(" ")
}
const kPromisify = Symbol.for("nodejs.util.promisify.custom")
const promisify = fn => {
	if (typeof fn !== "function") throw Object.assign(new TypeError('The "original" argument must be of type function'), { code: "ERR_INVALID_ARG_TYPE" })
	if (fn[kPromisify]) return fn[kPromisify]
	const wrapped = function (...args) { return new Promise((resolve, reject) => { Reflect.apply(fn, this, [...args, (error, v) => error ? reject(error) : resolve(v)]) }) }
	return Object.defineProperties(Object.setPrototypeOf(wrapped, Object.getPrototypeOf(fn)), Object.getOwnPropertyDescriptors(fn))
}
promisify.custom = kPromisify
const callbackify = fn => function (...args) {
	const cb = args.pop()
	Reflect.apply(fn, this, args).then(v => queueMicrotask(() => cb(null, v)), e => queueMicrotask(() => cb(e ?? new Error("Promise was rejected with a falsy value"))))
}
const warned = new Set()
const deprecate = (fn, message, code) => function (...args) {
	if (!warned.has(code ?? message)) { warned.add(code ?? message); console.warn(`DeprecationWarning: ${message}`) }
	return new.target ? Reflect.construct(fn, args, new.target) : Reflect.apply(fn, this, args)
}
const inherits = (ctor, parent) => {
	Object.defineProperty(ctor, "super_", { value: parent, writable: true, configurable: true })
	Object.setPrototypeOf(ctor.prototype, parent.prototype)
}
const tag = v => Object.prototype.toString.call(v).slice(8, -1)
const types = {
	isPromise: v => v instanceof Promise, isRegExp: v => v instanceof RegExp, isDate: v => v instanceof Date, isNativeError: v => v instanceof Error,
	isMap: v => v instanceof Map, isSet: v => v instanceof Set, isWeakMap: v => v instanceof WeakMap, isWeakSet: v => v instanceof WeakSet,
	isTypedArray: v => ArrayBuffer.isView(v) && !(v instanceof DataView), isUint8Array: v => v instanceof Uint8Array, isArrayBufferView: v => ArrayBuffer.isView(v),
	isArrayBuffer: v => v instanceof ArrayBuffer, isAnyArrayBuffer: v => v instanceof ArrayBuffer, isDataView: v => v instanceof DataView, isSharedArrayBuffer: () => false,
	isAsyncFunction: v => typeof v === "function" && tag(v) === "AsyncFunction", isGeneratorFunction: v => typeof v === "function" && /GeneratorFunction$/.test(tag(v)), isGeneratorObject: v => tag(v) === "Generator",
	isBoxedPrimitive: v => v instanceof Number || v instanceof String || v instanceof Boolean, isProxy: () => false, isSymbolObject: v => typeof v === "object" && tag(v) === "Symbol",
	isStringObject: v => v instanceof String, isNumberObject: v => v instanceof Number, isBooleanObject: v => v instanceof Boolean,
}
const isDeepStrictEqual = (a, b) => require("node:assert").__equal(a, b, true)
const styles = /[\u001b\u009b][[()#;?]*(?:\d{1,4}(?:;\d{0,4})*)?[0-9A-ORZcf-nqry=><~]/g
module.exports = { inspect, format, formatWithOptions: (_, ...args) => format(...args), promisify, callbackify, deprecate, inherits, types, isDeepStrictEqual,
	TextEncoder, TextDecoder, isArray: Array.isArray, debuglog: () => Object.assign(() => {}, { enabled: false }), debug: () => () => {}, stripVTControlCharacters: s => s.replace(styles, ""),
	toUSVString: s => String(s).replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, "\ufffd"), styleText: (_, s) => s, aborted: signal => new Promise(r => signal.aborted ? r() : signal.addEventListener("abort", () => r(), { once: true })) }
