import { cases, now, outcome } from "../see.js";

const text = (s) => new TextEncoder().encode(s);
const hex = (b) => [...new Uint8Array(b)].map((x) => x.toString(16).padStart(2, "0")).join("");
const { subtle } = crypto;
const errorOf = async (fn) => (await outcome(fn)).thrown?.$error ?? "no error";
// jwk leaves out members that are undefined.
const jwk = async (key) => Object.fromEntries(Object.entries(JSON.parse(JSON.stringify(await subtle.exportKey("jwk", key)))).sort());
const bytes = (n) => new Uint8Array(n).map((_, i) => i);

export default () => ({
  ...cases("digest", { "SHA-1": "SHA-1", "SHA-256": "SHA-256", "SHA-384": "SHA-384", "SHA-512": "SHA-512", "lower case": "sha-256", object: { name: "SHA-256" }, MD5: "MD5" }, async (_, a) => hex(await subtle.digest(a, text("abc")))),
  ...cases("digest of", { string: "abc", null: null, array: [1], buffer: new ArrayBuffer(1), "a part": new Uint8Array([1, 2, 3]).subarray(1, 2), DataView: new DataView(new ArrayBuffer(2)) }, async (_, v) => {
    const r = await outcome(async () => hex(await subtle.digest("SHA-256", v)));
    return r.thrown ? r.thrown.$error : r;
  }),
  "digest of an unknown algorithm": () => errorOf(() => subtle.digest("SHA-999", text("a"))),
  ...cases("getRandomValues", { Uint8Array: () => new Uint8Array(4), Uint32Array: () => new Uint32Array(2), BigUint64Array: () => new BigUint64Array(1), Float32Array: () => new Float32Array(1), DataView: () => new DataView(new ArrayBuffer(2)), array: () => [1], "65536 bytes": () => new Uint8Array(65536), "65537 bytes": () => new Uint8Array(65537), empty: () => new Uint8Array() }, (_, make) => {
    const v = make();
    const r = now(() => crypto.getRandomValues(v) === v);
    return r.thrown ? r.thrown.$error : r;
  }),
  "randomUUID": () => [/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(crypto.randomUUID()), crypto.randomUUID() === crypto.randomUUID()],
  ...cases("HMAC", { "SHA-1": "SHA-1", "SHA-256": "SHA-256", "SHA-512": "SHA-512" }, async (_, hash) => {
    const key = await subtle.importKey("raw", text("key"), { name: "HMAC", hash }, false, ["sign", "verify"]);
    const mac = await subtle.sign("HMAC", key, text("data"));
    return [hex(mac), await subtle.verify("HMAC", key, mac, text("data")), await subtle.verify("HMAC", key, mac, text("other")), await subtle.verify("HMAC", key, new Uint8Array(3), text("data"))];
  }),
  "a key's properties": async () => {
    const key = await subtle.importKey("raw", text("key"), { name: "hmac", hash: "sha-256" }, true, ["verify", "sign"]);
    return [String(key), key.type, key.extractable, key.algorithm, key.usages];
  },
  "a key that can't be exported": async () => {
    const key = await subtle.importKey("raw", text("key"), { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
    return errorOf(() => subtle.exportKey("raw", key));
  },
  "a key with the wrong usage": async () => {
    const key = await subtle.importKey("raw", text("key"), { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
    return errorOf(() => subtle.verify("HMAC", key, new Uint8Array(32), text("x")));
  },
  "a key of another algorithm": async () => {
    const key = await subtle.importKey("raw", bytes(16), "AES-GCM", false, ["encrypt"]);
    return errorOf(() => subtle.sign("HMAC", key, text("x")));
  },
  "a key as jwk": async () => {
    const key = await subtle.importKey("raw", text("key"), { name: "HMAC", hash: "SHA-256" }, true, ["sign"]);
    return jwk(key);
  },
  ...cases("AES", { "AES-GCM": { name: "AES-GCM", iv: bytes(12) }, "AES-GCM with data": { name: "AES-GCM", iv: bytes(12), additionalData: text("ad"), tagLength: 96 }, "AES-CBC": { name: "AES-CBC", iv: bytes(16) }, "AES-CTR": { name: "AES-CTR", counter: bytes(16), length: 64 } }, async (_, a) => {
    const key = await subtle.importKey("raw", bytes(32), a.name, true, ["encrypt", "decrypt"]);
    const sealed = await subtle.encrypt(a, key, text("secret message"));
    return [hex(sealed), new TextDecoder().decode(await subtle.decrypt(a, key, sealed)), key.algorithm];
  }),
  ...cases("AES refuses", { "a short iv of CBC": [{ name: "AES-CBC", iv: bytes(8) }, 16], "a tag of 50": [{ name: "AES-GCM", iv: bytes(12), tagLength: 50 }, 16], "no iv": [{ name: "AES-GCM" }, 16] }, async (_, [a, n]) => {
    const key = await subtle.importKey("raw", bytes(n), a.name, true, ["encrypt"]);
    return errorOf(() => subtle.encrypt(a, key, text("x")));
  }),
  "a key of 15 bytes": () => errorOf(() => subtle.importKey("raw", bytes(15), "AES-GCM", true, ["encrypt"])),
  "decryption of what was changed": async () => {
    const key = await subtle.importKey("raw", bytes(16), "AES-GCM", false, ["encrypt", "decrypt"]);
    const iv = bytes(12);
    const sealed = new Uint8Array(await subtle.encrypt({ name: "AES-GCM", iv }, key, text("x")));
    sealed[0] ^= 1;
    return errorOf(() => subtle.decrypt({ name: "AES-GCM", iv }, key, sealed));
  },
  "PBKDF2": async () => {
    const key = await subtle.importKey("raw", text("pass"), "PBKDF2", false, ["deriveBits", "deriveKey"]);
    const a = { name: "PBKDF2", salt: text("salt"), iterations: 1000, hash: "SHA-256" };
    const derived = await subtle.deriveKey(a, key, { name: "AES-GCM", length: 256 }, true, ["encrypt"]);
    return [hex(await subtle.deriveBits(a, key, 256)), hex(await subtle.exportKey("raw", derived)), derived.usages];
  },
  "PBKDF2 of 100001 iterations": async () => {
    const key = await subtle.importKey("raw", text("pass"), "PBKDF2", false, ["deriveBits"]);
    return errorOf(() => subtle.deriveBits({ name: "PBKDF2", salt: text("salt"), iterations: 100001, hash: "SHA-256" }, key, 256));
  },
  "HKDF": async () => {
    const key = await subtle.importKey("raw", bytes(22), "HKDF", false, ["deriveBits"]);
    return hex(await subtle.deriveBits({ name: "HKDF", salt: bytes(13), info: text("info"), hash: "SHA-256" }, key, 336));
  },
  ...cases("ECDSA", { "P-256": "P-256", "P-384": "P-384", "P-521": "P-521" }, async (_, namedCurve) => {
    const { privateKey, publicKey } = await subtle.generateKey({ name: "ECDSA", namedCurve }, true, ["sign", "verify"]);
    const a = { name: "ECDSA", hash: "SHA-256" };
    const signature = await subtle.sign(a, privateKey, text("x"));
    const { kty, crv, key_ops, ...rest } = await jwk(privateKey);
    return [signature.byteLength, await subtle.verify(a, publicKey, signature, text("x")), await subtle.verify(a, publicKey, signature, text("y")), Object.keys(rest), kty, crv, key_ops, privateKey.usages, publicKey.usages, (await subtle.exportKey("raw", publicKey)).byteLength, publicKey.algorithm];
  }),
  "ECDH": async () => {
    const a = await subtle.generateKey({ name: "ECDH", namedCurve: "P-256" }, true, ["deriveBits"]);
    const b = await subtle.generateKey({ name: "ECDH", namedCurve: "P-256" }, true, ["deriveBits"]);
    const one = await subtle.deriveBits({ name: "ECDH", public: b.publicKey }, a.privateKey, 256);
    const two = await subtle.deriveBits({ name: "ECDH", public: a.publicKey }, b.privateKey, 256);
    return [hex(one) === hex(two), one.byteLength, a.publicKey.usages];
  },
  ...cases("RSA", { "RSASSA-PKCS1-v1_5": "RSASSA-PKCS1-v1_5", "RSA-PSS": "RSA-PSS" }, async (_, name) => {
    const { privateKey, publicKey } = await subtle.generateKey({ name, modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]), hash: "SHA-256" }, true, ["sign", "verify"]);
    const a = { name, saltLength: 32 };
    const signature = await subtle.sign(a, privateKey, text("x"));
    return [signature.byteLength, await subtle.verify(a, publicKey, signature, text("x")), publicKey.algorithm, Object.keys(await jwk(publicKey)), (await jwk(publicKey)).alg];
  }),
  "RSA-OAEP": async () => {
    const { privateKey, publicKey } = await subtle.generateKey({ name: "RSA-OAEP", modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]), hash: "SHA-256" }, true, ["encrypt", "decrypt"]);
    const sealed = await subtle.encrypt({ name: "RSA-OAEP" }, publicKey, text("x"));
    return new TextDecoder().decode(await subtle.decrypt({ name: "RSA-OAEP" }, privateKey, sealed));
  },
  "Ed25519": async () => {
    const { privateKey, publicKey } = await subtle.generateKey("Ed25519", true, ["sign", "verify"]);
    const signature = await subtle.sign("Ed25519", privateKey, text("x"));
    return [signature.byteLength, await subtle.verify("Ed25519", publicKey, signature, text("x")), publicKey.algorithm, Object.keys(await jwk(privateKey))];
  },
  "X25519": async () => {
    const a = await subtle.generateKey("X25519", true, ["deriveBits"]);
    const b = await subtle.generateKey("X25519", true, ["deriveBits"]);
    return hex(await subtle.deriveBits({ name: "X25519", public: b.publicKey }, a.privateKey, 256)) === hex(await subtle.deriveBits({ name: "X25519", public: a.publicKey }, b.privateKey, 256));
  },
  "AES-KW": async () => {
    const kek = await subtle.importKey("raw", bytes(16), "AES-KW", false, ["wrapKey", "unwrapKey"]);
    const key = await subtle.importKey("raw", bytes(16), "AES-GCM", true, ["encrypt"]);
    const wrapped = await subtle.wrapKey("raw", key, kek, "AES-KW");
    return [hex(wrapped), (await subtle.unwrapKey("raw", wrapped, kek, "AES-KW", "AES-GCM", true, ["decrypt"])).usages];
  },
  "generateKey without usages": () => errorOf(() => subtle.generateKey({ name: "AES-GCM", length: 128 }, true, [])),
  "generateKey with a wrong usage": () => errorOf(() => subtle.generateKey({ name: "AES-GCM", length: 128 }, true, ["sign"])),
  "generateKey of an unknown algorithm": () => errorOf(() => subtle.generateKey({ name: "X" }, true, ["sign"])),
  "importKey without hash": () => errorOf(() => subtle.importKey("raw", text("key"), "HMAC", true, ["sign"])),
  "timingSafeEqual": () => [typeof subtle.timingSafeEqual, now(() => subtle.timingSafeEqual(bytes(3), bytes(3))), now(() => subtle.timingSafeEqual(bytes(3), new Uint8Array(3))), now(() => subtle.timingSafeEqual(bytes(3), bytes(4))).thrown?.$error],
  "DigestStream": async () => {
    const d = new crypto.DigestStream("SHA-256");
    const w = d.getWriter();
    await w.write(text("abc"));
    await w.close();
    return hex(await d.digest);
  },
  "what it is": () => [String(crypto), String(subtle), typeof CryptoKey, typeof SubtleCrypto, typeof Crypto, now(() => new CryptoKey()).thrown?.$error],
  "subtle gives promises": () => {
    const p = subtle.digest("nope", text("x"));
    p.catch(() => {});
    return p instanceof Promise;
  },
});
