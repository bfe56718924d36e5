package sqlshim

import (
	"context"
	"strings"
	"sync/atomic"

	"github.com/ncruces/go-sqlite3"
	"samkit.dev/sam"
)

// D1 runs on a SQLite that is patched to count the rows that a statement reads
// and writes. Plain SQLite has these counters instead: the steps from a row to
// the next, of full scans, of automatic indexes and of everything else (which
// has no name in its documentation, but the number 0), the rows that changed,
// and the sorts. What is missing is the first row of each loop, rows that are
// found by their key within a loop, those of a bare count(*), and the index
// entries that are written.
const (
	stepsOther = sqlite3.StmtStatus(0)
	stepsFull  = sqlite3.STMTSTATUS_FULLSCAN_STEP
	stepsAuto  = sqlite3.STMTSTATUS_AUTOINDEX
)

// steps returns how often s went on to another row since it was reset.
func (s *statement) steps() int64 {
	return int64(s.Status(stepsOther, false)) + int64(s.Status(stepsFull, false)) + int64(s.Status(stepsAuto, false))
}

// takeSteps returns the rows that s has read in its run, which returned rows
// and changed changes of them, and starts anew.
func (s *statement) takeSteps(rows, changes int64) int64 {
	read := int64(s.Status(stepsOther, true)) + int64(s.Status(stepsFull, true)) + int64(s.Status(stepsAuto, true))
	read += int64(s.Status(sqlite3.STMTSTATUS_SORT, true))
	if s.uses.reads {
		read = max(read+1, rows)
	}
	return max(read, changes)
}

// uses is what a statement does to tables, as the authorizer hears of it while
// it is prepared.
type uses struct {
	reads   bool
	pages   bool            // it makes or drops a table or an index
	inserts string          // the table that it inserts into, or ""
	updates map[string]bool // the columns that it updates
	table   string          // of updates
}

// note takes one thing that the authorizer was asked about. inner is the
// trigger or view that it is for.
func (u *uses) note(action sqlite3.AuthorizerActionCode, table, column, inner string) {
	switch {
	case action == sqlite3.AUTH_READ:
		u.reads = true
	case action == sqlite3.AUTH_CREATE_TABLE || action == sqlite3.AUTH_CREATE_INDEX || action == sqlite3.AUTH_DROP_TABLE || action == sqlite3.AUTH_DROP_INDEX:
		u.pages = true
	case inner != "" || strings.HasPrefix(table, "sqlite_"):
	case action == sqlite3.AUTH_INSERT:
		u.inserts = table
	case action == sqlite3.AUTH_UPDATE:
		if u.updates == nil {
			u.updates = map[string]bool{}
		}
		u.table, u.updates[strings.ToLower(column)] = table, true
	}
}

// countIndexes finds out how many index entries s writes for a row: all of an
// INSERT, those of the columns of an UPDATE. An INSERT that may update counts
// as an INSERT; partial indexes count as if they held every row.
func (c *conn) countIndexes(s *statement) error {
	s.indexes = 0
	table, columns := s.uses.inserts, map[string]bool(nil)
	if table == "" {
		table, columns = s.uses.table, s.uses.updates
	}
	if table == "" {
		return nil
	}
	return c.trust(func() error {
		if c.indexes == nil {
			var err error
			c.indexes, _, err = c.db.PrepareFlags(`SELECT l.name, group_concat(lower(i.name), char(0)) FROM pragma_index_list(?1) l, pragma_index_info(l.name) i `+
				`WHERE NOT (l.origin = 'pk' AND (SELECT wr FROM pragma_table_list(?1) WHERE schema = 'main')) GROUP BY l.name`, sqlite3.PREPARE_PERSISTENT)
			if err != nil {
				return err
			}
		}
		defer c.indexes.ClearBindings()
		if err := c.indexes.BindText(1, table); err != nil {
			return err
		}
		for c.indexes.Step() {
			if columns == nil {
				s.indexes++
				continue
			}
			for name := range strings.SplitSeq(c.indexes.ColumnText(1), "\x00") {
				if columns[name] {
					s.indexes++
					break
				}
			}
		}
		return c.indexes.Reset()
	})
}

// A rowBudget is what the calls of one request may still read and write.
type rowBudget struct {
	maxRead, maxWritten int64
	read, written       atomic.Int64
}

type rowsKey struct{}

// WithRows returns a context whose calls, to any databases, together read and
// write at most so many rows, as [Result] counts them; negative numbers
// mean no bound. A statement that goes over fails and is undone, with its batch,
// and every later one is refused; the error holds a *sam.LimitError of the
// limit "RowsRead" or "RowsWritten".
func WithRows(ctx context.Context, read, written int64) context.Context {
	return context.WithValue(ctx, rowsKey{}, &rowBudget{maxRead: read, maxWritten: written})
}

// over returns the limit that is passed with so many rows more.
func (b *rowBudget) over(read, written int64) error {
	if n := b.maxRead; n >= 0 && b.read.Load()+read > n {
		return &sam.LimitError{Limit: "RowsRead", Max: n}
	}
	if n := b.maxWritten; n >= 0 && b.written.Load()+written > n {
		return &sam.LimitError{Limit: "RowsWritten", Max: n}
	}
	return nil
}

// spend counts rows and returns the limit that is passed with them.
func (b *rowBudget) spend(read, written int64) error {
	if b == nil {
		return nil
	}
	b.read.Add(read)
	b.written.Add(written)
	return b.over(0, 0)
}
