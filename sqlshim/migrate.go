package sqlshim

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// A MigrationError is a file that [DB.Migrate] could not apply. Those before it
// stay applied.
type MigrationError struct {
	File string
	Err  error
}

func (e *MigrationError) Error() string {
	return "sqlshim: migration " + e.File + ": " + e.Err.Error()
}

// Unwrap returns e.Err.
func (e *MigrationError) Unwrap() error { return e.Err }

// Migrate applies the .sql files at the root of fsys that were not applied yet,
// each in one transaction together with its record in the table
// [Options].Migrations. Their order is that of the numbers they start with,
// then of their names, as in wrangler. A file may hold any number of
// statements, each of up to 100,000 bytes; the BEGIN TRANSACTION and COMMIT of
// a dump are passed over. Other calls wait meanwhile. The error of a file is a
// [*MigrationError].
func (d *DB) Migrate(ctx context.Context, fsys fs.FS) error {
	names, err := migrations(fsys)
	if err != nil || len(names) == 0 {
		return err
	}
	return d.do(ctx, func(c *conn) error {
		applied, err := c.applied()
		if err != nil {
			return err
		}
		for _, name := range names {
			if applied[name] {
				continue
			}
			text, err := fs.ReadFile(fsys, name)
			if err != nil {
				return &outsideError{"migrate", err}
			}
			if err := c.migrate(name, string(text)); err != nil {
				return err
			}
		}
		return nil
	})
}

// migrations returns the names of the files in the order of their application.
func migrations(fsys fs.FS) ([]string, error) {
	entries, err := fs.ReadDir(fsys, ".")
	if err != nil {
		return nil, &outsideError{"migrate", err}
	}
	var names []string
	for _, e := range entries {
		if !e.IsDir() && strings.EqualFold(path.Ext(e.Name()), ".sql") {
			names = append(names, e.Name())
		}
	}
	number := func(name string) uint64 { // without one it comes first
		n, _ := strconv.ParseUint(name[:len(name)-len(strings.TrimLeft(name, "0123456789"))], 10, 64)
		return n
	}
	slices.SortFunc(names, func(a, b string) int {
		if x, y := number(a), number(b); x != y {
			if x < y {
				return -1
			}
			return 1
		}
		return strings.Compare(a, b)
	})
	return names, nil
}

func (c *conn) migrationsTable() string {
	return `"` + strings.ReplaceAll(c.opts.Migrations, `"`, `""`) + `"`
}

// applied returns the names of the migrations that the database has had. It
// makes the table for them as wrangler does.
func (c *conn) applied() (map[string]bool, error) {
	out := output{max: c.opts.MaxResult, limit: c.opts.MaxResult}
	err := c.query("CREATE TABLE IF NOT EXISTS "+c.migrationsTable()+
		" (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)",
		nil, &output{discard: true}, &Result{}, false)
	if err == nil {
		err = c.query("SELECT name FROM "+c.migrationsTable(), nil, &out, &Result{}, false)
	}
	if err != nil {
		return nil, err
	}
	applied := make(map[string]bool, len(out.rows))
	for _, row := range out.rows {
		if name, ok := row[0].(string); ok {
			applied[name] = true
		}
	}
	return applied, nil
}

func (c *conn) migrate(name, text string) error {
	err := c.transact(func() error {
		if err := c.script(text); err != nil {
			return err
		}
		return c.query("INSERT INTO "+c.migrationsTable()+" (name) VALUES (?)", []any{name}, &output{discard: true}, &Result{}, true)
	})
	if err == nil || isCrash(err) {
		return err
	}
	return &MigrationError{File: name, Err: err}
}

// script runs statements of any total size one by one.
func (c *conn) script(text string) error {
	for text = skipBlank(text); text != ""; text = skipBlank(text) {
		if rest, ok := dumpFrame(text); ok {
			text = rest
			continue
		}
		// SQLite wants no more at once than a statement may have, and copies it
		// each time. What is cut must not be taken for the end of a statement.
		head := text[:min(len(text), maxSQL)]
		st, tail, err := c.prepare(head)
		if len(head) < len(text) {
			var e *Error
			if err == nil && tail == "" && head[len(head)-1] != ';' || errors.As(err, &e) && (e.Text == "incomplete input" || strings.HasPrefix(e.Text, "unrecognized token")) {
				if st != nil {
					st.Close()
				}
				return tooLong()
			}
		}
		if err != nil {
			return err
		}
		err = c.run(st, nil, &output{discard: true}, &Result{})
		st.Close()
		if err != nil {
			return err
		}
		text = text[len(head)-len(tail):]
	}
	return nil
}

// dumpFrame cuts off what a dump of SQLite's shell has around its statements,
// which are in a transaction here anyway.
func dumpFrame(text string) (rest string, ok bool) {
	for _, word := range [...]string{"BEGIN TRANSACTION;", "COMMIT;"} {
		if len(text) >= len(word) && strings.EqualFold(text[:len(word)], word) {
			return text[len(word):], true
		}
	}
	return text, false
}

func tooLong() *Error {
	return &Error{Code: "SQLITE_TOOBIG", Offset: -1, Text: "statement too long", Err: fmt.Errorf("sqlshim: a statement has over %d bytes", maxSQL)}
}
