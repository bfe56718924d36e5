// Intl.DateTimeFormat, after ECMA-402 2023. The patterns are those of the data.
core => {
	const { option, digits, resolve, section, join, localDigits, native } = core
	const styles = ["full", "long", "medium", "short"]
	const fields = { weekday: ["narrow", "short", "long"], era: ["narrow", "short", "long"], year: ["2-digit", "numeric"], month: ["2-digit", "numeric", "narrow", "short", "long"], day: ["2-digit", "numeric"], dayPeriod: ["narrow", "short", "long"], hour: ["2-digit", "numeric"], minute: ["2-digit", "numeric"], second: ["2-digit", "numeric"], timeZoneName: ["short", "long", "shortOffset", "longOffset", "shortGeneric", "longGeneric"] }
	// plain writes a space for the narrow one that CLDR has, as V8 does.
	const plain = s => s.replace(/\u202f/g, " ")
	const two = n => String(n).padStart(2, "0")
	const utc = { id: "UTC", at: () => ({ offset: 0, name: "UTC" }) }
	const zoneOf = name => {
		if (/^(utc|etc\/(utc|uct|zulu|universal)|uct|zulu|universal)$/i.test(name)) return utc
		const fixed = /^([+-])(\d\d)(?::?(\d\d))?$/.exec(name)
		if (fixed && fixed[2] < 24 && (fixed[3] ?? 0) < 60) {
			const minutes = fixed[2] * 60 + Number(fixed[3] ?? 0), sign = minutes ? fixed[1] : "+"
			return { id: `${sign}${fixed[2]}:${fixed[3] ?? "00"}`, at: () => ({ offset: (sign === "-" ? -1 : 1) * minutes * 60000, name: "" }) }
		}
		const id = fixed || name.length > 100 ? undefined : native.zone(name)
		if (id === undefined) throw new RangeError(`Invalid time zone specified: ${name.slice(0, 100)}`)
		return { id, at: t => native.zone(id, t) }
	}
	// English names of zones that the data leaves out.
	const english = {
		WET: "Western European Standard Time", WEST: "Western European Summer Time", SAST: "South Africa Standard Time", HKT: "Hong Kong Standard Time", ACST: "Australian Central Standard Time", ACDT: "Australian Central Daylight Time",
		AWST: "Australian Western Standard Time", NZST: "New Zealand Standard Time", NZDT: "New Zealand Daylight Time", AKST: "Alaska Standard Time", AKDT: "Alaska Daylight Time", HST: "Hawaii-Aleutian Standard Time",
		AST: "Atlantic Standard Time", ADT: "Atlantic Daylight Time", NST: "Newfoundland Standard Time", NDT: "Newfoundland Daylight Time", "Asia/Singapore": "Singapore Standard Time",
	}
	const alias = { "Asia/Calcutta": "Asia/Kolkata" }
	const american = /^(America\/|US\/|Canada\/|Pacific\/Honolulu)/
	const zoneName = (style, at, d, id, { offset, name }) => {
		const minutes = Math.trunc(Math.abs(offset) / 60000), h = Math.trunc(minutes / 60), m = minutes % 60
		const written = text => (offset < 0 ? d.o[2] : d.o[1]).replace("{0}", text)
		const short = () => offset ? (offset < 0 ? d.o[5] : d.o[1]).replace("{0}", m ? `${h}${d.o[4]}${two(m)}` : String(h)) : d.o[3]
		const long = () => offset ? written(`${two(h)}${d.o[4]}${two(m)}`) : d.o[0]
		if (style === "shortOffset") return short()
		if (style === "longOffset") return long()
		if (id === "UTC") return style === "short" ? d.u[1] : style === "long" ? d.u[0] : d.o[3]
		const names = section(at, "z"), us = american.test(id)
		const known = names[alias[id] ?? id] ?? (us === /^[ECMP][SD]T$/.test(name) ? names[name] : undefined)
		switch (style) {
			case "short": return known?.[1] ?? (at.data === "en" && us && /^(AK[SD]T|HST)$/.test(name) ? name : short())
			case "long": return known?.[0] ?? (at.language === "en" && (us || !/^(AST|ADT)$/.test(name)) ? english[id] ?? english[name] : undefined) ?? long()
			case "shortGeneric": return at.data === "en" && us && /^([ECMP]|AK|H)[SD]T$/.test(name) ? name.replace(/[SD]T$/, "T") : short()
		}
		return at.language === "en" && us ? (known?.[0] ?? english[name] ?? long()).replace(/ (Standard|Daylight)/, "") : long()
	}
	// datePattern is the pattern of a place in the data's list, or follows from one before it.
	const datePattern = (sk, i) => {
		if (sk[i] || i === 0) return sk[i]
		const day = i % 3, month = Math.trunc(i / 3) % 5, year = Math.trunc(i / 15) % 3, weekday = Math.trunc(i / 45)
		if (weekday === 2) return datePattern(sk, i - 45).replace(/\{E[sg]\}/, "{El}")
		if (year === 2) return datePattern(sk, i - 15).replace("{y}", "{yy}")
		if (day === 2) return datePattern(sk, i - 1).replace("{d}", "{dd}")
		return month === 2 ? datePattern(sk, i - 3).replace("{M}", "{MM}") : datePattern(sk, i - 3).replace(/\{M[sg]\}/, "{Ml}")
	}
	const dateOf = (d, f) => {
		const at = (name, ...list) => Math.max(list.indexOf(f[name]) + 1, 0)
		const i = (f.weekday ? f.weekday === "long" ? 2 : 1 : 0) * 45 + at("year", "numeric", "2-digit") * 15 + (f.month === "narrow" ? 3 : at("month", "numeric", "2-digit", "short", "long")) * 3 + at("day", "numeric", "2-digit")
		let p = datePattern(d.sk.split("\n"), i)
		if (f.weekday === "narrow") p = p.replace(/\{E.\}/, "{En}")
		if (f.month === "narrow") p = p.replace(/\{M[sgl]\}/, "{Mn}")
		return p
	}
	const timeOf = (d, f, half, fraction) => {
		if (f.dayPeriod && f.hour && half) {
			let p = d.b[f.minute ? 1 : 0]
			if (f.second) p = p.replace("{mm}", "{mm}:{ss}")
			if (f.hour === "2-digit") p = p.replace("{h}", "{h2}")
			return fraction ? p.replace("{ss}", `{ss}${d.f}{f}`) : p
		}
		const at = v => v === "2-digit" ? 2 : v ? 1 : 0, minute = at(f.minute), second = at(f.second)
		const tk = d.tk.split("\n"), from = (half ? 0 : 27) + at(f.hour) * 9
		let p = tk[from + minute * 3 + second] || second === 2 && tk[from + minute * 3 + 1] || minute === 2 && (tk[from + 3 + second] || second === 2 && tk[from + 4]) || ""
		if (!p && f.dayPeriod) return "{B}"
		if (fraction) p = p ? p.replace(/\{ss?\}/, `$&${d.f}{f}`) : "{f}"
		return p
	}
	const zonedPattern = (d, f, date, time) => {
		if (!f.timeZoneName) return [date, time]
		return time ? [date, d.zt.replace("{0}", d.zw ? time.replace(/\{([hH])\}/, "{$12}") : time)] : [d.zd.replace("{0}", date), time]
	}
	const cycleOf = (at, o, d) => {
		const wanted = option(o, "hourCycle", ["h11", "h12", "h23", "h24"])
		// As V8 has it: hours from 0 where the locale counts so.
		const zero = d.hc === "h11" || d.hc === "h23"
		if (o.hour12 !== undefined) return [o.hour12 ? zero ? "h11" : "h12" : zero ? "h23" : "h24", ""]
		const [cycle, added] = core.keyword(at, "hc", wanted, v => /^h(11|12|23|24)$/.test(v))
		return [cycle ?? d.hc, added]
	}

	class DateTimeFormat {
		#o
		#format
		constructor(list = undefined, options = undefined, need = "any", defaults = "date") {
			const at = resolve(list), o = core.options(options), d = section(at, "d"), f = {}
			for (const k of Object.keys(fields)) { const v = option(o, k, fields[k]); if (v !== undefined) f[k] = v }
			const [nu, addedNu] = core.numbering(at, o, d.nu)
			const calendar = o.calendar === undefined ? undefined : String(o.calendar).toLowerCase()
			if (calendar !== undefined && !/^[a-z0-9]{3,8}(-[a-z0-9]{3,8})*$/.test(calendar)) throw new RangeError(`Invalid calendar : ${o.calendar}`)
			const [ca, addedCa] = core.keyword(at, "ca", calendar, v => v === "gregory" || v === "buddhist")
			const fraction = digits(o, "fractionalSecondDigits", 1, 3)
			const place = zoneOf(o.timeZone === undefined ? "UTC" : String(o.timeZone))
			const dateStyle = option(o, "dateStyle", styles), timeStyle = option(o, "timeStyle", styles)
			const [cycle, addedHc] = cycleOf(at, o, d), half = cycle === "h11" || cycle === "h12"
			let date = "", time = "", glue
			if (dateStyle || timeStyle) {
				if (Object.keys(f).length || fraction) throw new TypeError(`Can't set option ${Object.keys(f)[0] ?? "fractionalSecondDigits"} when ${dateStyle ? "dateStyle" : "timeStyle"} is used`)
				if (need === "date" && timeStyle || need === "time" && dateStyle) throw new TypeError(`Invalid option : ${need === "date" ? "timeStyle" : "dateStyle"}`)
				if (dateStyle) { date = d.ds[styles.indexOf(dateStyle)]; glue = d.gs[styles.indexOf(dateStyle)] }
				if (timeStyle) {
					time = d.ts[half === (d.hc < "h13") ? 0 : half ? 1 : 2][styles.indexOf(timeStyle)]
					if (timeStyle === "full") f.timeZoneName = "long"
					if (timeStyle === "long") f.timeZoneName = "short"
				}
			} else {
				const hasDate = f.weekday || f.year || f.month || f.day, hasTime = f.dayPeriod || f.hour || f.minute || f.second || fraction
				if (!(need !== "time" && hasDate || need !== "date" && hasTime)) {
					if (defaults !== "time") Object.assign(f, { year: "numeric", month: "numeric", day: "numeric" })
					if (defaults !== "date") Object.assign(f, { hour: "numeric", minute: "numeric", second: "numeric" })
				}
				date = dateOf(d, f)
				time = timeOf(d, f, half, fraction)
				glue = f.hour && f.weekday && !f.year && !f.month && !f.day && d.gw || d.gk[f.month === "long" ? f.weekday ? 0 : 1 : f.month === "short" ? 2 : 3]
				;[date, time] = zonedPattern(d, f, date, time)
			}
			const pattern = date && time ? glue.replace(/\{([01])\}/g, (_, i) => i === "1" ? date : time) : date || time
			const clock = timeStyle !== undefined || f.hour !== undefined
			this.#o = { at, d, f, nu, ca: ca ?? d.ca, cycle, half, clock, place, fraction, dateStyle, timeStyle, pattern: pattern.split(/(\{[^{}]+\})/), locale: core.localeName(at, addedNu, addedCa, clock ? addedHc : "") }
		}
		formatToParts(v = undefined) {
			const { at, d, f, nu, ca, cycle, place, fraction, pattern } = this.#o
			const t = v === undefined ? Date.now() : Number(v)
			if (!(Math.abs(t) <= 8.64e15)) throw new RangeError("Invalid time value")
			const whole = Math.trunc(t), here = place.at(whole), local = new Date(whole + here.offset)
			const y = local.getUTCFullYear(), m = local.getUTCMonth(), w = local.getUTCDay(), h = local.getUTCHours()
			const parts = [], put = (type, value) => parts.push({ type, value }), number = (type, n) => put(type, localDigits(String(n), nu))
			const named = (type, lists, c, i) => put(type, (c === "l" ? lists[0] : c === "f" ? lists[1] || lists[0] : c === "s" ? lists[2] : c === "g" ? lists[3] || lists[2] : c === "x" ? lists[5] || lists[0] : lists[4])[i])
			const year = ca === "buddhist" ? y + 543 : y < 1 && f.era ? 1 - y : y
			const hour = cycle === "h11" ? h % 12 : cycle === "h12" ? h % 12 || 12 : cycle === "h24" ? h || 24 : h
			for (const p of pattern) {
				if (p === "") continue
				switch (p) {
					case "{y}": number("year", year); continue
					case "{yy}": number("year", two((year % 100 + 100) % 100)); continue
					case "{M}": number("month", m + 1); continue
					case "{MM}": number("month", two(m + 1)); continue
					case "{d}": number("day", local.getUTCDate()); continue
					case "{dd}": number("day", two(local.getUTCDate())); continue
					case "{h}": case "{H}": number("hour", hour); continue
					case "{h2}": case "{H2}": number("hour", two(hour)); continue
					case "{m}": number("minute", local.getUTCMinutes()); continue
					case "{mm}": number("minute", two(local.getUTCMinutes())); continue
					case "{s}": number("second", local.getUTCSeconds()); continue
					case "{ss}": number("second", two(local.getUTCSeconds())); continue
					case "{f}": number("fractionalSecond", String(local.getUTCMilliseconds()).padStart(3, "0").slice(0, fraction)); continue
					case "{a}": put("dayPeriod", d.a[h < 12 ? 0 : 1]); continue
					case "{B}": { const B = d.B, width = f.dayPeriod ?? "long"; put("dayPeriod", (width === "long" ? B[0] : width === "short" ? B[1] || B[0] : B[2] || B[1] || B[0])[h]); continue }
					case "{z}": put("timeZoneName", zoneName(f.timeZoneName, at, d, place.id, here)); continue
				}
				if (/^\{M.\}$/.test(p)) named("month", d.m, p[2], m)
				else if (/^\{E.\}$/.test(p)) named("weekday", d.w, p[2], w)
				else if (p.startsWith("{G")) put("era", p.slice(2, -1))
				else put("literal", plain(p))
			}
			return parts
		}
		get format() { return this.#format ??= (0, v => plain(join(this.formatToParts(v)))) }
		formatRange(a, b) { return plain(join(this.formatRangeToParts(a, b))) }
		formatRangeToParts(a, b) {
			if (a === undefined || b === undefined) throw new TypeError("startDate or endDate cannot be undefined")
			const x = this.formatToParts(a), y = this.formatToParts(b)
			if (join(x) === join(y)) return x.map(p => ({ ...p, source: "shared" }))
			return [...x.map(p => ({ ...p, source: "startRange" })), { type: "literal", value: " – ", source: "shared" }, ...y.map(p => ({ ...p, source: "endRange" }))]
		}
		resolvedOptions() {
			const { locale, ca, nu, place, clock, cycle, half, fraction, dateStyle, timeStyle, pattern } = this.#o
			const f = { ...this.#o.f }, width = (name, one, two) => { if (f[name] !== undefined) for (const p of pattern) if (one.includes(p)) f[name] = "numeric"; else if (two.includes(p)) f[name] = "2-digit" }
			width("month", ["{M}"], ["{MM}"])
			width("day", ["{d}"], ["{dd}"])
			width("hour", ["{h}", "{H}"], ["{h2}", "{H2}"])
			width("minute", ["{m}"], ["{mm}"])
			width("second", ["{s}"], ["{ss}"])
			return { locale, calendar: ca, numberingSystem: nu, timeZone: place.id, ...(clock && { hourCycle: cycle, hour12: half }), ...(dateStyle || timeStyle ? {} : f), ...(fraction && { fractionalSecondDigits: fraction }), ...(dateStyle && { dateStyle }), ...(timeStyle && { timeStyle }) }
		}
	}
	return { DateTimeFormat }
}
