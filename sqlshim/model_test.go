package sqlshim

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"samkit.dev/sam"
)

// TestPagesAgainstFile does the same to pages and to a file that SQLite keeps:
// small and large transactions, failing ones, growing and shrinking, with a
// cache so small that pages spill.
func TestPagesAgainstFile(t *testing.T) {
	images := map[string][]byte{
		"8192": nil,
		"4096": sqliteFile(t, "PRAGMA page_size=4096; CREATE TABLE x(v)"),
		// The file shrinks with each transaction that deletes.
		"auto_vacuum": sqliteFile(t, "PRAGMA page_size=4096; PRAGMA auto_vacuum=full; CREATE TABLE x(v)"),
		"1024":        sqliteFile(t, "PRAGMA page_size=1024; PRAGMA auto_vacuum=full; CREATE TABLE x(v)"),
	}
	for name, image := range images {
		t.Run(name, func(t *testing.T) {
			ctx := context.Background()
			st := memState()
			opts := &Options{MaxMemory: 6 << 20}
			pages := open(t, st, opts)
			file := open(t, sam.State{}, &Options{Dir: t.TempDir()})
			both := func(fn func(db *DB)) { fn(pages); fn(file) }
			both(func(db *DB) {
				if image != nil {
					if err := db.Load(ctx, bytes.NewReader(image)); err != nil {
						t.Fatal(err)
					}
				}
				mustExec(t, db, "CREATE TABLE t(id INTEGER PRIMARY KEY, k INTEGER, v BLOB)", "CREATE INDEX tk ON t(k)")
			})
			rnd := rand.New(rand.NewPCG(1, 2))
			for i := range 150 {
				stmts := randomBatch(rnd)
				var errs [2]error
				for j, db := range []*DB{pages, file} {
					_, errs[j] = db.Batch(ctx, stmts...)
				}
				if (errs[0] == nil) != (errs[1] == nil) {
					t.Fatalf("step %d: pages %v, file %v: %v", i, errs[0], errs[1], stmts)
				}
				if i%10 == 9 {
					const sum = "SELECT count(*), sum(id), sum(k), sum(length(v)), min(hex(substr(v, 1, 4))) FROM t"
					if a, b := query(t, pages, sum), query(t, file, sum); !reflect.DeepEqual(a.Rows, b.Rows) {
						t.Fatalf("step %d: pages %v, file %v", i, a.Rows, b.Rows)
					}
					sound(t, pages)
				}
				if i%40 == 39 {
					pages.Close()
					pages = open(t, st, opts)
				}
			}
		})
	}
}

// randomBatch makes a transaction, one in four of which fails at its end.
func randomBatch(rnd *rand.Rand) []Stmt {
	var stmts []Stmt
	for range 1 + rnd.IntN(4) {
		k, size := int64(rnd.IntN(10)), int64(rnd.IntN(3000))
		if rnd.IntN(20) == 0 {
			size *= 100 // overflow pages
		}
		rows := int64(1 + rnd.IntN(30))
		if size < 3000 && rnd.IntN(5) == 0 {
			rows *= 20
		}
		switch rnd.IntN(4) {
		case 0, 1:
			stmts = append(stmts, Stmt{SQL: "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM c LIMIT min(?, 1 + 1200000 / (? + 1))) INSERT INTO t(k, v) SELECT ?, zeroblob(?) FROM c",
				Args: []any{rows, size, k, size}})
		case 2:
			stmts = append(stmts, Stmt{SQL: "UPDATE t SET v = CAST(printf('%0*d', length(v), id) AS BLOB) WHERE k = ? AND length(v) < 3000", Args: []any{k}})
		case 3:
			stmts = append(stmts, Stmt{SQL: fmt.Sprintf("DELETE FROM t WHERE id %% %d = 0", 1+rnd.IntN(5))})
		}
	}
	if rnd.IntN(4) == 0 {
		stmts = append(stmts, Stmt{SQL: "INSERT INTO nope VALUES(1)"})
	}
	return stmts
}
