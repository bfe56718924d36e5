// The POSIX half of https://nodejs.org/api/path.html. The current directory is "/".
const text = (v, name) => {
	if (typeof v !== "string") throw Object.assign(new TypeError(`The "${name}" argument must be of type string. Received ${v === null ? "null" : typeof v}`), { code: "ERR_INVALID_ARG_TYPE" })
	return v
}
const squeeze = (p, absolute) => {
	const out = []
	for (const part of p.split("/")) {
		if (part === "" || part === ".") continue
		if (part !== "..") out.push(part)
		else if (out.length && out.at(-1) !== "..") out.pop()
		else if (!absolute) out.push("..")
	}
	return out.join("/")
}
const trim = p => { let n = p.length; while (n > 1 && p[n - 1] === "/") n--; return p.slice(0, n) }
const path = {
	sep: "/", delimiter: ":",
	normalize(p) {
		if (text(p, "path") === "") return "."
		const absolute = p[0] === "/"
		const s = squeeze(p, absolute)
		if (s === "") return absolute ? "/" : p.endsWith("/") ? "./" : "."
		return (absolute ? "/" : "") + s + (p.endsWith("/") ? "/" : "")
	},
	isAbsolute: p => text(p, "path")[0] === "/",
	join(...parts) {
		const s = parts.map(p => text(p, "path")).filter(p => p !== "").join("/")
		return s === "" ? "." : path.normalize(s)
	},
	resolve(...parts) {
		let s = ""
		for (const p of ["/", ...parts]) { if (text(p, "paths") !== "") s = p[0] === "/" ? p : s + "/" + p }
		return "/" + squeeze(s, true)
	},
	relative(from, to) {
		const a = path.resolve(text(from, "from")).split("/").filter(Boolean), b = path.resolve(text(to, "to")).split("/").filter(Boolean)
		let i = 0
		while (i < a.length && i < b.length && a[i] === b[i]) i++
		return [...a.slice(i).map(() => ".."), ...b.slice(i)].join("/")
	},
	dirname(p) {
		if (text(p, "path") === "") return "."
		p = trim(p)
		const i = p.lastIndexOf("/")
		return i < 0 ? "." : i === 0 ? "/" : trim(p.slice(0, i))
	},
	basename(p, suffix) {
		p = trim(text(p, "path"))
		if (p === "/") return ""
		p = p.slice(p.lastIndexOf("/") + 1)
		return suffix !== undefined && p !== suffix && p.endsWith(text(suffix, "suffix")) ? p.slice(0, p.length - suffix.length) : p
	},
	extname(p) {
		const base = path.basename(p)
		const i = base.lastIndexOf(".")
		return i <= 0 || /^\.+$/.test(base) && base.length === 2 ? "" : base.slice(i)
	},
	parse(p) {
		const base = path.basename(p), ext = path.extname(p), root = path.isAbsolute(p) ? "/" : ""
		const dir = path.dirname(p)
		return { root, dir: dir === "." && !p.startsWith("./") ? "" : dir, base, ext, name: base.slice(0, base.length - ext.length) }
	},
	format({ dir, root = "", base, name = "", ext = "" }) {
		base ??= name + (ext && ext[0] !== "." ? "." : "") + ext
		return dir === undefined ? root + base : dir === root ? dir + base : dir + "/" + base
	},
	toNamespacedPath: p => p,
}
path.posix = path
module.exports = path
