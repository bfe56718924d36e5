import { cases, now, outcome } from "../see.js";

const wait = (ms) => new Promise((r) => setTimeout(r, ms));

export default () => ({
  "the order of tasks": async () => {
    const log = [];
    setTimeout(() => log.push("timeout"), 0);
    queueMicrotask(() => log.push("microtask"));
    Promise.resolve().then(() => log.push("then"));
    log.push("now");
    await null;
    log.push("after await");
    await wait(5);
    return log;
  },
  "timers of equal time are in order": async () => {
    const log = [];
    for (let i = 0; i < 5; i++) setTimeout(() => log.push(i), 2);
    await wait(20);
    return log;
  },
  "timers by time": async () => {
    const log = [];
    setTimeout(() => log.push("late"), 40);
    setTimeout(() => log.push("early"), 1);
    await wait(80);
    return log;
  },
  "arguments": async () => new Promise((r) => setTimeout((...a) => r(a), 0, 1, "b", null)),
  "setInterval and clear": async () => {
    let n = 0;
    await new Promise((r) => {
      const id = setInterval(() => { if (++n === 3) { clearInterval(id); r(); } }, 1);
    });
    await wait(5);
    return n;
  },
  "clearTimeout": async () => {
    let hit = false;
    const id = setTimeout(() => { hit = true; }, 1);
    clearTimeout(id);
    await wait(10);
    return hit;
  },
  "what an id is": () => {
    const id = setTimeout(() => {}, 0);
    clearTimeout(id);
    return [typeof id, id > 0];
  },
  ...cases("clearTimeout of", { undefined: undefined, null: null, text: "x", unknown: 99999, none: undefined }, (_, id) => now(() => clearTimeout(id))),
  ...cases("setTimeout of", { string: "1+1", nothing: undefined, number: 5, null: null, object: {} }, (_, fn) => {
    const r = now(() => typeof setTimeout(fn, 0));
    return r.thrown ? r.thrown.$error : r;
  }),
  ...cases("delay", { undefined: undefined, negative: -5, NaN: NaN, text: "2", null: null, fraction: 0.5 }, (_, ms) => new Promise((r) => setTimeout(r, ms, "ran"))),
  "this of a timer": async () => new Promise((r) => setTimeout(function () { r([this === globalThis, this === undefined]); }, 0)),
  "microtasks run between timers": async () => {
    const log = [];
    setTimeout(() => { log.push("a"); Promise.resolve().then(() => log.push("micro")); }, 1);
    setTimeout(() => log.push("b"), 1);
    await wait(10);
    return log;
  },
  "queueMicrotask": async () => [now(() => queueMicrotask()).thrown?.$error, now(() => queueMicrotask(5)).thrown?.$error, await new Promise((r) => queueMicrotask(() => r("ran")))],
  "setImmediate": async () => [typeof setImmediate, typeof clearImmediate],
  "scheduler.wait": async () => [typeof scheduler, await scheduler.wait(1), typeof scheduler.postTask],
  "scheduler.wait with a signal": () => outcome(() => scheduler.wait(1000, { signal: AbortSignal.abort() })),
  "time stands still while code computes": () => {
    const before = [Date.now(), performance.now()];
    for (let i = 0; i < 1e6; i++);
    return [Date.now() - before[0] < 1000, performance.now() - before[1] < 1000];
  },
  "performance": () => [typeof performance.now(), typeof performance.timeOrigin, performance.now() >= 0, String(performance), JSON.stringify(Object.keys(performance))],
  "an async stack": async () => {
    const f = async () => { await null; throw new RangeError("deep"); };
    return outcome(f);
  },
  "promise order": async () => {
    const log = [];
    const a = (async () => { log.push("a1"); await null; log.push("a2"); await null; log.push("a3"); })();
    const b = (async () => { log.push("b1"); await null; log.push("b2"); })();
    await Promise.all([a, b]);
    return log;
  },
  "thenables": async () => {
    const log = [];
    const p = Promise.resolve({ then(r) { log.push("then"); r("v"); } });
    log.push("after");
    log.push(await p);
    return log;
  },
});
