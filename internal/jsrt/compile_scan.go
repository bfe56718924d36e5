package jsrt

import (
	"bytes"
	"unicode/utf8"
)

// A lexKind is what a lexeme is.
type lexKind uint8

const (
	lexNone     lexKind = iota
	lexWord             // an identifier or keyword
	lexPrivate          // #name
	lexNumber           // 1, .5, 10n
	lexString           // "…" or '…'
	lexTemplate         // a part of a template literal: up to ${ or the closing backquote
	lexRegexp           // /…/flags
	lexPunct            // an operator or bracket
)

// A lexeme is code[start:end].
type lexeme struct {
	kind       lexKind
	start, end int
	nl         bool // a line terminator precedes it
}

// A lexer cuts ECMAScript source into lexemes without recursion. What it cannot
// know by itself, whether a slash divides and whether a right brace
// continues a template, it asks its owner, which sees the brackets.
type lexer struct {
	code         []byte
	pos          int
	regexpNext   func() bool // would a slash start a regular expression here?
	templateNext func() bool // does the next right brace end a template's substitution?
}

// next returns the next lexeme, of kind lexNone at the end. Malformed input
// gives some lexeme or other: the parser is who complains.
func (l *lexer) next() lexeme {
	nl := l.space()
	t := lexeme{start: l.pos, nl: nl}
	if l.pos >= len(l.code) {
		t.end = l.pos
		return t
	}
	c := l.code[l.pos]
	switch {
	case isWordByte(c) && !isDigit(c):
		t.kind = lexWord
		l.word()
	case isDigit(c) || c == '.' && l.at(1) >= '0' && l.at(1) <= '9':
		t.kind = lexNumber
		l.number()
	case c == '#':
		t.kind = lexPrivate
		l.pos++
		l.word()
	case c == '"' || c == '\'':
		t.kind = lexString
		l.str(c)
	case c == '`':
		t.kind = lexTemplate
		l.template()
	case c == '}' && l.templateNext():
		t.kind = lexTemplate
		l.template()
	case c == '/' && l.regexpNext():
		t.kind = lexRegexp
		l.regexp()
	default:
		t.kind = lexPunct
		l.pos += punctLen(l.code[l.pos:])
	}
	t.end = l.pos
	return t
}

func (l *lexer) at(i int) byte {
	if l.pos+i < len(l.code) {
		return l.code[l.pos+i]
	}
	return 0
}

// space skips white space and comments, and reports a line terminator in them.
func (l *lexer) space() (nl bool) {
	for l.pos < len(l.code) {
		switch c := l.code[l.pos]; {
		case c == '\n' || c == '\r':
			nl = true
			l.pos++
		case c <= ' ':
			l.pos++
		case c == '/' && l.at(1) == '/':
			l.lineComment()
		case c == '/' && l.at(1) == '*':
			body := l.code[l.pos+2:]
			n := bytes.Index(body, []byte("*/"))
			if n < 0 {
				l.pos = len(l.code)
				return nl
			}
			_, size := indexLineEnd(body[:n])
			nl = nl || size > 0
			l.pos += 2 + n + 2
		case c >= utf8.RuneSelf:
			r, size := utf8.DecodeRune(l.code[l.pos:])
			if !isSpaceRune(r) {
				return nl
			}
			nl = nl || r == '\u2028' || r == '\u2029'
			l.pos += size
		default:
			return nl
		}
	}
	return nl
}

func (l *lexer) lineComment() {
	n, _ := indexLineEnd(l.code[l.pos:])
	l.pos += n
}

func isSpaceRune(r rune) bool {
	switch r {
	case '\u00a0', '\ufeff', '\u2028', '\u2029', '\u1680', '\u202f', '\u205f', '\u3000':
		return true
	}
	return r >= '\u2000' && r <= '\u200a'
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// isWordByte takes every byte outside ASCII as part of a name; space has
// already recognised the white space among them.
func isWordByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || c == '$' || c == '\\' || isDigit(c) || c >= utf8.RuneSelf
}

func (l *lexer) word() {
	for l.pos < len(l.code) {
		c := l.code[l.pos]
		switch {
		case c == '\\' && l.at(1) == 'u' && l.at(2) == '{':
			n := bytes.IndexByte(l.code[l.pos:], '}')
			if n < 0 {
				l.pos = len(l.code)
				return
			}
			l.pos += n + 1
		case c >= utf8.RuneSelf:
			r, size := utf8.DecodeRune(l.code[l.pos:])
			if isSpaceRune(r) {
				return
			}
			l.pos += size
		case isWordByte(c):
			l.pos++
		default:
			return
		}
	}
}

func (l *lexer) number() {
	hex := l.code[l.pos] == '0' && (l.at(1)|0x20 == 'x' || l.at(1)|0x20 == 'b' || l.at(1)|0x20 == 'o')
	for l.pos < len(l.code) {
		c := l.code[l.pos]
		switch {
		case isWordByte(c) && c < utf8.RuneSelf && c != '\\', c == '.' && !hex:
			l.pos++
			if !hex && c|0x20 == 'e' && (l.at(0) == '+' || l.at(0) == '-') {
				l.pos++
			}
		default:
			return
		}
	}
}

// str skips a string literal. An unescaped line terminator ends it, as in goja.
func (l *lexer) str(quote byte) {
	for l.pos++; l.pos < len(l.code); l.pos++ {
		switch l.code[l.pos] {
		case quote:
			l.pos++
			return
		case '\\':
			if l.at(1) == '\r' && l.at(2) == '\n' {
				l.pos++
			}
			l.pos++
		case '\n', '\r':
			return
		}
	}
	l.pos = min(l.pos, len(l.code))
}

// template skips from a backquote, or the brace that ends a substitution, to the
// next ${ or the closing backquote, inclusive.
func (l *lexer) template() {
	for l.pos++; l.pos < len(l.code); l.pos++ {
		switch l.code[l.pos] {
		case '`':
			l.pos++
			return
		case '\\':
			l.pos++
		case '$':
			if l.at(1) == '{' {
				l.pos += 2
				return
			}
		}
	}
	l.pos = min(l.pos, len(l.code))
}

func (l *lexer) regexp() {
	class := false
	for l.pos++; l.pos < len(l.code); l.pos++ {
		switch l.code[l.pos] {
		case '/':
			if !class {
				l.pos++
				l.word() // flags
				return
			}
		case '[':
			class = true
		case ']':
			class = false
		case '\\':
			l.pos++
		case '\n', '\r':
			return
		}
	}
	l.pos = min(l.pos, len(l.code))
}

// punctLen is the length of the operator at the start of code, as far as the
// scan cares: it must tell = from == and =>, ? from ?. and ??, and ++ from +.
func punctLen(code []byte) int {
	two := func(s string) bool { return len(code) > 1 && code[1] == s[0] }
	switch code[0] {
	case '=':
		if two(">") {
			return 2
		}
		if two("=") {
			if len(code) > 2 && code[2] == '=' {
				return 3
			}
			return 2
		}
	case '?':
		if two("?") {
			if len(code) > 2 && code[2] == '=' {
				return 3
			}
			return 2
		}
		if two(".") && !(len(code) > 2 && isDigit(code[2])) {
			return 2
		}
	case '+', '-':
		if two(string(code[0])) || two("=") {
			return 2
		}
	case '!', '<', '>', '*', '%', '&', '|', '^', '/':
		n := 1
		for n < len(code) && n < 3 && code[n] == code[0] && code[0] != '!' && code[0] != '/' {
			n++
		}
		for n < len(code) && n < 4 && code[n] == '=' {
			n++
		}
		return n
	case '.':
		if len(code) > 2 && code[1] == '.' && code[2] == '.' {
			return 3
		}
	}
	return 1
}
