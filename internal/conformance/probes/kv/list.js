import { cases, outcome } from "../see.js";

async function fill(KV, names = ["b", "a", "a/1", "a/2", "A", "é", "😀", "\uFFFD", "z z", "%"]) {
  for (const n of names) await KV.put(n, "v");
}
const names = (page) => page.keys.map((k) => k.name);

export default () => ({
  "an empty namespace": ({ env }) => env.KV.list(),
  "the order of keys is that of UTF-8": async ({ env }) => {
    await fill(env.KV);
    return env.KV.list();
  },
  ...cases("prefix", { a: "a", "a/": "a/", empty: "", é: "é", "%": "%", none: "nothing", null: null, undefined: undefined, number: 5, "512 bytes": "a".repeat(512), "513 bytes": "a".repeat(513), wildcard: "*" }, async ({ env }, prefix) => {
    await fill(env.KV);
    return env.KV.list({ prefix });
  }),
  ...cases("limit", { 1: 1, 3: 3, 1000: 1000, 1001: 1001, 0: 0, negative: -1, fraction: 2.7, text: "2", words: "x", NaN: NaN, null: null, undefined: undefined, huge: 1e12 }, async ({ env }, limit) => {
    await fill(env.KV);
    const page = await env.KV.list({ limit });
    return { ...page, cursor: page.cursor && typeof page.cursor };
  }),
  "pages": async ({ env }) => {
    await fill(env.KV);
    const all = [];
    let cursor;
    do {
      const page = await env.KV.list({ limit: 4, cursor });
      all.push([names(page), page.list_complete, "cursor" in page]);
      cursor = page.cursor;
    } while (cursor);
    return all;
  },
  "a page that ends with the last key": async ({ env }) => {
    await fill(env.KV, ["a", "b"]);
    const page = await env.KV.list({ limit: 2 });
    return [names(page), page.list_complete, "cursor" in page];
  },
  "the cursor is the last key in base64": async ({ env }) => {
    await fill(env.KV, ["a", "é", "z"]);
    return [(await env.KV.list({ limit: 1 })).cursor, (await env.KV.list({ limit: 2 })).cursor];
  },
  "keys that come while paging": async ({ env }) => {
    await fill(env.KV, ["a", "c", "d"]);
    const { cursor } = await env.KV.list({ limit: 1 });
    await env.KV.put("b", "v");
    await env.KV.delete("d");
    return names(await env.KV.list({ cursor }));
  },
  ...cases("cursor", { bad: "not base64!", empty: "", null: null, number: 5, "beyond all": btoa("\uF8FF".replace(/./, "\xff")), "of no key": btoa("aa") }, async ({ env }, cursor) => {
    await fill(env.KV, ["a", "b"]);
    return outcome(() => env.KV.list({ cursor }));
  }),
  "prefix and cursor": async ({ env }) => {
    await fill(env.KV);
    const first = await env.KV.list({ prefix: "a", limit: 1 });
    return [names(first), names(await env.KV.list({ prefix: "a", cursor: first.cursor }))];
  },
  "metadata and expiration are listed": async ({ env }) => {
    const at = Math.floor(Date.now() / 1000) + 500;
    await env.KV.put("a", "v", { metadata: { m: 1 } });
    await env.KV.put("b", "v", { expiration: at });
    await env.KV.put("c", "v", { expiration: at, metadata: "x" });
    return (await env.KV.list()).keys.map((k) => [Object.keys(k), k.expiration === undefined ? "none" : k.expiration === at, k.metadata ?? "none"]);
  },
  ...cases("options", { null: null, undefined: undefined, string: "a", number: 5 }, async ({ env }, options) => {
    await fill(env.KV, ["a"]);
    return env.KV.list(options);
  }),
  ...cases("delete", { missing: "nope", present: "a", "one in a list": ["a"], number: 5, "an empty key": "", dot: ".", "513 bytes": "k".repeat(513) }, async ({ env }, key) => {
    await fill(env.KV, ["a", "b", "c", "5"]);
    const deleted = await outcome(() => env.KV.delete(key));
    return { deleted, left: names(await env.KV.list()) };
  }),
  "delete of a list": async ({ env }) => {
    await fill(env.KV, ["a", "b", "c"]);
    const deleted = [await outcome(() => env.KV.delete([])), await outcome(() => env.KV.delete(["a", "b"]))];
    return { deleted, left: names(await env.KV.list()) };
  },
});
