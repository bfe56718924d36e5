package sqlshim

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"
)

func TestMigrate(t *testing.T) {
	ctx := context.Background()
	st := memState()
	db := open(t, st, nil)
	// A seed of over 100,000 bytes, with what looks like the end of a statement in it.
	seed := "PRAGMA foreign_keys=OFF;\nBEGIN TRANSACTION;\n"
	for i := range 5000 {
		seed += fmt.Sprintf("INSERT INTO t VALUES('row; %d -- it''s'); /* ; */\n", i)
	}
	seed += "CREATE TRIGGER tr AFTER INSERT ON t BEGIN INSERT INTO log VALUES(new.v); SELECT 1; END;\nCOMMIT;\n"
	files := fstest.MapFS{
		"9_table.sql":   {Data: []byte("-- first\nCREATE TABLE t(v); CREATE TABLE log(v)")},
		"10_seed.SQL":   {Data: []byte(seed)},
		"11_empty.sql":  {Data: []byte("-- nothing\n")},
		"README.md":     {Data: []byte("not SQL")},
		"12_d.sql/x.js": {Data: []byte("a folder")},
	}
	for range 2 {
		if err := db.Migrate(ctx, files); err != nil {
			t.Fatal(err)
		}
		if n := count(t, db, "t"); n != 5000 {
			t.Errorf("%d rows", n)
		}
	}
	// One that fails leaves nothing, and those before it stay.
	files["12_more.sql"] = &fstest.MapFile{Data: []byte("INSERT INTO t VALUES('more')")}
	files["13_bad.sql"] = &fstest.MapFile{Data: []byte("DELETE FROM t;\nINSERT INTO nope VALUES(1);")}
	files["14_never.sql"] = &fstest.MapFile{Data: []byte("DELETE FROM t")}
	err := db.Migrate(ctx, files)
	var failed *MigrationError
	var e *Error
	if !errors.As(err, &failed) || failed.File != "13_bad.sql" || !errors.As(err, &e) || !strings.Contains(e.Text, "no such table: nope") {
		t.Errorf("error %v", err)
	}
	if n := count(t, db, "log"); n != 1 {
		t.Errorf("the trigger ran %d times", n)
	}
	r := query(t, db, "SELECT name FROM d1_migrations ORDER BY id")
	if want := [][]any{{"9_table.sql"}, {"10_seed.SQL"}, {"11_empty.sql"}, {"12_more.sql"}}; !reflect.DeepEqual(r.Rows, want) {
		t.Errorf("applied: %v", r.Rows)
	}
	if n := count(t, db, "t"); n != 5001 {
		t.Errorf("%d rows", n)
	}
	// Another name for the table, of which none is known.
	renamed := open(t, st, &Options{Migrations: `my "own"`})
	if err := renamed.Migrate(ctx, fstest.MapFS{"1.sql": {Data: []byte("CREATE TABLE again(v)")}}); err != nil {
		t.Fatal(err)
	}
	if n := count(t, renamed, `"my ""own"""`); n != 1 {
		t.Errorf("%d records", n)
	}
}

func TestMigrateRefuses(t *testing.T) {
	db := open(t, memState(), nil)
	mustExec(t, db, "CREATE TABLE t(v)")
	for name, tt := range map[string]struct{ sql, want string }{
		"long":       {"INSERT INTO t VALUES('" + strings.Repeat("x", maxSQL) + "')", "statement too long"},
		"long list":  {"INSERT INTO t VALUES(1)" + strings.Repeat(",('"+strings.Repeat("x", 1000)+"')", maxSQL/1000) + ";", "statement too long"},
		"savepoint":  {"SAVEPOINT x; INSERT INTO t VALUES(1);", "To execute a transaction"},
		"rollback":   {"INSERT INTO t VALUES(1); ROLLBACK;", "To execute a transaction"},
		"parameters": {"INSERT INTO t VALUES(?)", "Wrong number of parameter bindings"},
		"attach":     {"ATTACH 'x' AS x", "SQLITE_AUTH"},
		"half":       {"INSERT INTO t VALUES(1); INSERT INTO", "incomplete input"},
	} {
		err := db.Migrate(context.Background(), fstest.MapFS{"1.sql": {Data: []byte(tt.sql)}})
		var failed *MigrationError
		if !errors.As(err, &failed) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %s", name, err, tt.want)
		}
		if n := count(t, db, "t"); n != 0 {
			t.Errorf("%s: %d rows", name, n)
		}
	}
	if err := db.Migrate(context.Background(), fstest.MapFS{}); err != nil {
		t.Errorf("no files: %v", err)
	}
	missing, _ := fs.Sub(fstest.MapFS{}, "none")
	if err := db.Migrate(context.Background(), missing); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no folder: %v", err)
	}
}
