// Neither eval nor a constructor of functions, as on Workers.
(() => {
	const { defineProperty, getPrototypeOf } = Object
	const refuse = () => { throw new EvalError("Code generation from strings disallowed for this context") }
	const hide = (o, name, value) => defineProperty(o, name, { value, writable: true, enumerable: false, configurable: true })
	hide(globalThis, "eval", { eval(code) { return typeof code === "string" ? refuse() : code } }.eval)
	const forbid = (proto, name) => {
		const constructor = function () { refuse() }
		defineProperty(constructor, "name", { value: name })
		defineProperty(constructor, "prototype", { value: proto, writable: false })
		hide(proto, "constructor", constructor)
		return constructor
	}
	hide(globalThis, "Function", forbid(getPrototypeOf(refuse), "Function"))
	forbid(getPrototypeOf(async () => {}), "AsyncFunction")
	forbid(getPrototypeOf(function* () {}), "GeneratorFunction")
	delete globalThis.GoError
})()
