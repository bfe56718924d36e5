// Keeps the best score in KV.
export default {
  async fetch(request, env) {
    if (new URL(request.url).pathname !== "/api/best") return Response.json({ error: "There is nothing here." }, { status: 404 });
    let best = Number(await env.KV.get("best")) || 0;
    if (request.method === "PUT") {
      const { score } = await request.json();
      if (!Number.isInteger(score) || score < 0 || score > 100_000) return Response.json({ error: "That is no score." }, { status: 400 });
      if (score > best) {
        best = score;
        await env.KV.put("best", String(best));
        console.log("new best:", best);
      }
    }
    return Response.json({ best });
  },
};
