(expand) => {
	const Original = RegExp
	const { defineProperty, setPrototypeOf } = Object
	const escapes = /\\[pP]\{/
	const Expanding = function RegExp(pattern, flags) {
		const made = new.target && this instanceof new.target ? new.target : undefined // goja leaves it set in what a constructor calls
		const target = made ?? Expanding
		const known = pattern instanceof Original
		if (made === undefined && known && flags === undefined) return pattern
		const f = flags === undefined ? known ? pattern.flags : "" : String(flags)
		const source = known ? pattern.source : pattern === undefined ? "" : String(pattern)
		if (!f.includes("u") || !escapes.test(source)) return Reflect.construct(Original, known || pattern === undefined ? [known ? source : undefined, f] : [source, f], target)
		const re = Reflect.construct(Original, [expand(source), f], target)
		defineProperty(re, "source", { value: source, writable: false, enumerable: false, configurable: true })
		defineProperty(re, "toString", { value: () => `/${source}/${f}`, writable: true, enumerable: false, configurable: true })
		return re
	}
	setPrototypeOf(Expanding, Original)
	defineProperty(Expanding, "length", { value: 2, configurable: true })
	defineProperty(Expanding, "prototype", { value: Original.prototype, writable: false, enumerable: false, configurable: false })
	defineProperty(Original.prototype, "constructor", { value: Expanding, writable: true, enumerable: false, configurable: true })
	defineProperty(globalThis, "RegExp", { value: Expanding, writable: true, enumerable: false, configurable: true })
}
