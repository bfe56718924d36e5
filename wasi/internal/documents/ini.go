package documents

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// ini reads lines of key = value below [section] or [section.part]. key[] = value adds to an array.
func (r *reader) ini(data []byte) (any, error) {
	root := &section{}
	here := root
	n := 0
	for line := range strings.Lines(string(data)) {
		n++
		line = strings.TrimSpace(line)
		if line == "" || line[0] == ';' || line[0] == '#' {
			continue
		}
		if err := r.take(0, len(line)); err != nil {
			return nil, err
		}
		if line[0] == '[' {
			name, ok := strings.CutSuffix(line[1:], "]")
			if !ok {
				return nil, fmt.Errorf("line %d: a section has no ]", n)
			}
			here = root
			parts := strings.Split(name, ".")
			if len(parts) > MaxDepth {
				return nil, ErrDepth
			}
			for _, part := range parts {
				here = here.below(unquoted(strings.TrimSpace(part)))
			}
			continue
		}
		key, value, assigned := strings.Cut(line, "=")
		key = strings.TrimSpace(key)
		var v any = true
		if assigned {
			v = iniValue(strings.TrimSpace(value))
		}
		if list, ok := strings.CutSuffix(key, "[]"); ok {
			here.set(list, v, true)
			continue
		}
		here.set(unquoted(key), v, false)
	}
	return root.value(), nil
}

// A section is one that is read.
type section struct {
	keys   []string
	values map[string]any // a *section, an array or a scalar
}

func (s *section) set(key string, v any, add bool) {
	if s.values == nil {
		s.values = map[string]any{}
	}
	old, there := s.values[key]
	if !there {
		s.keys = append(s.keys, key)
	}
	if add {
		list, _ := old.([]any)
		v = append(list, v)
	}
	s.values[key] = v
}

func (s *section) below(key string) *section {
	if sub, ok := s.values[key].(*section); ok {
		return sub
	}
	sub := &section{}
	s.set(key, sub, false)
	return sub
}

func (s *section) value() Map {
	m := Map{}
	for _, key := range s.keys {
		v := s.values[key]
		if sub, ok := v.(*section); ok {
			v = sub.value()
		}
		m = append(m, Member{key, v})
	}
	return m
}

func iniValue(s string) any {
	switch s {
	case "true":
		return true
	case "false":
		return false
	case "null":
		return nil
	}
	if u := unquoted(s); u != s {
		return u
	}
	for _, mark := range []string{" ;", " #", "\t;", "\t#"} {
		if i := strings.Index(s, mark); i >= 0 {
			s = strings.TrimSpace(s[:i])
		}
	}
	return s
}

func unquoted(s string) string {
	if len(s) >= 2 && (s[0] == '"' || s[0] == '\'') && s[len(s)-1] == s[0] {
		if s[0] == '\'' {
			return s[1 : len(s)-1]
		}
		if u, err := strconv.Unquote(s); err == nil {
			return u
		}
	}
	return s
}

func writeINI(v any) ([]byte, error) {
	m, ok := v.(Map)
	if !ok {
		return nil, errors.New("INI is a map of keys, which this is not")
	}
	var b bytes.Buffer
	iniSection(&b, "", m)
	return b.Bytes(), nil
}

func iniSection(b *bytes.Buffer, name string, m Map) {
	quote := func(v any) string {
		s := text(v)
		if v == nil {
			return "null"
		}
		if _, is := v.(string); is && (s != strings.TrimSpace(s) || strings.ContainsAny(s, "\n\r\"';#=[]") || s == "true" || s == "false" || s == "null") {
			return strconv.Quote(s)
		}
		return s
	}
	titled := name == ""
	title := func() {
		if titled {
			return
		}
		titled = true
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString("[" + name + "]\n")
	}
	for _, e := range m {
		switch v := e.Value.(type) {
		case Map:
		case []any:
			title()
			for _, x := range v {
				b.WriteString(e.Key + "[]=" + quote(x) + "\n")
			}
		default:
			title()
			b.WriteString(e.Key + "=" + quote(v) + "\n")
		}
	}
	for _, e := range m {
		if v, ok := e.Value.(Map); ok {
			sub := strings.ReplaceAll(e.Key, "\n", " ")
			if name != "" {
				sub = name + "." + sub
			}
			if len(v) == 0 {
				title()
				b.WriteString("\n[" + sub + "]\n")
			}
			iniSection(b, sub, v)
		}
	}
}
