// The guards of a runner in the host's process: see guard.go. units, length and
// bytes bound strings, arrays and buffers; arm bounds the time of a RegExp's matches. What
// nobody mentions is not guarded: names are those that the code mentions.
(function (units, length, bytes, arm) {
	const { apply, construct, defineProperty, ownKeys, getOwnPropertyDescriptor } = Reflect
	const RangeErr = RangeError, { isArray } = Array
	const hide = (o, name, value) => defineProperty(o, name, { __proto__: null, value, writable: true, enumerable: false, configurable: true })
	const tooLong = what => { throw new RangeErr("Invalid " + what + " length") }
	const size = o => o == null ? 0 : +o.length
	const has = (flags, flag) => {
		for (let i = 0; i < flags.length; i++) if (flags[i] === flag) return true
		return false
	}
	const { getPrototypeOf } = Object
	// goja leaves new.target set in what a constructor calls without new.
	const constructed = (self, target) => target !== undefined && self != null && getPrototypeOf(self) === target.prototype ? target : undefined
	return {
strings(names) {
	const S = String.prototype, f = {}
	for (const name of names) f[name] = S[name]
	const { indexOf } = S
	const text = s => typeof s === "string" ? s : s == null ? "" : `${s}`
	const replaced = (method, self, what, by, all) => {
		const s = text(self)
		if (typeof by === "function" || s.length > units) {
			if (s.length > units) tooLong("string")
			return apply(method, s, [what, by])
		}
		by = `${by}`
		if (typeof what === "string" && all && s.length > length / 4 * (what.length || 1)) {
			let n = 0
			for (let at = 0; (at = apply(indexOf, s, [what, at])) >= 0; at += what.length || 1) if (++n > length / 4) tooLong("array")
		}
		let dollars = 0
		for (let i = 0; i < by.length; i++) if (by[i] === "$") dollars++
		const most = all || typeof what === "object" ? s.length + 1 : 1
		if (s.length + most * (by.length + (dollars && s.length * dollars)) <= units) return apply(method, s, [what, by])
		let room = units - s.length
		if (dollars === 0) return apply(method, s, [what, () => (room -= by.length) < 0 ? tooLong("string") : by])
		if (/\$[`']/.test(by)) {
			let n = 0
			apply(method, s, [what, () => { n++; return "" }])
			if (s.length + n * (by.length + s.length * dollars) > units) tooLong("string")
		} else if (s.length * (1 + dollars) + most * by.length > units) {
			let n = 0
			apply(method, s, [what, () => { n++; return "" }])
			if (s.length * (1 + dollars) + n * by.length > units) tooLong("string")
		}
		return apply(method, s, [what, by])
	}
	const expression = (v, flags) => v !== null && typeof v === "object" ? v : new RegExp(v, flags)
	const shorter = part => s => {
		if (s.length > units / part) tooLong("string")
		return s
	}
	const upper = shorter(2), norm = shorter(16)
	const { matchAll: symMatchAll } = Symbol
	const methods = {
		repeat(n) {
			const s = this == null ? this : text(this)
			n = +n
			if (s != null && n * s.length > units) tooLong("string")
			return apply(f.repeat, s, [n])
		},
		padStart(n, by) { return apply(f.padStart, this, [(n = +n) > units ? tooLong("string") : n, by]) },
		padEnd(n, by) { return apply(f.padEnd, this, [(n = +n) > units ? tooLong("string") : n, by]) },
		replace(what, by) { return this == null ? apply(f.replace, this, [what, by]) : replaced(f.replace, this, what, by, false) },
		replaceAll(what, by) { return this == null ? apply(f.replaceAll, this, [what, by]) : replaced(f.replaceAll, this, what, by, true) },
		split(by, limit) {
			if (this == null || limit !== undefined || by === undefined) return apply(f.split, this, [by, limit])
			const s = text(this)
			if (by === "") return s.length > length ? tooLong("array") : apply(f.split, s, [by])
			if (s.length <= length) return apply(f.split, s, [by])
			if (by !== null && typeof by === "object" && s.length > 4 * length) tooLong("string")
			const parts = apply(f.split, s, [by, length + 1])
			return isArray(parts) && parts.length > length ? tooLong("array") : parts
		},
		normalize(form) { return apply(f.normalize, this == null ? this : norm(text(this)), form === undefined ? [] : [form]) },
		toUpperCase() { return apply(f.toUpperCase, this == null ? this : upper(text(this)), []) },
		toLowerCase() { return apply(f.toLowerCase, this == null ? this : upper(text(this)), []) },
		toLocaleUpperCase() { return apply(f.toLocaleUpperCase, this == null ? this : upper(text(this)), []) },
		toLocaleLowerCase() { return apply(f.toLocaleLowerCase, this == null ? this : upper(text(this)), []) },
		concat(...list) {
			let n = size(this)
			for (let i = 0; i < list.length; i++) n += typeof list[i] === "string" ? list[i].length : 0
			return n > units ? tooLong("string") : apply(f.concat, this, list)
		},
		match(v) { return this == null || v == null ? apply(f.match, this, [v]) : apply(f.match, this, [expression(v)]) },
		search(v) { return this == null || v == null ? apply(f.search, this, [v]) : apply(f.search, this, [expression(v)]) },
		matchAll(v) {
			if (this == null) throw new TypeError("String.prototype.matchAll called on null or undefined")
			if (v != null && typeof v === "object") {
				if (v instanceof RegExp && !has(text(v.flags), "g")) throw new TypeError("String.prototype.matchAll called with a non-global RegExp argument")
				const method = v[symMatchAll]
				if (method != null) return apply(method, v, [this])
			}
			return new RegExp(v, "g")[symMatchAll](this)
		},
	}
	for (const name of names) hide(S, name, methods[name])
},

// Absent arguments are not the same as undefined ones for those with rest parameters.
arrays(names) {
	const { min } = Math
	const A = Array.prototype
	const rest = ["fill", "copyWithin", "lastIndexOf", "reduce", "reduceRight", "splice", "toSpliced", "with", "unshift"]
	const special = ["flat", "concat", "join", "from"]
	for (const name of names) {
		const f = A[name]
		if (f === undefined || apply(A.includes, special, [name])) continue
		if (apply(A.includes, rest, [name])) hide(A, name, { [name](...list) { return size(this) > length ? tooLong("array") : apply(f, this, list) } }[name])
		else hide(A, name, { [name](a, b) { return size(this) > length ? tooLong("array") : apply(f, this, [a, b]) } }[name])
	}
	const { flat, concat: append, join } = A
	const methods = {
		join(by) {
			const n = size(this)
			if (n > length) tooLong("array")
			const between = by === undefined ? 1 : typeof by === "string" ? by.length : 0
			if (n > 1 && typeof this[0] === "string" && n * (this[0].length + between) > units / 8) {
				let room = units - n * between
				for (let i = 0; i < n && room >= 0; i++) if (typeof this[i] === "string") room -= this[i].length
				if (room < 0) tooLong("string")
			}
			return apply(join, this, [by])
		},
		flat(depth) {
			if (size(this) > length) tooLong("array")
			const deep = depth === undefined ? 1 : +depth
			const list = apply(flat, this, [min(deep, 500)])
			if (deep > 500) for (let i = 0; i < list.length; i++) if (isArray(list[i])) throw new RangeErr("The array is nested too deeply")
			return list
		},
		concat(...list) {
			let n = size(this)
			for (let i = 0; i < list.length; i++) n += isArray(list[i]) ? list[i].length : 1
			return n > length ? tooLong("array") : apply(append, this, list)
		},
	}
	for (const name of names) {
		if (name === "from") {
			const from = Array.from
			hide(Array, name, { from(source, ...more) { return size(source) > length ? tooLong("array") : apply(from, this, [source, ...more]) } }.from)
		} else if (methods[name] !== undefined) hide(A, name, methods[name])
	}
},

buffers(names) {
	const { setPrototypeOf, getPrototypeOf } = Object, TypeErr = TypeError, Buffer = ArrayBuffer
	const typed = getPrototypeOf(Uint8Array)
	for (const name of ["sort", "toSorted", "join"]) {
		const f = typed.prototype[name]
		if (f) hide(typed.prototype, name, { [name](a) { return size(this) > bytes / 16 ? tooLong("array") : apply(f, this, [a]) } }[name])
	}
	const wrap = (name, measure) => {
		const C = globalThis[name], unit = C.BYTES_PER_ELEMENT ?? 1
		const G = function (a) {
			const target = constructed(this, new.target)
			if (target === undefined) throw new TypeErr("Constructor " + name + " requires 'new'")
			if (measure(a) * unit > bytes) tooLong(name === "ArrayBuffer" ? "array buffer" : "typed array")
			return construct(C, arguments, target === G ? C : target)
		}
		setPrototypeOf(G, getPrototypeOf(C))
		for (const k of ownKeys(C)) defineProperty(G, k, getOwnPropertyDescriptor(C, k))
		hide(C.prototype, "constructor", G)
		hide(globalThis, name, G)
		return C
	}
	const places = a => a === null || typeof a !== "object" ? +a : a instanceof Buffer ? 0 : +a.length
	for (const name of names) wrap(name, name === "ArrayBuffer" ? a => +a : places)
	const typedFrom = typed.from
	hide(typed, "from", { from(source, ...more) { return size(source) > bytes / 8 ? tooLong("typed array") : apply(typedFrom, this, [source, ...more]) } }.from)
},

calls() {
	const F = Function.prototype, callApply = F.apply
	const methods = {
		apply(f, self, list) { return size(list) > 1e6 ? tooLong("arguments") : apply(f, self, list) },
		construct(f, list, ...target) { return size(list) > 1e6 ? tooLong("arguments") : construct(f, list, ...target) },
	}
	hide(F, "apply", { apply(self, list) { return size(list) > 1e6 ? tooLong("arguments") : apply(callApply, this, [self, list]) } }.apply)
	hide(Reflect, "apply", methods.apply)
	hide(Reflect, "construct", methods.construct)
},

expressions() {
	const R = RegExp, { match: symMatch, matchAll: symMatchAll, species } = Symbol
	const checkPattern = p => {
		if (p.length < 2000) return
		if (p.length > 1 << 16) throw new SyntaxError("Invalid regular expression: it is too long")
		let open = 0
		for (let i = 0; i < p.length; i++) {
			const c = p[i]
			if (c === "\\") i++
			else if (c === "(") { if (++open > 400) throw new SyntaxError("Invalid regular expression: it is nested too deeply") }
			else if (c === ")") open--
		}
	}
	const RegExpG = function RegExp(pattern, flags) {
		const target = constructed(this, new.target)
		if (pattern === null || typeof pattern !== "object") {
			if (pattern !== undefined) checkPattern(pattern = `${pattern}`)
		} else if (target === undefined && flags === undefined && pattern[symMatch] && pattern.constructor === RegExpG) return pattern
		return arm(construct(R, [pattern, flags], target === undefined || target === RegExpG ? R : target))
	}
	for (const k of ownKeys(R)) if (k !== species) defineProperty(RegExpG, k, getOwnPropertyDescriptor(R, k))
	defineProperty(RegExpG, species, { get() { return this === RegExpG ? R : this }, configurable: true })
	hide(R.prototype, "constructor", RegExpG)
	hide(globalThis, "RegExp", RegExpG)
	delete R.prototype.compile
	const all = function* (rx, s, every, unicode) {
		for (let r; (r = rx.exec(s)) !== null;) {
			if (`${r[0]}` === "") {
				const at = rx.lastIndex
				rx.lastIndex = at + (unicode && s.codePointAt(at) > 0xffff ? 2 : 1)
			}
			yield r
			if (!every) return
		}
	}
	hide(R.prototype, symMatchAll, {
		[symMatchAll](v) {
			const s = `${v}`, flags = `${this.flags}`
			const C = this.constructor === undefined ? RegExpG : this.constructor[species] ?? RegExpG
			const rx = new (C === R ? RegExpG : C)(this, flags)
			rx.lastIndex = this.lastIndex
			return all(rx, s, has(flags, "g"), has(flags, "u"))
		},
	}[symMatchAll])
},

// Without names these are only the functions for operators.
integers(names) {
	const B = BigInt, maxBits = 1 << 22, TypeErr = TypeError
	const tooBig = () => { throw new RangeErr("Maximum BigInt size exceeded") }
	const bits = n => {
		if (n < 0n) n = -n
		let b = 0
		for (let step = maxBits; step >= 1; step /= 2) if (n >> B(step) > 0n) { n >>= B(step); b += step }
		return b + 1
	}
	if (names) {
		const BigIntG = function BigInt(v) {
			if (constructed(this, new.target) !== undefined) throw new TypeErr("BigInt is not a constructor")
			if (typeof v === "string" && v.length > 1e5) throw new SyntaxError("Cannot convert a string of " + v.length + " units to a BigInt")
			return B(v)
		}
		const { asIntN, asUintN } = B
		const methods = {
			asIntN(n, v) { return +n > maxBits ? tooBig() : asIntN(n, v) },
			asUintN(n, v) { return +n > maxBits ? tooBig() : asUintN(n, v) },
		}
		hide(BigIntG, "asIntN", methods.asIntN)
		hide(BigIntG, "asUintN", methods.asUintN)
		BigIntG.prototype = B.prototype
		hide(B.prototype, "constructor", BigIntG)
		hide(globalThis, "BigInt", BigIntG)
	}
	const value = v => v !== null && typeof v === "object" && typeof v.valueOf() === "bigint" ? v.valueOf() : v
	return {
		pow(a, b) {
			if (typeof a === "number" && typeof b === "number") return a ** b
			a = value(a)
			b = value(b)
			if (typeof a === "bigint" && typeof b === "bigint" && b > 1n && (a > 1n || a < -1n) && (b > B(maxBits) || b * B(bits(a) - 1) > B(maxBits))) tooBig()
			return a ** b
		},
		shift(b) {
			if (typeof b === "number") return b
			b = value(b)
			return typeof b === "bigint" && (b > B(maxBits) || b < -B(maxBits)) ? tooBig() : b
		},
	}
},
	}
})
