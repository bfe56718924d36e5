import { cases, outcome } from "../see.js";

// meta leaves out what is the machine's: times, sizes and who served.
export const meta = (m) => ({ ...m, served_by: typeof m.served_by, duration: typeof m.duration, size_after: typeof m.size_after });
const whole = (r) => ({ ...r, meta: meta(r.meta) });

async function people(DB) {
  await DB.exec("CREATE TABLE p(id INTEGER PRIMARY KEY, name TEXT, age REAL)");
  await DB.prepare("INSERT INTO p VALUES (1, 'ann', 20.5), (2, 'bob', NULL), (3, 'cy', 30)").run();
}

export default () => ({
  ...cases(
    "value of",
    {
      integer: "1", "2^53+1": "9007199254740993", "2^63-1": "9223372036854775807", real: "1.5", "real 1.0": "1.0", "1e400": "1e400", "-1e400": "-1e400", "minus zero": "-0.0", text: "'é😀'", "empty text": "''", null: "NULL", blob: "x'00ff41'", "empty blob": "x''", "text with zero": "'a' || char(0) || 'b'",
      boolean: "1 = 1", division: "1/2", "real division": "1/2.0", "a cast": "CAST('12abc' AS INTEGER)", "bad UTF-8": "CAST(x'ff41' AS TEXT)", json: "json('{ \"a\": 1 }')", "json_extract": "json_extract('{\"a\":[1,2]}', '$.a')", "->>": "'{\"a\":\"b\"}' ->> 'a'", date: "date(0, 'unixepoch')", "typeof a comparison": "typeof(1 < 2)", "0.1 + 0.2": "0.1 + 0.2", "1e15": "1e15", "1e16": "1e16", "123456789012345678": "123456789012345678", "1e-7": "1e-7",
    },
    ({ env }, sql) => env.DB.prepare(`SELECT ${sql} AS v`).raw(),
  ),
  "all of nothing": async ({ env }) => whole(await env.DB.prepare("SELECT 1 WHERE 0").all()),
  "all": async ({ env }) => {
    await people(env.DB);
    return whole(await env.DB.prepare("SELECT * FROM p ORDER BY id").all());
  },
  "run gives results as well": async ({ env }) => {
    await people(env.DB);
    return whole(await env.DB.prepare("SELECT name FROM p ORDER BY id").run());
  },
  ...cases(
    "meta of",
    {
      "a select": "SELECT * FROM p", "a select with where": "SELECT * FROM p WHERE id = 2", "a scan": "SELECT * FROM p WHERE name = 'bob'", "an insert": "INSERT INTO p(name) VALUES ('x')", "an insert of two": "INSERT INTO p(name) VALUES ('x'), ('y')", "an insert with returning": "INSERT INTO p(name) VALUES ('x') RETURNING id, name",
      "an insert with a big id": "INSERT INTO p VALUES (1000, 'x', 1)", "an update": "UPDATE p SET age = 1", "an update of none": "UPDATE p SET age = 1 WHERE id = 99", "an update to the same": "UPDATE p SET age = age WHERE id = 1", "a delete": "DELETE FROM p WHERE id > 1", "a delete of all": "DELETE FROM p", "an upsert": "INSERT INTO p VALUES (1, 'new', 0) ON CONFLICT(id) DO UPDATE SET name = excluded.name", "insert or ignore": "INSERT OR IGNORE INTO p VALUES (1, 'new', 0)", "insert or replace": "INSERT OR REPLACE INTO p VALUES (1, 'new', 0)",
      "create table": "CREATE TABLE q(a)", "create table if not exists": "CREATE TABLE IF NOT EXISTS p(a)", "create index": "CREATE INDEX i ON p(name)", "drop table": "DROP TABLE p", "alter table": "ALTER TABLE p ADD COLUMN z", "a pragma": "PRAGMA table_info(p)", "select of a constant": "SELECT 1", "replace of none": "DELETE FROM p WHERE 0",
    },
    async ({ env }, sql) => {
      await people(env.DB);
      const r = await env.DB.prepare(sql).run();
      const { rows_read, rows_written, ...rest } = meta(r.meta);
      return { ...r, meta: rest };
    },
  ),
  ...cases("rows read and written by", { "a select of three": "SELECT * FROM p", "a look-up": "SELECT * FROM p WHERE id = 2", "an update of three": "UPDATE p SET age = 1", "a delete of two": "DELETE FROM p WHERE id > 1", "a constant": "SELECT 1", "a limit": "SELECT * FROM p LIMIT 1" }, async ({ env }, sql) => {
    await people(env.DB);
    const { meta } = await env.DB.prepare(sql).run();
    return [meta.rows_read, meta.rows_written];
  }),
  "rows read by a count and an insert": async ({ env }) => {
    await people(env.DB);
    const count = await env.DB.prepare("SELECT count(*) FROM p").run();
    return [count.meta.rows_read, (await env.DB.prepare("INSERT INTO p(name) VALUES ('x')").run()).meta.rows_read];
  },
  ...cases("first", { "a row": ["SELECT * FROM p ORDER BY id"], "a column": ["SELECT * FROM p ORDER BY id", "name"], "no row": ["SELECT * FROM p WHERE 0"], "no row, a column": ["SELECT * FROM p WHERE 0", "name"], "an unknown column": ["SELECT * FROM p", "zz"], "a null": ["SELECT age FROM p WHERE id = 2", "age"], "an empty name": ["SELECT 1 AS a", ""], "a name in other case": ["SELECT 1 AS a", "A"], "toString": ["SELECT 1 AS a", "toString"], "null": ["SELECT 1 AS a", null], "undefined": ["SELECT 1 AS a", undefined], "a write": ["INSERT INTO p(name) VALUES ('x') RETURNING name", "name"], "a write without rows": ["DELETE FROM p"] }, async ({ env }, [sql, column]) => {
    await people(env.DB);
    return env.DB.prepare(sql).first(column);
  }),
  ...cases("raw", { rows: ["SELECT id, name FROM p"], "with names": ["SELECT id, name FROM p LIMIT 1", { columnNames: true }], "without names": ["SELECT id FROM p LIMIT 1", { columnNames: false }], "names of no rows": ["SELECT id, name FROM p WHERE 0", { columnNames: true }], "duplicate names": ["SELECT 1 AS a, 2 AS a", { columnNames: true }], "a write": ["DELETE FROM p"], "a write with names": ["DELETE FROM p", { columnNames: true }], "null options": ["SELECT 1", null], "names as 1": ["SELECT 1 AS a", { columnNames: 1 }] }, async ({ env }, [sql, options]) => {
    await people(env.DB);
    return env.DB.prepare(sql).raw(options);
  }),
  ...cases("column names of", { duplicates: "SELECT 1 AS a, 2 AS a", "an expression": "SELECT 1+1", "a table's": "SELECT p.id, name FROM p LIMIT 1", "an empty alias": 'SELECT 1 AS ""', __proto__: 'SELECT 1 AS "__proto__", 2 AS b', "numbers come first": 'SELECT 1 AS b, 2 AS "1"', "a join": "SELECT * FROM p AS x JOIN p AS y ON x.id = y.id LIMIT 1", constructor: 'SELECT 1 AS "constructor"' }, async ({ env }, sql) => {
    await people(env.DB);
    const { results } = await env.DB.prepare(sql).all();
    return [results, Object.keys(results[0]), JSON.stringify(results)];
  }),
  "rows are plain objects": async ({ env }) => {
    const { results } = await env.DB.prepare("SELECT 1 AS a, x'01' AS b").all();
    return [Object.getPrototypeOf(results[0]) === Object.prototype, Array.isArray(results), Array.isArray(results[0].b), Object.isFrozen(results[0])];
  },
  "order of keys of a result": async ({ env }) => {
    const r = await env.DB.prepare("SELECT 1 AS a").all();
    return [Object.keys(r), Object.keys(r.meta)];
  },
  "several statements in one": async ({ env }) => {
    const r = await env.DB.prepare("CREATE TABLE a(b); INSERT INTO a VALUES (1); SELECT b, 2 AS c FROM a").all();
    return r.results;
  },
  "several statements, parameters of the last": async ({ env }) => (await env.DB.prepare("CREATE TABLE a(b); INSERT INTO a VALUES (?)").bind(5).run()).success,
  "several statements, parameters of the first": ({ env }) => env.DB.prepare("SELECT ?; SELECT 1").bind(5).run(),
  "several statements, the second fails": async ({ env }) => [await outcome(() => env.DB.prepare("CREATE TABLE a(b); INSERT INTO nope VALUES (1)").run()), (await env.DB.prepare("SELECT name FROM sqlite_schema WHERE name = 'a'").all()).results],
  ...cases("trailing", { semicolon: "SELECT 1 AS a;", semicolons: "SELECT 1 AS a;;", spaces: "  SELECT 1 AS a  ", comment: "SELECT 1 AS a -- done", "block comment": "/* a */ SELECT 1 AS a /* b */;", "comment after semicolon": "SELECT 1 AS a; -- done" }, async ({ env }, sql) => (await env.DB.prepare(sql).all()).results),
  "size_after grows": async ({ env }) => {
    await env.DB.exec("CREATE TABLE a(b)");
    const before = (await env.DB.prepare("SELECT 1").all()).meta.size_after;
    const after = (await env.DB.prepare("INSERT INTO a VALUES (zeroblob(100000))").run()).meta.size_after;
    return after - before >= 100000 && after % 4096 === 0;
  },
  "last_row_id stays": async ({ env }) => {
    await people(env.DB);
    await env.DB.prepare("INSERT INTO p VALUES (50, 'x', 1)").run();
    return [(await env.DB.prepare("UPDATE p SET age = 2").run()).meta.last_row_id, (await env.DB.prepare("SELECT 1").run()).meta.last_row_id];
  },
});
