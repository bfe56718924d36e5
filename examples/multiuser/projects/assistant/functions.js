// An agent's round: edit the work project, load its pages again, see what they print.
// One that asks a model what to do has the same calls to make.
export default {
  async fetch(request, env) {
    const title = (await request.formData()).get("title");
    const { content, hash } = await env.HOST.files.read({ path: "index.html" });
    await env.HOST.files.write({
      path: "index.html",
      content: content.replace(/<h1>.*?<\/h1>/, () => `<h1>${title.replace(/[<>&]/g, "")}</h1>`),
      expectedHash: hash, // somebody else's change is not lost
    });
    const { next } = await env.HOST.console.read({ limit: 1000 });
    await env.HOST.canvas.reload({});
    const { entry } = await env.HOST.console.wait({ since: next, level: "error", timeoutMs: 500 });
    return Response.json({ title, error: entry?.text, first: await env.HOST.crm.lookup({ id: "1" }) });
  },
};
