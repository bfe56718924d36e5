import { edited, el, start } from "./tool.js";
import { parse, write } from "./csv.js";

const main = document.getElementById("main");
const grid = document.getElementById("grid");
const empty = main.querySelector(".empty");
const [head] = grid.tHead ? [grid.tHead] : [];
const body = grid.tBodies[0];
const height = 28; // of a row: only those in sight are elements
const maxColumns = 100;

let table = { rows: [], by: "," };
let readOnly = true;
let width = 0;
let at = { row: 0, column: 0 }; // the cell that has the one tab stop
let input = null; // in the cell that is being changed

const ids = (row, column) => `c${row}-${column}`;

function cell(row, column, tag) {
  const e = el(tag, { id: ids(row, column), tabIndex: row === at.row && column === at.column ? 0 : -1 }, table.rows[row].cells[column] ?? "");
  e.setAttribute("role", tag === "th" ? "columnheader" : "gridcell");
  e.dataset.row = row;
  e.dataset.column = column;
  return e;
}

function line(row, tag) {
  const e = el("tr", {}, ...Array.from({ length: width }, (_, column) => cell(row, column, tag)));
  e.setAttribute("aria-rowindex", row + 1);
  return e;
}

const gap = (n) => el("tr", { ariaHidden: "true" }, el("td", { className: "gap", colSpan: width || 1, style: `height:${n * height}px` }));

/** Puts the rows in sight into the grid. Who has the keyboard keeps it, though the elements are new. */
function draw() {
  if (input) return;
  const focused = grid.contains(document.activeElement);
  const n = table.rows.length;
  const from = Math.max(1, Math.floor(main.scrollTop / height) - 10);
  const to = Math.min(n, from + Math.ceil(main.clientHeight / height) + 30);
  head.replaceChildren(...(n ? [line(0, "th")] : []));
  body.replaceChildren(gap(from - 1), ...Array.from({ length: Math.max(0, to - from) }, (_, i) => line(from + i, "td")), gap(n - to));
  grid.setAttribute("aria-rowcount", n);
  document.getElementById("size").textContent = n ? `${n - 1} rows, ${Math.max(...table.rows.slice(0, 1000).map((r) => r.cells.length))} columns` : "";
  if (focused) (document.getElementById(ids(at.row, at.column)) ?? grid).focus({ preventScroll: true });
}

function focus(row, column) {
  at = { row: Math.min(Math.max(row, 0), table.rows.length - 1), column: Math.min(Math.max(column, 0), width - 1) };
  const top = (at.row - 1) * height;
  if (at.row > 0 && top < main.scrollTop) main.scrollTop = top;
  if (at.row > 0 && top + 3 * height > main.scrollTop + main.clientHeight) main.scrollTop = top + 3 * height - main.clientHeight;
  draw();
  const e = document.getElementById(ids(at.row, at.column));
  e?.scrollIntoView({ block: "nearest", inline: "nearest" });
  e?.focus({ preventScroll: true });
}

function change(text) {
  const target = document.getElementById(ids(at.row, at.column));
  if (readOnly || input || !target) return;
  input = el("input", { value: text ?? table.rows[at.row].cells[at.column] ?? "", ariaLabel: `${table.rows[0].cells[at.column] ?? ""}, row ${at.row}` });
  target.replaceChildren(input);
  input.focus();
  input.onblur = () => keep();
}

/** Takes over what was typed, or not. */
function keep(take = true) {
  if (!input) return;
  const { value } = input;
  input.onblur = null;
  input = null;
  const { cells } = table.rows[at.row];
  if (take && value !== (cells[at.column] ?? "")) {
    while (cells.length < at.column) cells.push("");
    cells[at.column] = value;
    table.rows[at.row].raw = undefined;
    edited();
  }
  draw();
}

const moves = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1], PageUp: [-20, 0], PageDown: [20, 0], Home: [0, -1e9], End: [0, 1e9] };

grid.onkeydown = (e) => {
  const go = (down, right) => { e.preventDefault(); keep(); focus(at.row + down, at.column + right); };
  if (input) {
    if (e.key === "Enter") go(1, 0);
    else if (e.key === "Tab") go(0, e.shiftKey ? -1 : 1);
    else if (e.key === "Escape") { keep(false); focus(at.row, at.column); }
    return;
  }
  if (e.ctrlKey || e.metaKey || e.altKey) return;
  if (moves[e.key]) go(...moves[e.key]);
  else if (e.key === "Enter" || e.key === "F2") { e.preventDefault(); change(); }
  else if (e.key === "Delete" || e.key === "Backspace") { change(""); keep(); focus(at.row, at.column); }
  else if (e.key.length === 1) change(""); // the key's character goes into the field
};
grid.onclick = (e) => {
  const c = e.target.closest("[data-row]");
  if (c && e.target !== input) focus(+c.dataset.row, +c.dataset.column);
};
grid.ondblclick = () => change();
main.onscroll = () => requestAnimationFrame(draw);
addEventListener("resize", draw);

const acts = {
  row() {
    const last = table.rows.at(-1);
    const end = table.rows.find((r) => r.end)?.end ?? "\n";
    const closing = last?.end ?? end; // the file ends as it did
    if (last) last.end = end;
    table.rows.push({ cells: Array(Math.max(width, 1)).fill(""), end: closing });
    width ||= 1;
    focus(table.rows.length - 1, 0);
  },
  column() {
    if (!table.rows.length) return acts.row();
    for (const r of table.rows) {
      while (r.cells.length <= width) r.cells.push("");
      r.raw = undefined;
    }
    width++;
    focus(0, width - 1);
  },
  remove() {
    if (!table.rows.length) return;
    table.rows.splice(at.row, 1);
    focus(at.row, at.column);
  },
};
document.getElementById("tools").onclick = (e) => {
  const act = acts[e.target.dataset.do];
  if (!act) return;
  keep();
  act();
  edited();
};

start({
  name: "CSV", match: /\.(csv|tsv)$/i, limit: 4_000_000,
  text: () => write(table),
  show(text, ro, cut) {
    input = null;
    table = parse(text, document.getElementById("file").value);
    if (cut) table.rows.pop(); // half a row
    readOnly = ro || table.broken > 0;
    width = Math.min(maxColumns, table.rows.reduce((n, r) => Math.max(n, r.cells.length), 0));
    at = { row: Math.min(at.row, Math.max(0, table.rows.length - 1)), column: Math.min(at.column, Math.max(0, width - 1)) };
    empty.hidden = true;
    grid.hidden = false;
    grid.setAttribute("aria-readonly", readOnly);
    for (const b of document.querySelectorAll("#tools button")) b.hidden = readOnly;
    draw();
    if (table.broken && !cut) return `The quote in line ${table.broken} is never closed: read only`;
  },
  clear(words) {
    grid.hidden = true;
    empty.hidden = false;
    empty.textContent = words;
    for (const b of document.querySelectorAll("#tools button")) b.hidden = true;
  },
});
