package canvas

import (
	"bytes"
	"strings"
)

// rewriteCSS returns a style sheet in which root-absolute URLs, in url() and
// @import, start at rel instead. Every other byte stays. A sheet without any
// is returned as it is.
func rewriteCSS(css []byte, rel string) []byte {
	var out []byte
	done := 0
	insert := func(at int) { // replaces the slash at at
		out = append(append(out, css[done:at]...), rel...)
		done = at + 1
	}
	for i := 0; i < len(css); {
		switch c := css[i]; {
		case c == '\\':
			i += 2
		case c == '/' && i+1 < len(css) && css[i+1] == '*':
			end := bytes.Index(css[i+2:], []byte("*/"))
			if end < 0 {
				i = len(css)
			} else {
				i += 2 + end + 2
			}
		case c == '"' || c == '\'':
			i = skipString(css, i)
		case c == '@' && hasFold(css[i:], "@import"):
			i = skipSpace(css, i+len("@import"))
			if i < len(css) && (css[i] == '"' || css[i] == '\'') {
				if rootAbsolute(css[i+1:]) {
					insert(i + 1)
				}
				i = skipString(css, i)
			}
		case (c == 'u' || c == 'U') && hasFold(css[i:], "url(") && !identByte(css, i-1):
			i = skipSpace(css, i+len("url("))
			quoted := i < len(css) && (css[i] == '"' || css[i] == '\'')
			at := i
			if quoted {
				at++
			}
			if at < len(css) && rootAbsolute(css[at:]) {
				insert(at)
			}
			if quoted {
				i = skipString(css, i)
			} else if end := bytes.IndexByte(css[i:], ')'); end >= 0 {
				i += end
			} else {
				i = len(css)
			}
		default:
			i++
		}
	}
	if out == nil {
		return css
	}
	return append(out, css[done:]...)
}

// rootAbsolute reports whether a URL starts at the root of its host: with one
// slash, not two, and not with the backslash that browsers take for a second.
func rootAbsolute[T string | []byte](u T) bool {
	return len(u) > 0 && u[0] == '/' && (len(u) == 1 || u[1] != '/' && u[1] != '\\' && u[1] != '\t' && u[1] != '\n' && u[1] != '\r')
}

func skipString(css []byte, i int) int {
	quote := css[i]
	for i++; i < len(css); i++ {
		switch css[i] {
		case '\\':
			i++
		case quote:
			return i + 1
		case '\n': // an unclosed string ends at the line
			return i
		}
	}
	return len(css)
}

func skipSpace(css []byte, i int) int {
	for i < len(css) && strings.IndexByte(" \t\r\n\f", css[i]) >= 0 {
		i++
	}
	return i
}

func hasFold(b []byte, lower string) bool {
	return len(b) >= len(lower) && strings.EqualFold(string(b[:len(lower)]), lower)
}

func identByte(css []byte, i int) bool {
	if i < 0 || i >= len(css) {
		return false
	}
	c := css[i]
	return c == '-' || c == '_' || c >= 0x80 || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}
