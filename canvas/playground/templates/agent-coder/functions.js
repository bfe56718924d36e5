// The agent's own back end: all that it does on the workbench it does here, with env.HOST. The model is called by the page.
import agent from "./agent.js";

const limit = 20_000; // characters of a result that the model gets

const routes = {
  /** What the page needs to begin, and whom it works for. */
  async agent(HOST) {
    const { work, agent: self } = await HOST.projects.list({});
    return { ...agent, self, work, tools: agent.tools.map(({ run, ...tool }) => tool), check: !!agent.check };
  },

  /** Before a turn: what "Undo this turn" brings back. */
  async begin(HOST, { label }) {
    const { work } = await HOST.projects.list({});
    if (!work) throw { message: "No project is open on the workbench. Open one, then ask again." };
    const { id } = await HOST.checkpoints.create({ project: work, label: label.slice(0, 80) });
    return { project: work, checkpoint: id };
  },

  async tool(HOST, { name, args, project, seen }, env) {
    const tool = agent.tools.find((t) => t.name === name);
    if (!tool) throw { message: `There is no tool ${name}. There are: ${agent.tools.map((t) => t.name).join(", ")}.` };
    if (typeof args !== "object" || !args || Array.isArray(args)) throw { message: "The arguments are no object." };
    for (const key of tool.parameters.required ?? []) if (args[key] === undefined) throw { message: `The argument ${key} is missing.` };
    return tool.run({ HOST, env, project, seen }, args);
  },

  check: (HOST, { project }) => agent.check({ HOST, project }),
  diff: (HOST, { project, checkpoint }) => HOST.checkpoints.diff({ project, before: checkpoint }),
  restore: (HOST, { project, id }) => HOST.checkpoints.restore({ project, id }),
  ask: (HOST, { question, choices }) => HOST.ui.ask({ question, choices, timeoutMs: 300_000 }),
  connect: (HOST, { origin }) => HOST.ui.connect({ origin, timeoutMs: 300_000 }),
};

export default {
  async fetch(request, env) {
    const name = new URL(request.url).pathname.replace("/api/", "");
    if (!Object.hasOwn(routes, name)) return Response.json({ error: { message: "There is nothing here." } }, { status: 404 });
    if (!env.HOST) return Response.json({ error: { code: "denied", message: "This project is not the current agent of the workbench. Make it the agent, then it can work." } });
    try {
      const out = await routes[name](env.HOST, request.method === "POST" ? await request.json() : {}, env);
      if (out.text?.length > limit) out.text = out.text.slice(0, limit) + `\n… ${out.text.length - limit} characters more`;
      return Response.json(out);
    } catch (e) {
      // What goes wrong on the way is an answer, too: the model reads it and tries something else.
      const { code, message, hint, details } = e;
      return Response.json({ error: { code, message: message ?? String(e), hint, details } });
    }
  },
};
