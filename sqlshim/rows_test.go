package sqlshim

import (
	"context"
	"errors"
	"testing"

	"samkit.dev/sam"
)

// TestRowsNearD1 shows how near the counts come to those that D1 gives for the
// same statements, which are from miniflare 4.20260426.
func TestRowsNearD1(t *testing.T) {
	type rows struct{ read, written int64 }
	tests := []struct {
		sql      string
		want, d1 rows
	}{
		{"CREATE TABLE t(id INTEGER PRIMARY KEY, a INT, b TEXT)", rows{1, 0}, rows{1, 2}},
		{"CREATE INDEX ta ON t(a)", rows{2, 0}, rows{2, 1}},
		{"CREATE TABLE u(k TEXT PRIMARY KEY, v)", rows{1, 0}, rows{1, 3}},
		{"CREATE TABLE w(k TEXT PRIMARY KEY, v) WITHOUT ROWID", rows{1, 0}, rows{1, 2}},
		{"CREATE TABLE n(x)", rows{1, 0}, rows{1, 2}},
		{"INSERT INTO n WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM c LIMIT 100) SELECT i FROM c", rows{100, 100}, rows{100, 100}},
		{"INSERT INTO t SELECT x, x%10, 'name'||x FROM n", rows{100, 200}, rows{200, 200}},
		{"INSERT INTO t VALUES(1000,5,'z')", rows{1, 2}, rows{1, 2}},
		{"INSERT INTO t VALUES(1001,5,'z'),(1002,6,'y')", rows{2, 4}, rows{2, 4}},
		{"INSERT INTO u VALUES('a',1)", rows{1, 2}, rows{0, 2}},
		{"INSERT INTO w VALUES('a',1)", rows{1, 1}, rows{0, 1}},
		{"INSERT INTO n VALUES(500) RETURNING x", rows{1, 1}, rows{1, 1}},
		{"SELECT * FROM n", rows{101, 0}, rows{101, 0}},
		{"SELECT * FROM n LIMIT 5", rows{5, 0}, rows{5, 0}},
		{"SELECT * FROM n WHERE x = 3", rows{101, 0}, rows{101, 0}},
		{"SELECT * FROM t WHERE id = 3", rows{1, 0}, rows{1, 0}},
		{"SELECT * FROM t WHERE id = 3333", rows{1, 0}, rows{1, 0}},
		{"SELECT * FROM t WHERE id > 50", rows{53, 0}, rows{53, 0}},
		{"SELECT * FROM t WHERE a = 5", rows{13, 0}, rows{13, 0}},
		{"SELECT a FROM t WHERE a = 5", rows{13, 0}, rows{13, 0}},
		{"SELECT count(*) FROM t WHERE a = 5", rows{13, 0}, rows{13, 0}},
		{"SELECT count(*) FROM t", rows{1, 0}, rows{103, 0}},
		{"SELECT max(id) FROM t", rows{1, 0}, rows{1, 0}},
		{"SELECT sum(x) FROM n", rows{101, 0}, rows{101, 0}},
		{"SELECT * FROM n ORDER BY x", rows{202, 0}, rows{202, 0}},
		{"SELECT * FROM n ORDER BY x LIMIT 3", rows{104, 0}, rows{202, 0}},
		{"SELECT * FROM t JOIN n ON n.x = t.id", rows{101, 0}, rows{202, 0}},
		{"SELECT * FROM n JOIN t ON n.x = t.id WHERE t.a=5", rows{101, 0}, rows{202, 0}},
		{"SELECT a, count(*) FROM t GROUP BY a", rows{103, 0}, rows{103, 0}},
		{"SELECT x%3, count(*) FROM n GROUP BY x%3", rows{202, 0}, rows{202, 0}},
		{"SELECT DISTINCT a FROM t", rows{103, 0}, rows{103, 0}},
		{"SELECT * FROM n WHERE x IN (1,2,3)", rows{101, 0}, rows{101, 0}},
		{"SELECT * FROM t WHERE id IN (1,2,3)", rows{3, 0}, rows{6, 0}},
		{"SELECT 1", rows{0, 0}, rows{0, 0}},
		{"SELECT * FROM (VALUES(1),(2))", rows{0, 0}, rows{0, 0}},
		{"WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM c LIMIT 10) SELECT * FROM c", rows{0, 0}, rows{10, 0}},
		{"SELECT * FROM u WHERE k='a'", rows{1, 0}, rows{1, 0}},
		{"SELECT * FROM w WHERE k='a'", rows{1, 0}, rows{1, 0}},
		{"UPDATE n SET x = x+1", rows{101, 101}, rows{101, 101}},
		{"UPDATE t SET b = 'q' WHERE a = 5", rows{13, 12}, rows{13, 12}},
		{"UPDATE t SET a = 7 WHERE a = 5", rows{24, 24}, rows{37, 24}},
		{"UPDATE t SET b = 'q' WHERE id = 5", rows{1, 1}, rows{1, 1}},
		{"UPDATE u SET v = 2", rows{1, 1}, rows{1, 1}},
		{"DELETE FROM t WHERE id = 5", rows{1, 1}, rows{1, 1}},
		{"DELETE FROM t WHERE id = 5", rows{1, 0}, rows{1, 0}},
		{"DELETE FROM t WHERE a = 6", rows{12, 11}, rows{12, 11}},
		{"DELETE FROM n WHERE x > 90", rows{101, 12}, rows{101, 12}},
		{"DELETE FROM n", rows{89, 89}, rows{0, 89}},
		{"DELETE FROM w WHERE k='a'", rows{1, 1}, rows{1, 1}},
		{"INSERT INTO u VALUES('a',3) ON CONFLICT(k) DO UPDATE SET v = 4", rows{1, 2}, rows{1, 1}},
		{"REPLACE INTO u VALUES('a',5)", rows{1, 2}, rows{1, 2}},
		{"INSERT OR IGNORE INTO u VALUES('a',6)", rows{0, 0}, rows{0, 0}},
		{"CREATE TRIGGER tr AFTER INSERT ON u BEGIN INSERT INTO n VALUES(1); END", rows{0, 0}, rows{0, 1}},
		{"INSERT INTO u VALUES('b',3)", rows{2, 3}, rows{0, 3}},
		{"CREATE VIRTUAL TABLE f USING fts5(x)", rows{3, 3}, rows{1, 2}},
		{"INSERT INTO f VALUES('hello world')", rows{7, 7}, rows{0, 1}},
		{"SELECT * FROM f WHERE f MATCH 'hello'", rows{1, 0}, rows{1, 0}},
		{"SELECT * FROM sqlite_master", rows{13, 0}, rows{14, 0}},
		{"SELECT value FROM json_each('[1,2,3]')", rows{3, 0}, rows{3, 0}},
		{"SELECT * FROM t a, t b WHERE a.id < 5 AND b.id < 5", rows{21, 0}, rows{25, 0}},
		{"SELECT (SELECT count(*) FROM n) FROM t WHERE id<10", rows{8, 0}, rows{9, 0}},
		{"DROP TABLE u", rows{24, 0}, rows{29, 0}},
	}
	db := open(t, memState(), nil)
	same := 0
	for _, tt := range tests {
		r := query(t, db, tt.sql)
		if got := (rows{r.RowsRead, r.RowsWritten}); got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.sql, got, tt.want)
		}
		if tt.want == tt.d1 {
			same++
		}
	}
	t.Logf("%d of %d as in D1", same, len(tests))
}

// limitOf returns the limit that err is about, or "".
func limitOf(err error) string {
	var e *Error
	var limit *sam.LimitError
	if !errors.As(err, &e) || !errors.As(err, &limit) {
		return ""
	}
	return limit.Limit
}

func TestWithRows(t *testing.T) {
	db := open(t, memState(), nil)
	mustExec(t, db, "CREATE TABLE t(v)", "CREATE INDEX tv ON t(v)")
	const many = "INSERT INTO t SELECT i FROM (WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM c LIMIT 50000) SELECT i FROM c)"
	mustExec(t, db, many)
	other := open(t, memState(), nil)
	mustExec(t, other, "CREATE TABLE t(v)", "INSERT INTO t VALUES(1)")
	tests := []struct {
		name          string
		read, written int64
		sql           string
		want          string
	}{
		{"scan", 10_000, -1, "SELECT sum(v) FROM t NOT INDEXED", "RowsRead"},
		{"range", 10_000, -1, "SELECT sum(v) FROM t WHERE v > 10", "RowsRead"},
		{"rows", 10_000, -1, "SELECT v FROM t", "RowsRead"},
		{"join", 10_000, -1, "SELECT count(*) FROM t a, t b WHERE a.v + b.v = 5", "RowsRead"},
		{"insert", -1, 1000, many, "RowsWritten"},
		{"update", -1, 1000, "UPDATE t SET v = v + 1", "RowsWritten"},
		{"delete", -1, 1000, "DELETE FROM t WHERE v > 0", "RowsWritten"},
		{"enough", 200_000, 200_000, "UPDATE t SET v = v", ""},
		{"no bound", -1, -1, many, ""},
	}
	for _, tt := range tests {
		ctx := WithRows(context.Background(), tt.read, tt.written)
		before := count(t, db, "t")
		_, err := db.Query(ctx, tt.sql)
		if got := limitOf(err); got != tt.want {
			t.Errorf("%s: limit %q, want %q (%v)", tt.name, got, tt.want, err)
		}
		if tt.want == "" {
			continue
		}
		if n := count(t, db, "t"); n != before {
			t.Errorf("%s: %d rows, before %d", tt.name, n, before)
		}
		if _, err := other.Query(ctx, "SELECT * FROM t"); limitOf(err) != tt.want && tt.want == "RowsRead" {
			t.Errorf("%s: another database with the same context: %v", tt.name, err)
		}
		mustExec(t, other, "SELECT * FROM t")
	}
	sound(t, db)
}

// TestRowsAddUp has a request of many small calls.
func TestRowsAddUp(t *testing.T) {
	db := open(t, memState(), nil)
	mustExec(t, db, "CREATE TABLE t(v)")
	ctx := WithRows(context.Background(), -1, 10)
	n := 0
	for ; n < 100; n++ {
		if _, err := db.Query(ctx, "INSERT INTO t VALUES(1)"); err != nil {
			if limitOf(err) != "RowsWritten" {
				t.Error(err)
			}
			break
		}
	}
	if c := count(t, db, "t"); n != 10 || c != int64(n) {
		t.Errorf("%d inserts went through, %d rows", n, c)
	}
	// A batch is undone as a whole.
	ctx = WithRows(context.Background(), -1, 10)
	batch := make([]Stmt, 20)
	for i := range batch {
		batch[i] = Stmt{SQL: "INSERT INTO t VALUES(2)"}
	}
	if _, err := db.Batch(ctx, batch...); limitOf(err) != "RowsWritten" {
		t.Error(err)
	}
	if c := count(t, db, "t"); c != int64(n) {
		t.Errorf("%d rows after a batch that was refused, want %d", c, n)
	}
}
