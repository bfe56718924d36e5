// HKDF and PBKDF2: Web Cryptography, 32 and 33; answers of RFC 5869, 6070 and 7914.
import { is, ok, rejects, same, test } from "../harness.js"
import { bytes, hashes, hex, raw, subtle, unhex } from "./support.js"

const hkdf = [
	["0b".repeat(22), "000102030405060708090a0b0c", "f0f1f2f3f4f5f6f7f8f9", "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"],
	["0b".repeat(22), "", "", "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8"],
]
hkdf.forEach(([secret, salt, info, want], i) => test("HKDF of RFC 5869, " + i, async () => {
	const k = await raw(unhex(secret), "HKDF", ["deriveBits", "deriveKey"], false), a = { name: "HKDF", hash: "SHA-256", salt: unhex(salt), info: unhex(info) }
	is(hex(await subtle.deriveBits(a, k, 336)), want)
	const key = await subtle.deriveKey(a, k, { name: "AES-CBC", length: 128 }, true, ["encrypt"])
	is(hex(await subtle.exportKey("raw", key)), want.slice(0, 32))
}))
const pbkdf2 = [
	["SHA-1", "password", "salt", 1, "0c60c80f961f0e71f3a9b524af6012062fe037a6"], ["SHA-1", "password", "salt", 4096, "4b007901b765489abead49d926f721d065a429c1"],
	["SHA-256", "passwd", "salt", 1, "55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc49ca9cccf179b645991664b39d77ef317c71b845b1e30bd509112041d3a19783"],
]
for (const [hash, secret, salt, iterations, want] of pbkdf2) test("PBKDF2 with " + hash + " and " + iterations + " iterations", async () => {
	const k = await raw(bytes(secret), "PBKDF2", ["deriveBits"], false)
	is(hex(await subtle.deriveBits({ name: "PBKDF2", hash, salt: bytes(salt), iterations }, k, want.length * 4)), want)
})
for (const name of ["HKDF", "PBKDF2"]) {
	const a = { name, hash: "SHA-256", salt: bytes("salt"), info: bytes("info"), iterations: 2 }
	const key = (usages = ["deriveBits", "deriveKey"]) => raw(bytes("secret"), name, usages, false)
	test(name + " keys", async () => {
		const k = await key()
		same([k.type, k.extractable, k.algorithm], ["secret", false, { name }])
		await rejects(raw(bytes("secret"), name, ["deriveBits"], true), "SyntaxError")
		await rejects(subtle.importKey("jwk", { kty: "oct", k: "AA" }, name, false, ["deriveBits"]), "NotSupportedError")
		is((await raw(new Uint8Array(), name, ["deriveBits"], false)).type, "secret")
	})
	for (const hash of hashes) test(name + " gives a prefix of more, with " + hash, async () => {
		const k = await key(), long = hex(await subtle.deriveBits({ ...a, hash }, k, 512))
		is(long.length, 128)
		is(hex(await subtle.deriveBits({ ...a, hash }, k, 128)), long.slice(0, 32))
	})
	for (const [what, length] of [["no length", undefined], ["null", null], ["an odd length", 12], ["1", 1]]) test(name + " with a length: " + what, async () => { await rejects(subtle.deriveBits(a, await key(), length), "OperationError") })
	test(name + " of 0 bits", async () => { is((await subtle.deriveBits(a, await key(), 0)).byteLength, 0) })
	for (const length of [-8, NaN, 2 ** 32, "x"]) test(name + " with a length that is none: " + length, async () => { await rejects(subtle.deriveBits(a, await key(), length), TypeError) })
	test(name + " without its parameters", async () => {
		const k = await key()
		await rejects(subtle.deriveBits(name, k, 128), TypeError)
		for (const drop of name === "HKDF" ? ["hash", "salt", "info"] : ["hash", "salt", "iterations"]) await rejects(subtle.deriveBits({ ...a, [drop]: undefined }, k, 128), TypeError, drop)
		await rejects(subtle.deriveBits({ ...a, hash: "SHA-3" }, k, 128), "NotSupportedError")
		await rejects(subtle.deriveBits({ ...a, salt: "salt" }, k, 128), TypeError)
	})
	test(name + " with keys that do not allow it", async () => {
		await rejects(subtle.deriveBits(a, await key(["deriveKey"]), 128), "InvalidAccessError")
		await rejects(subtle.deriveKey(a, await key(["deriveBits"]), { name: "AES-GCM", length: 128 }, true, ["encrypt"]), "InvalidAccessError")
		await rejects(subtle.deriveBits(a, await raw(bytes("x"), name === "HKDF" ? "PBKDF2" : "HKDF", ["deriveBits"], false), 128), "InvalidAccessError")
	})
	test(name + " derives keys", async () => {
		const k = await key()
		for (const [to, uses, bits] of [[{ name: "AES-GCM", length: 192 }, ["encrypt"], 192], [{ name: "AES-KW", length: 128 }, ["wrapKey"], 128], [{ name: "HMAC", hash: "SHA-512", length: 72 }, ["sign"], 72], [{ name: "HMAC", hash: "SHA-512" }, ["sign"], 1024]]) {
			const got = await subtle.deriveKey(a, k, to, true, uses)
			same([got.type, got.algorithm.name, got.algorithm.length, (await subtle.exportKey("raw", got)).byteLength * 8], ["secret", to.name, bits, bits])
		}
		await rejects(subtle.deriveKey(a, k, { name: "AES-GCM", length: 100 }, true, ["encrypt"]), "OperationError")
		await rejects(subtle.deriveKey(a, k, { name: "AES-GCM", length: 128 }, true, []), "SyntaxError")
		await rejects(subtle.deriveKey(a, k, { name: "AES-GCM", length: 128 }, true, ["sign"]), "SyntaxError")
		await rejects(subtle.deriveKey(a, k, { name: "ECDSA", namedCurve: "P-256" }, true, ["sign"]), "NotSupportedError")
	})
}
test("PBKDF2 with 0 iterations", async () => { await rejects(subtle.deriveBits({ name: "PBKDF2", hash: "SHA-1", salt: bytes(""), iterations: 0 }, await raw(bytes("x"), "PBKDF2", ["deriveBits"], false), 128), "OperationError") })
test("PBKDF2 with more iterations than Workers allow", async () => { await rejects(subtle.deriveBits({ name: "PBKDF2", hash: "SHA-1", salt: bytes(""), iterations: 100001 }, await raw(bytes("x"), "PBKDF2", ["deriveBits"], false), 128), "NotSupportedError") })
test("HKDF gives at most 255 blocks", async () => {
	const k = await raw(bytes("x"), "HKDF", ["deriveBits"], false), a = { name: "HKDF", hash: "SHA-256", salt: bytes(""), info: bytes("") }
	is((await subtle.deriveBits(a, k, 255 * 256)).byteLength, 255 * 32)
	await rejects(subtle.deriveBits(a, k, 255 * 256 + 8), "OperationError")
})
