package appconfig

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/BurntSushi/toml"
	"github.com/tailscale/hujson"
)

// A document is a file as a tree: map[string]any, []any, string, bool, nil,
// json.Number or float64, int64.
type document struct {
	file string
	data []byte
	root map[string]any
}

// maxDepth bounds the tree. The parsers are recursive, and slow in the depth,
// so it is looked for before they run.
const maxDepth = 32

func (d *document) parseJSON() error {
	data := bytes.TrimPrefix(d.data, []byte("\ufeff"))
	if !utf8.Valid(data) {
		return &Error{File: d.file, Text: "the file is not UTF-8"}
	}
	if at := tooDeepJSON(data); at >= 0 {
		return d.at(at+len(d.data)-len(data), fmt.Sprintf("the file is nested more than %d levels deep", maxDepth))
	}
	// Standardize keeps offsets: comments become spaces.
	std, err := hujson.Standardize(bytes.Clone(data))
	if err != nil {
		return d.hujsonError(err)
	}
	dec := json.NewDecoder(bytes.NewReader(std))
	dec.UseNumber()
	var root any
	if err := dec.Decode(&root); err != nil {
		var se *json.SyntaxError
		if errors.As(err, &se) {
			return d.at(int(se.Offset), err.Error())
		}
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			err = errors.New("the file ends early")
		}
		return &Error{File: d.file, Text: err.Error()}
	}
	return d.take(root)
}

var hujsonPosition = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`line (\d+), column (\d+): (.*)$`) })

func (d *document) hujsonError(err error) error {
	e := &Error{File: d.file, Text: strings.TrimPrefix(err.Error(), "hujson: ")}
	if m := hujsonPosition().FindStringSubmatch(err.Error()); m != nil {
		fmt.Sscan(m[1], &e.Line) // digits, and too many of them leave 0
		fmt.Sscan(m[2], &e.Column)
		e.Text = m[3]
	}
	return e
}

func (d *document) parseTOML() error {
	if !utf8.Valid(d.data) {
		return &Error{File: d.file, Text: "the file is not UTF-8"}
	}
	if at := tooDeep(d.data); at >= 0 {
		return d.at(at, fmt.Sprintf("the file is nested more than %d levels deep", maxDepth))
	}
	var root map[string]any
	if _, err := toml.Decode(string(d.data), &root); err != nil {
		var pe toml.ParseError
		if errors.As(err, &pe) {
			text := pe.Message
			if text == "" {
				text = strings.TrimPrefix(err.Error(), "toml: ")
			}
			return &Error{File: d.file, Line: pe.Position.Line, Column: pe.Position.Col, Text: text}
		}
		return &Error{File: d.file, Text: strings.TrimPrefix(err.Error(), "toml: ")}
	}
	if root == nil {
		root = map[string]any{}
	}
	return d.take(root)
}

// take checks a parsed tree and keeps it.
func (d *document) take(root any) error {
	clean, err := tidy(root, 0)
	if err != nil {
		return &Error{File: d.file, Text: err.Error()}
	}
	m, ok := clean.(map[string]any)
	if !ok {
		return &Error{File: d.file, Line: 1, Column: 1, Text: "the file is no object"}
	}
	d.root = m
	return nil
}

// tidy gives TOML's values the types of JSON's.
func tidy(v any, depth int) (any, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("the file is nested more than %d levels deep", maxDepth)
	}
	var err error
	switch v := v.(type) {
	case map[string]any:
		for k, e := range v {
			if v[k], err = tidy(e, depth+1); err != nil {
				return nil, err
			}
		}
	case []any:
		for i, e := range v {
			if v[i], err = tidy(e, depth+1); err != nil {
				return nil, err
			}
		}
	case []map[string]any:
		list := make([]any, len(v))
		for i, e := range v {
			list[i] = e
		}
		return tidy(list, depth)
	case time.Time:
		return v.Format(time.RFC3339Nano), nil
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, errors.New("the file holds a number that JSON cannot: " + fmt.Sprint(v))
		}
	}
	return v, nil
}

// at makes an error at an offset in the file.
func (d *document) at(offset int, text string) *Error {
	offset = min(max(offset, 0), len(d.data))
	start := bytes.LastIndexByte(d.data[:offset], '\n') + 1
	return &Error{File: d.file, Line: 1 + bytes.Count(d.data[:start], []byte("\n")), Column: offset - start + 1, Text: text}
}

// wrong makes an error about a key, with the line where the key probably
// stands: the parsers keep no positions.
func (d *document) wrong(key, format string, args ...any) *Error {
	text := key + ": " + fmt.Sprintf(format, args...)
	last := key[strings.LastIndexByte(key, '.')+1:]
	last, _, _ = strings.Cut(last, "[")
	re := regexp.MustCompile(`(?m)^[^#\n]*?(` + regexp.QuoteMeta(last) + `)["']?\s*[=:\]]`)
	if m := re.FindSubmatchIndex(d.data); m != nil {
		return d.at(m[2], text)
	}
	return &Error{File: d.file, Text: text}
}
