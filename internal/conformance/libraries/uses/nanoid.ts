// nanoid
// Identifiers of the secure generator by size and alphabet, and of a generator that is given its bytes.
import { customAlphabet, customRandom, nanoid, urlAlphabet } from "nanoid";
import { nanoid as insecure } from "nanoid/non-secure";

export default {
  fetch() {
    let seed = 7;
    const fixed = customRandom("abcdef", 12, (size) => new Uint8Array(size).map(() => (seed = (seed * 73 + 11) % 256)));
    const ids = Array.from({ length: 500 }, () => nanoid());
    return Response.json({ sizes: [nanoid().length, nanoid(10).length, insecure(5).length], unique: new Set(ids).size, alphabet: ids.every((id) => [...id].every((c) => urlAlphabet.includes(c))), spread: new Set(ids.join("")).size,
      hex: /^[0-9A-F]{16}$/.test(customAlphabet("0123456789ABCDEF", 16)()), fixed: [fixed(), fixed(), fixed(5)] });
  },
};
