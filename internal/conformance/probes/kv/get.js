import { cases, outcome, see } from "../see.js";

const fill = async (KV) => {
  await KV.put("text", "héllo");
  await KV.put("json", '{"a":[1,2,{"b":null}]}');
  await KV.put("bytes", new Uint8Array([0, 255, 128, 65]));
  await KV.put("meta", "v", { metadata: { a: 1 } });
  await KV.put("bom", "\uFEFFx");
};

async function read(v) {
  return v instanceof ReadableStream ? { stream: await new Response(v).text() } : v;
}

export default () => ({
  ...cases("get", { missing: "nope", text: "text", json: "json", "bytes as text": "bytes", "a BOM": "bom" }, async ({ env }, key) => {
    await fill(env.KV);
    return env.KV.get(key);
  }),
  ...cases(
    "type",
    {
      text: ["text", "text"], json: ["json", "json"], arrayBuffer: ["bytes", "arrayBuffer"], stream: ["text", "stream"],
      "missing as json": ["nope", "json"], "missing as arrayBuffer": ["nope", "arrayBuffer"], "missing as stream": ["nope", "stream"],
      "missing of unknown type": ["nope", "blob"], "unknown type": ["text", "blob"], "empty type": ["text", ""], undefined: ["json", undefined],
      null: ["json", null], number: ["text", 1], "text as json": ["text", "json"], "options json": ["json", { type: "json" }], "options stream": ["bytes", { type: "stream" }],
      "options without type": ["text", {}], "options with unknown type": ["text", { type: "x" }], "options with undefined type": ["text", { type: undefined }],
    },
    async ({ env }, [key, type]) => {
      await fill(env.KV);
      return read(await env.KV.get(key, type));
    },
  ),
  ...cases(
    "key",
    {
      empty: "", dot: ".", "two dots": "..", "three dots": "...", "512 bytes": "k".repeat(512), "513 bytes": "k".repeat(513), "513 bytes of UTF-8": "é".repeat(256) + "k",
      number: 5, null: null, undefined: undefined, true: true, object: {}, slash: "a/b/../c", percent: "%2e%zz", query: "a?b#c", space: " a b ", control: "a\nb\0c",
      "a pair": "😀", symbol: Symbol("s"),
    },
    ({ env }, key) => env.KV.get(key),
  ),
  ...cases("lone surrogate in key", { get: "get", delete: "delete", getWithMetadata: "getWithMetadata" }, ({ env }, method) => env.KV[method]("a\ud800b")),
  ...cases("cacheTtl", { 10: 10, 29: 29, 30: 30, 60: 60, 0: 0, negative: -1, NaN: NaN, text: "x", "text 60": "60", null: null, undefined: undefined, fraction: 30.5, infinite: Infinity }, async ({ env }, cacheTtl) => {
    await fill(env.KV);
    return env.KV.get("text", { cacheTtl });
  }),
  ...cases("getWithMetadata", { missing: ["nope"], plain: ["text"], "with metadata": ["meta"], json: ["json", "json"], arrayBuffer: ["bytes", { type: "arrayBuffer" }], "unknown type": ["text", "x"], "text as json": ["text", "json"] }, async ({ env }, args) => {
    await fill(env.KV);
    return env.KV.getWithMetadata(...args);
  }),
  "getWithMetadata as a stream": async ({ env }) => {
    await fill(env.KV);
    const { value, metadata } = await env.KV.getWithMetadata("meta", "stream");
    return [await new Response(value).text(), metadata];
  },
  "no argument": async ({ env }) => [await outcome(() => env.KV.get()), await outcome(() => env.KV.getWithMetadata()), await outcome(() => env.KV.put()), await outcome(() => env.KV.put("k")), await outcome(() => env.KV.delete())],
  "keys are case-sensitive": async ({ env }) => {
    await env.KV.put("A", "1");
    return [await env.KV.get("A"), await env.KV.get("a")];
  },
  "keys are not normalised": async ({ env }) => {
    await env.KV.put("\u00e9", "1");
    return [await env.KV.get("\u00e9"), await env.KV.get("e\u0301")];
  },
  "get gives a promise": ({ env }) => {
    const p = env.KV.get("nope");
    return [p instanceof Promise, Object.prototype.toString.call(p)];
  },
  "a refusal is a rejection": async ({ env }) => {
    let p;
    try {
      p = env.KV.get("");
    } catch (e) {
      return { threw: see(e) };
    }
    return { rejected: await outcome(() => p) };
  },
  "a method taken off": async ({ env }) => {
    const { get } = env.KV;
    return (await outcome(() => get("a")))?.thrown?.$error ?? "no error";
  },
  "what a namespace is": ({ env }) => [typeof env.KV, Object.prototype.toString.call(env.KV), env.KV.constructor.name, Object.keys(env.KV), "get" in env.KV, typeof env.KV.getMany],
});
