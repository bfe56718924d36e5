package documents

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"strings"
)

// csv reads rows as maps by the names of the first line. Numbers, true and false are no text, and what is empty is null.
func (r *reader) csv(f Format, data []byte) (any, error) {
	dec := csv.NewReader(bytes.NewReader(data))
	dec.FieldsPerRecord = -1
	dec.LazyQuotes = true
	dec.Comma = r.o.Delimiter
	if dec.Comma == 0 {
		dec.Comma = guess(f, data)
	}
	rows, err := dec.ReadAll()
	if err != nil {
		return nil, err
	}
	var names []string
	if !r.o.Headerless && len(rows) > 0 {
		names, rows = rows[0], rows[1:]
	}
	list := []any{}
	for _, row := range rows {
		values := []any{}
		for _, cell := range row {
			if err := r.take(0, len(cell)); err != nil {
				return nil, err
			}
			var v any
			if cell != "" {
				v = scalar(cell)
			}
			values = append(values, v)
		}
		if r.o.Headerless {
			list = append(list, values)
			continue
		}
		m := Map{}
		for i, name := range names {
			var v any
			if i < len(values) {
				v = values[i]
			}
			if err := r.take(0, len(name)); err != nil {
				return nil, err
			}
			m = m.put(name, v)
		}
		list = append(list, m)
	}
	return list, nil
}

// guess is the delimiter that the first line has most of.
func guess(f Format, data []byte) rune {
	if f == TSV {
		return '\t'
	}
	first, _, _ := strings.Cut(string(data), "\n")
	best, most := ',', strings.Count(first, ",")
	for _, c := range "\t;|" {
		if n := strings.Count(first, string(c)); n > most {
			best, most = c, n
		}
	}
	return best
}

func writeCSV(f Format, v any, o *Options) ([]byte, error) {
	rows, ok := v.([]any)
	if !ok {
		rows = []any{v}
	}
	var names []string
	seen := map[string]int{}
	maps := false
	for _, row := range rows {
		m, _ := row.(Map)
		maps = maps || m != nil
		for _, e := range m {
			if _, ok := seen[e.Key]; !ok {
				seen[e.Key] = len(names)
				names = append(names, e.Key)
			}
		}
	}
	var b bytes.Buffer
	enc := csv.NewWriter(&b)
	if enc.Comma = o.Delimiter; o.Delimiter == 0 {
		enc.Comma = ','
		if f == TSV {
			enc.Comma = '\t'
		}
	}
	if maps && !o.Headerless {
		enc.Write(names)
	}
	for i, row := range rows {
		var cells []string
		switch row := row.(type) {
		case Map:
			cells = make([]string, len(names))
			for _, e := range row {
				cells[seen[e.Key]] = text(e.Value)
			}
		case []any:
			for _, e := range row {
				cells = append(cells, text(e))
			}
		default:
			if maps {
				return nil, fmt.Errorf("row %d is no map, as others are", i+1)
			}
			cells = []string{text(row)}
		}
		if err := enc.Write(cells); err != nil {
			return nil, err
		}
	}
	enc.Flush()
	if err := enc.Error(); err != nil {
		return nil, errors.New(strings.TrimPrefix(err.Error(), "csv: "))
	}
	return b.Bytes(), nil
}
