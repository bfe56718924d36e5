const { Buffer } = require("node:buffer")
// StringDecoder keeps back the bytes of a character that is not complete.
class StringDecoder {
	#decoder
	#rest = Buffer.alloc(0)
	constructor(encoding = "utf8") {
		this.encoding = ({ "utf-8": "utf8", ucs2: "utf16le", "ucs-2": "utf16le", "utf-16le": "utf16le", binary: "latin1" })[String(encoding).toLowerCase()] ?? String(encoding).toLowerCase()
		if (!Buffer.isEncoding(this.encoding)) throw Object.assign(new TypeError(`Unknown encoding: ${encoding}`), { code: "ERR_UNKNOWN_ENCODING" })
		if (this.encoding === "utf8" || this.encoding === "utf16le") this.#decoder = new TextDecoder(this.encoding === "utf8" ? "utf-8" : "utf-16le", { ignoreBOM: true })
	}
	write(b) {
		if (typeof b === "string") return b
		if (this.#decoder) return this.#decoder.decode(b, { stream: true })
		if (!this.encoding.startsWith("base64")) return Buffer.from(b).toString(this.encoding)
		const all = Buffer.concat([this.#rest, b]), whole = all.length - all.length % 3
		this.#rest = all.subarray(whole)
		return all.toString(this.encoding, 0, whole)
	}
	end(b) {
		let s = b === undefined ? "" : this.write(b)
		if (this.#decoder) s += this.#decoder.decode()
		else { s += this.#rest.toString(this.encoding); this.#rest = Buffer.alloc(0) }
		return s
	}
}
module.exports = { StringDecoder }
