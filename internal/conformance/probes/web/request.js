import { cases, classOf, now, outcome, see } from "../see.js";

const u = "http://a.example/p?q#f";
const shape = (r) => ({ url: r.url, method: r.method, headers: [...r.headers], redirect: r.redirect, body: r.body === null ? null : "a body", bodyUsed: r.bodyUsed, signal: r.signal?.constructor?.name });

export default () => ({
  "defaults": () => shape(new Request(u)),
  ...cases("url", { "with fragment": u, "a URL": new URL(u), "with spaces": "http://a.example/a b", relative: "/a", empty: "", "no url": "nonsense", "with credentials": "http://u:p@a.example/", upper: "HTTP://A.EXAMPLE", "a port": "http://a.example:80/", number: 5, "other scheme": "ftp://a.example/x", "no argument": undefined, "an object": { toString: () => "http://b.example/" } }, (_, url) => now(() => new Request(url).url)),
  ...cases("method", { get: "get", post: "post", "Post": "Post", patch: "patch", PATCH: "PATCH", put: "put", delete: "delete", empty: "", space: "a b", undefined: undefined }, (_, method) => now(() => new Request(u, { method }).method)),
  ...cases("body with", { GET: ["GET", "x"], HEAD: ["HEAD", "x"], "GET and null": ["GET", null], "GET and empty": ["GET", ""], DELETE: ["DELETE", "x"], OPTIONS: ["OPTIONS", "x"] }, (_, [method, body]) => now(() => shape(new Request(u, { method, body })))),
  ...cases("content type of", { string: "x", params: new URLSearchParams("a=b"), blob: new Blob(["x"], { type: "a/b" }), "blob without type": new Blob(["x"]), bytes: new Uint8Array(1), number: 5, object: {} }, (_, body) => now(() => new Request(u, { method: "POST", body }).headers.get("content-type"))),
  "content type of form data": () => new Request(u, { method: "POST", body: new FormData() }).headers.get("content-type").replace(/boundary=.*/, "boundary=…"),
  "content type given stays": () => new Request(u, { method: "POST", body: "x", headers: { "content-type": "a/b" } }).headers.get("content-type"),
  "a request of a request": async () => {
    const a = new Request(u, { method: "POST", body: "abc", headers: { x: "1" } });
    const b = new Request(a);
    return [shape(b), await b.text(), a.bodyUsed, await outcome(() => a.text())];
  },
  "a request with another body": async () => {
    const a = new Request(u, { method: "POST", body: "abc", headers: { x: "1" } });
    const b = new Request(a, { body: "other", headers: { y: "2" } });
    return [[...b.headers], await b.text(), a.bodyUsed];
  },
  "a request with another method": () => shape(new Request(new Request(u, { headers: { a: "b" } }), { method: "POST" })),
  "a url with a request as init": async () => {
    const b = new Request("http://b.example/", new Request(u, { method: "POST", body: "abc", headers: { x: "1" } }));
    return [shape(b), await b.text()];
  },
  "clone": async () => {
    const a = new Request(u, { method: "POST", body: "abc" });
    const b = a.clone();
    b.headers.set("x", "1");
    return [await a.text(), await b.text(), a.headers.has("x"), await classOf(() => a.clone())];
  },
  ...cases("redirect", { follow: "follow", manual: "manual", undefined: undefined }, (_, redirect) => now(() => new Request(u, { redirect }).redirect)),
  // What the standard allows and workerd does not is no matter for code from there.
  ...cases("refuses", { "a redirect mode": { redirect: "x" }, CONNECT: { method: "CONNECT" }, integrity: { integrity: "sha256-x" } }, (_, init) => classOf(() => new Request(u, init))),
  ...cases("option", { mode: { mode: "cors" }, credentials: { credentials: "include" }, cache: { cache: "no-store" }, keepalive: { keepalive: true }, referrer: { referrer: "x" }, cf: { cf: { a: 1 } }, priority: { priority: "high" }, duplex: { duplex: "half" }, fetcher: { fetcher: null } }, (_, init) => now(() => shape(new Request(u, init)))),
  "properties of browsers": () => {
    const r = new Request(u);
    return ["mode", "credentials", "integrity", "keepalive", "referrer", "referrerPolicy", "destination"].map((k) => [k, k in r, see(r[k])]);
  },
  "signal": () => {
    const c = new AbortController();
    const r = new Request(u, { signal: c.signal });
    c.abort("why");
    return [r.signal.aborted, see(r.signal.reason), now(() => new Request(u, { signal: 5 })).thrown?.$error, new Request(u, { signal: null }).signal?.aborted];
  },
  "the incoming request": ({ request }) => [request.method, new URL(request.url).pathname, request.body, request.bodyUsed, request.redirect, request instanceof Request, request.signal instanceof AbortSignal, request.signal.aborted, request.constructor.name],
  "the incoming request's text": async ({ request }) => [await request.text(), request.bodyUsed],
  "the incoming request's json": ({ request }) => outcome(() => request.json()),
  "clone of the incoming request": async ({ request }) => [await request.clone().text(), request.bodyUsed],
  "a new request of the incoming": ({ request }) => {
    const r = new Request(request, { method: "POST", body: "x" });
    return [r.method, r.headers.has("host")];
  },
  "a body that is a stream": async () => {
    const r = new Request(u, { method: "POST", body: new Response("abc").body });
    return [await r.text(), r.bodyUsed];
  },
  "what it is": () => [String(new Request(u)), Object.keys(new Request(u)), now(() => new Request()).thrown?.$error],
});
