/** @jsxRuntime automatic @jsxImportSource hono/jsx */
// hono
// Routes with parameters, middleware, cookies, signed tokens, errors, streams and JSX.
// GET /
// GET /users/7?q=a%20b&tag=x&tag=y
// GET /users/none
// POST /echo {"name":"Ada","n":[1,2]}
// GET /boom
// GET /teapot
// GET /page
// GET /stream
// GET /events
// GET /private
// GET /login
// OPTIONS /v1/things
// GET /v1/things
// GET /nowhere
// GET /headers
import { Hono } from "hono";
import { cors } from "hono/cors";
import { deleteCookie, getCookie, setCookie, setSignedCookie } from "hono/cookie";
import { etag } from "hono/etag";
import { HTTPException } from "hono/http-exception";
import { sign, verify } from "hono/jwt";
import { secureHeaders } from "hono/secure-headers";
import { stream, streamSSE, streamText } from "hono/streaming";
import { bearerAuth } from "hono/bearer-auth";
import { validator } from "hono/validator";
import { html, raw } from "hono/html";

type Vars = { Variables: { trail: string[] } };
const app = new Hono<Vars>();

app.use("*", async (c, next) => {
  c.set("trail", ["in"]);
  await next();
  c.header("X-Trail", [...c.get("trail"), "out"].join(">"));
});
app.use("/v1/*", cors({ origin: ["https://a.example"], allowMethods: ["GET", "POST"], maxAge: 60, credentials: true }));
app.use("/v1/*", secureHeaders());
app.use("/v1/*", etag());
app.use("/private", bearerAuth({ token: "s3cret" }));

app.get("/", (c) => c.text("Hello Hono!"));
app.get("/users/:id{[0-9]+}", (c) =>
  c.json({ id: c.req.param("id"), q: c.req.query("q"), tags: c.req.queries("tag"), path: c.req.path }),
);
app.post(
  "/echo",
  validator("json", (value, c) => (typeof value.name === "string" ? value : c.text("no name", 422))),
  (c) => c.json({ valid: c.req.valid("json"), type: c.req.header("Content-Type") }, 201),
);
app.get("/boom", () => {
  throw new TypeError("broken");
});
app.get("/teapot", () => {
  throw new HTTPException(418, { message: "short and stout" });
});

const Layout = (props: { title: string; children?: unknown }) => (
  <html lang="en">
    <head>
      <title>{props.title}</title>
    </head>
    <body>{props.children}</body>
  </html>
);
const Later = async ({ n }: { n: number }) => {
  await Promise.resolve();
  return <b>{n * 2}</b>;
};
app.get("/page", (c) =>
  c.html(
    <Layout title="<Fish & Chips>">
      <ul class="list" style={{ color: "red", fontSize: "12px" }}>
        {["a", "b<c"].map((x) => (
          <li key={x}>{x}</li>
        ))}
      </ul>
      <Later n={21} />
      <input type="checkbox" checked disabled={false} />
      {html`<p>${"<escaped>"} ${raw("<i>raw</i>")}</p>`}
    </Layout>,
  ),
);
app.get("/stream", (c) =>
  streamText(c, async (s) => {
    for (const word of ["one", "two", "drei ü"]) {
      await s.writeln(word);
      await s.sleep(1);
    }
  }),
);
app.get("/bytes", (c) => stream(c, async (s) => void (await s.write(new Uint8Array([1, 2, 3])))));
app.get("/events", (c) =>
  streamSSE(c, async (s) => {
    for (let id = 0; id < 3; id++) await s.writeSSE({ id: String(id), event: "tick", data: JSON.stringify({ id }) + "\nmore" });
  }),
);
app.get("/private", (c) => c.text("you are in"));
app.get("/login", async (c) => {
  const token = await sign({ sub: "ada", exp: 4102444800 }, "key", "HS256");
  const claims = await verify(token, "key", "HS256");
  setCookie(c, "token", token, { httpOnly: true, sameSite: "Lax", path: "/", maxAge: 600 });
  await setSignedCookie(c, "signed", "value", "key");
  deleteCookie(c, "old");
  return c.json({ token, claims, had: getCookie(c, "token") ?? null });
});
app.get("/headers", async (c) => {
  const seen = [];
  for (const [path, init] of [["/login", {}], ["/v1/things", { method: "OPTIONS", headers: { origin: "https://a.example" } }], ["/v1/things", {}], ["/private", { headers: { authorization: "Bearer s3cret" } }], ["/private", {}]] as const) {
    const r = await app.request(path, init);
    seen.push([r.status, [...r.headers], r.headers.getSetCookie()]);
  }
  return c.json(seen);
});
app.route(
  "/v1",
  new Hono().get("/things", (c) => c.json([{ id: 1 }, { id: 2 }])),
);

app.notFound((c) => c.json({ missing: c.req.path }, 404));
app.onError((err, c) => {
  if (err instanceof HTTPException) return err.getResponse();
  return c.json({ error: err.name, message: err.message }, 500);
});

export default app;
