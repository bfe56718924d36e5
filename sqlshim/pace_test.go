package sqlshim

import (
	"context"
	"io"
	"runtime"
	"strconv"
	"sync"
	"testing"

	"samkit.dev/sam"
)

// TestPace has a project compute in many databases at once: they take turns, and a small statement does not wait
// for the large ones to end.
func TestPace(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	p, err := sam.NewWorkspace(sam.NewMemStore(), "o", nil).Create(t.Context(), "p", sam.Files{"a": "a"})
	if err != nil {
		t.Fatal(err)
	}
	open := func(name string) *DB {
		db, err := Open(t.Context(), p.State(), name, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { db.Close() })
		return db
	}
	endless, cancel := context.WithCancel(t.Context())
	defer cancel()
	var wg sync.WaitGroup
	small := open("small")
	for i := range 3 {
		db := open("large" + strconv.Itoa(i))
		if db.pace.owner != small.pace.owner {
			t.Fatal("two databases of a project share nothing")
		}
		wg.Go(func() {
			_, err := db.Query(endless, "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c) SELECT count(*) FROM c")
			if err == nil || endless.Err() == nil {
				t.Errorf("an endless statement ended: %v", err)
			}
		})
	}
	for !small.pace.owner.Waiting() {
		runtime.Gosched()
	}
	for range 20 {
		if _, err := small.Query(t.Context(), "SELECT 1"); err != nil {
			t.Error(err)
		}
	}
	cancel()
	wg.Wait()
	if small.pace.owner.Waiting() {
		t.Error("somebody waits for nobody")
	}
}

// TestPaceOutside has a database written from what another one of the project gives: neither keeps the only
// place while it waits for the other.
func TestPaceOutside(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	eachMode(t, func(t *testing.T, opts *Options) {
		p, err := sam.NewWorkspace(sam.NewMemStore(), "o", nil).Create(t.Context(), "p", sam.Files{"a": "a"})
		if err != nil {
			t.Fatal(err)
		}
		var dbs [2]*DB
		for i, name := range []string{"from", "to"} {
			db, err := Open(t.Context(), p.State(), name, opts)
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			dbs[i] = db
		}
		fill(t, dbs[0], 5000)
		r, w := io.Pipe()
		go func() { w.CloseWithError(dbs[0].Dump(t.Context(), w)) }()
		if err := dbs[1].Load(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		rows, err := dbs[1].Query(t.Context(), "SELECT count(*) FROM sqlite_schema")
		if err != nil || len(rows.Rows) != 1 {
			t.Errorf("%v, %v", rows, err)
		}
	})
}
