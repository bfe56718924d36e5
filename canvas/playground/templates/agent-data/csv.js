// CSV by RFC 4180, with what separates cells taken from the first line.

export function parse(text, by) {
  text = text.replace(/^\uFEFF/, "");
  by ??= [",", ";", "\t", "|"].map((d) => [text.split(/\r?\n/, 1)[0].split(d).length, d]).reduce((a, b) => (b[0] > a[0] ? b : a))[1];
  const rows = [[]];
  for (let i = 0; i < text.length;) {
    let cell = "";
    if (text[i] === '"') {
      for (i++; ; i += 1) {
        const to = text.indexOf('"', i);
        if (to < 0) throw { message: `The quote in row ${rows.length} is never closed.` };
        cell += text.slice(i, to);
        i = to + 1;
        if (text[i] !== '"') break;
        cell += '"';
      }
    }
    let to = i;
    while (to < text.length && text[to] !== by && text[to] !== "\n" && text[to] !== "\r") to++;
    rows.at(-1).push(cell + text.slice(i, to));
    i = to;
    if (text[i] === by) {
      i++;
      if (i === text.length || text[i] === "\n" || text[i] === "\r") rows.at(-1).push("");
    }
    if (text[i] === "\n" || text[i] === "\r") {
      i += text.startsWith("\r\n", i) ? 2 : 1;
      rows.push([]);
    }
  }
  const [columns, ...rest] = rows.filter((r) => r.length > 1 || r[0]);
  return { columns: columns ?? [], rows: rest };
}

export function write(columns, rows, by) {
  const quote = (v) => {
    const s = v === null ? "" : String(v);
    return s.includes(by) || /["\r\n]/.test(s) ? `"${s.replaceAll('"', '""')}"` : s;
  };
  return [columns, ...rows].map((r) => r.map(quote).join(by) + "\n").join("");
}
