// Intl.RelativeTimeFormat and Intl.ListFormat.
core => {
	const { option, resolve, section, join } = core
	const units = ["second", "minute", "hour", "day", "week", "month", "quarter", "year"], widths = ["long", "short", "narrow"]
	class RelativeTimeFormat {
		#o
		constructor(list = undefined, options = undefined) {
			const at = resolve(list), o = core.options(options), data = section(at, "n")
			const [nu, added] = core.numbering(at, o, data.nu)
			this.#o = { at, data, nu, locale: core.localeName(at, added), numeric: option(o, "numeric", ["always", "auto"], "always"), style: option(o, "style", widths, "long"), format: new (core.part("number").NumberFormat)(list, o.numberingSystem === undefined ? undefined : { numberingSystem: o.numberingSystem }) }
		}
		format(n, unit) { return join(this.formatToParts(n, unit)) }
		formatToParts(n, unit) {
			const { at, data, numeric, style, format } = this.#o
			n = Number(n)
			const name = String(unit).replace(/s$/, "")
			if (!units.includes(name)) throw new RangeError(`Invalid unit argument for format() '${String(unit).slice(0, 50)}'`)
			if (!isFinite(n)) throw new RangeError("Invalid time value")
			const rows = section(at, "r")[name]
			const row = i => { for (let w = widths.indexOf(style); ; w--) if (rows[w][i] !== 0) return rows[w][i] }
			if (numeric === "auto") { const word = row(2)[Object.is(n, -0) ? "0" : n]; if (word !== undefined) return [{ type: "literal", value: word }] }
			const past = n < 0 || Object.is(n, -0), texts = row(past ? 0 : 1), number = core.part("number")
			let text = texts
			if (Array.isArray(texts)) {
				const [whole, part] = number.digits(format, Math.abs(n))
				text = texts[data.pc.indexOf(core.part("plural").category(at.data, "cardinal", whole, part))]
			}
			const [before, after] = text.split("0"), parts = []
			if (before) parts.push({ type: "literal", value: before })
			if (after !== undefined) {
				for (const p of format.formatToParts(Math.abs(n))) parts.push({ ...p, unit: name })
				if (after) parts.push({ type: "literal", value: after })
			}
			return parts
		}
		resolvedOptions() { const { locale, style, numeric, nu } = this.#o; return { locale, style, numeric, numberingSystem: nu } }
	}
	class ListFormat {
		#o
		constructor(list = undefined, options = undefined) {
			const at = resolve(list)
			if (options !== undefined && (typeof options !== "object" && typeof options !== "function" || options === null)) throw new TypeError("Incorrect options")
			const o = core.options(options)
			const type = option(o, "type", ["conjunction", "disjunction", "unit"], "conjunction"), style = option(o, "style", widths, "long")
			this.#o = { at, type, style, words: section(at, "l")[type + style] }
		}
		// #between is the word before the last of the items. Spanish and Hebrew heed how it begins.
		#between(word, next) {
			const { at } = this.#o
			if (at.language === "es") {
				if (word === " y " && /^(i|í|hi(?![ae])|hí|y(?!$|[aeiou]))/i.test(next) && !/^y$/i.test(next) || word === " y " && /^y$/i.test(next)) return " e "
				if (word === " o " && /^(o|ó|ho|hó|8|11(\D|$))/i.test(next)) return " u "
			}
			if (at.language === "he" && word === " ו-" && /^[\u05d0-\u05ea]/.test(next)) return " ו"
			return word
		}
		format(items) { return join(this.formatToParts(items)) }
		formatToParts(items = []) {
			const all = [...items], { words } = this.#o
			for (const s of all) if (typeof s !== "string") throw new TypeError("Iterable yielded a non-String value")
			const parts = []
			all.forEach((value, i) => {
				if (i) parts.push({ type: "literal", value: all.length === 2 ? this.#between(words[0], value) : i === all.length - 1 ? this.#between(words[3], value) : words[i === 1 ? 1 : 2] })
				parts.push({ type: "element", value })
			})
			return parts
		}
		resolvedOptions() { const { at, type, style } = this.#o; return { locale: at.name, type, style } }
	}
	return { RelativeTimeFormat, ListFormat }
}
