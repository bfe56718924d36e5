// CSV and TSV, by RFC 4180 and what people have. Rows that nobody changes are written as they were read, byte for byte.

/** Returns { rows: [{ cells, raw, end }], by, broken }: broken is the line of a quote that is never closed. */
export function parse(text, name) {
  const by = /\.tsv$/i.test(name) ? "\t" : delimiter(text);
  const rows = [];
  const bom = text.startsWith("\uFEFF") ? 1 : 0;
  let broken = 0;
  for (let i = bom, line = 1; i < text.length;) {
    const from = i;
    const cells = [];
    const first = line;
    for (;;) {
      let cell = "";
      if (text[i] === '"') {
        for (i++; ; i++) {
          const to = text.indexOf('"', i);
          if (to < 0) {
            broken ||= first;
            cell += text.slice(i);
            i = text.length;
            break;
          }
          cell += text.slice(i, to);
          i = to + 1;
          if (text[i] !== '"') break;
          cell += '"';
        }
      }
      const rest = i;
      while (i < text.length && text[i] !== by && text[i] !== "\n" && text[i] !== "\r") i++;
      cells.push(cell + text.slice(rest, i));
      if (text[i] !== by) break;
      i++;
    }
    const raw = text.slice(from, i);
    const end = text.startsWith("\r\n", i) ? "\r\n" : (text[i] ?? "");
    line += raw.split("\n").length - 1 + (end ? 1 : 0);
    i += end.length;
    rows.push({ cells, raw, end });
  }
  if (bom && rows.length) rows[0].bom = "\uFEFF";
  return { rows, by, broken };
}

/** What stands most often in the first line. */
function delimiter(text) {
  const line = text.slice(0, 10_000).split(/\r?\n/, 1)[0].replace(/"[^"]*"/g, "");
  return [",", ";", "\t", "|"].map((d) => [line.split(d).length, d]).reduce((a, b) => (b[0] > a[0] ? b : a))[1];
}

export function write({ rows, by }) {
  return rows.map((r) => (r.bom ?? "") + (r.raw ?? r.cells.map((c) => quote(c, by)).join(by)) + r.end).join("");
}

function quote(cell, by) {
  return cell.includes(by) || /["\r\n]/.test(cell) || cell !== cell.trim() ? `"${cell.replaceAll('"', '""')}"` : cell;
}
