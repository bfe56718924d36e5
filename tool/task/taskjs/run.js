// This follows the code of a module that defines a task. It says what the task is, or runs one of its stages: each in an
// isolate of its own, so that nothing passes from one to the next but what the task's report tells.
;(() => {
  const { argv, made_by } = globalThis.__samkit_task;
  delete globalThis.__samkit_task;
  const module_ = module.exports;
  const encode = (bytes) => {
    let s = "";
    for (let i = 0; i < bytes.length; i += 8192) s += String.fromCharCode(...bytes.subarray(i, i + 8192));
    return btoa(s);
  };
  const decode = (text) => {
    const s = atob(text);
    const bytes = new Uint8Array(s.length);
    for (let i = 0; i < s.length; i++) bytes[i] = s.charCodeAt(i);
    return bytes;
  };
  const contents = (what, v) => {
    if (typeof v === "string") return { text: v };
    if (v instanceof ArrayBuffer) return { base64: encode(new Uint8Array(v)) };
    if (ArrayBuffer.isView(v)) return { base64: encode(new Uint8Array(v.buffer, v.byteOffset, v.byteLength)) };
    throw new TypeError(`${what} is neither a string nor bytes`);
  };
  const task = () => {
    const t = module_ && module_.default;
    if (t === undefined) throw new TypeError("the module has no default export: export default defineTask({…})");
    return made_by("defineTask", "the default export", t);
  };
  const contextOf = (q, work) => {
    const path = (p) => {
      if (typeof p !== "string") throw new TypeError("the path is no string");
      return p;
    };
    return Object.freeze({
      input: q.input, prev: q.first ? null : q.value, run: q.run, stage: q.stage,
      readFile: async (p) => (await work.readFile({ path: path(p) })).text,
      readBytes: async (p) => decode((await work.readFile({ path: path(p), base64: true })).base64),
      writeFile: async (p, data) => { await work.writeFile({ path: path(p), ...contents("what is written", data) }); },
      removeFile: async (p) => { await work.removeFile({ path: path(p) }); },
      renameFile: async (p, to) => { await work.renameFile({ path: path(p), to: path(to) }); },
      listDir: async (p = "") => (await work.listDir({ path: path(p) })).names,
      exec: (command, options = {}) => work.exec({ argv: argv("the command", command, false), cwd: options.cwd, stdin: options.stdin, env: options.env }),
      snapshot: async (paths) => (await work.snapshot({ paths })).id,
      restore: async (id) => { await work.restore({ id: String(id) }); },
      artifact: async (name, v) => {
        const bytes = typeof v === "string" || v instanceof ArrayBuffer || ArrayBuffer.isView(v);
        await work.artifact({ name: String(name), ...contents("the artifact", bytes ? v : JSON.stringify(v)) });
      },
      diff: async () => (await work.diff({})).changes,
    });
  };
  module.exports = { default: { async fetch(request, env) {
    const q = JSON.parse(await request.text());
    let text;
    try {
      const t = task();
      if (q.define) {
        text = JSON.stringify({ task: t }); // functions are left out
      } else {
        const stage = t.stages[q.index];
        const out = await stage.run(contextOf(q, env.WORK));
        text = JSON.stringify({ value: out === undefined ? null : out });
        if (text === "{}") throw new TypeError(`stage ${q.stage} returns what is no JSON`);
      }
    } catch (e) {
      let words = "something that has no words", code = "", stack = "";
      try {
        words = (e instanceof Error ? (e.name === "Error" ? e.message : `${e.name}: ${e.message}`) : String(e)).slice(0, 10000);
        if (typeof e.code === "string") code = e.code;
        if (e instanceof Error) stack = String(e.stack).slice(0, 10000);
      } catch {}
      text = JSON.stringify({ threw: words, code, stack });
    }
    return new Response(text);
  } } };
})();
