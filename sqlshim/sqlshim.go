// Package sqlshim is a SQLite database with the interface and the rules of D1.
//
//	db, err := sqlshim.Open(ctx, project.State(), "DB", nil)
//	defer db.Close()
//	res, err := db.Query(ctx, "SELECT name FROM people WHERE id = ?", int64(7))
//
// The database lies as pages in the project's Space. A transaction is one
// Commit there: durable when the call returns, and gone as a whole if the
// machine stops before. Two owners of one database are safe: the second one to
// write gets an error matching sam.ErrConflict, and so does each later call,
// until it opens the database again. [Options.Dir] keeps an ordinary SQLite
// file instead.
//
// # Rules
//
// What SQL may do is what workerd lets D1 do: no ATTACH, no temporary tables,
// no BEGIN or SAVEPOINT (Batch is a transaction), no name that starts with
// "_cf_", and only the functions, pragmas and virtual tables (fts5, rtree) of
// its lists. SQLite's limits are those of D1: 100 columns, 100 parameters,
// statements of 100,000 bytes, values of 4 MiB.
//
// # Errors
//
// A refused or failed statement gives an [*Error] with SQLite's code and words.
// It shows nothing of the host; the cause, if Go knows one, is in Err.
//
// # Concurrency
//
// A DB has one connection. Calls wait for each other, or for their context.
// Those that wait share a commit of the space, after which all of them return.
package sqlshim

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"sync/atomic"
	"time"

	"samkit.dev/sam"
)

// Options configures a [DB]. Zero fields mean the defaults given.
type Options struct {
	Dir       string        // keep the database as a file here instead of as pages in the space
	Timeout   time.Duration // of a statement; 30 seconds; it ends at most 300 ms later, except outside Unix within one function call of SQLite
	MaxBytes  int64         // of the database; 512 MiB
	MaxResult int64         // of the rows of a call; 50 MiB
	MaxMemory int64         // of SQLite, and again of a transaction's changes before they are committed; 64 MiB
	MaxRows   int           // of a Query; what comes after is left out, and Result.More says so; zero means all
	ReadOnly  bool          // refuse statements that write, with SQLITE_READONLY

	Migrations string // the table in which Migrate keeps records; "d1_migrations"
}

func (o *Options) withDefaults() Options {
	var opts Options
	if o != nil {
		opts = *o
	}
	if opts.Timeout <= 0 {
		opts.Timeout = 30 * time.Second
	}
	if opts.MaxBytes <= 0 {
		opts.MaxBytes = 512 << 20
	}
	if opts.MaxResult <= 0 {
		opts.MaxResult = 50 << 20
	}
	if opts.MaxMemory <= 0 {
		opts.MaxMemory = 64 << 20
	}
	opts.MaxRows = max(opts.MaxRows, 0)
	if opts.Migrations == "" {
		opts.Migrations = "d1_migrations"
	}
	opts.MaxMemory = min(max(opts.MaxMemory, minMemory), maxMemory)
	return opts
}

// SQLite needs 2 MiB for its own tables and those of the extensions, and can
// address 4 GiB.
const (
	minMemory = 4 << 20
	maxMemory = 4<<30 - 1<<16
)

// A DB is safe for concurrent use; statements run one after another.
type DB struct {
	opts   Options
	state  sam.State
	name   string // escaped
	prefix string // of the keys in the space

	waiting atomic.Int32  // calls that wait for their turn
	turn    chan struct{} // holds a token while a call runs, which guards the rest
	pace    *pace
	conn    *conn // nil after a failure; the next call opens another
	lost    error // the conflict after which this DB stays useless
	shut    bool
}

// Open opens a database in s, usually that of sam.Project.State, and makes it
// if there is none. Any name will do; databases of different names share
// nothing. The caller closes it.
func Open(ctx context.Context, s sam.State, name string, opts *Options) (*DB, error) {
	escaped := url.PathEscape(name)
	d := &DB{
		opts: opts.withDefaults(), state: s, name: escaped, prefix: "db/" + escaped + "/",
		turn: make(chan struct{}, 1),
	}
	d.pace = newPace(s, &d.opts)
	err := d.do(ctx, func(*conn) error { return nil })
	if err == nil {
		return d, nil
	}
	d.pace.owner.Leave()
	// Here the caller is the host, which may see the cause.
	if cause := errors.Unwrap(err); cause != nil {
		return nil, fmt.Errorf("sqlshim: open database %s: %w (%v)", escaped, err, cause)
	}
	return nil, fmt.Errorf("sqlshim: open database %s: %w", escaped, err)
}

// Close releases the database. It waits for the call that is running.
func (d *DB) Close() error {
	d.turn <- struct{}{}
	defer func() { <-d.turn }()
	if !d.shut {
		d.pace.owner.Leave()
	}
	d.shut = true
	return d.drop()
}

// drop closes the connection, if there is one.
func (d *DB) drop() error {
	c := d.conn
	d.conn = nil
	if c == nil {
		return nil
	}
	if p := c.pages; p != nil {
		p.flushGroup() // tells those who wait for it
		if isConflict(p.failed) {
			d.lost = conflict()
		}
	}
	return c.close()
}

// do runs fn on the connection while nothing else does. Every way out of a
// call passes here, so that the next one finds a connection in order.
func (d *DB) do(ctx context.Context, fn func(*conn) error) error {
	d.waiting.Add(1)
	select {
	case d.turn <- struct{}{}:
		d.waiting.Add(-1)
	case <-ctx.Done():
		d.waiting.Add(-1)
		return interrupted(ctx.Err())
	}
	o, err := d.hold(ctx, fn)
	if o != nil {
		// Whatever the call saw or did is not durable yet.
		if lost := d.await(o); err == nil {
			err = lost
		}
	}
	return err
}

// hold runs fn and lets the next one have its turn. If what fn saw is not yet
// durable it returns the outcome to wait for.
func (d *DB) hold(ctx context.Context, fn func(*conn) error) (*outcome, error) {
	defer func() { <-d.turn }()
	switch {
	case d.shut:
		return nil, fmt.Errorf("sqlshim: database %s: %w", d.name, fs.ErrClosed)
	case d.lost != nil:
		return nil, d.lost
	case ctx.Err() != nil:
		return nil, interrupted(ctx.Err())
	}
	if err := d.pace.enter(ctx); err != nil {
		return nil, interrupted(ctx.Err())
	}
	defer d.pace.exit()
	if err := d.certain(); err != nil {
		return nil, err
	}
	if d.conn == nil {
		c, err := d.connect(ctx)
		if err != nil {
			return nil, err
		}
		d.conn = c
	}
	c := d.conn
	c.call.begin(ctx, d.opts.Timeout)
	err := guard(func() error {
		if err := c.verify(); err != nil {
			return err
		}
		return fn(c)
	})
	var o *outcome
	if p := c.pages; p != nil {
		if err == nil && (p.fetched || p.failed != nil) {
			err = c.verify() // what was read belongs together only if nobody committed meanwhile
		}
		if p.group != nil {
			o = p.group.outcome
		}
	}
	if err != nil {
		err = d.fail(c, err)
	}
	if c.call.end() && d.conn == c {
		d.drop() // killed as it came home
	}
	return o, err
}

// fail explains an error, and drops a connection that is no longer in order.
func (d *DB) fail(c *conn, err error) error {
	broken := isCrash(err) || guard(c.settle) != nil
	if p := c.pages; p != nil && !broken {
		if p.failed == nil && p.fetched {
			p.verify() // the error may come from pages that do not belong together
		}
		broken = p.failed != nil || !p.clean()
	}
	err = c.explain(err)
	c.doubt = c.doubt || c.file != "" && isIOError(err)
	if broken {
		if p := c.pages; p != nil && isConflict(p.failed) {
			d.lost = conflict()
			err = d.lost
		}
		d.drop()
	}
	return err
}
