// liquidjs
// Templates with filters, loops, conditions, includes from memory, layouts, own tags and filters, and errors with lines.
import { Liquid } from "liquidjs";

const engine = new Liquid({ templates: { item: "[{{ name | upcase }}:{{ n }}]", base: "<{% block body %}none{% endblock %}>" }, timezoneOffset: 0, strictFilters: true });
engine.registerFilter("twice", (s: string, by = " ") => s + by + s);
engine.registerTag("shout", { parse(token) { this.text = token.args; }, *render(ctx): any { return String(yield this.liquid.evalValue(this.text, ctx)).toUpperCase() + "!"; } } as any);
const template = `{% layout "base" %}{% block body %}{% assign x = "a,b,ü" | split: "," %}{% for p in people limit: 2 reversed %}{{ forloop.index }}/{{ forloop.length }} {% render "item", name: p.name, n: p.age %}{% if p.age > 40 and p.tags contains "y" %} old{% elsif p.age == 36 %} exact{% else %} young{% endif %}
{% endfor %}{{ x | join: "-" | twice: "+" }} {{ 7 | times: 1.5 | round | plus: 1 }} {{ "<b>" | escape }} {{ date | date: "%a %-d %b %Y %H:%M" }} {{ people | map: "name" | sort_natural | first }} {%- case 3 -%}{% when 1, 3 %} case{% endcase %} {% shout people[0].name %} {% raw %}{{ raw }}{% endraw %} {% capture c %}cap{% endcapture %}{{ c | size }} {% tablerow i in (1..3) cols:2 %}{{ i }}{% endtablerow %} {{ missing.deep | default: "none" }} {% increment k %}{% increment k %} {{ people | where: "age", 36 | json }}{% endblock %}`;
export default {
  async fetch() {
    const data = { people: [{ name: "Ada", age: 36, tags: ["x"] }, { name: "bob", age: 41, tags: ["y"] }, { name: "Cy", age: 2 }], date: new Date(0) };
    const attempt = async (s: string) => engine.parseAndRender(s).catch((e) => [e.name, e.message]);
    return Response.json({ html: await engine.parseAndRender(template, data), sync: engine.parseAndRenderSync("{{ a.size }}{{ a | last }}", { a: [1, 2] }), bad: [await attempt("{% if %}"), await attempt("line\n{{ x | nofilter }}"), await attempt("{% include 'gone' %}")] });
  },
};
