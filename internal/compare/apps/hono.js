import { Hono } from "hono";

const app = new Hono().basePath("/api");

app.use(async (c, next) => {
  await next();
  c.header("X-App", "compare");
});
app.get("/", (c) => c.text("home"));
app.get("/users", (c) => c.json([]));
app.get("/users/:id", (c) => c.json({ id: c.req.param("id"), name: "Ada" }));
app.get("/users/:id/posts/:post", (c) => c.json(c.req.param()));
app.post("/users", async (c) => c.json(await c.req.json(), 201));

export default app;
