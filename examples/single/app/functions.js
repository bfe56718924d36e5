export default {
  async fetch(request, env) {
    const user = await env.PROGRAM.user({});
    await env.DB.exec("CREATE TABLE IF NOT EXISTS notes (user TEXT NOT NULL, text TEXT NOT NULL)");
    if (request.method === "POST") {
      const text = (await request.formData()).get("text");
      if (!text) return Response.json({ error: "a note has text" }, { status: 400 });
      await env.DB.prepare("INSERT INTO notes VALUES (?, ?)").bind(user, text).run();
    }
    const { results } = await env.DB.prepare("SELECT text FROM notes WHERE user = ? ORDER BY rowid").bind(user).all();
    return Response.json({ user, notes: results.map((row) => row.text) });
  },
};
