const list = v => Array.isArray(v) ? v : [v]
const text = v => typeof v === "string" || typeof v === "boolean" || typeof v === "bigint" || typeof v === "number" && isFinite(v) ? String(v) : ""
const escape = s => encodeURIComponent(String(s)).replace(/%2[789A]|%21/g, m => ({ "%27": "'", "%28": "(", "%29": ")", "%2A": "*", "%21": "!" })[m])
const unescape = s => { try { return decodeURIComponent(s) } catch { return s } }
const stringify = (o, sep = "&", eq = "=", { encodeURIComponent: e = escape } = {}) => typeof o !== "object" || o === null ? "" : Object.keys(o).flatMap(k => list(o[k]).map(v => e(k) + eq + e(text(v)))).join(sep)
const parse = (s, sep = "&", eq = "=", { decodeURIComponent: d = unescape, maxKeys = 1000 } = {}) => {
	const out = Object.create(null)
	if (typeof s !== "string" || s === "") return out
	for (const part of s.split(sep).slice(0, maxKeys || undefined)) {
		if (part === "") continue
		const i = part.indexOf(eq)
		const [k, v] = (i < 0 ? [part, ""] : [part.slice(0, i), part.slice(i + eq.length)]).map(x => d(x.replace(/\+/g, " ")))
		if (k in out) out[k] = [...list(out[k]), v]
		else out[k] = v
	}
	return out
}
module.exports = { stringify, parse, escape, unescape, encode: stringify, decode: parse }
