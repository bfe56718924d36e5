import { newSlug, type Link } from "./links";

export interface Env {
  ASSETS: { fetch(request: Request): Promise<Response> };
  LINKS: KVNamespace;
  STATS: D1Database;
  TITLE: string;
  MAX_LENGTH: number;
  ADMIN_TOKEN?: string;
}

const schema = "CREATE TABLE IF NOT EXISTS hits (slug TEXT PRIMARY KEY, n INTEGER NOT NULL)";

export default {
  async fetch(request, env, ctx): Promise<Response> {
    const url = new URL(request.url);
    switch (true) {
      case url.pathname === "/api/about":
        return Response.json({ title: env.TITLE, max: env.MAX_LENGTH });

      case url.pathname === "/api/links" && request.method === "POST":
        return create(request, env);

      case url.pathname === "/api/stats":
        return stats(request, env);

      case url.pathname.startsWith("/l/"):
        return follow(url.pathname.slice("/l/".length), env, ctx);
    }
    return env.ASSETS.fetch(request);
  },
} satisfies ExportedHandler<Env>;

async function create(request: Request, env: Env): Promise<Response> {
  const { to } = await request.json<{ to?: unknown }>();
  if (typeof to !== "string" || !URL.canParse(to) || to.length > env.MAX_LENGTH) {
    return Response.json({ error: `to must be a URL of at most ${env.MAX_LENGTH} characters` }, { status: 400 });
  }
  const link: Link = { slug: newSlug(), to };
  await env.LINKS.put(link.slug, JSON.stringify(link), { metadata: { made: Date.now() } });
  return Response.json(link, { status: 201 });
}

async function follow(slug: string, env: Env, ctx: ExecutionContext): Promise<Response> {
  const link = await env.LINKS.get<Link>(slug, "json");
  if (!link) return new Response("There is no such link.\n", { status: 404 });
  ctx.waitUntil(count(slug, env));
  return Response.redirect(link.to, 302);
}

async function count(slug: string, env: Env): Promise<void> {
  await env.STATS.batch([
    env.STATS.prepare(schema),
    env.STATS.prepare("INSERT INTO hits VALUES (?, 1) ON CONFLICT (slug) DO UPDATE SET n = n + 1").bind(slug),
  ]);
}

async function stats(request: Request, env: Env): Promise<Response> {
  if (env.ADMIN_TOKEN && new URL(request.url).searchParams.get("token") !== env.ADMIN_TOKEN) {
    return Response.json({ error: "the token is wrong" }, { status: 403 });
  }
  await env.STATS.exec(schema);
  const { results } = await env.STATS.prepare("SELECT slug, n FROM hits ORDER BY n DESC").all<{ slug: string; n: number }>();
  return Response.json(results);
}
