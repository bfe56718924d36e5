// @noble/hashes
// SHA-2, SHA-3, BLAKE2 and 3, RIPEMD, HMAC, HKDF, PBKDF2, scrypt and Argon2, also fed in pieces; checked against crypto.subtle.
import { argon2id } from "@noble/hashes/argon2.js";
import { blake2b, blake2s } from "@noble/hashes/blake2.js";
import { blake3 } from "@noble/hashes/blake3.js";
import { hkdf } from "@noble/hashes/hkdf.js";
import { hmac } from "@noble/hashes/hmac.js";
import { md5, ripemd160, sha1 } from "@noble/hashes/legacy.js";
import { pbkdf2, pbkdf2Async } from "@noble/hashes/pbkdf2.js";
import { scrypt } from "@noble/hashes/scrypt.js";
import { sha256, sha384, sha512 } from "@noble/hashes/sha2.js";
import { keccak_256, sha3_256, shake128 } from "@noble/hashes/sha3.js";
import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js";

export default {
  async fetch() {
    const data = utf8ToBytes("Grüße ".repeat(50)), key = hexToBytes("00112233445566778899aabbccddeeff");
    const pieces = sha256.create();
    for (let i = 0; i < data.length; i += 17) pieces.update(data.subarray(i, i + 17));
    const native = new Uint8Array(await crypto.subtle.digest("SHA-512", data));
    const all = { md5, sha1, ripemd160, sha256, sha384, sha512, sha3_256, keccak_256, blake2b, blake2s, blake3 };
    return Response.json({
      hashes: Object.entries(all).map(([name, h]) => [name, bytesToHex(h(data)), bytesToHex(h(new Uint8Array()))]), pieces: bytesToHex(pieces.digest()), same: bytesToHex(native) === bytesToHex(sha512(data)), hmac: bytesToHex(hmac(sha256, key, data)), hkdf: bytesToHex(hkdf(sha256, key, undefined, utf8ToBytes("info"), 42)),
      pbkdf2: [bytesToHex(pbkdf2(sha256, "password", "salt", { c: 50, dkLen: 20 })), bytesToHex(await pbkdf2Async(sha512, "password", "salt", { c: 20, dkLen: 16 }))], scrypt: bytesToHex(scrypt("p", "s", { N: 64, r: 8, p: 1, dkLen: 32 })), argon: bytesToHex(argon2id("password", "saltsalt", { t: 1, m: 64, p: 1 })), shake: bytesToHex(shake128(data, { dkLen: 40 })), keyed: bytesToHex(blake3(data, { key: concatBytes(key, key) })), bad: (() => { try { hexToBytes("0g"); } catch (e) { return (e as Error).name; } })(),
    });
  },
};
