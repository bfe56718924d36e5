// papaparse
// CSV with quotes, newlines in fields, detected delimiters, typed values, headers, errors and chunks; and CSV written.
import Papa from "papaparse";

const csv = 'name,age,"say, what"\r\n"Ada ""the"" Countess",36,"line 1\nline 2"\r\nBörje,,true\r\n"open';
export default {
  fetch() {
    const steps: unknown[] = [];
    Papa.parse("a;b\n1;2\n3;4\n5;6", { delimiter: ";", header: true, preview: 2, dynamicTyping: true, step: (r) => steps.push(r.data, r.meta.cursor) });
    return Response.json({
      rows: Papa.parse(csv), objects: Papa.parse(csv.slice(0, -5), { header: true, dynamicTyping: true, skipEmptyLines: true, transformHeader: (h) => h.toUpperCase(), transform: (v) => v.trim() }),
      detected: ["a\tb\n1\t2", "a|b\n1|2", "a b"].map((s) => Papa.parse(s).meta.delimiter), steps, comments: Papa.parse("#x\na,b\n", { comments: "#" }).data,
      written: Papa.unparse([{ a: 1, b: 'q"uote', c: null }, { a: "x,y", b: "new\nline", c: "=1+1" }], { escapeFormulae: true, newline: "\n" }), quoted: Papa.unparse({ fields: ["x", "y"], data: [[1, " 2"]] }, { quotes: true, delimiter: "\t" }),
    });
  },
};
