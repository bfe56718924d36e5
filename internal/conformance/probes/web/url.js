import { cases, classOf, now, see } from "../see.js";

const parts = (u) => ["href", "origin", "protocol", "username", "password", "host", "hostname", "port", "pathname", "search", "hash"].map((k) => u[k]);

export default () => ({
  ...cases("parse", {
    plain: "http://a.example/b?c#d", upper: "HTTP://A.EXAMPLE:80/../x/./y", "an IPv4 number": "http://0x7f.1/", IPv6: "http://[::1]:8080/", "bad IPv6": "http://[::g]/", IDN: "http://bücher.example/", emoji: "http://😀.example/", "a percent host": "http://a%2eb.example/", "a space in host": "http://a b/", "no host": "http:///x", file: "file:///c:/x", "file with drive": "file:c|/x", mailto: "mailto:a@b.c", data: "data:text/plain,hi there", javascript: "javascript:alert(1)", credentials: "http://u:p%40@a.example/", "bad port": "http://a.example:99999/", "empty port": "http://a.example:/", backslashes: "http:\\\\a.example\\x", "tabs": "ht\ttp://a.exa\nmple/ ", "percent path": "http://a.example/%zz/é/%41", query: "http://a.example/?a=é&b='\"<>", fragment: "http://a.example/#a b`<>", relative: "/x", empty: "", "blob": "blob:http://a.example/x", "no slashes": "http:a.example", "a dot host": "http://./", "a trailing dot": "http://a.example./", "a big number host": "http://4294967296/", "non-special": "foo://Bar/../x?y#z", "non-special opaque": "foo:a b ",
  }, (_, text) => now(() => parts(new URL(text)))),
  ...cases("relative", { path: "c", "up": "../c", root: "/c", query: "?q", fragment: "#f", "other host": "//b.example/x", absolute: "https://c.example", empty: "", dots: "./../../../..", "backslash": "\\x" }, (_, text) => now(() => new URL(text, "http://a.example/x/y?z#w").href)),
  ...cases("base", { bad: ["a", "nope"], undefined: ["http://a.example", undefined], null: ["a", null], "a URL": ["b", new URL("http://a.example")], opaque: ["a", "mailto:x"], "fragment on opaque": ["#f", "mailto:x"] }, (_, [text, base]) => now(() => new URL(text, base).href)),
  ...cases("set", {
    protocol: ["protocol", "https"], "protocol to non-special": ["protocol", "foo"], host: ["host", "b.example:99"], hostname: ["hostname", "c.example"], "bad hostname": ["hostname", "a b"], port: ["port", "443"], "default port": ["port", "80"], "bad port": ["port", "9x"], "port too big": ["port", "70000"], pathname: ["pathname", "a b/../c"], search: ["search", "x=é"], "search with ?": ["search", "?y"], "empty search": ["search", ""], hash: ["hash", "a b"], username: ["username", "a:b"], password: ["password", "p@"], href: ["href", "http://z.example"], origin: ["origin", "http://q.example"],
  }, (_, [key, value]) => {
    const u = new URL("http://a.example:81/p?q#h");
    return [now(() => Reflect.set(u, key, value, u)), u.href];
  }),
  "refuses": async () => [await classOf(() => { new URL("http://a.example").href = "nope"; }), await classOf(() => new URLSearchParams([["a"]]))],
  "canParse and parse": () => [URL.canParse("http://a"), URL.canParse("a"), URL.canParse("a", "http://b"), URL.parse?.("nope"), URL.parse?.("http://a/")?.href],
  "toJSON and toString": () => [JSON.stringify({ u: new URL("http://a/") }), String(new URL("http://a/")), Object.prototype.toString.call(new URL("http://a/"))],
  "search and searchParams are one": () => {
    const u = new URL("http://a/?a=1&b=2");
    u.searchParams.append("c", "x y");
    const one = u.href;
    u.search = "?d=4";
    const two = [...u.searchParams];
    u.searchParams.delete("d");
    return [one, two, u.href, u.searchParams === u.searchParams];
  },
  "no arguments": () => now(() => new URL()).thrown?.$error,
  ...cases("params of", { string: "a=1&b=2", "with ?": "?a=1", plus: "a=x+y%20z%2B", empty: "", "odd": "a&b=&=c&&d==e", object: { a: 1, b: undefined }, pairs: [["a", "1"], ["a", "2"]], map: new Map([["x", "y"]]), null: null, undefined: undefined, number: 5, "bad percent": "a=%zz", unicode: "é=日", "form data": (() => { const f = new FormData(); f.append("a", "b"); return f; })(), "params": new URLSearchParams("q=1") }, (_, init) => now(() => {
    const p = new URLSearchParams(init);
    return [[...p], String(p), p.size];
  })),
  "params' methods": () => {
    const p = new URLSearchParams("b=2&a=1&b=3");
    return [p.get("b"), p.getAll("b"), p.get("z"), p.has("a"), p.has("a", "2"), (p.sort(), String(p)), (p.set("b", "9"), String(p)), (p.append("é", "~!*'() "), String(p)), (p.delete("b", "8"), String(p)), (p.delete("b"), String(p)), [...p.keys()], [...p.values()]];
  },
  "params while iterated": () => {
    const p = new URLSearchParams("a=1&b=2&c=3");
    const seen = [];
    for (const [k] of p) {
      seen.push(k);
      p.delete(k);
    }
    return [seen, String(p)];
  },
  "sort is by code units": () => {
    const p = new URLSearchParams("\uFFFD=1&😀=2&a=3&A=4");
    p.sort();
    return [...p.keys()];
  },
  ...cases("pattern", { "a path": ["/a/:id", "http://x/a/5"], wildcard: ["/a/*", "http://x/a/b/c"], optional: ["/a{/:b}?", "http://x/a"], "a regexp": ["/a/(\\d+)", "http://x/a/77"], none: ["/b", "http://x/a"] }, (_, [pathname, url]) => see(new URLPattern({ pathname }).exec(url)?.pathname ?? null)),
});
