// @upstash/redis
// Commands over HTTP to a scripted server: values, hashes, pipelines, transactions, scripts and errors.
import { Redis } from "@upstash/redis/cloudflare";
import { server } from "./parts/scripted";

const kv = new Map<string, unknown>();
const run = ([name, key, ...args]: any[]): any => {
  switch (String(name).toLowerCase()) {
    case "set": kv.set(key, args[0]); return { result: "OK" };
    case "get": return { result: kv.get(key) ?? null };
    case "incr": kv.set(key, String(Number(kv.get(key) ?? 0) + 1)); return { result: Number(kv.get(key)) };
    case "hgetall": return { result: ["a", "1", "b", '{"x":"ü"}'] };
    case "zrange": return { result: ["m", "1.5"] };
    case "eval": return { result: [key, ...args] };
    default: return { error: "ERR unknown command " + name };
  }
};
const fake = server({ "POST /": (body) => { const r = run(body); return r.error ? { status: 400, json: r } : { json: r }; }, "POST /pipeline": (body) => ({ json: body.map(run) }), "POST /multi-exec": (body) => ({ json: body.map(run) }) });
export default {
  async fetch() {
    const real = globalThis.fetch;
    globalThis.fetch = fake.fetch;
    try {
      const redis = new Redis({ url: "http://redis.example", token: "t", enableTelemetry: false, responseEncoding: false, retry: false, enableAutoPipelining: false });
      const set = await redis.set("k", { deep: ["ü"] }, { ex: 60, nx: true });
      const pipe = redis.pipeline();
      pipe.incr("n"); pipe.incr("n"); pipe.get("k");
      return Response.json({ set, get: await redis.get("k"), none: await redis.get("gone"), pipe: await pipe.exec(), multi: await redis.multi().incr("n").get("n").exec(), hash: await redis.hgetall("h"), range: await redis.zrange("z", 0, -1, { withScores: true }), script: await redis.eval("return 1", ["k1"], ["a"]), bad: await redis.lpush("l", 1).catch((e) => [e.name, e.message]), requests: fake.requests() });
    } finally {
      globalThis.fetch = real;
    }
  },
};
