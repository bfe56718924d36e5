package documents

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// json reads values one after the other.
func (r *reader) json(data []byte) (docs []any, err error) {
	if len(data) > r.left {
		return nil, ErrRoom
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	for {
		t, err := dec.Token()
		if err == io.EOF {
			return docs, nil
		}
		if err != nil {
			return nil, placed(data, dec, err)
		}
		v, err := r.jsonValue(dec, t, 0)
		if err != nil {
			return nil, placed(data, dec, err)
		}
		docs = append(docs, v)
	}
}

// placed says where an error of JSON is.
func placed(data []byte, dec *json.Decoder, err error) error {
	if errors.Is(err, ErrDepth) || errors.Is(err, ErrRoom) {
		return err
	}
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	at := min(int(dec.InputOffset()), len(data))
	return fmt.Errorf("line %d: %w", 1+bytes.Count(data[:at], []byte("\n")), err)
}

func (r *reader) jsonValue(dec *json.Decoder, t json.Token, depth int) (any, error) {
	size := 0
	switch t := t.(type) {
	case string:
		size = len(t)
	case json.Number:
		size = len(t)
	}
	if err := r.take(depth, size); err != nil {
		return nil, err
	}
	switch t {
	case json.Delim('['):
		list := []any{}
		for {
			t, err := dec.Token()
			if err != nil || t == json.Delim(']') {
				return list, err
			}
			v, err := r.jsonValue(dec, t, depth+1)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
	case json.Delim('{'):
		m := Map{}
		places := map[string]int{}
		for {
			t, err := dec.Token()
			if err != nil || t == json.Delim('}') {
				return m, err
			}
			key := t.(string)
			if t, err = dec.Token(); err != nil {
				return nil, err
			}
			v, err := r.jsonValue(dec, t, depth+1)
			if err != nil {
				return nil, err
			}
			if err := r.take(depth, len(key)); err != nil {
				return nil, err
			}
			if i, ok := places[key]; ok {
				m[i].Value = v
				continue
			}
			places[key] = len(m)
			m = append(m, Member{key, v})
		}
	}
	return t, nil
}

// AppendJSON appends a value, in one line if indent is zero.
func AppendJSON(b []byte, v any, indent int) []byte {
	return appendJSON(b, v, indent, 0)
}

func appendJSON(b []byte, v any, indent, level int) []byte {
	line := func(level int) {
		if indent > 0 {
			b = append(b, '\n')
			b = append(b, bytes.Repeat([]byte(" "), indent*level)...)
		}
	}
	switch v := v.(type) {
	case nil:
		return append(b, "null"...)
	case bool:
		return fmt.Append(b, v)
	case json.Number:
		return append(b, v...)
	case string:
		return appendString(b, v)
	case Date:
		return appendString(b, string(v))
	case []any:
		if len(v) == 0 {
			return append(b, "[]"...)
		}
		b = append(b, '[')
		for i, e := range v {
			if i > 0 {
				b = append(b, ',')
			}
			line(level + 1)
			b = appendJSON(b, e, indent, level+1)
		}
		line(level)
		return append(b, ']')
	case Map:
		if len(v) == 0 {
			return append(b, "{}"...)
		}
		b = append(b, '{')
		for i, e := range v {
			if i > 0 {
				b = append(b, ',')
			}
			line(level + 1)
			b = append(appendString(b, e.Key), ':')
			if indent > 0 {
				b = append(b, ' ')
			}
			b = appendJSON(b, e.Value, indent, level+1)
		}
		line(level)
		return append(b, '}')
	}
	panic(fmt.Sprintf("documents: a value is a %T", v))
}

// appendString appends a string as jq writes it.
func appendString(b []byte, s string) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	for _, c := range s {
		switch {
		case c == '"' || c == '\\':
			b = append(b, '\\', byte(c))
		case c == '\n':
			b = append(b, `\n`...)
		case c == '\t':
			b = append(b, `\t`...)
		case c == '\r':
			b = append(b, `\r`...)
		case c < ' ' || c == 127:
			b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		default:
			b = utf8.AppendRune(b, c)
		}
	}
	return append(b, '"')
}
