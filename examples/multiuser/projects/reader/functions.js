// What it may do is what the grant says, whatever is asked of it here.
export default {
  async fetch(request, env) {
    const { pathname, searchParams } = new URL(request.url);
    try {
      if (pathname === "/api/files") return Response.json(await env.TOOL.files.list());
      if (pathname === "/api/changes") { // waits until somebody changes a file that it sees
        const { after } = await env.TOOL.files.changes();
        return Response.json(await env.TOOL.files.changes({ after, waitMs: 60000 }));
      }
      const { content } = await env.TOOL.files.read({ path: searchParams.get("path") });
      return new Response(content);
    } catch (error) {
      if (!error.code) throw error;
      return Response.json({ code: error.code, message: error.message }, { status: error.code === "denied" ? 403 : 400 });
    }
  },
};
