package sqlshim

import (
	"bytes"
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"samkit.dev/sam"
)

// A spySpace counts commits and can make them fail. It hides what else the
// space can do, so that the database reads the head each time.
type spySpace struct {
	sam.Space
	commits, gets atomic.Int64
	fail          func(ops []sam.Op) error // before anything is applied
	after         func() error             // when it is
}

func (s *spySpace) Commit(ctx context.Context, ops ...sam.Op) ([]sam.Version, error) {
	s.commits.Add(1)
	if s.fail != nil {
		if err := s.fail(ops); err != nil {
			return nil, err
		}
	}
	v, err := s.Space.Commit(ctx, ops...)
	if err == nil && s.after != nil {
		err = s.after()
	}
	return v, err
}

func (s *spySpace) Get(ctx context.Context, key string) ([]byte, sam.Entry, error) {
	s.gets.Add(1)
	return s.Space.Get(ctx, key)
}

func spy() (*spySpace, sam.State) {
	st := memState()
	s := &spySpace{Space: st.Space}
	st.Space = s
	return s, st
}

func TestOneCommitATransaction(t *testing.T) {
	s, st := spy()
	db := open(t, st, nil)
	if n := s.commits.Load(); n != 0 {
		t.Errorf("opening made %d commits", n)
	}
	check := func(what string, want int64) {
		t.Helper()
		if n := s.commits.Swap(0); n != want {
			t.Errorf("%s: %d commits, want %d", what, n, want)
		}
	}
	mustExec(t, db, "CREATE TABLE t(id INTEGER PRIMARY KEY, v)")
	check("create", 1)
	mustExec(t, db, "INSERT INTO t(v) VALUES(1)")
	check("insert", 1)
	mustExec(t, db, "INSERT INTO t(v) SELECT randomblob(1000) FROM (SELECT 1 FROM "+endless+" LIMIT 1000)")
	check("insert of 1 MB", 1)
	if _, err := db.Batch(context.Background(), Stmt{SQL: "DELETE FROM t WHERE id < 10"}, Stmt{SQL: "INSERT INTO t(v) VALUES(1)"}, Stmt{SQL: "SELECT 1"}); err != nil {
		t.Fatal(err)
	}
	check("batch", 1)
	db.Query(context.Background(), "INSERT INTO t(id) VALUES(100)")
	check("failed insert", 0)
	mustExec(t, db, "SELECT * FROM t")
	check("select", 0)
	// A transaction that outgrows SQLite's cache of 16 MiB is still one.
	mustExec(t, db, "INSERT INTO t(v) SELECT randomblob(10000) FROM (SELECT 1 FROM "+endless+" LIMIT 3000)")
	check("insert of 30 MB", 1)
	sound(t, db)
}

// TestTwoOwners has two processes, as it were, with one database.
func TestTwoOwners(t *testing.T) {
	for _, counting := range []bool{false, true} {
		st := memState()
		if !counting {
			st.Space = &spySpace{Space: st.Space}
		}
		ctx := context.Background()
		a := open(t, st, nil)
		mustExec(t, a, "CREATE TABLE t(v)", "INSERT INTO t VALUES('a')")
		b := open(t, st, nil)
		mustExec(t, b, "INSERT INTO t VALUES('b')")
		for _, q := range []string{"INSERT INTO t VALUES('stale')", "SELECT * FROM t", "INSERT INTO t VALUES('stale again')"} {
			_, err := a.Query(ctx, q)
			var e *Error
			if !errors.Is(err, sam.ErrConflict) || !errors.As(err, &e) || e.Code != "SQLITE_BUSY" {
				t.Errorf("stale owner: %s: %v", q, err)
			}
		}
		if _, err := a.Exec(ctx, "SELECT 1"); !errors.Is(err, sam.ErrConflict) {
			t.Errorf("stale owner: exec: %v", err)
		}
		mustExec(t, b, "INSERT INTO t VALUES('c')")
		if n := count(t, open(t, st, nil), "t"); n != 3 {
			t.Errorf("%d rows", n)
		}
		sound(t, b)
	}
}

// TestConflictLatch loses the race between the look at the head and the commit,
// where SQLite itself would try again with a journal and report success.
func TestConflictLatch(t *testing.T) {
	s, st := spy()
	db := open(t, st, nil)
	mustExec(t, db, "CREATE TABLE t(v)")
	other := open(t, sam.State{Space: s.Space}, nil)
	s.fail = func([]sam.Op) error {
		s.fail = nil
		mustExec(t, other, "INSERT INTO t VALUES('other')")
		return nil
	}
	for range 3 {
		if _, err := db.Query(context.Background(), "INSERT INTO t VALUES('late')"); !errors.Is(err, sam.ErrConflict) {
			t.Errorf("late owner: %v", err)
		}
	}
	if r := query(t, other, "SELECT v FROM t"); len(r.Rows) != 1 || r.Rows[0][0] != "other" {
		t.Errorf("rows %v", r.Rows)
	}
	sound(t, other)
}

// TestReadsOfOneMoment lets someone else commit between two page reads.
func TestReadsOfOneMoment(t *testing.T) {
	s, st := spy()
	db := open(t, st, nil)
	mustExec(t, db, "CREATE TABLE t(id INTEGER PRIMARY KEY, v)", "INSERT INTO t(v) SELECT randomblob(3000) FROM (SELECT 1 FROM "+endless+" LIMIT 500)")
	other := open(t, sam.State{Space: s.Space}, nil)
	mustExec(t, other, "SELECT count(*) FROM t")
	done := false
	slow := &slowSpace{Space: s.Space, at: 20, do: func() { done = true; mustExec(t, other, "UPDATE t SET v = 'x'") }}
	cold := open(t, sam.State{Space: slow}, nil)
	slow.on = true
	if r, err := cold.Query(context.Background(), "SELECT sum(length(v)) FROM t"); !errors.Is(err, sam.ErrConflict) || !done {
		t.Errorf("read across a commit: %v %v", r, err)
	}
}

type slowSpace struct {
	sam.Space
	on bool
	at int
	do func()
}

func (s *slowSpace) Get(ctx context.Context, key string) ([]byte, sam.Entry, error) {
	if s.on {
		if s.at--; s.at == 0 {
			s.do()
		}
	}
	return s.Space.Get(ctx, key)
}

func TestStoreFails(t *testing.T) {
	ctx := context.Background()
	s, st := spy()
	db := open(t, st, nil)
	mustExec(t, db, "CREATE TABLE t(v)", "INSERT INTO t VALUES(1)")
	// No room: definite, nothing happened, the connection goes on.
	s.fail = func([]sam.Op) error { return &sam.LimitError{Limit: "StateBytes", Max: 1} }
	_, err := db.Query(ctx, "INSERT INTO t VALUES(2)")
	var limit *sam.LimitError
	if !errors.As(err, &limit) || err.Error() != "database or disk is full: SQLITE_FULL" {
		t.Errorf("no room: %v", err)
	}
	s.fail = nil
	if n := count(t, db, "t"); n != 1 {
		t.Errorf("%d rows", n)
	}
	// A broken disk, before and after the write: the next call looks again.
	broken := errors.New("broken disk /dev/sda")
	s.fail = func([]sam.Op) error { return broken }
	if _, err := db.Query(ctx, "INSERT INTO t VALUES(3)"); !errors.Is(err, broken) || bytes.Contains([]byte(err.Error()), []byte("sda")) {
		t.Errorf("broken disk: %v", err)
	}
	s.fail = nil
	if n := count(t, db, "t"); n != 1 {
		t.Errorf("%d rows", n)
	}
	s.after = func() error { return broken }
	if _, err := db.Query(ctx, "INSERT INTO t VALUES(4)"); !errors.Is(err, broken) {
		t.Errorf("broken after the write: %v", err)
	}
	s.after = nil
	if n := count(t, db, "t"); n != 2 {
		t.Errorf("%d rows", n)
	}
	mustExec(t, db, "INSERT INTO t VALUES(5)")
	sound(t, db)
}

func TestNamesAreApart(t *testing.T) {
	st := memState()
	for i, name := range []string{"DB", "", "../DB", "DB/p", "d\x00b", "é", "%"} {
		db, err := Open(context.Background(), st, name, nil)
		if err != nil {
			t.Fatalf("%q: %v", name, err)
		}
		mustExec(t, db, "CREATE TABLE t(v)")
		if n := count(t, db, "t"); n != 0 {
			t.Errorf("%d: %q is not empty", i, name)
		}
		mustExec(t, db, "INSERT INTO t VALUES(1)")
		db.Close()
	}
	for e, err := range st.Space.List(context.Background(), "", "") {
		if err != nil || e.Key[:3] != "db/" {
			t.Errorf("key %q, %v", e.Key, err)
		}
	}
}

func TestClose(t *testing.T) {
	st := memState()
	db, err := Open(context.Background(), st, "DB", nil)
	if err != nil {
		t.Fatal(err)
	}
	mustExec(t, db, "CREATE TABLE t(v)")
	for range 2 {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := db.Query(context.Background(), "SELECT 1"); err == nil {
		t.Error("a closed database answers")
	}
	if n := count(t, open(t, st, nil), "t"); n != 0 {
		t.Error("not reopened")
	}
}

// TestSlowCommit has a store that takes longer than a statement may.
func TestSlowCommit(t *testing.T) {
	s, st := spy()
	db := open(t, st, &Options{Timeout: 100 * time.Millisecond})
	mustExec(t, db, "CREATE TABLE t(v)")
	s.after = func() error { time.Sleep(400 * time.Millisecond); return nil }
	mustExec(t, db, "INSERT INTO t VALUES(1)")
	if _, err := db.Batch(context.Background(), Stmt{SQL: "INSERT INTO t VALUES(2)"}); err != nil {
		t.Error(err)
	}
	s.after = nil
	if n := count(t, db, "t"); n != 2 {
		t.Errorf("%d rows", n)
	}
}
