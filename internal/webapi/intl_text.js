// Intl.Collator and Intl.Segmenter.
core => {
	const { option, resolve, native } = core
	class Collator {
		#o
		#compare
		constructor(list = undefined, options = undefined) {
			const at = resolve(list), o = core.options(options)
			const usage = option(o, "usage", ["sort", "search"], "sort"), sensitivity = option(o, "sensitivity", ["base", "accent", "case", "variant"], "variant")
			const boolean = v => v === "" || v === "true" || v === "false"
			const [kn, addedKn] = core.keyword(at, "kn", o.numeric === undefined ? undefined : o.numeric ? "" : "false", boolean)
			const [kf, addedKf] = core.keyword(at, "kf", option(o, "caseFirst", ["upper", "lower", "false"]), v => ["upper", "lower", "false"].includes(v))
			const numeric = kn !== undefined && kn !== "false"
			this.#o = { locale: core.localeName(/^(zh|en-US)/.test(at.name) ? at : { name: at.name.split("-")[0] }, addedKf, addedKn), usage, sensitivity, ignorePunctuation: Boolean(o.ignorePunctuation ?? at.language === "th"), collation: "default", numeric, caseFirst: kf ?? "false" }
			this.#compare = native.collator(at.data, sensitivity, numeric, this.#o.caseFirst === "upper" || kf === undefined && at.data === "da", this.#o.ignorePunctuation)
		}
		get compare() { return this.#compare }
		resolvedOptions() { return { ...this.#o } }
	}
	class Segmenter {
		#kind
		#at
		constructor(list = undefined, options = undefined) {
			this.#at = resolve(list)
			this.#kind = option(core.options(options), "granularity", ["grapheme", "word", "sentence"], "grapheme")
		}
		segment(text) {
			text = String(text)
			const kind = this.#kind
			const at = index => {
				const end = native.boundary(text, kind, index), segment = text.slice(index, end)
				return { segment, index, input: text, ...(kind === "word" && { isWordLike: native.wordLike(segment) }) }
			}
			return { *[Symbol.iterator]() { for (let i = 0; i < text.length;) { const s = at(i); yield s; i += s.segment.length } },
				containing(index = 0) {
					index = Math.trunc(Number(index)) || 0
					return index < 0 || index >= text.length ? undefined : at(native.containing(text, kind, index))
				} }
		}
		resolvedOptions() { return { locale: this.#at.name, granularity: this.#kind } }
	}
	return { Collator, Segmenter }
}
