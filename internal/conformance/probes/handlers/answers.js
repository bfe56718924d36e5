// Handlers whose answer, or the lack of one, is looked at from outside.

const ok = () => new Response("ok");

export default () => ({
  "a response": () => new Response("hi", { status: 201, headers: { "content-type": "text/x", "x-own": "1" } }),
  "json": () => Response.json({ a: 1 }),
  "text without type": () => new Response("hi"),
  "bytes without type": () => new Response(new Uint8Array([1, 2])),
  "an empty body": () => new Response(null),
  "204": () => new Response(null, { status: 204 }),
  "304": () => new Response(null, { status: 304, headers: { etag: '"x"' } }),
  "a redirect": () => Response.redirect("http://a.example/", 302),
  "404": () => new Response("gone", { status: 404 }),
  "418 with a text": () => new Response("pot", { status: 418, statusText: "Teapot" }),
  "500 of its own": () => new Response("own", { status: 500 }),
  "599": () => new Response("own", { status: 599 }),
  "a promise": async () => ok(),
  "a thenable": () => ({ then: (r) => r(ok()) }),
  "a stream": () => new Response(new ReadableStream({ async start(c) { c.enqueue(new TextEncoder().encode("a")); await scheduler.wait(1); c.enqueue(new TextEncoder().encode("b")); c.close(); } })),
  "a transform": () => {
    const { readable, writable } = new TransformStream();
    const w = writable.getWriter();
    w.write(new TextEncoder().encode("through")).then(() => w.close());
    return new Response(readable);
  },
  "a cache header": () => new Response("x", { headers: { "cache-control": "max-age=60", vary: "accept" } }),
  "two values of a header": () => {
    const h = new Headers();
    h.append("x-own", "a");
    h.append("x-own", "b");
    return new Response("x", { headers: h });
  },
  "the echo of a body": (request) => new Response(request.body),
  "a thrown error": () => { throw new Error("secret words"); },
  "a thrown error later": async () => { await scheduler.wait(1); throw new TypeError("later"); },
  "a thrown string": () => { throw "text"; },
  "a thrown null": () => { throw null; },
  "a thrown response": () => { throw new Response("thrown", { status: 418 }); },
  "a rejection": () => Promise.reject(new Error("no")),
  "undefined": () => {},
  "null": () => null,
  "a string": () => "text",
  "an object": () => ({ status: 200, body: "x" }),
  "a plain response-like": () => ({ ...ok() }),
  "a response that was used": async () => {
    const r = ok();
    await r.text();
    return r;
  },
  "Response.error": () => Response.error(),
  "a promise never settled": () => new Promise(() => {}),
  "an endless recursion": () => {
    const f = () => f() + 1;
    return f();
  },
  "passThroughOnException": (request, env, ctx) => new Response(String(ctx.passThroughOnException())),
  "waitUntil runs on": [
    (request, env, ctx) => {
      ctx.waitUntil(scheduler.wait(5).then(() => env.KV.put("later", "done")));
      return ok();
    },
    async (request, env) => {
      for (let i = 0; i < 100 && !(await env.KV.get("later")); i++) await scheduler.wait(5);
      return new Response(await env.KV.get("later"));
    },
  ],
  "waitUntil of a rejection": (request, env, ctx) => {
    ctx.waitUntil(Promise.reject(new Error("in the background")));
    return ok();
  },
  "waitUntil of no promise": (request, env, ctx) => {
    ctx.waitUntil(5);
    return ok();
  },
  "waitUntil without argument": (request, env, ctx) => {
    try {
      ctx.waitUntil();
      return ok();
    } catch (e) {
      return new Response(e.name);
    }
  },
  "waitUntil in waitUntil": [
    (request, env, ctx) => {
      ctx.waitUntil((async () => { await scheduler.wait(2); ctx.waitUntil(env.KV.put("nested", "done")); })());
      return ok();
    },
    async (request, env) => {
      for (let i = 0; i < 100 && !(await env.KV.get("nested")); i++) await scheduler.wait(5);
      return new Response(await env.KV.get("nested"));
    },
  ],
  "an unhandled rejection": () => {
    Promise.reject(new Error("nobody looks"));
    return ok();
  },
  "a timer that throws": async () => {
    setTimeout(() => { throw new Error("in a timer"); }, 1);
    await scheduler.wait(5);
    return ok();
  },
  "ctx": (request, env, ctx) => Response.json([typeof ctx.waitUntil, typeof ctx.passThroughOnException, typeof ctx.props, ctx.constructor.name, Object.prototype.toString.call(ctx)]),
  "ctx methods taken off": (request, env, ctx) => {
    const { waitUntil } = ctx;
    try {
      waitUntil(Promise.resolve());
      return ok();
    } catch (e) {
      return new Response(e.name);
    }
  },
  "this of fetch": function () { return new Response(typeof this?.fetch); },
  "the number of arguments": (...args) => new Response(String(args.length)),
  // samkit gives ASSETS to every worker.
  "env": (request, env) => Response.json([typeof env, Object.keys(env).filter((k) => k !== "ASSETS").sort(), env.NAME, Object.prototype.toString.call(env), typeof env.NOPE]),
  "env can be changed": (request, env) => {
    env.MINE = 1;
    return new Response(String(env.MINE));
  },
  "a write before a throw stays": [
    async (request, env) => { await env.KV.put("k", "kept"); throw new Error("after"); },
    async (request, env) => new Response(await env.KV.get("k")),
  ],
  "globals stay between requests": [
    () => { globalThis.kept = 5; return ok(); },
    () => new Response(String(globalThis.kept)),
  ],
  "globals stay after a throw": [
    () => { globalThis.thrown = 6; throw new Error("x"); },
    () => new Response(String(globalThis.thrown)),
  ],
  "a body of a wrong length": () => new Response("abc", { headers: { "content-length": "2" } }),
  "instance of": (request) => Response.json([request instanceof Request, new URL(request.url).pathname.length > 1]),
});
