package webapi

import (
	"strings"
	"unicode/utf16"

	"github.com/dop251/goja"

	"samkit.dev/internal/jsrt"
)

// indentJSON mends JSON.stringify with a third argument: goja's indents
// everything after an empty array or object too far.
func (r *Realm) indentJSON(json *goja.Object) {
	jsrt.Hide(json, "stringify", r.Func("stringify", 3, func(c goja.FunctionCall) goja.Value {
		gap := ""
		if len(c.Arguments) > 2 {
			gap = r.jsonGap(c.Arguments[2])
		}
		if gap == "" {
			return r.Call(r.jsonStringify, goja.Undefined(), c.Arguments[:min(2, len(c.Arguments))]...)
		}
		text := r.Call(r.jsonStringify, goja.Undefined(), c.Arguments[:2]...)
		if goja.IsUndefined(text) {
			return text
		}
		return r.VM.ToValue(indentedJSON(text.String(), gap))
	}))
}

// jsonGap is what stands before each level of nesting, by ECMA-262, JSON.stringify.
func (r *Realm) jsonGap(space goja.Value) string {
	if o, ok := space.(*goja.Object); ok {
		switch o.ClassName() {
		case "Number":
			space = o.ToNumber()
		case "String":
			space = o.ToString()
		}
	}
	switch {
	case goja.IsNumber(space):
		return strings.Repeat(" ", int(min(max(space.ToInteger(), 0), 10)))
	case goja.IsString(space):
		s := space.String()
		if units := utf16.Encode([]rune(s)); len(units) > 10 {
			return string(utf16.Decode(units[:10]))
		}
		return s
	}
	return ""
}

// indentedJSON lays out JSON that has no white space between its tokens.
func indentedJSON(s, gap string) string {
	var b strings.Builder
	b.Grow(len(s) * 2)
	depth := 0
	line := func() {
		b.WriteByte('\n')
		for range depth {
			b.WriteString(gap)
		}
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch c {
		case '"':
			end := i + 1
			for end < len(s) && s[end] != '"' {
				if s[end] == '\\' {
					end++
				}
				end++
			}
			end = min(end+1, len(s))
			b.WriteString(s[i:end])
			i = end - 1
		case '[', '{':
			b.WriteByte(c)
			if i+1 < len(s) && s[i+1] == c+2 { // ']' and '}' are two after
				b.WriteByte(s[i+1])
				i++
				continue
			}
			depth++
			line()
		case ']', '}':
			depth--
			line()
			b.WriteByte(c)
		case ',':
			b.WriteByte(c)
			line()
		case ':':
			b.WriteString(": ")
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}
