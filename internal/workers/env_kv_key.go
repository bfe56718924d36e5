package workers

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/dop251/goja"
)

// kvKey is the key that a value names. Half of a surrogate pair stays what it
// is, and so no valid UTF-8, which package kv refuses as Workers does.
func kvKey(v goja.Value) string {
	text := v.ToString() // once: it may run code
	s := text.String()
	if !strings.ContainsRune(s, utf8.RuneError) {
		return s
	}
	str, ok := text.(goja.String)
	if !ok {
		return s
	}
	var b strings.Builder
	for i, n := 0, str.Length(); i < n; i++ {
		c := rune(str.CharAt(i))
		switch {
		case !utf16.IsSurrogate(c):
			b.WriteRune(c)
		case i+1 < n && utf16.DecodeRune(c, rune(str.CharAt(i+1))) != utf8.RuneError:
			b.WriteRune(utf16.DecodeRune(c, rune(str.CharAt(i+1))))
			i++
		default:
			b.Write([]byte{0xe0 | byte(c>>12), 0x80 | byte(c>>6)&0x3f, 0x80 | byte(c)&0x3f})
		}
	}
	return b.String()
}
