// node serve.mjs: starts workers as they are asked for, a line of JSON each on standard
// input, and says where they listen, a line of JSON each on standard output:
//
//   {"id": 1, "workers": [{"name", "entry", "files", "kv", "d1", "vars", "flags", "date", "env"}]}
//   {"id": 1, "urls": {"name": "http://127.0.0.1:1234"}, "sizes": {"name": 5678}}   or   {"id": 1, "error": "…"}
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

// required turns require("path") of a CommonJS package into an import, which workerd has.
const required = {
  name: "required",
  setup(b) {
    b.onResolve({ filter: /^(node:)?(assert|async_hooks|buffer|events|path|util)$/ }, ({ path, kind }) =>
      kind === "require-call" ? { path: path.replace(/^(node:)?/, "node:"), namespace: "required" } : undefined,
    );
    b.onLoad({ filter: /.*/, namespace: "required" }, ({ path }) => ({
      contents: `import it from ${JSON.stringify(path)}; module.exports = it;`,
    }));
  },
};

// bundle makes one module of a worker's files, as wrangler does: packages come from
// node_modules beside this program.
async function bundle({ entry, files, env }) {
  const inMemory = {
    name: "files",
    setup(b) {
      b.onResolve({ filter: /^[./]/ }, ({ path, importer, namespace, kind }) => {
        if (namespace !== "files" && kind !== "entry-point") return;
        const at = normalize(join(importer ? dirname(importer) : ".", path));
        for (const name of [at, at + ".js", at + ".mjs", at + ".ts", at + ".tsx", at + "/index.js"]) {
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
    plugins: [required, inMemory],
    bundle: true,
    write: false,
    format: "esm",
    target: "es2024",
    conditions: ["workerd", "worker", "browser"],
    external: ["cloudflare:*", "node:*"],
    alias: Object.fromEntries(["assert", "async_hooks", "buffer", "events", "path", "util"].map((m) => [m, "node:" + m])),
    define: { "process.env.NODE_ENV": JSON.stringify(env) },
    logLevel: "silent",
  });
  return outputFiles[0].text;
}

async function start({ workers }) {
  const options = [];
  const sizes = {};
  for (const w of workers) {
    const contents = await bundle(w);
    sizes[w.name] = Buffer.byteLength(contents);
    options.push({
      name: w.name,
      modules: [{ type: "ESModule", path: "worker.mjs", contents }],
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
    return { mf, urls, sizes };
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
    const { mf, urls, sizes } = await start(ask);
    running.set(ask.id, mf);
    answer({ id: ask.id, urls, sizes });
  } catch (e) {
    answer({ id: ask.id, error: e.message });
  }
});
lines.on("close", async () => {
  await Promise.allSettled([...running.values()].map((mf) => mf.dispose()));
  process.exit(0);
});
