// itty-router
// AutoRouter with parameters, middleware, cors, thrown status errors and content helpers.
// GET /
// GET /items/42/parts/wheel?sort=asc&tag=a&tag=b
// GET /files/a/b/c.txt
// POST /items {"name":"bolt"}
// GET /secret
// GET /html
// GET /nothing
// OPTIONS /items/1
// GET /headers
import { AutoRouter, cors, error, html, json, status, withContent, withParams, type IRequest } from "itty-router";

const { preflight, corsify } = cors({ origin: "https://a.example", allowMethods: "GET, POST", maxAge: 10 });
const guard = (request: IRequest) => {
  if (!request.headers.get("authorization")) return error(401, "who are you?");
};
const router = AutoRouter({ before: [preflight, withParams], finally: [corsify] });

router
  .get("/", () => ({ hello: "itty" }))
  .get("/items/:id/parts/:part?", ({ id, part, query }: IRequest) => ({ id, part, query }))
  .get("/files/:path+", ({ path }: IRequest) => json({ path }))
  .post("/items", withContent, ({ content }: IRequest) => json({ made: content }, { status: 201 }))
  .get("/secret", guard, () => "never")
  .get("/html", () => html("<h1>itty</h1>"))
  .get("/headers", async () => {
    const preflighted = await router.fetch(new Request("https://x.example/items/1", { method: "OPTIONS", headers: { origin: "https://a.example", "access-control-request-headers": "x-a" } }));
    return [preflighted.status, [...preflighted.headers], [...(await router.fetch(new Request("https://x.example/"))).headers]];
  })
  .delete("/items/:id", () => status(204));

export default { fetch: router.fetch };
