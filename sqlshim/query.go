package sqlshim

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/ncruces/go-sqlite3"
)

// A Stmt is SQL with the arguments of its parameters: nil, bool, int, int64,
// float64, string or []byte. NaN and infinities become NULL, as in D1.
//
// SQL may hold several statements. All of them run, in one transaction; the
// result is that of the last one, which alone may have parameters.
type Stmt struct {
	SQL  string
	Args []any
}

// A Result is the rows of a statement and what it cost.
type Result struct {
	Columns []string // not to be changed
	Rows    [][]any  // of nil, int64, float64, string and []byte; nil if the rows are JSON
	JSON    []byte   // from BatchJSON
	More    bool     // there are more rows than Options.MaxRows

	Changes   int64 // rows inserted, updated or deleted, also by triggers
	LastRowID int64 // of the connection's latest INSERT, which may be an earlier call's
	// RowsRead and RowsWritten are what D1 counts as near as plain SQLite can
	// say. Read are the steps of all scans, one for the start of the first, and
	// what a sort yields again; a count(*) without WHERE and what a join finds
	// by key are not in it. Written are the rows changed, and the index entries
	// of those that the statement itself inserts or updates. Changes of the
	// schema count as nothing.
	RowsRead, RowsWritten int64
	Duration              time.Duration
	SizeAfter             int64 // of the database in bytes
	ChangedDB             bool  // rows, the last row id, the size or the set of tables and indexes changed
}

// Query runs SQL.
func (d *DB) Query(ctx context.Context, query string, args ...any) (*Result, error) {
	res := &Result{}
	out := output{max: d.opts.MaxResult, limit: d.opts.MaxResult, most: int64(d.opts.MaxRows)}
	err := d.do(ctx, func(c *conn) error { return c.query(query, args, &out, res, false) })
	if err != nil {
		return nil, err
	}
	res.Rows, res.More = out.rows, out.more
	return res, nil
}

// AppendJSON runs SQL and appends its rows to dst as one JSON array. It is the
// fast way to hand rows on: [Result.Rows] stays nil.
func (d *DB) AppendJSON(ctx context.Context, dst []byte, f Format, query string, args ...any) ([]byte, Result, error) {
	if f != Objects && f != Arrays {
		return dst, Result{}, rule("sqlshim: the format is neither Objects nor Arrays")
	}
	var res Result
	out := output{format: f, buf: dst, start: len(dst), max: d.opts.MaxResult, limit: d.opts.MaxResult}
	err := d.do(ctx, func(c *conn) error { return c.query(query, args, &out, &res, false) })
	if err != nil {
		return dst, Result{}, err
	}
	return out.buf, res, nil
}

// Batch runs statements in one transaction: if one fails, none has happened.
// As in D1, a statement without SQL is passed over and has no result.
func (d *DB) Batch(ctx context.Context, stmts ...Stmt) ([]*Result, error) {
	return d.batch(ctx, 0, stmts)
}

// BatchJSON is like Batch and returns the rows as in AppendJSON, in
// [Result.JSON].
func (d *DB) BatchJSON(ctx context.Context, f Format, stmts ...Stmt) ([]*Result, error) {
	if f != Objects && f != Arrays {
		return nil, rule("sqlshim: the format is neither Objects nor Arrays")
	}
	return d.batch(ctx, f, stmts)
}

func (d *DB) batch(ctx context.Context, f Format, stmts []Stmt) ([]*Result, error) {
	stmts = slices.DeleteFunc(slices.Clone(stmts), func(s Stmt) bool { return strings.TrimSpace(s.SQL) == "" })
	if len(stmts) == 0 {
		return nil, rule(textNoSQL)
	}
	results := make([]*Result, len(stmts))
	err := d.do(ctx, func(c *conn) error {
		left := d.opts.MaxResult
		return c.transact(func() error {
			for i, s := range stmts {
				out := output{format: f, max: left, limit: d.opts.MaxResult}
				results[i] = &Result{}
				if err := c.query(s.SQL, s.Args, &out, results[i], true); err != nil {
					return err
				}
				left -= out.size()
				results[i].Rows, results[i].JSON = out.rows, out.buf
			}
			return nil
		})
	})
	if err != nil {
		return nil, err
	}
	return results, nil
}

// Exec runs a script of one statement a line, in one transaction, and returns
// the number of lines that are not empty. A line may hold several statements, but a statement
// that goes over two lines fails, as in D1. The error may be an [*ExecError].
func (d *DB) Exec(ctx context.Context, script string) (int, error) {
	script = strings.TrimSpace(script)
	first, _, _ := strings.Cut(script, "\n")
	lines := slices.DeleteFunc(strings.Split(script, "\n"), func(line string) bool { return strings.TrimSpace(line) == "" })
	err := d.do(ctx, func(c *conn) error {
		err := c.transact(func() error {
			if len(lines) == 0 {
				return rule(textNoSQL)
			}
			for _, line := range lines {
				out := output{discard: true}
				if err := c.query(line, nil, &out, &Result{}, true); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil && !isCrash(err) {
			return &ExecError{Line: first, Err: err}
		}
		return err
	})
	if err != nil {
		return 0, err
	}
	return len(lines), nil
}

// query runs SQL, the last statement of it with args, into out and res. within
// says that a transaction is open.
func (c *conn) query(query string, args []any, out *output, res *Result, within bool) error {
	if err := c.call.rows.spend(0, 0); err != nil {
		return err
	}
	began := time.Now()
	changes, last, size := c.db.TotalChanges(), c.db.LastInsertRowID(), c.size
	st := c.cache.get(query)
	var err error
	if st != nil {
		err = c.runOne(st, args, out, res, within)
	} else {
		err = c.runAll(query, args, out, res, within)
	}
	if err != nil {
		return err
	}
	res.Changes = c.db.TotalChanges() - changes
	res.LastRowID = c.db.LastInsertRowID()
	res.SizeAfter = c.size
	res.ChangedDB = res.ChangedDB || res.Changes != 0 || res.LastRowID != last || c.size != size
	res.Duration = time.Since(began)
	if err := c.call.rows.spend(res.RowsRead, res.RowsWritten); within {
		return err // otherwise it has happened
	}
	return nil
}

// runAll runs SQL of one statement or more that is not in the cache.
func (c *conn) runAll(query string, args []any, out *output, res *Result, within bool) error {
	rest := skipBlank(query)
	if rest == "" {
		if strings.TrimSpace(query) == "" {
			return rule(textNoSQL)
		}
		return rule(textNoStatement)
	}
	began := false
	for {
		st, tail, err := c.prepare(rest)
		if err != nil {
			return err
		}
		if tail = strings.TrimSpace(tail); tail == "" {
			err := c.runOne(st, args, out, res, within || began)
			if began || !c.cache.put(query, st) {
				st.Close()
			}
			if err == nil && began {
				return c.finish(res)
			}
			return err
		}
		if tail[0] == ';' || skipBlank(tail) == "" { // D1 takes it for a statement
			st.Close()
			return rule(textNoStatement)
		}
		if st.params > 0 {
			st.Close()
			return rule(textPrelude)
		}
		if !within && !began {
			if err := c.step(c.begin); err != nil {
				st.Close()
				return err
			}
			began = true
		}
		err = c.run(st, nil, &output{discard: true}, res)
		st.Close()
		if err != nil {
			return err
		}
		rest = tail
	}
}

// prepare compiles the first statement of query.
func (c *conn) prepare(query string) (*statement, string, error) {
	if len(query) > maxSQL {
		return nil, "", tooLong()
	}
	if begins(query, "vacuum") { // refused by D1, which is always in a transaction, before its authorizer can
		return nil, "", &Error{Code: "SQLITE_ERROR", Offset: -1, Text: "cannot VACUUM from within a transaction"}
	}
	c.refused, c.missing = "", ""
	c.pragma = begins(query, "pragma")
	c.call.restart()
	c.uses = uses{}
	var flags sqlite3.PrepareFlag
	if len(query) <= maxCachedSQL {
		flags = sqlite3.PREPARE_PERSISTENT
	}
	stmt, tail, err := c.db.PrepareFlags(query, flags)
	if err != nil {
		e := sqliteError(err, query)
		switch {
		case e.Code == "SQLITE_AUTH" && c.refused != "":
			return nil, "", rule(c.refused)
		case e.Code == "SQLITE_AUTH" && c.missing != "":
			e.Code, e.Text = "SQLITE_ERROR", c.missing
		}
		return nil, "", asInD1(e)
	}
	if stmt == nil {
		return nil, "", rule(textNoStatement)
	}
	st := &statement{Stmt: stmt, params: stmt.BindCount(), readonly: stmt.ReadOnly(), uses: c.uses}
	st.describe()
	if err := c.countIndexes(st); err != nil {
		st.Close()
		return nil, "", err
	}
	return st, tail, nil
}

// runOne runs a statement, in a transaction of its own if rows are bounded:
// SQLite tells how many it wrote only afterwards.
func (c *conn) runOne(st *statement, args []any, out *output, res *Result, within bool) error {
	if within || st.readonly || c.call.rows == nil {
		return c.run(st, args, out, res)
	}
	if err := c.step(c.begin); err != nil {
		return err
	}
	if err := c.run(st, args, out, res); err != nil {
		return err
	}
	return c.finish(res)
}

// finish commits what res is about, unless there are too many rows in it.
func (c *conn) finish(res *Result) error {
	if c.call.rows != nil {
		if err := c.call.rows.over(res.RowsRead, res.RowsWritten); err != nil {
			return err
		}
	}
	c.call.restart()
	return c.step(c.commit)
}

// run runs one statement.
func (c *conn) run(st *statement, args []any, out *output, res *Result) (err error) {
	if len(args) != st.params {
		return rule(textBindings)
	}
	c.call.restart()
	if err := st.bind(args); err != nil {
		return err
	}
	if st.uses.pages {
		began := c.schemaVersion()
		// In D1 the size shows it.
		defer func() { res.ChangedDB = res.ChangedDB || err == nil && c.schemaVersion() != began }()
	}
	before := c.db.TotalChanges()
	c.call.watchRows(st)
	rows, err := st.fetch(out)
	c.call.watchRows(nil)
	changes := c.db.TotalChanges() - before
	read := st.takeSteps(rows, changes)
	if e := st.Reset(); err == nil {
		err = e
	}
	if len(args) > 0 {
		st.ClearBindings()
	}
	if err != nil {
		c.call.rows.spend(read, 0)
		return sqliteError(err, "")
	}
	res.Columns = st.columns
	res.RowsRead += read
	if st.readonly {
		return nil
	}
	if changes > 0 {
		if n := st.Status(sqlite3.STMTSTATUS_REPREPARE, false); n != st.counted {
			if err := c.countIndexes(st); err != nil {
				return err
			}
			st.counted = n
		}
		// The rest of the changes are those of triggers.
		res.RowsWritten += changes + min(c.db.Changes(), changes)*st.indexes
	}
	return c.measure()
}

// skipBlank returns sql without the white space, comments and empty statements
// that it starts with.
func skipBlank(sql string) string {
	for {
		sql = strings.TrimLeft(sql, " \t\n\v\f\r;")
		switch {
		case strings.HasPrefix(sql, "--"):
			_, sql, _ = strings.Cut(sql, "\n")
		case strings.HasPrefix(sql, "/*"):
			_, sql, _ = strings.Cut(sql[2:], "*/")
		default:
			return sql
		}
	}
}

// begins reports whether SQL begins with a keyword.
func begins(sql, word string) bool {
	return len(sql) >= len(word) && strings.EqualFold(sql[:len(word)], word) && (len(sql) == len(word) || strings.ContainsRune(" \t\n;", rune(sql[len(word)])))
}
