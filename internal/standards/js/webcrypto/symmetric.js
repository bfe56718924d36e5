// HMAC, AES and wrapping keys: Web Cryptography, 27 to 31; answers of NIST SP 800-38A, the
// GCM specification and RFC 2202, 3394 and 4231.
import { is, ok, rejects, same, test, throws } from "../harness.js"
import { b64u, bytes, hashes, hex, raw, subtle, unhex } from "./support.js"

const jefe = ["effcdf6ae5eb2fa2d27416d5f184df9c259a7c79", "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843", "af45d2e376484031617f78d2b58a6b1b9c7ef464f5a01b47e42ec3736322445e8e2240ca5e69e2c78b3239ecfab21649", "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea2505549758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737"]
const blocks = { "SHA-1": 512, "SHA-256": 512, "SHA-384": 1024, "SHA-512": 1024 }
hashes.forEach((hash, i) => {
	const a = { name: "HMAC", hash }
	test("HMAC with " + hash, async () => {
		const k = await raw(bytes("Jefe"), a, ["sign", "verify"]), data = bytes("what do ya want for nothing?"), sum = await subtle.sign("HMAC", k, data)
		is(hex(sum), jefe[i])
		is(await subtle.verify("HMAC", k, sum, data), true)
		is(await subtle.verify(a, k, sum, bytes("what")), false)
		is(await subtle.verify("HMAC", k, sum.slice(1), data), false)
		is(await subtle.verify("HMAC", k, new ArrayBuffer(0), data), false)
	})
	test("an HMAC key that is generated for " + hash, async () => {
		const k = await subtle.generateKey(a, true, ["sign", "verify"])
		same(k.algorithm, { name: "HMAC", hash: { name: hash }, length: blocks[hash] })
		is((await subtle.exportKey("raw", k)).byteLength * 8, blocks[hash])
	})
	test("an HMAC key as JWK for " + hash, async () => {
		const jwk = await subtle.exportKey("jwk", await raw(unhex("00ff10"), a, ["sign", "verify"]))
		same(JSON.parse(JSON.stringify({ ...jwk, key_ops: [...jwk.key_ops].sort() })), { kty: "oct", k: "AP8Q", alg: "HS" + hash.slice(4), ext: true, key_ops: ["sign", "verify"] })
		is(hex(await subtle.exportKey("raw", await subtle.importKey("jwk", jwk, a, true, ["sign"]))), "00ff10")
	})
})
test("an HMAC key of a length", async () => {
	const k = await subtle.generateKey({ name: "HMAC", hash: "SHA-256", length: 40 }, true, ["sign"])
	same([k.algorithm.length, (await subtle.exportKey("raw", k)).byteLength], [40, 5])
})
test("an imported HMAC key of a length", async () => {
	const a = (length) => ({ name: "HMAC", hash: "SHA-256", length })
	is((await raw(new Uint8Array(4), a(32), ["sign"])).algorithm.length, 32)
	for (const bad of [33, 24, 8, 0]) await rejects(raw(new Uint8Array(4), a(bad), ["sign"]), "DataError")
})
test("an HMAC key of a length of 0", async () => { await rejects(subtle.generateKey({ name: "HMAC", hash: "SHA-256", length: 0 }, true, ["sign"]), "OperationError") })
test("an empty HMAC key", async () => { await rejects(raw(new Uint8Array(), { name: "HMAC", hash: "SHA-256" }, ["sign"]), "DataError") })
test("an HMAC key without a hash", async () => { await rejects(raw(new Uint8Array(4), "HMAC", ["sign"]), TypeError); await rejects(subtle.generateKey({ name: "HMAC" }, true, ["sign"]), TypeError) })
for (const hash of ["MD5", "SHA", "HMAC", ""]) test("an HMAC key for the hash " + JSON.stringify(hash), async () => { await rejects(raw(new Uint8Array(4), { name: "HMAC", hash }, ["sign"]), "NotSupportedError") })
test("an HMAC key longer than a block", async () => {
	const k = await raw(new Uint8Array(131).fill(0xaa), { name: "HMAC", hash: "SHA-256" }, ["sign"])
	is(hex(await subtle.sign("HMAC", k, bytes("Test Using Larger Than Block-Size Key - Hash Key First"))), "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54")
})
test("sign copies its data", async () => {
	const k = await raw(bytes("Jefe"), { name: "HMAC", hash: "SHA-256" }, ["sign"]), data = bytes("what do ya want for nothing?"), p = subtle.sign("HMAC", k, data)
	data.fill(0)
	is(hex(await p), jefe[1])
})

// JWKs that do not fit what is asked.
const oct = { kty: "oct", k: "AAECAwQFBgcICQoLDA0ODw", alg: "HS256" }
for (const [what, change, type] of [
	["another kty", { kty: "RSA" }, "DataError"], ["no kty", { kty: undefined }, "DataError"], ["another alg", { alg: "HS512" }, "DataError"], ["no k", { k: undefined }, "DataError"],
	["use enc", { use: "enc" }, "DataError"], ["ext false", { ext: false }, "DataError"], ["other key_ops", { key_ops: ["verify"] }, "DataError"], ["key_ops twice", { key_ops: ["sign", "sign"] }, "DataError"],
]) test("a JWK with " + what, async () => { await rejects(subtle.importKey("jwk", { ...oct, ...change }, { name: "HMAC", hash: "SHA-256" }, true, ["sign"]), type) })
for (const [what, change] of [["no alg", { alg: undefined }], ["use sig", { use: "sig" }], ["ext true", { ext: true }], ["more key_ops", { key_ops: ["sign", "verify"] }], ["other members", { kid: "1", x: "y" }]]) {
	test("a JWK with " + what + " is taken", async () => { is((await subtle.importKey("jwk", { ...oct, ...change }, { name: "HMAC", hash: "SHA-256" }, true, ["sign"])).algorithm.length, 128) })
}
test("a JWK with ext false for a key that is not extractable", async () => { is((await subtle.importKey("jwk", { ...oct, ext: false }, { name: "HMAC", hash: "SHA-256" }, false, ["sign"])).extractable, false) })

const text = "6bc1bee22e409f96e93d7e117393172a"
const aes = [
	["2b7e151628aed2a6abf7158809cf4f3c", "7649abac8119b246cee98e9b12e9197d", "874d6191b620e3261bef6864990db6ce"],
	["8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b", "4f021db243bc633d7178183a9fa071e8", "1abc932417521ca24f2b0459fe7e6e0b"],
	["603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4", "f58c4c04d6e5f1ba779eabfb5f7bfbd6", "601ec313775789a5b7a7f504bbf3d228"],
]
for (const [key, cbc, ctr] of aes) {
	const bits = key.length * 4
	test("AES-CBC of " + bits + " bits", async () => {
		const k = await raw(unhex(key), "AES-CBC", ["encrypt", "decrypt"]), a = { name: "AES-CBC", iv: unhex("000102030405060708090a0b0c0d0e0f") }, out = await subtle.encrypt(a, k, unhex(text))
		is(out.byteLength, 32)
		is(hex(out).slice(0, 32), cbc)
		is(hex(await subtle.decrypt(a, k, out)), text)
	})
	test("AES-CTR of " + bits + " bits", async () => {
		const k = await raw(unhex(key), "AES-CTR", ["encrypt", "decrypt"]), a = { name: "AES-CTR", counter: unhex("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff"), length: 128 }, out = await subtle.encrypt(a, k, unhex(text))
		is(hex(out), ctr)
		is(hex(await subtle.decrypt(a, k, out)), text)
	})
}
for (const name of ["AES-GCM", "AES-CBC", "AES-CTR", "AES-KW"]) {
	const uses = name === "AES-KW" ? ["wrapKey", "unwrapKey"] : ["encrypt", "decrypt"]
	for (const length of [128, 192, 256]) test("a key for " + name + " of " + length + " bits", async () => {
		const k = await subtle.generateKey({ name, length }, true, uses)
		same([k.type, k.algorithm], ["secret", { name, length }])
		const b = hex(await subtle.exportKey("raw", k)), jwk = await subtle.exportKey("jwk", k)
		is(b.length * 4, length)
		same([jwk.kty, jwk.alg, jwk.k, jwk.ext], ["oct", "A" + length + name.slice(4), b64u(b), true])
		is(hex(await subtle.exportKey("raw", await subtle.importKey("jwk", jwk, name, true, uses))), b)
		await rejects(subtle.importKey("jwk", { ...jwk, alg: "A128XYZ" }, name, true, uses), "DataError")
		await rejects(subtle.importKey("jwk", { ...jwk, use: "sig" }, name, true, uses), "DataError")
	})
	test("a key for " + name + " of other lengths", async () => {
		for (const length of [0, 64, 127, 129, 512]) await rejects(subtle.generateKey({ name, length }, true, uses), "OperationError")
		for (const n of [0, 8, 15, 17, 33]) await rejects(raw(new Uint8Array(n), name, uses), "DataError")
		await rejects(subtle.generateKey({ name }, true, uses), TypeError)
		await rejects(subtle.generateKey({ name, length: -1 }, true, uses), TypeError)
	})
}
for (const n of [0, 1, 15, 16, 17, 33]) test("AES-CBC pads " + n + " bytes", async () => {
	const k = await raw(new Uint8Array(16), "AES-CBC", ["encrypt", "decrypt"]), a = { name: "AES-CBC", iv: new Uint8Array(16) }, data = new Uint8Array(n).fill(7), out = await subtle.encrypt(a, k, data)
	is(out.byteLength, (Math.floor(n / 16) + 1) * 16)
	is(hex(await subtle.decrypt(a, k, out)), hex(data))
})
test("AES-CBC of what was not encrypted so", async () => {
	const k = await raw(new Uint8Array(16), "AES-CBC", ["encrypt", "decrypt"]), a = { name: "AES-CBC", iv: new Uint8Array(16) }
	for (const n of [0, 1, 15, 17]) await rejects(subtle.decrypt(a, k, new Uint8Array(n)), "OperationError")
	await rejects(subtle.decrypt(a, k, new Uint8Array(16)), "OperationError")
})
test("AES-CBC with an iv of another length", async () => {
	const k = await raw(new Uint8Array(16), "AES-CBC", ["encrypt", "decrypt"])
	for (const n of [0, 12, 15, 17]) for (const op of ["encrypt", "decrypt"]) await rejects(subtle[op]({ name: "AES-CBC", iv: new Uint8Array(n) }, k, new Uint8Array(16)), "OperationError")
	await rejects(subtle.encrypt({ name: "AES-CBC" }, k, new Uint8Array(16)), TypeError)
	await rejects(subtle.encrypt("AES-CBC", k, new Uint8Array(16)), TypeError)
	await rejects(subtle.encrypt({ name: "AES-CBC", iv: "0123456789abcdef" }, k, new Uint8Array(16)), TypeError)
})
test("AES-CTR wraps the bits of its counter only", async () => {
	const k = await raw(unhex(aes[0][0]), "AES-CTR", ["encrypt"]), zero = new Uint8Array(64)
	const block = async (counter) => hex(await subtle.encrypt({ name: "AES-CTR", counter: unhex(counter), length: 128 }, k, new Uint8Array(16)))
	const got = hex(await subtle.encrypt({ name: "AES-CTR", counter: unhex("0102030405060708090a0b0c0d0e0f1e"), length: 4 }, k, zero))
	is(got, await block("0102030405060708090a0b0c0d0e0f1e") + await block("0102030405060708090a0b0c0d0e0f1f") + await block("0102030405060708090a0b0c0d0e0f10") + await block("0102030405060708090a0b0c0d0e0f11"))
})
test("AES-CTR with parameters that are wrong", async () => {
	const k = await raw(new Uint8Array(16), "AES-CTR", ["encrypt"]), counter = new Uint8Array(16), d = new Uint8Array(16)
	for (const length of [0, 129]) await rejects(subtle.encrypt({ name: "AES-CTR", counter, length }, k, d), "OperationError")
	for (const n of [0, 15, 17]) await rejects(subtle.encrypt({ name: "AES-CTR", counter: new Uint8Array(n), length: 64 }, k, d), "OperationError")
	for (const length of [256, -1, undefined]) await rejects(subtle.encrypt({ name: "AES-CTR", counter, length }, k, d), TypeError)
	await rejects(subtle.encrypt({ name: "AES-CTR", length: 64 }, k, d), TypeError)
	await rejects(subtle.encrypt({ name: "AES-CTR", counter, length: 1 }, k, new Uint8Array(48)), "OperationError")
})

const gcm = [
	["00000000000000000000000000000000", "000000000000000000000000", "", "", "", "58e2fccefa7e3061367f1d57a4e7455a"],
	["00000000000000000000000000000000", "000000000000000000000000", "00000000000000000000000000000000", "", "0388dace60b6a392f328c2b971b2fe78", "ab6e47d42cec13bdf53a67b21257bddf"],
	["feffe9928665731c6d6a8f9467308308", "cafebabefacedbaddecaf888", "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39", "feedfacedeadbeeffeedfacedeadbeefabaddad2", "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091", "5bc94fbc3221a5db94fae95ae7121a47"],
]
gcm.forEach(([key, iv, plain, extra, out, tag], i) => {
	for (const tagLength of [undefined, 128, 120, 112, 104, 96, 64, 32]) test("AES-GCM case " + i + " with a tag of " + tagLength, async () => {
		const k = await raw(unhex(key), "AES-GCM", ["encrypt", "decrypt"]), a = { name: "AES-GCM", iv: unhex(iv), additionalData: extra ? unhex(extra) : undefined, tagLength }
		const got = await subtle.encrypt(a, k, unhex(plain))
		is(hex(got), out + tag.slice(0, (tagLength ?? 128) / 4))
		is(hex(await subtle.decrypt(a, k, got)), plain)
		const broken = new Uint8Array(got)
		broken[broken.length - 1] ^= 1
		await rejects(subtle.decrypt(a, k, broken), "OperationError")
		await rejects(subtle.decrypt({ ...a, additionalData: new Uint8Array(3) }, k, got), "OperationError")
	})
})
for (const n of [1, 8, 12, 16, 60]) test("AES-GCM with an iv of " + n + " bytes", async () => {
	const k = await raw(new Uint8Array(32), "AES-GCM", ["encrypt", "decrypt"]), a = { name: "AES-GCM", iv: new Uint8Array(n).fill(1) }
	is(hex(await subtle.decrypt(a, k, await subtle.encrypt(a, k, bytes("hi")))), hex(bytes("hi")))
})
for (const tagLength of [0, 8, 16, 100, 127, 129, 136]) test("AES-GCM with no such tag: " + tagLength, async () => {
	const k = await raw(new Uint8Array(16), "AES-GCM", ["encrypt", "decrypt"])
	for (const op of ["encrypt", "decrypt"]) await rejects(subtle[op]({ name: "AES-GCM", iv: new Uint8Array(12), tagLength }, k, new Uint8Array(32)), "OperationError")
})
test("AES-GCM with parameters that are wrong", async () => {
	const k = await raw(new Uint8Array(16), "AES-GCM", ["encrypt", "decrypt"]), iv = new Uint8Array(12), d = new Uint8Array(20)
	for (const a of ["AES-GCM", { name: "AES-GCM" }, { name: "AES-GCM", iv: null }, { name: "AES-GCM", iv: [1] }, { name: "AES-GCM", iv, additionalData: "x" }, { name: "AES-GCM", iv, additionalData: null }]) await rejects(subtle.encrypt(a, k, d), TypeError)
	await rejects(subtle.decrypt({ name: "AES-GCM", iv }, k, new Uint8Array(15)), "OperationError")
	await rejects(subtle.encrypt({ name: "AES-GCM", iv }, k, "text"), TypeError)
	await rejects(subtle.encrypt({ name: "AES-GCM", iv }, {}, d), TypeError)
})

for (const [kek, key, want] of [
	["000102030405060708090A0B0C0D0E0F", "00112233445566778899AABBCCDDEEFF", "1FA68B0A8112B447AEF34BD8FB5A7B829D3E862371D2CFE5"],
	["000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F", "00112233445566778899AABBCCDDEEFF000102030405060708090A0B0C0D0E0F", "28C9F404C4B810F4CBCCB35CFB87F8263F5786E2D80ED326CBC7F0E71A99F43BFB988B9B7A02DD21"],
]) test("AES-KW of " + key.length * 4 + " bits with " + kek.length * 4, async () => {
	const w = await raw(unhex(kek), "AES-KW", ["wrapKey", "unwrapKey"]), k = await raw(unhex(key), "AES-CBC", ["encrypt"]), out = await subtle.wrapKey("raw", k, w, "AES-KW")
	is(hex(out), want.toLowerCase())
	const back = await subtle.unwrapKey("raw", out, w, "AES-KW", "AES-CBC", true, ["decrypt"])
	is(hex(await subtle.exportKey("raw", back)), key.toLowerCase())
	same([...back.usages], ["decrypt"])
	const broken = new Uint8Array(out)
	broken[3] ^= 1
	await rejects(subtle.unwrapKey("raw", broken, w, "AES-KW", "AES-CBC", true, ["decrypt"]), "OperationError")
	await rejects(subtle.unwrapKey("raw", new Uint8Array(7), w, "AES-KW", "AES-CBC", true, ["decrypt"]), "OperationError")
})
test("AES-KW wraps multiples of 64 bits only", async () => {
	const w = await raw(new Uint8Array(16), "AES-KW", ["wrapKey"])
	await rejects(subtle.wrapKey("raw", await raw(new Uint8Array(17), { name: "HMAC", hash: "SHA-1" }, ["sign"]), w, "AES-KW"), "OperationError")
})
const wrappers = [["AES-GCM", { iv: new Uint8Array(12) }], ["AES-CBC", { iv: new Uint8Array(16) }], ["AES-CTR", { counter: new Uint8Array(16), length: 64 }]]
for (const [name, more] of wrappers) for (const format of ["raw", "jwk"]) test(name + " wraps a key as " + format, async () => {
	const w = await raw(new Uint8Array(16).fill(1), name, ["wrapKey", "unwrapKey", "encrypt", "decrypt"]), a = { name, ...more }, hmac = { name: "HMAC", hash: "SHA-256" }, k = await raw(bytes("a secret"), hmac, ["sign"])
	const out = await subtle.wrapKey(format, k, w, a), plain = await subtle.decrypt(a, w, out)
	if (format === "raw") is(hex(plain), hex(bytes("a secret")))
	else is(JSON.parse(new TextDecoder().decode(plain)).kty, "oct")
	const back = await subtle.unwrapKey(format, out, w, a, hmac, false, ["sign"])
	same([back.extractable, back.algorithm], [false, { name: "HMAC", hash: { name: "SHA-256" }, length: 64 }])
	is(hex(await subtle.sign("HMAC", back, bytes("x"))), hex(await subtle.sign("HMAC", k, bytes("x"))))
})
test("wrapKey of a key that is not extractable", async () => {
	const w = await raw(new Uint8Array(16), "AES-KW", ["wrapKey"])
	await rejects(subtle.wrapKey("raw", await raw(new Uint8Array(16), "AES-CBC", ["encrypt"], false), w, "AES-KW"), "InvalidAccessError")
})
test("unwrapKey of what is no JWK", async () => {
	const w = await raw(new Uint8Array(16), "AES-GCM", ["encrypt", "unwrapKey"]), a = { name: "AES-GCM", iv: new Uint8Array(12) }
	for (const s of ["", "{", "5", "null", "{}"]) await rejects(subtle.unwrapKey("jwk", await subtle.encrypt(a, w, bytes(s)), w, a, { name: "HMAC", hash: "SHA-256" }, true, ["sign"]), "DataError")
})
test("unwrapKey without usages", async () => {
	const w = await raw(new Uint8Array(16), "AES-KW", ["wrapKey", "unwrapKey"]), out = await subtle.wrapKey("raw", await raw(new Uint8Array(16), "AES-CBC", ["encrypt"]), w, "AES-KW")
	await rejects(subtle.unwrapKey("raw", out, w, "AES-KW", "AES-CBC", true, []), "SyntaxError")
})
