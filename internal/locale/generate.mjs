// Writes data.bin: what node's ICU says of the locales, section by section.
//
//	node generate.mjs          node v20.20.2, ICU 78.2, CLDR 48
//
// The file is the length of the index in two bytes, the index, and sections of JSON, all compressed by
// DEFLATE. The index is two lines of words: the locales, as name or name=locale, and where
// the sections are, as locale/section:offset:length:locale, whose section is the dictionary.
import { writeFileSync } from "node:fs"
import { deflateRawSync } from "node:zlib"

const locales = `en en-GB en-AU en-CA en-IN de de-AT de-CH fr fr-CA es es-MX es-419 it pt pt-PT nl
	sv da nb fi pl cs hu ro tr el ru uk ja zh zh-TW zh-HK ko he ar ar-EG hi id vi th`.split(/\s+/)
// Names for a locale of the list. The maximized form of each is added.
const aliases = { no: "nb", "no-NO": "nb",  "zh-Hant": "zh-TW", "zh-Hant-TW": "zh-TW", "zh-Hant-HK": "zh-HK", "zh-MO": "zh-HK", "zh-Hans": "zh", "zh-SG": "zh" }

const join = (parts, name) => parts.map(p => p.type === "literal" ? p.value : name(p) ?? p.value).join("")
// number is a pattern as CLDR writes them: 0 for the digits, ¤ for the currency.
const digit = { integer: "0", group: "", decimal: "", fraction: "" }
const number = parts => join(parts, p => ({ ...digit, minusSign: "-", plusSign: "+", currency: "¤", percentSign: "%" })[p.type]).replace(/0+/, "0")
const same = list => list.every(x => x === list[0]) ? list[0] : list

// samples gives a number for each plural category of a locale.
function samples(locale) {
	const rules = new Intl.PluralRules(locale), found = {}
	for (const n of [1, 2, 3, 5, 4, 6, 7, 8, 0, 11, 12, 15, 20, 21, 100, 1.5, 0.5, 2.5, 1e6]) found[rules.select(n)] ??= n
	return rules.resolvedOptions().pluralCategories.map(c => [c, found[c]])
}

const currencies = "USD EUR GBP JPY CNY INR KRW BRL CAD AUD MXN CHF SEK NOK DKK PLN CZK HUF RON TRY RUB UAH ILS THB VND IDR AED SAR EGP HKD TWD NZD SGD ZAR PHP BGN XAF XOF XPF XCD".split(" ")
const named = "USD EUR GBP JPY CNY INR KRW BRL CAD AUD MXN CHF SEK NOK DKK PLN".split(" ").concat("TRY", "RUB")

function numbers(locale) {
	const nf = o => new Intl.NumberFormat(locale, o)
	const part = (f, x, type) => f.formatToParts(x).find(p => p.type === type)?.value
	const own = nf().resolvedOptions().numberingSystem
	const symbols = nu => {
		const at = o => new Intl.NumberFormat(`${locale}-u-nu-${nu}`, o)
		return [part(at(), 0.5, "decimal"), part(at(), 1e6, "group"), part(at(), -1, "minusSign"), part(at({ signDisplay: "always" }), 1, "plusSign"), part(at({ style: "percent" }), 1, "percentSign"),
			part(at(), NaN, "nan"), part(at(), Infinity, "infinity"), part(at({ notation: "scientific" }), 1e5, "exponentSeparator"), at().formatRangeToParts(1, 1).find(p => p.type === "approximatelySign").value]
	}
	const whole = f => f.formatToParts(1234567890).filter(p => p.type === "integer").map(p => p.value.length)
	const sizes = whole(nf())
	const money = (currency, display, x, more) => number(nf({ style: "currency", currency, currencyDisplay: display, ...more }).formatToParts(x))
	const patterns = (currency, display) => [money(currency, display, 5), money(currency, display, -5), money(currency, display, -5, { currencySign: "accounting" }), money(currency, display, 5, { currencySign: "accounting", signDisplay: "always" }).replace("+", "-")]
	const rules = new Intl.PluralRules(locale)
	// A row is how many digits the number has before the point at the least, the pattern for each
	// plural category, and that for the number 1 if it has none.
	const compact = (display, more) => Array.from({ length: 15 }, (_, i) => {
		const f = nf({ notation: "compact", compactDisplay: display, maximumFractionDigits: 2, useGrouping: false, ...more }), text = x => number(f.formatToParts(x))
		const zeros = f.formatToParts(5 * 10 ** (i + 3)).find(p => p.type === "integer").value.length, scale = 10 ** (i + 4 - zeros), low = 10 ** (zeros - 1)
		const found = {}
		for (const n of [1.25, 1.75, 2.5, 3.25, 5.5, 2, 3, 5, 7, 4, 6, 8, 9, 1, 10, 11, 12, 15, 20, 21, 22, 25, 10.5, 100, 101, 102, 103, 105, 111, 121, 122, 125, 200, 1000, 1001, 1002, 1003, 1005, 1011, 1015]) if (n >= low && n < low * 10) found[rules.select(n)] ??= text(n * scale)
		const one = text(scale)
		return [zeros, same(samples(locale).map(([c]) => found[c] ?? found.other ?? text(5 * 10 ** (i + 3)))), ...(one.includes("0") ? [] : [one])]
	}).filter((row, i, rows) => i < 10 || !rows.slice(i).every((r, j) => r[0] === rows[i - 1][0] + 1 + j && r.length === 2 && JSON.stringify(r[1]) === JSON.stringify(rows[i - 1][1])))
	const symbol = display => {
		const out = {}
		for (const currency of currencies) { const s = part(nf({ style: "currency", currency, currencyDisplay: display }), 1, "currency"); if (s !== currency) out[currency] = s }
		return out
	}
	const wide = symbol("symbol"), narrow = symbol("narrowSymbol")
	for (const c of Object.keys(narrow)) if (narrow[c] === wide[c]) delete narrow[c]
	const range = o => { const f = nf(o); return f.formatRangeToParts(3, 5).map(p => p.type === "literal" || p.type === "currency" || p.type === "percentSign" ? (p.type === "currency" ? "¤" : p.type === "percentSign" ? "%" : p.value) : p.source === "startRange" ? (p.type === "integer" ? "{0}" : "") : p.type === "integer" ? "{1}" : "").join("") }
	return {
		nu: own, s: { [own]: symbols(own), ...(own === "latn" ? { arab: /^ar/.test(locale) ? symbols("arab") : undefined } : { latn: symbols("latn") }) },
		cg: (x => x === part(nf(), 1e6, "group") ? undefined : x)(part(nf({ style: "currency", currency: "EUR" }), 1e6, "group")),
		g: [sizes.at(-1), sizes.at(-2), nf().format(1000).length > 4 ? 1 : 2],
		pc: samples(locale).map(([c]) => c), po: new Intl.PluralRules(locale, { type: "ordinal" }).resolvedOptions().pluralCategories,
		n: number(nf().formatToParts(-5)), p: [number(nf({ style: "percent" }).formatToParts(0.05)), number(nf({ style: "percent" }).formatToParts(-0.05))],
		c: patterns("EUR", "narrowSymbol"), ca: patterns("EUR", "code"), w: wide, a: narrow,
		k: compact("short"), K: compact("long"), kc: compact("short", { style: "currency", currency: "EUR", currencyDisplay: "narrowSymbol" }),
		r: [range(), range({ style: "percent" }), range({ style: "currency", currency: "EUR" }), range({ style: "currency", currency: "EUR", currencyDisplay: "code" })],
	}
}

const simple = "bit byte celsius centimeter day degree fahrenheit foot gigabit gigabyte gram hour inch kilobit kilobyte kilogram kilometer liter megabit megabyte meter mile milliliter millimeter millisecond minute month ounce percent pound second terabyte week year kilometer-per-hour mile-per-hour meter-per-second".split(" ")

function units(locale) {
	const text = (unit, unitDisplay, n) => join(new Intl.NumberFormat(locale, { style: "unit", unit, unitDisplay, useGrouping: false }).formatToParts(n), p => ({ ...digit })[p.type]).replace(/0+/, "0")
	const u = {}
	for (const unit of simple) {
		const all = ["short", "narrow", "long"].map(d => same(samples(locale).map(([, n]) => text(unit, d, n))))
		u[unit] = JSON.stringify(all[1]) === JSON.stringify(all[0]) ? [all[0], 0, all[2]] : all
	}
	const per = ["short", "narrow", "long"].map(d => text("meter-per-bit", d, 5)) // shows how two units are joined
	return { u, per }
}

function money(locale) {
	const text = (currency, n) => join(new Intl.NumberFormat(locale, { style: "currency", currency, currencyDisplay: "name", useGrouping: false }).formatToParts(n), p => ({ ...digit })[p.type]).replace(/0+/, "0"), out = {}
	for (const currency of named) out[currency] = same(samples(locale).map(([, n]) => text(currency, n)))
	return { n: out, x: text("XYZ", 5).replace("XYZ", "¤") }
}

const when = new Date(Date.UTC(2003, 1, 4, 5, 7, 8)), evening = new Date(Date.UTC(2003, 1, 4, 17, 7, 8)) // a Tuesday
const month = m => new Date(Date.UTC(2003, m, 4)), day = d => new Date(Date.UTC(2003, 5, 1 + d)), hour = h => new Date(Date.UTC(2003, 1, 4, h, 7))

function dates(locale) {
	const df = o => new Intl.DateTimeFormat(locale, { timeZone: "UTC", numberingSystem: "latn", ...o })
	const get = (o, t, type) => df(o).formatToParts(t).find(p => p.type === type)?.value
	const names = (list, of, type, o) => list.map(x => get(o, of(x), type))
	const months = [...Array(12).keys()], weekdays = [...Array(7).keys()], hours = [...Array(24).keys()]
	const m = { f: names(months, month, "month", { month: "long", day: "numeric" }), l: names(months, month, "month", { year: "numeric", month: "long" }), g: names(months, month, "month", { year: "numeric", month: "short", day: "numeric" }), s: names(months, month, "month", { month: "short" }), x: names(months, month, "month", { month: "long" }), n: names(months, month, "month", { month: "narrow" }) }
	const w = { f: names(weekdays, day, "weekday", { weekday: "long", year: "numeric", month: "long", day: "numeric" }), l: names(weekdays, day, "weekday", { weekday: "long" }), g: names(weekdays, day, "weekday", { weekday: "short", month: "long", day: "numeric" }), s: names(weekdays, day, "weekday", { weekday: "short" }), n: names(weekdays, day, "weekday", { weekday: "narrow" }) }
	const halves = names([5, 17], hour, "dayPeriod", { hour: "numeric", hour12: true })
	const periods = d => names(hours, hour, "dayPeriod", { hour: "numeric", minute: "numeric", dayPeriod: d, hour12: true })
	const B = { l: periods("long"), s: periods("short"), n: periods("narrow") }
	// pattern names the fields of what a format prints of the moment.
	const pattern = (o, zone = false) => {
		const a = df(o).formatToParts(when), b = df(o).formatToParts(evening)
		return a.map((p, i) => {
			const v = p.value
			// The list of names that has what the format prints of every month or weekday.
			const of = (names, list, days, at) => {
				const fit = names.filter(k => list[k][at] === v)
				return fit.length < 2 || fit.every(k => JSON.stringify(list[k]) === JSON.stringify(list[fit[0]])) ? fit[0] : fit.find(k => days.every((t, j) => df(o).formatToParts(t)[i].value === list[k][j])) ?? fit[0]
			}
			switch (p.type) {
				case "literal": return v
				case "year": return v.length === 2 ? "{yy}" : "{y}"
				case "month": return v === "2" ? "{M}" : v === "02" ? "{MM}" : `{M${of(/long|full/.test(o.month ?? o.dateStyle) ? ["l", "f", "s", "g", "x", "n"] : ["s", "g", "l", "f", "x", "n"], m, months.map(month), 1) ?? "?" + v}}`
				case "weekday": return `{E${of(/long|full/.test(o.weekday ?? o.dateStyle) ? ["l", "f", "s", "g", "n"] : ["s", "g", "l", "f", "n"], w, weekdays.map(day), 2) ?? "?" + v}}`
				case "day": return v === "4" ? "{d}" : "{dd}"
				case "hour": return (b[i].value === "17" ? "{H" : "{h") + (v === "05" ? "2}" : "}")
				case "minute": return v === "7" ? "{m}" : "{mm}"
				case "second": return v === "8" ? "{s}" : "{ss}"
				case "dayPeriod": return v === halves[0] && b[i].value === halves[1] ? "{a}" : "{B}"
				case "timeZoneName": return "{z}"
				case "era": return `{G${v}}`
			}
			throw new Error(p.type)
		}).join("")
	}
	const put = (o, name, v) => v === undefined ? o : { ...o, [name]: v }
	const sk = [], tk = []
	for (const weekday of [undefined, "short", "long"]) for (const year of [undefined, "numeric", "2-digit"]) for (const month of [undefined, "numeric", "2-digit", "short", "long"]) for (const day of [undefined, "numeric", "2-digit"]) {
		const o = put(put(put(put({}, "weekday", weekday), "year", year), "month", month), "day", day)
		sk.push(Object.keys(o).length ? pattern(o) : "")
	}
	// What follows from a pattern before it is left out.
	const brief = sk.map((p, i) => {
		const day = i % 3, month = Math.trunc(i / 3) % 5, year = Math.trunc(i / 15) % 3, weekday = Math.trunc(i / 45)
		const from = weekday === 2 ? sk[i - 45].replace(/\{E[sg]\}/, "{El}") : year === 2 ? sk[i - 15].replace("{y}", "{yy}") : day === 2 ? sk[i - 1].replace("{d}", "{dd}") : month === 2 ? sk[i - 3].replace("{M}", "{MM}") : month === 4 ? sk[i - 3].replace(/\{M[sg]\}/, "{Ml}") : undefined
		return p === from ? "" : p
	})
	for (const hour12 of [true, false]) for (const hour of [undefined, "numeric", "2-digit"]) for (const minute of [undefined, "numeric", "2-digit"]) for (const second of [undefined, "numeric", "2-digit"]) {
		const o = put(put(put({ hour12 }, "hour", hour), "minute", minute), "second", second)
		tk.push(Object.keys(o).length > 1 ? pattern(o) : "")
	}
	const briefTimes = tk.map((p, i) => {
		const second = i % 3, minute = Math.trunc(i / 3) % 3
		return p === (second === 2 ? tk[i - 1] : minute === 2 ? tk[i - 3] : undefined) ? "" : p
	})
	const glue = (date, time) => pattern({ ...date, ...time }).replace(pattern(date), "{1}").replace(pattern(time), "{0}")
	const styles = ["full", "long", "medium", "short"]
	const zoned = pattern({ hour: "numeric", minute: "numeric", timeZoneName: "short" })
	const options = df({ hour: "numeric" }).resolvedOptions(), offset = tz => get({ timeZone: tz, timeZoneName: "longOffset" }, when, "timeZoneName")
	const zone = (timeZone, t) => [get({ timeZone, timeZoneName: "long" }, t, "timeZoneName"), get({ timeZone, timeZoneName: "short" }, t, "timeZoneName")]
	const list = l => l.every((x, i) => x === l[0]) ? l[0] : l
	const unless = (l, other) => JSON.stringify(l) === JSON.stringify(other) ? 0 : l
	return {
		nu: new Intl.DateTimeFormat(locale).resolvedOptions().numberingSystem, ca: options.calendar, hc: options.hourCycle,
		m: [m.l, unless(m.f, m.l), m.s, unless(m.g, m.s), m.n, unless(m.x, m.l)], w: [w.l, unless(w.f, w.l), w.s, unless(w.g, w.s), w.n],
		a: halves, B: [B.l, unless(B.s, B.l), unless(B.n, B.s)],
		ds: styles.map(dateStyle => pattern({ dateStyle })),
		ts: [undefined, true, false].map(hour12 => styles.map(timeStyle => pattern(hour12 === undefined ? { timeStyle } : { timeStyle, hour12 }))),
		gs: styles.map(dateStyle => glue({ dateStyle }, { timeStyle: "medium" })),
		gw: (g => /^\{1\}[^{}]*\{0\}$/.test(g) ? g : 0)(glue({ weekday: "long" }, { hour: "numeric", minute: "numeric" })),
		gk: [{ weekday: "long", year: "numeric", month: "long", day: "numeric" }, { year: "numeric", month: "long", day: "numeric" }, { year: "numeric", month: "short", day: "numeric" }, { year: "numeric", month: "numeric", day: "numeric" }].map(o => glue(o, { hour: "numeric", minute: "numeric", second: "numeric", hour12: false })),
		f: df({ second: "numeric", fractionalSecondDigits: 1 }).formatToParts(when).find(p => p.type === "literal").value,
		sk: brief.join("\n"), tk: briefTimes.join("\n"),
		zw: zoned.includes("2}") && !pattern({ hour: "numeric", minute: "numeric" }).includes("2}") ? 1 : 0, zt: zoned.replace(/(?:\{[aB]\}\s?)?\{[Hh]2?\}.\{mm\}(?:\s\{[aB]\})?/, "{0}"), zd: pattern({ year: "numeric", month: "numeric", day: "numeric", timeZoneName: "short" }).replace(sk[1 * 15 + 1 * 3 + 1], "{0}"),
		b: [pattern({ hour: "numeric", dayPeriod: "short", hour12: true }), pattern({ hour: "numeric", minute: "numeric", dayPeriod: "short", hour12: true })],
		o: [get({ timeZone: "Europe/London", timeZoneName: "longOffset" }, month(0), "timeZoneName"), offset("Asia/Kolkata").replace(/05.30/, "{0}"), offset("America/New_York").replace(/05.00/, "{0}"), get({ timeZone: "Europe/London", timeZoneName: "shortOffset" }, month(0), "timeZoneName"), offset("Asia/Kolkata").match(/05(.)30/)[1], get({ timeZone: "America/New_York", timeZoneName: "shortOffset" }, month(0), "timeZoneName").replace("5", "{0}")],
		u: zone("UTC", when),
	}
}

// Time zones, one for each abbreviation that Go knows them by, in winter and in summer.
const zoneNames = { GMT: "Europe/London", BST: "Europe/London", CET: "Europe/Paris", CEST: "Europe/Paris", EET: "Europe/Athens", EEST: "Europe/Athens", MSK: "Europe/Moscow",
	JST: "Asia/Tokyo", KST: "Asia/Seoul", AEST: "Australia/Sydney", AEDT: "Australia/Sydney",
	EST: "America/New_York", EDT: "America/New_York", CST: "America/Chicago", CDT: "America/Chicago", MST: "America/Denver", MDT: "America/Denver", PST: "America/Los_Angeles", PDT: "America/Los_Angeles",
	"Asia/Kolkata": "Asia/Kolkata", "Asia/Shanghai": "Asia/Shanghai", "America/Sao_Paulo": "America/Sao_Paulo" }

function zones(locale) {
	const out = {}
	for (const key in zoneNames) {
		const timeZone = zoneNames[key], name = (timeZoneName, t) => new Intl.DateTimeFormat(locale, { timeZone, timeZoneName, numberingSystem: "latn" }).formatToParts(t).find(p => p.type === "timeZoneName").value
		const winter = new Date(Date.UTC(2024, 0, 15)), summer = new Date(Date.UTC(2024, 6, 15))
		const daylight = /^(BST|.*[CEW]EST|.*DT)$/.test(key), south = /^(A[EC]|NZ)/.test(key), t = daylight !== south ? summer : winter
		const short = name("short", t)
		out[key] = /\d/.test(short) ? [name("long", t)] : [name("long", t), short]
	}
	return out
}

function relative(locale) {
	const out = {}
	for (const unit of ["second", "minute", "hour", "day", "week", "month", "quarter", "year"]) {
		out[unit] = ["long", "short", "narrow"].map(style => {
			const always = new Intl.RelativeTimeFormat(`${locale}-u-nu-latn`, { style }), auto = new Intl.RelativeTimeFormat(`${locale}-u-nu-latn`, { style, numeric: "auto" }), near = {}
			for (let i = -3; i <= 3; i++) if (auto.format(i, unit) !== always.format(i, unit)) near[i] = auto.format(i, unit)
			const text = sign => same(samples(locale).map(([, n]) => join(always.formatToParts(sign * n || sign * 0, unit), p => ({ ...digit })[p.type]).replace(/0+/, "0")))
			return [text(-1), text(1), near]
		})
		// 0 stands for what the longer style has.
		for (const i of [2, 1]) for (const j of [0, 1, 2]) if (JSON.stringify(out[unit][i][j]) === JSON.stringify(out[unit][i - 1][j])) out[unit][i][j] = 0
	}
	return out
}

function lists(locale) {
	const out = {}
	for (const type of ["conjunction", "disjunction", "unit"]) for (const style of ["long", "short", "narrow"]) {
		const between = items => { const p = new Intl.ListFormat(locale, { type, style }).formatToParts(items); return p.map((x, i) => x.type === "literal" ? x.value : "\n").join("").split("\n") }
		const [, two] = between(["A", "B"]), [first, start, middle, end, last] = between(["A", "B", "C", "D"])
		if (first || last) throw new Error(`${locale}: a list with more than words between`)
		out[type + style] = [two, start, middle, end]
	}
	return out
}

const make = { n: numbers, u: units, c: money, d: dates, z: zones, r: relative, l: lists }
const index = {}, chunks = [], texts = {}, places = {}
let at = 0, raw = 0
for (const locale of locales) {
	for (const section in make) {
		const text = JSON.stringify(make[section](locale))
		const known = places[section + text]
		texts[section + locale] = text
		raw += text.length
		if (known) { index[`${locale}/${section}`] = known; continue }
		// Whichever of the locales before it is the most like it, one or two steps from none.
		let data = deflateRawSync(Buffer.from(text), { level: 9 }), from = ""
		for (const other of locales) {
			if (other === locale) break
			const place = index[`${other}/${section}`]
			if (place[2] && index[`${place[2]}/${section}`][2]) continue
			const d = deflateRawSync(Buffer.from(text), { level: 9, dictionary: Buffer.from(texts[section + other]) })
			if (d.length < data.length) { data = d; from = other }
		}
		places[section + text] = index[`${locale}/${section}`] = [at, data.length, from]
		chunks.push(data)
		at += data.length
	}
}
const names = {}
for (const l of locales) names[l] = l
for (const l of locales) { const m = new Intl.Locale(l).maximize(); for (const n of [`${m.language}-${m.region}`, `${m.language}-${m.script}`, m.baseName]) names[n] ??= l }
Object.assign(names, aliases)
const head = deflateRawSync(" " + Object.entries(names).map(([n, l]) => n === l ? n : `${n}=${l}`).join(" ") + " \n" +
	" " + Object.entries(index).map(([k, [o, n, from]]) => `${k}:${o}:${n}:${from}`).join(" ") + " \n", { level: 9 })
const size = Buffer.alloc(2)
size.writeUInt16BE(head.length)
const data = Buffer.concat([size, head, ...chunks])
writeFileSync(new URL("data.bin", import.meta.url), data)
console.log(`${locales.length} locales, ${raw} bytes as ${data.length}`)
for (const l of locales) if (/\{[ME]\?/.test(texts["d" + l]) || /"g[sk]":[^\]]*"[^"]*\{[a-zA-Z]/.test(texts["d" + l])) throw new Error(`${l}: a pattern that is not understood ${texts["d" + l].match(/\{[ME]\?[^}]*|"g[sk]":[^\]]*/g)}`)
if (process.argv[2]) for (const s in make) console.log(s, texts[s + process.argv[2]])
