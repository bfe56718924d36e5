// Crypto, digests, CryptoKey and what all operations check: Web Cryptography, 10 to 14 and 18.4.
import { is, ok, rejects, same, test, throws } from "../harness.js"
import { bytes, hashes, hex, raw, subtle, unhex } from "./support.js"

for (const Kind of [Uint8Array, Int8Array, Uint8ClampedArray, Uint16Array, Int16Array, Uint32Array, Int32Array, BigUint64Array, BigInt64Array]) {
	test("getRandomValues fills a " + Kind.name, () => {
		const a = new Kind(64)
		is(crypto.getRandomValues(a), a)
		ok(new Set(a).size > 20)
	})
}
for (const [what, v] of [["a Float32Array", new Float32Array(1)], ["a Float64Array", new Float64Array(1)], ["a DataView", new DataView(new ArrayBuffer(1))]]) {
	test("getRandomValues refuses " + what, () => { throws(() => crypto.getRandomValues(v), "TypeMismatchError") })
}
for (const [what, v] of [["nothing", undefined], ["null", null], ["an ArrayBuffer", new ArrayBuffer(1)], ["an array", [1]], ["a number", 5]]) {
	test("getRandomValues of " + what, () => { throws(() => crypto.getRandomValues(v), TypeError) })
}
test("getRandomValues has a quota", () => {
	is(crypto.getRandomValues(new Uint8Array(65536)).length, 65536)
	throws(() => crypto.getRandomValues(new Uint8Array(65537)), "QuotaExceededError")
	throws(() => crypto.getRandomValues(new Uint32Array(16385)), "QuotaExceededError")
})
test("getRandomValues of nothing to fill", () => { is(crypto.getRandomValues(new Uint8Array()).length, 0) })
test("getRandomValues fills the view only", () => {
	const a = new Uint8Array(96)
	crypto.getRandomValues(a.subarray(32, 64))
	ok(a.slice(0, 32).every((x) => x === 0) && a.slice(64).every((x) => x === 0) && a.slice(32, 64).some((x) => x))
})
test("randomUUID is of version 4", () => {
	const all = new Set()
	for (let i = 0; i < 50; i++) {
		const s = crypto.randomUUID()
		ok(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(s), s)
		all.add(s)
	}
	is(all.size, 50)
})
test("classes of Web Crypto cannot be made", () => { for (const C of [Crypto, SubtleCrypto, CryptoKey]) throws(() => new C(), TypeError) })
test("subtle is one object", () => { is(crypto.subtle, crypto.subtle); is(Object.prototype.toString.call(crypto.subtle), "[object SubtleCrypto]"); is(Object.prototype.toString.call(crypto), "[object Crypto]") })

const digests = {
	"": ["da39a3ee5e6b4b0d3255bfef95601890afd80709", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", "38b060a751ac96384cd9327eb1b1e36a21fdb71114be07434c0cc7bf63f6e1da274edebfe76f65fbd51ad2f14898b95b", "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e"],
	abc: ["a9993e364706816aba3e25717850c26c9cd0d89d", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7", "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"],
}
for (const text in digests) hashes.forEach((h, i) => test(h + " of " + JSON.stringify(text), async () => {
	const sum = await subtle.digest(h, bytes(text))
	ok(sum instanceof ArrayBuffer)
	is(hex(sum), digests[text][i])
}))
for (const name of ["sha-256", "Sha-256", { name: "SHA-256" }, { name: "sha-256", other: 1 }]) test("digest by the name " + JSON.stringify(name), async () => { is(hex(await subtle.digest(name, bytes("abc"))), digests.abc[1]) })
for (const name of ["", "SHA256", "SHA-2", "AES-GCM", "HMAC", "x", null, 5]) test("digest by no name of one: " + JSON.stringify(name), async () => { await rejects(subtle.digest(name, bytes("")), "NotSupportedError") })
for (const name of [{}, { name: undefined }]) test("digest by an object without a name " + JSON.stringify(name) + Object.keys(name), async () => { await rejects(subtle.digest(name, bytes("")), TypeError) })
test("digest takes every kind of buffer", async () => {
	const b = bytes("abc"), wide = new Uint8Array([0, ...b, 0])
	for (const v of [b, b.buffer, new DataView(b.buffer), wide.subarray(1, 4)]) is(hex(await subtle.digest("SHA-256", v)), digests.abc[1])
})
for (const [what, v] of [["a string", "abc"], ["null", null], ["an array", [1]], ["nothing", undefined]]) test("digest of " + what, async () => { await rejects(subtle.digest("SHA-256", v), TypeError) })
test("digest copies its data before it returns", async () => {
	const b = bytes("abc"), p = subtle.digest("SHA-256", b)
	b[0] = 0
	is(hex(await p), digests.abc[1])
})
test("operations reject instead of throwing", async () => {
	for (const m of ["digest", "encrypt", "decrypt", "sign", "verify", "generateKey", "importKey", "exportKey", "wrapKey", "unwrapKey", "deriveBits", "deriveKey"]) await rejects(subtle[m](), TypeError, m)
	await rejects(SubtleCrypto.prototype.digest.call({}, "SHA-1", bytes("")), TypeError)
})

test("a CryptoKey says what it is", async () => {
	const k = await raw(new Uint8Array(16), "AES-GCM", ["decrypt", "encrypt", "encrypt"])
	is(Object.prototype.toString.call(k), "[object CryptoKey]")
	ok(k instanceof CryptoKey)
	same([k.type, k.extractable, JSON.stringify(k.algorithm), [...k.usages].sort()], ["secret", true, `{"name":"AES-GCM","length":128}`, ["decrypt", "encrypt"]])
	is(k.algorithm, k.algorithm)
	is(k.usages, k.usages)
	for (const name of ["type", "extractable", "algorithm", "usages"]) throws(() => Object.getOwnPropertyDescriptor(CryptoKey.prototype, name).get.call({}), TypeError)
})
test("a CryptoKey has no properties of its own", async () => {
	const k = await raw(new Uint8Array(16), "AES-GCM", ["encrypt"])
	same(Object.keys(k), [])
	is(JSON.stringify(k), "{}")
})
test("names of algorithms are put as the standard writes them", async () => {
	is((await raw(new Uint8Array(16), "aes-gcm", ["encrypt"])).algorithm.name, "AES-GCM")
	same((await raw(new Uint8Array(9), { name: "hmac", hash: "sha-384" }, ["sign"])).algorithm, { name: "HMAC", length: 72, hash: { name: "SHA-384" } })
	is((await subtle.generateKey("ed25519", true, ["sign", "verify"])).publicKey.algorithm.name, "Ed25519")
})
test("structuredClone keeps a key", async () => {
	const k = await raw(bytes("key"), { name: "HMAC", hash: "SHA-256" }, ["sign"], false), c = structuredClone(k)
	ok(c !== k && c instanceof CryptoKey)
	same([c.type, c.extractable, c.algorithm.name, [...c.usages]], ["secret", false, "HMAC", ["sign"]])
	is(hex(await subtle.sign("HMAC", c, bytes("x"))), hex(await subtle.sign("HMAC", k, bytes("x"))))
})

const hmac = { name: "HMAC", hash: "SHA-256" }
for (const format of ["", "RAW", "der", "pem", null, 5]) test("a key format of " + JSON.stringify(format), async () => { await rejects(subtle.importKey(format, new Uint8Array(16), hmac, true, ["sign"]), TypeError) })
for (const usages of [undefined, null, "sign", 5, {}]) test("usages that are " + JSON.stringify(usages), async () => { await rejects(subtle.importKey("raw", new Uint8Array(16), hmac, true, usages), TypeError) })
for (const usages of [["Sign"], ["sign", "fly"], [null], [""]]) test("usages that are none: " + JSON.stringify(usages), async () => { await rejects(subtle.importKey("raw", new Uint8Array(16), hmac, true, usages), TypeError) })
test("usages from any iterable", async () => { same([...(await raw(new Uint8Array(16), hmac, new Set(["sign"]))).usages], ["sign"]) })
test("a secret key needs usages", async () => {
	for (const a of ["AES-GCM", "AES-CBC", "AES-CTR", "AES-KW", hmac]) await rejects(raw(new Uint8Array(16), a, []), "SyntaxError")
	for (const a of ["AES-GCM", "AES-KW"]) await rejects(subtle.generateKey({ name: a, length: 128 }, true, []), "SyntaxError")
	await rejects(subtle.generateKey(hmac, true, []), "SyntaxError")
	for (const a of ["HKDF", "PBKDF2"]) await rejects(raw(new Uint8Array(16), a, [], false), "SyntaxError")
})
const wrong = { "AES-GCM": ["sign", "verify", "deriveKey", "deriveBits"], "AES-KW": ["encrypt", "decrypt", "sign"], HMAC: ["encrypt", "wrapKey", "deriveBits"], HKDF: ["encrypt", "sign"], PBKDF2: ["encrypt", "wrapKey"] }
for (const name in wrong) for (const u of wrong[name]) test(name + " is not for " + u, async () => {
	await rejects(raw(new Uint8Array(16), { name, hash: "SHA-256" }, [u], !/KDF/.test(name)), "SyntaxError")
	if (!/KDF/.test(name)) await rejects(subtle.generateKey({ name, hash: "SHA-256", length: 128 }, true, [u]), "SyntaxError")
})
for (const name of ["", "AES", "AES-ECB", "RSA", "SHA-256", "ECDSA-P256"]) test("no key of " + JSON.stringify(name), async () => {
	await rejects(raw(new Uint8Array(16), name, ["sign"]), "NotSupportedError")
	await rejects(subtle.generateKey({ name }, true, ["sign"]), "NotSupportedError")
})
test("keys that cannot be generated", async () => { for (const a of ["HKDF", "PBKDF2"]) await rejects(subtle.generateKey(a, false, ["deriveBits"]), "NotSupportedError") })
test("raw data that is no buffer", async () => { for (const v of [undefined, null, "x", [1], { kty: "oct" }]) await rejects(subtle.importKey("raw", v, hmac, true, ["sign"]), TypeError) })
test("a JWK that is a buffer or no object", async () => { for (const v of [new Uint8Array(3), new ArrayBuffer(3), "x", 5]) await rejects(subtle.importKey("jwk", v, hmac, true, ["sign"]), TypeError) })
test("formats that secret keys do not have", async () => {
	for (const format of ["spki", "pkcs8"]) {
		await rejects(subtle.importKey(format, new Uint8Array(16), hmac, true, ["sign"]), "NotSupportedError")
		await rejects(subtle.exportKey(format, await raw(new Uint8Array(16), hmac, ["sign"])), "NotSupportedError")
		await rejects(subtle.exportKey(format, await raw(new Uint8Array(16), "AES-GCM", ["encrypt"])), "NotSupportedError")
	}
})
test("a key that is not extractable", async () => { for (const format of ["raw", "jwk"]) await rejects(subtle.exportKey(format, await raw(new Uint8Array(16), hmac, ["sign"], false)), "InvalidAccessError") })
test("exportKey of what is no key", async () => { for (const v of [undefined, {}, null]) await rejects(subtle.exportKey("raw", v), TypeError) })
test("a key for another algorithm", async () => {
	const gcm = await raw(new Uint8Array(16), "AES-GCM", ["encrypt", "decrypt", "wrapKey", "unwrapKey"]), h = await raw(new Uint8Array(16), hmac, ["sign", "verify"]), iv = new Uint8Array(16)
	await rejects(subtle.encrypt({ name: "AES-CBC", iv }, gcm, iv), "InvalidAccessError")
	await rejects(subtle.decrypt({ name: "AES-CBC", iv }, gcm, iv), "InvalidAccessError")
	await rejects(subtle.sign("HMAC", gcm, iv), "InvalidAccessError")
	await rejects(subtle.verify("Ed25519", h, iv, iv), "InvalidAccessError")
	await rejects(subtle.wrapKey("raw", h, gcm, "AES-KW"), "InvalidAccessError")
})
test("a key that lacks the usage", async () => {
	const iv = new Uint8Array(16), e = await raw(iv, "AES-CBC", ["encrypt"]), d = await raw(iv, "AES-CBC", ["decrypt"]), s = await raw(iv, hmac, ["sign"]), v = await raw(iv, hmac, ["verify"]), a = { name: "AES-CBC", iv }
	await rejects(subtle.decrypt(a, e, iv), "InvalidAccessError")
	await rejects(subtle.encrypt(a, d, iv), "InvalidAccessError")
	await rejects(subtle.wrapKey("raw", s, e, a), "InvalidAccessError")
	await rejects(subtle.unwrapKey("raw", iv, d, a, hmac, true, ["sign"]), "InvalidAccessError")
	await rejects(subtle.verify("HMAC", s, iv, iv), "InvalidAccessError")
	await rejects(subtle.sign("HMAC", v, iv), "InvalidAccessError")
})
test("algorithms that lack the operation", async () => {
	const k = await raw(new Uint8Array(16), hmac, ["sign"]), d = new Uint8Array(1)
	await rejects(subtle.encrypt("HMAC", k, d), "NotSupportedError")
	await rejects(subtle.sign("AES-GCM", k, d), "NotSupportedError")
	await rejects(subtle.sign("SHA-256", k, d), "NotSupportedError")
	await rejects(subtle.deriveBits("HMAC", k, 8), "NotSupportedError")
	await rejects(subtle.encrypt("AES-KW", k, d), "NotSupportedError")
})
