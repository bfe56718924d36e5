// What is seen of a conversation. Everything that a model or a file says is put in as text, never as markup.

export function el(tag, props = {}, ...children) {
  const e = Object.assign(document.createElement(tag), props);
  e.append(...children.filter((c) => c !== undefined && c !== ""));
  return e;
}

const shapes = {
  read: "M2 8s2.300-4 6-4 6 4 6 4-2.300 4-6 4-6-4-6-4zM8 9.800a1.800 1.800 0 100-3.600 1.800 1.800 0 000 3.600z",
  edit: "M3 13l.700-3L11 2.700l2.300 2.300L6 12.300z",
  ok: "M3 8.500l3.300 3.300L13 4.600",
  bad: "M8 2a6 6 0 100 12A6 6 0 008 2zM8 5v3.800M8 10.800v.500",
  wait: "M8 2a6 6 0 106 6",
};

function icon(name) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("aria-hidden", "true");
  svg.setAttribute("class", name);
  svg.append(document.createElementNS("http://www.w3.org/2000/svg", "path"));
  svg.firstChild.setAttribute("d", shapes[name] ?? shapes.ok);
  return svg;
}

/** The log keeps its end in sight only for those who are there. */
export function stick(log, change) {
  const atEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 24;
  const out = change();
  if (atEnd) log.scrollTop = log.scrollHeight;
  return out;
}

// ---- what the model says ----

/** Text in paragraphs, and code between fences. */
function blocks(text) {
  const out = [];
  text.split(/^```.*\n?/m).forEach((part, i) => {
    if (i % 2) out.push({ code: part.replace(/\n$/, "") });
    else out.push(...part.split(/\n{2,}/).map((s) => s.trim()).filter(Boolean).map((text) => ({ text })));
  });
  return out;
}

function inline(text) {
  return text.split(/(`[^`\n]+`|\*\*[^*\n]+\*\*)/).filter(Boolean).map((s) =>
    s.length > 2 && s[0] === "`" ? el("code", {}, s.slice(1, -1)) : s.startsWith("**") && s.length > 4 ? el("b", {}, s.slice(2, -2)) : s);
}

/** Puts text into box. Blocks that are there already stay, so that a reader can select them while more comes. */
export function prose(box, text) {
  const list = blocks(text);
  list.forEach((b, i) => {
    const key = JSON.stringify(b);
    const old = box.children[i];
    if (old?.dataset.key === key) return;
    const fresh = b.code !== undefined ? el("pre", { tabIndex: 0 }, b.code) : el("p", {}, ...inline(b.text));
    fresh.dataset.key = key;
    old ? old.replaceWith(fresh) : box.append(fresh);
  });
  while (box.children.length > list.length) box.lastChild.remove();
}

// ---- rows of tool calls ----

const verbs = { list_files: "Listing", read_file: "Reading", search: "Searching", edit_file: "Editing", write_file: "Writing", rename_file: "Renaming", remove_file: "Asks to remove a file", check_app: "Loading the app again", load_table: "Loading", query: "Asking" };

/** A row for a call that runs; the function returned shows its end. */
export function callRow(box, c, repair) {
  const summary = el("summary", {}, icon("wait"), el("span", {}, verbs[c.name] ?? c.name));
  const row = el("details", { className: "call" }, summary);
  row.setAttribute("aria-busy", "true");
  box.append(row);
  return (m) => {
    row.removeAttribute("aria-busy");
    const { row: shown } = m;
    const bad = m.error || m.failed;
    row.classList.toggle("failed", !!bad);
    const what = m.error ? m.text : shown?.what;
    const [add, del] = shown?.diff ? size(shown.diff) : [];
    summary.replaceChildren(
      icon(bad ? "bad" : shown?.icon), el("span", {}, shown?.title ?? c.name),
      what ? el("span", { className: "what" }, what.split("\n")[0]) : "",
      repair && shown?.diff ? el("span", { className: "tag" }, `repair ${repair} of 5`) : "",
      shown?.diff ? el("span", { className: "note" }, el("b", {}, `+${add}`), " ", el("s", {}, `−${del}`)) : shown?.note ? el("span", { className: "note" }, shown.note) : "",
    );
    row.append(shown?.diff ? diff(shown.diff) : el("pre", { tabIndex: 0 }, m.text ?? `${shown.what ?? "Nothing was printed."}`));
    if (m.error && c.args) row.append(el("pre", { tabIndex: 0 }, c.args));
  };
}

/** The lines of a replacement without those that begin and end both sides. */
function trim([before, after]) {
  const a = before === "" ? [] : before.split("\n");
  const b = after === "" ? [] : after.split("\n");
  while (a.length && b.length && a[0] === b[0]) { a.shift(); b.shift(); }
  while (a.length && b.length && a.at(-1) === b.at(-1)) { a.pop(); b.pop(); }
  return [a, b];
}

function size(edits) {
  return edits.map(trim).reduce(([add, del], [a, b]) => [add + b.length, del + a.length], [0, 0]);
}

function diff(edits) {
  const box = el("div", { className: "diff", tabIndex: 0, role: "group", ariaLabel: "Changes" });
  for (const edit of edits) {
    const [a, b] = trim(edit);
    box.append(...a.map((l) => el("del", {}, "− " + l)), ...b.slice(0, 400).map((l) => el("ins", {}, "+ " + l)));
    if (b.length > 400) box.append(el("p", {}, `and ${b.length - 400} lines more`));
  }
  return box;
}
