package sqlshim

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"samkit.dev/sam"
	"samkit.dev/sam/boltstore"
)

// crashDir names the directory that a test's child process writes in.
const crashDir = "SQLSHIM_CRASH_DIR"

func TestMain(m *testing.M) {
	if dir := os.Getenv(crashDir); dir != "" {
		if err := crashChild(dir, os.Getenv("SQLSHIM_CRASH_MODE") == "file"); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func openCrash(dir string, file bool) (*DB, *boltstore.Store, error) {
	store, err := boltstore.Open(dir)
	if err != nil {
		return nil, nil, err
	}
	opts := &Options{MaxMemory: 16 << 20} // a small page cache, so that large transactions spill
	if file {
		opts.Dir = filepath.Join(dir, "db")
	}
	db, err := Open(context.Background(), sam.State{Space: store.Space("p"), Blobs: store.Blobs()}, "DB", opts)
	return db, store, err
}

// crashChild writes transactions over two tables and prints the number of each
// that is acknowledged, until it is killed.
func crashChild(dir string, file bool) error {
	ctx := context.Background()
	db, _, err := openCrash(dir, file)
	if err != nil {
		return err
	}
	if _, err := db.Exec(ctx, "CREATE TABLE IF NOT EXISTS a(id INTEGER PRIMARY KEY, v BLOB)\n"+
		"CREATE TABLE IF NOT EXISTS b(id INTEGER PRIMARY KEY, v BLOB)\nCREATE INDEX IF NOT EXISTS bi ON b(v)\n"+
		"CREATE TABLE IF NOT EXISTS done(n INTEGER PRIMARY KEY)"); err != nil {
		return err
	}
	res, err := db.Query(ctx, "SELECT coalesce(max(n), 0) FROM done")
	if err != nil {
		return err
	}
	for n := res.Rows[0][0].(int64) + 1; ; n++ {
		rows := int64(20)
		if n%10 == 0 {
			rows = 4000 // 1.2 MB a table
		}
		const numbers = "(WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM c LIMIT ?) SELECT i FROM c)"
		_, err := db.Batch(ctx,
			Stmt{SQL: "INSERT INTO a(v) SELECT randomblob(300) FROM " + numbers, Args: []any{rows}},
			Stmt{SQL: "DELETE FROM a WHERE id % 1000 <> 0 AND id < (SELECT max(id) - 5000 FROM a)"},
			Stmt{SQL: "INSERT INTO b(v) SELECT randomblob(300) FROM " + numbers, Args: []any{rows}},
			Stmt{SQL: "DELETE FROM b WHERE id % 1000 <> 0 AND id < (SELECT max(id) - 5000 FROM b)"},
			Stmt{SQL: "INSERT INTO done VALUES(?)", Args: []any{n}})
		if err != nil {
			return err
		}
		fmt.Println(n)
	}
}

func TestCrash(t *testing.T) {
	rounds := 20
	if testing.Short() {
		rounds = 3
	}
	for _, mode := range []string{"pages", "file"} {
		t.Run(mode, func(t *testing.T) {
			rounds := rounds
			if mode == "file" {
				rounds = min(rounds, 5) // SQLite's own work
			}
			dir, acked := t.TempDir(), int64(0)
			for round := range rounds {
				acked = max(acked, crashOnce(t, dir, mode))
				db, store, err := openCrash(dir, mode == "file")
				if err != nil {
					t.Fatalf("round %d: %v", round, err)
				}
				r := query(t, db, "SELECT (SELECT count(*) FROM a), (SELECT count(*) FROM b), (SELECT max(id) FROM a), (SELECT max(id) FROM b), (SELECT max(n) FROM done)")
				row := r.Rows[0]
				if row[0] != row[1] || row[2] != row[3] {
					t.Errorf("round %d: tables differ: %v", round, row)
				}
				if done, _ := row[4].(int64); done < acked {
					t.Errorf("round %d: transaction %d was acknowledged, the last one there is %v", round, acked, row[4])
				}
				sound(t, db)
				if err := db.Close(); err != nil {
					t.Error(err)
				}
				if err := store.Close(); err != nil {
					t.Error(err)
				}
			}
			t.Logf("%d transactions acknowledged in %d rounds", acked, rounds)
		})
	}
}

// crashOnce runs a child, kills it at work and returns the last number it printed.
func crashOnce(t *testing.T, dir, mode string) int64 {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), crashDir+"="+dir, "SQLSHIM_CRASH_MODE="+mode)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	acked := int64(0)
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		n, err := strconv.ParseInt(lines.Text(), 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		if acked == 0 { // it is at work now
			time.AfterFunc(time.Duration(20+rand.IntN(200))*time.Millisecond, func() { cmd.Process.Kill() })
		}
		acked = n
	}
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code >= 0 {
		t.Errorf("the child ended with %d before it was killed", code)
	}
	return acked
}
