// ECMA-402 for the locales that native knows; every other falls back to English as in the United
// States. The time zone is UTC, as on Workers, unless another is asked for.
native => {
	const hide = (o, methods) => { for (const k of Reflect.ownKeys(methods)) Object.defineProperty(o, k, { value: methods[k], writable: true, enumerable: false, configurable: true }) }
	const option = (o, name, values, otherwise) => {
		const v = o[name]
		if (v === undefined) return otherwise
		if (!values) return v
		if (!values.includes(String(v))) throw new RangeError(`Value ${String(v)} out of range for Intl options property ${name}`)
		return String(v)
	}
	const digits = (o, name, min, max, otherwise) => {
		let v = o[name]
		if (v === undefined) return otherwise
		v = Number(v)
		if (!(v >= min && v <= max)) throw new RangeError(`${name} value is out of range.`)
		return Math.floor(v)
	}
	const canonical = list => {
		if (list === undefined) return []
		if (list === null) throw new TypeError("Cannot convert undefined or null to object")
		if (typeof list === "string" || list instanceof Locale) list = [list]
		const out = []
		const o = Object(list), most = Math.min(Number(o.length) || 0, 1000)
		for (let i = 0; i < most; i++) {
			if (!(i in o)) continue
			const l = o[i]
			if (typeof l !== "string" && (typeof l !== "object" || l === null)) throw new TypeError("Language ID should be string or object.")
			const tag = native.canonical(String(l))
			if (tag === undefined) throw new RangeError(`Incorrect locale information provided`)
			if (!out.includes(tag)) out.push(tag)
		}
		return out
	}
	const zeros = { arab: 0x660, arabext: 0x6f0, beng: 0x9e6, deva: 0x966, fullwide: 0xff10, gujr: 0xae6, guru: 0xa66, khmr: 0x17e0, knda: 0xce6, laoo: 0xed0, latn: 0x30, mlym: 0xd66, mymr: 0x1040, orya: 0xb66, tamldec: 0xbe6, telu: 0xc66, thai: 0xe50, tibt: 0xf20 }
	// known remembers what tags resolve to, and is begun again when it is large.
	let known = new Map(), sections = new Map()
	// resolve returns the locale that is used for a list: its name as resolvedOptions gives it without
	// extensions, and the name of its data.
	const resolve = list => {
		const plain = list === undefined || typeof list === "string"
		const found = plain && known.get(list)
		if (found) return found
		let r
		for (const tag of canonical(list)) {
			const [name, data] = native.find(tag)
			if (name) { r = { tag, name, data, language: data.split("-")[0] }; break }
		}
		r ??= { tag: "en-US", name: "en-US", data: "en", language: "en" }
		if (plain) { if (known.size > 40) known = new Map(); known.set(list, r) }
		return r
	}
	// keyword is the value of an option that a tag can hold as well, and what it adds to the locale's name.
	const keyword = (at, key, wanted, valid) => {
		if (wanted !== undefined && valid(wanted)) return [wanted, wanted === native.keyword(at.tag, key) ? `-${key}-${wanted}` : ""]
		const own = at.tag.includes("-u-") ? native.keyword(at.tag, key) : undefined
		return own !== undefined && valid(own) ? [own, `-${key}${own ? "-" + own : ""}`] : [undefined, ""]
	}
	const numbering = (at, o, otherwise) => {
		const wanted = o.numberingSystem === undefined ? undefined : String(o.numberingSystem).toLowerCase()
		if (wanted !== undefined && !/^[a-z0-9]{3,8}(-[a-z0-9]{3,8})*$/.test(wanted)) throw new RangeError(`Invalid numberingSystem : ${o.numberingSystem}`)
		const [nu, added] = keyword(at, "nu", wanted, v => v in zeros)
		return [nu ?? otherwise, added]
	}
	const core = {
		native, hide, option, digits, canonical, resolve, keyword, numbering,
		options: o => o === undefined ? Object.create(null) : Object(o),
		localeName: (at, ...added) => { const u = added.filter(Boolean).sort().join(""); return u ? `${at.name}-u${u}` : at.name },
		join: parts => { let s = ""; for (const p of parts) s += p.value; return s },
		section(at, name) {
			const key = at.data + "/" + name
			let s = sections.get(key)
			if (!s) {
				if (sections.size > 40) sections = new Map()
				sections.set(key, s = JSON.parse(native.section(at.data, name)))
			}
			return s
		},
		// localDigits writes digits as a numbering system does.
		localDigits: (s, nu) => nu === "latn" ? s : String(s).replace(/\d/g, d => String.fromCharCode(zeros[nu] + +d)),
		part: name => parts[name] ??= native.part(name)(core),
	}
	const parts = {}
	const where = { NumberFormat: "number", PluralRules: "plural", DateTimeFormat: "date", RelativeTimeFormat: "relative", ListFormat: "relative", Collator: "text", Segmenter: "text" }

	class Locale {
		#tag
		constructor(tag, options = undefined) {
			if (typeof tag !== "string" && (typeof tag !== "object" || tag === null)) throw new TypeError("First argument to Intl.Locale constructor can't be empty or missing")
			let s = canonical([String(tag)])[0]
			const o = core.options(options)
			let [base, ...rest] = s.split(/-(?=[a-z0-9]-)/)
			let [language, ...more] = base.split("-")
			const script = more.find(w => w.length === 4 && /^[A-Z]/.test(w)), region = more.find(w => /^([A-Z]{2}|\d{3})$/.test(w))
			base = [o.language ?? language, o.script ?? script, o.region ?? region, ...more.filter(w => w !== script && w !== region)].filter(w => w !== undefined).join("-")
			const keys = { ca: o.calendar, co: o.collation, hc: o.hourCycle, kf: o.caseFirst, kn: o.numeric === undefined ? undefined : o.numeric ? "" : "false", nu: o.numberingSystem }
			const words = []
			for (const k of Object.keys(keys)) { const v = keys[k] ?? native.keyword(s, k); if (v !== undefined) words.push(v === "" ? k : `${k}-${v}`) }
			this.#tag = canonical([[base, ...(words.length ? ["u-" + words.join("-")] : []), ...rest.filter(w => w[0] !== "u")].join("-")])[0]
		}
		get baseName() { return this.#tag.split(/-[a-z0-9]-/)[0] }
		get language() { return this.#tag.split("-")[0] }
		get script() { return this.baseName.split("-").find((w, i) => i && w.length === 4 && /^[A-Z]/.test(w)) }
		get region() { return this.baseName.split("-").find((w, i) => i && /^([A-Z]{2}|\d{3})$/.test(w)) }
		get calendar() { return native.keyword(this.#tag, "ca") }
		get collation() { return native.keyword(this.#tag, "co") }
		get hourCycle() { return native.keyword(this.#tag, "hc") }
		get caseFirst() { return native.keyword(this.#tag, "kf") }
		get numeric() { const v = native.keyword(this.#tag, "kn"); return v === "" || v === "true" }
		get numberingSystem() { return native.keyword(this.#tag, "nu") }
		toString() { return this.#tag }
	}
	Object.defineProperty(Locale.prototype, Symbol.toStringTag, { value: "Intl.Locale", configurable: true })

	// make builds a class when it is first asked for.
	const make = name => {
		const c = core.part(where[name])[name]
		hide(c, { supportedLocalesOf(list) { return canonical(list).filter(tag => native.find(tag)[0]) } })
		Object.defineProperty(c.prototype, Symbol.toStringTag, { value: "Intl." + name, configurable: true })
		if (!/^(NumberFormat|DateTimeFormat|Collator)$/.test(name)) return c
		// These may be called without new. In such a call goja has the target of whoever calls.
		const made = { [name]: function (list, options) { return Reflect.construct(c, [list, options], this instanceof made ? new.target ?? made : made) } }[name]
		Object.defineProperty(made, "length", { value: 0, configurable: true })
		Object.defineProperty(made, "prototype", { value: c.prototype, writable: false })
		hide(c.prototype, { constructor: made })
		hide(made, { supportedLocalesOf: c.supportedLocalesOf })
		return made
	}
	const Intl = {}
	hide(Intl, { Locale })
	for (const name of Object.keys(where)) {
		Object.defineProperty(Intl, name, { configurable: true, enumerable: false,
			get() { const c = make(name); hide(Intl, { [name]: c }); return c },
			set(value) { hide(Intl, { [name]: value }) } })
	}
	const currencies = "AED AUD BGN BRL CAD CHF CNY CZK DKK EGP EUR GBP HKD HUF IDR ILS INR JPY KRW MXN NOK NZD PHP PLN RON RUB SAR SEK SGD THB TRY TWD UAH USD VND XAF XCD XOF XPF ZAR"
	hide(Intl, { getCanonicalLocales: list => canonical(list), supportedValuesOf(kind) {
		switch (String(kind)) {
			case "calendar": return ["buddhist", "gregory"]
			case "collation": return ["default"]
			case "currency": return currencies.split(" ")
			case "numberingSystem": return Object.keys(zeros).sort()
			case "timeZone": return ["UTC"]
			case "unit": return [...core.part("number").unitNames].sort()
		}
		throw new RangeError(`Invalid key : ${kind}`)
	} })
	Object.defineProperty(Intl, Symbol.toStringTag, { value: "Intl", configurable: true })
	if (typeof globalThis.Intl === "undefined") hide(globalThis, { Intl })

	const numeric = v => {
		if (typeof v === "number" || typeof v === "bigint") return v
		if (v instanceof Number) return v.valueOf()
		throw new TypeError("Number.prototype.toLocaleString requires that 'this' be a Number")
	}
	// formatter makes a format, or finds the one that was made for a locale without options.
	let plain = new Map()
	const formatter = (name, list, options, ...more) => {
		const c = core.part(where[name])[name]
		if (options !== undefined || list !== undefined && typeof list !== "string") return new c(list, options, ...more)
		const key = `${name} ${more} ${list}`
		let f = plain.get(key)
		if (!f) { if (plain.size > 20) plain = new Map(); plain.set(key, f = new c(list, options, ...more)) }
		return f
	}
	const dates = (need, defaults) => function (list, options) {
		const t = Date.prototype.getTime.call(this)
		return t !== t ? "Invalid Date" : formatter("DateTimeFormat", list, options, need, defaults).format(t)
	}
	const text = (s, what) => { if (s == null) throw new TypeError(`String.prototype.${what} called on null or undefined`); return String(s) }
	hide(Number.prototype, { toLocaleString(list = undefined, options = undefined) { return formatter("NumberFormat", list, options).format(numeric(this)) } })
	hide(BigInt.prototype, { toLocaleString(list = undefined, options = undefined) { return formatter("NumberFormat", list, options).format(BigInt.prototype.valueOf.call(this)) } })
	hide(Date.prototype, { toLocaleString: { toLocaleString: dates("any", "all") }.toLocaleString, toLocaleDateString: dates("date", "date"), toLocaleTimeString: dates("time", "time") })
	hide(Array.prototype, { toLocaleString(list = undefined, options = undefined) { return Array.from(this, v => v == null ? "" : String(v.toLocaleString(list, options))).join(",") } })
	const cased = (name, otherwise) => ({ [name](list = undefined) {
		const s = text(this, name), tag = list === undefined ? undefined : canonical(list)[0]
		const special = tag && /^(tr|az|lt|el)(-|$)/.exec(tag)
		return special ? native.cased(s, special[1], name === "toLocaleUpperCase") : otherwise.call(s)
	} })
	hide(String.prototype, { ...cased("toLocaleUpperCase", String.prototype.toUpperCase), ...cased("toLocaleLowerCase", String.prototype.toLowerCase) })
}
