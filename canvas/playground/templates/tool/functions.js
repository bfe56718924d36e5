// What the tool's page asks of env.TOOL: the files that its grant covers, and news of them.
const routes = {
  grant: (TOOL) => TOOL.grant,
  list: (TOOL) => TOOL.files.list({}),
  read: (TOOL, { path, limit }) => TOOL.files.read({ path, limit }),
  write: (TOOL, { path, content, expectedHash }) => TOOL.files.write({ path, content, expectedHash }),
  changes: (TOOL, { after }) => TOOL.files.changes({ after }),
};

export default {
  async fetch(request, { TOOL }) {
    const name = new URL(request.url).pathname.replace("/api/", "");
    if (!Object.hasOwn(routes, name)) return Response.json({ error: { message: "There is nothing here." } }, { status: 404 });
    if (!TOOL) return Response.json({ error: { code: "unopened", message: "This is a tool. Open it on a project from the workbench, with a grant that says which files it may have." } });
    try {
      return Response.json(await routes[name](TOOL, await request.json()));
    } catch ({ code, message, hint }) {
      return Response.json({ error: { code, message, hint } });
    }
  },
};
