// The back end: notes in a SQL table. Every request below /api/ comes here.
import { Router, problem } from "./lib/router.js";
import { ready } from "./lib/schema.js";

const app = new Router();

app.get("/api/notes", async ({ env, url }) => {
  const words = (url.searchParams.get("find") ?? "").trim();
  const { results } = await env.DB.prepare(
    `SELECT id, title, body, pinned, updated FROM notes
      WHERE ?1 = '' OR title LIKE '%' || ?1 || '%' OR body LIKE '%' || ?1 || '%'
      ORDER BY pinned DESC, updated DESC LIMIT 200`,
  ).bind(words).all();
  return results;
});

app.post("/api/notes", async ({ env, request }) => {
  const note = await read(request);
  const row = await env.DB.prepare("INSERT INTO notes (title, body, pinned, updated) VALUES (?, ?, ?, ?) RETURNING *")
    .bind(note.title, note.body, note.pinned, new Date().toISOString()).first();
  return Response.json(row, { status: 201 });
});

app.put("/api/notes/:id", async ({ env, request, params }) => {
  const note = await read(request);
  const row = await env.DB.prepare("UPDATE notes SET title = ?, body = ?, pinned = ?, updated = ? WHERE id = ? RETURNING *")
    .bind(note.title, note.body, note.pinned, new Date().toISOString(), Number(params.id)).first();
  if (!row) throw problem(404, "This note is not there any more.");
  return row;
});

app.delete("/api/notes/:id", async ({ env, params }) => {
  await env.DB.prepare("DELETE FROM notes WHERE id = ?").bind(Number(params.id)).run();
  return new Response(null, { status: 204 });
});

/** The note that a request carries. */
async function read(request) {
  const input = await request.json().catch(() => null);
  const title = String(input?.title ?? "").trim().slice(0, 200);
  const body = String(input?.body ?? "").slice(0, 20_000);
  if (!title && !body.trim()) throw problem(400, "An empty note is not kept.");
  return { title: title || "Untitled", body, pinned: input.pinned ? 1 : 0 };
}

export default {
  async fetch(request, env, ctx) {
    await ready(env.DB);
    return app.handle(request, env, ctx);
  },
};
