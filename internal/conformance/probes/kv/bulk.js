import { cases, outcome } from "../see.js";

async function fill(KV) {
  await KV.put("a", "1");
  await KV.put("b", '{"x":2}', { metadata: { m: 1 } });
  await KV.put("t", "no json");
  await KV.put("7", "seven");
}
const many = (n) => Array.from({ length: n }, (_, i) => "k" + i);

export default () => ({
  ...cases(
    "get",
    {
      two: [["a", "b"]], "in the order asked": [["b", "nope", "a"]], missing: [["nope"]], none: [[]], "100 keys": [many(100)], "101 keys": [many(101)], "the same twice": [["a", "a"]], json: [["a", "b"], "json"], "json in options": [["b"], { type: "json" }],
      "not json": [["a", "t"], "json"], arrayBuffer: [["a"], "arrayBuffer"], stream: [["a"], { type: "stream" }], "unknown type": [["a"], "x"], "an empty key": [["a", ""]], "a dot": [["."]], "513 bytes": [["k".repeat(513)]],
      numbers: [[1, 7]], "integer-like keys": [["7", "a"]], null: [[null]], nested: [[["a"]]], "missing as json": [["nope"], "json"], "cacheTtl of 10": [["a"], { cacheTtl: 10 }], "cacheTtl of 60": [["a"], { cacheTtl: 60 }],
    },
    async ({ env }, args) => {
      await fill(env.KV);
      return env.KV.get(...args);
    },
  ),
  ...cases("getWithMetadata", { two: [["a", "b", "nope"]], json: [["b"], "json"], none: [[]], arrayBuffer: [["a"], "arrayBuffer"] }, async ({ env }, args) => {
    await fill(env.KV);
    return env.KV.getWithMetadata(...args);
  }),
  "more than 25 MB together": async ({ env }) => {
    for (const k of ["a", "b"]) await env.KV.put(k, new Uint8Array(14e6).fill(65));
    return outcome(() => env.KV.get(["a", "b"]));
  },
});
