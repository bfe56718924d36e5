package sqlshim

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
)

// TestRules holds what D1 says, without its prefix "D1_ERROR: ".
func TestRules(t *testing.T) {
	ctx := context.Background()
	db := open(t, memState(), nil)
	mustExec(t, db, "CREATE TABLE p(id INTEGER PRIMARY KEY, n TEXT UNIQUE, c INTEGER CHECK(c > 0), m TEXT NOT NULL DEFAULT '')",
		"CREATE TABLE kid(p INTEGER REFERENCES p(id))", "INSERT INTO p(id, n) VALUES(1, 'a')")
	columns := func(n int) string { return strings.TrimSuffix(strings.Repeat("1,", n), ",") }
	params := func(n int) (string, []any) {
		return "SELECT " + strings.TrimSuffix(strings.Repeat("?,", n), ","), make([]any, n)
	}
	params100, args100 := params(100)
	params101, args101 := params(101)
	tests := []struct {
		sql  string
		args []any
		want string // "" means that it works
	}{
		{sql: "INSERT INTO p(id) VALUES(1)", want: "UNIQUE constraint failed: p.id: SQLITE_CONSTRAINT (extended: SQLITE_CONSTRAINT_PRIMARYKEY)"},
		{sql: "INSERT INTO p(n) VALUES('a')", want: "UNIQUE constraint failed: p.n: SQLITE_CONSTRAINT (extended: SQLITE_CONSTRAINT_UNIQUE)"},
		{sql: "INSERT INTO p(c) VALUES(-1)", want: "CHECK constraint failed: c > 0: SQLITE_CONSTRAINT (extended: SQLITE_CONSTRAINT_CHECK)"},
		{sql: "INSERT INTO p(m) VALUES(NULL)", want: "NOT NULL constraint failed: p.m: SQLITE_CONSTRAINT (extended: SQLITE_CONSTRAINT_NOTNULL)"},
		{sql: "INSERT INTO kid VALUES(7)", want: "FOREIGN KEY constraint failed: SQLITE_CONSTRAINT (extended: SQLITE_CONSTRAINT_FOREIGNKEY)"},
		{sql: "INSERT INTO p(id) VALUES('x')", want: "datatype mismatch: SQLITE_MISMATCH"},
		{sql: "SELEC 1", want: `near "SELEC": syntax error at offset 0: SQLITE_ERROR`},
		{sql: "SELECT * FROM nope", want: "no such table: nope: SQLITE_ERROR"},
		{sql: "SELECT zz FROM p", want: "no such column: zz at offset 7: SQLITE_ERROR"},
		{sql: "SELECT * FROM p WHERE", want: "incomplete input: SQLITE_ERROR"},
		{sql: "", want: "No SQL statements detected."},
		{sql: " \n ", want: "No SQL statements detected."},
		{sql: "-- a comment", want: "SQL code did not contain a statement."},
		{sql: "/* a comment */ ;", want: "SQL code did not contain a statement."},
		{sql: "SELECT ?", want: "Wrong number of parameter bindings for SQL query."},
		{sql: "SELECT ?", args: []any{int64(1), int64(2)}, want: "Wrong number of parameter bindings for SQL query."},
		{sql: "SELECT 1", args: []any{int64(1)}, want: "Wrong number of parameter bindings for SQL query."},
		{sql: "SELECT ?; SELECT 2", args: []any{int64(1)}, want: "When executing multiple SQL statements in a single call, only the last statement can have parameters."},
		{sql: "SELECT 1; SELECT ?;", args: []any{int64(1)}},
		{sql: "SELECT ?2, ?1", args: []any{int64(1), int64(2)}},
		{sql: params101, args: args101, want: "too many SQL variables at offset 207: SQLITE_ERROR"},
		{sql: params100, args: args100},
		{sql: "SELECT " + columns(101), want: "too many columns in result set: SQLITE_ERROR"},
		{sql: "SELECT " + columns(100)},
		{sql: "SELECT '" + strings.Repeat("x", 100_000) + "'", want: "statement too long: SQLITE_TOOBIG"},
		{sql: "SELECT 'a' LIKE '" + strings.Repeat("x", 51) + "'", want: "LIKE or GLOB pattern too complex: SQLITE_ERROR"},
		{sql: "SELECT " + strings.Repeat("(", 98) + "1" + strings.Repeat(")", 98)},
		{sql: "SELECT 1" + strings.Repeat("+1", 120), want: "Expression tree is too large (maximum depth 100): SQLITE_ERROR"},
		{sql: "BEGIN", want: textTransaction},
		{sql: "COMMIT", want: textTransaction},
		{sql: "SAVEPOINT x", want: textTransaction},
		{sql: "ROLLBACK", want: textTransaction},
		{sql: "ATTACH ':memory:' AS x", want: "not authorized: SQLITE_AUTH"},
		{sql: "DETACH main", want: "not authorized: SQLITE_AUTH"},
		{sql: "PRAGMA journal_mode", want: "not authorized: SQLITE_AUTH"},
		{sql: "PRAGMA page_size = 512", want: "not authorized: SQLITE_AUTH"},
		{sql: "PRAGMA page_size", want: "not authorized: SQLITE_AUTH"},
		{sql: "PRAGMA table_info(p)"},
		{sql: "PRAGMA foreign_keys = ON"},
		{sql: "PRAGMA optimize"},
		{sql: "VACUUM", want: "cannot VACUUM from within a transaction: SQLITE_ERROR"},
		{sql: "CREATE TEMP TABLE x(y)", want: "not authorized: SQLITE_AUTH"},
		{sql: "CREATE TABLE _cf_x(y)", want: "not authorized: SQLITE_AUTH"},
		{sql: "CREATE TABLE _CF_X(y)"},
		{sql: `SELECT "no column"`},
		{sql: "SELECT regexp('a', 'b')", want: "no such function: regexp at offset 7: SQLITE_ERROR"},
		{sql: "SELECT soundex('a')", want: "no such function: soundex at offset 7: SQLITE_ERROR"},
		{sql: "SELECT value FROM generate_series(1, 3)", want: "no such table: generate_series: SQLITE_ERROR"},
		{sql: "SELECT json(jsonb_set('{}', '$.a', 1))"},
		{sql: "SELECT 1;;", want: textNoStatement},
		{sql: "SELECT 1; -- end", want: textNoStatement},
		{sql: "SELECT 1 -- end"},
		{sql: "CREATE TABLE y(_cf_ok)"},
		{sql: "SELECT sqlite_version()", want: "not authorized to use function: sqlite_version at offset 7: SQLITE_ERROR"},
		{sql: "SELECT name FROM sqlite_schema"},
		{sql: "CREATE VIRTUAL TABLE words USING fts5(text)"},
		{sql: "INSERT INTO words VALUES('to be or not to be')"},
		{sql: "SELECT highlight(words, 0, '<b>', '</b>') FROM words WHERE words MATCH 'not' ORDER BY bm25(words)"},
		{sql: "CREATE VIRTUAL TABLE box USING rtree(id, x0, x1)"},
		{sql: "INSERT INTO box VALUES(1, 0, 10)"},
		{sql: "SELECT id FROM box WHERE x0 <= 5 AND x1 >= 5"},
		{sql: "ALTER TABLE p RENAME COLUMN m TO note"},
		{sql: "ALTER TABLE p ADD COLUMN extra"},
		{sql: "ALTER TABLE p DROP COLUMN extra"},
		{sql: "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM c LIMIT 5) SELECT sum(i) FROM c"},
		{sql: "SELECT value FROM json_each('[1,2]')"},
		{sql: "SELECT ?", args: []any{complex(1, 2)}, want: "sqlshim: argument 1 is a complex128"},
	}
	for _, tt := range tests {
		_, err := db.Query(ctx, tt.sql, tt.args...)
		got := ""
		if err != nil {
			var e *Error
			if !errors.As(err, &e) {
				t.Errorf("%.60s: a %T", tt.sql, err)
			}
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%.60s:\n got %s\nwant %s", tt.sql, got, tt.want)
		}
	}
	if res := query(t, db, "SELECT count(*) FROM p"); !reflect.DeepEqual(res.Rows, [][]any{{int64(1)}}) {
		t.Errorf("rows left: %v", res.Rows)
	}
}

func TestMeta(t *testing.T) {
	db := open(t, memState(), nil)
	tests := []struct {
		sql           string
		changes, last int64
		read, written int64
		changed       bool
	}{
		{"CREATE TABLE t(id INTEGER PRIMARY KEY, v)", 0, 0, 1, 0, true},
		{"INSERT INTO t VALUES(5, 'a')", 1, 5, 1, 1, true},
		{"INSERT INTO t(v) VALUES('b'), ('c')", 2, 7, 2, 2, true},
		{"SELECT * FROM t", 0, 7, 3, 0, false},
		{"SELECT * FROM t WHERE v = 'c'", 0, 7, 3, 0, false},
		{"SELECT * FROM t WHERE id = 6", 0, 7, 1, 0, false},
		{"INSERT INTO t(v) VALUES('d') RETURNING id", 1, 8, 1, 1, true},
		{"DELETE FROM t WHERE id = 8", 1, 8, 1, 1, true},
		{"DELETE FROM t WHERE id = 8", 0, 8, 1, 0, false},
	}
	for _, tt := range tests {
		r := query(t, db, tt.sql)
		if r.Changes != tt.changes || r.LastRowID != tt.last || r.RowsRead != tt.read || r.RowsWritten != tt.written || r.ChangedDB != tt.changed {
			t.Errorf("%s: changes %d last %d read %d written %d changed %v", tt.sql, r.Changes, r.LastRowID, r.RowsRead, r.RowsWritten, r.ChangedDB)
		}
		if r.SizeAfter != 2*chunkSize {
			t.Errorf("%s: size %d", tt.sql, r.SizeAfter)
		}
		if r.Duration <= 0 {
			t.Errorf("%s: no duration", tt.sql)
		}
	}
}

func TestValues(t *testing.T) {
	db := open(t, memState(), nil)
	tests := []struct {
		arg      any
		typeof   string
		want     any
		wantJSON string
	}{
		{nil, "null", nil, "null"},
		{true, "integer", int64(1), "1"},
		{false, "integer", int64(0), "0"},
		{int64(math.MaxInt64), "integer", int64(math.MaxInt64), "9223372036854775807"},
		{int(-3), "integer", int64(-3), "-3"},
		{1.0, "real", 1.0, "1"},
		{0.1, "real", 0.1, "0.1"},
		{1e300, "real", 1e300, "1e+300"},
		{math.NaN(), "null", nil, "null"},
		{math.Inf(-1), "null", nil, "null"},
		{"", "text", "", `""`},
		{"a\x00b\"\\\n\u2028é", "text", "a\x00b\"\\\n\u2028é", `"a\u0000b\"\\\n\u2028é"`},
		{"\xff\xfe", "text", "\xff\xfe", `"\ufffd\ufffd"`},
		{[]byte{}, "blob", []byte{}, "[]"},
		{[]byte(nil), "blob", []byte{}, "[]"},
		{[]byte{0, 255}, "blob", []byte{0, 255}, "[0,255]"},
	}
	for _, tt := range tests {
		r := query(t, db, "SELECT ?1, typeof(?1)", tt.arg)
		if !reflect.DeepEqual(r.Rows, [][]any{{tt.want, tt.typeof}}) {
			t.Errorf("%#v: %#v", tt.arg, r.Rows)
		}
		b, _, err := db.AppendJSON(context.Background(), []byte("x"), Arrays, "SELECT ?", tt.arg)
		if got, want := string(b), "x[["+tt.wantJSON+"]]"; err != nil || got != want {
			t.Errorf("%#v: JSON %s, want %s (%v)", tt.arg, got, want, err)
		}
	}
}

func TestSeveralStatements(t *testing.T) {
	ctx := context.Background()
	db := open(t, memState(), nil)
	r, err := db.Query(ctx, "CREATE TABLE t(v); INSERT INTO t VALUES(1),(2); -- and\n SELECT v FROM t WHERE v > ? /* end */;", int64(1))
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(r.Rows, [][]any{{int64(2)}}) || r.Changes != 2 {
		t.Errorf("rows %v, changes %d", r.Rows, r.Changes)
	}
	// They are one transaction.
	if _, err := db.Query(ctx, "DELETE FROM t; INSERT INTO nope VALUES(1)"); err == nil {
		t.Error("no error")
	}
	if _, err := db.Query(ctx, "DELETE FROM t; SELECT ?"); err == nil {
		t.Error("no error")
	}
	if n := count(t, db, "t"); n != 2 {
		t.Errorf("%d rows, want 2", n)
	}
}

func TestBatch(t *testing.T) {
	ctx := context.Background()
	db := open(t, memState(), nil)
	mustExec(t, db, "CREATE TABLE t(id INTEGER PRIMARY KEY)")
	rs, err := db.Batch(ctx, Stmt{SQL: "INSERT INTO t VALUES(?)", Args: []any{int64(1)}}, Stmt{SQL: "SELECT * FROM t"})
	if err != nil {
		t.Fatal(err)
	}
	if rs[0].Changes != 1 || !reflect.DeepEqual(rs[1].Rows, [][]any{{int64(1)}}) || rs[1].Changes != 0 {
		t.Errorf("%+v %+v", rs[0], rs[1])
	}
	_, err = db.Batch(ctx, Stmt{SQL: "INSERT INTO t VALUES(2)"}, Stmt{SQL: "INSERT INTO t VALUES(1)"})
	if err == nil || !strings.Contains(err.Error(), "SQLITE_CONSTRAINT_PRIMARYKEY") {
		t.Errorf("error %v", err)
	}
	if n := count(t, db, "t"); n != 1 {
		t.Errorf("%d rows after a failed batch", n)
	}
	if _, err := db.Batch(ctx); err == nil || err.Error() != "No SQL statements detected." {
		t.Errorf("empty batch: %v", err)
	}
	js, err := db.BatchJSON(ctx, Objects, Stmt{SQL: "SELECT 1 AS a"}, Stmt{SQL: "SELECT * FROM t WHERE id > 9"})
	if err != nil || string(js[0].JSON) != `[{"a":1}]` || string(js[1].JSON) != "[]" {
		t.Errorf("JSON %s %s %v", js[0].JSON, js[1].JSON, err)
	}
	// A deferred constraint fails at COMMIT, and takes everything with it.
	mustExec(t, db, "CREATE TABLE kid(p REFERENCES t(id) DEFERRABLE INITIALLY DEFERRED)")
	if _, err := db.Batch(ctx, Stmt{SQL: "INSERT INTO kid VALUES(77)"}); err == nil || !strings.Contains(err.Error(), "FOREIGN KEY") {
		t.Errorf("deferred: %v", err)
	}
	if n := count(t, db, "kid"); n != 0 {
		t.Errorf("%d rows after a failed commit", n)
	}
}

func TestExec(t *testing.T) {
	ctx := context.Background()
	db := open(t, memState(), nil)
	if n, err := db.Exec(ctx, "\nCREATE TABLE t(v)\nINSERT INTO t VALUES(1); INSERT INTO t VALUES(2)\r\n"); n != 2 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	tests := []struct{ script, want string }{
		{"DELETE FROM t\nINSERT INTO\n t VALUES(1)", "Error in line 1: DELETE FROM t: incomplete input: SQLITE_ERROR"},
		{"SELECT 1\nSELECT ?", "Error in line 1: SELECT 1: Wrong number of parameter bindings for SQL query."},
		{"", "Error in line 1: : No SQL statements detected."},
	}
	for _, tt := range tests {
		_, err := db.Exec(ctx, tt.script)
		var e *ExecError
		if !errors.As(err, &e) || err.Error() != tt.want {
			t.Errorf("%q: %v, want %s", tt.script, err, tt.want)
		}
	}
	if n := count(t, db, "t"); n != 2 {
		t.Errorf("%d rows, want 2", n)
	}
}

func TestObjects(t *testing.T) {
	db := open(t, memState(), nil)
	mustExec(t, db, "CREATE TABLE t(a, b)", "INSERT INTO t VALUES(1, 'x'), (2, NULL)")
	b, res, err := db.AppendJSON(context.Background(), nil, Objects, `SELECT a, b, a+10 AS a, 1 AS "q""q" FROM t`)
	want := `[{"a":11,"b":"x","q\"q":1},{"a":12,"b":null,"q\"q":1}]`
	if err != nil || string(b) != want {
		t.Errorf("%s %v", b, err)
	}
	if res.Rows != nil || !reflect.DeepEqual(res.Columns, []string{"a", "b", "a", `q"q`}) {
		t.Errorf("%+v", res)
	}
	if b, _, err := db.AppendJSON(context.Background(), nil, 0, "SELECT 1"); err == nil {
		t.Errorf("no format: %s", b)
	}
	// A cached statement follows the schema.
	for i, want := range []string{`[{"a":1,"b":"x"}]`, `[{"a":1,"b":"x","c":null}]`} {
		if i == 1 {
			mustExec(t, db, "ALTER TABLE t ADD COLUMN c")
		}
		b, _, err := db.AppendJSON(context.Background(), nil, Objects, "SELECT * FROM t WHERE a = 1")
		if err != nil || string(b) != want {
			t.Errorf("%s, want %s (%v)", b, want, err)
		}
	}
}

func TestStatementCache(t *testing.T) {
	db := open(t, memState(), nil)
	for i := range 3 * maxCached {
		if r := query(t, db, fmt.Sprintf("SELECT %d + ?", i), int64(1)); r.Rows[0][0] != int64(i+1) {
			t.Fatal(r.Rows)
		}
		query(t, db, "SELECT 'often'")
	}
	if n := len(db.conn.cache.bySQL); n != maxCached {
		t.Errorf("%d statements cached", n)
	}
	if db.conn.cache.bySQL["SELECT 'often'"] == nil {
		t.Error("the statement used last has left the cache")
	}
}

func query(tb testing.TB, db *DB, sql string, args ...any) *Result {
	tb.Helper()
	r, err := db.Query(context.Background(), sql, args...)
	if err != nil {
		tb.Fatalf("%.100s: %v", sql, err)
	}
	return r
}

func mustExec(tb testing.TB, db *DB, stmts ...string) {
	tb.Helper()
	for _, s := range stmts {
		query(tb, db, s)
	}
}

func count(tb testing.TB, db *DB, table string) int64 {
	tb.Helper()
	return query(tb, db, "SELECT count(*) FROM "+table).Rows[0][0].(int64)
}
