// The back end: routes by Hono, votes in KV. Hono is a file of this project; sam.json says where.
import { Hono, HTTPException, validator } from "hono";

const choices = { ridge: "The ridge", lake: "Around the lake", forest: "The forest path" };

const app = new Hono().basePath("/api");

app.get("/poll", async ({ env, json }) => json(await standing(env.KV)));

app.post(
  "/votes",
  validator("json", ({ choice, name }) => {
    if (!Object.hasOwn(choices, choice)) throw new HTTPException(400, { message: "That is not on the list." });
    const voter = String(name ?? "").trim().slice(0, 40);
    if (!voter) throw new HTTPException(400, { message: "Who are you? One name, one vote." });
    return { choice, voter };
  }),
  async (c) => {
    const { choice, voter } = c.req.valid("json");
    await c.env.KV.put(`vote:${voter.toLowerCase()}`, choice, { metadata: { voter, choice } }); // a second vote replaces the first
    return c.json(await standing(c.env.KV), 201);
  },
);

app.delete("/votes/:name", async (c) => {
  await c.env.KV.delete(`vote:${c.req.param("name").toLowerCase()}`);
  return c.json(await standing(c.env.KV));
});

app.notFound((c) => c.json({ error: "There is nothing here." }, 404));
app.onError((e, c) => {
  if (e instanceof HTTPException) return c.json({ error: e.message }, e.status);
  console.error(e);
  return c.json({ error: "Something went wrong." }, 500);
});

/** Who has voted for what. The names are in the metadata, so the list is all that is read. */
async function standing(kv) {
  const { keys } = await kv.list({ prefix: "vote:" });
  return Object.entries(choices).map(([id, title]) => ({ id, title, voters: keys.filter((k) => k.metadata.choice === id).map((k) => k.metadata.voter) }));
}

export default app;
