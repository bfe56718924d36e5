// @noble/curves
// Signatures on secp256k1, P-256 and Ed25519, shared secrets, points and recovered keys; checked against crypto.subtle.
import { ed25519, x25519 } from "@noble/curves/ed25519.js";
import { p256 } from "@noble/curves/nist.js";
import { schnorr, secp256k1 } from "@noble/curves/secp256k1.js";
import { bytesToHex, hexToBytes } from "@noble/curves/utils.js";

export default {
  async fetch() {
    const secret = hexToBytes("0101010101010101010101010101010101010101010101010101010101010101"), other = hexToBytes("02".repeat(32)), message = new TextEncoder().encode("sign mé");
    const k = secp256k1.sign(message, secret), kr = secp256k1.sign(message, secret, { format: "recovered" }), e = ed25519.sign(message, secret), p = p256.sign(message, secret);
    const edKey = await crypto.subtle.importKey("raw", ed25519.getPublicKey(secret), "Ed25519", true, ["verify"]);
    const p256Key = await crypto.subtle.importKey("raw", p256.getPublicKey(secret, false), { name: "ECDSA", namedCurve: "P-256" }, true, ["verify"]);
    const s = schnorr.sign(message, secret, other);
    return Response.json({
      secp: [bytesToHex(secp256k1.getPublicKey(secret)), bytesToHex(k), secp256k1.verify(k, message, secp256k1.getPublicKey(secret)), secp256k1.verify(k, message, secp256k1.getPublicKey(other)), bytesToHex(secp256k1.recoverPublicKey(kr, message))], shared: bytesToHex(secp256k1.getSharedSecret(secret, secp256k1.getPublicKey(other))) === bytesToHex(secp256k1.getSharedSecret(other, secp256k1.getPublicKey(secret))),
      ed: [bytesToHex(e), ed25519.verify(e, message, ed25519.getPublicKey(secret)), await crypto.subtle.verify("Ed25519", edKey, e, message)], p256: [bytesToHex(p), await crypto.subtle.verify({ name: "ECDSA", hash: "SHA-256" }, p256Key, p, message)], x: bytesToHex(x25519.getSharedSecret(secret, x25519.getPublicKey(other))), schnorr: [bytesToHex(s), schnorr.verify(s, message, schnorr.getPublicKey(secret))],
      point: secp256k1.Point.BASE.multiply(12345n).toHex(), order: p256.Point.Fn.ORDER.toString(), sum: secp256k1.Point.BASE.double().add(secp256k1.Point.BASE).equals(secp256k1.Point.BASE.multiply(3n)), bad: (() => { try { secp256k1.Point.fromHex("02" + "ff".repeat(32)); } catch (x) { return (x as Error).message; } })(),
    });
  },
};
