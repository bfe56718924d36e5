package sqlshim

import (
	"errors"
	"time"

	"github.com/ncruces/go-sqlite3"
	"samkit.dev/sam"
)

// A group is transactions that SQLite has committed and the Space has not yet.
// One Commit makes all of them durable, and nobody is told of any before. So
// it goes when calls wait for each other: each one leaves its pages to the next
// and queues again, and whose turn comes first after all who were waiting writes
// for everyone.
type group struct {
	pages map[int64][]byte
	low   int64     // as pageFile.low, since the last Commit
	size  int64     // of the database with it
	began time.Time // when the first transaction came
	*outcome
}

// An outcome is how a group ended.
type outcome struct {
	done chan struct{}
	err  error // once done is closed
}

const (
	maxGroup    = 256                  // chunks
	maxGroupAge = 3 * time.Millisecond // while SQLite is busy with something else
)

// seal adds what is dirty to the group.
func (f *pageFile) seal() {
	g := f.group
	if g == nil {
		g = &group{pages: map[int64][]byte{}, low: f.committed, began: time.Now(), outcome: &outcome{done: make(chan struct{})}}
		f.group = g
	}
	for n, p := range g.pages {
		if n*chunkSize >= f.low {
			f.release(p)
			delete(g.pages, n)
		}
	}
	for n, p := range f.dirty {
		if old := g.pages[n]; old != nil {
			f.release(old)
		}
		g.pages[n] = p
		delete(f.dirty, n)
	}
	g.low, g.size = min(g.low, f.low), f.size
	f.low = f.size
}

// sealed is the size of the database without what is dirty.
func (f *pageFile) sealed() int64 {
	if f.group != nil {
		return f.group.size
	}
	return f.committed
}

// commit takes a transaction over: into the group if others wait, and at once
// into the Space otherwise.
func (f *pageFile) commit() error {
	if f.failed != nil {
		return f.failed
	}
	if f.clean() {
		return nil
	}
	if f.group == nil && !f.others() {
		return f.flushDirty()
	}
	if g := f.group; g != nil && len(g.pages)+len(f.dirty) > maxGroup {
		if err := f.flushGroup(); err != nil {
			return err
		}
	}
	f.seal()
	if !f.others() || time.Since(f.group.began) > maxGroupAge {
		return f.flushGroup()
	}
	return nil
}

func (f *pageFile) others() bool { return f.contended != nil && f.contended() }

// flushDirty makes a transaction durable by itself.
func (f *pageFile) flushDirty() error {
	err := f.store(f.dirty, f.low, f.size)
	var limit *sam.LimitError
	switch {
	case errors.As(err, &limit):
		f.full = err
		return sqlite3.FULL // SQLite undoes it
	case err != nil:
		f.failed = err
		return err
	}
	for n, p := range f.dirty {
		f.drop(n, p)
	}
	f.low = f.size
	return nil
}

// flushGroup makes the group durable. If that fails SQLite holds what does not
// exist, and the connection is of no use any more.
func (f *pageFile) flushGroup() error {
	g := f.group
	if g == nil {
		return nil
	}
	f.group = nil
	defer close(g.done)
	err := f.failed
	if err == nil {
		f.failed = errNoReturn // in case the store panics
		g.err = groupError(f.failed)
		err = f.store(g.pages, g.low, g.size)
		f.failed, g.err = nil, nil
	}
	for _, p := range g.pages {
		f.release(p)
	}
	if err != nil {
		f.failed = err
		g.err = groupError(err)
	}
	var limit *sam.LimitError
	if errors.As(err, &limit) {
		return sqlite3.FULL
	}
	return err
}

var errNoReturn = errors.New("sqlshim: the store did not return")

// groupError is what the calls of a group are told.
func groupError(err error) error {
	var limit *sam.LimitError
	switch {
	case isConflict(err):
		return conflict()
	case errors.As(err, &limit):
		return &Error{Code: "SQLITE_FULL", Offset: -1, Text: "database or disk is full", Err: err}
	}
	return &Error{Code: "SQLITE_IOERR", Extended: "SQLITE_IOERR_COMMIT_ATOMIC", Offset: -1, Text: "disk I/O error", Err: err}
}

// An interrupt is what SQLite asks between its steps whether to stop. A group
// that has waited for long is not kept waiting for a statement that takes long.
type interrupt struct {
	*call
	pages *pageFile // or nil
}

func (i interrupt) Err() error {
	if p := i.pages; p != nil && p.group != nil && !p.inBatch && time.Since(p.group.began) > maxGroupAge {
		p.flushGroup() // a failure shows at the next page
	}
	i.pace.yield()
	return i.call.Err()
}

// await waits until a call's group is durable, and sees to it if nobody does.
func (d *DB) await(o *outcome) error {
	select {
	case <-o.done:
		return o.err
	case d.turn <- struct{}{}:
	}
	defer func() { <-d.turn }()
	select {
	case <-o.done:
	default:
		// Only the connection that has the group can be open.
		if d.conn.pages.flushGroup() != nil {
			d.drop()
		}
	}
	return o.err
}
