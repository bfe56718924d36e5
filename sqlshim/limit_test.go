package sqlshim

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"samkit.dev/sam"
	"samkit.dev/sam/boltstore"
)

// TestLimits holds which limit an error says was met.
func TestLimits(t *testing.T) {
	eachMode(t, func(t *testing.T, opts *Options) {
		opts.Timeout, opts.MaxBytes, opts.MaxResult, opts.MaxMemory = 5*time.Minute, 2<<20, 100_000, 8<<20
		db := open(t, memState(), opts)
		mustExec(t, db, "CREATE TABLE keep(v)", "INSERT INTO keep VALUES(1)")
		for sql, want := range map[string]string{ // none of them may meet the time's before its own
			"SELECT randomblob(1000) FROM " + endless:                                                  "MaxResult",
			"SELECT count(DISTINCT randomblob(1000)) FROM " + endless:                                  "MaxMemory",
			"INSERT INTO keep SELECT randomblob(1000) FROM (SELECT 1 FROM " + endless + " LIMIT 4000)": "MaxBytes",
		} {
			_, err := db.Query(context.Background(), sql)
			if got := limitOf(err); got != want {
				t.Errorf("%s: %q, want %q (%v)", sql, got, want, err)
			}
		}
		brief := &Options{Timeout: 200 * time.Millisecond}
		if opts.Dir != "" {
			brief.Dir = t.TempDir()
		}
		if _, err := open(t, memState(), brief).Query(context.Background(), "SELECT count(*) FROM "+endless); limitOf(err) != "Timeout" || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("endless: %v", err)
		}
		// The caller's own deadline is none of ours.
		ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
		defer cancel()
		if _, err := db.Query(ctx, "SELECT count(*) FROM "+endless); limitOf(err) != "" || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the caller's deadline: %v", err)
		}
		if err := db.Load(context.Background(), bytes.NewReader(append([]byte(magic), make([]byte, 3<<20)...))); limitOf(err) != "MaxBytes" {
			t.Errorf("load: %v", err)
		}
		if n := count(t, db, "keep"); n != 1 {
			t.Errorf("%d rows", n)
		}
		sound(t, db)
	})
	t.Run("changes", func(t *testing.T) {
		db := open(t, memState(), &Options{MaxMemory: 8 << 20})
		mustExec(t, db, "CREATE TABLE t(v)")
		_, err := db.Query(context.Background(), "INSERT INTO t SELECT randomblob(10000) FROM (SELECT 1 FROM "+endless+" LIMIT 5000)")
		if limitOf(err) != "MaxMemory" {
			t.Error(err)
		}
	})
	t.Run("project", func(t *testing.T) {
		p, err := sam.NewWorkspace(sam.NewMemStore(), "me", &sam.Options{Limits: sam.Limits{StateBytes: 1 << 20}}).Create(context.Background(), "p", nil)
		if err != nil {
			t.Fatal(err)
		}
		db := open(t, p.State(), nil)
		mustExec(t, db, "CREATE TABLE t(v)")
		_, err = db.Query(context.Background(), "INSERT INTO t SELECT randomblob(10000) FROM (SELECT 1 FROM "+endless+" LIMIT 500)")
		if limitOf(err) != "StateBytes" {
			t.Error(err)
		}
	})
}

// TestHostileSchemas makes what is small to write and large to run.
func TestHostileSchemas(t *testing.T) {
	db := open(t, memState(), &Options{Timeout: 500 * time.Millisecond, MaxMemory: 16 << 20})
	mustExec(t, db, "CREATE TABLE keep(v)", "INSERT INTO keep VALUES(1)", "CREATE VIEW v0 AS SELECT 1 a")
	for i := 1; i < 40; i++ {
		mustExec(t, db, fmt.Sprintf("CREATE VIEW v%d AS SELECT x.a FROM v%d x, v%[2]d y", i, i-1))
	}
	refuses(t, db, "SELECT count(*) FROM v39", "SQLITE_")
	ctes := "WITH t0(a) AS (SELECT 1)"
	for i := 1; i < 60; i++ {
		ctes += fmt.Sprintf(", t%d(a) AS (SELECT x.a FROM t%d x, t%[2]d y, t%[2]d z)", i, i-1)
	}
	refuses(t, db, ctes+" SELECT count(*) FROM t59", "SQLITE_")
	// Triggers one behind the other, each of which fires the next one twice.
	mustExec(t, db, "CREATE TABLE b0(v)")
	for i := 1; i < 30; i++ {
		mustExec(t, db, fmt.Sprintf("CREATE TABLE b%d(v)", i), fmt.Sprintf("CREATE TRIGGER r%d AFTER INSERT ON b%d BEGIN INSERT INTO b%[1]d VALUES(1); INSERT INTO b%[1]d VALUES(2); END", i, i-1))
	}
	refuses(t, db, "INSERT INTO b0 VALUES(1)", "SQLITE_")
	// One that rolls back in the middle of a batch.
	mustExec(t, db, "CREATE TABLE k(v)", "CREATE TRIGGER kr AFTER INSERT ON k WHEN new.v = 2 BEGIN SELECT RAISE(ROLLBACK, 'no'); END")
	_, err := db.Batch(context.Background(), Stmt{SQL: "INSERT INTO k VALUES(1)"}, Stmt{SQL: "INSERT INTO k VALUES(2)"}, Stmt{SQL: "INSERT INTO k VALUES(3)"})
	if err == nil || !strings.Contains(err.Error(), "no: SQLITE_CONSTRAINT (extended: SQLITE_CONSTRAINT_TRIGGER)") {
		t.Error(err)
	}
	if n := count(t, db, "k"); n != 0 {
		t.Errorf("%d rows", n)
	}
	sound(t, db)
}

// TestDiskIsBounded fills a database, empties it and fills it again, and sorts
// what does not fit in memory, and looks at the disk.
func TestDiskIsBounded(t *testing.T) {
	ctx := context.Background()
	const limit = 4 << 20
	for _, kind := range []string{"bolt", "dir", "file"} {
		t.Run(kind, func(t *testing.T) {
			dir, opts := t.TempDir(), &Options{MaxBytes: limit, MaxMemory: 8 << 20}
			t.Setenv("TMPDIR", dir)
			t.Setenv("SQLITE_TMPDIR", dir)
			store, err := sam.OpenDir(dir)
			if kind == "bolt" {
				store.Close()
				dir = t.TempDir()
				store, err = boltstore.Open(dir)
			}
			if err != nil {
				t.Fatal(err)
			}
			defer store.Close()
			if kind == "file" {
				opts.Dir = filepath.Join(dir, "db")
			}
			p, err := sam.NewWorkspace(store, "me", nil).Create(ctx, "greedy", nil)
			if err != nil {
				t.Fatal(err)
			}
			db := open(t, p.State(), opts)
			mustExec(t, db, "CREATE TABLE t(v)", "CREATE INDEX tv ON t(v)")
			for range 3 {
				refused := 0
				for range 100 {
					if _, err := db.Query(ctx, "INSERT INTO t SELECT randomblob(500) FROM (SELECT 1 FROM "+endless+" LIMIT 200)"); err != nil {
						if limitOf(err) != "MaxBytes" {
							t.Fatal(err)
						}
						refused++
						break
					}
				}
				if refused == 0 {
					t.Error("nothing was refused")
				}
				if _, err := db.Query(ctx, "SELECT randomblob(500) r FROM (SELECT 1 FROM "+endless+" LIMIT 40000) ORDER BY r LIMIT 1 OFFSET 39999"); err == nil {
					t.Error("a sort of 20 MB was done")
				}
				mustExec(t, db, "DELETE FROM t WHERE rowid % 2", "DELETE FROM t")
			}
			var n int64
			err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
				if err != nil || d.IsDir() {
					return err
				}
				info, err := os.Stat(path)
				if err == nil {
					n += info.Size()
				}
				return err
			})
			if err != nil || n > 5*limit {
				t.Errorf("%d KB on disk, the limit is %d: %v", n>>10, limit>>10, err)
			} else {
				t.Logf("%d KB on disk", n>>10)
			}
			sound(t, db)
		})
	}
}

// TestCallerGone ends a statement that SQLite itself does not, when its caller has gone.
func TestCallerGone(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs protect_unix.go")
	}
	object := func(p string) string {
		return "(SELECT json_group_object('" + p + "' || i, i) FROM (WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c LIMIT 60000) SELECT i FROM c))"
	}
	eachMode(t, func(t *testing.T, opts *Options) {
		opts.Timeout = 10 * time.Minute
		db := open(t, memState(), opts)
		ctx, cancel := context.WithCancel(t.Context())
		timer := time.AfterFunc(300*time.Millisecond, cancel)
		defer timer.Stop()
		done := make(chan error, 1)
		go func() {
			_, err := db.Query(ctx, "SELECT length(json_patch("+object("a")+", "+object("b")+"))")
			done <- err
		}()
		select {
		case err := <-done:
			if err == nil || limitOf(err) != "" {
				t.Error(err)
			}
		case <-time.After(time.Minute):
			t.Fatal("the statement goes on")
		}
		if _, err := db.Query(t.Context(), "SELECT 1"); err != nil {
			t.Errorf("after: %v", err)
		}
	})
}
