package bundle

import (
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"sort"
	"strings"
)

// A Map finds the place in the source that generated code comes from. It is
// immutable and safe for concurrent use.
type Map struct {
	sources []string
	lines   []int32   // index of the first segment of each generated line, and the end
	segs    []segment // by line, then column
}

// A segment is a point of generated code with a known origin. All from 0.
type segment struct {
	column     int32
	source     int32 // -1: no origin
	line, orig int32
}

const maxSegments = 16 << 20

// ParseMap reads a source map of version 3, such as [Output] holds. Sections
// are not supported. Segments that make no sense are an error.
func ParseMap(data []byte) (*Map, error) {
	var raw struct {
		Version    int       `json:"version"`
		Sources    []*string `json:"sources"`
		SourceRoot string    `json:"sourceRoot"`
		Mappings   *string   `json:"mappings"`
	}
	if err := json.Unmarshal(data, &raw); err != nil {
		return nil, fmt.Errorf("bundle: source map: %w", err)
	}
	if raw.Version != 3 {
		return nil, fmt.Errorf("bundle: source map of version %d, want 3", raw.Version)
	}
	if raw.Mappings == nil {
		return nil, errors.New("bundle: source map without mappings")
	}
	m := &Map{sources: make([]string, len(raw.Sources))}
	for i, s := range raw.Sources {
		if s != nil {
			m.sources[i] = *s
			if raw.SourceRoot != "" && *s != "" {
				m.sources[i] = path.Join(raw.SourceRoot, *s)
			}
		}
	}
	return m, m.decode(*raw.Mappings)
}

func (m *Map) decode(mappings string) error {
	m.lines = make([]int32, 1, strings.Count(mappings, ";")+2)
	m.segs = make([]segment, 0, min(len(mappings)/5+1, maxSegments))
	var source, line, orig, name int64
	for text := range strings.SplitSeq(mappings, ";") {
		start, column, sorted := len(m.segs), int64(0), true
		for len(text) > 0 {
			var part string
			part, text, _ = strings.Cut(text, ",")
			if part == "" {
				continue
			}
			fields, n, err := vlq(part)
			if err != nil {
				return err
			}
			before := column
			column += fields[0]
			s := segment{source: -1}
			if n >= 4 {
				source, line, orig = source+fields[1], line+fields[2], orig+fields[3]
				if source < 0 || source >= int64(len(m.sources)) || !fits(line) || !fits(orig) {
					return errors.New("bundle: source map: a segment points outside the sources")
				}
				s.source, s.line, s.orig = int32(source), int32(line), int32(orig)
			}
			if n == 5 {
				name += fields[4]
			}
			if !fits(column) || n == 2 || n == 3 || len(m.segs) == maxSegments {
				return errors.New("bundle: source map: malformed segment")
			}
			s.column = int32(column)
			sorted = sorted && column >= before
			m.segs = append(m.segs, s)
		}
		if !sorted {
			slices.SortStableFunc(m.segs[start:], func(a, b segment) int { return int(a.column) - int(b.column) })
		}
		m.lines = append(m.lines, int32(len(m.segs)))
	}
	return nil
}

func fits(n int64) bool { return n >= 0 && n < 1<<31-1 }

// vlq decodes the numbers of a segment, one to five.
func vlq(s string) (fields [5]int64, n int, err error) {
	var value int64
	shift := 0
	for i := 0; i < len(s); i++ {
		d := base64Digit(s[i])
		if d < 0 || shift > 30 || n == len(fields) {
			return fields, n, errors.New("bundle: source map: malformed number")
		}
		value |= int64(d&31) << shift
		if d&32 != 0 {
			shift += 5
			continue
		}
		fields[n] = value >> 1
		if value&1 != 0 {
			fields[n] = -fields[n]
		}
		n++
		value, shift = 0, 0
	}
	if shift != 0 {
		return fields, n, errors.New("bundle: source map: a number ends early")
	}
	return fields, n, nil
}

func base64Digit(c byte) int {
	switch {
	case c >= 'A' && c <= 'Z':
		return int(c - 'A')
	case c >= 'a' && c <= 'z':
		return int(c-'a') + 26
	case c >= '0' && c <= '9':
		return int(c-'0') + 52
	case c == '+':
		return 62
	case c == '/':
		return 63
	}
	return -1
}

// Original returns where the code at line and column comes from. All lines
// and columns count from 1, columns in UTF-16 units. ok is false where the
// code is esbuild's own.
func (m *Map) Original(line, column int) (file string, l, c int, ok bool) {
	if m == nil || line < 1 || line >= len(m.lines) || column < 1 {
		return "", 0, 0, false
	}
	segs := m.segs[m.lines[line-1]:m.lines[line]]
	i := sort.Search(len(segs), func(i int) bool { return int(segs[i].column) >= column }) - 1
	if i < 0 {
		// Before the first segment: an engine may point at the start of a
		// statement's line.
		if len(segs) == 0 {
			return "", 0, 0, false
		}
		i = 0
	}
	s := segs[i]
	if s.source < 0 {
		return "", 0, 0, false
	}
	return m.sources[s.source], int(s.line) + 1, int(s.orig) + 1, true
}

// HasLine reports whether anything on a line, from 1, has an origin.
func (m *Map) HasLine(line int) bool {
	if m == nil || line < 1 || line >= len(m.lines) {
		return false
	}
	for _, s := range m.segs[m.lines[line-1]:m.lines[line]] {
		if s.source >= 0 {
			return true
		}
	}
	return false
}

// Sources returns the files that the map points into, in its order.
func (m *Map) Sources() []string { return slices.Clone(m.sources) }
