// node serve.mjs: starts workers as they are asked for, a line of JSON each on standard
// input, and says where they listen, a line of JSON each on standard output:
//
//   {"id": 1, "workers": [{"name", "entry", "files", "kv", "d1", "vars", "flags", "date"}]}
//   {"id": 1, "urls": {"name": "http://127.0.0.1:1234"}}   or   {"id": 1, "error": "…"}
//   {"stop": 1}
//
// The workers of one line share a workerd, each with a port of its own; nothing stands
// between that port and the worker. They end with the input.
import { createInterface } from "node:readline";
import { dirname, join, normalize } from "node:path/posix";
import { build } from "esbuild";
import { Log, LogLevel, Miniflare } from "miniflare";

console.log = console.error; // standard output is for answers
const home = import.meta.dirname;

// bundle makes one module of a worker's files, as wrangler does: packages come from
// node_modules beside this program.
async function bundle({ entry, files }) {
  const inMemory = {
    name: "files",
    setup(b) {
      b.onResolve({ filter: /^[./]/ }, ({ path, importer, namespace, kind }) => {
        if (namespace !== "files" && kind !== "entry-point") return;
        const at = normalize(join(importer ? dirname(importer) : ".", path));
        for (const name of [at, at + ".js", at + ".mjs", at + ".ts", at + "/index.js"]) {
          if (name in files) return { path: name, namespace: "files" };
        }
        return { errors: [{ text: `no such file: ${at}` }] };
      });
      b.onLoad({ filter: /.*/, namespace: "files" }, ({ path }) => ({
        contents: files[path],
        loader: { js: "jsx", mjs: "jsx", ts: "ts", tsx: "tsx", json: "json" }[path.split(".").pop()] ?? "text",
        resolveDir: home,
      }));
    },
  };
  const { outputFiles } = await build({
    entryPoints: ["./" + entry],
    plugins: [inMemory],
    bundle: true,
    write: false,
    format: "esm",
    target: "es2024",
    conditions: ["workerd", "worker", "browser"],
    external: ["cloudflare:*", "node:*"],
    alias: Object.fromEntries(["assert", "async_hooks", "buffer", "events", "path", "util"].map((m) => [m, "node:" + m])),
    define: { "process.env.NODE_ENV": '"production"' },
    logLevel: "silent",
  });
  return outputFiles[0].text;
}

async function start({ workers }) {
  const options = [];
  for (const w of workers) {
    options.push({
      name: w.name,
      modules: [{ type: "ESModule", path: "worker.mjs", contents: await bundle(w) }],
      compatibilityDate: w.date,
      compatibilityFlags: w.flags,
      bindings: w.vars,
      kvNamespaces: Object.fromEntries(w.kv.map((n) => [n, w.name + n])),
      d1Databases: Object.fromEntries(w.d1.map((n) => [n, w.name + n])),
      unsafeDirectSockets: [{ host: "127.0.0.1", port: 0 }],
    });
  }
  let said = "";
  const mf = new Miniflare({
    workers: options,
    log: new Log(LogLevel.NONE),
    handleRuntimeStdio(stdout, stderr) {
      stdout.pipe(process.stderr);
      stderr.on("data", (d) => {
        said = (said + d).slice(-4000);
        process.stderr.write(d);
      });
    },
  });
  try {
    await mf.ready;
    const urls = {};
    for (const w of workers) urls[w.name] = (await mf.unsafeGetDirectURL(w.name)).origin;
    return { mf, urls };
  } catch (e) {
    await mf.dispose().catch(() => {});
    throw new Error(e.message + (said && "\n" + said));
  }
}

const running = new Map();
const answer = (o) => process.stdout.write(JSON.stringify(o) + "\n");
const lines = createInterface({ input: process.stdin });
lines.on("line", async (line) => {
  const ask = JSON.parse(line);
  if (ask.stop) {
    running.get(ask.stop)?.dispose().catch(() => {});
    running.delete(ask.stop);
    return;
  }
  try {
    const { mf, urls } = await start(ask);
    running.set(ask.id, mf);
    answer({ id: ask.id, urls });
  } catch (e) {
    answer({ id: ask.id, error: e.message });
  }
});
lines.on("close", async () => {
  await Promise.allSettled([...running.values()].map((mf) => mf.dispose()));
  process.exit(0);
});
