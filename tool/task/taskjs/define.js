// What a module that defines a task has beside the language. It runs before the module, on its first line; what it checks is
// what TypeScript would have said, so that JavaScript is told as well, at the place of the call.
(() => {
  const known = (what, o, names) => {
    if (typeof o !== "object" || o === null || Array.isArray(o)) throw new TypeError(`${what} takes an object`);
    for (const k of Object.keys(o)) if (!names.includes(k)) throw new TypeError(`${what} has no member ${JSON.stringify(k)}; it has ${names.join(", ")}`);
    return o;
  };
  const is = (what, v, type) => {
    if (v !== undefined && typeof v !== type) throw new TypeError(`${what} is no ${type}`);
    return v;
  };
  const strings = (what, v) => {
    if (v !== undefined && !(Array.isArray(v) && v.every((s) => typeof s === "string"))) throw new TypeError(`${what} is no list of strings`);
    return v;
  };
  // A command as the list of its arguments. A line is split at blanks, and means nothing else.
  const argv = (what, c, stars) => {
    if (Array.isArray(c)) return strings(what, c);
    if (typeof c !== "string") throw new TypeError(`${what} is neither a list of arguments nor a string`);
    const words = c.split(/[ \t]+/).filter((w) => w !== "");
    for (const w of words) {
      if (stars && (w === "*" || w === "**")) continue;
      if (/[|&;<>()$`\\"'*?[\]{}~#!\r\n]/.test(w)) throw new TypeError(`${what} has ${JSON.stringify(w)}, and there is no shell that reads it: give the list of the arguments`);
    }
    return words;
  };
  const made = new WeakMap();
  const make = (kind, o) => {
    made.set(o, kind);
    return o;
  };
  const made_by = (kind, what, o) => {
    if (typeof o !== "object" || o === null || made.get(o) !== kind) throw new TypeError(`${what} is not made by ${kind}`);
    return o;
  };
  const define = {
    definePolicy(p) {
      known("definePolicy", p, ["writablePaths", "denyPaths", "allowedCommands", "network", "timeoutMs"]);
      const network = p.network === undefined ? {} : known("network", p.network, ["allow"]);
      if (p.allowedCommands !== undefined && !Array.isArray(p.allowedCommands)) throw new TypeError("allowedCommands is no list");
      return make("definePolicy", Object.freeze({
        writable: strings("writablePaths", p.writablePaths), deny: strings("denyPaths", p.denyPaths),
        commands: p.allowedCommands?.map((c, i) => argv(`allowedCommands[${i}]`, c, true)),
        network: strings("network.allow", network.allow), timeoutMs: is("timeoutMs", p.timeoutMs, "number"),
      }));
    },
    defineStage(name, run, options = {}) {
      if (typeof name !== "string") throw new TypeError("the name of a stage is no string");
      if (typeof run !== "function") throw new TypeError(`stage ${name} has no function`);
      known(`stage ${name}`, options, ["writes", "artifacts", "timeoutMs", "input", "output"]);
      return make("defineStage", Object.freeze({
        name, run, writes: strings("writes", options.writes), artifacts: strings("artifacts", options.artifacts),
        timeoutMs: is("timeoutMs", options.timeoutMs, "number"), input: options.input, output: options.output,
      }));
    },
    defineTask(t) {
      known("defineTask", t, ["name", "description", "policy", "input", "stages"]);
      if (!Array.isArray(t.stages)) throw new TypeError("stages is no list");
      if (typeof t.name !== "string") throw new TypeError("the name of a task is no string");
      return make("defineTask", Object.freeze({
        name: t.name, description: is("description", t.description, "string"), policy: made_by("definePolicy", "policy", t.policy),
        input: t.input, stages: t.stages.map((s, i) => made_by("defineStage", `stages[${i}]`, s)),
      }));
    },
  };
  Object.assign(globalThis, define, { __samkit_task: { argv, made_by } });
})();
