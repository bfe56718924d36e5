package sqlshim

import (
	"fmt"
	"math"

	"github.com/ncruces/go-sqlite3"
)

// A statement is a prepared statement and what is known of it.
type statement struct {
	*sqlite3.Stmt
	params   int
	readonly bool
	columns  []string
	keys     []key // of the members of a row as a JSON object
	prepared int   // how often SQLite has prepared it again, when columns were read
	uses     uses
	indexes  int64 // entries that it writes for a row
	counted  int   // how often SQLite had prepared it again when indexes were counted
	lastUse  uint64
}

// A key is a member of a row as an object. Of columns with equal names the
// first gives the place and the last the value, as in JavaScript.
type key struct {
	json   string // `"name":`
	column int
}

// describe reads the columns.
func (s *statement) describe() {
	s.columns, s.keys = make([]string, s.ColumnCount()), nil
	at := make(map[string]int, len(s.columns))
	for i := range s.columns {
		name := s.ColumnName(i)
		s.columns[i] = name
		if first, dup := at[name]; dup {
			s.keys[first].column = i
			continue
		}
		at[name] = len(s.keys)
		s.keys = append(s.keys, key{json: string(appendString(nil, name)) + ":", column: i})
	}
}

// bind sets the parameters.
func (s *statement) bind(args []any) error {
	for i, arg := range args {
		var err error
		switch v := arg.(type) {
		case nil:
			err = s.BindNull(i + 1)
		case bool:
			err = s.BindBool(i+1, v)
		case int64:
			err = s.BindInt64(i+1, v)
		case float64:
			if math.IsNaN(v) || math.IsInf(v, 0) {
				err = s.BindNull(i + 1)
			} else {
				err = s.BindFloat(i+1, v)
			}
		case string:
			err = s.BindText(i+1, v)
		case []byte:
			if v == nil {
				v = []byte{}
			}
			err = s.BindBlob(i+1, v)
		case int:
			err = s.BindInt64(i+1, int64(v))
		default:
			s.ClearBindings()
			return rule(fmt.Sprintf("sqlshim: argument %d is a %T", i+1, arg))
		}
		if err != nil {
			s.ClearBindings()
			return err
		}
	}
	return nil
}

// fetch steps through the rows and returns their number.
func (s *statement) fetch(out *output) (rows int64, err error) {
	out.begin()
	for s.Step() {
		if rows++; rows == 1 {
			// The schema may have changed since the statement was prepared.
			if n := s.Status(sqlite3.STMTSTATUS_REPREPARE, false); n != s.prepared {
				s.prepared = n
				s.describe()
			}
		}
		if out.most > 0 && rows > out.most {
			out.more = true
			break // what it changes was changed before its first row
		}
		if err := out.row(s); err != nil {
			return rows, err
		}
	}
	if err := s.Err(); err != nil {
		return rows, err
	}
	out.end()
	return rows, nil
}

const (
	maxCached    = 128
	maxCachedSQL = 8 << 10 // bytes of a statement
)

// A cache keeps the statements used last, by their SQL.
type cache struct {
	bySQL map[string]*statement
	clock uint64
}

func (c *cache) get(sql string) *statement {
	st := c.bySQL[sql]
	if st != nil {
		c.clock++
		st.lastUse = c.clock
	}
	return st
}

// put takes a statement over, or returns false.
func (c *cache) put(sql string, st *statement) bool {
	if len(sql) > maxCachedSQL {
		return false
	}
	if c.bySQL == nil {
		c.bySQL = make(map[string]*statement)
	}
	if len(c.bySQL) >= maxCached {
		var oldest string
		var use uint64 = math.MaxUint64
		for sql, st := range c.bySQL {
			if st.lastUse < use {
				oldest, use = sql, st.lastUse
			}
		}
		c.bySQL[oldest].Close()
		delete(c.bySQL, oldest)
	}
	c.clock++
	st.lastUse = c.clock
	c.bySQL[sql] = st
	return true
}
