package sqlshim

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"
	"testing"

	"samkit.dev/sam"
)

func newProject(t *testing.T) (*sam.Workspace, *sam.Project) {
	t.Helper()
	return newProjectIn(t, sam.NewMemStore())
}

func newProjectIn(t *testing.T, s sam.Store) (*sam.Workspace, *sam.Project) {
	t.Helper()
	w := sam.NewWorkspace(s, "o", nil)
	p, err := w.Create(t.Context(), "p", nil)
	if err != nil {
		t.Fatal(err)
	}
	return w, p
}

// A database that is open while a checkpoint is restored gives conflicts until
// it is opened again, and then shows what the checkpoint holds.
func TestRestoredUnderneath(t *testing.T) {
	ctx := t.Context()
	_, p := newProject(t)
	db := open(t, p.State(), nil)
	mustExec(t, db, "CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT)", "INSERT INTO t(name) VALUES('one')")
	c, err := p.Checkpoint(ctx, "", sam.Parts{DB: true})
	if err != nil {
		t.Fatal(err)
	}
	// The same size as before: the head's bytes are the same too.
	mustExec(t, db, "UPDATE t SET name = 'two'")
	undo, err := p.Restore(ctx, c.ID, sam.Parts{DB: true})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := db.Query(ctx, "SELECT name FROM t"); !errors.Is(err, sam.ErrConflict) {
			t.Errorf("reading a database that was restored: %v", err)
		}
		if _, err := db.Exec(ctx, "UPDATE t SET name = 'stale'"); !errors.Is(err, sam.ErrConflict) {
			t.Errorf("writing a database that was restored: %v", err)
		}
	}
	name := func(want string) {
		t.Helper()
		db := open(t, p.State(), nil)
		res := query(t, db, "SELECT name FROM t")
		if len(res.Rows) != 1 || res.Rows[0][0] != want {
			t.Errorf("rows %v, want %q", res.Rows, want)
		}
		sound(t, db)
	}
	name("one")
	if _, err := p.Restore(ctx, undo.ID, sam.Parts{DB: true}); err != nil {
		t.Fatal(err)
	}
	name("two")
	// Restoring what is there already disturbs nobody.
	db = open(t, p.State(), nil)
	query(t, db, "SELECT name FROM t")
	if _, err := p.Restore(ctx, undo.ID, sam.Parts{DB: true}); err != nil {
		t.Fatal(err)
	}
	query(t, db, "SELECT name FROM t")
}

// Transactions that come while checkpoints are made are in them whole or not.
func TestCheckpointWhileWriting(t *testing.T) {
	ctx := t.Context()
	w, p := newProject(t)
	db := open(t, p.State(), nil)
	mustExec(t, db, "CREATE TABLE a(v)", "CREATE TABLE b(v)")
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			for range 300 { // a busy machine must not fill the project meanwhile
				select {
				case <-stop:
					return
				default:
				}
				if _, err := db.Batch(ctx, Stmt{SQL: "INSERT INTO a VALUES(zeroblob(20000))"}, Stmt{SQL: "INSERT INTO b VALUES(zeroblob(20000))"}); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	last := int64(0)
	for i := range 10 {
		c, err := p.Checkpoint(ctx, "", sam.Parts{DB: true})
		if err != nil {
			t.Fatal(err)
		}
		f, err := w.Fork(ctx, "p", c.ID, sam.ProjectID(fmt.Sprint("f", i)), sam.Parts{DB: true})
		if err != nil {
			t.Fatal(err)
		}
		forked := open(t, f.State(), nil)
		a, b := count(t, forked, "a"), count(t, forked, "b")
		if a != b || a < last {
			t.Errorf("%d rows and %d, after %d", a, b, last)
		}
		last = a
		sound(t, forked)
		forked.Close()
	}
	close(stop)
	wg.Wait()
}

// A Load that loses to a restore, or to another Load, takes nothing with it.
func TestLoadAgainstRestore(t *testing.T) {
	ctx := t.Context()
	store := sam.NewMemStore()
	_, p := newProjectIn(t, store)
	// The other handle's databases do not wait for the share that p's have.
	other, err := sam.NewWorkspace(store, "o", nil).Open(ctx, "p")
	if err != nil {
		t.Fatal(err)
	}
	db := open(t, p.State(), nil)
	mustExec(t, db, "CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT)")
	var first bytes.Buffer
	if err := db.Dump(ctx, &first); err != nil {
		t.Fatal(err)
	}
	fill := func(n int) {
		t.Helper()
		mustExec(t, db, fmt.Sprintf("INSERT INTO t(name) SELECT printf('%%0500d', value) FROM json_each('[%s0]')", string(bytes.Repeat([]byte("0,"), n-1))))
	}
	fill(100)
	var image bytes.Buffer
	if err := db.Dump(ctx, &image); err != nil {
		t.Fatal(err)
	}
	if err := db.Load(ctx, bytes.NewReader(image.Bytes())); err != nil {
		t.Fatal(err)
	}
	loaded, err := p.Checkpoint(ctx, "", sam.Parts{DB: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Load(ctx, bytes.NewReader(first.Bytes())); err != nil {
		t.Fatal(err)
	}
	// While this one is being read, others come first.
	for name, come := range map[string]func() error{
		"restore": func() error {
			_, err := p.Restore(ctx, loaded.ID, sam.Parts{DB: true})
			return err
		},
		"load": func() error {
			db, err := Open(ctx, other.State(), "DB", nil)
			if err != nil {
				return err
			}
			defer db.Close()
			return db.Load(ctx, bytes.NewReader(image.Bytes()))
		},
	} {
		db := open(t, p.State(), nil)
		err := db.Load(ctx, &meanwhile{r: bytes.NewReader(image.Bytes()), after: image.Len() / 2, do: come})
		if !errors.Is(err, sam.ErrConflict) {
			t.Errorf("Load with a %s before it: %v", name, err)
		}
		db = open(t, p.State(), nil)
		if n := count(t, db, "t"); n != 100 {
			t.Errorf("after the %s %d rows", name, n)
		}
		sound(t, db)
		if err := db.Load(ctx, bytes.NewReader(first.Bytes())); err != nil {
			t.Fatal(err)
		}
		// Nothing is left of the others.
		keys := 0
		for _, err := range p.State().Space.List(ctx, "db/", "") {
			if err != nil {
				t.Fatal(err)
			}
			keys++
		}
		if want := 1 + (first.Len()+chunkSize-1)/chunkSize; keys != want {
			t.Errorf("after the %s and a Load there are %d keys, want %d", name, keys, want)
		}
	}
}

// A meanwhile does something when it was read so far.
type meanwhile struct {
	r     io.Reader
	after int
	do    func() error
}

func (m *meanwhile) Read(b []byte) (int, error) {
	if m.after <= 0 && m.do != nil {
		err := m.do()
		m.do = nil
		if err != nil {
			return 0, err
		}
	}
	n, err := m.r.Read(b[:min(len(b), 4096)])
	m.after -= n
	return n, err
}
