import { cases, outcome } from "../see.js";

const echo = (DB, ...args) => DB.prepare(`SELECT ${args.map((_, i) => `?${i + 1} AS v${i}, typeof(?${i + 1}) AS t${i}`)}`).bind(...args).first();

class Point {
  x = 1;
}

export default () => ({
  ...cases(
    "type",
    {
      integer: 1, zero: 0, "minus zero": -0, fraction: 1.5, "2^53": 2 ** 53, "1e300": 1e300, "1e21": 1e21, NaN: NaN, infinite: Infinity, "minus infinite": -Infinity, string: "s", empty: "", "a pair": "😀", "a zero in a string": "a\0b", "a lone surrogate": "a\ud800b",
      null: null, undefined: undefined, true: true, false: false, bigint: 5n, symbol: Symbol("x"), function: () => 1, "named function": function f() {}, class: Point, object: { a: 1 }, "empty object": {}, instance: new Point(), date: new Date(0), map: new Map(), regexp: /x/, error: new Error("x"),
      "boxed string": new String("x"), "boxed number": new Number(1), promise: Promise.resolve(1),
      Uint8Array: new Uint8Array([0, 1, 255]), ArrayBuffer: new Uint8Array([1, 2]).buffer, "empty bytes": new Uint8Array(), "part of a buffer": new Uint8Array([1, 2, 3, 4]).subarray(1, 3), DataView: new DataView(new Uint8Array([1, 2]).buffer), Int8Array: new Int8Array([-1, 1]), Uint16Array: new Uint16Array([1, 300]), Float32Array: new Float32Array([1.5]),
      "array of bytes": [0, 255], "empty array": [], "array with 256": [256], "array with -1": [-1], "array with fraction": [1.5], "array of strings": ["1"], "array with null": [null], "array of booleans": [true], "nested array": [[1]],
    },
    ({ env }, value) => echo(env.DB, value),
  ),
  ...cases(
    "count",
    {
      "one of none": ["SELECT 1", [1]], "none of one": ["SELECT ?", []], "one of two": ["SELECT ?, ?", [1]], "three of two": ["SELECT ?, ?", [1, 2, 3]], "?2 alone": ["SELECT ?2 AS a", [1, 2]], "?2 with one": ["SELECT ?2 AS a", [1]], "?1 twice": ["SELECT ?1 AS a, ?1 AS b", ["x"]],
      "mixed ? and ?1": ["SELECT ?1 AS a, ? AS b", [1, 2]], ":name": ["SELECT :n AS a", [1]], "@name": ["SELECT @n AS a", [1]], $name: ["SELECT $n AS a", [1]], "?0": ["SELECT ?0", [1]], "?100": ["SELECT ?100 AS a", Array(100).fill(7)], "?101": ["SELECT ?101 AS a", Array(101).fill(7)], "a ? in a string": ["SELECT '?' AS a", []],
      "a ? in a comment": ["SELECT 1 AS a -- ?", []],
    },
    ({ env }, [sql, args]) => env.DB.prepare(sql).bind(...args).all().then((r) => r.results),
  ),
  "bind gives another statement": async ({ env }) => {
    const s = env.DB.prepare("SELECT ? AS a");
    const one = s.bind(1);
    const two = s.bind(2);
    return [s === one, await one.first("a"), await two.first("a"), await one.bind(3).first("a"), await outcome(() => s.first())];
  },
  "bind refuses at once": ({ env }) => {
    try {
      env.DB.prepare("SELECT ?").bind(undefined);
      return "accepted";
    } catch (e) {
      return [e.name, e.message];
    }
  },
  "bind of nothing": ({ env }) => env.DB.prepare("SELECT 1 AS a").bind().first(),
  "what a statement is": ({ env }) => {
    const s = env.DB.prepare("SELECT 1");
    return [s.constructor.name, Object.prototype.toString.call(s), ["bind", "first", "run", "all", "raw"].map((m) => [m, typeof s[m]])];
  },
  "what a database is": ({ env }) => [env.DB.constructor.name, Object.prototype.toString.call(env.DB), ["prepare", "batch", "exec", "dump", "withSession"].map((m) => [m, typeof env.DB[m]])],
  "a statement is used twice": async ({ env }) => {
    const s = env.DB.prepare("SELECT ? AS a").bind("x");
    return [await s.first(), await s.first(), (await s.all()).results];
  },
  "prepare does not look": async ({ env }) => {
    const s = env.DB.prepare("THIS IS NOT SQL");
    return [typeof s, await outcome(() => s.all())];
  },
  // The words are Miniflare's own.
  ...cases("prepare of", { undefined: undefined, null: null, number: 5, object: {} }, ({ env }, sql) => env.DB.prepare(sql).all().catch((e) => [e.name, e.message.slice(0, 3)])),
});
