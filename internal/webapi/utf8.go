package webapi

import (
	"strings"
	"unicode/utf8"
)

// decodeUTF8 decodes as the UTF-8 decoder of the Encoding standard does: each
// maximal ill-formed subpart becomes one U+FFFD. A leading byte order mark is dropped.
func decodeUTF8(b []byte) string {
	if len(b) >= 3 && b[0] == 0xEF && b[1] == 0xBB && b[2] == 0xBF {
		b = b[3:]
	}
	if utf8.Valid(b) {
		return string(b)
	}
	var out strings.Builder
	out.Grow(len(b) + 8)
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError && n <= 1 {
			out.WriteRune(utf8.RuneError)
			b = b[illFormed(b):]
			continue
		}
		out.Write(b[:n])
		b = b[n:]
	}
	return out.String()
}

// illFormed returns the length of the maximal ill-formed subpart at the start of b.
func illFormed(b []byte) int {
	lower, upper, need := byte(0x80), byte(0xBF), 0
	switch c := b[0]; {
	case c >= 0xC2 && c <= 0xDF:
		need = 1
	case c >= 0xE0 && c <= 0xEF:
		need = 2
		if c == 0xE0 {
			lower = 0xA0
		} else if c == 0xED {
			upper = 0x9F
		}
	case c >= 0xF0 && c <= 0xF4:
		need = 3
		if c == 0xF0 {
			lower = 0x90
		} else if c == 0xF4 {
			upper = 0x8F
		}
	}
	n := 1
	for n <= need && n < len(b) && b[n] >= lower && b[n] <= upper {
		lower, upper = 0x80, 0xBF
		n++
	}
	return n
}
