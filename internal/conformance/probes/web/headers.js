import { cases, classOf, now, see } from "../see.js";

export default () => ({
  ...cases("new Headers of", { nothing: undefined, object: { b: "1", A: "2" }, pairs: [["a", "1"], ["a", "2"]], headers: new Headers({ x: "y" }), "a map": new Map([["a", "b"]]), "an undefined value": { a: undefined }, "a number value": { a: 5 }, "an array value": { a: [1, 2] }, "symbols": { [Symbol("x")]: "1", a: "1" } }, (_, init) => now(() => new Headers(init))),
  ...cases("new Headers refuses", { null: null, "a number": 5, "a short pair": [["a"]], "a long pair": [["a", "b", "c"]], "a string": "ab" }, (_, init) => classOf(() => new Headers(init))),
  ...cases("name", { space: "a b", colon: "a:b", newline: "a\n", upper: "X-UPPER", token: "a!#$%&'*+-.^_`|~9", number: 5, slash: "a/b" }, (_, name) => now(() => {
    const h = new Headers();
    h.set(name, "v");
    return [...h];
  })),
  ...cases("value", { spaces: "  a b \t", newline: "a\nb", "newline around": "\n a \r\n", nul: "a\0b", latin1: "é", unicode: "日", empty: "", number: 5, null: null, undefined: undefined, tab: "a\tb", del: "a\x7fb" }, (_, value) => now(() => {
    const h = new Headers();
    h.set("a", value);
    return h.get("a");
  })),
  "append combines": () => {
    const h = new Headers({ a: "1" });
    h.append("A", "2");
    h.append("b", "");
    h.append("b", "x");
    return [h.get("a"), h.get("b"), [...h]];
  },
  "iteration is sorted and lower-case": () => [...new Headers([["Z", "1"], ["a", "2"], ["M-b", "3"], ["m-A", "4"]])],
  "set-cookie stays apart": () => {
    const h = new Headers();
    h.append("Set-Cookie", "a=1");
    h.append("set-cookie", "b=2");
    h.append("x", "y");
    return [[...h], h.get("set-cookie"), h.getSetCookie(), new Headers().getSetCookie()];
  },
  "getAll": () => {
    const h = new Headers([["set-cookie", "a"], ["set-cookie", "b"]]);
    return [typeof h.getAll, now(() => h.getAll("set-cookie")), now(() => h.getAll("a"))];
  },
  "keys, values, entries, forEach": () => {
    const h = new Headers({ b: "1", a: "2" });
    const each = [];
    h.forEach(function (v, k, o) {
      each.push([v, k, o === h, this.t]);
    }, { t: 1 });
    return [[...h.keys()], [...h.values()], [...h.entries()], each];
  },
  "delete and has": () => {
    const h = new Headers({ a: "1" });
    return [h.has("A"), h.delete("A"), h.has("a"), h.delete("zz"), now(() => h.has("a b"))];
  },
  "get of missing": () => new Headers().get("nope"),
  "changed while iterated": () => {
    const h = new Headers({ a: "1", c: "3" });
    const seen = [];
    for (const [k] of h) {
      seen.push(k);
      if (k === "a") h.set("b", "2");
    }
    return seen;
  },
  "no arguments": () => ["get", "set", "append", "has", "delete"].map((m) => now(() => new Headers()[m]()).thrown?.$error),
  "what it is": () => [String(new Headers()), Headers.name, Headers.length, typeof Headers.prototype[Symbol.iterator], Headers.prototype[Symbol.toStringTag]],
  "called without new": () => now(() => Headers()).thrown?.$error,
  "a forbidden name is allowed": () => see([...new Headers({ host: "a", cookie: "b", "content-length": "3", "sec-fetch-mode": "x" })]),
  "headers of a request can be set": () => {
    const r = new Request("http://a.example");
    r.headers.set("x", "1");
    return r.headers.get("x");
  },
  "headers of the incoming request can't": ({ request }) => now(() => request.headers.set("x", "1")),
});
