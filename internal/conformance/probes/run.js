// The worker around the probes of an area: ?file=FILE&name=NAME answers with what the probe
// saw, / with the names of all. A file exports a function that makes its probes, as
// workerd makes no bodies and signals outside of a request. A probe of handlers answers by itself; where it has
// several steps, the request names one.
import { outcome } from "./see.js";

export function runner(files) {
  return {
    async fetch(request, env, ctx) {
      const { searchParams } = new URL(request.url);
      const file = searchParams.get("file");
      if (!file) return Response.json(list(files));
      const probe = files[file]?.()[searchParams.get("name")];
      if (!probe) return new Response("no such probe", { status: 404 });
      const step = searchParams.get("step");
      if (step === null) {
        await clear(env);
        return Response.json(await outcome(() => probe({ env, request, ctx })));
      }
      if (step === "clear") {
        await clear(env);
        return new Response("cleared");
      }
      return [probe].flat()[step].call(this, request, env, ctx);
    },
  };
}

function list(files) {
  const all = [];
  for (const [file, probes] of Object.entries(files)) {
    for (const [name, probe] of Object.entries(probes())) all.push({ file, name, steps: [probe].flat().length });
  }
  return all;
}

// clear lets each probe begin with nothing.
async function clear({ KV, DB }) {
  for (const { name } of (await KV.list()).keys) await KV.delete(name);
  const { results } = await DB.prepare(
    "SELECT type, name FROM sqlite_schema WHERE type IN ('table', 'view') AND (name NOT LIKE 'sqlite_%' OR name LIKE 'sqlite_stat%') AND substr(name, 1, 4) <> '_cf_'",
  ).all();
  if (results.length) await DB.batch([DB.prepare("PRAGMA defer_foreign_keys = on"), ...results.map((r) => DB.prepare(`DROP ${r.type} IF EXISTS "${r.name}"`))]);
}
