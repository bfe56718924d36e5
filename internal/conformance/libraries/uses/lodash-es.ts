// lodash-es
// Deep clones and merges, collections, chains of functions, strings, templates of paths, memoised and debounced functions.
import { chunk, cloneDeep, curry, debounce, deburr, defaultsDeep, difference, escape, flow, get, groupBy, intersectionBy, invert, isEqual, isPlainObject, kebabCase, keyBy, memoize, merge, omit, orderBy, pad, partition, pick, range, set, snakeCase, sortBy, startCase, sumBy, template, throttle, times, truncate, unescape, union, uniqBy, unset, unzip, words, zipObject } from "lodash-es";

const people = [{ name: "Ada", age: 36, tags: ["x"] }, { name: "bob", age: 41, tags: [] }, { name: "Cy", age: 36, tags: ["x", "y"] }];
export default {
  async fetch() {
    const deep: any = { a: [new Date(0), /x/g, new Map([[{ k: 1 }, new Set([1])]])], f: new Float32Array([1.5]), s: Symbol.for("s") };
    deep.self = deep;
    const copy = cloneDeep(deep);
    let calls = 0;
    const slow = memoize((n: number) => (calls++, n * 2)), bounced = debounce(() => void calls++, 3), throttled = throttle(() => (calls += 10), 1000);
    slow(2); slow(2); bounced(); bounced(); throttled(); throttled();
    await new Promise((done) => setTimeout(done, 15));
    const target: any = set({}, "a.b[2]['c.d']", 1);
    unset(target, "a.b[0]");
    return Response.json({
      groups: groupBy(people, "age"), keyed: Object.keys(keyBy(people, (p) => p.name)), sorted: sortBy(people, ["age", "name"]).map((p) => p.name), ordered: orderBy(people, ["age", "name"], ["desc", "asc"]).map((p) => p.name), sum: sumBy(people, "age"), parts: partition(people, "tags[0]").map((x) => x.length),
      merged: merge({ a: [{ b: 1 }, 2], n: { x: null } }, { a: [{ c: 2 }], n: { x: undefined, y: [1] } }), defaults: defaultsDeep({ a: { b: 1 } }, { a: { b: 2, c: 3 } }), target, got: get(target, ["a", "b", 2, "c.d"]), missing: get(target, "z.y", "none"),
      equal: [isEqual(copy, deep), isEqual(new Set([[1]]), new Set([[1]])), isEqual(NaN, NaN), isEqual(0, -0), isPlainObject(Object.create(null))], independent: copy.a !== deep.a && copy.self === copy, picked: [pick(people[0], ["name", "none"]), omit(people[0], "tags")],
      arrays: [chunk(range(7), 3), difference([1, 2, 3], [2]), union([1], [2, 1]), uniqBy([1.1, 1.9, 2], Math.floor), unzip([["a", 1], ["b", 2]]), intersectionBy([{ x: 1 }], [{ x: 1 }, { x: 2 }], "x"), times(3, String)], objects: [zipObject(["a", "b"], [1]), invert({ a: 1, b: 1 })],
      strings: [kebabCase("fooBar BAZ_qux9"), snakeCase("XMLHttpRequest"), startCase("--foo-bar"), deburr("Déjà Łódź ß"), truncate("hi-diddly-ho there, neighborino", { length: 24, separator: /,? +/ }), pad("a🎉", 7, "_-"), words("fred, barney, & pebbles 42"), escape("<a & 'b'>"), unescape("&lt;&#39;")],
      curried: curry((a: number, b: number, c: number) => a + b + c)(1)(2)(3), flow: flow([(x: number) => x + 1, String])(1), calls, template: (() => { try { return template("hello <%= user %>")({ user: "x" }); } catch (e) { return (e as Error).name; } })(),
    });
  },
};
