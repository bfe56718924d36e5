package jsrt

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/dop251/goja"
)

// appendJSONString appends a string of JavaScript in quotes. Surrogates without a partner are escaped.
func appendJSONString(b []byte, v goja.String) []byte {
	s := v.String()
	mark := len(b)
	b, high := appendJSONPlain(b, s)
	if high && (strings.Contains(s, replacement) || !utf8.ValidString(s)) {
		text, _ := wtf8(v)
		b = appendJSONText(b[:mark], text)
	}
	return b
}

// appendJSONText appends UTF-8 or WTF-8 in quotes.
func appendJSONText(b []byte, s string) []byte {
	mark := len(b)
	b, high := appendJSONPlain(b, s)
	if !high || utf8.ValidString(s) {
		return b
	}
	b = append(b[:mark], '"')
	from := 0
	for i := 0; i < len(s); i++ {
		c, ok := surrogateAt(s, i)
		if !ok {
			continue
		}
		part, _ := appendJSONPlain(nil, s[from:i])
		b = append(b, part[1:len(part)-1]...)
		if low, pair := uint16(0), false; i+3 < len(s) {
			if low, pair = surrogateAt(s, i+3); pair {
				if r := utf16.DecodeRune(rune(c), rune(low)); r != utf8.RuneError {
					b = utf8.AppendRune(b, r)
					i += 5
					from = i + 1
					continue
				}
			}
		}
		b = append(b, '\\', 'u', jsonHex[c>>12], jsonHex[c>>8&15], jsonHex[c>>4&15], jsonHex[c&15])
		i += 2
		from = i + 1
	}
	part, _ := appendJSONPlain(nil, s[from:])
	return append(b, part[1:]...)
}

const jsonHex = "0123456789abcdef"

// appendJSONPlain appends s in quotes and reports whether it is not ASCII.
func appendJSONPlain(b []byte, s string) ([]byte, bool) {
	b = append(b, '"')
	from, high := 0, byte(0)
	for i := 0; i < len(s); i++ {
		c := s[i]
		if jsonPlain[c] {
			high |= c
			continue
		}
		b = append(b, s[from:i]...)
		from = i + 1
		switch c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\n':
			b = append(b, '\\', 'n')
		case '\r':
			b = append(b, '\\', 'r')
		case '\t':
			b = append(b, '\\', 't')
		case '\b':
			b = append(b, '\\', 'b')
		case '\f':
			b = append(b, '\\', 'f')
		default:
			b = append(b, '\\', 'u', '0', '0', jsonHex[c>>4], jsonHex[c&15])
		}
	}
	b = append(b, s[from:]...)
	return append(b, '"'), high >= utf8.RuneSelf
}

// appendJSONNumber appends a number as Number::toString gives it; what is not finite is null.
func appendJSONNumber(b []byte, v goja.Value) []byte {
	f := v.ToFloat()
	abs := math.Abs(f)
	switch {
	case math.IsNaN(f) || math.IsInf(f, 0):
		return append(b, "null"...)
	case f == math.Trunc(f) && abs < 1<<53:
		return strconv.AppendInt(b, int64(f), 10)
	case abs >= 1e-6 && abs < 1e21:
		return strconv.AppendFloat(b, f, 'f', -1, 64)
	}
	mark := len(b)
	b = strconv.AppendFloat(b, f, 'e', -1, 64)
	if n := len(b); b[n-2] == '0' && (b[n-3] == '-' || b[n-3] == '+') && n-4 >= mark { // e-07
		b[n-2] = b[n-1]
		b = b[:n-1]
	}
	return b
}
