// This runs after the code of a script, which has been checked: of globals it names those alone that it may use, and
// it has no way to the global object, so that what else is there is out of its reach. What has effects, or
// leads to the global object, goes nevertheless.
((names, most) => {
  const world = globalThis;
  const complete = world.__samkit_complete;
  // What this needs is taken before the script runs, which may change what is left of it.
  const script = module.exports;
  const { parse, stringify } = JSON;
  const { Array, BigInt, Date, Error, Map, Math, Number, Object, Promise, RangeError, Response, Set, String, Symbol, TypeError, WeakMap, crypto, setTimeout } = world;
  const { log, warn, error } = world.console;
  [() => {}, async () => {}, function* () {}].map((f) => f.constructor).push(world.eval); // so that they are there, and refuse, when EvalError is not

  const encode = (v, above) => {
    switch (typeof v) {
      case "undefined": case "function": case "symbol": return { $undefined: true };
      case "bigint": return { $bigint: String(v) };
      case "number": return Number.isFinite(v) ? v : { $number: String(v) };
      case "object": break;
      default: return v;
    }
    if (v === null) return null;
    if (above.length > 500) throw new RangeError("The result is nested more than 500 deep");
    if (above.includes(v)) throw new TypeError("The result holds itself");
    const inside = [...above, v];
    const one = (x) => encode(x, inside);
    if (v instanceof Date) return { $date: Number.isFinite(v.getTime()) ? v.toISOString() : null };
    if (v instanceof Map) return { $map: [...v].map(([k, x]) => [one(k), one(x)]) };
    if (v instanceof Set) return { $set: [...v].map(one) };
    if (v instanceof Error) return { $error: { name: String(v.name), message: String(v.message) } };
    if (Array.isArray(v)) return Array.from(v, one);
    if (typeof v.toJSON === "function") return one(v.toJSON());
    const o = {};
    for (const k of Object.keys(v)) Object.defineProperty(o, k.startsWith("$") ? "$" + k : k, { value: one(v[k]), enumerable: true });
    return o;
  };
  const line = (args) => args.map((a) => {
    if (typeof a === "string") return a;
    if (a instanceof Error) return `${a.name}: ${a.message}`;
    if (typeof a !== "object") return String(a);
    try { return stringify(encode(a, [])); } catch (e) { return String(e); }
  }).join(" ");

  const within = (name, v, least, top) => {
    if (typeof v !== "number" || !(v >= least && v <= top)) throw new RangeError(`${name} is not from ${least} to ${top}`);
    return v;
  };
  const system = {
    delay: (ms) => (within("delay", ms, 0, 60000), new Promise((done) => setTimeout(done, ms))),
    uuid: (count) => count === undefined ? crypto.randomUUID() : Array.from({ length: Math.trunc(within("count", count, 1, 100)) }, () => crypto.randomUUID()),
    now: () => Date.now(),
    random: ({ min = 0, max = 1, integer = false } = {}) => integer ? Math.floor(min + Math.random() * (max - min + 1)) : min + Math.random() * (max - min),
    time: (format = "iso") => {
      const now = new Date();
      switch (format) {
        case "iso": return now.toISOString();
        case "locale": return now.toLocaleString();
        case "ts": return now.getTime();
      }
      throw new RangeError("The format is none of iso, locale, ts");
    },
    timezone: () => "UTC",
  };

  // What rtcAgent's functions reject with has no stack: it comes from outside. The place of the call is the next best.
  const placed = (fn) => (...args) => {
    const called = new Error();
    const result = fn(...args);
    return result instanceof Promise && !result[Symbol.asyncIterator] ? then.call(result, undefined, (e) => {
      try { places.set(e, called); } catch {}
      throw e;
    }) : result;
  };
  const places = new WeakMap();
  const { then } = Promise.prototype;
  const stackOf = (e) => {
    const own = String(e.stack);
    return own.includes("script:") || !places.has(e) ? own : String(places.get(e).stack);
  };

  module.exports = { default: { async fetch(request, env) {
    complete(request.headers.get("needs"));
    const params = parse(await request.text());
    const rtcAgent = {};
    for (const [group, members] of Object.entries({ ...env.TOOLS })) {
      rtcAgent[group] = typeof members === "function" ? placed(members) : members;
      if (typeof members === "object" && members !== null) rtcAgent[group] = Object.fromEntries(Object.entries(members).map(([k, v]) => [k, typeof v === "function" ? placed(v) : v]));
    }
    Object.assign(rtcAgent, {
      system,
      readFile: placed((path) => env.AGENT.readFile({ path: String(path) })),
      writeFile: placed((path, text) => env.AGENT.writeFile({ path: String(path), text: String(text) })),
      listDir: placed((path = "") => env.AGENT.listDir({ path: String(path) })),
      callFunction: placed((name, args = {}) => env.AGENT.callFunction({ name: String(name), args })),
    });
    const console = { log: (...a) => log(line(a)), info: (...a) => log(line(a)), debug: (...a) => log(line(a)), warn: (...a) => warn(line(a)), error: (...a) => error(line(a)) };
    for (const name of names) delete world[name];
    for (const [name, value] of Object.entries({ params, rtcAgent, console })) Object.defineProperty(world, name, { value, configurable: true });
    let text;
    try {
      text = stringify({ value: encode(await script(), []) });
      if (text.length > most + stringify({ value: "" }).length - 2) throw new RangeError(`The result has more than ${most} bytes`);
    } catch (e) {
      let words = "The script threw something that has no words", code, stack = "";
      try {
        words = (e instanceof Error ? `${e.name}: ${e.message}` : String(e)).slice(0, 10000);
        code = e.code;
        if (e instanceof Error) stack = stackOf(e).slice(0, 10000);
      } catch {}
      text = stringify({ threw: true, error: words, code: typeof code === "string" ? code : "", stack });
    }
    return new Response(text);
  } } };
})($NAMES, $MOST);
