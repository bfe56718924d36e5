package sqlshim

import (
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/ncruces/go-sqlite3"
	"samkit.dev/sam"
)

// A Format is how rows stand in JSON. In both a BLOB is an array of numbers,
// an INTEGER keeps all its digits, and infinities are null.
type Format int

const (
	Objects Format = iota + 1 // [{"id":1,"name":"a"}]; of equal names the last column counts
	Arrays                    // [[1,"a"]]; the names are in Result.Columns
)

// An output takes rows as Go values, or as JSON if it has a format.
type output struct {
	format  Format
	discard bool
	rows    [][]any
	used    int64 // by rows, in bytes
	buf     []byte
	start   int // of this output in buf
	max     int64
	limit   int64 // of the call, of which max is left
	most    int64 // rows; zero means all
	more    bool  // there were more
}

func (o *output) size() int64 {
	if o.format != 0 {
		return int64(len(o.buf) - o.start)
	}
	return o.used
}

func (o *output) begin() {
	if o.format != 0 {
		o.buf = append(o.buf, '[')
	}
}

func (o *output) end() {
	if o.format != 0 {
		o.buf = append(o.buf, ']')
	}
}

// row takes the current row of s.
func (o *output) row(s *statement) error {
	switch {
	case o.discard:
		return nil
	case o.format == 0:
		o.appendRow(s)
	default:
		o.appendJSON(s)
	}
	if o.size() > o.max {
		return &Error{Code: "SQLITE_TOOBIG", Offset: -1, Text: fmt.Sprintf("result is over the limit of %d bytes", o.max), Err: &sam.LimitError{Limit: "MaxResult", Max: o.limit}}
	}
	return nil
}

func (o *output) appendRow(s *statement) {
	row := make([]any, len(s.columns))
	o.used += 24 + 16*int64(len(row))
	for i := range row {
		switch s.ColumnType(i) {
		case sqlite3.INTEGER:
			row[i] = s.ColumnInt64(i)
		case sqlite3.FLOAT:
			row[i] = s.ColumnFloat(i)
		case sqlite3.TEXT:
			text := s.ColumnText(i)
			o.used += int64(len(text))
			row[i] = text
		case sqlite3.BLOB:
			blob := append([]byte{}, s.ColumnRawBlob(i)...)
			o.used += int64(len(blob))
			row[i] = blob
		}
	}
	o.rows = append(o.rows, row)
}

func (o *output) appendJSON(s *statement) {
	b := o.buf
	if b[len(b)-1] != '[' || len(b)-1 != o.start {
		b = append(b, ',')
	}
	if o.format == Objects {
		b = append(b, '{')
		for i, k := range s.keys {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(b, k.json...)
			b = appendColumn(b, s, k.column)
		}
		o.buf = append(b, '}')
		return
	}
	b = append(b, '[')
	for i := range s.columns {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendColumn(b, s, i)
	}
	o.buf = append(b, ']')
}

func appendColumn(b []byte, s *statement, i int) []byte {
	switch s.ColumnType(i) {
	case sqlite3.INTEGER:
		return strconv.AppendInt(b, s.ColumnInt64(i), 10)
	case sqlite3.FLOAT:
		return appendFloat(b, s.ColumnFloat(i))
	case sqlite3.TEXT:
		return appendString(b, s.ColumnRawText(i))
	case sqlite3.BLOB:
		return appendBytes(b, s.ColumnRawBlob(i))
	}
	return append(b, "null"...)
}

// appendFloat appends a number as JavaScript prints it.
func appendFloat(b []byte, f float64) []byte {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return append(b, "null"...)
	}
	if f == 0 {
		return append(b, '0') // the negative one as well
	}
	if abs := math.Abs(f); abs < 1e-6 || abs >= 1e21 {
		return strconv.AppendFloat(b, f, 'e', -1, 64)
	}
	return strconv.AppendFloat(b, f, 'f', -1, 64)
}

func appendBytes(b, blob []byte) []byte {
	b = append(b, '[')
	for i, v := range blob {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendUint(b, uint64(v), 10)
	}
	return append(b, ']')
}

// appendString appends a JSON string. Invalid UTF-8 becomes U+FFFD. U+2028 and
// U+2029 are escaped so that the JSON is JavaScript too.
func appendString[T string | []byte](b []byte, s T) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	done := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= 0x20 && c != '"' && c != '\\' && c < utf8.RuneSelf {
			i++
			continue
		}
		if c < utf8.RuneSelf {
			b = append(b, s[done:i]...)
			switch c {
			case '"', '\\':
				b = append(b, '\\', c)
			case '\n':
				b = append(b, '\\', 'n')
			case '\r':
				b = append(b, '\\', 'r')
			case '\t':
				b = append(b, '\\', 't')
			default:
				b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
			}
			i++
			done = i
			continue
		}
		r, n := utf8.DecodeRuneInString(string(s[i:min(len(s), i+utf8.UTFMax)]))
		if r == utf8.RuneError && n == 1 {
			b = append(append(b, s[done:i]...), `\ufffd`...)
			done = i + n
		} else if r == '\u2028' || r == '\u2029' {
			b = append(append(b, s[done:i]...), '\\', 'u', '2', '0', '2', hex[r&15])
			done = i + n
		}
		i += n
	}
	return append(append(b, s[done:]...), '"')
}
