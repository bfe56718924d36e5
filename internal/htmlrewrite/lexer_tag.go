package htmlrewrite

import "bytes"

// An attribute of a tag, as ranges of the tag's bytes.
type attribute struct {
	name, value span
	end         int // of all of it, quotes included
}

type span struct{ from, to int }

func (s span) of(b []byte) []byte { return b[s.from:s.to] }

type tagState uint8

const (
	tagNone tagState = iota
	tagName
	tagBefore // an attribute's name
	tagAttr
	tagAfter // an attribute's name
	tagBeforeValue
	tagDouble
	tagSingle
	tagUnquoted
	tagAfterQuoted
	tagSlash
)

// A tagScanner is where the reading of a tag has got to.
type tagScanner struct {
	state tagState
	name  span
	attr  attribute
	attrs []attribute
	end   bool // it is an end tag
}

// quote is what ends the value that is being read.
func (s *tagScanner) quote() byte {
	if s.state == tagSingle {
		return '\''
	}
	return '"'
}

// begin starts a tag whose name stands at from.
func (s *tagScanner) begin(from int) {
	*s = tagScanner{state: tagName, name: span{from, from}, attrs: s.attrs[:0], end: from == 2}
}

// readTag goes on with a tag.
func (l *lexer) readTag() (*token, error) {
	s := &l.tag
	if l.pos == 0 {
		l.pos = s.name.from
	}
	for ; l.pos < len(l.buf); l.pos++ {
		if s.state == tagDouble || s.state == tagSingle { // most of a tag is values
			n := bytes.IndexByte(l.buf[l.pos:], s.quote())
			if n < 0 {
				l.pos = len(l.buf)
				break
			}
			l.pos += n
		}
		if s.step(l.buf[l.pos], l.pos) {
			return l.endTag(), nil
		}
	}
	if l.final {
		s.state = tagNone
		return l.take(tokenOther, len(l.buf)), nil
	}
	return nil, l.checkLength()
}

func (l *lexer) endTag() *token {
	s := &l.tag
	kind := tokenStart
	if s.end {
		kind = tokenEnd
	}
	closing := s.state == tagSlash
	s.state = tagNone
	t := l.take(kind, l.pos+1)
	t.name, t.attrs, t.selfClosing = s.name.of(t.raw), s.attrs, closing
	return t
}

// step takes a byte of a tag and reports whether the tag ends with it.
func (s *tagScanner) step(c byte, at int) (done bool) {
	switch s.state {
	case tagName:
		if !isSpace(c) && c != '/' && c != '>' {
			s.name.to = at + 1
			return false
		}
		return s.between(c, at)
	case tagBefore, tagAfterQuoted, tagSlash:
		return s.between(c, at)
	case tagAttr:
		if c == '=' {
			s.state = tagBeforeValue
		} else if isSpace(c) {
			s.state = tagAfter
		} else if c == '/' || c == '>' {
			s.push()
			return s.between(c, at)
		} else {
			s.attr.name.to, s.attr.end = at+1, at+1
		}
	case tagAfter:
		switch {
		case isSpace(c):
		case c == '=':
			s.state = tagBeforeValue
		default:
			s.push()
			return s.between(c, at)
		}
	case tagBeforeValue:
		switch {
		case isSpace(c):
		case c == '"' || c == '\'':
			s.state = tagDouble
			if c == '\'' {
				s.state = tagSingle
			}
			s.attr.value = span{at + 1, at + 1}
		case c == '>':
			s.push()
			return s.between(c, at)
		default:
			s.state = tagUnquoted
			s.attr.value, s.attr.end = span{at, at + 1}, at+1
		}
	case tagDouble, tagSingle:
		if c == '"' && s.state == tagDouble || c == '\'' && s.state == tagSingle {
			s.attr.value.to, s.attr.end = at, at+1
			s.push()
			s.state = tagAfterQuoted
		}
	case tagUnquoted:
		if isSpace(c) || c == '>' {
			s.push()
			return s.between(c, at)
		}
		s.attr.value.to, s.attr.end = at+1, at+1
	}
	return false
}

// between takes a byte that is in no name and no value.
func (s *tagScanner) between(c byte, at int) (done bool) {
	switch {
	case c == '>':
		if s.state != tagSlash {
			s.state = tagBefore
		}
		return true
	case c == '/':
		s.state = tagSlash
	case isSpace(c):
		s.state = tagBefore
	default:
		s.state = tagAttr
		s.attr = attribute{name: span{at, at + 1}, value: span{at, at}, end: at + 1}
	}
	return false
}

// push ends an attribute.
func (s *tagScanner) push() {
	s.attrs = append(s.attrs, s.attr)
	s.state = tagBefore
}
