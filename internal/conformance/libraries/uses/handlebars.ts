// handlebars
// A template compiled ahead of time, run by the runtime with helpers, partials, blocks, data variables and escaping.
import Handlebars from "handlebars/runtime";
import { page, row } from "./parts/handlebars";

const hb = Handlebars.create();
hb.registerHelper("loud", (s: string, options: any) => new hb.SafeString(`<b>${hb.escapeExpression(s).toUpperCase()}${options.hash.end ?? ""}</b>`));
hb.registerHelper("repeat", function (this: any, n: number, options: any) {
  let out = "";
  for (let i = 0; i < n; i++) out += options.fn(this, { data: { ...options.data, i }, blockParams: [i] });
  return n ? out : options.inverse(this);
});
hb.registerPartial("row", hb.template(row));

export default {
  fetch() {
    const template = hb.template(page);
    const data = { title: "<Fish & Chips>", items: [{ name: "a'b", tags: ["x", "y"] }, { name: "`c=`", tags: [] }], map: { k: 1, l: 2 }, nothing: [], html: "<i>raw</i>", n: 2, nested: { deep: { value: 0 } } };
    const safe = (f: () => string) => { try { return f(); } catch (e) { return (e as Error).message; } };
    return new Response([template(data), template({ title: "empty", n: 0 }), safe(() => hb.template(row)({ name: "alone" })), safe(() => (hb as any).compile?.("{{x}}") ?? "no compiler")].join("\n=====\n"), { headers: { "content-type": "text/html; charset=utf-8" } });
  },
};
