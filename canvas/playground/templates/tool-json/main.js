import { edited, el, eol, say, start } from "./tool.js";
import { parse } from "./json.js";

const tree = document.getElementById("tree");
const source = document.getElementById("source");
const trouble = document.getElementById("trouble");
const toggle = document.getElementById("switch");
const step = 200; // entries that are shown at once

let text = "";
let root = null; // of text; null if that is no JSON
let readOnly = true;
let asText = false;
const open = new Set([""]); // paths of what is unfolded

function explain(words) {
  trouble.textContent = words;
  trouble.hidden = !words;
}

const find = (path) => path.reduce((node, i) => node.entries[i].node, root);

/** The element of a value. It knows its path, not its place, which changes with what stands before it. */
function show(label, node, path) {
  const name = el("span", { className: "key" }, label);
  if (node.kind === "value") return leaf(name, label, node, path);
  const id = path.join("/");
  const n = node.entries.length;
  const box = el("details", {}, el("summary", {}, name, el("span", { className: "size" }, node.kind === "array" ? `[${n}]` : `{${n}}`)));
  const fill = () => {
    if (box.open && box.children.length === 1) more(box, path, 0);
    box.open ? open.add(id) : open.delete(id);
  };
  box.open = open.has(id);
  fill();
  box.ontoggle = fill;
  return box;
}

function more(box, path, from) {
  const { entries } = find(path);
  box.append(...entries.slice(from, from + step).map(({ key, node }, i) => show(String(key), node, [...path, from + i])));
  if (entries.length > from + step) {
    const button = el("button", { onclick: () => { button.remove(); more(box, path, from + step); } }, `${entries.length - from - step} more`);
    box.append(button);
  }
}

function leaf(name, label, node, path) {
  const raw = text.slice(node.from, node.to);
  const input = el("input", { value: raw, readOnly, spellcheck: false, ariaLabel: label || "value", className: kind(raw), size: Math.min(60, Math.max(4, raw.length + 1)) });
  input.onchange = () => {
    const { from, to } = find(path);
    let fresh;
    try {
      fresh = parse(input.value);
    } catch {
      input.setAttribute("aria-invalid", "true");
      return explain(`${input.value} is no JSON: a text stands in double quotes.`);
    }
    input.removeAttribute("aria-invalid");
    text = text.slice(0, from) + input.value.trim() + text.slice(to);
    root = parse(text);
    explain("");
    input.className = kind(input.value.trim());
    if (fresh.kind !== "value") row.replaceWith(show(label, find(path), path));
    edited();
  };
  const row = el("label", { className: "leaf" }, name, input);
  return row;
}

const kind = (raw) => (raw[0] === '"' ? "string" : /[tfn]/.test(raw[0]) ? "word" : "number");

function draw() {
  tree.hidden = asText;
  source.hidden = !asText;
  toggle.setAttribute("aria-pressed", asText);
  if (asText) source.value = text;
  else tree.replaceChildren(show("", root, []));
}

source.oninput = () => {
  try {
    const next = source.value.replaceAll("\n", eol(text));
    root = parse(next);
    text = next;
    explain("");
    edited();
  } catch (e) {
    explain(e.message);
    say("Not saved");
  }
};

toggle.onclick = () => {
  if (!root || asText && trouble.textContent) return source.focus();
  asText = !asText;
  draw();
};

start({
  name: "JSON", match: /\.(json|geojson|webmanifest|ipynb)$/i, limit: 2_000_000,
  text: () => text,
  show(next, ro, cut) {
    text = next;
    readOnly = ro;
    source.readOnly = ro;
    toggle.hidden = false;
    root = null;
    explain("");
    try {
      root = parse(text);
    } catch (e) {
      explain(cut ? "The file is too long to be shown as a tree." : e.message);
      asText = true;
    }
    draw();
  },
  clear(words) {
    toggle.hidden = source.hidden = true;
    tree.hidden = false;
    tree.replaceChildren(el("p", { className: "empty" }, words));
    explain("");
  },
});
