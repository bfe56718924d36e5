package sqlshim

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"samkit.dev/sam"
)

// slowCommits is a space whose disk takes its time.
func slowCommits(d time.Duration) (*spySpace, sam.State) {
	s, st := spy()
	s.after = func() error { time.Sleep(d); return nil }
	return s, st
}

// together runs fn n times at once, and returns the errors.
func together(n int, fn func(i int) error) []error {
	errs := make([]error, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { errs[i] = fn(i) })
	}
	wg.Wait()
	return errs
}

// TestGroup has many writers, of whom some fail. What one is told is true of
// the space at that moment.
func TestGroup(t *testing.T) {
	s, st := slowCommits(10 * time.Millisecond)
	db := open(t, st, nil)
	mustExec(t, db, "CREATE TABLE t(id INTEGER PRIMARY KEY, v)", "CREATE TABLE u(v)", "INSERT INTO t VALUES(-1, 'x')")
	s.commits.Store(0)
	const writers, each = 16, 12
	errs := together(writers, func(w int) error {
		for i := range each {
			id := int64(w*each + i)
			stmts := []Stmt{{SQL: "INSERT INTO t VALUES(?, ?)", Args: []any{id, randomText(i)}}, {SQL: "INSERT INTO u SELECT randomblob(1000) FROM t LIMIT 20"}}
			switch i % 4 {
			case 1: // fails, and leaves nothing
				stmts = append(stmts, Stmt{SQL: "INSERT INTO t VALUES(-1, 'again')"})
			case 2: // gives pages back
				stmts = append(stmts, Stmt{SQL: "DELETE FROM u"})
			}
			_, err := db.Batch(context.Background(), stmts...)
			if (err != nil) != (i%4 == 1) {
				return err
			}
			if i%4 == 3 {
				// Somebody else's eyes: they see the Space only.
				n, err := stored(s.Space, "SELECT count(*) FROM t WHERE id BETWEEN ? AND ?", id-3, id)
				if err == nil && n != 3 {
					err = fmt.Errorf("%d of 3 rows are durable", n)
				}
				if err != nil {
					return fmt.Errorf("writer %d: %w", w, err)
				}
			}
		}
		return nil
	})
	if err := errors.Join(errs...); err != nil {
		t.Error(err)
	}
	if n := count(t, db, "t"); n != writers*each*3/4+1 {
		t.Errorf("%d rows", n)
	}
	sound(t, db)
	sound(t, open(t, st, nil))
	if n := s.commits.Load(); n > writers*each*3/8 && slack < time.Second {
		t.Errorf("%d commits of %d transactions", n, writers*each*3/4)
	} else {
		t.Logf("%d commits of %d transactions", n, writers*each*3/4)
	}
}

// stored asks a database of its own, as often as it is written meanwhile.
func stored(space sam.Space, sql string, args ...any) (int64, error) {
	for {
		db, err := Open(context.Background(), sam.State{Space: space}, "DB", nil)
		if err == nil {
			var r *Result
			if r, err = db.Query(context.Background(), sql, args...); err == nil {
				db.Close()
				return r.Rows[0][0].(int64), nil
			}
			db.Close()
		}
		if !errors.Is(err, sam.ErrConflict) {
			return 0, err
		}
	}
}

func randomText(i int) string { return fmt.Sprintf("%0*d", 10+i*100, i) }

// TestGroupFails has a store that fails under many writers: they all are told,
// nothing of theirs is there, and the next ones find a database in order.
func TestGroupFails(t *testing.T) {
	for name, broken := range map[string]error{"disk": errors.New("broken disk"), "limit": &sam.LimitError{Limit: "StateBytes", Max: 1}} {
		t.Run(name, func(t *testing.T) {
			s, st := slowCommits(5 * time.Millisecond)
			db := open(t, st, nil)
			mustExec(t, db, "CREATE TABLE t(v)")
			var failing atomic.Bool
			s.fail = func([]sam.Op) error {
				if failing.Load() {
					return broken
				}
				return nil
			}
			told := 0
			for range 5 {
				failing.Store(true)
				for _, err := range together(8, func(i int) error {
					_, err := db.Query(context.Background(), "INSERT INTO t VALUES('lost')")
					return err
				}) {
					var e *Error
					if !errors.Is(err, broken) || !errors.As(err, &e) {
						t.Errorf("%T %v", err, err)
					}
					told++
				}
				failing.Store(false)
				for _, err := range together(8, func(i int) error {
					_, err := db.Query(context.Background(), "INSERT INTO t VALUES('kept')")
					return err
				}) {
					if err != nil {
						t.Error(err)
					}
				}
			}
			if r := query(t, db, "SELECT count(*), count(DISTINCT v) FROM t"); r.Rows[0][0] != int64(40) || r.Rows[0][1] != int64(1) {
				t.Errorf("rows %v, %d were told that theirs are lost", r.Rows, told)
			}
			sound(t, db)
		})
	}
}

// TestGroupPanics has a store that panics under many writers: none of them hangs.
func TestGroupPanics(t *testing.T) {
	s, st := slowCommits(5 * time.Millisecond)
	db := open(t, st, nil)
	mustExec(t, db, "CREATE TABLE t(v)")
	var panicking atomic.Bool
	s.fail = func([]sam.Op) error {
		if panicking.Load() {
			panic("a store's own trouble")
		}
		return nil
	}
	for range 5 {
		panicking.Store(true)
		for _, err := range together(8, func(int) (err error) {
			defer func() {
				if x := recover(); x != nil {
					err = fmt.Errorf("panic: %v", x)
				}
			}()
			_, err = db.Query(context.Background(), "INSERT INTO t VALUES('lost')")
			return err
		}) {
			if err == nil {
				t.Error("no error")
			}
		}
		panicking.Store(false)
		mustExec(t, db, "INSERT INTO t VALUES('kept')")
	}
	if r := query(t, db, "SELECT count(*), count(DISTINCT v) FROM t"); r.Rows[0][0] != int64(5) || r.Rows[0][1] != int64(1) {
		t.Errorf("rows %v", r.Rows)
	}
}

// TestGroupConflict has another owner who writes while a group waits.
func TestGroupConflict(t *testing.T) {
	s, st := slowCommits(5 * time.Millisecond)
	db := open(t, st, nil)
	mustExec(t, db, "CREATE TABLE t(v)")
	other := open(t, sam.State{Space: s.Space}, nil)
	var once sync.Once
	s.fail = func([]sam.Op) error {
		once.Do(func() { mustExec(t, other, "INSERT INTO t VALUES('other')") })
		return nil
	}
	for _, err := range together(8, func(int) error {
		_, err := db.Query(context.Background(), "INSERT INTO t VALUES('late')")
		return err
	}) {
		if !errors.Is(err, sam.ErrConflict) {
			t.Error(err)
		}
	}
	if r := query(t, other, "SELECT v FROM t"); len(r.Rows) != 1 || r.Rows[0][0] != "other" {
		t.Errorf("rows %v", r.Rows)
	}
}

// TestGroupIsNotKeptWaiting has writers in front of a statement that takes long
// and of one that ends the connection.
func TestGroupIsNotKeptWaiting(t *testing.T) {
	for name, sql := range map[string]string{
		"long":   "SELECT count(*) FROM " + endless,
		"memory": "SELECT count(DISTINCT randomblob(1000)) FROM " + endless,
	} {
		t.Run(name, func(t *testing.T) {
			db := open(t, memState(), &Options{Timeout: 2 * time.Second, MaxMemory: 16 << 20})
			mustExec(t, db, "CREATE TABLE t(v)")
			db.turn <- struct{}{} // so that they all wait, in this order
			var wg sync.WaitGroup
			for i := range 4 {
				wg.Go(func() {
					began := time.Now()
					if _, err := db.Query(context.Background(), "INSERT INTO t VALUES(1)"); err != nil {
						t.Error(err)
					}
					if d := time.Since(began); name == "long" && d > time.Second+slack {
						t.Errorf("a write took %v", d)
					}
				})
				for db.waiting.Load() != int32(i+1) {
					time.Sleep(time.Millisecond)
				}
			}
			wg.Go(func() {
				if _, err := db.Query(context.Background(), sql); err == nil {
					t.Error("no error")
				}
			})
			for db.waiting.Load() != 5 {
				time.Sleep(time.Millisecond)
			}
			<-db.turn
			wg.Wait()
			if n := count(t, db, "t"); n != 4 {
				t.Errorf("%d rows", n)
			}
		})
	}
}

// TestGroupWithoutFollowers has a caller that gives up while others count on it.
func TestGroupWithoutFollowers(t *testing.T) {
	db := open(t, memState(), nil)
	mustExec(t, db, "CREATE TABLE t(v)")
	for range 200 {
		ctx, cancel := context.WithCancel(context.Background())
		errs := make(chan error, 2)
		go func() { _, err := db.Query(context.Background(), "INSERT INTO t VALUES(1)"); errs <- err }()
		go func() { _, err := db.Query(ctx, "INSERT INTO t VALUES(2)"); errs <- err }()
		cancel()
		for range 2 {
			if err := <-errs; err != nil && !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
		}
	}
	if r := query(t, db, "SELECT count(*) FROM t WHERE v = 1"); r.Rows[0][0] != int64(200) {
		t.Errorf("rows %v", r.Rows)
	}
}
