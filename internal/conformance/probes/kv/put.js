import { cases, outcome } from "../see.js";

const soon = (n) => Math.floor(Date.now() / 1000) + n;
// words replaces a point in time by how far it is.
const words = async (fn) => JSON.parse(JSON.stringify((await outcome(fn)) ?? null).replace(/\b\d{10,}\b/g, (n) => (Math.abs(n - soon(0)) < 1e6 ? "soon" : n)));

class Box {
  toString() {
    return "boxed";
  }
}

export default () => ({
  ...cases(
    "value",
    {
      string: "v", empty: "", "a pair": "😀", "a lone surrogate": "a\ud800b", number: 5, zero: 0, null: null, undefined: undefined, true: true, bigint: 5n, "not a number": NaN,
      array: [1], object: {}, date: new Date(0), regexp: /x/, "with toString": new Box(), function: () => 1, map: new Map(), promise: Promise.resolve("x"),
      "boxed string": new String("boxed"), "text in bytes": new TextEncoder().encode("bytes"),
    },
    async ({ env }, value) => {
      const put = await outcome(() => env.KV.put("k", value));
      return { put, got: await env.KV.get("k") };
    },
  ),
  "value: a symbol": async ({ env }) => (await outcome(() => env.KV.put("k", Symbol("x")))).thrown?.$error,
  ...cases(
    "bytes",
    {
      ArrayBuffer: () => new Uint8Array([1, 2, 3]).buffer, Uint8Array: () => new Uint8Array([0, 255]), "part of a buffer": () => new Uint8Array([1, 2, 3, 4]).subarray(1, 3), DataView: () => new DataView(new Uint8Array([9, 8, 7]).buffer, 1),
      Uint16Array: () => new Uint16Array([1, 2]), Float64Array: () => new Float64Array([1.5]), empty: () => new Uint8Array(), Blob: () => new Blob(["x"]), URLSearchParams: () => new URLSearchParams("a=b"), Response: () => new Response("x"),
      stream: () => new Response("streamed").body, "a stream made by hand": () => new ReadableStream({ start(c) { c.enqueue(new Uint8Array([1, 2])); c.enqueue(new Uint8Array([3])); c.close(); } }),
      "an empty stream": () => new ReadableStream({ start(c) { c.close(); } }), "a stream of numbers": () => new ReadableStream({ start(c) { c.enqueue(5); c.close(); } }),
    },
    async ({ env }, make) => {
      const put = await outcome(() => env.KV.put("k", make()));
      return { put, got: await env.KV.get("k", "arrayBuffer") };
    },
  ),
  // What is stored of it is chance.
  "a stream that fails": ({ env }) => env.KV.put("k", new ReadableStream({ start(c) { c.error(new RangeError("bad")); } })),
  "a body of the request": async ({ env }) => {
    await env.KV.put("k", new Request("http://a.example", { method: "POST", body: "abc" }).body);
    return env.KV.get("k");
  },
  "a stream that is locked": async ({ env }) => {
    const stream = new Response("x").body;
    stream.getReader();
    return (await outcome(() => env.KV.put("k", stream))).thrown?.$error;
  },
  ...cases("key", { empty: "", dot: ".", "two dots": "..", "513 bytes": "k".repeat(513), "a lone surrogate": "\udfff", number: 7, null: null }, async ({ env }, key) => {
    const put = await outcome(() => env.KV.put(key, "v"));
    return { put, keys: (await env.KV.list()).keys };
  }),
  ...cases("expirationTtl", { 0: 0, 30: 30, 59: 59, 60: 60, 61: 61, negative: -5, fraction: 60.9, "fraction below": 59.9, text: "100", words: "soon", NaN: NaN, null: null, undefined: undefined, infinite: Infinity, true: true, huge: 1e12 }, async ({ env }, expirationTtl) => {
    const put = await words(() => env.KV.put("k", "v", { expirationTtl }));
    const at = (await env.KV.list()).keys[0]?.expiration;
    return { put, seconds: at && (Math.abs(at - soon(0) - 60) < 3 ? "a minute" : at - soon(0) > 1e10 ? "far" : Math.round((at - soon(0)) / 10)) };
  }),
  ...cases("expiration", { 0: 0, past: 1000000000, now: () => soon(0), "in 30 s": () => soon(30), "in 90 s": () => soon(90), negative: -1, fraction: () => soon(90) + 0.5, text: () => String(soon(90)), words: "soon", NaN: NaN, null: null, undefined: undefined, date: () => new Date(Date.now() + 90e3) }, async ({ env }, value) => {
    const expiration = typeof value === "function" ? value() : value;
    const put = await words(() => env.KV.put("k", "v", { expiration }));
    const at = (await env.KV.list()).keys[0]?.expiration;
    return { put, seconds: at && (Math.abs(at - soon(90)) < 4 ? "in 90 s" : "other") };
  }),
  "expirationTtl wins over expiration": async ({ env }) => {
    await env.KV.put("k", "v", { expirationTtl: 300, expiration: soon(5000) });
    return Math.abs((await env.KV.list()).keys[0].expiration - soon(300)) < 4;
  },
  "put again takes the expiry away": async ({ env }) => {
    await env.KV.put("k", "v", { expirationTtl: 300, metadata: 1 });
    await env.KV.put("k", "w");
    return (await env.KV.list()).keys;
  },
  ...cases(
    "metadata",
    { object: { a: [1, "é", null] }, string: "s", number: 0, false: false, null: null, undefined: undefined, array: [], date: new Date(0), "undefined inside": { a: undefined, b: [undefined] }, NaN: NaN, bigint: 1n, function: () => 1, "1024 bytes": "m".repeat(1022), "1025 bytes": "m".repeat(1023), "1026 bytes of UTF-8": "é".repeat(512), toJSON: { toJSON: () => "j" }, "key order": { b: 1, a: 2, 1: 3 } },
    async ({ env }, metadata) => {
      const put = await outcome(() => env.KV.put("k", "v", { metadata }));
      return { put, got: await env.KV.getWithMetadata("k"), listed: (await env.KV.list()).keys };
    },
  ),
  "metadata that is circular": async ({ env }) => {
    const a = {};
    a.a = a;
    return (await outcome(() => env.KV.put("k", "v", { metadata: a }))).thrown?.$error;
  },
  ...cases("options", { null: null, undefined: undefined, string: "x", number: 5, empty: {}, unknown: { what: 1 } }, async ({ env }, options) => {
    return [await outcome(() => env.KV.put("k", "v", options)), await env.KV.get("k")];
  }),
  "25 MiB": async ({ env }) => [await outcome(() => env.KV.put("k", new Uint8Array(26214400))), (await env.KV.get("k", "arrayBuffer")).byteLength],
  "25 MiB and a byte": ({ env }) => env.KV.put("k", new Uint8Array(26214401)),
  "put gives undefined": async ({ env }) => [await env.KV.put("k", "v"), await env.KV.delete("k")],
  "put then get at once": async ({ env }) => {
    const both = await Promise.all([env.KV.put("k", "v"), env.KV.get("k")]);
    return [both[0], await env.KV.get("k")];
  },
});
