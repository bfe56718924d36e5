import { cases, now, outcome, see } from "../see.js";

const error = Object.assign(new RangeError("r", { cause: "c" }), { extra: 1 });
class Point {
  x = 1;
  get y() {
    return 2;
  }
}

export default () => ({
  ...cases("structuredClone of", { primitives: [1, "a", null, undefined, true, 5n, NaN, -0], object: { a: { b: [1] } }, date: new Date(5), regexp: /a/gi, map: new Map([[{ k: 1 }, new Set([1])]]), buffer: new Uint8Array([1, 2]).buffer, typed: new Float32Array([1.5]), error, "an error of a class": new (class E extends TypeError {})("x"), boxed: [new String("s"), new Number(1), new Boolean(false), Object(1n)], instance: new Point(), "a sparse array": [1, , 3], "an array with keys": Object.assign([1], { k: 2 }), getter: { get a() { return 5; } }, url: new URL("http://a/"), "a domexception": new DOMException("m", "AbortError"), weakmap: new WeakMap(), function: () => 1, symbol: Symbol("x"), promise: Promise.resolve(1), proxy: new Proxy({ a: 1 }, {}), "null prototype": Object.assign(Object.create(null), { a: 1 }), "symbol keys": { [Symbol("s")]: 1, a: 2 }, view: new DataView(new ArrayBuffer(3)), response: new Response("x") }, (_, v) => {
    const r = now(() => structuredClone(v));
    return r?.thrown ? [r.thrown.$error, r.thrown.code, r.thrown.class] : r;
  }),
  "words of a refusal": () => [now(() => structuredClone(() => 1)), now(() => structuredClone({ a: Symbol("x") })), now(() => structuredClone(new WeakMap()))],
  "circular": () => {
    const a = { n: 1 };
    a.self = a;
    const b = structuredClone(a);
    return [b !== a, b.self === b];
  },
  "shared references": () => {
    const x = {};
    const { a, b } = structuredClone({ a: x, b: x });
    return a === b;
  },
  "transfer": () => {
    const b = new Uint8Array([1, 2]).buffer;
    const c = structuredClone(b, { transfer: [b] });
    return [b.byteLength, c.byteLength, now(() => structuredClone(1, { transfer: [5] })).thrown?.$error];
  },
  "no arguments": () => now(() => structuredClone()).thrown?.$error,
  "views share a buffer": () => {
    const u = new Uint8Array([1, 2, 3, 4]);
    const c = structuredClone({ a: u, b: u.subarray(1, 2) });
    return [c.a.buffer === c.b.buffer, c.b.byteOffset, c.b.length];
  },
  "globals": () => ["fetch", "Request", "Response", "Headers", "URL", "URLSearchParams", "URLPattern", "FormData", "Blob", "File", "TextEncoder", "TextDecoder", "AbortController", "AbortSignal", "Event", "EventTarget", "crypto", "Crypto", "CryptoKey", "SubtleCrypto", "atob", "btoa", "structuredClone", "queueMicrotask", "setTimeout", "setInterval", "clearTimeout", "clearInterval", "console", "performance", "Performance", "navigator", "Navigator", "scheduler", "self", "globalThis", "caches", "Cache", "CacheStorage", "WebSocketPair", "HTMLRewriter", "WebAssembly", "DOMException", "reportError", "window", "document", "process", "Buffer", "global", "require", "localStorage", "XMLHttpRequest", "Worker", "SharedWorker", "importScripts", "location", "origin", "crossOriginIsolated", "isSecureContext", "SharedArrayBuffer", "Atomics", "WeakRef", "FinalizationRegistry", "Intl", "Iterator", "Float16Array", "Temporal", "TransformStream", "WebSocket", "EventSource", "MessageChannel", "MessagePort", "alert", "Image", "requestAnimationFrame"].map((n) => [n, typeof globalThis[n]]),
  "self": () => [self === globalThis, typeof self.fetch, typeof globalThis],
  "navigator": () => [typeof navigator.userAgent, typeof navigator.language, typeof navigator.hardwareConcurrency, String(navigator)],
  "navigator.userAgent": () => navigator.userAgent,
  ...cases("code from text", { eval: () => eval("1+1"), "new Function": () => new Function("return 1")(), "indirect eval": () => (0, eval)("1"), "setTimeout of text": () => setTimeout("1", 0), "an async function": () => Object.getPrototypeOf(async () => {}).constructor("return 1") }, (_, fn) => {
    const r = now(fn);
    return r.thrown ? r.thrown.$error : r;
  }),
  "words of eval": () => now(() => (0, eval)("1")),
  "import.meta": () => [typeof import.meta],
  "strict mode": () => now(function () { return this === undefined; }),
  ...cases("words of an error", { "null property": () => null.x, "undefined property": () => undefined.x, "no function": () => ({}).f(), "undefined variable": () => nope, "bad new": () => new (() => {})(), "bad array length": () => new Array(-1), "bad repeat": () => "a".repeat(-1), "bad date": () => new Date(NaN).toISOString(), "bad JSON": () => JSON.parse("{"), "bad radix": () => (1).toString(1), "circular": () => { const a = {}; a.a = a; JSON.stringify(a); }, "bigint mix": () => 1n + 1, "not iterable": () => [...5], "tdz": () => { x; let x; }, "frozen": () => { "use strict"; Object.freeze([1]).push(2); }, "bad decode": () => decodeURIComponent("%"), "symbol": () => `${Symbol("x")}`, "private": () => { class A { #x; static t(o) { return o.#x; } } A.t({}); } }, (_, fn) => now(fn).thrown?.$error),
  "an error's shape": () => {
    const e = new Error("m", { cause: 1 });
    return [String(e), e.cause, Object.keys(e), typeof e.stack, e.stack.split("\n")[0], new AggregateError([1], "a").errors, "captureStackTrace" in Error, typeof Error.isError];
  },
  "console": () => ["log", "info", "warn", "error", "debug", "trace", "table", "group", "groupCollapsed", "groupEnd", "time", "timeEnd", "timeLog", "count", "countReset", "assert", "dir", "dirxml", "clear", "timeStamp"].filter((m) => typeof console[m] !== "function"),
  "console gives undefined": () => [console.log("a", { b: 1 }), console.assert(false, "x"), console.table([{ a: 1 }]), console.time("t"), console.timeEnd("t"), console.count()],
  "console of odd things": () => {
    const a = { get b() { throw new Error("getter"); }, s: Symbol("x") };
    a.a = a;
    return now(() => console.log(a, new Proxy({}, {}), Object.create(null), 5n, () => 1));
  },
  "fetch of a bad url": async () => (await outcome(() => fetch("nope"))).thrown?.$error,
  "fetch of an unknown scheme": async () => (await outcome(() => fetch("foo://x"))).thrown?.$error,
  "fetch gives a promise": () => {
    const p = fetch("nope");
    p.catch(() => {});
    return p instanceof Promise;
  },
  "fetch with an aborted signal": async () => see((await outcome(() => fetch("http://127.0.0.1:1/", { signal: AbortSignal.abort() }))).thrown),
});
