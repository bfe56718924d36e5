// What of https://nodejs.org/api/crypto.html the Web's crypto gives at once. Hashes and ciphers are in crypto.subtle, which gives promises.
const { Buffer } = require("node:buffer")
const bytes = v => v instanceof ArrayBuffer ? new Uint8Array(v) : new Uint8Array(v.buffer, v.byteOffset, v.byteLength)
const timingSafeEqual = (a, b) => {
	a = bytes(a)
	b = bytes(b)
	if (a.length !== b.length) throw Object.assign(new RangeError("Input buffers must have the same byte length"), { code: "ERR_CRYPTO_TIMING_SAFE_EQUAL_LENGTH" })
	return crypto.subtle.timingSafeEqual(a, b)
}
const fill = b => { for (let i = 0; i < b.length; i += 65536) crypto.getRandomValues(b.subarray(i, i + 65536)); return b }
const randomBytes = (n, cb) => { const b = fill(Buffer.alloc(n)); if (!cb) return b; queueMicrotask(() => cb(null, b)) }
const randomInt = (min, max, cb) => {
	if (max === undefined || typeof max === "function") { cb = max; max = min; min = 0 }
	const span = max - min
	if (!(Number.isSafeInteger(min) && Number.isSafeInteger(max) && span > 0 && span <= 2 ** 48)) throw Object.assign(new RangeError('The value of "max" is out of range'), { code: "ERR_OUT_OF_RANGE" })
	const limit = 2 ** 48 - 2 ** 48 % span
	let v
	do { v = fill(Buffer.alloc(6)).readUIntBE(0, 6) } while (v >= limit)
	if (!cb) return min + v % span
	queueMicrotask(() => cb(null, min + v % span))
}
module.exports = { webcrypto: crypto, subtle: crypto.subtle, getRandomValues: a => crypto.getRandomValues(a), randomUUID: () => crypto.randomUUID(), randomBytes, randomInt, randomFillSync: b => (fill(bytes(b)), b), timingSafeEqual }
