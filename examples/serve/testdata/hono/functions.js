import { Hono } from "hono";
import { HTTPException } from "hono/http-exception";
import { logger } from "hono/logger";
import { secureHeaders } from "hono/secure-headers";
import { streamSSE } from "hono/streaming";
import { validator } from "hono/validator";

const app = new Hono().basePath("/api");

app.use(logger());
app.use(secureHeaders());

// KV: how often the page was opened.
app.post("/visits", async (c) => {
  const n = Number((await c.env.KV.get("visits")) ?? 0) + 1;
  await c.env.KV.put("visits", String(n));
  return c.json({ visits: n });
});
app.get("/visits", async (c) => c.json({ visits: Number((await c.env.KV.get("visits")) ?? 0) }));

// DB: the entries.
const ready = (db) =>
  db.exec("CREATE TABLE IF NOT EXISTS entries (id INTEGER PRIMARY KEY, name TEXT NOT NULL, text TEXT NOT NULL)");

const entry = validator("json", (value, c) => {
  const { name, text } = value ?? {};
  if (typeof name !== "string" || !name.trim() || typeof text !== "string" || !text.trim()) {
    return c.json({ error: "name and text must not be empty" }, 400);
  }
  return { name: name.trim(), text: text.trim() };
});

app.get("/entries", async (c) => {
  await ready(c.env.DB);
  const { results } = await c.env.DB.prepare("SELECT id, name, text FROM entries ORDER BY id DESC LIMIT ?")
    .bind(Number(c.req.query("limit") ?? 50))
    .all();
  return c.json(results);
});

app.post("/entries", entry, async (c) => {
  await ready(c.env.DB);
  const { name, text } = c.req.valid("json");
  const row = await c.env.DB.prepare("INSERT INTO entries (name, text) VALUES (?, ?) RETURNING id, name, text")
    .bind(name, text)
    .first();
  return c.json(row, 201);
});

app.get("/entries/:id{[0-9]+}", async (c) => {
  await ready(c.env.DB);
  const row = await c.env.DB.prepare("SELECT id, name, text FROM entries WHERE id = ?").bind(Number(c.req.param("id"))).first();
  if (!row) throw new HTTPException(404, { message: "there is no such entry" });
  return c.json(row);
});

app.delete("/entries/:id{[0-9]+}", async (c) => {
  await ready(c.env.DB);
  const { meta } = await c.env.DB.prepare("DELETE FROM entries WHERE id = ?").bind(Number(c.req.param("id"))).run();
  return meta.changes ? c.body(null, 204) : c.json({ error: "there is no such entry" }, 404);
});

app.get("/count", (c) =>
  streamSSE(c, async (stream) => {
    for (let i = 1; i <= 3; i++) {
      await stream.writeSSE({ event: "tick", id: String(i), data: JSON.stringify({ i }) });
      await stream.sleep(10);
    }
  }));

app.get("/old", (c) => c.redirect("/api/entries", 302));

app.onError((err, c) => {
  if (err instanceof HTTPException) return c.json({ error: err.message }, err.status);
  console.error(err);
  return c.json({ error: "something went wrong" }, 500);
});
app.notFound((c) => c.json({ error: "no route " + c.req.path }, 404));

export default app;
