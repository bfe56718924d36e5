// The part of ECMA-402 that apps use, for English as in the United States: the only locale,
// which every other falls back to. The time zone is UTC, as on Workers, unless another is
// asked for: zone knows them.
(zone) => {
	const hide = (o, methods) => { for (const k of Reflect.ownKeys(methods)) Object.defineProperty(o, k, { value: methods[k], writable: true, enumerable: false, configurable: true }) }
	const option = (o, name, values, otherwise) => {
		const v = o[name]
		if (v === undefined) return otherwise
		if (values && !values.includes(String(v))) throw new RangeError(`Value ${v} out of range for Intl options property ${name}`)
		return values ? String(v) : v
	}
	const digits = (o, name, min, max, otherwise) => {
		let v = o[name]
		if (v === undefined) return otherwise
		v = Number(v)
		if (!(v >= min && v <= max)) throw new RangeError(`${name} value is out of range.`)
		return Math.floor(v)
	}
	const locales = list => {
		for (const l of typeof list === "string" ? [list] : list ?? []) if (!/^[A-Za-z]{2,8}([-_][A-Za-z0-9]{1,8})*$/.test(String(l))) throw new RangeError(`Incorrect locale information provided`)
	}
	const supported = { supportedLocalesOf(list) { locales(list); return (typeof list === "string" ? [list] : [...list ?? []]).filter(l => /^en(-|$)/.test(l)) } }
	const join = parts => parts.map(p => p.value).join("")

	// decimal gives the digits of a number around the point, rounded half away from zero.
	const decimal = (x, min, max) => {
		let [m, e = "0"] = (typeof x === "bigint" ? String(x) : String(Math.abs(x))).replace("-", "").split("e")
		let [whole, part = ""] = m.split(".")
		e = Number(e)
		if (e > 0) { part = part.padEnd(e, "0"); whole += part.slice(0, e); part = part.slice(e) }
		if (e < 0) { whole = whole.padStart(1 - e, "0"); part = whole.slice(e) + part; whole = whole.slice(0, e) }
		if (part.length > max) {
			const up = part[max] >= "5"
			const n = BigInt(whole + part.slice(0, max) || "0") + (up ? 1n : 0n)
			const s = String(n).padStart(max + 1, "0")
			whole = s.slice(0, s.length - max)
			part = max ? s.slice(-max) : ""
		}
		part = part.replace(/0+$/, "").padEnd(min, "0")
		return [whole.replace(/^0+(?=.)/, ""), part]
	}
	const significant = (x, min, max) => {
		const [m, e] = Math.abs(Number(x)).toExponential(max - 1).split("e")
		let d = m.replace(".", "").replace(/0+$/, "").padEnd(min, "0")
		const at = Number(e) + 1
		return at <= 0 ? ["0", "0".repeat(-at) + d] : [d.padEnd(at, "0").slice(0, at), d.slice(at)]
	}
	const symbols = { USD: "$", EUR: "€", GBP: "£", JPY: "¥", INR: "₹", CNY: "CN¥", KRW: "₩", BRL: "R$", CAD: "CA$", AUD: "A$", MXN: "MX$", NZD: "NZ$", HKD: "HK$", ILS: "₪", VND: "₫", TWD: "NT$", PHP: "₱", XAF: "FCFA", XOF: "F CFA" }
	const noCents = new Set(["JPY", "KRW", "VND", "CLP", "ISK", "UGX", "XAF", "XOF", "PYG"])
	const units = { kilobyte: "kB", megabyte: "MB", gigabyte: "GB", terabyte: "TB", byte: "byte", bit: "bit", kilometer: "km", meter: "m", centimeter: "cm", millimeter: "mm", mile: "mi", foot: "ft", inch: "in", kilogram: "kg", gram: "g", pound: "lb", ounce: "oz", liter: "L", milliliter: "mL", second: "sec", minute: "min", hour: "hr", day: "day", week: "wk", month: "mth", year: "yr", millisecond: "ms", percent: "%", celsius: "°C", fahrenheit: "°F", "kilometer-per-hour": "km/h", "mile-per-hour": "mph" }
	class NumberFormat {
		#o
		constructor(list, options = {}) {
			locales(list)
			const o = Object(options)
			const style = option(o, "style", ["decimal", "percent", "currency", "unit"], "decimal")
			const currency = o.currency === undefined ? undefined : String(o.currency).toUpperCase()
			if (style === "currency" && currency === undefined) throw new TypeError("Currency code is required with currency style.")
			if (currency !== undefined && !/^[A-Z]{3}$/.test(currency)) throw new RangeError(`Invalid currency code : ${o.currency}`)
			if (style === "unit" && !(o.unit in units)) throw new RangeError(`Invalid unit argument for Intl.NumberFormat() '${o.unit}'`)
			const notation = option(o, "notation", ["standard", "scientific", "engineering", "compact"], "standard")
			const natural = style === "currency" && notation === "standard" ? (noCents.has(currency) ? 0 : 2) : 0
			let min = digits(o, "minimumFractionDigits", 0, 100), max = digits(o, "maximumFractionDigits", 0, 100)
			const plain = min === undefined && max === undefined
			min ??= Math.min(natural, max ?? natural)
			max ??= Math.max(min, style === "currency" ? natural : style === "percent" || notation === "compact" ? 0 : 3)
			if (min > max) throw new RangeError("maximumFractionDigits value is out of range.")
			const minS = digits(o, "minimumSignificantDigits", 1, 21), maxS = digits(o, "maximumSignificantDigits", minS ?? 1, 21)
			const group = o.useGrouping
			this.#o = { style, currency, notation, min, max, plain, minS: minS ?? (maxS && 1), maxS: maxS ?? (minS && 21), whole: digits(o, "minimumIntegerDigits", 1, 21, 1),
				group: group === undefined ? (notation === "compact" ? "min2" : "auto") : group === "min2" ? "min2" : group && group !== "false" ? "auto" : false,
				sign: option(o, "signDisplay", ["auto", "never", "always", "exceptZero", "negative"], "auto"), accounting: o.currencySign === "accounting",
				display: option(o, "currencyDisplay", ["code", "symbol", "narrowSymbol", "name"], "symbol"), unit: o.unit, unitDisplay: option(o, "unitDisplay", ["short", "narrow", "long"], "short"), compact: option(o, "compactDisplay", ["short", "long"], "short") }
			this.format = v => join(this.formatToParts(v))
		}
		#digits(x) {
			const o = this.#o
			if (o.maxS) return significant(x, o.minS, o.maxS)
			if (o.notation === "compact" && o.plain && Math.abs(Number(x)) < 100) return significant(x, 1, 2)
			return decimal(x, o.min, o.max)
		}
		formatToParts(v) {
			const o = this.#o, parts = []
			let x = typeof v === "bigint" ? v : Number(v)
			const negative = x < 0 || Object.is(x, -0)
			let suffix = ""
			const put = (type, value) => parts.push({ type, value })
			if (o.style === "percent") x = typeof x === "bigint" ? x * 100n : Number(`${x}e2`) || x * 100
			let zero = false
			if (typeof x === "number" && x !== x) put("nan", "NaN")
			else if (x === Infinity || x === -Infinity) put("infinity", "∞")
			else {
				if (o.notation === "compact") {
					const names = o.compact === "short" ? ["", "K", "M", "B", "T"] : ["", " thousand", " million", " billion", " trillion"]
					let i = 0, y = Number(x)
					while (i < 4 && Math.abs(y) >= 999.5) { y /= 1000; i++ }
					if (i > 0) x = y
					suffix = names[i]
				} else if (o.notation !== "standard" && x != 0) {
					let e = Math.floor(Math.log10(Math.abs(Number(x))))
					if (o.notation === "engineering") e -= ((e % 3) + 3) % 3
					x = Number(x) / 10 ** e
					suffix = "E" + e
				}
				let [whole, part] = this.#digits(x)
				whole = whole.padStart(o.whole, "0")
				zero = !/[1-9]/.test(whole + part)
				if (o.group && whole.length > (o.group === "min2" ? 4 : 3)) {
					const groups = whole.replace(/\B(?=(\d{3})+$)/g, ",").split(",")
					groups.forEach((g, i) => { if (i) put("group", ","); put("integer", g) })
				} else put("integer", whole)
				if (part) { put("decimal", "."); put("fraction", part) }
				if (suffix && o.notation === "compact") { if (suffix[0] === " ") { put("literal", " "); suffix = suffix.slice(1) } put("compact", suffix) }
				else if (suffix) { put("exponentSeparator", "E"); if (suffix[1] === "-") put("exponentMinusSign", "-"); put("exponentInteger", suffix.slice(1).replace("-", "")) }
			}
			const one = join(parts) === "1"
			if (o.style === "percent") put("percentSign", "%")
			if (o.style === "unit") {
				if (o.unitDisplay === "long") { put("literal", " "); put("unit", o.unit + (one ? "" : "s")) }
				else if (/^(percent|celsius|fahrenheit)$/.test(o.unit)) put("unit", units[o.unit])
				else { if (o.unitDisplay !== "narrow") put("literal", " "); put("unit", units[o.unit] + (!one && /^(day|week|month|year|byte|bit)$/.test(o.unit) && o.unitDisplay === "short" && o.unit !== "bit" && o.unit !== "byte" ? "s" : "")) }
			}
			if (o.style === "currency") {
				if (o.display === "name") { put("literal", " "); put("currency", o.currency) }
				else {
					const symbol = o.display === "code" ? o.currency : o.display === "narrowSymbol" ? (symbols[o.currency] ?? o.currency).replace(/^[A-Z]+(?=[^A-Z ])/, "") : symbols[o.currency] ?? o.currency
					parts.unshift({ type: "currency", value: symbol }, ...(/[A-Z]$/.test(symbol) ? [{ type: "literal", value: "\u00a0" }] : []))
				}
			}
			const minus = negative && (o.sign === "auto" || o.sign === "always" || !zero) && o.sign !== "never"
			if (minus && o.accounting) { parts.unshift({ type: "literal", value: "(" }); put("literal", ")") }
			else if (minus) parts.unshift({ type: "minusSign", value: "-" })
			else if (!negative && (o.sign === "always" || o.sign === "exceptZero" && !zero)) parts.unshift({ type: "plusSign", value: "+" })
			return parts
		}
		formatRange(a, b) { return `${this.format(a)}–${this.format(b)}` }
		resolvedOptions() {
			const o = this.#o
			return { locale: "en-US", numberingSystem: "latn", style: o.style, ...(o.currency && { currency: o.currency, currencyDisplay: o.display }), minimumIntegerDigits: o.whole, minimumFractionDigits: o.min, maximumFractionDigits: o.max, useGrouping: o.group, notation: o.notation, signDisplay: o.sign }
		}
	}

	const months = "January February March April May June July August September October November December".split(" ")
	const days = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday".split(" ")
	const styles = ["full", "long", "medium", "short"]
	const dateStyles = { full: { weekday: "long", year: "numeric", month: "long", day: "numeric" }, long: { year: "numeric", month: "long", day: "numeric" }, medium: { year: "numeric", month: "short", day: "numeric" }, short: { year: "2-digit", month: "numeric", day: "numeric" } }
	const timeStyles = { full: { hour: "numeric", minute: "2-digit", second: "2-digit", timeZoneName: "long" }, long: { hour: "numeric", minute: "2-digit", second: "2-digit", timeZoneName: "short" }, medium: { hour: "numeric", minute: "2-digit", second: "2-digit" }, short: { hour: "numeric", minute: "2-digit" } }
	const fields = { weekday: ["long", "short", "narrow"], era: ["long", "short", "narrow"], year: ["numeric", "2-digit"], month: ["numeric", "2-digit", "long", "short", "narrow"], day: ["numeric", "2-digit"], dayPeriod: ["long", "short", "narrow"], hour: ["numeric", "2-digit"], minute: ["numeric", "2-digit"], second: ["numeric", "2-digit"], timeZoneName: ["long", "short", "shortOffset", "longOffset", "shortGeneric", "longGeneric"] }
	const two = n => String(n).padStart(2, "0")
	const utc = { id: "UTC", at: () => ({ offset: 0, name: "UTC", summer: false }) }
	const zoneOf = name => {
		if (/^(utc|etc\/(utc|uct|zulu|universal)|uct|zulu|universal)$/i.test(name)) return utc
		const fixed = /^([+-])(\d\d)(?::?(\d\d))?$/.exec(name)
		if (fixed && fixed[2] < 24 && (fixed[3] ?? 0) < 60) {
			const minutes = fixed[2] * 60 + Number(fixed[3] ?? 0), sign = minutes ? fixed[1] : "+"
			return { id: `${sign}${fixed[2]}:${fixed[3] ?? "00"}`, at: () => ({ offset: (sign === "-" ? -1 : 1) * minutes * 60000, name: "", summer: false }) }
		}
		const id = fixed ? undefined : zone(name)
		if (id === undefined) throw new RangeError(`Invalid time zone specified: ${name}`)
		return { id, at: t => zone(id, t) }
	}
	const american = { E: "Eastern", C: "Central", M: "Mountain", P: "Pacific", AK: "Alaska", H: "Hawaii-Aleutian", A: "Atlantic", N: "Newfoundland" }
	const zoneNames = {
		GMT: "Greenwich Mean Time", UTC: "Coordinated Universal Time", BST: "British Summer Time", CET: "Central European Standard Time", CEST: "Central European Summer Time", EET: "Eastern European Standard Time",
		EEST: "Eastern European Summer Time", WET: "Western European Standard Time", WEST: "Western European Summer Time", MSK: "Moscow Standard Time", JST: "Japan Standard Time", KST: "Korean Standard Time",
		SAST: "South Africa Standard Time", HKT: "Hong Kong Standard Time", AEST: "Australian Eastern Standard Time", AEDT: "Australian Eastern Daylight Time", ACST: "Australian Central Standard Time",
		ACDT: "Australian Central Daylight Time", AWST: "Australian Western Standard Time", NZST: "New Zealand Standard Time", NZDT: "New Zealand Daylight Time",
	}
	const placeNames = { "Asia/Kolkata": "India Standard Time", "Asia/Calcutta": "India Standard Time", "Asia/Shanghai": "China Standard Time", "Asia/Singapore": "Singapore Standard Time", "America/Sao_Paulo": "Brasilia Standard Time" }
	const zoneName = (style, id, { offset, name }) => {
		const minutes = Math.trunc(Math.abs(offset) / 60000), h = Math.trunc(minutes / 60), m = minutes % 60, sign = offset < 0 ? "-" : "+"
		const shortOffset = offset ? `GMT${sign}${h}${m ? ":" + two(m) : ""}` : "GMT", longOffset = offset ? `GMT${sign}${two(h)}:${two(m)}` : "GMT"
		const us = /^(America\/|US\/|Canada\/|Pacific\/Honolulu)/.test(id) && /^(AK|[ECMPHAN])([SD])T$/.exec(name)
		switch (style) {
			case "shortOffset": return shortOffset
			case "longOffset": return longOffset
			case "short": return id === "UTC" ? "UTC" : us && us[1] !== "A" && us[1] !== "N" ? name : shortOffset
			case "long": return us ? `${american[us[1]]} ${us[2] === "S" ? "Standard" : "Daylight"} Time` : placeNames[id] ?? zoneNames[name] ?? longOffset
			case "shortGeneric": return us && us[1] !== "A" && us[1] !== "N" ? us[1] + "T" : shortOffset
		}
		return us ? `${american[us[1]]} Time` : longOffset
	}
	class DateTimeFormat {
		#o
		constructor(list, options = {}, need = "any", defaults = "date") {
			locales(list)
			const o = Object(options), f = {}
			for (const k in fields) { const v = option(o, k, fields[k]); if (v !== undefined) f[k] = v }
			const fraction = digits(o, "fractionalSecondDigits", 1, 3)
			const place = zoneOf(o.timeZone === undefined ? "UTC" : String(o.timeZone))
			const dateStyle = option(o, "dateStyle", styles), timeStyle = option(o, "timeStyle", styles)
			if (dateStyle || timeStyle) {
				if (Object.keys(f).length || fraction) throw new TypeError(`Can't set option ${Object.keys(f)[0] ?? "fractionalSecondDigits"} when ${dateStyle ? "dateStyle" : "timeStyle"} is used`)
				if (need === "date" && timeStyle || need === "time" && dateStyle) throw new TypeError(`Invalid option : ${need === "date" ? "timeStyle" : "dateStyle"}`)
				Object.assign(f, dateStyles[dateStyle], timeStyles[timeStyle])
			} else {
				const date = f.weekday || f.year || f.month || f.day, time = f.dayPeriod || f.hour || f.minute || f.second || fraction
				if (!(need !== "time" && date || need !== "date" && time)) {
					if (defaults !== "time") Object.assign(f, { year: "numeric", month: "numeric", day: "numeric" })
					if (defaults !== "date") Object.assign(f, { hour: "numeric", minute: "numeric", second: "numeric" })
				}
			}
			const cycle = option(o, "hourCycle", ["h11", "h12", "h23", "h24"])
			const half = o.hour12 === undefined ? cycle === undefined || cycle < "h13" : Boolean(o.hour12)
			this.#o = { f, fraction, half, midnight: o.hour12 === false && cycle === undefined || cycle === "h24" ? 24 : 0, at: dateStyle === "full" || dateStyle === "long", timeStyle, dateStyle, place }
			this.format = v => join(this.formatToParts(v))
		}
		formatToParts(v) {
			const { f, fraction, half, at, midnight, place } = this.#o
			const t = v === undefined ? Date.now() : Number(v)
			if (isNaN(new Date(t))) throw new RangeError("Invalid time value")
			const here = place.at(t), d = new Date(t + here.offset)
			const parts = [], put = (type, value) => parts.push({ type, value: String(value) }), text = s => put("literal", s)
			const y = d.getUTCFullYear(), m = d.getUTCMonth()
			const year = () => put("year", f.year === "2-digit" ? two(((y % 100) + 100) % 100) : y), day = () => put("day", f.day === "2-digit" ? two(d.getUTCDate()) : d.getUTCDate())
			const weekday = () => put("weekday", f.weekday === "long" ? days[d.getUTCDay()] : days[d.getUTCDay()].slice(0, f.weekday === "short" ? 3 : 1))
			const named = f.month && !/^(numeric|2-digit)$/.test(f.month)
			if (f.weekday) { weekday(); if (f.month || f.day && f.year) text(", "); else if (f.day) text(" ") }
			if (named) {
				put("month", f.month === "long" ? months[m] : months[m].slice(0, f.month === "short" ? 3 : 1))
				if (f.day) { text(" "); day() }
				if (f.year) { text(f.day ? ", " : " "); year() }
			} else if (f.weekday && f.day && !f.month && !f.year) { parts.length = 0; day(); text(" "); weekday() } else {
				const list = []
				if (f.month) list.push(() => put("month", f.month === "2-digit" ? two(m + 1) : m + 1))
				if (f.day) list.push(day)
				if (f.year) list.push(year)
				list.forEach((write, i) => { if (i) text("/"); write() })
			}
			if (f.hour || f.minute || f.second || fraction || f.timeZoneName && parts.length) {
				const clock = f.hour || f.minute || f.second || fraction
				if (parts.length) text(clock ? at ? " at " : ", " : ", ")
				const h = d.getUTCHours(), list = []
				if (f.hour) list.push(() => { const n = half ? h % 12 || 12 : h || midnight; put("hour", f.hour === "2-digit" || !half ? two(n) : n) })
				if (f.minute) list.push(() => put("minute", f.hour || f.second ? two(d.getUTCMinutes()) : d.getUTCMinutes()))
				if (f.second) list.push(() => put("second", f.hour || f.minute ? two(d.getUTCSeconds()) : d.getUTCSeconds()))
				list.forEach((write, i) => { if (i) text(":"); write() })
				if (fraction) { if (list.length) text("."); put("fractionalSecond", String(d.getUTCMilliseconds()).padStart(3, "0").slice(0, fraction)) }
				if (f.hour && half) { text(" "); put("dayPeriod", h < 12 ? "AM" : "PM") }
				if (f.timeZoneName) { if (clock) text(" "); put("timeZoneName", zoneName(f.timeZoneName, place.id, here)) }
			}
			return parts
		}
		formatRange(a, b) { const x = this.format(a), y = this.format(b); return x === y ? x : `${x} – ${y}` }
		resolvedOptions() { const { f, half, place } = this.#o; return { locale: "en-US", calendar: "gregory", numberingSystem: "latn", timeZone: place.id, ...(f.hour && { hourCycle: half ? "h12" : "h23", hour12: half }), ...f } }
	}

	class Collator {
		#o
		constructor(list, options = {}) {
			locales(list)
			const o = { locale: "en-US", usage: options.usage ?? "sort", sensitivity: option(options, "sensitivity", ["base", "accent", "case", "variant"], "variant"), ignorePunctuation: false, collation: "default", numeric: Boolean(options.numeric), caseFirst: "false" }
			this.#o = o
			const bare = s => s.normalize("NFD").replace(/[\u0300-\u036f]/g, "")
			const fold = { base: s => bare(s).toLowerCase(), accent: s => s.toLowerCase(), case: bare, variant: s => s }[o.sensitivity]
			const order = (a, b) => fold(a).localeCompare(fold(b))
			const natural = (a, b) => {
				const x = a.match(/\d+|\D+/g) ?? [], y = b.match(/\d+|\D+/g) ?? []
				for (let i = 0; i < Math.min(x.length, y.length); i++) {
					const c = /^\d/.test(x[i]) && /^\d/.test(y[i]) ? Number(x[i]) - Number(y[i]) : order(x[i], y[i])
					if (c) return Math.sign(c)
				}
				return Math.sign(x.length - y.length)
			}
			this.compare = (a, b) => o.numeric ? natural(String(a), String(b)) : order(String(a), String(b))
		}
		resolvedOptions() { return { ...this.#o } }
	}
	class PluralRules {
		#type
		constructor(list, options = {}) { locales(list); this.#type = option(options, "type", ["cardinal", "ordinal"], "cardinal") }
		select(n) {
			n = Number(n)
			if (this.#type === "cardinal") return n === 1 ? "one" : "other"
			const t = n % 100
			return n % 10 === 1 && t !== 11 ? "one" : n % 10 === 2 && t !== 12 ? "two" : n % 10 === 3 && t !== 13 ? "few" : "other"
		}
		resolvedOptions() { return { locale: "en-US", type: this.#type, pluralCategories: this.#type === "cardinal" ? ["one", "other"] : ["few", "one", "two", "other"] } }
	}
	const near = { day: ["yesterday", "today", "tomorrow"], year: ["last year", "this year", "next year"], month: ["last month", "this month", "next month"], week: ["last week", "this week", "next week"], quarter: ["last quarter", "this quarter", "next quarter"], hour: [, "this hour"], minute: [, "this minute"], second: [, "now"] }
	const brief = { second: "sec.", minute: "min.", hour: "hr.", week: "wk.", month: "mo.", quarter: "qtr", year: "yr." }
	class RelativeTimeFormat {
		#o
		constructor(list, options = {}) { locales(list); this.#o = { numeric: option(options, "numeric", ["always", "auto"], "always"), style: option(options, "style", ["long", "short", "narrow"], "long") } }
		format(n, unit) {
			n = Number(n)
			unit = String(unit).replace(/s$/, "")
			if (!(unit in near)) throw new RangeError(`Invalid unit argument for format() '${unit}'`)
			if (!isFinite(n)) throw new RangeError("The value must be finite")
			if (this.#o.numeric === "auto") { const word = near[unit][n + 1]; if (word !== undefined) return word }
			const count = new NumberFormat().format(Math.abs(n)), many = Math.abs(n) !== 1
			const name = this.#o.style === "long" || unit === "day" ? unit + (many ? "s" : "") : brief[unit] === "qtr" ? (many ? "qtrs." : "qtr.") : brief[unit]
			return n < 0 || Object.is(n, -0) ? `${count} ${name} ago` : `in ${count} ${name}`
		}
		resolvedOptions() { return { locale: "en-US", ...this.#o, numberingSystem: "latn" } }
	}
	class ListFormat {
		#o
		constructor(list, options = {}) { locales(list); this.#o = { type: option(options, "type", ["conjunction", "disjunction", "unit"], "conjunction"), style: option(options, "style", ["long", "short", "narrow"], "long") } }
		format(items) {
			const all = [...items], { type, style } = this.#o
			if (type === "unit") return all.join(style === "narrow" ? " " : ", ")
			const word = type === "disjunction" ? "or" : style === "long" ? "and" : style === "short" ? "&" : ""
			if (all.length < 2) return all.join("")
			if (all.length === 2) return word ? `${all[0]} ${word} ${all[1]}` : all.join(", ")
			return `${all.slice(0, -1).join(", ")}, ${word ? word + " " : ""}${all.at(-1)}`
		}
		resolvedOptions() { return { locale: "en-US", ...this.#o } }
	}
	class Segmenter {
		#kind
		constructor(list, options = {}) { locales(list); this.#kind = option(options, "granularity", ["grapheme", "word", "sentence"], "grapheme") }
		segment(text) {
			text = String(text)
			const kind = this.#kind
			// RegExp is the one that knows property escapes: a bundle that names Segmenter has it.
			const cut = kind === "word" ? new RegExp("[\\p{L}\\p{N}_]+(?:['’.][\\p{L}\\p{N}_]+)*|\\s+|[^]", "gu")
				: kind === "sentence" ? /[^.!?]*(?:[.!?]+["'”’)]*\s*|$)/gu
				: new RegExp("\\r\\n|\\p{RI}\\p{RI}|[^](?:[\\p{M}\\u200c\\u{1f3fb}-\\u{1f3ff}]|\\u200d\\p{Extended_Pictographic})*", "gu")
			const wordLike = new RegExp("[\\p{L}\\p{N}]", "u")
			return { *[Symbol.iterator]() {
				for (const m of text.matchAll(cut)) {
					if (m[0] === "") continue
					yield { segment: m[0], index: m.index, input: text, ...(kind === "word" && { isWordLike: wordLike.test(m[0]) }) }
				}
			}, containing(i = 0) { for (const s of this) if (i >= s.index && i < s.index + s.segment.length) return s } }
		}
		resolvedOptions() { return { locale: "en-US", granularity: this.#kind } }
	}
	const classes = { NumberFormat, DateTimeFormat, Collator, PluralRules, RelativeTimeFormat, ListFormat, Segmenter }
	const Intl = {}
	for (const name in classes) {
		hide(classes[name], supported)
		Object.defineProperty(classes[name].prototype, Symbol.toStringTag, { value: "Intl." + name, configurable: true })
		// These may be called without new.
		const c = classes[name]
		const made = /^(NumberFormat|DateTimeFormat|Collator)$/.test(name) ? new Proxy(c, { apply: (_, __, args) => new c(args[0], args[1]) }) : c
		hide(Intl, { [name]: made })
	}
	hide(Intl, { getCanonicalLocales: list => (locales(list), typeof list === "string" ? [list] : [...list ?? []]), supportedValuesOf: kind => kind === "timeZone" ? ["UTC"] : [] })
	Object.defineProperty(Intl, Symbol.toStringTag, { value: "Intl", configurable: true })
	if (typeof globalThis.Intl === "undefined") hide(globalThis, { Intl })
	const numeric = v => {
		if (typeof v === "number" || typeof v === "bigint" || v instanceof Number) return v
		throw new TypeError("Number.prototype.toLocaleString requires that 'this' be a Number")
	}
	const dates = (need, defaults) => function (list, options = {}) {
		const t = Date.prototype.getTime.call(this)
		return t !== t ? "Invalid Date" : new DateTimeFormat(list, options, need, defaults).format(t)
	}
	hide(Number.prototype, { toLocaleString(list, options) { return new NumberFormat(list, options).format(numeric(this)) } })
	hide(BigInt.prototype, { toLocaleString(list, options) { return new NumberFormat(list, options).format(BigInt.prototype.valueOf.call(this)) } })
	hide(Date.prototype, { toLocaleString: { toLocaleString: dates("any", "all") }.toLocaleString, toLocaleDateString: dates("date", "date"), toLocaleTimeString: dates("time", "time") })
}
