package webapi

import (
	"strings"
	"unicode/utf16"

	"github.com/dop251/goja"
)

// completeEscape adds RegExp.escape, of ECMA-262.
func (r *Realm) completeEscape() {
	r.define(r.VM.Get("RegExp"), "escape", 1, func(c goja.FunctionCall) goja.Value {
		s, ok := c.Argument(0).(goja.String)
		if !ok {
			r.TypeError("The argument is not a string")
		}
		r.CheckText(4 * s.Length())
		var out goja.StringBuilder
		out.Grow(s.Length() + 8)
		for i := 0; i < s.Length(); i++ {
			r.Yield()
			u := s.CharAt(i)
			if utf16.IsSurrogate(rune(u)) && i+1 < s.Length() {
				if c := utf16.DecodeRune(rune(u), rune(s.CharAt(i+1))); c != 0xfffd {
					out.WriteRune(c)
					i++
					continue
				}
			}
			if text := escapeUnit(u, i == 0); text != "" {
				out.WriteUTF8String(text)
			} else {
				out.WriteSubstring(s, i, i+1)
			}
		}
		return out.String()
	})
}

// escapeUnit returns what stands for a unit in a pattern, or "" if it stands for itself.
func escapeUnit(u uint16, first bool) string {
	const hex = "0123456789abcdef"
	switch {
	case first && (u >= '0' && u <= '9' || u >= 'a' && u <= 'z' || u >= 'A' && u <= 'Z'):
	case u < 0x80 && strings.IndexByte(`^$\.*+?()[]{}|/`, byte(u)) >= 0:
		return `\` + string(rune(u))
	case u >= '\t' && u <= '\r':
		return `\` + "tnvfr"[u-'\t':u-'\t'+1]
	case u < 0x80 && strings.IndexByte(",-=<>#&!%:;@~'`\" ", byte(u)) >= 0, u == 0xa0:
	case u == 0xfeff, u == 0x1680, u >= 0x2000 && u <= 0x200a, u == 0x2028, u == 0x2029, u == 0x202f, u == 0x205f, u == 0x3000, utf16.IsSurrogate(rune(u)):
		return `\u` + string([]byte{hex[u>>12], hex[u>>8&15], hex[u>>4&15], hex[u&15]})
	default:
		return ""
	}
	return `\x` + string([]byte{hex[u>>4], hex[u&15]})
}
