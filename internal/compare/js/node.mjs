// node node.mjs PORT json|hono SCRIPT
import { createServer } from "node:http";
import { serve } from "@hono/node-server";

const [port, name, script] = process.argv.slice(2);
if (name === "hono") {
  const { default: app } = await import(script);
  serve({ fetch: app.fetch, port: Number(port), hostname: "127.0.0.1" });
} else {
  createServer((req, res) => {
    res.setHeader("Content-Type", "application/json");
    res.end(JSON.stringify({ hello: "world", n: 42 }));
  }).listen(Number(port), "127.0.0.1");
}
