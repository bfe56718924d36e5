package sqlshim

import (
	"context"
	"fmt"
	"testing"

	"samkit.dev/sam"
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

func BenchmarkSelectByKey(b *testing.B) {
	b.Run("pages", func(b *testing.B) { benchmarkSelect(b, open(b, memState(), nil)) })
	b.Run("file", func(b *testing.B) { benchmarkSelect(b, open(b, memState(), &Options{Dir: b.TempDir()})) })
}

func BenchmarkInsert(b *testing.B) {
	ctx := context.Background()
	run := func(b *testing.B, db *DB) {
		fill(b, db, 1)
		b.ReportAllocs()
		for b.Loop() {
			if _, err := db.Query(ctx, "INSERT INTO t(name, v) VALUES(?, ?)", "x", 1.5); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.Run("pages", func(b *testing.B) { run(b, open(b, memState(), nil)) })
	b.Run("file", func(b *testing.B) { run(b, open(b, memState(), &Options{Dir: b.TempDir()})) })
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
