package webapi

import (
	"errors"
	"unicode"
	"unicode/utf8"
)

// The URL patterns are those of https://urlpattern.spec.whatwg.org; names follow its algorithms.

type lexKind uint8

const (
	lexOpen lexKind = iota
	lexClose
	lexRegExp
	lexName
	lexChar
	lexEscaped
	lexModifier
	lexAsterisk
	lexEnd
	lexInvalid
)

// A patternToken is a lexical token of a pattern string.
type patternToken struct {
	kind  lexKind
	index int // of its first byte in the pattern
	value string
}

// A patternTokenizer cuts a pattern into tokens. Its index counts bytes.
type patternTokenizer struct {
	in      string
	lenient bool
	list    []patternToken
	index   int
}

var errToken = errors.New("it has a part that is no pattern syntax")

// tokenizePattern is "tokenize"; lenient makes an invalid-char of what is none of the others.
func tokenizePattern(in string, lenient bool) ([]patternToken, error) {
	t := patternTokenizer{in: in, lenient: lenient, list: make([]patternToken, 0, len(in)+1)}
	for t.index < len(in) {
		if err := t.step(); err != nil {
			return nil, err
		}
	}
	t.add(lexEnd, t.index, t.index, t.index)
	return t.list, nil
}

// add adds the token from in[from:to]; the next one starts at next.
func (t *patternTokenizer) add(kind lexKind, next, from, to int) {
	t.list = append(t.list, patternToken{kind, t.index, t.in[from:to]})
	t.index = next
}

// fail is "process a tokenizing error".
func (t *patternTokenizer) fail(next, from int) error {
	if !t.lenient {
		return errToken
	}
	t.add(lexInvalid, next, from, max(from, next))
	return nil
}

func (t *patternTokenizer) step() error {
	c, size := utf8.DecodeRuneInString(t.in[t.index:])
	next := t.index + size
	kind := lexChar
	switch c {
	case '*':
		kind = lexAsterisk
	case '+', '?':
		kind = lexModifier
	case '{':
		kind = lexOpen
	case '}':
		kind = lexClose
	case '\\':
		if next == len(t.in) {
			return t.fail(next, t.index)
		}
		_, size := utf8.DecodeRuneInString(t.in[next:])
		t.add(lexEscaped, next+size, next, next+size)
		return nil
	case ':':
		return t.name(next)
	case '(':
		return t.regexp(next)
	}
	t.add(kind, next, t.index, next)
	return nil
}

func (t *patternTokenizer) name(start int) error {
	end := start
	for end < len(t.in) {
		c, size := utf8.DecodeRuneInString(t.in[end:])
		if !nameRune(c, end == start) {
			break
		}
		end += size
	}
	if end == start {
		return t.fail(start, t.index)
	}
	t.add(lexName, end, start, end)
	return nil
}

func (t *patternTokenizer) regexp(start int) error {
	depth := 1
	at := start
	for ; at < len(t.in) && depth > 0; at++ {
		switch c := t.in[at]; {
		case c >= utf8.RuneSelf, at == start && c == '?':
			return t.fail(start, t.index)
		case c == '\\':
			at++
			if at == len(t.in) || t.in[at] >= utf8.RuneSelf {
				return t.fail(start, t.index)
			}
		case c == ')':
			depth--
		case c == '(':
			if depth++; at+1 == len(t.in) || t.in[at+1] != '?' { // a group of its own would be in the way of ours
				return t.fail(start, t.index)
			}
		}
	}
	if depth > 0 || at-1 == start {
		return t.fail(start, t.index)
	}
	t.add(lexRegExp, at, start, at-1)
	return nil
}

// nameRune is "is a valid name code point".
func nameRune(c rune, first bool) bool {
	switch {
	case c < utf8.RuneSelf:
		return c == '$' || c == '_' || isAlpha(byte(c)) || !first && isDigit(byte(c))
	case c == utf8.RuneError:
		return false
	case unicode.In(c, unicode.Letter, unicode.Nl, unicode.Other_ID_Start):
		return true
	}
	return !first && (c == 0x200C || c == 0x200D || unicode.In(c, unicode.Mn, unicode.Mc, unicode.Nd, unicode.Pc, unicode.Other_ID_Continue))
}
