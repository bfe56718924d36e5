// mustache
// Sections, inverted ones, partials, lambdas, comments, changed delimiters, escaping and dotted names.
import Mustache from "mustache";

const template = `<h1>{{title}}</h1>{{! no }}
{{#items}}
  - {{name}} ({{{raw}}}, {{&raw}}, {{raw}}){{#last}}.{{/last}}{{^last}},{{/last}}
{{/items}}
{{^none}}nothing{{/none}} {{a.b.c}} {{#wrap}}bold {{title}}{{/wrap}} {{>footer}}
{{=<% %>=}}<% title %><%={{ }}=%> {{#nums}}{{.}};{{/nums}}`;
export default {
  fetch() {
    const view = { title: "A & <B>", items: [{ name: "x", raw: "<i>'\"/`=" }, { name: "y", raw: 1, last: true }], none: [], a: { b: { c: 0 } }, wrap: () => (text: string, render: (s: string) => string) => `<b>${render(text)}</b>`, nums: [1, 2] };
    return new Response([Mustache.render(template, view, { footer: "<f>{{title}}</f>\n{{#items}}{{name}}{{/items}}" }), JSON.stringify(Mustache.parse("{{#a}}x{{/a}}")), Mustache.render("{{x}}", { x: "<" }, {}, { escape: (s) => `[${s}]` }), (() => { try { Mustache.render("{{#a}}", {}); } catch (e) { return (e as Error).message; } })()].join("\n---\n"));
  },
};
