import { cases, outcome } from "../see.js";

const repeat = (n, s, sep = "") => Array(n).fill(s).join(sep);

async function tables(DB) {
  await DB.exec("CREATE TABLE p(id INTEGER PRIMARY KEY, u TEXT UNIQUE, n TEXT NOT NULL DEFAULT 'x', c INTEGER CHECK(c > 0))");
  await DB.exec("CREATE TABLE c(p INTEGER REFERENCES p(id))");
  await DB.exec("CREATE TABLE w(a PRIMARY KEY, b) WITHOUT ROWID");
  await DB.exec("CREATE TABLE s(a INTEGER, b TEXT) STRICT");
  await DB.exec("INSERT INTO p(id, u) VALUES (1, 'one')");
}

export default () => ({
  ...cases(
    "of SQL",
    {
      "a syntax error": "SELEKT 1", "a syntax error late": "SELECT 1 FROM", "an unknown table": "SELECT * FROM nope", "an unknown column": "SELECT nope FROM p", "an unknown function": "SELECT nope(1)", "too few arguments": "SELECT substr('x')", "an ambiguous column": "SELECT id FROM p AS a JOIN p AS b", "an unrecognised token": "SELECT #", "an unclosed string": "SELECT 'abc", "incomplete": "SELECT (1", "empty": "", "spaces": "  ", "a comment": "-- x", "a block comment": "/* x */", "a semicolon": ";",
      "a primary key": "INSERT INTO p(id) VALUES (1)", unique: "INSERT INTO p(u) VALUES ('one')", "not null": "INSERT INTO p(n) VALUES (NULL)", check: "INSERT INTO p(c) VALUES (0)", "a foreign key": "INSERT INTO c VALUES (99)", "a foreign key on delete": "INSERT INTO c VALUES (1); DELETE FROM p", "without rowid": "INSERT INTO w VALUES (1, 2), (1, 3)", "a strict table": "INSERT INTO s VALUES ('x', 1)", "a rowid that is text": "INSERT INTO p(id) VALUES ('abc')", "a table twice": "CREATE TABLE p(a)", "an index twice": "CREATE INDEX i ON p(n); CREATE INDEX i ON p(n)", "drop of an unknown table": "DROP TABLE nope", "values of wrong number": "INSERT INTO p VALUES (1)", "an aggregate in where": "SELECT 1 FROM p WHERE count(*) > 1", "integer overflow": "SELECT abs(-9223372036854775808)", "a division by zero": "SELECT 1/0 AS a", "bad json": "SELECT json('{')", "a bad json path": "SELECT json_extract('{}', 'x')", "RAISE": "CREATE TRIGGER tr BEFORE INSERT ON c BEGIN SELECT RAISE(ABORT, 'no way'); END; INSERT INTO c VALUES (1)", "a bad regexp": "SELECT 'a' REGEXP '('", "a subquery of two columns": "SELECT (SELECT 1, 2)", "UNION of unequal": "SELECT 1 UNION SELECT 1, 2", "RETURNING unknown": "INSERT INTO p(u) VALUES ('q') RETURNING zz", "recursion without end": "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r LIMIT 5) SELECT count(*) AS n FROM r",
    },
    async ({ env: { DB } }, sql) => {
      await tables(DB);
      return (await DB.prepare(sql).all()).results;
    },
  ),
  ...cases(
    "refused",
    {
      begin: "BEGIN", "begin immediate": "BEGIN IMMEDIATE TRANSACTION", commit: "COMMIT", rollback: "ROLLBACK", savepoint: "SAVEPOINT a", release: "RELEASE a", attach: "ATTACH ':memory:' AS x", detach: "DETACH x", vacuum: "VACUUM", "vacuum into": "VACUUM INTO 'x'", "a temp table": "CREATE TEMP TABLE a(b)", "a temp view": "CREATE TEMP VIEW a AS SELECT 1", "a temp trigger": "CREATE TEMP TRIGGER a AFTER INSERT ON p BEGIN SELECT 1; END", "a _cf_ table": "CREATE TABLE _cf_x(a)", "select from _cf_": "SELECT * FROM _cf_KV", "a _CF_ table": "CREATE TABLE _CF_x(a)", "a sqlite_ table": "CREATE TABLE sqlite_x(a)", "write to the schema": "DELETE FROM sqlite_schema", "load_extension": "SELECT load_extension('x')", sqlite_version: "SELECT sqlite_version()", sqlite_source_id: "SELECT sqlite_source_id()", randomblob: "SELECT length(randomblob(4)) AS n", zeroblob: "SELECT length(zeroblob(5)) AS n", writable_schema: "PRAGMA writable_schema = 1", "a pragma function": "SELECT name FROM pragma_table_info('p')", "dbstat": "SELECT * FROM dbstat", "a virtual table": "CREATE VIRTUAL TABLE v USING csv(filename='x')", analyze: "ANALYZE", reindex: "REINDEX", explain: "EXPLAIN SELECT 1",
      "explain query plan": "EXPLAIN QUERY PLAN SELECT * FROM p", "readfile": "SELECT readfile('/etc/passwd')", "fts3_tokenizer": "SELECT fts3_tokenizer('simple')",
    },
    async ({ env: { DB } }, sql) => {
      await tables(DB);
      const r = await outcome(() => DB.prepare(sql).all());
      return r.results ? (sql.startsWith("EXPLAIN") ? "rows" : r.results) : r;
    },
  ),
  ...cases(
    "pragma",
    {
      data_version: "data_version", page_size: "page_size", "page_size = 8192": "page_size = 8192", foreign_keys: "foreign_keys", "foreign_keys = off": "foreign_keys = off", defer_foreign_keys: "defer_foreign_keys", journal_mode: "journal_mode", "journal_mode = delete": "journal_mode = delete", synchronous: "synchronous", user_version: "user_version", "user_version = 5": "user_version = 5", application_id: "application_id", table_list: "table_list", table_info: "table_info(p)", table_xinfo: "table_xinfo(p)", index_list: "index_list(p)", index_info: "index_info(sqlite_autoindex_p_1)", index_xinfo: "index_xinfo(sqlite_autoindex_p_1)", foreign_key_list: "foreign_key_list(c)", foreign_key_check: "foreign_key_check", quick_check: "quick_check", integrity_check: "integrity_check", optimize: "optimize", case_sensitive_like: "case_sensitive_like = on", "legacy_alter_table": "legacy_alter_table", "recursive_triggers": "recursive_triggers", "reverse_unordered_selects": "reverse_unordered_selects", "ignore_check_constraints": "ignore_check_constraints", cache_size: "cache_size", max_page_count: "max_page_count", encoding: "encoding", "compile_options": "compile_options", "database_list": "database_list", "function_list": "function_list", "an unknown one": "no_such_pragma", "secure_delete": "secure_delete", "page_count": "page_count", "temp_store": "temp_store",
    },
    async ({ env: { DB } }, sql) => {
      await tables(DB);
      const r = await outcome(() => DB.prepare("PRAGMA " + sql).all());
      if (sql === "data_version" && r.results) return Object.keys(r.results[0]);
      if (sql === "table_list" && r.results) return r.results.filter((t) => !t.name.startsWith("_cf_"));
      return r.results ?? r;
    },
  ),
  ...cases(
    "limit",
    {
      "100 columns": `SELECT ${repeat(100, "1", ",")}`, "101 columns": `SELECT ${repeat(101, "1", ",")}`, "SQL of 100000 bytes": "SELECT '" + "x".repeat(100000 - 9) + "'", "SQL of 100001 bytes": "SELECT '" + "x".repeat(100001 - 9) + "'", "100 nested parentheses": `SELECT ${"(".repeat(99)}1${")".repeat(99)} AS a`, "90 chained +": `SELECT ${repeat(90, "1", "+")} AS a`, "120 chained +": `SELECT ${repeat(120, "1", "+")} AS a`, "5 selects in a union": repeat(5, "SELECT 1 AS a", " UNION ALL "), "6 selects in a union": repeat(6, "SELECT 1 AS a", " UNION ALL "), "LIKE of 50 bytes": `SELECT 'x' LIKE '${"a".repeat(50)}' AS a`, "LIKE of 51 bytes": `SELECT 'x' LIKE '${"a".repeat(51)}' AS a`, "GLOB of 51 bytes": `SELECT 'x' GLOB '${"a".repeat(51)}' AS a`,
      "32 arguments": `SELECT max(${repeat(32, "1", ",")}) AS a`, "33 arguments": `SELECT max(${repeat(33, "1", ",")}) AS a`, "128 arguments": `SELECT max(${repeat(128, "1", ",")}) AS a`, "a table of 101 columns": `CREATE TABLE big(${Array.from({ length: 101 }, (_, i) => "c" + i)})`, "a table of 100 columns": `CREATE TABLE big(${Array.from({ length: 100 }, (_, i) => "c" + i)})`, "a join of 10": `SELECT count(*) AS n FROM ${Array.from({ length: 10 }, (_, i) => "p AS p" + i)}`,
    },
    async ({ env: { DB } }, sql) => {
      await tables(DB);
      const r = await outcome(() => DB.prepare(sql).all());
      return r.results ? JSON.stringify(r.results).length : r;
    },
  ),
  "100 parameters": ({ env: { DB } }) => DB.prepare(`SELECT ${repeat(100, "?", " + ")} AS a`).bind(...Array(100).fill(1)).first("a"),
  "101 parameters": ({ env: { DB } }) => DB.prepare(`SELECT 1 IN (${repeat(101, "?", ",")})`).bind(...Array(101).fill(1)).first(),
  "an error has a cause": async ({ env: { DB } }) => {
    try {
      await DB.prepare("SELECT * FROM nope").all();
    } catch (e) {
      return [e.name, e.constructor.name, e.message, e.cause instanceof Error, e.cause?.name, e.cause?.message, Object.keys(e), String(e), typeof e.stack];
    }
  },
  "an error by each method": async ({ env: { DB } }) => {
    const s = DB.prepare("SELECT * FROM nope");
    const all = [];
    for (const m of ["all", "run", "first", "raw"]) all.push(await outcome(() => s[m]()));
    return all;
  },
  "methods give promises": async ({ env: { DB } }) => {
    const s = DB.prepare("SELEKT");
    return ["all", "run", "first", "raw"].map((m) => {
      const p = s[m]();
      p.catch(() => {});
      return p instanceof Promise;
    });
  },
});
