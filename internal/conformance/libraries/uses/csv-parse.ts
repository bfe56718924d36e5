// csv-parse
// The synchronous parser: headers, casts, quotes, comments, ragged rows, ranges, objects by name and errors with places.
import { parse } from "csv-parse/browser/esm/sync";

export default {
  fetch() {
    const attempt = (f: () => unknown) => { try { return f(); } catch (e: any) { return [e.code, e.message, e.lines]; } };
    return Response.json({
      rows: parse('a,"b ""q""",c\r\n1,"x\ny",3\r\n'), objects: parse("\ufeffid;name;at\n1; Ada ;2024-02-29\n\n# no\n2;Bö;\n", { bom: true, columns: true, delimiter: ";", trim: true, skip_empty_lines: true, comment: "#", cast: (v, c) => (c.column === "id" ? Number(v) : v) }), ranged: parse("1\n2\n3\n4", { from_line: 2, to: 2 }), named: parse("k,v\na,1\nb,2", { columns: true, objname: "k" }), info: parse("a,b", { info: true })[0], typed: parse("1,2.5,x,2020-01-01", { cast: true, cast_date: true }),
      ragged: [attempt(() => parse("a,b\n1")), attempt(() => parse("a,b\n1", { relax_column_count: true })), attempt(() => parse('a,"b')), attempt(() => parse('a,b"c'))], multi: parse("a|-|b::1|-|2", { delimiter: "|-|", record_delimiter: "::" }), record: parse("1\n2\n3", { on_record: ([n], { lines }) => (n === "2" ? null : { n, lines }) }),
    });
  },
};
