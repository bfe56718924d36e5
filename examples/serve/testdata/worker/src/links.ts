export type Link = { slug: string; to: string };

const alphabet = "23456789abcdefghijkmnpqrstuvwxyz";

export function newSlug(length: number = 7): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(length)), (byte) => alphabet[byte % alphabet.length]).join("");
}
