// Buffer, https://nodejs.org/api/buffer.html
const { encode, decode } = globalThis.__samkit_node
const names = { "utf-8": "utf8", binary: "latin1", ucs2: "utf16le", "ucs-2": "utf16le", "utf-16le": "utf16le" }
const known = new Set(["utf8", "hex", "base64", "base64url", "latin1", "ascii", "utf16le"])
const encodingOf = e => {
	if (e === undefined || e === null || e === "") return "utf8"
	const n = String(e).toLowerCase()
	const name = names[n] ?? n
	if (!known.has(name)) throw coded(TypeError, "ERR_UNKNOWN_ENCODING", `Unknown encoding: ${e}`)
	return name
}
const coded = (type, code, message) => Object.assign(new type(message), { code })
const badArg = (name, want, v) => coded(TypeError, "ERR_INVALID_ARG_TYPE", `The "${name}" argument must be ${want}. Received ${v === null ? "null" : typeof v === "object" ? `an instance of ${v.constructor?.name}` : typeof v}`)
const sizeOf = n => {
	if (typeof n !== "number") throw badArg("size", "of type number", n)
	if (!(n >= 0 && n <= 2 ** 31)) throw coded(RangeError, "ERR_OUT_OF_RANGE", `The value of "size" is out of range. It must be >= 0 && <= 2147483648. Received ${n}`)
	return n
}
const wrap = u8 => new Buffer(u8.buffer, u8.byteOffset, u8.byteLength)
const bytesOf = (v, encoding) => typeof v === "string" ? decode(v, encodingOf(encoding)) : v
const view = b => new DataView(b.buffer, b.byteOffset, b.byteLength)
const range = (b, offset, size) => {
	if (typeof offset !== "number") throw badArg("offset", "of type number", offset)
	if (!Number.isInteger(offset) || offset < 0 || offset + size > b.length) {
		if (b.length < size) throw coded(RangeError, "ERR_BUFFER_OUT_OF_BOUNDS", "Attempt to access memory outside buffer bounds")
		throw coded(RangeError, "ERR_OUT_OF_RANGE", `The value of "offset" is out of range. It must be >= 0 and <= ${b.length - size}. Received ${offset}`)
	}
}
class Buffer extends Uint8Array {
	static poolSize = 8192
	static from(v, a, b) {
		if (typeof v === "string") return wrap(decode(v, encodingOf(a)))
		if (v instanceof ArrayBuffer) return new Buffer(v, a, b)
		if (ArrayBuffer.isView(v)) { const out = new Buffer(v.length ?? v.byteLength); out.set(v.length === undefined ? new Uint8Array(v.buffer, v.byteOffset, v.byteLength) : v); return out }
		if (typeof v === "object" && v !== null) {
			if (v.type === "Buffer" && Array.isArray(v.data)) return Buffer.from(v.data)
			if (typeof v.length === "number") return wrap(Uint8Array.from(v))
			const prim = v[Symbol.toPrimitive]?.("string") ?? v.valueOf?.()
			if (prim !== v && prim !== undefined && prim !== null) return Buffer.from(prim, a, b)
			return Buffer.alloc(0)
		}
		throw badArg("first argument", "of type string or an instance of Buffer, ArrayBuffer, or Array or an Array-like Object", v)
	}
	static alloc(n, fill, encoding) { const b = new Buffer(sizeOf(n)); return fill === undefined || fill === 0 ? b : b.fill(fill, encoding) }
	static allocUnsafe(n) { return new Buffer(sizeOf(n)) }
	static allocUnsafeSlow(n) { return new Buffer(sizeOf(n)) }
	static isBuffer(v) { return v instanceof Buffer }
	static isEncoding(e) { const n = String(e).toLowerCase(); return typeof e === "string" && known.has(names[n] ?? n) }
	static byteLength(v, encoding) { return typeof v === "string" ? decode(v, encodingOf(encoding)).length : v.byteLength }
	static concat(list, total) {
		if (!Array.isArray(list)) throw badArg("list", "an instance of Array", list)
		total ??= list.reduce((n, b) => n + b.length, 0)
		const out = Buffer.alloc(total)
		let at = 0
		for (const b of list) {
			if (at >= total) break
			out.set(at + b.length > total ? b.subarray(0, total - at) : b, at)
			at += b.length
		}
		return out
	}
	static compare(a, b) {
		for (let i = 0, n = Math.min(a.length, b.length); i < n; i++) if (a[i] !== b[i]) return a[i] < b[i] ? -1 : 1
		return Math.sign(a.length - b.length)
	}
	static copyBytesFrom(v, offset = 0, length) { const part = v.subarray(offset, length === undefined ? undefined : offset + length); return Buffer.from(part.buffer.slice(part.byteOffset, part.byteOffset + part.byteLength)) }
	get parent() { return this.buffer }
	get offset() { return this.byteOffset }
	toString(encoding, start = 0, end = this.length) {
		start = Math.max(0, start | 0)
		end = Math.min(this.length, end ?? this.length)
		const name = encodingOf(encoding)
		return end <= start ? "" : encode(start === 0 && end === this.length ? this : this.subarray(start, end), name)
	}
	toLocaleString(encoding, start, end) { return this.toString(encoding, start, end) }
	toJSON() { return { type: "Buffer", data: Array.from(this) } }
	equals(b) { return this === b || Buffer.compare(this, b) === 0 }
	compare(b, bs = 0, be = b.length, s = 0, e = this.length) { return Buffer.compare(this.subarray(s, e), b.subarray(bs, be)) }
	slice(start, end) { return this.subarray(start, end) }
	write(text, offset, length, encoding) {
		if (typeof offset === "string") { encoding = offset; offset = 0; length = undefined } else if (typeof length === "string") { encoding = length; length = undefined }
		offset ??= 0
		const room = Math.min(length ?? Infinity, this.length - offset)
		const name = encodingOf(encoding)
		let b = decode(text, name)
		if (b.length > room) {
			let n = room
			if (name === "utf8") while (n > 0 && (b[n] & 0xc0) === 0x80) n--
			else if (name === "utf16le") n &= ~1
			b = b.subarray(0, n)
		}
		this.set(b, offset)
		return b.length
	}
	copy(target, at = 0, start = 0, end = this.length) {
		const part = this.subarray(start, Math.min(end, start + Math.max(0, target.length - at)))
		target.set(part, at)
		return part.length
	}
	fill(v, start, end, encoding) {
		if (typeof start === "string") { encoding = start; start = undefined } else if (typeof end === "string") { encoding = end; end = undefined }
		if (typeof v === "number" || typeof v === "boolean") return super.fill(v & 255, start, end)
		const b = bytesOf(v, encoding)
		start ??= 0
		end ??= this.length
		if (b.length === 0) return super.fill(0, start, end)
		if (b.length === 1) return super.fill(b[0], start, end)
		for (let i = start; i < end; i += b.length) this.set(i + b.length > end ? b.subarray(0, end - i) : b, i)
		return this
	}
	indexOf(v, from, encoding) { return find(this, v, from, encoding, false) }
	lastIndexOf(v, from, encoding) { return find(this, v, from, encoding, true) }
	includes(v, from, encoding) { return this.indexOf(v, from, encoding) >= 0 }
	swap16() { return swap(this, 2) }
	swap32() { return swap(this, 4) }
	swap64() { return swap(this, 8) }
	readUIntBE(o, n) { range(this, o, n); let v = 0; for (let i = 0; i < n; i++) v = v * 256 + this[o + i]; return v }
	readUIntLE(o, n) { range(this, o, n); let v = 0; for (let i = n - 1; i >= 0; i--) v = v * 256 + this[o + i]; return v }
	readIntBE(o, n) { const v = this.readUIntBE(o, n), top = 2 ** (8 * n); return v >= top / 2 ? v - top : v }
	readIntLE(o, n) { const v = this.readUIntLE(o, n), top = 2 ** (8 * n); return v >= top / 2 ? v - top : v }
	writeUIntBE(v, o, n) { range(this, o, n); for (let i = n - 1; i >= 0; i--) { this[o + i] = v % 256; v = Math.floor(v / 256) } return o + n }
	writeUIntLE(v, o, n) { range(this, o, n); for (let i = 0; i < n; i++) { this[o + i] = v % 256; v = Math.floor(v / 256) } return o + n }
	writeIntBE(v, o, n) { return this.writeUIntBE(v < 0 ? v + 2 ** (8 * n) : v, o, n) }
	writeIntLE(v, o, n) { return this.writeUIntLE(v < 0 ? v + 2 ** (8 * n) : v, o, n) }
}
const find = (b, v, from, encoding, last) => {
	if (typeof from === "string") { encoding = from; from = undefined }
	if (typeof v === "number") {
		const i = last ? Uint8Array.prototype.lastIndexOf.call(b, v & 255, from ?? b.length) : Uint8Array.prototype.indexOf.call(b, v & 255, from ?? 0)
		return i
	}
	const part = encode(bytesOf(v, encoding), "latin1"), all = encode(b, "latin1")
	from = from === undefined ? (last ? all.length : 0) : from < 0 ? from + all.length : from
	return last ? (from < 0 ? -1 : all.lastIndexOf(part, from)) : all.indexOf(part, Math.max(0, from))
}
const swap = (b, n) => {
	if (b.length % n) throw coded(RangeError, "ERR_INVALID_BUFFER_SIZE", `Buffer size must be a multiple of ${n * 8}-bits`)
	for (let i = 0; i < b.length; i += n) b.subarray(i, i + n).reverse()
	return b
}
const method = (name, fn) => Object.defineProperty(Buffer.prototype, name, { value: fn, writable: true, configurable: true })
for (const [name, kind, size] of [["UInt8", "Uint8", 1], ["Int8", "Int8", 1], ["UInt16", "Uint16", 2], ["Int16", "Int16", 2], ["UInt32", "Uint32", 4], ["Int32", "Int32", 4], ["Float", "Float32", 4], ["Double", "Float64", 8], ["BigUInt64", "BigUint64", 8], ["BigInt64", "BigInt64", 8]]) {
	for (const end of size === 1 ? [""] : ["LE", "BE"]) {
		const little = end === "LE"
		const get = function (o = 0) { range(this, o, size); return view(this)["get" + kind](o, little) }
		const set = function (v, o = 0) { range(this, o, size); view(this)["set" + kind](o, v, little); return o + size }
		for (const alias of new Set([name, name.replace("UInt", "Uint")])) { method("read" + alias + end, get); method("write" + alias + end, set) }
	}
}
for (const op of ["UInt", "Int"]) for (const end of ["LE", "BE"]) {
	if (op === "UInt") { method("readUint" + end, Buffer.prototype["readUInt" + end]); method("writeUint" + end, Buffer.prototype["writeUInt" + end]) }
}
Object.defineProperty(Buffer.prototype, Symbol.for("nodejs.util.inspect.custom"), { value() { return `<Buffer ${this.toString("hex").slice(0, 100).replace(/..(?=.)/g, "$& ")}${this.length > 50 ? ` ... ${this.length - 50} more bytes` : ""}>` }, configurable: true })
const constants = { MAX_LENGTH: 2 ** 31, MAX_STRING_LENGTH: 2 ** 29 - 24 }
module.exports = { Buffer, SlowBuffer: Buffer, constants, kMaxLength: constants.MAX_LENGTH, kStringMaxLength: constants.MAX_STRING_LENGTH, INSPECT_MAX_BYTES: 50, atob, btoa, Blob, File,
	isUtf8: b => { try { new TextDecoder("utf-8", { fatal: true }).decode(b); return true } catch { return false } }, isAscii: b => !/[^\x00-\x7f]/.test(encode(b, "latin1")),
	transcode: (b, from, to) => Buffer.from(Buffer.from(b).toString(from), to) }
