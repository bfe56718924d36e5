// ECDSA, ECDH, Ed25519 and X25519: Web Cryptography, 23 to 26; answers of RFC 6979, 7748 and 8032.
import { is, ok, rejects, same, test, throws } from "../harness.js"
import { b64u, bytes, hashes, hex, raw, subtle, unhex } from "./support.js"

const curves = { "P-256": 32, "P-384": 48, "P-521": 66 }
const pair = (algorithm, usages, extractable = true) => subtle.generateKey(algorithm, extractable, usages)

for (const name of ["ECDSA", "ECDH"]) for (const namedCurve in curves) {
	const a = { name, namedCurve }, uses = name === "ECDSA" ? ["sign", "verify"] : ["deriveKey", "deriveBits"]
	const publicUses = uses.filter((u) => u === "verify"), privateUses = uses.filter((u) => u !== "verify")
	test("a pair of keys for " + name + " on " + namedCurve, async () => {
		const { publicKey, privateKey } = await pair(a, uses, false)
		same([publicKey.type, publicKey.extractable, publicKey.algorithm, [...publicKey.usages]], ["public", true, a, publicUses])
		same([privateKey.type, privateKey.extractable, privateKey.algorithm, [...privateKey.usages].sort()], ["private", false, a, privateUses.sort()])
		for (const format of ["pkcs8", "jwk"]) await rejects(subtle.exportKey(format, privateKey), "InvalidAccessError")
	})
	test("formats of keys for " + name + " on " + namedCurve, async () => {
		const { publicKey, privateKey } = await pair(a, uses), size = curves[namedCurve]
		const point = new Uint8Array(await subtle.exportKey("raw", publicKey))
		same([point.length, point[0]], [1 + 2 * size, 4])
		const jwk = await subtle.exportKey("jwk", privateKey)
		same([jwk.kty, jwk.crv, jwk.x, jwk.y, jwk.ext], ["EC", namedCurve, b64u(hex(point.slice(1, 1 + size))), b64u(hex(point.slice(1 + size))), true])
		const open = await subtle.exportKey("jwk", publicKey)
		same([open.x, "d" in open], [jwk.x, false])
		for (const [format, data] of [["raw", point], ["spki", await subtle.exportKey("spki", publicKey)], ["jwk", open]]) {
			const k = await subtle.importKey(format, data, a, true, publicUses)
			same([k.type, k.algorithm, hex(await subtle.exportKey("raw", k))], ["public", a, hex(point)], format)
		}
		for (const [format, data] of [["pkcs8", await subtle.exportKey("pkcs8", privateKey)], ["jwk", jwk]]) {
			const k = await subtle.importKey(format, data, a, true, privateUses)
			same([k.type, (await subtle.exportKey("jwk", k)).d], ["private", jwk.d], format)
		}
		for (const format of ["raw", "spki"]) await rejects(subtle.exportKey(format, privateKey), "InvalidAccessError", format)
		await rejects(subtle.exportKey("pkcs8", publicKey), "InvalidAccessError")
	})
	test("keys for " + name + " on " + namedCurve + " that are none", async () => {
		const { publicKey, privateKey } = await pair(a, uses), jwk = await subtle.exportKey("jwk", privateKey)
		for (const data of [new Uint8Array(), new Uint8Array(1 + 2 * curves[namedCurve]), new Uint8Array(10).fill(4)]) await rejects(subtle.importKey("raw", data, a, true, publicUses), "DataError")
		for (const format of ["spki", "pkcs8"]) await rejects(subtle.importKey(format, new Uint8Array([48, 3, 2, 1, 0]), a, true, format === "spki" ? publicUses : privateUses), "DataError")
		for (const change of [{ kty: "RSA" }, { crv: "P-1" }, { x: undefined }, { y: jwk.x }, { x: "AA" }, { use: name === "ECDSA" ? "enc" : "sig" }, { ext: false }, { key_ops: [] }]) await rejects(subtle.importKey("jwk", { ...jwk, ...change }, a, true, privateUses), "DataError", JSON.stringify(change))
		const other = namedCurve === "P-256" ? "P-384" : "P-256"
		await rejects(subtle.importKey("spki", await subtle.exportKey("spki", publicKey), { name, namedCurve: other }, true, publicUses), "DataError")
		await rejects(subtle.importKey("jwk", jwk, { name, namedCurve: other }, true, privateUses), "DataError")
	})
	test("usages of keys for " + name + " on " + namedCurve, async () => {
		const { publicKey, privateKey } = await pair(a, uses)
		await rejects(subtle.importKey("spki", await subtle.exportKey("spki", publicKey), a, true, privateUses), "SyntaxError")
		await rejects(subtle.importKey("pkcs8", await subtle.exportKey("pkcs8", privateKey), a, true, []), "SyntaxError")
		await rejects(subtle.importKey("pkcs8", await subtle.exportKey("pkcs8", privateKey), a, true, ["encrypt"]), "SyntaxError")
		is((await subtle.importKey("spki", await subtle.exportKey("spki", publicKey), a, true, [])).usages.length, 0)
		await rejects(pair(a, []), "SyntaxError")
		await rejects(pair(a, ["encrypt"]), "SyntaxError")
		if (publicUses.length) await rejects(pair(a, publicUses), "SyntaxError")
	})
}
test("a curve that is none", async () => {
	for (const namedCurve of ["P-224", "p-256", "", "K-256"]) for (const name of ["ECDSA", "ECDH"]) await rejects(pair({ name, namedCurve }, name === "ECDSA" ? ["sign"] : ["deriveBits"]), "NotSupportedError")
	await rejects(pair({ name: "ECDSA" }, ["sign"]), TypeError)
	await rejects(pair("ECDSA", ["sign"]), TypeError)
})
for (const namedCurve in curves) for (const hash of hashes) test("ECDSA on " + namedCurve + " with " + hash, async () => {
	const { publicKey, privateKey } = await pair({ name: "ECDSA", namedCurve }, ["sign", "verify"]), a = { name: "ECDSA", hash }, data = bytes("data"), s = await subtle.sign(a, privateKey, data)
	is(s.byteLength, 2 * curves[namedCurve])
	is(await subtle.verify(a, publicKey, s, data), true)
	is(await subtle.verify(a, publicKey, s, bytes("other")), false)
	is(await subtle.verify(a, publicKey, s.slice(1), data), false)
	is(await subtle.verify(a, publicKey, new Uint8Array(s.byteLength), data), false)
	is(await subtle.verify({ name: "ECDSA", hash: hash === "SHA-1" ? "SHA-256" : "SHA-1" }, publicKey, s, data), false)
})
test("ECDSA of RFC 6979", async () => {
	const k = await subtle.importKey("jwk", { kty: "EC", crv: "P-256", x: b64u("60FED4BA255A9D31C961EB74C6356D68C049B8923B61FA6CE669622E60F29FB6"), y: b64u("7903FE1008B8BC99A41AE9E95628BC64F2F1B20C2D7E9F5177A3C294D4462299") }, { name: "ECDSA", namedCurve: "P-256" }, true, ["verify"])
	is(await subtle.verify({ name: "ECDSA", hash: "SHA-256" }, k, unhex("EFD48B2AACB6A8FD1140DD9CD45E81D69D2C877B56AAF991C34D0EA84EAF3716F7CB1C942D657C41D436C7A1B6E29F65F3E900DBB9AFF4064DC4AB2F843ACDA8"), bytes("sample")), true)
})
test("ECDSA without a hash, or with the other key", async () => {
	const { publicKey, privateKey } = await pair({ name: "ECDSA", namedCurve: "P-256" }, ["sign", "verify"]), d = new Uint8Array(64)
	await rejects(subtle.sign("ECDSA", privateKey, d), TypeError)
	await rejects(subtle.sign({ name: "ECDSA" }, privateKey, d), TypeError)
	await rejects(subtle.sign({ name: "ECDSA", hash: "x" }, privateKey, d), "NotSupportedError")
	await rejects(subtle.sign({ name: "ECDSA", hash: "SHA-256" }, publicKey, d), "InvalidAccessError")
	await rejects(subtle.verify({ name: "ECDSA", hash: "SHA-256" }, privateKey, d, d), "InvalidAccessError")
})

const ed = [
	["9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60", "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "", "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"],
	["4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb", "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72", "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"],
]
ed.forEach(([d, x, message, want], i) => test("Ed25519 of RFC 8032, " + i, async () => {
	const secret = await subtle.importKey("jwk", { kty: "OKP", crv: "Ed25519", d: b64u(d), x: b64u(x) }, "Ed25519", true, ["sign"]), open = await raw(unhex(x), "Ed25519", ["verify"])
	is(hex(await subtle.sign("Ed25519", secret, unhex(message))), want)
	is(await subtle.verify("Ed25519", open, unhex(want), unhex(message)), true)
	is(await subtle.verify("Ed25519", open, unhex(want), bytes("other")), false)
	is(await subtle.verify("Ed25519", open, unhex(want).slice(1), unhex(message)), false)
	is(hex(await subtle.exportKey("pkcs8", secret)), "302e020100300506032b657004220420" + d)
	is(hex(await subtle.exportKey("spki", open)), "302a300506032b6570032100" + x)
}))
const alice = "8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a", bob = "5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb", shared = "4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742"
test("X25519 of RFC 7748", async () => {
	const secret = await subtle.importKey("pkcs8", unhex("302e020100300506032b656e04220420" + bob), "X25519", true, ["deriveBits"]), theirs = await raw(unhex(alice), "X25519", [])
	is(hex(await subtle.deriveBits({ name: "X25519", public: theirs }, secret, 256)), shared)
	is(hex(await subtle.deriveBits({ name: "X25519", public: theirs }, secret, null)), shared)
	is(hex(await subtle.deriveBits({ name: "X25519", public: theirs }, secret)), shared)
	is(hex(await subtle.deriveBits({ name: "X25519", public: theirs }, secret, 64)), shared.slice(0, 16))
	await rejects(subtle.deriveBits({ name: "X25519", public: theirs }, secret, 264), "OperationError")
	is((await subtle.exportKey("jwk", secret)).x, b64u("de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f"))
})
test("X25519 with a point of small order", async () => {
	const { privateKey } = await pair("X25519", ["deriveBits"])
	await rejects(subtle.deriveBits({ name: "X25519", public: await raw(new Uint8Array(32), "X25519", []) }, privateKey, 256), "OperationError")
})
for (const [name, uses] of [["Ed25519", ["sign", "verify"]], ["X25519", ["deriveKey", "deriveBits"]]]) {
	const publicUses = uses.filter((u) => u === "verify"), privateUses = uses.filter((u) => u !== "verify")
	test("a pair of keys for " + name, async () => {
		const { publicKey, privateKey } = await pair(name, uses, false)
		same([publicKey.type, publicKey.extractable, publicKey.algorithm, [...publicKey.usages]], ["public", true, { name }, publicUses])
		same([privateKey.type, privateKey.extractable, privateKey.algorithm], ["private", false, { name }])
		await rejects(subtle.exportKey("pkcs8", privateKey), "InvalidAccessError")
	})
	test("formats of keys for " + name, async () => {
		const { publicKey, privateKey } = await pair(name, uses), point = hex(await subtle.exportKey("raw", publicKey)), jwk = await subtle.exportKey("jwk", privateKey)
		same([point.length, jwk.kty, jwk.crv, jwk.x], [64, "OKP", name, b64u(point)])
		for (const format of ["raw", "spki", "jwk"]) is(hex(await subtle.exportKey("raw", await subtle.importKey(format, await subtle.exportKey(format, publicKey), name, true, publicUses))), point, format)
		for (const format of ["pkcs8", "jwk"]) is((await subtle.exportKey("jwk", await subtle.importKey(format, await subtle.exportKey(format, privateKey), name, true, privateUses))).d, jwk.d, format)
		for (const format of ["raw", "spki"]) await rejects(subtle.exportKey(format, privateKey), "InvalidAccessError")
		await rejects(subtle.exportKey("pkcs8", publicKey), "InvalidAccessError")
	})
	test("keys for " + name + " that are none", async () => {
		const { privateKey } = await pair(name, uses), jwk = await subtle.exportKey("jwk", privateKey)
		for (const n of [0, 31, 33]) await rejects(subtle.importKey("raw", new Uint8Array(n), name, true, publicUses), "DataError")
		for (const format of ["spki", "pkcs8"]) await rejects(subtle.importKey(format, new Uint8Array([48, 3, 2, 1, 0]), name, true, format === "spki" ? publicUses : privateUses), "DataError")
		for (const change of [{ kty: "EC" }, { crv: "Ed448" }, { x: undefined }, { x: "AA" }, { d: "AA" }, { use: name === "X25519" ? "sig" : "enc" }, { ext: false }, { key_ops: [] }]) await rejects(subtle.importKey("jwk", { ...jwk, ...change }, name, true, privateUses), "DataError", JSON.stringify(change))
	})
	test("usages of keys for " + name, async () => {
		await rejects(pair(name, []), "SyntaxError")
		await rejects(pair(name, ["encrypt"]), "SyntaxError")
		await rejects(subtle.importKey("raw", new Uint8Array(32), name, true, privateUses), "SyntaxError")
	})
}
test("Ed25519 with the other key", async () => {
	const { publicKey, privateKey } = await pair("Ed25519", ["sign", "verify"]), d = new Uint8Array(64)
	await rejects(subtle.sign("Ed25519", publicKey, d), "InvalidAccessError")
	await rejects(subtle.verify("Ed25519", privateKey, d, d), "InvalidAccessError")
})

for (const namedCurve in curves) test("ECDH on " + namedCurve, async () => {
	const a = { name: "ECDH", namedCurve }, mine = await pair(a, ["deriveBits", "deriveKey"]), theirs = await pair(a, ["deriveBits", "deriveKey"]), size = curves[namedCurve] * 8
	const one = hex(await subtle.deriveBits({ name: "ECDH", public: theirs.publicKey }, mine.privateKey, null))
	is(one.length, size / 4)
	is(hex(await subtle.deriveBits({ name: "ECDH", public: mine.publicKey }, theirs.privateKey, size)), one)
	is(hex(await subtle.deriveBits({ name: "ECDH", public: mine.publicKey }, theirs.privateKey, 128)), one.slice(0, 32))
	await rejects(subtle.deriveBits({ name: "ECDH", public: mine.publicKey }, theirs.privateKey, size + 8), "OperationError")
	const key = await subtle.deriveKey({ name: "ECDH", public: theirs.publicKey }, mine.privateKey, { name: "AES-GCM", length: 256 }, true, ["encrypt"])
	is(hex(await subtle.exportKey("raw", key)), one.slice(0, 64))
})
test("ECDH with an odd number of bits clears the rest", async () => {
	const a = { name: "ECDH", namedCurve: "P-256" }, { publicKey, privateKey } = await pair(a, ["deriveBits"]), p = { name: "ECDH", public: publicKey }
	const whole = new Uint8Array(await subtle.deriveBits(p, privateKey, 16)), part = new Uint8Array(await subtle.deriveBits(p, privateKey, 11))
	same([...part], [whole[0], whole[1] & 0xe0])
})
test("ECDH with keys that do not fit", async () => {
	const a = { name: "ECDH", namedCurve: "P-256" }, x = await pair(a, ["deriveBits"]), y = await pair({ name: "ECDH", namedCurve: "P-384" }, ["deriveBits"]), z = await pair({ name: "ECDSA", namedCurve: "P-256" }, ["sign", "verify"])
	for (const k of [y.publicKey, x.privateKey, z.publicKey]) await rejects(subtle.deriveBits({ name: "ECDH", public: k }, x.privateKey, 128), "InvalidAccessError")
	await rejects(subtle.deriveBits({ name: "ECDH", public: x.publicKey }, x.publicKey, 128), "InvalidAccessError")
	for (const k of [undefined, null, {}, "x"]) await rejects(subtle.deriveBits({ name: "ECDH", public: k }, x.privateKey, 128), TypeError)
	await rejects(subtle.deriveKey({ name: "ECDH", public: x.publicKey }, x.privateKey, { name: "AES-GCM", length: 128 }, true, ["encrypt"]), "InvalidAccessError")
})
