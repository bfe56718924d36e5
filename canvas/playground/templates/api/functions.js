// The back end: every request below /api/ comes here.
import { Router, problem } from "./lib/router.js";
import { checkLink } from "./lib/links.js";

const app = new Router();

// All links, the most used first.
app.get("/api/links", async ({ env }) => {
  const { keys } = await env.KV.list({ prefix: "link:" });
  const links = await Promise.all(keys.map((k) => env.KV.get(k.name, "json")));
  return links.filter(Boolean).sort((a, b) => b.visits - a.visits || a.name.localeCompare(b.name));
});

app.post("/api/links", async ({ env, request }) => {
  const link = checkLink(await request.json().catch(() => null));
  if (await env.KV.get("link:" + link.name)) throw problem(409, "This name is taken.");
  await env.KV.put("link:" + link.name, JSON.stringify(link));
  console.log("added", link.name);
  return Response.json(link, { status: 201 });
});

// Counts a visit and says where to go.
app.post("/api/links/:name/visit", async ({ env, params }) => {
  const link = await env.KV.get("link:" + params.name, "json");
  if (!link) throw problem(404, "There is no link of that name.");
  link.visits++;
  await env.KV.put("link:" + link.name, JSON.stringify(link));
  return link;
});

app.delete("/api/links/:name", async ({ env, params }) => {
  await env.KV.delete("link:" + params.name);
  return new Response(null, { status: 204 });
});

export default {
  fetch: (request, env, ctx) => app.handle(request, env, ctx),
};
