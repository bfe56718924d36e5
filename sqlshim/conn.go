package sqlshim

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/ext/fts5"
	"github.com/ncruces/go-sqlite3/ext/rtree"
	"github.com/ncruces/go-sqlite3/vfs"
	"samkit.dev/internal/durable"
	"samkit.dev/sam"
)

const (
	dbName   = "db"    // of the database within its spaceVFS
	maxValue = 4 << 20 // bytes of a string or BLOB
	maxSQL   = 100_000 // bytes of what is prepared
)

// A conn is a connection and what belongs to it. One goroutine uses it at a time.
type conn struct {
	db    *sqlite3.Conn
	grip  *grip
	pages *pageFile // nil with Options.Dir
	vfs   string    // to be unregistered, or ""
	file  string    // the database file with Options.Dir
	doubt bool      // the disk may not hold what SQLite sees of the file; see settleLog
	call  *call
	opts  *Options

	trusted bool   // the statement being prepared is ours
	uses    uses   // of the statement being prepared
	refused string // why the authorizer last refused, if SQLite has no words for it
	pragma  bool   // the statement being prepared is a pragma, and none that a module runs for itself
	missing string // what the authorizer last refused because D1 has no such thing

	begin, commit, rollback *sqlite3.Stmt
	pageCount, schema       *sqlite3.Stmt
	indexes                 *sqlite3.Stmt // nil until it is needed; see countIndexes
	pageSize                int64
	size                    int64 // of the database in bytes
	cache                   cache
}

// connect opens the connection of d.
func (d *DB) connect(ctx context.Context) (*conn, error) {
	if d.opts.Dir == "" {
		return d.connectPages(ctx, d.state.Space, d.prefix, nil)
	}
	if err := durable.MkdirAll(d.opts.Dir, 0o777); err != nil {
		return nil, cannotOpen(err)
	}
	path, err := filepath.Abs(filepath.Join(d.opts.Dir, d.name+".db"))
	if err != nil {
		return nil, cannotOpen(err)
	}
	c := &conn{call: &call{pace: d.pace}, opts: &d.opts, file: path}
	if err := c.openFile(ctx); err != nil {
		return nil, err
	}
	return c, nil
}

// openFile opens c.file.
func (c *conn) openFile(ctx context.Context) error {
	path := filepath.ToSlash(c.file)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // a drive letter
	}
	return c.open(ctx, (&url.URL{Scheme: "file", Path: path}).String(),
		"PRAGMA locking_mode=exclusive; PRAGMA journal_mode=wal; PRAGMA synchronous=full; PRAGMA journal_size_limit=4194304")
}

// connectPages opens a connection to the pages under prefix. adjust may change
// the file before SQLite sees it.
func (d *DB) connectPages(ctx context.Context, space sam.Space, prefix string, adjust func(*pageFile)) (*conn, error) {
	c := &conn{call: &call{}, opts: &d.opts}
	c.call.begin(ctx, d.opts.Timeout)
	b := &budget{left: d.opts.MaxMemory}
	pages, err := openPages(c.call, space, prefix, b)
	if err != nil {
		c.call.stop()
		return nil, cannotOpen(err)
	}
	if adjust != nil {
		adjust(pages)
	} else {
		pages.contended = func() bool { return d.waiting.Load() > 0 }
		c.call.pace = d.pace
	}
	c.pages = pages
	fsys := &spaceVFS{main: pages, budget: b}
	// The driver finds file systems by name. The address is unique while it lives.
	c.vfs = fmt.Sprintf("samkit-%p", fsys)
	vfs.Register(c.vfs, fsys)
	uri := "file:" + dbName + "?vfs=" + c.vfs
	if err := c.open(ctx, uri, "PRAGMA locking_mode=exclusive; PRAGMA page_size="+strconv.Itoa(chunkSize)); err != nil {
		if isConflict(pages.verify()) {
			return nil, conflict() // pages of different moments may look damaged
		}
		return nil, err
	}
	return c, nil
}

// open opens the database at uri and puts the rules on it. It closes what it
// opened if it fails.
func (c *conn) open(ctx context.Context, uri, setup string) error {
	c.call.begin(ctx, c.opts.Timeout)
	err := guard(func() error {
		var err error
		c.db, err = sqlite3.OpenContext(sqlite3.WithMaxMemory(c.call, c.opts.MaxMemory), uri)
		if err != nil {
			return err
		}
		c.db.SetInterrupt(interrupt{c.call, c.pages})
		if err := fts5.Register(c.db); err != nil {
			return err
		}
		if err := rtree.Register(c.db); err != nil {
			return err
		}
		if c.grip, err = takeHold(c.db); err != nil {
			return err
		}
		c.call.mu.Lock()
		c.call.kill = c.grip.kill
		c.call.mu.Unlock()
		// A quarter of the memory for pages leaves room to sort and to journal.
		cacheKiB := min(c.opts.MaxMemory/4, 16<<20) >> 10
		if c.opts.ReadOnly {
			setup += "; PRAGMA query_only=on" // which no app may change
		}
		if err := c.db.Exec(setup + "; PRAGMA temp_store=memory; PRAGMA cell_size_check=on; PRAGMA cache_size=-" + strconv.FormatInt(cacheKiB, 10)); err != nil {
			return err
		}
		return c.restrict()
	})
	if err != nil {
		err = c.explain(err)
		c.close()
		return err
	}
	return nil
}

// restrict lays D1's limits on the connection, and ours.
func (c *conn) restrict() error {
	for limit, value := range map[sqlite3.LimitCategory]int{
		sqlite3.LIMIT_LENGTH: maxValue, sqlite3.LIMIT_SQL_LENGTH: maxSQL, sqlite3.LIMIT_COLUMN: 100,
		sqlite3.LIMIT_EXPR_DEPTH: 100, sqlite3.LIMIT_COMPOUND_SELECT: 5, sqlite3.LIMIT_VDBE_OP: 25_000,
		sqlite3.LIMIT_FUNCTION_ARG: 127, sqlite3.LIMIT_ATTACHED: 0, sqlite3.LIMIT_LIKE_PATTERN_LENGTH: 50,
		sqlite3.LIMIT_VARIABLE_NUMBER: 100, sqlite3.LIMIT_TRIGGER_DEPTH: 10,
	} {
		c.db.Limit(limit, value)
	}
	if _, err := c.db.Config(sqlite3.DBCONFIG_DEFENSIVE, true); err != nil {
		return err
	}
	if _, err := c.db.Config(sqlite3.DBCONFIG_DQS_DML, true); err != nil { // "text" is text where there is no such column
		return err
	}
	if _, err := c.db.Config(sqlite3.DBCONFIG_TRUSTED_SCHEMA, false); err != nil {
		return err
	}
	var err error
	for _, s := range []struct {
		stmt **sqlite3.Stmt
		sql  string
	}{{&c.begin, "BEGIN"}, {&c.commit, "COMMIT"}, {&c.rollback, "ROLLBACK"}, {&c.pageCount, "PRAGMA page_count"}, {&c.schema, "PRAGMA schema_version"}} {
		if *s.stmt, _, err = c.db.PrepareFlags(s.sql, sqlite3.PREPARE_PERSISTENT); err != nil {
			return err
		}
	}
	if err := c.limitSize(); err != nil {
		return err
	}
	return c.db.SetAuthorizer(c.authorize)
}

// limitSize reads the page size, bounds the number of pages and reads it too.
func (c *conn) limitSize() error {
	st, _, err := c.db.Prepare("PRAGMA page_size")
	if err != nil {
		return err
	}
	st.Step()
	c.pageSize = max(st.ColumnInt64(0), 512)
	if err := st.Close(); err != nil {
		return err
	}
	most := max(c.opts.MaxBytes/c.pageSize, 1)
	if err := c.db.Exec("PRAGMA max_page_count=" + strconv.FormatInt(most, 10)); err != nil {
		return err
	}
	return c.measure()
}

// measure updates size.
func (c *conn) measure() error {
	return c.trust(func() error {
		if c.pageCount.Step() {
			c.size = c.pageCount.ColumnInt64(0) * c.pageSize
		}
		return c.pageCount.Reset()
	})
}

// schemaVersion returns SQLite's count of the changes of the schema.
func (c *conn) schemaVersion() (v int64) {
	c.trust(func() error {
		if c.schema.Step() {
			v = c.schema.ColumnInt64(0)
		}
		return c.schema.Reset()
	})
	return v
}

// trust runs fn, which prepares or runs SQL of ours.
func (c *conn) trust(fn func() error) error {
	c.trusted = true
	defer func() { c.trusted = false }()
	return fn()
}

// verify reports a conflict if someone else has written the database.
func (c *conn) verify() error {
	if c.pages == nil {
		return nil
	}
	return c.pages.verify()
}

// step runs one of our own statements.
func (c *conn) step(st *sqlite3.Stmt) error { return c.trust(st.Exec) }

// transact runs fn in a transaction.
func (c *conn) transact(fn func() error) error {
	if err := c.step(c.begin); err != nil {
		return err
	}
	if err := fn(); err != nil {
		return err // settle rolls back
	}
	c.call.restart()
	return c.step(c.commit)
}

// settle ends a transaction that an error left open.
func (c *conn) settle() error {
	c.call.immune = true
	defer func() { c.call.immune = false }()
	if c.db.GetAutocommit() {
		return nil
	}
	if err := c.step(c.rollback); err != nil && !c.db.GetAutocommit() {
		return err
	}
	return c.measure()
}

// close releases everything.
func (c *conn) close() error {
	c.call.stop()
	err := guard(func() error {
		if c.db == nil {
			return nil
		}
		if c.settleLog() != nil {
			// The log must not go into the database before it is durable.
			if _, err := c.db.Config(sqlite3.DBCONFIG_NO_CKPT_ON_CLOSE, true); err != nil {
				return err
			}
		}
		for {
			var st *sqlite3.Stmt
			for s := range c.db.Stmts() {
				st = s
				break
			}
			if st == nil {
				break
			}
			st.Close() // returns the error of its last run
		}
		return c.db.Close()
	})
	if err != nil && c.grip != nil {
		err = c.grip.release()
	}
	if c.vfs != "" {
		vfs.Unregister(c.vfs)
	}
	return err
}

// guard runs fn and turns a panic into an error: the driver panics when SQLite
// is out of memory.
func guard(fn func() error) (err error) {
	before := debug.SetPanicOnFault(true) // see grip.kill
	defer func() {
		debug.SetPanicOnFault(before)
		if r := recover(); r != nil {
			cause, ok := r.(error)
			if !ok {
				cause = fmt.Errorf("%v", r)
			}
			if cause.Error() == "sqlite3: out of memory" {
				err = &crash{&Error{Code: "SQLITE_NOMEM", Offset: -1, Text: "out of memory"}}
				return
			}
			err = &crash{&Error{Code: "SQLITE_INTERNAL", Offset: -1, Text: "internal error", Err: cause}}
		}
	}()
	return fn()
}

// A crash is a panic inside SQLite, after which its connection is unusable.
type crash struct{ err *Error }

func (c *crash) Error() string { return c.err.Error() }

func isCrash(err error) bool {
	var c *crash
	return errors.As(err, &c)
}

func isConflict(err error) bool { return errors.Is(err, sam.ErrConflict) }

// explain turns the error of a call into the one that its caller sees.
func (c *conn) explain(err error) error {
	var crashed *crash
	if errors.As(err, &crashed) {
		if crashed.err.Code == "SQLITE_INTERNAL" && c.call.expired.Load() {
			return interrupted(c.timeout(context.DeadlineExceeded))
		}
		if crashed.err.Code == "SQLITE_NOMEM" {
			crashed.err.Err = &sam.LimitError{Limit: "MaxMemory", Max: c.opts.MaxMemory}
		}
		return crashed.err
	}
	var exec *ExecError
	if errors.As(err, &exec) {
		exec.Err = c.explain(exec.Err)
		return exec
	}
	var migration *MigrationError
	if errors.As(err, &migration) {
		migration.Err = c.explain(migration.Err)
		return migration
	}
	if isConflict(err) {
		return conflict()
	}
	var outside *outsideError
	if errors.As(err, &outside) {
		return err
	}
	var limit *sam.LimitError
	if errors.As(err, &limit) && strings.HasPrefix(limit.Limit, "Rows") {
		return overRows(limit)
	}
	e := sqliteError(err, "")
	switch {
	case c.pages != nil && c.pages.failed != nil:
		if isConflict(c.pages.failed) {
			return conflict()
		}
		e.Err = c.pages.failed
	case e.Code == "SQLITE_INTERRUPT" && c.call.over != nil:
		return overRows(c.call.over)
	case e.Code == "SQLITE_INTERRUPT" && c.call.Context != nil:
		if cause := c.call.Err(); cause != nil {
			e.Err = c.timeout(cause)
		}
	case e.Code == "SQLITE_FULL":
		e.Err = c.whyFull()
	}
	return e
}

// cannotOpen is the error of a store or directory that does not answer.
func cannotOpen(cause error) error {
	if errors.Is(cause, context.Canceled) || errors.Is(cause, context.DeadlineExceeded) {
		return interrupted(cause)
	}
	return &Error{Code: "SQLITE_CANTOPEN", Offset: -1, Text: "unable to open database file", Err: cause}
}

// interrupted is the error of a call whose context ended before its turn came.
func interrupted(cause error) error {
	return &Error{Code: "SQLITE_INTERRUPT", Offset: -1, Text: "interrupted", Err: cause}
}
