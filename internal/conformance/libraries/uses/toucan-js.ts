// toucan-js
// Sentry's client for Workers: events, breadcrumbs, scopes, requests and exceptions with frames, sent to a scripted transport.
import { Toucan } from "toucan-js";

export default {
  async fetch(request: Request, env: object, context: any) {
    const sent: any[] = [];
    const sentry = new Toucan({ dsn: "https://key@o1.ingest.example/42", context, request: new Request("https://app.example/page?token=1&ok=2", { method: "POST", headers: { "user-agent": "me", cookie: "a=b", "x-secret": "s" } }), release: "1.0", environment: "test", requestDataOptions: { allowedHeaders: ["user-agent"], allowedSearchParams: ["ok"], allowedCookies: [] }, beforeSend: (e) => { e.extra = { ...e.extra, seen: true }; return e; }, transportOptions: { fetcher: async (_: unknown, init: any) => { sent.push(new Response(init.body).text()); return new Response(null, { status: 200 }); } } });
    sentry.setUser({ id: "7" }); sentry.setTag("t", "v"); sentry.addBreadcrumb({ message: "crumb", timestamp: 1, data: { k: [1] } });
    const id = sentry.captureException(new TypeError("bröken", { cause: new RangeError("why") }));
    sentry.withScope((s) => { s.setLevel("warning"); s.setExtra("x", { deep: { er: { est: 1 } } }); sentry.captureMessage("hello"); });
    await new Promise((done) => setTimeout(done, 30));
    const events = (await Promise.all(sent)).map((t) => t.split("\n").map((l: string) => JSON.parse(l))).map(([header, item, e]) => ({ dsn: Object.keys(header).sort(), type: item.type, level: e.level, message: e.message, user: e.user, tags: e.tags, extra: e.extra, request: e.request, crumbs: e.breadcrumbs, release: e.release, environment: e.environment, values: e.exception?.values.map((v: any) => [v.type, v.value, v.mechanism?.handled, v.stacktrace?.frames.length > 0]) }));
    return Response.json({ id: /^[0-9a-f]{32}$/.test(id), events });
  },
};
