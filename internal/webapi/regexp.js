// RegExp with the expressions that goja does not match as ECMAScript has them. prepare returns
// an expression of theirs, or undefined where goja's will do; dispatch gives the prototype methods that tell
// them apart.
(prepare, dispatch) => {
	const Original = RegExp
	const { defineProperty, setPrototypeOf } = Object
	const { construct, get } = Reflect
	const hidden = (o, name, value) => defineProperty(o, name, { value, writable: true, enumerable: false, configurable: true })
	let dispatched = false
	const Complete = function RegExp(pattern, flags) {
		const made = new.target && this instanceof new.target ? new.target : undefined // goja leaves it set in what a constructor calls
		let is = false
		if (typeof pattern === "object" && pattern !== null || typeof pattern === "function") {
			const match = pattern[Symbol.match]
			is = match === undefined ? pattern instanceof Original : !!match
		}
		if (made === undefined && is && flags === undefined && pattern.constructor === Complete) return pattern
		const target = made ?? Complete
		const source = is ? String(pattern.source) : pattern === undefined ? "" : String(pattern)
		const f = flags === undefined ? is ? String(pattern.flags) : "" : String(flags)
		const ours = prepare(source, f)
		if (ours === undefined) return construct(Original, is && pattern instanceof Original && f === pattern.flags ? [pattern] : [source, f], target)
		if (target !== Complete) {
			if (!dispatched) {
				dispatched = true
				for (const name of ["exec", "test", "source", "flags", "unicode"]) {
					const own = Object.getOwnPropertyDescriptor(Original.prototype, name)
					defineProperty(Original.prototype, name, dispatch(name, own.get ?? own.value, own))
				}
			}
			setPrototypeOf(ours, get(target, "prototype") ?? Original.prototype)
		}
		return ours
	}
	setPrototypeOf(Complete, Original)
	defineProperty(Complete, "length", { value: 2, configurable: true })
	defineProperty(Complete, "prototype", { value: Original.prototype, writable: false, enumerable: false, configurable: false })
	hidden(Original.prototype, "constructor", Complete)
	hidden(globalThis, "RegExp", Complete)
}
