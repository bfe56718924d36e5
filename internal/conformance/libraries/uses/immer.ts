// immer
// Drafts of nested objects, arrays, maps, sets and classes; patches applied and undone; frozen results.
import { applyPatches, createDraft, current, enableMapSet, enablePatches, finishDraft, immerable, isDraft, original, produce, produceWithPatches } from "immer";

enableMapSet();
enablePatches();
class Point { [immerable] = true; constructor(public x: number, public y: number) {} get length() { return Math.hypot(this.x, this.y); } }
const base = { user: { name: "Ada", tags: ["a", "b"] }, items: [{ id: 1 }, { id: 2 }, { id: 3 }], at: new Map([["k", { n: 1 }]]), set: new Set([1, 2]), point: new Point(3, 4), same: { deep: true } };
const plain = (v: unknown) => JSON.parse(JSON.stringify(v, (_, x) => (x instanceof Map ? [...x] : x instanceof Set ? [...x] : x)));

export default {
  fetch() {
    const [next, patches, inverse] = produceWithPatches(base, (d) => {
      d.user.name = "Grace"; d.user.tags.push("c"); d.items.splice(1, 1); d.items[0].id += 10; d.items.reverse();
      d.at.get("k")!.n++; d.at.set("new", { n: 9 }); d.set.delete(1); d.set.add(7); d.point.x = 6;
      delete (d as any).gone;
    });
    const draft = createDraft(base);
    draft.items.length = 1;
    const seen = [isDraft(draft), original(draft) === base, current(draft).items.length];
    const add = produce((d: { list: string[] }, s: string) => void d.list.push(s));
    return Response.json({
      next: plain(next), patches: plain(patches), inverse: plain(inverse), undone: JSON.stringify(plain(applyPatches(next, inverse))) === JSON.stringify(plain(base)), redone: plain(applyPatches(base, patches)),
      shared: next.same === base.same, untouched: produce(base, () => {}) === base, frozen: [Object.isFrozen(next), Object.isFrozen(next.user.tags)], point: [next.point instanceof Point, next.point.length],
      seen, finished: plain(finishDraft(draft)).items, curried: add(add({ list: [] }, "a"), "b"),
      thrown: (() => { try { (next.user as any).name = "x"; } catch (e) { return (e as Error).name; } })(), both: (() => { try { produce({ a: 1 }, (d) => { d.a = 2; return { a: 3 }; }); } catch (e) { return (e as Error).message; } })(),
    });
  },
};
