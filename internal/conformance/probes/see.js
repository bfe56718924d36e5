// What probes say about what they saw: JSON in which nothing is lost that code could
// tell apart. Times and ids are the probe's to leave out.

const plain = (v) => [Object.prototype, null].includes(Object.getPrototypeOf(v));

/** see describes a value. */
export function see(v, seen = []) {
  switch (typeof v) {
    case "string":
    case "boolean":
      return v;
    case "number":
      return Number.isFinite(v) && !Object.is(v, -0) ? v : { $: Object.is(v, -0) ? "-0" : String(v) };
    case "undefined":
      return { $: "undefined" };
    case "bigint":
      return { $: v + "n" };
    case "symbol":
      return { $: String(v) };
    case "function":
      return { $: "function", name: v.name, length: v.length };
  }
  if (v === null) return null;
  if (seen.includes(v)) return { $: "again" };
  return seeObject(v, [...seen, v]);
}

function seeObject(v, seen) {
  const all = (list) => Array.from(list, (x) => see(x, seen));
  if (Array.isArray(v)) return all(v);
  if (v instanceof Error) return error(v, seen);
  if (v instanceof ArrayBuffer) return { $: "ArrayBuffer", bytes: [...new Uint8Array(v)] };
  if (v instanceof DataView) return { $: "DataView", length: v.byteLength };
  if (ArrayBuffer.isView(v)) return { $: v.constructor.name, items: all(v) };
  if (v instanceof Map || v instanceof Set) return { $: v.constructor.name, items: all(v) };
  if (v instanceof Headers || v instanceof URLSearchParams || v instanceof FormData) return { $: v.constructor.name, items: all(v) };
  if (v instanceof Date) return { $: "Date", time: see(v.getTime()) };
  if (v instanceof RegExp) return { $: String(v) };
  const out = plain(v) ? {} : { $: v.constructor?.name };
  for (const key of Object.keys(v)) out[key] = see(v[key], seen);
  return out;
}

// The stack is full of paths; remote and retryable are notes of workerd to itself.
function error(e, seen) {
  const out = { $error: e.name, message: e.message };
  if (e.constructor?.name !== e.name) out.class = e.constructor?.name;
  if (typeof e.code !== "undefined") out.code = see(e.code);
  if ("cause" in e) out.cause = see(e.cause, seen);
  for (const key of Object.keys(e)) if (!["code", "cause", "name", "message", "stack", "remote", "retryable"].includes(key)) out[key] = see(e[key], seen);
  return out;
}

/** outcome describes what a function returns, or that it throws. */
export async function outcome(fn) {
  try {
    return see(await fn());
  } catch (e) {
    return { thrown: see(e) };
  }
}

/** now is outcome, of something that gives its answer at once: a promise is seen as one. */
export function now(fn) {
  try {
    return see(fn());
  } catch (e) {
    return { thrown: see(e) };
  }
}

/** cases makes a probe of each entry of a table. */
export function cases(name, table, fn) {
  const probes = {};
  for (const [label, value] of Object.entries(table)) {
    probes[`${name}: ${label}`] = (t) => fn(t, value);
  }
  return probes;
}

/** classOf names an error and leaves out its words, where those are the engine's own. */
export async function classOf(fn) {
  try {
    return { returned: see(await fn()) };
  } catch (e) {
    return e?.name ?? see(e);
  }
}
