// Package documents reads and writes YAML, JSON, TOML, XML, INI and CSV as one kind of value, whose members keep
// their order.
package documents

import (
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strings"
)

// A value is nil, a bool, a json.Number, a string, a Date, a []any or a Map.

// A Date is a date or a time as it is written in YAML and TOML; JSON has it as a string.
type Date string

// A Map is members in the order in which they were written.
type Map []Member

// A Member is one of a Map.
type Member struct {
	Key   string
	Value any
}

// put sets the value of a key, at its place or at the end.
func (m Map) put(key string, v any) Map {
	for i, e := range m {
		if e.Key == key {
			m[i].Value = v
			return m
		}
	}
	return append(m, Member{key, v})
}

// A Format is one of those below.
type Format string

// What can be read and written.
const (
	YAML Format = "yaml"
	JSON Format = "json"
	TOML Format = "toml"
	XML  Format = "xml"
	INI  Format = "ini"
	CSV  Format = "csv"
	TSV  Format = "tsv"
)

var formats = map[string]Format{
	"yaml": YAML, "yml": YAML, "y": YAML, "json": JSON, "j": JSON, "toml": TOML, "xml": XML, "x": XML, "ini": INI, "i": INI, "csv": CSV, "c": CSV, "tsv": TSV, "t": TSV,
}

// ParseFormat returns the format of a name such as "yaml" or "y".
func ParseFormat(name string) (Format, bool) {
	f, ok := formats[name]
	return f, ok
}

// FormatOf returns the format of a file by its name.
func FormatOf(file string) (Format, bool) {
	ext := strings.ToLower(strings.TrimPrefix(path.Ext(file), "."))
	if len(ext) < 3 {
		return "", false
	}
	return ParseFormat(ext)
}

// Options is how documents are written, and what some formats need to be read.
type Options struct {
	Indent     int    // of YAML, JSON and XML, in blanks; zero writes JSON and XML in one line
	Attribute  string // before the names of attributes of XML
	Content    string // the name of text of XML beside attributes and elements
	Delimiter  rune   // of CSV; zero is a comma, or found out
	Headerless bool   // CSV has no line of names
	Room       int    // bytes that a value may have; zero means 64 MiB
}

// MaxDepth is how deeply values may be nested.
const MaxDepth = 1000

// What ends a read that would be too much.
var (
	ErrDepth = fmt.Errorf("nested more than %d deep", MaxDepth)
	ErrRoom  = errors.New("the value is too large")
)

// A reader counts what a value takes.
type reader struct {
	o    *Options
	left int
}

func newReader(o *Options) *reader {
	r := &reader{o: o, left: o.Room}
	if r.left <= 0 {
		r.left = 64 << 20
	}
	return r
}

// take counts a value at a depth, with the bytes of its own.
func (r *reader) take(depth, bytes int) error {
	if depth > MaxDepth {
		return ErrDepth
	}
	if r.left -= bytes + 64; r.left < 0 {
		return ErrRoom
	}
	return nil
}

// Read returns the documents of a text: several of YAML and JSON, one of the others. An empty text has one that is null.
func Read(f Format, data []byte, o *Options) ([]any, error) {
	data = []byte(strings.TrimPrefix(string(data), "\ufeff"))
	r := newReader(o)
	var docs []any
	var err error
	switch f {
	case YAML:
		docs, err = r.yaml(data)
	case JSON:
		docs, err = r.json(data)
	default:
		var v any
		if strings.TrimSpace(string(data)) != "" {
			v, err = r.one(f, data)
		}
		docs = []any{v}
	}
	if err != nil {
		return nil, err
	}
	if len(docs) == 0 {
		docs = []any{nil}
	}
	return docs, nil
}

func (r *reader) one(f Format, data []byte) (any, error) {
	switch f {
	case TOML:
		return r.toml(data)
	case XML:
		return r.xml(data)
	case INI:
		return r.ini(data)
	case CSV, TSV:
		return r.csv(f, data)
	}
	return nil, fmt.Errorf("unknown format %q", f)
}

// Write returns a value as text that ends with a newline.
func Write(f Format, v any, o *Options) ([]byte, error) {
	switch f {
	case YAML:
		return writeYAML(v, o)
	case JSON:
		return append(AppendJSON(nil, v, o.Indent), '\n'), nil
	case TOML:
		return writeTOML(v)
	case XML:
		return writeXML(v, o)
	case INI:
		return writeINI(v)
	case CSV, TSV:
		return writeCSV(f, v, o)
	}
	return nil, fmt.Errorf("unknown format %q", f)
}

// text is a value in a place that has text only.
func text(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case bool:
		return fmt.Sprint(v)
	case json.Number:
		return v.String()
	case Date:
		return string(v)
	}
	return string(AppendJSON(nil, v, 0))
}

// scalar is what a text says: a number, true, false or itself.
func scalar(s string) any {
	switch s {
	case "true":
		return true
	case "false":
		return false
	}
	if isNumber(s) {
		return json.Number(s)
	}
	return s
}

// isNumber reports whether s is a number of JSON.
func isNumber(s string) bool {
	if s == "" || !(s[0] == '-' || s[0] >= '0' && s[0] <= '9') {
		return false
	}
	return json.Valid([]byte(s))
}
