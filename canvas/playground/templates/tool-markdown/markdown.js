// Markdown as people write it in notes: headings, lists, tasks, quotes, code, tables, links. Elements are made one by one and
// text stays text, so nothing in a file is markup to the browser.
import { el } from "./tool.js";

const item = /^(\s*)([-*+]|\d{1,9}[.)])\s+/;

export function render(text) {
  return blocks(text.split(/\r?\n/), 0);
}

function blocks(lines, depth) {
  const out = [];
  let i = 0;
  /** Takes lines for as long as test says. */
  const take = (test) => {
    const from = i;
    while (i < lines.length && test(lines[i], i - from)) i++;
    return lines.slice(from, i);
  };
  while (i < lines.length) {
    const line = lines[i];
    let m;
    if (!line.trim()) i++;
    else if ((m = /^\s{0,3}(```+|~~~+)/.exec(line))) {
      i++;
      const code = take((l) => !l.trim().startsWith(m[1]));
      i++;
      out.push(el("pre", { tabIndex: 0 }, el("code", {}, code.join("\n"))));
    } else if ((m = /^(#{1,6})\s+(.*?)\s*#*$/.exec(line))) {
      i++;
      out.push(el("h" + m[1].length, {}, ...inline(m[2])));
    } else if (/^\s{0,3}([-*_])(\s*\1){2,}\s*$/.test(line)) {
      i++;
      out.push(el("hr"));
    } else if (line.startsWith(">")) {
      const inner = take((l) => l.startsWith(">")).map((l) => l.replace(/^> ?/, ""));
      out.push(el("blockquote", {}, ...(depth < 20 ? blocks(inner, depth + 1) : [inner.join("\n")])));
    } else if ((m = item.exec(line))) {
      out.push(list(take((l, n) => n === 0 || item.test(l) || /^\s+\S/.test(l)), depth));
    } else if (line.includes("|") && /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/.test(lines[i + 1] ?? "")) {
      const rows = take((l) => l.includes("|")).map(cells);
      const [head, , ...body] = rows;
      out.push(el("div", { className: "scroll", tabIndex: 0 }, el("table", {},
        el("thead", {}, row(head, "th")),
        el("tbody", {}, ...body.map((r) => row(r, "td"))))));
    } else {
      const para = take((l, n) => n === 0 || l.trim() && !/^(#{1,6}\s|>|\s{0,3}(```|~~~))/.test(l) && !item.test(l));
      out.push(el("p", {}, ...inline(para.join("\n"))));
    }
  }
  return out;
}

const cells = (line) => line.trim().replace(/^\||\|$/g, "").split("|").map((c) => c.trim());
const row = (texts, tag) => el("tr", {}, ...texts.map((t) => el(tag, {}, ...inline(t))));

/** Lines that are indented more than an item belong to it. */
function list(lines, depth) {
  const [, indent, mark] = item.exec(lines[0]);
  const items = [];
  for (const line of lines) {
    const m = item.exec(line);
    if (m && m[1].length <= indent.length) items.push([line.slice(m[0].length)]);
    else items.at(-1).push(line.slice(Math.min(indent.length + 2, line.length - line.trimStart().length)));
  }
  return el(/\d/.test(mark) ? "ol" : "ul", {}, ...items.map(([first, ...rest]) => {
    const task = /^\[([ xX])\]\s+(.*)/.exec(first);
    const text = inline(task ? task[2] : first);
    const inner = rest.length && depth < 20 ? blocks(rest, depth + 1) : rest;
    if (!task) return el("li", {}, ...text, ...inner);
    return el("li", { className: "task" }, el("label", {}, el("input", { type: "checkbox", checked: task[1] !== " " }), el("span", {}, ...text)), ...inner);
  }));
}

const span = /(`+)(.+?)\1|!\[([^\]]*)\]\([^)\s]*\)|\[([^\]]+)\]\(([^)\s]+)\)|(https?:\/\/[^\s<>)]+)|(\*\*|__)(?=\S)(.+?)\7|(?<![\w*])([*_])(?=\S)([^*_]+?)\9(?!\w)|~~(.+?)~~/;

function inline(text, depth = 0) {
  const out = [];
  for (let m; depth < 8 && (m = span.exec(text));) {
    out.push(text.slice(0, m.index));
    const inner = (s) => inline(s, depth + 1);
    if (m[1]) out.push(el("code", {}, m[2]));
    else if (m[3] !== undefined) out.push(el("em", {}, m[3] || "picture")); // a tool's page has no pictures of the project
    else if (m[4]) out.push(link(m[5], inner(m[4])));
    else if (m[6]) out.push(link(m[6], [m[6]]));
    else if (m[7]) out.push(el("strong", {}, ...inner(m[8])));
    else if (m[9]) out.push(el("em", {}, ...inner(m[10])));
    else out.push(el("s", {}, ...inner(m[11])));
    text = text.slice(m.index + m[0].length);
  }
  return [...out, text].filter((s) => s !== "");
}

/** The frame goes nowhere, so a link shows where it leads. */
const link = (url, children) => el("span", { className: "link", title: url }, ...children);
