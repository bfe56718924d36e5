import { edited, el, eol, start } from "./tool.js";
import { render } from "./markdown.js";

const source = document.getElementById("source");
const page = document.getElementById("page");
let frame = 0;
let ending = "\n";

function draw() {
  frame = 0;
  page.replaceChildren(...render(source.value));
}

source.oninput = () => {
  edited();
  frame ||= requestAnimationFrame(draw);
};

/** Ticking a box ticks it in the text: the n-th of the page is the n-th of the source. */
page.onchange = (e) => {
  if (source.readOnly) return draw();
  let n = [...page.querySelectorAll("input")].indexOf(e.target);
  const box = /^\s*(```+|~~~+)[\s\S]*?^\s*\1.*$|^((?:>\s?)*\s*(?:[-*+]|\d+[.)])\s+\[)[ xX](?=\]\s)/gm; // or code, in which there are none
  source.value = source.value.replace(box, (all, fence, before) => (before && n-- === 0 ? before + (e.target.checked ? "x" : " ") : all));
  edited();
  draw();
};

start({
  name: "Markdown", match: /\.(md|markdown)$/i, limit: 1_000_000,
  text: () => source.value.replaceAll("\n", ending),
  show(text, readOnly) {
    const at = source.selectionStart;
    ending = eol(text);
    source.value = text;
    if (document.activeElement === source) source.setSelectionRange(at, at);
    source.readOnly = readOnly;
    source.hidden = readOnly;
    draw();
  },
  clear(words) {
    source.hidden = true;
    page.replaceChildren(el("p", { className: "empty" }, words));
  },
});
