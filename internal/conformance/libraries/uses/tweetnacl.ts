// tweetnacl
// Secret boxes sealed, opened and forged, hashes, comparison in constant time, and wrong sizes.
import nacl from "tweetnacl";

const hex = (b: Uint8Array | null) => b && [...b].map((x) => x.toString(16).padStart(2, "0")).join("");
export default {
  fetch() {
    const seed = new Uint8Array(32).map((_, i) => i), nonce = new Uint8Array(24).fill(9), text = new TextEncoder().encode("héllo");
    const secret = nacl.secretbox(text, nonce, seed);
    return Response.json({ secretbox: [hex(secret), hex(nacl.secretbox.open(secret, nonce, seed)), hex(nacl.secretbox.open(secret.map((x, i) => (i ? x : x ^ 1)), nonce, seed))], hash: hex(nacl.hash(text)), random: nacl.randomBytes(8).length, verify: nacl.verify(seed, seed), thrown: (() => { try { nacl.box(text, seed, seed, seed); } catch (e) { return (e as Error).message; } })() });
  },
};
