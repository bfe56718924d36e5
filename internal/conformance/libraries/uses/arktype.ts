// arktype
// Types written as strings, unions, defaults, narrowing, morphs, scopes with cycles, and errors with paths.
import { scope, type } from "arktype";

const User = type({ name: "1 < string <= 20", "age?": "number.integer > 0", email: "string.email", role: "'admin' | 'user' = 'user'", tags: "string[] < 3", "at?": "string.date.iso.parse", "[/^x-/]": "string" });
const Even = type("number").narrow((n, ctx) => n % 2 === 0 || ctx.mustBe("even"));
const space = scope({ node: { id: "number", "kids?": "node[]" }, either: "node | string" }).export();
const Json = type("string.json.parse").to({ n: "number", "+": "delete" });

const Pair = type("string | number[]"), Schema = type({ a: "string", "b?": "1 | 2" }), A = type("'a'"), Tuple = type(["string", "number?", "...", "boolean[]"]), Picked = User.pick("name", "age");

// All types are made as the module loads: Workers let code compile code only then.
export default {
  fetch() {
    const show = (v: unknown) => (v instanceof type.errors ? { summary: v.summary, problems: v.map((e) => [e.path.join("."), e.message]) } : v);
    return Response.json({
      ok: show(User({ name: "Ada", age: 36, email: "a@b.co", tags: [], at: "2024-02-29T00:00:00Z", "x-more": "y" })), bad: show(User({ name: "A", age: 1.5, email: "x", role: "root", tags: ["a", "b", "c"], "x-more": 1 })), even: [2, 3].map((n) => show(Even(n))),
      tree: show(space.node({ id: 1, kids: [{ id: "2" }] })), either: show(space.either(5)), json: [show(Json('{"n":1,"more":2}')), show(Json('{"n":"1"}'))], expression: Pair.expression, schema: Schema.toJsonSchema(), extends: A.extends("string"), tuple: show(Tuple(["a", 1, true, "no"])), pick: Picked.expression,
    });
  },
};
