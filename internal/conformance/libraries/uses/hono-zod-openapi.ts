// @hono/zod-openapi
// Routes described by zod schemas: validated parameters and bodies, a hook for failures, and the OpenAPI document.
// GET /users/12?page=3
// GET /users/abc
// POST /users {"name":"Ada","age":36}
// POST /users {"name":"","age":"x"}
// GET /doc
import { createRoute, OpenAPIHono, z } from "@hono/zod-openapi";

const User = z.object({ id: z.string().openapi({ example: "123" }), name: z.string().min(1), age: z.number().int() }).openapi("User");
const app = new OpenAPIHono({ defaultHook: (result, c) => { if (!result.success) return c.json({ where: result.target, issues: result.error.issues }, 422); } });

app.openapi(
  createRoute({ method: "get", path: "/users/{id}", tags: ["users"], request: { params: z.object({ id: z.string().regex(/^\d+$/).openapi({ param: { name: "id", in: "path" } }) }), query: z.object({ page: z.coerce.number().optional() }) },
    responses: { 200: { content: { "application/json": { schema: User } }, description: "One user" } } }),
  (c) => c.json({ id: c.req.valid("param").id, name: "page " + c.req.valid("query").page, age: 1 }, 200),
);
app.openapi(
  createRoute({ method: "post", path: "/users", request: { body: { content: { "application/json": { schema: User.omit({ id: true }) } }, required: true } }, responses: { 201: { content: { "application/json": { schema: User } }, description: "Made" } } }),
  (c) => c.json({ id: "9", ...c.req.valid("json") }, 201),
);
app.openAPIRegistry.registerComponent("securitySchemes", "Bearer", { type: "http", scheme: "bearer" });
app.doc31("/doc", { openapi: "3.1.0", info: { version: "1.0.0", title: "Users" } });

export default app;
