import { cases, now, outcome, see } from "../see.js";

export default () => ({
  "a listener": () => {
    const t = new EventTarget();
    const log = [];
    t.addEventListener("x", function (e) {
      log.push([e.type, this === t, e.target === t, e.currentTarget === t, e.eventPhase]);
    });
    const e = new Event("x");
    return [t.dispatchEvent(e), log, e.target === t, e.eventPhase];
  },
  "once, order and twice": () => {
    const t = new EventTarget();
    const log = [];
    const f = () => log.push("f");
    t.addEventListener("x", f);
    t.addEventListener("x", f);
    t.addEventListener("x", () => log.push("once"), { once: true });
    t.addEventListener("x", { handleEvent: () => log.push("object") });
    t.dispatchEvent(new Event("x"));
    t.removeEventListener("x", f);
    t.dispatchEvent(new Event("x"));
    return log;
  },
  "preventDefault": () => {
    const t = new EventTarget();
    t.addEventListener("x", (e) => e.preventDefault());
    return [t.dispatchEvent(new Event("x", { cancelable: true })), t.dispatchEvent(new Event("y", { cancelable: true }))];
  },
  "stopImmediatePropagation": () => {
    const t = new EventTarget();
    const log = [];
    t.addEventListener("x", (e) => { log.push(1); e.stopImmediatePropagation(); });
    t.addEventListener("x", () => log.push(2));
    t.dispatchEvent(new Event("x"));
    return log;
  },
  "a signal removes": () => {
    const t = new EventTarget();
    const c = new AbortController();
    const log = [];
    t.addEventListener("x", () => log.push(1), { signal: c.signal });
    t.dispatchEvent(new Event("x"));
    c.abort();
    t.dispatchEvent(new Event("x"));
    return log;
  },
  "dispatch of what is no event": () => now(() => new EventTarget().dispatchEvent({ type: "x" })).thrown?.$error,
  "an event is dispatched again": () => {
    const t = new EventTarget();
    const e = new Event("x");
    let n = 0;
    t.addEventListener("x", () => n++);
    t.dispatchEvent(e);
    t.dispatchEvent(e);
    return n;
  },
  "null listeners": () => {
    const t = new EventTarget();
    return [now(() => t.addEventListener("x", null)), now(() => t.removeEventListener("x", null)), now(() => t.addEventListener("x", 5)).thrown?.$error];
  },
  "Event": () => {
    const e = new Event("x", { bubbles: true, cancelable: true, composed: true });
    return [e.type, e.bubbles, e.cancelable, e.composed, e.defaultPrevented, e.isTrusted, typeof e.timeStamp, e.returnValue, e.cancelBubble, e.composedPath(), String(e), now(() => new Event()).thrown?.$error];
  },
  "CustomEvent": () => [new CustomEvent("x", { detail: { a: 1 } }).detail, new CustomEvent("x") instanceof Event],
  "kinds of events": () => ["ErrorEvent", "MessageEvent", "ProgressEvent", "BroadcastChannel"].map((n) => [n, typeof globalThis[n]]),
  "a subclass": () => {
    class T extends EventTarget {}
    const t = new T();
    let hit = 0;
    t.addEventListener("x", () => hit++);
    t.dispatchEvent(new Event("x"));
    return [hit, t instanceof EventTarget];
  },
  "abort": () => {
    const c = new AbortController();
    const log = [];
    c.signal.onabort = (e) => log.push(["on", e.type]);
    c.signal.addEventListener("abort", (e) => log.push(["listener", e.target === c.signal]));
    const before = [c.signal.aborted, c.signal.reason];
    c.abort();
    c.abort("again");
    return [before, c.signal.aborted, see(c.signal.reason), log, now(() => c.signal.throwIfAborted())];
  },
  ...cases("abort with", { text: "why", undefined: undefined, null: null, error: new RangeError("r") }, (_, why) => {
    const c = new AbortController();
    c.abort(why);
    return [see(c.signal.reason), now(() => c.signal.throwIfAborted())];
  }),
  "AbortSignal.abort": () => [see(AbortSignal.abort().reason), see(AbortSignal.abort("x").reason)],
  "AbortSignal.timeout": async () => {
    const s = AbortSignal.timeout(1);
    await new Promise((r) => s.addEventListener("abort", r));
    return [s.reason.name, s.reason.message];
  },
  "AbortSignal.any": () => {
    const a = new AbortController();
    const b = new AbortController();
    const s = AbortSignal.any([a.signal, b.signal]);
    b.abort("b");
    return [s.aborted, s.reason, AbortSignal.any([]).aborted, AbortSignal.any([AbortSignal.abort(1)]).reason, now(() => AbortSignal.any(5)).thrown?.$error];
  },
  "new AbortSignal": () => now(() => new AbortSignal()).thrown?.$error,
  "what an abort is": () => {
    const e = AbortSignal.abort().reason;
    return [e instanceof DOMException, e instanceof Error, e.name, e.code, e.message, String(e)];
  },
  "DOMException": () => {
    const e = new DOMException("m", "DataCloneError");
    return [e.name, e.message, e.code, String(e), e instanceof Error, Object.prototype.toString.call(e), DOMException.ABORT_ERR, e.ABORT_ERR, typeof e.stack, new DOMException().name, new DOMException("x", "Nope").code];
  },
  "reportError": async () => typeof reportError,
  "global listeners": () => [typeof addEventListener, typeof dispatchEvent, typeof onmessage, now(() => addEventListener("fetch", () => {}))],
  "unhandledrejection": async () => {
    const log = [];
    const on = (e) => { e.preventDefault(); log.push([e.type, see(e.reason), e.promise instanceof Promise]); };
    addEventListener("unhandledrejection", on);
    Promise.reject(new RangeError("r"));
    await new Promise((r) => setTimeout(r, 5));
    removeEventListener("unhandledrejection", on);
    return log;
  },
  "outcome of a rejected async listener": async () => {
    const t = new EventTarget();
    t.addEventListener("x", async () => 1);
    return outcome(() => t.dispatchEvent(new Event("x")));
  },
});
