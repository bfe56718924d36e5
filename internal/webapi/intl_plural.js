// Intl.PluralRules: the rules of CLDR for the languages that there is data for.
core => {
	const one = (i, v) => i === 1 && v === 0
	const millions = (i, v) => i !== 0 && i % 1e6 === 0 && v === 0
	const east = (i, v) => v !== 0 ? "other" : i % 10 === 1 && i % 100 !== 11 ? "one" : i % 10 >= 2 && i % 10 <= 4 && !(i % 100 >= 12 && i % 100 <= 14) ? "few" : "many"
	const single = n => n === 1 ? "one" : "other"
	// n is the number, i its whole part, v how many digits its fraction has, t these without the zeros at the end.
	const cardinal = {
		da: (n, i, v, t) => n === 1 || t !== 0 && i <= 1 ? "one" : "other",
		nb: single, no: single, hu: single, tr: single, el: single,
		es: (n, i, v) => n === 1 ? "one" : millions(i, v) ? "many" : "other",
		it: (n, i, v) => one(i, v) ? "one" : millions(i, v) ? "many" : "other",
		pt: (n, i, v) => i <= 1 ? "one" : millions(i, v) ? "many" : "other",
		hi: (n, i) => i === 0 || n === 1 ? "one" : "other",
		pl: (n, i, v) => one(i, v) ? "one" : v !== 0 ? "other" : east(i, v) === "few" ? "few" : "many",
		cs: (n, i, v) => one(i, v) ? "one" : v !== 0 ? "many" : i >= 2 && i <= 4 ? "few" : "other",
		ro: (n, i, v) => one(i, v) ? "one" : v !== 0 || n === 0 || n % 100 >= 1 && n % 100 <= 19 ? "few" : "other",
		ru: (n, i, v) => east(i, v), uk: (n, i, v) => east(i, v),
		he: (n, i, v) => one(i, v) || i === 0 && v !== 0 ? "one" : i === 2 && v === 0 ? "two" : "other",
		ar: n => n === 0 ? "zero" : n === 1 ? "one" : n === 2 ? "two" : n % 1 ? "other" : n % 100 >= 3 && n % 100 <= 10 ? "few" : n % 100 >= 11 ? "many" : "other",
		en: (n, i, v) => one(i, v) ? "one" : "other",
	}
	cardinal.fr = cardinal.pt
	cardinal["pt-PT"] = cardinal.it
	for (const l of ["ja", "zh", "ko", "id", "vi", "th"]) cardinal[l] = () => "other"
	const ordinal = {
		en: n => n % 10 === 1 && n % 100 !== 11 ? "one" : n % 10 === 2 && n % 100 !== 12 ? "two" : n % 10 === 3 && n % 100 !== 13 ? "few" : "other",
		sv: n => (n % 10 === 1 || n % 10 === 2) && n % 100 !== 11 && n % 100 !== 12 ? "one" : "other",
		it: n => n === 11 || n === 8 || n === 80 || n === 800 ? "many" : "other",
		hu: n => n === 1 || n === 5 ? "one" : "other",
		uk: n => n % 10 === 3 && n % 100 !== 13 ? "few" : "other",
		hi: n => n === 1 ? "one" : n === 2 || n === 3 ? "two" : n === 4 ? "few" : n === 6 ? "many" : "other",
		fr: single, ro: single, vi: single,
	}
	const category = (data, type, whole, part) => {
		const language = data.split("-")[0], rules = type === "ordinal" ? ordinal : cardinal
		const rule = rules[data] ?? rules[language] ?? (type === "ordinal" ? () => "other" : cardinal.en)
		return rule(Number(part ? `${whole}.${part}` : whole), Number(whole), part.length, Number(part.replace(/0+$/, "") || 0))
	}
	class PluralRules {
		#o
		#format
		constructor(list = undefined, options = undefined) {
			const at = core.resolve(list), o = core.options(options), number = core.part("number")
			this.#o = { at, type: core.option(o, "type", ["cardinal", "ordinal"], "cardinal") }
			this.#format = new number.NumberFormat(list, { minimumIntegerDigits: o.minimumIntegerDigits, minimumFractionDigits: o.minimumFractionDigits, maximumFractionDigits: o.maximumFractionDigits, minimumSignificantDigits: o.minimumSignificantDigits, maximumSignificantDigits: o.maximumSignificantDigits,
				roundingIncrement: o.roundingIncrement, roundingMode: o.roundingMode, roundingPriority: o.roundingPriority, trailingZeroDisplay: o.trailingZeroDisplay })
		}
		select(n = undefined) {
			n = Number(n)
			if (!isFinite(n)) return "other"
			const [whole, part] = core.part("number").digits(this.#format, Math.abs(n))
			return category(this.#o.at.data, this.#o.type, whole, part)
		}
		selectRange(a, b) {
			if (a === undefined || b === undefined) throw new TypeError("start or end is undefined")
			a = Number(a)
			b = Number(b)
			if (a !== a || b !== b) throw new RangeError("Invalid number value")
			return this.select(b)
		}
		resolvedOptions() {
			const { at, type } = this.#o, { numberingSystem, style, useGrouping, notation, signDisplay, locale, ...digits } = this.#format.resolvedOptions(), data = core.section(at, "n")
			const { roundingIncrement, roundingMode, roundingPriority, trailingZeroDisplay, ...shape } = digits
			return { locale: at.name === "pt-PT" ? at.name : at.name.split("-")[0], type, ...shape, pluralCategories: [...type === "cardinal" ? data.pc : data.po] }
		}
	}
	return { PluralRules, category }
}
