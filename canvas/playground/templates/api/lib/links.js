import { problem } from "./router.js";

/** Returns a new link made of what a person sent, or throws what is wrong with it. */
export function checkLink(input) {
  const name = String(input?.name ?? "").trim().toLowerCase();
  if (!/^[a-z0-9-]{1,32}$/.test(name)) throw problem(400, "A name has 1 to 32 of the characters a-z, 0-9 and -.");
  let url;
  try {
    url = new URL(String(input?.url ?? "").trim());
  } catch {
    throw problem(400, "That is not a whole URL. Does it begin with https:// ?");
  }
  if (url.protocol !== "https:" && url.protocol !== "http:") throw problem(400, "Only links to http and https are kept.");
  return { name, url: url.href, visits: 0, added: new Date().toISOString() };
}
