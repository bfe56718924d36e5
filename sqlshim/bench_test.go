package sqlshim

import (
	"context"
	"fmt"
	"testing"

	"samkit.dev/sam"
	"samkit.dev/sam/boltstore"
)

func memState() sam.State {
	st := sam.NewMemStore()
	return sam.State{Space: st.Space("p"), Blobs: st.Blobs()}
}

// fill makes a table of n rows.
func fill(tb testing.TB, db *DB, n int) {
	tb.Helper()
	for _, q := range []string{
		"CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT, v REAL)",
		fmt.Sprintf("WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM c LIMIT %d) INSERT INTO t SELECT i, 'name number ' || i, i * 1.5 FROM c", n),
	} {
		if _, err := db.Query(context.Background(), q); err != nil {
			tb.Fatal(err)
		}
	}
}

func benchmarkSelect(b *testing.B, db *DB) {
	ctx := context.Background()
	const rows = 1000
	fill(b, db, rows)
	var buf []byte
	b.ReportAllocs()
	i := int64(0)
	for b.Loop() {
		i++
		var err error
		buf, _, err = db.AppendJSON(ctx, buf[:0], Objects, "SELECT * FROM t WHERE id = ?", i*7919%rows+1)
		if err != nil || len(buf) < 10 {
			b.Fatal(string(buf), err)
		}
	}
}

// eachStorage runs a benchmark on pages in memory, on durable pages and on a
// durable file.
func eachStorage(b *testing.B, fn func(b *testing.B, db *DB)) {
	b.Run("memory", func(b *testing.B) { fn(b, open(b, memState(), nil)) })
	b.Run("pages", func(b *testing.B) { fn(b, open(b, boltState(b), nil)) })
	b.Run("file", func(b *testing.B) { fn(b, open(b, sam.State{}, &Options{Dir: b.TempDir()})) })
}

func boltState(tb testing.TB) sam.State {
	store, err := boltstore.Open(tb.TempDir())
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { store.Close() })
	p, err := sam.NewWorkspace(store, "me", nil).Create(context.Background(), "app", nil)
	if err != nil {
		tb.Fatal(err)
	}
	return p.State()
}

func BenchmarkSelectByKey(b *testing.B) { eachStorage(b, benchmarkSelect) }

// BenchmarkScan reads a table of 20,000 rows, from SQLite's cache.
func BenchmarkScan(b *testing.B) {
	eachStorage(b, func(b *testing.B, db *DB) {
		fill(b, db, 20_000)
		for b.Loop() {
			if r, err := db.Query(context.Background(), "SELECT sum(v), count(name) FROM t"); err != nil || r.Rows[0][1] != int64(20_000) {
				b.Fatal(r, err)
			}
		}
	})
}

// BenchmarkColdRead opens a database of 1 MB and reads all of it.
func BenchmarkColdRead(b *testing.B) {
	ctx := context.Background()
	run := func(b *testing.B, st sam.State, opts *Options) {
		db, err := Open(ctx, st, "DB", opts)
		if err != nil {
			b.Fatal(err)
		}
		fill(b, db, 30_000)
		db.Close()
		for b.Loop() {
			db, err := Open(ctx, st, "DB", opts)
			if err != nil {
				b.Fatal(err)
			}
			if r, err := db.Query(ctx, "SELECT sum(v), count(name) FROM t"); err != nil || r.Rows[0][1] != int64(30_000) {
				b.Fatal(r, err)
			}
			db.Close()
		}
	}
	b.Run("pages", func(b *testing.B) { run(b, boltState(b), nil) })
	b.Run("file", func(b *testing.B) { run(b, sam.State{}, &Options{Dir: b.TempDir()}) })
}

func BenchmarkInsert(b *testing.B) {
	eachStorage(b, func(b *testing.B, db *DB) {
		fill(b, db, 1)
		b.ReportAllocs()
		for b.Loop() {
			if _, err := db.Query(context.Background(), "INSERT INTO t(name, v) VALUES(?, ?)", "x", 1.5); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkBatch inserts, updates and selects in one transaction.
func BenchmarkBatch(b *testing.B) {
	eachStorage(b, func(b *testing.B, db *DB) {
		fill(b, db, 1000)
		id := int64(0)
		for b.Loop() {
			id++
			_, err := db.BatchJSON(context.Background(), Objects,
				Stmt{SQL: "INSERT INTO t(name, v) VALUES(?, ?)", Args: []any{"x", 1.5}},
				Stmt{SQL: "UPDATE t SET v = v + 1 WHERE id = ?", Args: []any{id%1000 + 1}},
				Stmt{SQL: "SELECT * FROM t WHERE id = ?", Args: []any{id%1000 + 1}})
			if err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkOpen(b *testing.B) {
	s := memState()
	fill(b, open(b, s, nil), 10)
	for b.Loop() {
		db, err := Open(context.Background(), s, "DB", nil)
		if err != nil {
			b.Fatal(err)
		}
		db.Close()
	}
}

func open(tb testing.TB, s sam.State, opts *Options) *DB {
	tb.Helper()
	db, err := Open(context.Background(), s, "DB", opts)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := db.Close(); err != nil {
			tb.Errorf("close: %v", err)
		}
	})
	return db
}
