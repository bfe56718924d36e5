package sqlshim

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"
)

// FuzzQuery runs strangers' SQL. Whatever it is, it ends with a result or an
// *Error, leaves no transaction open, and the database works after it.
func FuzzQuery(f *testing.F) {
	for _, sql := range []string{
		"SELECT 1", "SELECT 1; SELECT 2", "BEGIN; INSERT INTO keep VALUES(2)", "-- x\n/* y", "SELECT 'a;b' -- c", ";;;", "PRAGMA page_size",
		"CREATE VIRTUAL TABLE f USING fts5(x)", "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM c) SELECT i FROM c",
		"EXPLAIN SELECT 1", "INSERT INTO keep VALUES(x'00', 1e999)", "SELECT 9e999, -9e999, \"a\" FROM keep", "ATTACH 'x' AS y", "\x00\xff",
		"DROP TABLE keep", "CREATE TRIGGER t AFTER INSERT ON keep BEGIN INSERT INTO keep VALUES(1); END",
	} {
		f.Add(sql)
	}
	ctx := context.Background()
	f.Fuzz(func(t *testing.T, sql string) {
		db := open(t, memState(), &Options{Timeout: 500 * time.Millisecond, MaxBytes: 4 << 20, MaxResult: 1 << 20, MaxMemory: 8 << 20})
		mustExec(t, db, "CREATE TABLE keep(v)", "INSERT INTO keep VALUES(1)")
		b, _, err := db.AppendJSON(ctx, nil, Objects, sql)
		var e *Error
		if err != nil && !errors.As(err, &e) {
			t.Errorf("a %T: %v", err, err)
		}
		if err == nil && len(b) > 0 && !json.Valid(b) {
			t.Errorf("not JSON: %s", b)
		}
		db.Exec(ctx, sql)
		if r, err := db.Query(ctx, "SELECT 1"); err != nil || r.Rows[0][0] != int64(1) {
			t.Errorf("after %q: %v", sql, err)
		}
		if !db.conn.db.GetAutocommit() || !db.conn.pages.clean() {
			t.Errorf("%q left a transaction open", sql)
		}
		sound(t, db)
	})
}

// FuzzSkipBlank checks that what is skipped is no statement.
func FuzzSkipBlank(f *testing.F) {
	for _, s := range []string{"", " ", "-- a", "-- a\nSELECT", "/* a */ b", "/*", "/*/ x", ";;", "--", "- -", "/ *"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		rest := skipBlank(s)
		if !strings.HasSuffix(s, rest) || skipBlank(rest) != rest {
			t.Errorf("%q leaves %q", s, rest)
		}
	})
}

// FuzzString compares with encoding/json.
func FuzzString(f *testing.F) {
	f.Add("a\"\\\n\x00\u2028\xff")
	f.Fuzz(func(t *testing.T, s string) {
		var got, want string
		if err := json.Unmarshal(appendString(nil, s), &got); err != nil {
			t.Fatal(err)
		}
		b, _ := json.Marshal(s)
		if json.Unmarshal(b, &want); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	})
}
