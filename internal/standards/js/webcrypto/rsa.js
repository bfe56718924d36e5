// RSASSA-PKCS1-v1_5, RSA-PSS and RSA-OAEP: Web Cryptography, 20 to 22. The one key that is
// made is in its own test; making one takes long.
import { is, ok, rejects, same, test } from "../harness.js"
import { bytes, hashes, hex, raw, rsa, subtle, unhex } from "./support.js"

const { n, e } = rsa.jwk, data = bytes("hello"), other = bytes("other")
const kinds = [["RSASSA-PKCS1-v1_5", "RS", ["verify"], ["sign"]], ["RSA-PSS", "PS", ["verify"], ["sign"]], ["RSA-OAEP", "RSA-OAEP", ["encrypt", "wrapKey"], ["decrypt", "unwrapKey"]]]
const algOf = (name, prefix, hash) => (name !== "RSA-OAEP" ? prefix + hash.slice(4) : hash === "SHA-1" ? prefix : prefix + "-" + hash.slice(4))
const secretKey = (name, hash, usages) => subtle.importKey("pkcs8", unhex(rsa.pkcs8), { name, hash }, true, usages)
const publicKey = (name, hash, usages) => subtle.importKey("spki", unhex(rsa.spki), { name, hash }, true, usages)

for (const [name, prefix, publicUses, privateUses] of kinds) {
	for (const hash of hashes) test(name + " keys with " + hash, async () => {
		const a = { name, hash }, secret = await secretKey(name, hash, privateUses), open = await publicKey(name, hash, publicUses)
		for (const [k, type, usages] of [[secret, "private", privateUses], [open, "public", publicUses]]) {
			is(k.type, type)
			const { publicExponent, ...rest } = k.algorithm
			same(rest, { name, hash: { name: hash }, modulusLength: 2048 })
			ok(publicExponent instanceof Uint8Array)
			same([...publicExponent], [1, 0, 1])
			same([...k.usages].sort(), usages)
		}
		is(hex(await subtle.exportKey("pkcs8", secret)), rsa.pkcs8)
		is(hex(await subtle.exportKey("spki", open)), rsa.spki)
		const jwk = await subtle.exportKey("jwk", secret)
		is(jwk.alg, algOf(name, prefix, hash))
		for (const k in rsa.jwk) is(jwk[k], rsa.jwk[k], k)
		const { alg, kty, key_ops, ext, ...numbers } = await subtle.exportKey("jwk", open)
		same([numbers, ext], [{ n, e }, true])
		is((await subtle.importKey("jwk", jwk, a, true, privateUses)).type, "private")
		is((await subtle.importKey("jwk", { kty: "RSA", n, e }, a, true, publicUses)).type, "public")
		await rejects(subtle.importKey("jwk", { ...jwk, alg: "RS1024" }, a, true, privateUses), "DataError")
	})
	test(name + " keys that are none", async () => {
		const a = { name, hash: "SHA-256" }
		for (const change of [{ kty: "oct" }, { n: undefined }, { e: undefined }, { d: "AQ" }, { p: undefined }, { use: name === "RSA-OAEP" ? "sig" : "enc" }, { ext: false }, { key_ops: [] }]) await rejects(subtle.importKey("jwk", { ...rsa.jwk, ...change }, a, true, privateUses), "DataError", JSON.stringify(change))
		for (const format of ["spki", "pkcs8"]) for (const bad of [[], [1, 2, 3], [48, 3, 2, 1, 0]]) await rejects(subtle.importKey(format, new Uint8Array(bad), a, true, format === "spki" ? publicUses : privateUses), "DataError")
		await rejects(raw(new Uint8Array(256), a, publicUses), "NotSupportedError")
		await rejects(subtle.importKey("spki", unhex(rsa.spki), name, true, publicUses), TypeError)
		await rejects(subtle.importKey("spki", unhex(rsa.spki), { name, hash: "x" }, true, publicUses), "NotSupportedError")
	})
	test(name + " usages", async () => {
		await rejects(secretKey(name, "SHA-256", publicUses), "SyntaxError")
		await rejects(secretKey(name, "SHA-256", []), "SyntaxError")
		await rejects(publicKey(name, "SHA-256", privateUses), "SyntaxError")
		is((await publicKey(name, "SHA-256", [])).usages.length, 0)
		const a = { name, hash: "SHA-256", modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]) }
		await rejects(subtle.generateKey(a, true, []), "SyntaxError")
		await rejects(subtle.generateKey(a, true, ["deriveBits"]), "SyntaxError")
		await rejects(subtle.generateKey({ ...a, hash: undefined }, true, privateUses), TypeError)
		await rejects(subtle.generateKey({ ...a, modulusLength: undefined }, true, privateUses), TypeError)
		await rejects(subtle.generateKey({ ...a, publicExponent: [1, 0, 1] }, true, privateUses), TypeError)
		await rejects(subtle.generateKey({ ...a, publicExponent: new Uint8Array([2]) }, true, privateUses), "OperationError")
		await rejects(subtle.generateKey({ ...a, modulusLength: 3 }, true, privateUses), "OperationError")
	})
	test(name + " exports by kind", async () => {
		const secret = await secretKey(name, "SHA-256", privateUses), open = await publicKey(name, "SHA-256", publicUses)
		await rejects(subtle.exportKey("spki", secret), "InvalidAccessError")
		await rejects(subtle.exportKey("pkcs8", open), "InvalidAccessError")
		await rejects(subtle.exportKey("raw", open), "NotSupportedError")
	})
}
for (const hash of hashes) {
	test("RSASSA-PKCS1-v1_5 with " + hash, async () => {
		const name = "RSASSA-PKCS1-v1_5", s = await subtle.sign(name, await secretKey(name, hash, ["sign"]), data), open = await publicKey(name, hash, ["verify"])
		is(hex(s), rsa.signed[hash])
		is(await subtle.verify(name, open, s, data), true)
		is(await subtle.verify(name, open, s, other), false)
		is(await subtle.verify(name, open, s.slice(1), data), false)
	})
	for (const saltLength of [0, 20, 32]) test("RSA-PSS with " + hash + " and a salt of " + saltLength, async () => {
		const a = { name: "RSA-PSS", saltLength }, secret = await secretKey("RSA-PSS", hash, ["sign"]), open = await publicKey("RSA-PSS", hash, ["verify"]), s = await subtle.sign(a, secret, data)
		is(s.byteLength, 256)
		is(await subtle.verify(a, open, s, data), true)
		is(await subtle.verify(a, open, s, other), false)
		is(await subtle.verify({ ...a, saltLength: saltLength + 1 }, open, s, data), false)
		is(hex(await subtle.sign(a, secret, data)) === hex(s), saltLength === 0)
	})
	test("RSA-OAEP with " + hash, async () => {
		const secret = await secretKey("RSA-OAEP", hash, ["decrypt"]), open = await publicKey("RSA-OAEP", hash, ["encrypt"]), label = bytes("label")
		const out = await subtle.encrypt("RSA-OAEP", open, data)
		is(out.byteLength, 256)
		is(hex(await subtle.decrypt("RSA-OAEP", secret, out)), hex(data))
		const marked = await subtle.encrypt({ name: "RSA-OAEP", label }, open, data)
		is(hex(await subtle.decrypt({ name: "RSA-OAEP", label }, secret, marked)), hex(data))
		await rejects(subtle.decrypt("RSA-OAEP", secret, marked), "OperationError")
		await rejects(subtle.decrypt("RSA-OAEP", secret, new Uint8Array(256)), "OperationError")
		await rejects(subtle.decrypt("RSA-OAEP", secret, new Uint8Array(10)), "OperationError")
		await rejects(subtle.encrypt("RSA-OAEP", open, new Uint8Array(255)), "OperationError")
	})
}
test("RSA-PSS of OpenSSL", async () => {
	const open = await publicKey("RSA-PSS", "SHA-256", ["verify"])
	is(await subtle.verify({ name: "RSA-PSS", saltLength: 32 }, open, unhex(rsa.pss), data), true)
	is(await subtle.verify({ name: "RSA-PSS", saltLength: 0 }, open, unhex(rsa.pss0), data), true)
	is(await subtle.verify({ name: "RSA-PSS", saltLength: 0 }, open, unhex(rsa.pss), data), false)
})
test("RSA-OAEP of OpenSSL", async () => {
	is(hex(await subtle.decrypt("RSA-OAEP", await secretKey("RSA-OAEP", "SHA-256", ["decrypt"]), unhex(rsa.oaep))), hex(data))
	is(hex(await subtle.decrypt({ name: "RSA-OAEP", label: bytes("label") }, await secretKey("RSA-OAEP", "SHA-1", ["decrypt"]), unhex(rsa.labelled))), hex(data))
})
test("RSA-PSS without or with a wrong saltLength", async () => {
	const k = await secretKey("RSA-PSS", "SHA-256", ["sign"])
	for (const a of ["RSA-PSS", { name: "RSA-PSS" }, { name: "RSA-PSS", saltLength: -1 }]) await rejects(subtle.sign(a, k, data), TypeError)
	await rejects(subtle.sign({ name: "RSA-PSS", saltLength: 250 }, k, data), "OperationError")
})
test("RSA with the other key", async () => {
	await rejects(subtle.sign("RSASSA-PKCS1-v1_5", await publicKey("RSASSA-PKCS1-v1_5", "SHA-256", ["verify"]), data), "InvalidAccessError")
	await rejects(subtle.decrypt("RSA-OAEP", await publicKey("RSA-OAEP", "SHA-256", ["encrypt"]), data), "InvalidAccessError")
})
test("RSA-OAEP wraps a key", async () => {
	const k = await raw(new Uint8Array(32).fill(3), "AES-GCM", ["encrypt"]), out = await subtle.wrapKey("raw", k, await publicKey("RSA-OAEP", "SHA-256", ["wrapKey"]), "RSA-OAEP")
	const back = await subtle.unwrapKey("raw", out, await secretKey("RSA-OAEP", "SHA-256", ["unwrapKey"]), "RSA-OAEP", "AES-GCM", true, ["decrypt"])
	is(hex(await subtle.exportKey("raw", back)), "03".repeat(32))
})
test("an RSA key that is wrapped itself", async () => {
	const w = await raw(new Uint8Array(16), "AES-GCM", ["wrapKey", "unwrapKey"]), a = { name: "AES-GCM", iv: new Uint8Array(12) }, to = { name: "RSA-PSS", hash: "SHA-256" }
	for (const format of ["pkcs8", "jwk"]) {
		const out = await subtle.wrapKey(format, await secretKey("RSA-PSS", "SHA-256", ["sign"]), w, a)
		is(hex(await subtle.exportKey("pkcs8", await subtle.unwrapKey(format, out, w, a, to, true, ["sign"]))), rsa.pkcs8)
	}
})
test("an RSA key that is made", async () => {
	const { publicKey: open, privateKey: secret } = await subtle.generateKey({ name: "RSASSA-PKCS1-v1_5", hash: "SHA-256", modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]) }, false, ["sign", "verify"])
	same([open.extractable, secret.extractable, secret.algorithm.modulusLength, [...open.usages], [...secret.usages]], [true, false, 2048, ["verify"], ["sign"]])
	is(await subtle.verify("RSASSA-PKCS1-v1_5", open, await subtle.sign("RSASSA-PKCS1-v1_5", secret, data), data), true)
	await rejects(subtle.exportKey("pkcs8", secret), "InvalidAccessError")
})
