// remeda
// Lazy pipes, grouping, sorting, deep merges, guards, strings, numbers and functions limited in time.
import * as R from "remeda";

export default {
  async fetch() {
    let seen = 0;
    const calls: unknown[] = [];
    const funnel = R.funnel((all: number[]) => calls.push(all), { reducer: (a: number[] | undefined, n: number) => [...(a ?? []), n], minQuietPeriodMs: 2 });
    funnel.call(1); funnel.call(2); funnel.flush();
    const people = [{ n: "Ada", age: 36 }, { n: "Bo", age: 20 }, { n: "Cy", age: 36 }];
    return Response.json({
      lazy: [R.pipe([1, 2, 3, 4, 5, 6], R.map((n) => (seen++, n * 2)), R.filter((n) => n % 4 === 0), R.take(2)), seen], groups: R.groupBy(people, (p) => String(p.age)), index: R.mapToObj(people, (p) => [p.n, p.age]), sorted: R.sortBy(people, [R.prop("age"), "desc"], R.prop("n")).map((p) => p.n),
      merged: R.mergeDeep({ a: { b: [1], c: 2 } }, { a: { b: [2], d: 3 } }), picked: R.pipe({ a: 1, b: 2, c: 3 }, R.omit(["a"]), R.mapValues((v, k) => `${k}${v}`)), path: R.pathOr({ a: { b: null } } as any, ["a", "b"], "none"), set: R.setPath({ a: { b: [1, 2] } }, ["a", "b", 1], 9), equal: R.isDeepEqual({ a: [new Date(0), new Set([1])] }, { a: [new Date(0), new Set([1])] }),
      arrays: [R.chunk([1, 2, 3], 2), R.zip([1, 2], ["a", "b"]), R.difference([1, 2, 2], [2]), R.uniqueBy([1, 2, 3], (n) => n % 2), R.partition([1, 2, 3], (n) => n > 1), R.range(1, 4), R.splitWhen([1, 2, 3], (n) => n === 2), R.sample([1], 1), R.rankBy([5, 1], 3, R.identity())], strings: [R.toCamelCase("foo-bar baz"), R.toKebabCase("fooBar9XML"), R.capitalize("éa"), R.truncate("a long text", 6), R.toTitleCase("hello wORLD")],
      numbers: [R.sum([1, 2]), R.mean([1, 2, 6]), R.median([3, 1, 2]), R.round(1.2345, 2), R.clamp(9, { max: 5 })], guards: [R.isPlainObject(new Date()), R.isEmpty({}), R.isNonNullish(0), R.isPromise(Promise.resolve())], calls, once: (() => { const f = R.once(() => ++seen); f(); return f(); })(), conditional: R.conditional(5, [R.isString, () => "s"], [(n) => n > 3, (n) => `big ${n}`]), product: R.intersectionWith([1.2], [1], (a, b) => Math.floor(a) === b),
    });
  },
};
