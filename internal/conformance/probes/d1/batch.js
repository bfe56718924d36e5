import { cases, classOf, outcome } from "../see.js";
import { meta } from "./results.js";

const count = async (DB) => (await DB.prepare("SELECT count(*) AS n FROM t").first()).n;
const table = (DB) => DB.exec("CREATE TABLE t(a INTEGER PRIMARY KEY, b)");

export default () => ({
  "batch": async ({ env: { DB } }) => {
    await table(DB);
    const all = await DB.batch([DB.prepare("INSERT INTO t VALUES (1, ?)").bind("x"), DB.prepare("INSERT INTO t VALUES (2, ?)").bind(2), DB.prepare("SELECT * FROM t")]);
    return all.map((r) => ({ success: r.success, results: r.results, changes: r.meta.changes, last: r.meta.last_row_id, keys: Object.keys(meta(r.meta)) }));
  },
  "batch is rolled back": async ({ env: { DB } }) => {
    await table(DB);
    return [await outcome(() => DB.batch([DB.prepare("INSERT INTO t VALUES (1, 1)"), DB.prepare("INSERT INTO nope VALUES (1)")])), await count(DB)];
  },
  "batch fails by a constraint": async ({ env: { DB } }) => {
    await table(DB);
    return [await outcome(() => DB.batch([DB.prepare("INSERT INTO t VALUES (1, 1)"), DB.prepare("INSERT INTO t VALUES (1, 2)")])), await count(DB)];
  },
  "batch fails by a parameter": async ({ env: { DB } }) => {
    await table(DB);
    return [await outcome(() => DB.batch([DB.prepare("INSERT INTO t VALUES (1, 1)"), DB.prepare("INSERT INTO t VALUES (?, ?)").bind(1)])), await count(DB)];
  },
  "batch of DDL is rolled back": async ({ env: { DB } }) => [await outcome(() => DB.batch([DB.prepare("CREATE TABLE u(a)"), DB.prepare("SELEKT")])), (await DB.prepare("SELECT name FROM sqlite_schema WHERE name = 'u'").all()).results],
  ...cases("batch of", { nothing: [], undefined: undefined, null: null, number: 5, "a string": "SELECT 1", strings: ["SELECT 1"], objects: [{}], nulls: [null] }, async ({ env: { DB } }, list) => {
    const r = await outcome(() => DB.batch(list));
    return r.thrown ? [r.thrown.$error, list === undefined || list === null || list === 5 || Array.isArray(list) && list.length ? "" : r.thrown.message] : r;
  }),
  "batch with an empty statement": async ({ env: { DB } }) => (await DB.batch([DB.prepare("SELECT 1"), DB.prepare("")])).map((r) => r.results),
  "batch of a comment": ({ env: { DB } }) => DB.batch([DB.prepare("-- nothing")]),
  "batch of two statements in one": async ({ env: { DB } }) => (await DB.batch([DB.prepare("SELECT 1 AS a; SELECT 2 AS a")])).map((r) => r.results),
  "batch, the same statement twice": async ({ env: { DB } }) => {
    const s = DB.prepare("SELECT ? AS a").bind(1);
    return (await DB.batch([s, s])).map((r) => r.results);
  },
  "batch with begin": ({ env: { DB } }) => DB.batch([DB.prepare("BEGIN"), DB.prepare("COMMIT")]),
  "batch sees its own writes": async ({ env: { DB } }) => {
    await table(DB);
    const [, two] = await DB.batch([DB.prepare("INSERT INTO t VALUES (9, 9)"), DB.prepare("SELECT last_insert_rowid() AS id, changes() AS n")]);
    return two.results;
  },
  "batch with deferred foreign keys": async ({ env: { DB } }) => {
    await DB.exec("CREATE TABLE p(id INTEGER PRIMARY KEY)");
    await DB.exec("CREATE TABLE c(p REFERENCES p(id) DEFERRABLE INITIALLY DEFERRED)");
    return [await outcome(() => DB.batch([DB.prepare("INSERT INTO c VALUES (1)"), DB.prepare("INSERT INTO p VALUES (1)")]).then((r) => r.length)), await classOf(() => DB.batch([DB.prepare("INSERT INTO c VALUES (2)")]))];
  },
  "batch of statements of 50": async ({ env: { DB } }) => (await DB.batch(Array.from({ length: 50 }, (_, i) => DB.prepare("SELECT ? AS i").bind(i)))).map((r) => r.results[0].i),
  ...cases(
    "exec",
    {
      one: "SELECT 1", "two lines": "CREATE TABLE a(b)\nINSERT INTO a VALUES (1)", "two on a line": "CREATE TABLE a(b); INSERT INTO a VALUES (1)", "a statement over two lines": "CREATE TABLE a(\nb)", "an empty line between": "SELECT 1;\n\nSELECT 2", "a trailing newline": "SELECT 1\n", "spaces around": "  SELECT 1  ", empty: "", spaces: "   ", comment: "-- nothing", "comment and statement": "-- nothing\nSELECT 1", "a semicolon alone": ";",
      "CRLF": "SELECT 1;\r\nSELECT 2;", "an error in the first line": "SELEKT 1\nSELECT 1", "an error in the second line": "SELECT 1\nSELEKT 1", "an unknown table": "SELECT * FROM nope", "a parameter": "SELECT ?", "begin": "BEGIN", undefined: undefined, null: null, number: 5, "a comment at the end": "SELECT 1 -- x",
      "a constraint": "CREATE TABLE a(b UNIQUE)\nINSERT INTO a VALUES (1)\nINSERT INTO a VALUES (1)", "a long line that fails": "SELEKT " + "x".repeat(300),
    },
    async ({ env: { DB } }, sql) => {
      const r = await outcome(() => DB.exec(sql));
      if (r.duration !== undefined) r.duration = typeof r.duration;
      return [r, (await DB.prepare("SELECT name FROM sqlite_schema WHERE name = 'a'").all()).results.length];
    },
  ),
  "withSession": async ({ env: { DB } }) => {
    await table(DB);
    const s = DB.withSession();
    const before = s.getBookmark();
    await s.prepare("INSERT INTO t VALUES (1, 2)").run();
    const rows = await s.batch([s.prepare("SELECT * FROM t")]);
    return [s.constructor.name, before, typeof s.getBookmark(), rows[0].results];
  },
  ...cases("withSession of", { "first-primary": "first-primary", "first-unconstrained": "first-unconstrained", empty: "", null: null, number: 5, bookmark: "00000001-00000002-00000003-0123456789abcdef0123456789abcdef" }, async ({ env: { DB } }, c) => {
    const s = DB.withSession(c);
    return [typeof s, await outcome(() => s.prepare("SELECT 1 AS a").first("a"))];
  }),
});
