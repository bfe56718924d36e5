package sqlshim

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"samkit.dev/internal/iofault"
	"samkit.dev/kv"
	"samkit.dev/sam"
	"samkit.dev/sam/boltstore"
)

// These tests kill a program that writes SQL and KV at once, at a random moment,
// and look at what it left. SAMKIT_CRASH_ROUNDS says how often for each kind of
// storage; the default is 6.

const crashEnv = "SQLSHIM_CRASH" // kind and directory, in the program that is killed

func TestMain(m *testing.M) {
	iofault.Serve(faultWriter)
	if kind, dir, ok := strings.Cut(os.Getenv(crashEnv), ":"); ok {
		if err := crashWriter(kind, dir); err != nil {
			fmt.Println("error", err)
			os.Exit(1)
		}
		return
	}
	if dir := os.Getenv(holdEnv); dir != "" {
		if err := holdFile(dir); err != nil {
			fmt.Println("error", err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// A crashWorld is a project in one kind of storage: "bolt" and "dir" are
// pages in those stores, "file" is a database file beside a bbolt store.
type crashWorld struct {
	store   sam.Store
	project *sam.Project
	db      *DB
	kv      *kv.Namespace
}

func openCrash(ctx context.Context, kind, dir string) (w *crashWorld, err error) {
	w = &crashWorld{}
	if kind == "dir" {
		w.store, err = sam.OpenDir(dir)
	} else {
		w.store, err = boltstore.Open(dir)
	}
	if err != nil {
		return nil, err
	}
	ws := sam.NewWorkspace(w.store, "o", nil)
	if w.project, err = ws.Create(ctx, "p", nil); errors.Is(err, fs.ErrExist) {
		w.project, err = ws.Open(ctx, "p")
	}
	if err == nil {
		opts := &Options{MaxMemory: 16 << 20} // a small page cache, so that large transactions spill
		if kind == "file" {
			opts.Dir = filepath.Join(dir, "db")
		}
		w.db, err = Open(ctx, w.project.State(), "DB", opts)
	}
	if err != nil {
		w.store.Close()
		return nil, err
	}
	w.kv = kv.New(w.project.State(), "KV")
	return w, nil
}

func (w *crashWorld) close() error { return errors.Join(w.db.Close(), w.store.Close()) }

// crashWriter writes until it is killed, and prints what was acknowledged.
func crashWriter(kind, dir string) error {
	ctx := context.Background()
	w, err := openCrash(ctx, kind, dir)
	if err != nil {
		return err
	}
	failed := make(chan error)
	if _, err := w.db.Exec(ctx, "CREATE TABLE IF NOT EXISTS a(id INTEGER PRIMARY KEY, v BLOB)\n"+
		"CREATE TABLE IF NOT EXISTS b(id INTEGER PRIMARY KEY, v BLOB)\nCREATE INDEX IF NOT EXISTS bi ON b(v)\n"+
		"CREATE TABLE IF NOT EXISTS done(n INTEGER PRIMARY KEY)\nCREATE TABLE IF NOT EXISTS m(w, n)"); err != nil {
		return err
	}
	go func() { failed <- w.writeSQL(ctx) }()
	for i := range crashWriters {
		go func() { failed <- w.writeRows(ctx, i) }()
	}
	go func() { failed <- w.writeKV(ctx) }()
	return <-failed
}

// writeSQL makes transactions over two tables, most of them small.
func (w *crashWorld) writeSQL(ctx context.Context) error {
	res, err := w.db.Query(ctx, "SELECT coalesce(max(n), 0) FROM done")
	if err != nil {
		return err
	}
	for n := res.Rows[0][0].(int64) + 1; ; n++ {
		rows := int64(20)
		if n%20 == 0 {
			rows = 4000 // 1.2 MB a table
		}
		_, err := w.db.Batch(ctx,
			Stmt{SQL: "INSERT INTO a(v) SELECT randomblob(300) FROM " + numbers, Args: []any{rows}},
			Stmt{SQL: "DELETE FROM a WHERE id % 1000 <> 0 AND id < (SELECT max(id) - 5000 FROM a)"},
			Stmt{SQL: "INSERT INTO b(v) SELECT randomblob(300) FROM " + numbers, Args: []any{rows}},
			Stmt{SQL: "DELETE FROM b WHERE id % 1000 <> 0 AND id < (SELECT max(id) - 5000 FROM b)"},
			Stmt{SQL: "INSERT INTO done VALUES(?)", Args: []any{n}})
		if err != nil {
			return err
		}
		fmt.Println("sql", n)
	}
}

const crashWriters = 3

// writeRows writes rows one by one, beside the other writers.
func (w *crashWorld) writeRows(ctx context.Context, writer int) error {
	res, err := w.db.Query(ctx, "SELECT coalesce(max(n), 0) FROM m WHERE w = ?", writer)
	if err != nil {
		return err
	}
	for n := res.Rows[0][0].(int64) + 1; ; n++ {
		if _, err := w.db.Query(ctx, "INSERT INTO m VALUES(?, ?)", writer, n); err != nil {
			return err
		}
		fmt.Println("row", int(n)*crashWriters+writer)
	}
}

// A crashValue is what writeKV puts as number n: small, inline or in a blob.
func crashValue(n int) kv.Entry {
	size := []int{10, 1000, 30 << 10, 100 << 10}[n%4]
	return kv.Entry{
		Key: fmt.Sprint("k", n%crashKeys), Value: []byte(fmt.Sprint(n, " ", strings.Repeat("x", size))),
		Metadata: json.RawMessage(fmt.Sprintf(`{"n":%d}`, n)), Expires: time.Now().Add(24 * time.Hour),
	}
}

const crashKeys = 8

// writeKV puts values, and deletes two keys at once now and then.
func (w *crashWorld) writeKV(ctx context.Context) error {
	last := 0
	for i := range crashKeys {
		n, err := w.readKV(ctx, i)
		if err != nil {
			return err
		}
		last = max(last, n)
	}
	for n := last + 1; ; n++ {
		if err := w.kv.Put(ctx, crashValue(n)); err != nil {
			return err
		}
		fmt.Println("kv", n)
		if n%5 != 0 {
			continue
		}
		for _, key := range []string{"twin", "twin2"} {
			if err := w.kv.Put(ctx, kv.Entry{Key: key}); err != nil {
				return err
			}
		}
		if err := w.kv.Delete(ctx, "twin2", "twin"); err != nil {
			return err
		}
	}
}

// readKV returns the number of what is under key i, 0 if nothing is.
func (w *crashWorld) readKV(ctx context.Context, i int) (int, error) {
	e, err := w.kv.Get(ctx, fmt.Sprint("k", i))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	digits, _, _ := strings.Cut(string(e.Value), " ")
	n, err := strconv.Atoi(digits)
	if want := crashValue(n); err == nil && (string(e.Value) != string(want.Value) || string(e.Metadata) != string(want.Metadata) || n%crashKeys != i || e.Expires.IsZero()) {
		err = fmt.Errorf("key k%d holds %d bytes, metadata %s, of number %d", i, len(e.Value), e.Metadata, n)
	}
	return n, err
}

// crashAcks is the newest number that was acknowledged.
type crashAcks struct {
	sql, kv, total int
	keys           [crashKeys]int
	rows           [crashWriters]int
}

func TestCrash(t *testing.T) {
	rounds := 6
	if testing.Short() {
		rounds = 2
	}
	if s := os.Getenv("SAMKIT_CRASH_ROUNDS"); s != "" {
		var err error
		if rounds, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
	}
	for _, kind := range []string{"bolt", "dir", "file"} {
		t.Run(kind, func(t *testing.T) {
			dir, acked, began := t.TempDir(), &crashAcks{}, time.Now()
			for round := range rounds {
				crashOnce(t, dir, kind, acked)
				if err := crashCheck(kind, dir, acked, round); err != nil {
					t.Fatalf("round %d: %v", round, err)
				}
			}
			t.Logf("%d writes acknowledged in %d rounds, %v: transactions up to %d, rows up to %v, KV writes up to %d", acked.total, rounds, time.Since(began).Round(time.Second), acked.sql, acked.rows, acked.kv)
			if acked.total < rounds {
				t.Error("the writer did nearly nothing")
			}
		})
	}
}

// crashOnce runs a writer and kills it at work.
func crashOnce(t *testing.T, dir, kind string, acked *crashAcks) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), crashEnv+"="+kind+":"+dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stuck := time.AfterFunc(time.Minute, func() { cmd.Process.Kill() })
	defer stuck.Stop()
	at, killing := map[string]bool{}, false
	for lines := bufio.NewScanner(out); lines.Scan(); {
		var what string
		var n int
		if _, err := fmt.Sscan(lines.Text(), &what, &n); err != nil {
			t.Errorf("the writer says %q", lines.Text())
			continue
		}
		if at[what] = true; !killing && at["sql"] && at["kv"] { // it is at work now
			killing = true
			time.AfterFunc(time.Duration(rand.IntN(150))*time.Millisecond, func() { cmd.Process.Kill() })
		}
		acked.total++
		switch what {
		case "sql":
			acked.sql = n
		case "row":
			acked.rows[n%crashWriters] = n / crashWriters
		default:
			acked.kv, acked.keys[n%crashKeys] = n, n
		}
	}
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code >= 0 || !killing {
		t.Errorf("the writer ended with %d before it was killed", code)
	}
}

// crashCheck opens what was left.
func crashCheck(kind, dir string, acked *crashAcks, round int) error {
	ctx := context.Background()
	w, err := openCrash(ctx, kind, dir)
	if err != nil {
		return err
	}
	defer w.close()
	if b, ok := w.store.(*boltstore.Store); ok && round%20 == 0 {
		if err := b.Check(ctx); err != nil {
			return err
		}
	}
	// What is there without having been acknowledged is where the next round goes on.
	if acked.sql, err = w.checkSQL(ctx, acked.sql); err != nil {
		return err
	}
	for i := range acked.rows {
		res, err := w.db.Query(ctx, "SELECT count(*), coalesce(max(n), 0) FROM m WHERE w = ?", i)
		if err != nil {
			return err
		}
		n, last := int(res.Rows[0][0].(int64)), int(res.Rows[0][1].(int64))
		if n != last || n < acked.rows[i] || n > acked.rows[i]+1 {
			return fmt.Errorf("writer %d: row %d was acknowledged, %v are there", i, acked.rows[i], res.Rows)
		}
		acked.rows[i] = n
	}
	newest := acked.kv
	for i := range crashKeys {
		n, err := w.readKV(ctx, i)
		if err != nil {
			return err
		}
		if n < acked.keys[i] {
			return fmt.Errorf("key k%d: number %d was acknowledged, %d is there", i, acked.keys[i], n)
		}
		if n > acked.kv+1 {
			return fmt.Errorf("key k%d: number %d is there, the writer came to %d", i, n, acked.kv)
		}
		acked.keys[i], newest = n, max(newest, n)
	}
	acked.kv = newest
	_, err1 := w.kv.Get(ctx, "twin")
	_, err2 := w.kv.Get(ctx, "twin2")
	if err1 != nil && err2 == nil {
		return fmt.Errorf("half of a delete happened: %v, %v", err1, err2)
	}
	if round%10 == 9 {
		if err := w.sweep(ctx); err != nil {
			return err
		}
	}
	return w.close()
}

// sweep removes the values that were replaced, at once.
func (w *crashWorld) sweep(ctx context.Context) error {
	live := map[string]bool{}
	for i := range crashKeys {
		if e, err := w.kv.Get(ctx, fmt.Sprint("k", i)); err == nil {
			live[fmt.Sprintf("%x", sha256.Sum256(e.Value))] = true
		}
	}
	_, err := kv.Sweep(ctx, w.project.State(), time.Now())
	if err == nil {
		_, err = w.store.Blobs().Sweep(ctx, func(hash string) bool { return live[hash] }, time.Now())
	}
	return err
}

// intact has SQLite check the database.
func (w *crashWorld) intact(ctx context.Context) error {
	return w.db.do(ctx, func(c *conn) error {
		return c.trust(func() error {
			st, _, err := c.db.Prepare("PRAGMA integrity_check")
			if err != nil {
				return err
			}
			defer st.Close()
			if !st.Step() || st.ColumnText(0) != "ok" {
				return fmt.Errorf("integrity_check: %s, %w", st.ColumnText(0), st.Err())
			}
			return nil
		})
	})
}

// checkSQL returns the last transaction that is there.
func (w *crashWorld) checkSQL(ctx context.Context, acked int) (int, error) {
	if err := w.intact(ctx); err != nil {
		return 0, err
	}
	res, err := w.db.Query(ctx, "SELECT (SELECT count(*) FROM a), (SELECT count(*) FROM b), (SELECT max(id) FROM a), (SELECT max(id) FROM b), (SELECT max(n) FROM done)")
	if err != nil {
		return 0, err
	}
	row := res.Rows[0]
	if row[0] != row[1] || row[2] != row[3] {
		return 0, fmt.Errorf("half of a transaction is there: %v", row)
	}
	done, _ := row[4].(int64)
	if done < int64(acked) || done > int64(acked)+1 {
		return 0, fmt.Errorf("transaction %d was acknowledged, the last one there is %v", acked, row[4])
	}
	return int(done), nil
}
