// eta
// Templates compiled ahead of time with precompiled functions: loops, partials, layouts, escaping and own configuration.
import { Eta } from "eta/core";
import { templates } from "./parts/eta";

export default {
  async fetch() {
    const eta = new Eta({ autoTrim: false });
    for (const [name, fn] of Object.entries(templates)) eta.loadTemplate("@" + name, fn as any, { async: false });
    const attempt = (f: () => unknown) => { try { return f(); } catch (e) { return [(e as Error).name, (e as Error).message.split("\n")[0]]; } };
    return Response.json({ page: eta.render("@page", { title: "<A & B>", items: ["x", "'y'"], user: null }), partial: eta.render("@item", { text: "z" }), missing: attempt(() => eta.render("@gone", {})), compiled: attempt(() => eta.renderString("<%= it.x %>", { x: 1 })) });
  },
};
