// tweetnacl
// Boxes, secret boxes, signatures from seeds, scalar multiplication and hashes.
import nacl from "tweetnacl";

const hex = (b: Uint8Array | null) => b && [...b].map((x) => x.toString(16).padStart(2, "0")).join("");
export default {
  fetch() {
    const seed = new Uint8Array(32).map((_, i) => i), nonce = new Uint8Array(24).fill(9), text = new TextEncoder().encode("héllo");
    const sign = nacl.sign.keyPair.fromSeed(seed), a = nacl.box.keyPair.fromSecretKey(seed), b = nacl.box.keyPair.fromSecretKey(seed.slice().reverse());
    const boxed = nacl.box(text, nonce, b.publicKey, a.secretKey), secret = nacl.secretbox(text, nonce, seed);
    return Response.json({ sign: [hex(sign.publicKey), hex(nacl.sign.detached(text, sign.secretKey)), nacl.sign.detached.verify(text, nacl.sign.detached(text, sign.secretKey), sign.publicKey), nacl.sign.open(new Uint8Array(70), sign.publicKey)], box: [hex(boxed), new TextDecoder().decode(nacl.box.open(boxed, nonce, a.publicKey, b.secretKey)!)], secretbox: [hex(secret), hex(nacl.secretbox.open(secret.map((x, i) => (i ? x : x ^ 1)), nonce, seed))], mult: hex(nacl.scalarMult.base(seed)), hash: hex(nacl.hash(text)), random: nacl.randomBytes(8).length, verify: nacl.verify(seed, seed), thrown: (() => { try { nacl.box(text, seed, seed, seed); } catch (e) { return (e as Error).message; } })() });
  },
};
