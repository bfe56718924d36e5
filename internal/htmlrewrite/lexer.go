package htmlrewrite

import (
	"bytes"
	"unicode/utf8"
)

type tokenKind uint8

const (
	tokenText tokenKind = iota
	tokenStart
	tokenEnd
	tokenComment
	tokenDoctype
	tokenOther // bytes that no handler sees: </>, the marks of a CDATA section, a tag that never ends
)

// A token is a piece of the input. Its slices are good until more input comes.
type token struct {
	kind        tokenKind
	raw         []byte
	name        []byte // of a tag, as it is written
	text        []byte // of a comment
	attrs       []attribute
	selfClosing bool
}

// A mode is how text is read. It depends on the element that the text is in.
type mode uint8

const (
	modeData mode = iota
	modeRaw       // up to the end tag of raw: <style>, <textarea> and their like
	modeScript
	modePlain // to the end
	modeCDATA
)

// A lexer cuts input that comes in pieces into tokens, as the tokenizer of the HTML standard
// does. It looks at each byte about once, wherever the pieces end.
type lexer struct {
	buf   []byte // from the token that is being read on
	owned bool   // buf may be appended to
	pos   int    // as far as it is scanned
	final bool   // buf is all that is left
	mode  mode
	raw   string // the element that modeRaw ends with
	cdata bool   // CDATA sections are allowed
	limit int    // of a tag or comment in bytes

	tag    tagScanner
	script scriptState
	tok    token
}

// write adds input. The lexer keeps b and does not change it.
func (l *lexer) write(b []byte) {
	switch {
	case len(l.buf) == 0:
		l.buf, l.owned = b, false
	case l.owned:
		l.buf = append(l.buf, b...)
	default: // what lies behind buf is not ours
		l.buf, l.owned = append(append(make([]byte, 0, 2*(len(l.buf)+len(b))), l.buf...), b...), true
	}
}

// next returns the next token, or nil if it takes more input to know it.
func (l *lexer) next() (*token, error) {
	if len(l.buf) == 0 {
		return nil, nil
	}
	if l.pos == 0 {
		switch l.mode {
		case modePlain:
			return l.textUpTo(len(l.buf)), nil
		case modeRaw:
			if n := l.rawText(); n > 0 || l.mode == modeRaw {
				return l.textUpTo(n), nil
			}
		case modeScript:
			if n := l.scriptText(); n > 0 || l.mode == modeScript {
				return l.textUpTo(n), nil
			}
		case modeCDATA:
			return l.cdataText(), nil
		}
	}
	if l.buf[0] != '<' {
		n := bytes.IndexByte(l.buf, '<')
		if n < 0 {
			n = len(l.buf)
		}
		return l.textUpTo(n), nil
	}
	return l.markup()
}

// textUpTo returns buf[:n] as text, but for the beginning of a character whose end has not come.
func (l *lexer) textUpTo(n int) *token {
	if n == len(l.buf) && !l.final {
		n -= incomplete(l.buf)
	}
	if n <= 0 {
		return nil
	}
	return l.take(tokenText, n)
}

// incomplete returns how many bytes at the end of b begin a UTF-8 sequence that is longer.
func incomplete(b []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(b); n++ {
		if c := b[len(b)-n]; utf8.RuneStart(c) {
			if c >= utf8.RuneSelf && !utf8.FullRune(b[len(b)-n:]) {
				return n
			}
			return 0
		}
	}
	return 0
}

// take makes a token of buf[:n] and goes on behind it.
func (l *lexer) take(kind tokenKind, n int) *token {
	l.tok = token{kind: kind, raw: l.buf[:n:n], attrs: l.tok.attrs[:0]}
	l.buf, l.pos = l.buf[n:], 0
	return &l.tok
}

// starts reports whether buf starts with a mark, without regard to case; unsure means that
// more input may tell.
func (l *lexer) starts(mark string) (yes, unsure bool) {
	n := min(len(mark), len(l.buf))
	if !equalFold(l.buf[:n], mark[:n]) {
		return false, false
	}
	return n == len(mark), n < len(mark) && !l.final
}

// markup reads what begins with "<".
func (l *lexer) markup() (*token, error) {
	if l.pos > 0 && l.tag.state != tagNone { // a tag goes on
		return l.readTag()
	}
	if len(l.buf) == 1 {
		if !l.final {
			return nil, nil
		}
		return l.take(tokenText, 1), nil
	}
	switch c := l.buf[1]; {
	case isLetter(c):
		l.tag.begin(1)
		return l.readTag()
	case c == '/':
		return l.endTagOpen()
	case c == '?':
		return l.bogus(1)
	case c == '!':
		return l.declaration()
	}
	return l.take(tokenText, 1), nil
}

func (l *lexer) endTagOpen() (*token, error) {
	switch {
	case len(l.buf) == 2 && l.final:
		return l.take(tokenText, 2), nil
	case len(l.buf) == 2:
		return nil, nil
	case isLetter(l.buf[2]):
		l.tag.begin(2)
		return l.readTag()
	case l.buf[2] == '>':
		return l.take(tokenOther, 3), nil
	}
	return l.bogus(2)
}

func (l *lexer) declaration() (*token, error) {
	comment, unsure := l.starts("<!--")
	doctype, more := l.starts("<!doctype")
	cdata, some := false, false
	if l.cdata {
		cdata, some = l.starts("<![CDATA[")
	}
	switch {
	case comment:
		return l.comment()
	case doctype:
		return l.upToGreater(tokenDoctype, len("<!doctype"))
	case cdata && bytes.HasPrefix(l.buf, []byte("<![CDATA[")):
		l.mode = modeCDATA
		return l.take(tokenOther, len("<![CDATA[")), nil
	case unsure || more || some:
		return nil, nil
	}
	return l.bogus(2)
}

// bogus reads a bogus comment, whose text begins at from.
func (l *lexer) bogus(from int) (*token, error) { return l.upToGreater(tokenComment, from) }

// upToGreater reads up to the next ">"; what stands from from on is the text.
func (l *lexer) upToGreater(kind tokenKind, from int) (*token, error) {
	l.pos = max(l.pos, from)
	n := bytes.IndexByte(l.buf[l.pos:], '>')
	switch {
	case n >= 0:
		end := l.pos + n
		t := l.take(kind, end+1)
		t.text = t.raw[from:end]
		return t, nil
	case l.final:
		t := l.take(kind, len(l.buf))
		t.text = t.raw[from:]
		return t, nil
	}
	l.pos = len(l.buf)
	return nil, l.checkLength()
}

const commentStart = len("<!--")

func (l *lexer) comment() (*token, error) {
	body := l.buf[commentStart:]
	for _, short := range []string{">", "->"} { // <!--> and <!---> are whole
		if bytes.HasPrefix(body, []byte(short)) {
			t := l.take(tokenComment, commentStart+len(short))
			t.text = t.raw[:0]
			return t, nil
		}
	}
	at := max(l.pos-3, commentStart)
	for {
		n := bytes.Index(l.buf[at:], []byte("--"))
		if n < 0 {
			break
		}
		at += n
		for _, end := range []string{"-->", "--!>"} {
			if bytes.HasPrefix(l.buf[at:], []byte(end)) {
				t := l.take(tokenComment, at+len(end))
				t.text = t.raw[commentStart:at]
				return t, nil
			}
		}
		at++
	}
	if l.final {
		t := l.take(tokenComment, len(l.buf))
		t.text = t.raw[commentStart:]
		return t, nil
	}
	l.pos = len(l.buf)
	return nil, l.checkLength()
}

// checkLength refuses a tag or comment that is too long to be kept until its end.
func (l *lexer) checkLength() error {
	if len(l.buf) > l.limit {
		return ErrMemory
	}
	return nil
}

// cdataText reads the text of a CDATA section and the mark that ends it.
func (l *lexer) cdataText() *token {
	n := bytes.Index(l.buf, []byte("]]>"))
	switch {
	case n == 0:
		l.mode = modeData
		return l.take(tokenOther, 3)
	case n > 0:
		return l.take(tokenText, n)
	case l.final:
		return l.take(tokenText, len(l.buf))
	}
	n = len(l.buf)
	for k := 0; k < 2 && n > 0 && l.buf[n-1] == ']'; k++ {
		n--
	}
	if n == len(l.buf) {
		return l.textUpTo(n)
	}
	if n == 0 {
		return nil
	}
	return l.take(tokenText, n)
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\f' || c == '\r' }

func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c | 0x20
	}
	return c
}

// equalFold compares without regard to the case of ASCII letters.
func equalFold(b []byte, s string) bool {
	if len(b) != len(s) {
		return false
	}
	for i, c := range b {
		if c != s[i] && lower(c) != lower(s[i]) {
			return false
		}
	}
	return true
}
