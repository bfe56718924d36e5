// This is what runs in a session at a prompt, before its lines, and hands them to the worker. See repl.go.
const world = globalThis;
const { line, module: load, seal, show } = world.__samkit_prompt;
const complete = world.__samkit_complete;
const { parse, stringify } = JSON;
const { Object, Request, Response, String, SyntaxError } = world;
const { defineProperty, keys } = Object;
const read = (request) => Request.prototype.text.call(request);

let lines = 0; // that have run here: none if the session is a new one
// remember makes a variable of what came out last, until a line has one of this name.
const remember = (name, value) => {
  const known = Object.getOwnPropertyDescriptor(world, name);
  if (known && !known.get) return;
  defineProperty(world, name, { get: () => value, set: (v) => defineProperty(world, name, { value: v, writable: true, enumerable: true, configurable: true }), configurable: true });
};
defineProperty(world, "require", { value: () => { throw new Error("There are no modules at the prompt: %run file.js runs one, and its exports become variables"); }, writable: true, configurable: true });

const run = async ({ name, code, needs, module }) => {
  complete(needs);
  if (!module) {
    const body = line(name, code);
    try {
      return await body(); // in its array, since a promise would be awaited
    } finally {
      seal();
    }
  }
  const loaded = load(name, code);
  if (loaded[1]) await loaded[1];
  const found = loaded[0].exports;
  if (found === null || typeof found !== "object" && typeof found !== "function") return;
  for (const k of keys(found)) if (k !== "default" && k !== "__esModule") defineProperty(world, k, { value: found[k], writable: true, enumerable: true, configurable: true });
};

module.exports = { default: { async fetch(request, env) {
  const asked = parse(await read(request));
  if (asked.probe) return new Response(stringify({ lines }));
  if (lines++ === 0) {
    const { FILES } = env;
    defineProperty(world, "rtcAgent", { value: {
      readFile: (path) => FILES.readFile({ path: String(path) }),
      writeFile: (path, text) => FILES.writeFile({ path: String(path), text: String(text) }),
      listDir: (path = "") => FILES.listDir({ path: String(path) }),
    }, writable: true, configurable: true });
  }
  let answer;
  try {
    const values = await run(asked);
    if (values) remember("_", values[0]);
    answer = { __proto__: null, text: values ? show(values[0], asked.colors) : "" };
  } catch (e) {
    if (e instanceof SyntaxError && typeof e.line === "number" && typeof e.column === "number") {
      answer = { __proto__: null, threw: true, text: String(e.message), line: e.line, column: e.column };
    } else {
      remember("_error", e);
      answer = { __proto__: null, threw: true, text: show(e, asked.colors) };
    }
  }
  answer.lines = lines;
  return new Response(stringify(answer));
} } };
