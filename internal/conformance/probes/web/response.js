import { cases, classOf, now, outcome, see } from "../see.js";

const shape = (r) => ({ status: r.status, ok: r.ok, headers: [...r.headers], body: r.body === null ? null : "a body", redirected: r.redirected, url: r.url, type: r.type });

export default () => ({
  "defaults": () => shape(new Response()),
  ...cases("status", { 200: 200, 204: 204, 404: 404, 599: 599, 600: 600, 199: 199, 101: 101, 100: 100, 0: 0, negative: -1, fraction: 200.9, text: "201", words: "x", NaN: NaN, null: null, undefined: undefined }, (_, status) => now(() => shape(new Response(null, { status })))),
  ...cases("a body with", { 101: 101, 204: 204, 205: 205, 304: 304, 201: 201 }, (_, status) => now(() => shape(new Response("x", { status })))),
  ...cases("an empty body with", { 204: 204, 304: 304 }, (_, status) => now(() => shape(new Response("", { status })))),
  ...cases("statusText", { text: "Fine", empty: "", newline: "a\nb", unicode: "é", null: null, number: 5 }, (_, statusText) => now(() => new Response(null, { statusText }).statusText)),
  ...cases("body of", { string: "é", empty: "", null: null, undefined: undefined, number: 5, true: true, object: {}, params: new URLSearchParams({ a: "b c" }), blob: new Blob(["x"], { type: "a/b" }), buffer: new Uint8Array([65]).buffer, bytes: new Uint8Array([66]), view: new DataView(new Uint8Array([67]).buffer), date: new Date(0), function: () => 1, bigint: 5n }, async (_, body) => {
    const r = new Response(body);
    const text = await r.text();
    return [typeof body === "function" ? "" : text, [...r.headers], r.bodyUsed];
  }),
  ...cases("body of what fails", { symbol: Symbol("x"), "an iterator": [1][Symbol.iterator](), "null prototype": Object.create(null) }, async (_, body) => (await outcome(() => new Response(body))).thrown?.$error ?? "accepted"),
  ...cases("init", { null: null, undefined: undefined, empty: {}, "a response": new Response("x", { status: 201, headers: { a: "b" } }), "headers undefined": { headers: undefined }, "cf": { cf: {} }, encodeBody: { encodeBody: "manual" }, webSocket: { webSocket: null } }, (_, init) => now(() => shape(new Response("x", init)))),
  ...cases("init refuses", { number: 5, string: "x", "headers null": { headers: null } }, (_, init) => classOf(() => new Response("x", init))),
  "statusText when none is given": () => Array.from({ length: 400 }, (_, i) => i + 200).map((status) => [status, new Response(null, { status }).statusText]),
  ...cases("json", { object: { a: 1 }, string: "s", null: null, number: 5, bigint: 1n, nested: [{ a: [null, undefined, NaN] }], date: new Date(0), toJSON: { toJSON: () => 1 } }, async (_, v) => {
    const r = await outcome(async () => {
      const r = Response.json(v);
      return [shape(r), await r.text()];
    });
    return r.thrown ? r.thrown.$error : r;
  }),
  ...cases("json with", { status: { status: 201 }, "a content type": { headers: { "content-type": "a/b" } }, "other headers": { headers: { x: "1" } }, "a status without body": { status: 204 } }, (_, init) => now(() => shape(Response.json({}, init)))),
  ...cases("redirect", { default: ["http://a.example/b"], 301: ["http://a.example/", 301], 303: ["http://a.example/", 303], 307: ["http://a.example/", 307], 308: ["http://a.example/", 308], 200: ["http://a.example/", 200], 304: ["http://a.example/", 304], relative: ["/b"], "a URL": [new URL("http://a.example/c")], "bad url": ["http://"], empty: [""], "a space": ["http://a.example/a b"], fragment: ["http://a.example/#x"], "text status": ["http://a.example/", "301"] }, (_, args) => now(() => shape(Response.redirect(...args)))),
  "redirect headers are immutable": () => now(() => Response.redirect("http://a.example/").headers.set("a", "b")),
  "error": () => now(() => shape(Response.error())),
  "clone": async () => {
    const a = new Response("abc", { status: 201, headers: { x: "1" } });
    const b = a.clone();
    b.headers.set("y", "2");
    return [shape(a), shape(b), await a.text(), await b.text(), await classOf(() => a.clone())];
  },
  "clone of a stream": async () => {
    const a = new Response(new ReadableStream({ start(c) { c.enqueue(new Uint8Array([65, 66])); c.close(); } }));
    const b = a.clone();
    return [await a.text(), await b.text()];
  },
  "clone of a locked one": () => {
    const a = new Response("x");
    a.body.getReader();
    return classOf(() => a.clone());
  },
  "a response of a response": async () => {
    const a = new Response("abc", { status: 201, statusText: "Yes", headers: { x: "1" } });
    const b = new Response(a.body, a);
    b.headers.set("y", "2");
    return [shape(b), await b.text(), a.bodyUsed];
  },
  "properties": () => ["status", "ok", "headers", "url", "redirected", "statusText", "type", "webSocket", "body", "bodyUsed", "text", "json", "arrayBuffer", "blob", "formData", "bytes", "textStream"].map((k) => [k, k in Response.prototype || k in new Response()]),
  "body is the same each time": () => {
    const r = new Response("x");
    return [r.body === r.body, r.body.constructor.name, r.body.locked];
  },
  "a stream of strings": async () => {
    const r = new Response(new ReadableStream({ start(c) { c.enqueue("text"); c.close(); } }));
    return outcome(() => r.text());
  },
  "a stream of numbers": async () => {
    const r = new Response(new ReadableStream({ start(c) { c.enqueue(5); c.close(); } }));
    return (await outcome(() => r.text())).thrown?.$error;
  },
  "a stream that fails": () => new Response(new ReadableStream({ start(c) { c.error(new RangeError("bad")); } })).text(),
  "a stream that was read": async () => {
    const s = new Response("x").body;
    await new Response(s).text();
    return now(() => see(new Response(s)));
  },
  "what it is": () => [String(new Response()), Response.length, Object.keys(new Response()), Object.keys(Response).sort()],
});
