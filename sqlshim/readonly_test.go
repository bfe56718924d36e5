package sqlshim

import (
	"errors"
	"testing"

	"samkit.dev/sam"
)

func TestReadOnly(t *testing.T) {
	store := sam.NewMemStore()
	defer store.Close()
	p, err := sam.NewWorkspace(store, "ada", nil).Create(t.Context(), "p", nil)
	if err != nil {
		t.Fatal(err)
	}
	before, err := Open(t.Context(), p.State(), "none", &Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer before.Close()
	if res, err := before.Query(t.Context(), "SELECT count(*) FROM sqlite_schema"); err != nil || res.Rows[0][0] != int64(0) {
		t.Errorf("a database that there is not: %v, %v", res, err)
	}

	db, err := Open(t.Context(), p.State(), "DB", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(t.Context(), "CREATE TABLE t (a); INSERT INTO t VALUES (1), (2), (3)"); err != nil {
		t.Fatal(err)
	}
	reader, err := Open(t.Context(), p.State(), "DB", &Options{ReadOnly: true, MaxRows: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	res, err := reader.Query(t.Context(), "SELECT a FROM t")
	if err != nil || len(res.Rows) != 2 || !res.More {
		t.Errorf("%v, %v", res, err)
	}
	if res, err := reader.Query(t.Context(), "SELECT a FROM t LIMIT 2"); err != nil || res.More {
		t.Errorf("%v, %v", res, err)
	}
	for _, sql := range []string{
		"INSERT INTO t VALUES (4)", "UPDATE t SET a = 0 RETURNING a", "DELETE FROM t", "CREATE TABLE u (a)", "DROP TABLE t",
		"WITH x(a) AS (VALUES (9)) INSERT INTO t SELECT a FROM x", "PRAGMA query_only = off; INSERT INTO t VALUES (4)", "PRAGMA optimize(0x10002)",
	} {
		_, err := reader.Query(t.Context(), sql)
		var e *Error
		if errors.As(err, &e) && (e.Code == "SQLITE_READONLY" || e.Code == "SQLITE_AUTH") {
			continue
		}
		if err != nil || sql[:6] != "PRAGMA" { // which may find nothing to do
			t.Errorf("%s: %v", sql, err)
		}
	}
	// The owner has lost nothing by it.
	if res, err := db.Query(t.Context(), "SELECT count(*) FROM t"); err != nil || res.Rows[0][0] != int64(3) {
		t.Errorf("%v, %v", res, err)
	}
	if _, err := db.Query(t.Context(), "INSERT INTO t VALUES (4)"); err != nil {
		t.Error(err)
	}
	if _, err := reader.Query(t.Context(), "SELECT a FROM t"); !errors.Is(err, sam.ErrConflict) {
		t.Errorf("a reader that is behind: %v", err)
	}
}
