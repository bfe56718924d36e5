// node miniflare.mjs PORT SCRIPT DATA
import { readFileSync } from "node:fs";
import { Miniflare } from "miniflare";

const [port, script, data] = process.argv.slice(2);
const mf = new Miniflare({
  modules: true,
  script: readFileSync(script, "utf8"),
  host: "127.0.0.1",
  port: Number(port),
  compatibilityDate: "2025-09-01",
  kvNamespaces: ["KV"],
  d1Databases: ["DB"],
  kvPersist: data + "/kv",
  d1Persist: data + "/d1",
});
await mf.ready;
process.on("SIGTERM", async () => {
  await mf.dispose();
  process.exit(0);
});
