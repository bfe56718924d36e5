// zod
// Schemas with unions, transforms, refinements, defaults and codecs; issues, pretty errors, JSON Schema.
import { z } from "zod";

const Address = z.object({ street: z.string().min(3), zip: z.string().regex(/^\d{5}$/, "five digits") });
const User = z
  .object({
    id: z.uuid(),
    name: z.string().trim().min(1).max(20),
    email: z.email().toLowerCase(),
    age: z.coerce.number().int().positive().optional(),
    role: z.enum(["admin", "user"]).default("user"),
    tags: z.array(z.string()).max(2).readonly(),
    home: Address.partial().nullable(),
    when: z.iso.datetime().transform((s) => new Date(s).toISOString()),
    link: z.url(),
  })
  .strict()
  .refine((u) => u.name !== "root", { path: ["name"], error: "reserved" });
const Shape = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("circle"), r: z.number().nonnegative() }),
  z.object({ kind: z.literal("box"), w: z.number(), h: z.number() }),
]);
const Tree: z.ZodType<{ v: number; kids: unknown[] }> = z.object({ v: z.number(), get kids() { return z.array(Tree); } });
const Stamp = z.codec(z.number(), z.date(), { decode: (n) => new Date(n), encode: (d) => d.getTime() });

const good = {
  id: "0190163d-8694-739b-aea5-966c26f8ad91", name: "  Ada ", email: "Ada@Example.COM", age: "36", tags: ["a"],
  home: { zip: "12345" }, when: "2024-02-29T12:00:00Z", link: "https://example.com/a?b",
};
const bad = { ...good, id: "x", name: "", email: "nope", age: -1, tags: ["a", "b", "c"], home: { zip: "1" }, when: "yesterday", link: "::", extra: 1 };

export default {
  async fetch() {
    const failed = User.safeParse(bad);
    return Response.json({
      ok: User.parse(good),
      issues: failed.error?.issues,
      pretty: failed.error && z.prettifyError(failed.error),
      tree: failed.error && z.treeifyError(failed.error),
      reserved: User.safeParse({ ...good, name: "root" }).error?.issues,
      shapes: [{ kind: "circle", r: 1 }, { kind: "box", w: 1 }, { kind: "dot" }].map((s) => Shape.safeParse(s).error?.issues ?? "fine"),
      tree2: Tree.safeParse({ v: 1, kids: [{ v: 2, kids: [{ v: "x", kids: [] }] }] }).error?.issues,
      async: await z.string().refine(async (s) => s.length > 3, "too short").safeParseAsync("ab"),
      codec: [z.decode(Stamp, 0), z.encode(Stamp, new Date(5))],
      record: z.record(z.string(), z.number()).parse({ a: 1 }),
      map: [...z.map(z.string(), z.set(z.number())).parse(new Map([["k", new Set([1])]])).get("k")!],
      json: z.toJSONSchema(Shape),
      template: z.templateLiteral(["v", z.number(), ".", z.enum(["x", "y"])]).safeParse("v1.z").success,
    });
  },
};
