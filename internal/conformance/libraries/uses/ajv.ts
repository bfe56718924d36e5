// ajv
// A validator compiled ahead of time (standalone code): formats, references, conditions, defaults, coercion and all errors.
import { order } from "./parts/ajv";

export default {
  fetch() {
    const run = (v: any) => [order(v), v, (order as any).errors?.map((e: any) => [e.instancePath, e.keyword, e.params, e.message]) ?? null];
    return Response.json([
      run({ id: "o-1", items: [{ sku: "ab", n: "2" }], at: "2024-02-29", kind: "gift", note: "hi 🎉" }), run({ id: "x", items: [], kind: "other", more: 1 }), run({ id: "o-2", items: [{ sku: "toolong", n: 0 }, { sku: "toolong", n: 0 }], kind: "gift", at: "2023-02-29", note: "🎉🎉🎉🎉🎉" }), run({ id: "o-3", items: [{ sku: "ab", n: 1.5, kids: [{ sku: "" }] }], kind: "plain", x_1: "s", x_2: 3 }), run(null),
    ]);
  },
};
