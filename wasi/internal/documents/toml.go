package documents

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/BurntSushi/toml"
)

func (r *reader) toml(data []byte) (any, error) {
	if len(data) > r.left/8 {
		return nil, ErrRoom
	}
	var m map[string]any
	meta, err := toml.Decode(string(data), &m)
	if err != nil {
		return nil, errors.New(strings.TrimPrefix(err.Error(), "toml: "))
	}
	order := map[string]int{} // of keys as they were written
	for i, key := range meta.Keys() {
		if k := key.String(); order[k] == 0 {
			order[k] = i + 1
		}
	}
	return r.tomlValue(m, nil, order, 0)
}

func (r *reader) tomlValue(v any, at toml.Key, order map[string]int, depth int) (any, error) {
	if err := r.take(depth, 0); err != nil {
		return nil, err
	}
	switch v := v.(type) {
	case map[string]any:
		out := Map{}
		for key, e := range v {
			value, err := r.tomlValue(e, append(slices.Clone(at), key), order, depth+1)
			if err != nil {
				return nil, err
			}
			out = append(out, Member{key, value})
		}
		slices.SortFunc(out, func(a, b Member) int {
			x, y := order[append(slices.Clone(at), a.Key).String()], order[append(slices.Clone(at), b.Key).String()]
			if x != y {
				return x - y
			}
			return strings.Compare(a.Key, b.Key)
		})
		return out, nil
	case []map[string]any:
		out := []any{}
		for _, e := range v {
			value, err := r.tomlValue(e, at, order, depth+1)
			if err != nil {
				return nil, err
			}
			out = append(out, value)
		}
		return out, nil
	case []any:
		out := []any{}
		for _, e := range v {
			value, err := r.tomlValue(e, at, order, depth+1)
			if err != nil {
				return nil, err
			}
			out = append(out, value)
		}
		return out, nil
	case string, bool:
		return v, nil
	case int64:
		return json.Number(strconv.FormatInt(v, 10)), nil
	case float64:
		s := strconv.FormatFloat(v, 'g', -1, 64)
		if !isNumber(s) {
			return s, nil // inf and nan
		}
		if !strings.ContainsAny(s, ".e") {
			s += ".0"
		}
		return json.Number(s), nil
	case time.Time:
		switch v.Location().String() {
		case "datetime-local":
			return Date(v.Format("2006-01-02T15:04:05.999999999")), nil
		case "date-local":
			return Date(v.Format(time.DateOnly)), nil
		case "time-local":
			return Date(v.Format("15:04:05.999999999")), nil
		}
		return Date(v.Format(time.RFC3339Nano)), nil
	}
	return nil, fmt.Errorf("a value is a %T", v)
}

func writeTOML(v any) ([]byte, error) {
	m, ok := v.(Map)
	if !ok {
		return nil, errors.New("TOML is a map of keys, which this is not")
	}
	var b bytes.Buffer
	enc := toml.NewEncoder(&b)
	enc.Indent = ""
	err := enc.Encode(plain(m))
	if err != nil {
		err = errors.New(strings.TrimPrefix(err.Error(), "toml: "))
	}
	return b.Bytes(), err
}

// plain is a value as packages take it, without what is null.
func plain(v any) any {
	switch v := v.(type) {
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		f, _ := v.Float64()
		return f
	case Date:
		var m map[string]any // the package knows what it writes without a zone by the places it reads
		if _, err := toml.Decode("x = "+string(v), &m); err == nil {
			if t, ok := m["x"].(time.Time); ok {
				return t
			}
		}
		return string(v)
	case []any:
		out := []any{}
		for _, e := range v {
			if e != nil {
				out = append(out, plain(e))
			}
		}
		return out
	case Map:
		out := map[string]any{}
		for _, e := range v {
			if e.Value != nil {
				out[e.Key] = plain(e.Value)
			}
		}
		return out
	}
	return v
}
