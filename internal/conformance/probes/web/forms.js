import { cases, now, outcome } from "../see.js";

const form = () => {
  const f = new FormData();
  f.append("a", "1");
  f.append("b", "2");
  f.append("a", "3");
  return f;
};

export default () => ({
  "methods": () => {
    const f = form();
    return [f.get("a"), f.getAll("a"), f.get("z"), f.getAll("z"), f.has("b"), (f.set("a", "9"), [...f]), (f.delete("b"), [...f]), [...form().keys()], [...form().values()]];
  },
  ...cases("append", { number: 5, null: null, undefined: undefined, object: {}, array: [1, 2], boolean: true }, (_, v) => {
    const f = new FormData();
    f.append("k", v);
    return f.get("k");
  }),
  "append a blob": () => {
    const f = new FormData();
        f.append("b", new Blob(["x"]), "name.txt");
    f.append("c", new File(["x"], "f.txt"));
    f.append("d", new File(["x"], "f.txt"), "other.txt");
    return [...f].map(([k, v]) => [k, v.constructor.name, v.name, v.type, v.size]);
  },
  "no arguments": () => ["append", "set", "get", "delete", "has"].map((m) => now(() => new FormData()[m]()).thrown?.$error),
  "forEach": () => {
    const all = [];
    form().forEach((v, k, f) => all.push([v, k, f instanceof FormData]));
    return all;
  },
  "what it is": () => [String(new FormData()), String(new Blob()), String(new File([], "x")), new File([], "x") instanceof Blob],
  ...cases("blob of", { strings: ["a", "é"], bytes: [new Uint8Array([65]), new Uint8Array([66]).buffer], blobs: [new Blob(["x"]), "y"], numbers: [1, null, undefined, {}], views: [new DataView(new Uint8Array([67]).buffer), new Uint16Array([0x4141])], empty: [] }, async (_, p) => {
    const b = new Blob(p);
    return [b.size, b.type, await b.text()];
  }),
  ...cases("blob of what is no list", { string: "abc", null: null, number: 5, object: {}, undefined: undefined }, async (_, p) => {
    const r = await outcome(() => new Blob(p).text());
    return r.thrown ? r.thrown.$error : r;
  }),
  ...cases("blob type", { plain: "text/plain", upper: "Text/PLAIN", "with parameters": "a/b;c=D", bad: "té", empty: "", undefined: undefined, null: null, number: 5 }, (_, type) => new Blob(["x"], { type }).type),
  ...cases("slice", { middle: [1, 3], "from the end": [-2], "too far": [2, 99], crossed: [3, 1], none: [], typed: [0, 1, "A/B"], fraction: [0.5, 2.9], NaN: [NaN, 2], strings: ["1", "2"] }, async (_, args) => {
    const b = new Blob(["abcde"], { type: "t/x" }).slice(...args);
    return [await b.text(), b.type, b.size];
  }),
  "blob as bytes": async () => [await new Blob(["ab"]).arrayBuffer(), await outcome(() => new Blob(["ab"]).bytes()), await new Response(new Blob(["ab"]).stream()).text()],
  "file": async () => {
    const f = new File(["abc"], "d/é.txt", { type: "t/x", lastModified: 5 });
    return [f.name, f.type, f.size, f.lastModified, await f.text(), f.slice(1).constructor.name];
  },
  "file without name": () => now(() => new File(["x"])).thrown?.$error,
  "lastModified is now": () => Math.abs(new File([], "x").lastModified - Date.now()) < 60000,
});
