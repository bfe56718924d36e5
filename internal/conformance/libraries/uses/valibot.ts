// valibot
// Pipes of actions, variants, transforms and async checks; flattened issues.
import * as v from "valibot";

const Login = v.object({
  email: v.pipe(v.string("a string, please"), v.trim(), v.email()),
  password: v.pipe(v.string(), v.minLength(8), v.regex(/[0-9]/u, "needs a digit"), v.check((s) => s !== "password1", "too common")),
  remember: v.optional(v.boolean(), false),
  born: v.pipe(v.string(), v.isoDate(), v.transform((s) => new Date(s).getUTCFullYear())),
});
const Event = v.variant("type", [
  v.object({ type: v.literal("click"), x: v.pipe(v.number(), v.integer()) }),
  v.strictObject({ type: v.picklist(["key", "press"]), code: v.pipe(v.string(), v.emoji()) }),
]);
const Free = v.pipeAsync(v.string(), v.checkAsync(async (name) => name !== "taken", "is taken"));
const Grapheme = v.pipe(v.string(), v.maxBytes(8), v.maxGraphemes(2));

export default {
  async fetch() {
    const bad = v.safeParse(Login, { email: "x", password: "short", born: "2020-13-40" });
    return Response.json({
      ok: v.parse(Login, { email: " ada@example.com ", password: "sekrit123", born: "1815-12-10" }),
      flat: bad.success || v.flatten(bad.issues),
      messages: bad.issues?.map((i) => [v.getDotPath(i), i.type, i.expected, i.received, i.message]),
      events: [{ type: "click", x: 1.5 }, { type: "key", code: "🎉" }, { type: "key", code: "a", more: 1 }, { type: "none" }].map((e) => {
        const r = v.safeParse(Event, e);
        return r.success ? r.output : r.issues.map((i) => i.message);
      }),
      async: [(await v.safeParseAsync(Free, "taken")).issues?.[0].message, (await v.safeParseAsync(Free, "new")).output],
      graphemes: ["ab", "abc", "👍🏽é"].map((s) => v.is(Grapheme, s)),
      picked: Object.keys(v.partial(v.omit(Login, ["born"])).entries),
      fallback: v.parse(v.fallback(v.number(), 7), "x"),
      forms: v.parse(v.intersect([v.object({ a: v.string() }), v.object({ b: v.number() })]), { a: "x", b: 1 }),
    });
  },
};
