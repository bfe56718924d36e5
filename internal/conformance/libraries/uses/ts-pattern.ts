// ts-pattern
// Matching of objects, unions, arrays, wildcards, selections, guards and predicates; exhaustiveness at run time.
import { isMatching, match, NonExhaustiveError, P } from "ts-pattern";

const area = (s: any) => match(s)
  .with({ kind: "circle", r: P.select(P.number.positive()) }, (r) => `circle ${r}`)
  .with({ kind: "box", size: { w: P.select("w"), h: P.select("h") } }, ({ w, h }) => `box ${w * h}`)
  .with([P.string, ...P.array(P.number)], ([name, ...ns]) => `${name}:${ns.length}`)
  .with(P.union("a", "b").optional(), (x) => `letter ${x}`)
  .with({ tags: P.array({ id: P.select() }) }, (ids) => `ids ${ids}`)
  .with(P.string.startsWith("x").minLength(3).regex(/\d$/), (s) => `text ${s}`)
  .with(P.map(P.string, P.number.between(1, 5)), (m) => `map ${m.size}`).with(P.set(P.bigint), (b) => `set ${b.size}`)
  .with(P.instanceOf(Error), (e) => `error ${e.message}`).when((x) => typeof x === "number" && x % 2 === 1, () => "odd")
  .with(P.intersection({ a: P.any }, { b: P.not(P.nullish) }), () => "both").exhaustive();
const values = [{ kind: "circle", r: 2 }, { kind: "circle", r: -2 }, { kind: "box", size: { w: 2, h: 3 } }, ["n", 1, 2], "a", undefined, { tags: [{ id: 1 }, { id: 2 }] }, "xy9", new Map([["k", 3]]), new Set([1n]), new Error("e"), 7, 8, { a: 1, b: 2 }, { a: 1, b: null }];

export default {
  fetch() {
    return Response.json({
      areas: values.map((v) => { try { return area(v); } catch (e) { return [e instanceof NonExhaustiveError, (e as Error).message]; } }),
      guard: [{ id: 1, name: "x" }, { id: "1" }].map((v) => isMatching({ id: P.number, name: P.string.optional() }, v)), otherwise: match(3 as number).with(1, () => "one").otherwise((n) => `other ${n}`),
    });
  },
};
