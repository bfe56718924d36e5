package sqlshim

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"samkit.dev/sam"
)

// grace is how long after its timeout a statement may end.
const grace = 300 * time.Millisecond

// refuses checks that SQL fails, in time, and that the database goes on.
func refuses(t *testing.T, db *DB, sql, want string) {
	t.Helper()
	began := time.Now()
	_, err := db.Query(context.Background(), sql)
	if d := time.Since(began); d > db.opts.Timeout+grace+slack {
		t.Errorf("%.80s: took %v", sql, d)
	}
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%.80s: %v, want %s", sql, err, want)
	}
	if r, err := db.Query(context.Background(), "SELECT count(*) FROM keep"); err != nil || r.Rows[0][0] != int64(1) {
		t.Errorf("after %.80s: %v", sql, err)
	}
}

// endless is a table without end.
const endless = "(WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM c) SELECT i FROM c)"

func TestHostileSQL(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	big := "(SELECT replace(hex(zeroblob(1000000)), '0', 'a'))"
	object := func(p string) string {
		return "(SELECT json_group_object('" + p + "' || i, i) FROM (WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM c LIMIT 40000) SELECT i FROM c))"
	}
	tests := []struct{ name, sql, want string }{
		{"attach", "ATTACH '" + out + "' AS x", "SQLITE_AUTH"},
		{"attach URI", "ATTACH 'file:" + out + "?vfs=os' AS x", "SQLITE_AUTH"},
		{"load_extension", "SELECT load_extension('x.so')", "not authorized"},
		{"writable_schema", "PRAGMA writable_schema = ON", "SQLITE_AUTH"},
		{"journal_mode", "PRAGMA journal_mode = OFF", "SQLITE_AUTH"},
		{"mmap_size", "PRAGMA mmap_size = 1000000", "SQLITE_AUTH"},
		{"key", "PRAGMA key = 'x'", "SQLITE_AUTH"},
		{"temp_store_directory", "PRAGMA temp_store_directory = '/tmp'", "SQLITE_AUTH"},
		{"cache_size", "PRAGMA cache_size = 1000000", "SQLITE_AUTH"},
		{"max_page_count", "PRAGMA max_page_count = 1000000", "SQLITE_AUTH"},
		{"locking_mode", "PRAGMA locking_mode = NORMAL", "SQLITE_AUTH"},
		{"pragma function", "SELECT * FROM pragma_journal_mode", "SQLITE_"},
		{"schema", "UPDATE sqlite_schema SET sql = ''", "may not be modified"},
		{"vacuum", "VACUUM INTO '" + out + "'", "cannot VACUUM"},
		{"endless", "SELECT count(*) FROM " + endless, "SQLITE_INTERRUPT"},
		{"endless insert", "INSERT INTO keep SELECT i FROM " + endless, "SQLITE_"},
		{"endless sort", "SELECT i FROM " + endless + " ORDER BY i DESC", "SQLITE_"},
		{"endless group", "SELECT group_concat(i) FROM " + endless, "SQLITE_"},
		{"endless result", "SELECT randomblob(10000) FROM " + endless, "SQLITE_TOOBIG"},
		{"heavy rows", "SELECT sum(length(randomblob(4000000))) FROM " + endless, "SQLITE_INTERRUPT"},
		{"randomblob", "SELECT randomblob(1000000000)", "SQLITE_TOOBIG"},
		{"zeroblob", "SELECT zeroblob(1000000000)", "SQLITE_TOOBIG"},
		{"printf", "SELECT printf('%.*c', 1000000000, 'x')", "SQLITE_TOOBIG"},
		{"cross join", "SELECT count(*) FROM (SELECT 1 FROM " + endless + " LIMIT 100000) a, (SELECT 1 FROM " + endless + " LIMIT 100000) b", "SQLITE_INTERRUPT"},
		{"parameters", "SELECT " + strings.Repeat("?,", 10_000) + "1", "SQLITE_"},
		{"long SQL", "SELECT '" + strings.Repeat("x", 1<<20) + "'", "SQLITE_TOOBIG"},
		{"deep expression", "SELECT " + strings.Repeat("1+(", 1000) + "1" + strings.Repeat(")", 1000), "SQLITE_ERROR"},
		{"deep not", "SELECT " + strings.Repeat("NOT ", 5000) + "1", "SQLITE_ERROR"},
		{"readfile", "SELECT readfile('/etc/passwd')", "no such function"},
		{"writefile", "SELECT writefile('" + out + "', 'x')", "no such function"},
		{"fts3_tokenizer", "SELECT fts3_tokenizer('simple')", "no such function"},
		{"dbpage", "SELECT * FROM sqlite_dbpage", "no such table"},
		{"generate_series", "SELECT * FROM generate_series(1, 10)", "SQLITE_"},
		{"eval", "SELECT eval('ATTACH ''" + out + "'' AS x')", "SQLITE_"},
		{"regexp", "SELECT 'aaaa' REGEXP 'a*'", "SQLITE_"},
		{"open transaction", "BEGIN; INSERT INTO keep VALUES(2)", "To execute a transaction"},
		{"open transaction later", "INSERT INTO keep VALUES(2); BEGIN", "To execute a transaction"},
		{"commit from within", "INSERT INTO keep VALUES(2); COMMIT; SELECT 1", "To execute a transaction"},
		{"other tables", "SELECT 1 UNION SELECT * FROM other.secrets", "no such table"},
		{"shadow tables", "CREATE VIRTUAL TABLE f USING fts5(x); DELETE FROM f_data", "SQLITE_"},
		{"csv module", "CREATE VIRTUAL TABLE f USING csv(filename='/etc/passwd')", "SQLITE_AUTH"},
		{"quadratic json_patch", "SELECT json_patch(" + object("a") + ", " + object("b") + ")", "SQLITE_INTERRUPT"},
		{"quadratic instr", "SELECT instr(" + big + ", substr(" + big + ", 1, 900000) || 'b')", "SQLITE_INTERRUPT"},
		{"quadratic trim", "SELECT trim(" + big + ", hex(zeroblob(200000)) || 'a')", "SQLITE_INTERRUPT"},
	}
	for _, mode := range []string{"pages", "file"} {
		t.Run(mode, func(t *testing.T) {
			opts := &Options{Timeout: 200*time.Millisecond + slack/4, MaxResult: 1 << 20}
			if mode == "file" {
				opts.Dir = t.TempDir()
			}
			db := open(t, memState(), opts)
			mustExec(t, db, "CREATE TABLE keep(v)", "INSERT INTO keep VALUES(1)")
			for _, tt := range tests {
				t.Run(tt.name, func(t *testing.T) {
					if runtime.GOOS == "windows" && strings.HasPrefix(tt.name, "quadratic") {
						t.Skip("needs protect_unix.go")
					}
					refuses(t, db, tt.sql, tt.want)
				})
			}
		})
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("a file was written")
	}
}

func TestTriggerBomb(t *testing.T) {
	db := open(t, memState(), &Options{Timeout: 300 * time.Millisecond})
	mustExec(t, db, "CREATE TABLE keep(v)", "INSERT INTO keep VALUES(1)", "PRAGMA recursive_triggers = ON",
		"CREATE TABLE boom(v)", "CREATE TRIGGER b AFTER INSERT ON boom BEGIN INSERT INTO boom SELECT v+1 FROM boom; END")
	refuses(t, db, "INSERT INTO boom VALUES(1)", "SQLITE_")
	if n := count(t, db, "boom"); n != 0 {
		t.Errorf("%d rows left", n)
	}
}

func TestOutOfMemory(t *testing.T) {
	for _, mode := range []string{"pages", "file"} {
		t.Run(mode, func(t *testing.T) {
			opts := &Options{MaxMemory: 8 << 20}
			if mode == "file" {
				opts.Dir = t.TempDir()
			}
			db := open(t, memState(), opts)
			mustExec(t, db, "CREATE TABLE keep(v)", "INSERT INTO keep VALUES(1)")
			for range 3 {
				refuses(t, db, "SELECT count(DISTINCT randomblob(1000)) FROM "+endless, "out of memory: SQLITE_NOMEM")
			}
			// In the middle of a transaction it is undone.
			_, err := db.Batch(context.Background(), Stmt{SQL: "DELETE FROM keep"}, Stmt{SQL: "SELECT count(DISTINCT randomblob(1000)) FROM " + endless})
			if err == nil || !strings.Contains(err.Error(), "SQLITE_NOMEM") {
				t.Error(err)
			}
			if n := count(t, db, "keep"); n != 1 {
				t.Errorf("%d rows", n)
			}
		})
	}
}

func TestDirtyPagesAreBounded(t *testing.T) {
	db := open(t, memState(), &Options{MaxMemory: 8 << 20})
	mustExec(t, db, "CREATE TABLE keep(v)", "INSERT INTO keep VALUES(1)")
	refuses(t, db, "INSERT INTO keep SELECT randomblob(10000) FROM (SELECT 1 FROM "+endless+" LIMIT 5000)", "SQLITE_FULL")
	// What fits, fits, also by way of SQLite's journal.
	mustExec(t, db, "CREATE TABLE t(v)", "INSERT INTO t SELECT randomblob(10000) FROM (SELECT 1 FROM "+endless+" LIMIT 400)")
	mustExec(t, db, "UPDATE t SET v = randomblob(10000)")
	if n := count(t, db, "t"); n != 400 {
		t.Errorf("%d rows", n)
	}
	// And what was spilled is undone.
	_, err := db.Batch(context.Background(), Stmt{SQL: "UPDATE t SET v = zeroblob(10000)"}, Stmt{SQL: "INSERT INTO nope VALUES(1)"})
	if err == nil {
		t.Error("no error")
	}
	if r := query(t, db, "SELECT count(*) FROM t WHERE v = zeroblob(10000)"); r.Rows[0][0] != int64(0) {
		t.Errorf("%v rows changed", r.Rows)
	}
	sound(t, db)
}

func TestMaxBytes(t *testing.T) {
	for _, mode := range []string{"pages", "file"} {
		t.Run(mode, func(t *testing.T) {
			opts := &Options{MaxBytes: 1 << 20}
			if mode == "file" {
				opts.Dir = t.TempDir()
			}
			db := open(t, memState(), opts)
			mustExec(t, db, "CREATE TABLE keep(v)", "INSERT INTO keep VALUES(1)")
			refuses(t, db, "INSERT INTO keep SELECT randomblob(10000) FROM (SELECT 1 FROM "+endless+" LIMIT 200)", "database or disk is full: SQLITE_FULL")
			sound(t, db)
		})
	}
}

func TestMaxResult(t *testing.T) {
	db := open(t, memState(), &Options{MaxResult: 10_000})
	mustExec(t, db, "CREATE TABLE keep(v)", "INSERT INTO keep VALUES(1)")
	refuses(t, db, "SELECT randomblob(20000)", "result is over the limit of 10000 bytes: SQLITE_TOOBIG")
	if _, _, err := db.AppendJSON(context.Background(), nil, Arrays, "SELECT zeroblob(6000)"); err == nil {
		t.Error("12,000 bytes of JSON passed")
	}
	_, err := db.Batch(context.Background(), Stmt{SQL: "SELECT zeroblob(6000)"}, Stmt{SQL: "SELECT zeroblob(6000)"})
	if err == nil {
		t.Error("12,000 bytes of a batch passed")
	}
}

func TestCancel(t *testing.T) {
	db := open(t, memState(), nil)
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(50*time.Millisecond, cancel)
	began := time.Now()
	_, err := db.Query(ctx, "SELECT count(*) FROM "+endless)
	if d := time.Since(began); d > 50*time.Millisecond+grace+slack {
		t.Errorf("took %v", d)
	}
	if !errors.Is(err, context.Canceled) || !strings.HasPrefix(err.Error(), "interrupted: SQLITE_INTERRUPT") {
		t.Errorf("error %v", err)
	}
	if _, err := db.Query(ctx, "SELECT 1"); !errors.Is(err, context.Canceled) {
		t.Errorf("with a dead context: %v", err)
	}
	// One who waits for the database obeys its own context.
	busy := make(chan error)
	long, stop := context.WithCancel(context.Background())
	go func() {
		_, err := db.Query(long, "SELECT count(*) FROM "+endless)
		busy <- err
	}()
	time.Sleep(20 * time.Millisecond)
	short, done := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer done()
	if _, err := db.Query(short, "SELECT 1"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("waiting: %v", err)
	}
	stop()
	if err := <-busy; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	mustExec(t, db, "SELECT 1")
}

func TestTimeout(t *testing.T) {
	db := open(t, memState(), &Options{Timeout: 100 * time.Millisecond})
	_, err := db.Query(context.Background(), "SELECT count(*) FROM "+endless)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
	// The timeout is of a statement, not of the batch, nor of the DB's life.
	work := Stmt{SQL: "SELECT count(*) FROM (SELECT 1 FROM " + endless + " LIMIT 50000)"}
	calm := open(t, memState(), nil)
	began := time.Now()
	mustExec(t, calm, work.SQL, work.SQL)
	one := time.Since(began) / 2
	timeout := 5*one + slack
	db = open(t, memState(), &Options{Timeout: timeout})
	batch := make([]Stmt, 2*timeout/one)
	for i := range batch {
		batch[i] = work
	}
	if _, err := db.Batch(context.Background(), batch...); err != nil {
		t.Error(err)
	}
	time.Sleep(timeout + 2*killAfter)
	mustExec(t, db, "SELECT 1")
}

func TestErrorsHideTheHost(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "DB.db"), []byte(strings.Repeat("not a database", 1000)), 0o666); err != nil {
		t.Fatal(err)
	}
	for dir, code := range map[string]string{dir: "SQLITE_NOTADB", filepath.Join(dir, "DB.db", "sub"): "SQLITE_CANTOPEN"} {
		_, err := Open(context.Background(), sam.State{}, "DB", &Options{Dir: dir})
		var e *Error
		if !errors.As(err, &e) || e.Code != code || strings.Contains(e.Error(), dir) {
			t.Errorf("error %v", err)
		}
	}
	// A store that is gone.
	store := sam.NewMemStore()
	st := sam.State{Space: store.Space("p"), Blobs: store.Blobs()}
	db := open(t, st, nil)
	mustExec(t, db, "CREATE TABLE t(v)")
	store.Close()
	for range 2 {
		_, err := db.Query(context.Background(), "INSERT INTO t VALUES(1)")
		var e *Error
		if !errors.As(err, &e) || !errors.Is(err, fs.ErrClosed) {
			t.Errorf("error %T %v", err, err)
		}
	}
	if _, err := Open(context.Background(), st, "DB", nil); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("error %v", err)
	}
}

// sound checks the database.
func sound(tb testing.TB, db *DB) {
	tb.Helper()
	if r := query(tb, db, "PRAGMA quick_check"); r.Rows[0][0] != "ok" {
		tb.Errorf("quick_check: %v", r.Rows)
	}
}
