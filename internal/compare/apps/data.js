const value = "x".repeat(100);

export default {
  async fetch(request, env) {
    switch (new URL(request.url).pathname) {
      case "/api/setup":
        await env.KV.put("k", value);
        await env.DB.prepare("CREATE TABLE IF NOT EXISTS t (id INTEGER PRIMARY KEY, name TEXT, n REAL)").run();
        await env.DB.batch(Array.from({ length: 1000 }, (_, i) =>
          env.DB.prepare("INSERT OR REPLACE INTO t VALUES (?, ?, ?)").bind(i, "name " + i, i / 2)));
        return new Response("ready");
      case "/api/kv":
        return new Response(await env.KV.get("k"));
      case "/api/put":
        await env.KV.put("k", value);
        return new Response("ok");
      case "/api/db":
        return Response.json(await env.DB.prepare("SELECT * FROM t WHERE id = ?").bind(500).first());
      case "/api/batch": {
        const [, , rows] = await env.DB.batch([
          env.DB.prepare("INSERT INTO t (name, n) VALUES (?, ?)").bind("new", 1.5),
          env.DB.prepare("UPDATE t SET n = n + 1 WHERE id = ?").bind(500),
          env.DB.prepare("SELECT * FROM t WHERE id = ?").bind(500),
        ]);
        return Response.json(rows.results);
      }
    }
    return new Response("?", { status: 404 });
  },
};
