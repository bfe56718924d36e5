package sqlshim

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/ncruces/go-sqlite3"
	"samkit.dev/sam"
)

// sqliteFile returns the bytes of a file that SQLite itself wrote.
func sqliteFile(tb testing.TB, setup string) []byte {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "x.db")
	db, err := sqlite3.Open(path)
	if err == nil {
		err = db.Exec(setup)
	}
	if err == nil {
		err = db.Close()
	}
	if err != nil {
		tb.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	return data
}

func eachMode(t *testing.T, fn func(t *testing.T, opts *Options)) {
	t.Run("pages", func(t *testing.T) { fn(t, &Options{}) })
	t.Run("file", func(t *testing.T) { fn(t, &Options{Dir: t.TempDir()}) })
}

func TestDumpAndLoad(t *testing.T) {
	ctx := context.Background()
	eachMode(t, func(t *testing.T, opts *Options) {
		st := memState()
		db := open(t, st, opts)
		fill(t, db, 5000)
		var image bytes.Buffer
		if err := db.Dump(ctx, &image); err != nil {
			t.Fatal(err)
		}
		// SQLite reads it.
		path := filepath.Join(t.TempDir(), "x.db")
		if err := os.WriteFile(path, image.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		raw, err := sqlite3.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		s, _, err := raw.Prepare("SELECT count(*), max(name) FROM t")
		if err != nil || !s.Step() || s.ColumnInt(0) != 5000 || s.ColumnText(1) != "name number 999" {
			t.Errorf("the dump: %v %v", err, s.Err())
		}
		s.Close()
		raw.Close()

		mustExec(t, db, "DELETE FROM t", "CREATE TABLE more(v)")
		if err := db.Load(ctx, bytes.NewReader(image.Bytes())); err != nil {
			t.Fatal(err)
		}
		if n := count(t, db, "t"); n != 5000 {
			t.Errorf("%d rows", n)
		}
		mustExec(t, db, "INSERT INTO t(name) VALUES('after')")
		if _, err := db.Query(ctx, "SELECT * FROM more"); err == nil {
			t.Error("the old database shines through")
		}
		sound(t, db)
		// Loading again and again leaves nothing behind.
		for range 3 {
			if err := db.Load(ctx, bytes.NewReader(image.Bytes())); err != nil {
				t.Fatal(err)
			}
		}
		var again bytes.Buffer
		if err := db.Dump(ctx, &again); err != nil || again.Len() != image.Len() || opts.Dir == "" && !bytes.Equal(again.Bytes(), image.Bytes()) {
			t.Errorf("the second dump differs: %d and %d bytes, %v", again.Len(), image.Len(), err)
		}
		keys := 0
		for range st.Space.List(ctx, "", "") {
			keys++
		}
		if want := int(chunks(int64(image.Len()))) + 1; opts.Dir == "" && keys != want {
			t.Errorf("%d keys, want %d", keys, want)
		}
	})
}

func TestLoadForeignFiles(t *testing.T) {
	ctx := context.Background()
	rows := "CREATE TABLE t(v); WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM c LIMIT 3000) INSERT INTO t SELECT 'row ' || i FROM c;"
	for name, setup := range map[string]string{
		"4096": rows, "512": "PRAGMA page_size=512;" + rows, "65536": "PRAGMA page_size=65536;" + rows,
		"wal": "PRAGMA journal_mode=wal;" + rows, "auto_vacuum": "PRAGMA auto_vacuum=full;" + rows,
	} {
		image := sqliteFile(t, setup)
		t.Run(name, func(t *testing.T) {
			eachMode(t, func(t *testing.T, opts *Options) {
				db := open(t, memState(), opts)
				if err := db.Load(ctx, iotest.HalfReader(bytes.NewReader(image))); err != nil {
					t.Fatal(err)
				}
				if n := count(t, db, "t"); n != 3000 {
					t.Errorf("%d rows", n)
				}
				mustExec(t, db, "UPDATE t SET v = v || '!' WHERE rowid % 7 = 0", "INSERT INTO t VALUES('new')", "DELETE FROM t WHERE rowid < 2000")
				sound(t, db)
				var out bytes.Buffer
				if err := db.Dump(ctx, &out); err != nil {
					t.Fatal(err)
				}
				if err := db.Load(ctx, &out); err != nil {
					t.Fatal(err)
				}
				if r := query(t, db, "SELECT count(*), max(v) FROM t"); !reflect.DeepEqual(r.Rows, [][]any{{int64(1002), "row 3000"}}) {
					t.Errorf("rows %v", r.Rows)
				}
			})
		})
	}
}

func TestLoadRefuses(t *testing.T) {
	ctx := context.Background()
	good := sqliteFile(t, "CREATE TABLE x(v); CREATE INDEX xi ON x(v); WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM c LIMIT 3000) INSERT INTO x SELECT 'row ' || i FROM c;")
	damaged := bytes.Clone(good)
	for i := 3 * 4096; i < 6*4096; i++ {
		damaged[i] = byte(i * 7)
	}
	broken := errors.New("broken pipe")
	tests := []struct {
		name string
		data []byte
		err  error // of the reader, after data
		want string
	}{
		{"empty", nil, nil, "file is not a database: SQLITE_NOTADB"},
		{"text", []byte(strings.Repeat("hello ", 100)), nil, "file is not a database: SQLITE_NOTADB"},
		{"header only", good[:100], nil, "SQLITE_"},
		{"cut", good[:len(good)/2], nil, "SQLITE_"},
		{"damaged", damaged, nil, "SQLITE_CORRUPT"},
		{"too large", append(bytes.Clone(good), make([]byte, 4<<20)...), nil, "database or disk is full: SQLITE_FULL"},
		{"broken reader", good[:5000], broken, "broken pipe"},
	}
	eachMode(t, func(t *testing.T, opts *Options) {
		opts.MaxBytes = 2 << 20
		st := memState()
		db := open(t, st, opts)
		mustExec(t, db, "CREATE TABLE keep(v)", "INSERT INTO keep VALUES(1)")
		for _, tt := range tests {
			r := io.Reader(bytes.NewReader(tt.data))
			if tt.err != nil {
				r = io.MultiReader(r, iotest.ErrReader(tt.err))
			}
			if err := db.Load(ctx, r); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s: %v, want %s", tt.name, err, tt.want)
			}
			if n := count(t, db, "keep"); n != 1 {
				t.Errorf("%s: %d rows", tt.name, n)
			}
		}
		mustExec(t, db, "INSERT INTO keep VALUES(2)")
		if opts.Dir == "" {
			n := 0
			for range st.Space.List(ctx, "", "") {
				n++
			}
			if n != 3 {
				t.Errorf("%d keys", n)
			}
		} else if left, _ := filepath.Glob(filepath.Join(opts.Dir, "load-*")); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	})
}

// TestLoadLosesRace loads into a database that another owner has changed.
func TestLoadLosesRace(t *testing.T) {
	ctx := context.Background()
	image := sqliteFile(t, "CREATE TABLE x(v)")
	s, st := spy()
	db := open(t, st, nil)
	mustExec(t, db, "CREATE TABLE keep(v)")
	other := open(t, sam.State{Space: s.Space}, nil)
	s.fail = func(ops []sam.Op) error {
		if strings.HasSuffix(ops[0].Key, "/head") {
			s.fail = nil
			mustExec(t, other, "INSERT INTO keep VALUES(1)")
		}
		return nil
	}
	if err := db.Load(ctx, bytes.NewReader(image)); !errors.Is(err, sam.ErrConflict) {
		t.Errorf("error %v", err)
	}
	if n := count(t, other, "keep"); n != 1 {
		t.Errorf("%d rows", n)
	}
	sound(t, other)
}
