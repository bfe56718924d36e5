// Intl.NumberFormat, after ECMA-402 2023.
core => {
	const { hide, option, digits, resolve, section, join, localDigits } = core
	const unitNames = "acre bit byte celsius centimeter day degree fahrenheit fluid-ounce foot gallon gigabit gigabyte gram hectare hour inch kilobit kilobyte kilogram kilometer liter megabit megabyte meter microsecond mile mile-scandinavian milliliter millimeter millisecond minute month nanosecond ounce percent petabyte pound second stone terabit terabyte week yard year".split(" ")
	// The short names of units that the data leaves out.
	const rare = { acre: "ac", "fluid-ounce": "fl oz", gallon: "gal", hectare: "ha", microsecond: "μs", "mile-scandinavian": "smi", nanosecond: "ns", petabyte: "PB", stone: "st", terabit: "Tb", yard: "yd" }
	const minorUnits = currency => "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF".includes(currency) ? 0 : "BHD IQD JOD KWD LYD OMR TND".includes(currency) ? 3 : currency === "CLF" || currency === "UYW" ? 4 : 2

	const arabic = ["٫", "٬", "\u061c-", "\u061c+", "٪\u061c", "NaN", "∞", "أس", "~"]
	const isLetter = c => c.toLowerCase() !== c.toUpperCase() || /[\u0590-\u1fff\u2e80-\ud7ff]/.test(c)
	// A decimal is { neg, s, p }: 0.s times ten to the p, and s begins with no zero unless it is "0".
	const decimal = v => {
		let text
		if (typeof v === "bigint") text = String(v)
		else if (typeof v === "string") text = v.trim()
		else { text = String(v); if (Object.is(v, -0)) text = "-0" }
		const m = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/.exec(text)
		const neg = m[1] === "-", whole = m[2].replace(/^0+/, ""), all = (whole + (m[3] ?? "")).replace(/0+$/, "")
		const s = all.replace(/^0+/, "")
		if (s === "") return { neg, s: "0", p: 1 }
		return { neg, s, p: whole.length - (all.length - s.length) + Number(m[4] ?? 0) }
	}
	// value is what a number formatter is given, as number, bigint or the text of a finite decimal.
	const value = v => {
		if (typeof v === "object" && v !== null) v = v[Symbol.toPrimitive] || typeof v.valueOf() === "object" ? String(v) : v.valueOf()
		if (typeof v === "bigint" || typeof v === "number") return v
		if (typeof v !== "string") return Number(v)
		const n = Number(v)
		return v.length < 2000 && isFinite(n) && n !== 0 && /^\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?\s*$/.test(v) ? v : n
	}
	const modes = ["ceil", "floor", "expand", "trunc", "halfCeil", "halfFloor", "halfExpand", "halfTrunc", "halfEven"]
	const away = (mode, neg, half, odd) => {
		switch (mode) {
			case "ceil": return !neg
			case "floor": return neg
			case "expand": return true
			case "trunc": return false
		}
		if (half !== 0) return half > 0
		return mode === "halfExpand" || mode === "halfCeil" && !neg || mode === "halfFloor" && neg || mode === "halfEven" && odd
	}
	// round keeps so many digits after the point, of steps of increment.
	const round = (d, fraction, mode, increment = 1) => {
		const keep = d.p + fraction
		if (increment === 1 && keep >= d.s.length) return d
		const kept = keep > 0 ? d.s.slice(0, keep).padEnd(keep, "0") : "0", rest = keep >= 0 ? d.s.slice(keep) : keep < -1 ? "0" : "0" + d.s
		let n = BigInt(kept)
		const step = BigInt(increment), over = n % step
		n -= over
		const exact = !/[1-9]/.test(rest) && !(keep < 0 && d.s !== "0")
		if (over !== 0n || !exact) {
			const twice = over * 2n
			let half
			if (increment === 1) half = rest[0] > "5" ? 1 : rest[0] < "5" || rest === "" ? -1 : /[1-9]/.test(rest.slice(1)) ? 1 : 0
			else if (increment % 2) half = over * 2n + 1n > step ? 1 : over * 2n + 1n < step ? -1 : rest[0] > "5" ? 1 : !(rest[0] >= "5") ? -1 : /[1-9]/.test(rest.slice(1)) ? 1 : 0
			else half = twice > step ? 1 : twice < step ? -1 : exact ? 0 : 1
			if (away(mode, d.neg, half, (n / step) % 2n === 1n)) n += step
		}
		const s = String(n)
		return n === 0n ? { neg: d.neg, s: "0", p: 1 } : { neg: d.neg, s: s.replace(/0+$/, ""), p: s.length - fraction }
	}
	const places = d => Math.max(d.s.length - d.p, 0)
	// written gives the digits before and after the point.
	const written = (d, min) => {
		if (d.s === "0") return ["0", "0".repeat(min)]
		const whole = d.p > 0 ? d.s.slice(0, d.p).padEnd(d.p, "0") : "0"
		const part = d.p >= d.s.length ? "" : d.p > 0 ? d.s.slice(d.p) : "0".repeat(-d.p) + d.s
		return [whole, part.padEnd(min, "0")]
	}

	class NumberFormat {
		#o
		#format
		constructor(list = undefined, options = undefined) {
			const at = resolve(list), o = core.options(options), data = section(at, "n")
			const [nu, added] = core.numbering(at, o, data.nu)
			const style = option(o, "style", ["decimal", "percent", "currency", "unit"], "decimal")
			const currency = o.currency === undefined ? undefined : String(o.currency).toUpperCase()
			if (currency !== undefined && !/^[A-Z]{3}$/.test(currency)) throw new RangeError(`Invalid currency code : ${o.currency}`)
			if (style === "currency" && currency === undefined) throw new TypeError("Currency code is required with currency style.")
			const display = option(o, "currencyDisplay", ["code", "symbol", "narrowSymbol", "name"], "symbol"), currencySign = option(o, "currencySign", ["standard", "accounting"], "standard")
			const unit = o.unit === undefined ? undefined : String(o.unit)
			if (unit !== undefined && !(unit.length < 50 && unit.split("-per-").length < 3 && unit.split("-per-").every(u => unitNames.includes(u)))) throw new RangeError(`Invalid unit argument for Intl.NumberFormat() '${unit.slice(0, 50)}'`)
			if (style === "unit" && unit === undefined) throw new TypeError("Required option \"unit\" must not be undefined")
			const unitDisplay = option(o, "unitDisplay", ["short", "narrow", "long"], "short")
			const notation = option(o, "notation", ["standard", "scientific", "engineering", "compact"], "standard")
			const natural = style === "currency" && notation === "standard" ? minorUnits(currency) : 0
			const r = this.#rounding(o, natural, style === "currency" && notation === "standard" ? natural : style === "percent" || notation === "compact" ? 0 : 3, notation)
			const compact = option(o, "compactDisplay", ["short", "long"], "short")
			let group = o.useGrouping
			const ordinary = notation === "compact" ? "min2" : "auto"
			if (group === undefined || group === "true" || group === "false") group = ordinary
			else if (group === true) group = "always"
			else if (!group) group = false
			else if (!["min2", "auto", "always"].includes(String(group))) throw new RangeError(`Value ${String(group)} out of range for Intl.NumberFormat options property useGrouping`)
			const sign = option(o, "signDisplay", ["auto", "never", "always", "exceptZero", "negative"], "auto")
			this.#o = { at, data, nu, symbols: data.s[nu] ?? (/^arab/.test(nu) ? arabic : undefined) ?? data.s.latn ?? data.s[data.nu], locale: core.localeName(at, added), style, currency: style === "currency" ? currency : undefined, display, currencySign, unit: style === "unit" ? unit : undefined, unitDisplay, notation, compact, group: group === false ? false : String(group), sign, ...r }
		}
		#rounding(o, natural, most, notation) {
			const whole = digits(o, "minimumIntegerDigits", 1, 21, 1)
			let min = o.minimumFractionDigits, max = o.maximumFractionDigits, minS = o.minimumSignificantDigits, maxS = o.maximumSignificantDigits
			const increment = digits(o, "roundingIncrement", 1, 5000, 1)
			if (![1, 2, 5, 10, 20, 25, 50, 100, 200, 250, 500, 1000, 2000, 2500, 5000].includes(increment)) throw new RangeError("roundingIncrement value is out of range.")
			const mode = option(o, "roundingMode", modes, "halfExpand"), priority = option(o, "roundingPriority", ["auto", "morePrecision", "lessPrecision"], "auto"), zeros = option(o, "trailingZeroDisplay", ["auto", "stripIfInteger"], "auto")
			const r = { whole, mode, increment, zeros, priority }
			if (increment !== 1) most = natural
			const significant = minS !== undefined || maxS !== undefined, fraction = min !== undefined || max !== undefined
			const needS = priority !== "auto" || significant, needF = priority !== "auto" || !significant && (fraction || notation !== "compact")
			if (needS) {
				if (significant) { r.minS = digits(o, "minimumSignificantDigits", 1, 21, 1); r.maxS = digits(o, "maximumSignificantDigits", r.minS, 21, 21) } else { r.minS = 1; r.maxS = 21 }
			}
			if (needF) {
				if (fraction) {
					min = digits(o, "minimumFractionDigits", 0, 100)
					max = digits(o, "maximumFractionDigits", 0, 100)
					if (min === undefined) min = Math.min(natural, max)
					else if (max === undefined) max = Math.max(most, min)
					else if (min > max) throw new RangeError("maximumFractionDigits value is out of range.")
				} else { min = natural; max = most }
				r.min = min
				r.max = max
			}
			if (!needS && !needF) Object.assign(r, { min: 0, max: 0, minS: 1, maxS: 2, rule: "morePrecision" })
			else r.rule = priority !== "auto" ? priority : needS ? "significant" : "fraction"
			if (increment !== 1) {
				if (r.rule !== "fraction") throw new TypeError("roundingIncrement value is invalid.")
				if (r.max !== r.min) throw new RangeError("roundingIncrement value is out of range.")
			}
			return r
		}
		// #round returns the decimal as it will be written and how many digits its fraction has at least.
		#round(d) {
			const o = this.#o
			if (o.rule === "fraction") return [round(d, o.max, o.mode, o.increment), o.min]
			const bySignificant = () => {
				const s = round(d, o.maxS - (d.s === "0" ? 1 : d.p), o.mode)
				return [s, Math.max(o.minS - s.p, 0)]
			}
			if (o.rule === "significant") return bySignificant()
			const finer = o.maxS - d.p >= o.max
			return finer === (o.rule === "morePrecision") ? bySignificant() : [round(d, o.max, o.mode), o.min]
		}
		#shape(d) {
			const o = this.#o
			if (o.notation === "compact") {
				const money = o.style === "currency" && o.display !== "name", table = money && o.compact === "short" ? o.data.kc : o.compact === "short" ? o.data.k : o.data.K
				const last = table.length + 2
				for (let e = d.s === "0" ? 0 : d.p - 1; ; e++) {
					const row = e < 3 ? [1, undefined] : table[Math.min(e, last) - 3], shift = e < 3 ? 0 : Math.min(e, last) - row[0] + 1
					const [r, min] = this.#round({ ...d, p: d.s === "0" ? d.p : d.p - shift })
					if (e < last && r.s !== "0" && r.p - 1 + shift > e) continue
					return { r, min, pattern: row[2] && r.s === "1" && r.p === 1 && !min ? row[2] : row[1], money: money && o.compact === "short" }
				}
			}
			if (o.notation === "scientific" || o.notation === "engineering") {
				for (let e = d.s === "0" ? 0 : d.p - 1; ; e++) {
					const x = o.notation === "engineering" ? Math.floor(e / 3) * 3 : e
					const [r, min] = this.#round({ ...d, p: d.s === "0" ? d.p : d.p - x })
					if (r.s !== "0" && r.p - 1 + x > e) continue
					return { r, min, exponent: x }
				}
			}
			const [r, min] = this.#round(d)
			return { r, min }
		}
		#number(shape) {
			const o = this.#o, [point, own, minus] = o.symbols, parts = [], comma = o.style === "currency" && o.data.cg || own
			let [whole, part] = written(shape.r, shape.min)
			if (o.zeros === "stripIfInteger" && !/[1-9]/.test(part)) part = ""
			whole = whole.padStart(o.whole, "0")
			const [first, rest, least] = o.data.g, min = o.group === "always" ? 1 : o.group === "min2" ? 2 : least
			if (o.group && whole.length >= first + min) {
				const groups = [whole.slice(-first)]
				for (let left = whole.slice(0, -first); left; left = left.slice(0, -rest)) groups.unshift(left.slice(-rest))
				groups.forEach((g, i) => { if (i) parts.push({ type: "group", value: comma }); parts.push({ type: "integer", value: localDigits(g, o.nu) }) })
			} else parts.push({ type: "integer", value: localDigits(whole, o.nu) })
			if (part) parts.push({ type: "decimal", value: point }, { type: "fraction", value: localDigits(part, o.nu) })
			if (shape.exponent !== undefined) {
				parts.push({ type: "exponentSeparator", value: o.symbols[7] })
				if (shape.exponent < 0) parts.push({ type: "exponentMinusSign", value: o.data.n.slice(0, o.data.n.indexOf("0")).replace("-", minus) })
				parts.push({ type: "exponentInteger", value: localDigits(String(Math.abs(shape.exponent)), o.nu) })
			}
			return parts
		}
		#category(shape, parts) {
			const { at, data } = this.#o
			if (!shape) return data.pc.length - 1
			const [whole, part] = written(shape.r, shape.min)
			return data.pc.indexOf(core.part("plural").category(at.data, "cardinal", whole, part))
		}
		// #pattern has 0 for the number, ¤ % - for symbols, and with words around the type of these.
		#pattern(shape) {
			const o = this.#o, { data } = o, of = p => Array.isArray(p) ? p[this.#category(shape)] : p
			const compact = shape?.pattern === undefined ? undefined : of(shape.pattern)
			switch (o.style) {
				case "percent": return { pos: data.p[0], neg: data.p[1], inner: compact, word: "literal" }
				case "currency": {
					if (o.display === "name") {
						const names = section(o.at, "c"), own = names.n[o.currency]
						return { pos: own === undefined ? names.x.replace("¤", o.currency) : of(own), word: "currency", inner: compact }
					}
					const symbol = o.display === "code" ? o.currency : (o.display === "narrowSymbol" ? data.a[o.currency] : undefined) ?? data.w[o.currency] ?? o.currency
					const bare = data.c[0].replace(/[\s\u200e\u200f]/g, "")
					const [pos, negative, accounting, signs] = isLetter(bare[0] === "0" ? symbol[0] : symbol.at(-1)) ? data.ca : data.c
					const neg = o.currencySign === "accounting" ? accounting : negative
					if (!shape?.money || compact === undefined) return { pos: o.currencySign === "accounting" ? signs.replace(/[\u200e\u200f]*-/, "") : pos, neg, signed: o.currencySign === "accounting" ? signs : negative, symbol, inner: compact, word: "literal" }
					const spaced = isLetter(symbol.at(-1)) ? compact.replace("¤0", "¤\u00a00") : compact
					return { pos: spaced, neg: data.n.replace("0", "") + spaced, symbol, word: "compact" }
				}
				case "unit": return { pos: this.#unit(of), word: "unit", inner: compact }
			}
			return { pos: "0", neg: data.n, inner: compact, word: "literal" }
		}
		#unit(of) {
			const { at, unit, unitDisplay } = this.#o, { u, per } = section(at, "u"), width = ["short", "narrow", "long"].indexOf(unitDisplay)
			const named = name => { const p = u[name]; return p && (p[width] === 0 ? p[0] : p[width]) }
			const text = name => { const p = named(name); return p ? of(p) : `0 ${unitDisplay === "long" ? name + (this.#category() ? "s" : "") : rare[name]}` }
			const whole = named(unit)
			if (whole) return of(whole)
			const [a, b] = unit.split("-per-")
			if (b === undefined) return text(a)
			const last = p => Array.isArray(p) ? p.at(-1) : p, first = p => Array.isArray(p) ? p[0] : p, word = p => p.replace("0", "").trim()
			const meter = last(named("meter")), bit = word(first(named("bit")))
			const between = per[width].startsWith(meter) && per[width].endsWith(bit) ? per[width].slice(meter.length, per[width].length - bit.length) : "/"
			const by = named(b)
			return text(a) + between + (by ? word(Array.isArray(by) ? by[0] : by) : unitDisplay === "long" ? b : rare[b])
		}
		formatToParts(v = undefined) { return this.#parts(value(v)) }
		#parts(x) {
			const o = this.#o
			let shape, number, neg, zero = false
			if (typeof x === "number" && !isFinite(x)) {
				neg = x < 0
				number = [x !== x ? { type: "nan", value: o.symbols[5] } : { type: "infinity", value: o.symbols[6] }]
				if (x !== x) zero = true
			} else {
				const d = decimal(x)
				neg = d.neg
				if (o.style === "percent" && d.s !== "0") d.p += 2
				shape = this.#shape(d)
				number = this.#number(shape)
				zero = shape.r.s === "0"
			}
			const { pos, neg: below, signed, symbol, inner, word } = this.#pattern(shape)
			const minus = neg && o.sign !== "never" && (!zero || o.sign === "auto" || o.sign === "always")
			const plus = !neg && (o.sign === "always" || o.sign === "exceptZero" && !zero)
			const otherwise = () => o.data.n.replace("0", "") + pos
			const pattern = minus ? below ?? otherwise() : plus ? (signed ?? below ?? otherwise()).replace("-", "+") : pos
			if (inner === undefined && (pattern === "0" || number.length === 0)) return number
			const parts = []
			const put = (type, text) => { const before = parts[parts.length - 1]; if (before && before.type === type && type === "literal") before.value += text; else parts.push({ type, value: text }) }
			const words = (text, type) => {
				if (type === "literal") return text && put("literal", text)
				const [, a, w, b] = /^([\s\u200e\u200f\u061c]*)([^]*?)([\s\u200e\u200f\u061c]*)$/.exec(text)
				if (a) put("literal", a)
				if (w) put(type, w)
				if (b) put("literal", b)
			}
			const walk = (pattern, type, zero) => {
				let from = 0
				for (let i = 0; i < pattern.length; i++) {
					const c = pattern[i]
					if (c !== "0" && c !== "-" && c !== "+" && c !== "¤" && c !== "%" || type !== "literal" && (c === "-" || c === "+") && i > 2 || type === "unit" && c === "%") continue
					words(pattern.slice(from, i), type)
					from = i + 1
					if (c === "0") zero()
					else if (c === "¤") put("currency", symbol)
					else if (c === "%") put("percentSign", o.symbols[4])
					else put(c === "-" ? "minusSign" : "plusSign", o.symbols[c === "-" ? 2 : 3])
				}
				words(pattern.slice(from), type)
			}
			walk(pattern, word, () => inner === undefined ? parts.push(...number) : walk(inner, "compact", () => parts.push(...number)))
			return parts
		}
		get format() { return this.#format ??= (0, v => join(this.#parts(value(v)))) }
		formatRange(a, b) { return join(this.formatRangeToParts(a, b)) }
		formatRangeToParts(a, b) {
			if (a === undefined || b === undefined) throw new TypeError("start or end is undefined")
			const o = this.#o
			a = value(a)
			b = value(b)
			if (a !== a || b !== b) throw new RangeError("Invalid number value")
			const x = this.#parts(a), y = this.#parts(b), all = parts => join(parts), from = (list, source) => list.map(p => ({ ...p, source }))
			if (all(x) === all(y)) return [{ type: "approximatelySign", value: o.symbols[8], source: "shared" }, ...from(x, "shared")]
			// What ends or begins both alike is written once, if it is a unit after the number or before it.
			const kind = p => /^(currency|percentSign|unit|compact|literal)$/.test(p.type), same = (p, q) => p.type === q.type && p.value === q.value
			const template = o.data.r[o.style === "percent" ? 1 : o.style === "currency" ? 2 : 0]
			let tail = 0, head = 0
			const once = o.style === "decimal" || o.style === "unit" || (o.style === "currency" ? template.split("¤").length === 2 : template.split("%").length === 2)
			if (once && x.every(p => p.type !== "minusSign") && y.every(p => p.type !== "minusSign")) {
				while (tail < x.length - 1 && tail < y.length - 1 && kind(x[x.length - 1 - tail]) && same(x[x.length - 1 - tail], y[y.length - 1 - tail])) tail++
				while (head < x.length - 1 - tail && kind(x[head]) && same(x[head], y[head])) head++
			}
			const plain = tail + head > 0 || x.every(p => !kind(p)) && y.every(p => !kind(p))
			const between = template.replace(/^.*\{0\}/, "").replace(/\{1\}.*$/, "").replace(/[¤%]/g, "").trim() || "–"
			const separator = plain ? o.data.r[0].replace("{0}", "").replace("{1}", "") : ` ${between} `
			return [...from(x.slice(0, head), "shared"), ...from(x.slice(head, x.length - tail), "startRange"), { type: "literal", value: separator, source: "shared" }, ...from(y.slice(head, y.length - tail), "endRange"), ...from(x.slice(x.length - tail), "shared")]
		}
		// written gives plural rules and relative times the digits of a number.
		static digits(format, v) {
			const d = decimal(v)
			const { r, min } = format.#shape(d)
			return written(r, min)
		}
		resolvedOptions() {
			const o = this.#o
			return { locale: o.locale, numberingSystem: o.nu, style: o.style, ...(o.currency && { currency: o.currency, currencyDisplay: o.display, currencySign: o.currencySign }), ...(o.unit && { unit: o.unit, unitDisplay: o.unitDisplay }), minimumIntegerDigits: o.whole,
				...(o.minS !== undefined && { minimumSignificantDigits: o.minS, maximumSignificantDigits: o.maxS }), ...(o.min !== undefined && { minimumFractionDigits: o.min, maximumFractionDigits: o.max }),
				useGrouping: o.group, notation: o.notation, ...(o.notation === "compact" && { compactDisplay: o.compact }), signDisplay: o.sign, roundingMode: o.mode, roundingIncrement: o.increment, trailingZeroDisplay: o.zeros, roundingPriority: o.rule === "morePrecision" ? "morePrecision" : o.priority }
		}
	}
	const number = { NumberFormat, unitNames, digits: NumberFormat.digits }
	delete NumberFormat.digits
	return number
}
