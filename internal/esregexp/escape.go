package esregexp

import (
	"unicode"
	"unicode/utf16"
)

// atomEscape reads an escape outside of classes.
func (p *parser) atomEscape() node {
	p.i++
	c := p.peek()
	switch {
	case c == -1:
		p.fail("\\ at end of pattern")
	case c == 'k' && (p.u || p.named):
		p.i++
		if !p.eat('<') {
			p.fail("Invalid named reference")
		}
		r := &backref{name: p.groupName(), fold: p.fold}
		p.refs = append(p.refs, r)
		return r
	case c >= '1' && c <= '9':
		start := p.i
		n, _ := p.decimal()
		if n <= p.total {
			return &backref{index: n, fold: p.fold}
		}
		if p.u {
			p.fail("Invalid escape")
		}
		p.i = start
	}
	if set, strs, ok := p.setEscape(); ok {
		return p.setOrStrings(set, strs)
	}
	return charNode{p.charEscape(false), p.fold}
}

// setEscape reads \d \D \s \S \w \W \p \P.
func (p *parser) setEscape() (s runeSet, strs [][]rune, ok bool) {
	c := p.peek()
	switch c {
	case 'd', 'D':
		s = digitSet
	case 's', 'S':
		s = spaceSet
	case 'w', 'W':
		s = wordSet
		if p.u && p.fold {
			s = s.closed(true)
		}
	case 'p', 'P':
		if !p.u {
			return nil, nil, false
		}
		return p.property(c == 'P')
	default:
		return nil, nil, false
	}
	p.i++
	if unicode.IsUpper(c) {
		s = s.complement()
	}
	return s, nil, true
}

func (p *parser) property(not bool) (s runeSet, strs [][]rune, ok bool) {
	p.i++
	if !p.eat('{') {
		p.fail("Invalid property name")
	}
	start := p.i
	for p.more() && p.peek() != '}' {
		p.i++
	}
	name := string(p.src[start:p.i])
	if !p.eat('}') {
		p.fail("Invalid property name")
	}
	if p.v && stringProperty(name) != nil {
		if not {
			p.fail("Invalid property name")
		}
		return nil, [][]rune{[]rune(stringMark + name)}, true
	}
	s, ok = propertySet(name)
	if !ok {
		p.fail("Invalid property name")
	}
	if p.v && p.fold {
		s = s.closed(true)
	}
	if not {
		s = s.complement()
	}
	return s, nil, true
}

// charEscape reads an escape that means one character. The backslash is behind.
func (p *parser) charEscape(class bool) rune {
	c := p.peek()
	if c == -1 {
		p.fail("\\ at end of pattern")
	}
	p.i++
	switch c {
	case 't':
		return '\t'
	case 'n':
		return '\n'
	case 'v':
		return '\v'
	case 'f':
		return '\f'
	case 'r':
		return '\r'
	case 'c':
		l := p.peek()
		if l >= 'a' && l <= 'z' || l >= 'A' && l <= 'Z' || class && !p.u && (l >= '0' && l <= '9' || l == '_') {
			p.i++
			return l % 32
		}
		if p.u {
			p.fail("Invalid unicode escape")
		}
		p.i--
		return '\\'
	case 'x':
		if r, ok := p.hex(2); ok {
			return r
		}
		if p.u {
			p.fail("Invalid escape")
		}
		return 'x'
	case 'u':
		if r := p.unicodeEscape(p.u); r >= 0 {
			return r
		}
		if p.u {
			p.fail("Invalid Unicode escape")
		}
		return 'u'
	case '0', '1', '2', '3', '4', '5', '6', '7':
		if p.u {
			if c == '0' && !(p.peek() >= '0' && p.peek() <= '9') {
				return 0
			}
			p.fail("Invalid decimal escape")
		}
		return p.octal(c)
	}
	if p.u && !isSyntax(c) && !(class && c == '-') {
		p.fail("Invalid escape")
	}
	if !p.u && c == 'k' && p.named {
		p.fail("Invalid named reference")
	}
	return c
}

// octal reads the rest of an escape of old.
func (p *parser) octal(c rune) rune {
	r := c - '0'
	for n := 1; n < 3 && p.peek() >= '0' && p.peek() <= '7' && r*8+p.peek()-'0' <= 0xff; n++ {
		r = r*8 + p.peek() - '0'
		p.i++
	}
	return r
}

func isSyntax(c rune) bool {
	switch c {
	case '^', '$', '\\', '.', '*', '+', '?', '(', ')', '[', ']', '{', '}', '|', '/':
		return true
	}
	return false
}

func (p *parser) hex(n int) (r rune, ok bool) {
	for i := range n {
		d := hexDigit(p.at(i))
		if d < 0 {
			return 0, false
		}
		r = r*16 + d
	}
	p.i += n
	return r, true
}

func hexDigit(c rune) rune {
	switch {
	case c >= '0' && c <= '9':
		return c - '0'
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10
	case c >= 'A' && c <= 'F':
		return c - 'A' + 10
	}
	return -1
}

// unicodeEscape reads what follows \u, or returns -1 and leaves it. Points means that pairs and braces are read.
func (p *parser) unicodeEscape(points bool) rune {
	if points && p.peek() == '{' {
		start := p.i
		p.i++
		r, digits := rune(0), 0
		for hexDigit(p.peek()) >= 0 && r <= unicode.MaxRune {
			r = r*16 + hexDigit(p.peek())
			p.i++
			digits++
		}
		if digits == 0 || r > unicode.MaxRune || !p.eat('}') {
			p.i = start
			return -1
		}
		return r
	}
	r, ok := p.hex(4)
	if !ok {
		return -1
	}
	if points && utf16.IsSurrogate(r) && p.peek() == '\\' && p.at(1) == 'u' {
		start := p.i
		p.i += 2
		if low, ok := p.hex(4); ok {
			if pair := utf16.DecodeRune(r, low); pair != 0xfffd {
				return pair
			}
		}
		p.i = start
	}
	return r
}
