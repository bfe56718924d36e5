package htmlrewrite

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

func isDigitByte(c byte) bool { return c >= '0' && c <= '9' }

// ident parses an identifier, escapes included.
func (p *selectorParser) ident() (string, bool) {
	start := func(c byte) bool { return isLetter(c) || c == '_' || c >= utf8.RuneSelf }
	i := 0
	for i < 2 && p.at(i) == '-' {
		i++
	}
	if c := p.at(i); !start(c) && (c != '\\' || p.at(i+1) == 0 || p.at(i+1) == '\n') && i < 2 {
		return "", false
	}
	var b strings.Builder
	for !p.end() {
		c := p.at(0)
		if c == '\\' && p.pos+1 < len(p.in) && p.at(1) != '\n' {
			p.pos++
			b.WriteRune(p.escape())
			continue
		}
		if !start(c) && !isDigitByte(c) && c != '-' {
			break
		}
		b.WriteByte(c)
		p.pos++
	}
	return b.String(), b.Len() > 0
}

// escape parses what stands behind a backslash.
func (p *selectorParser) escape() rune {
	n := 0
	for n < 6 && strings.IndexByte("0123456789abcdefABCDEF", p.at(n)) >= 0 && p.at(n) != 0 {
		n++
	}
	if n == 0 {
		c, size := utf8.DecodeRuneInString(p.in[p.pos:])
		p.pos += size
		return c
	}
	v, _ := strconv.ParseUint(p.in[p.pos:p.pos+n], 16, 32)
	p.pos += n
	if isSpace(p.at(0)) {
		p.pos++
	}
	if v == 0 || v > utf8.MaxRune || v >= 0xD800 && v < 0xE000 {
		return utf8.RuneError
	}
	return rune(v)
}

// quoted parses a string; the end of the selector ends it, too.
func (p *selectorParser) quoted() (string, bool) {
	quote := p.at(0)
	p.pos++
	var b strings.Builder
	for !p.end() {
		switch c := p.at(0); {
		case c == quote:
			p.pos++
			return b.String(), true
		case c == '\n':
			return "", false
		case c == '\\' && p.at(1) == '\n':
			p.pos += 2
		case c == '\\' && p.pos+1 < len(p.in):
			p.pos++
			b.WriteRune(p.escape())
		default:
			b.WriteByte(c)
			p.pos++
		}
	}
	return b.String(), true
}
