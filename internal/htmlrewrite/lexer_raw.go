package htmlrewrite

import "bytes"

// endOf reports whether buf[at:] is "</name" and a character that ends the name; unsure means
// that more input may tell.
func (l *lexer) endOf(at int, mark, name string) (yes, unsure bool) {
	b := l.buf[at:]
	for i := range len(mark) + len(name) {
		if i == len(b) {
			return false, !l.final
		}
		want := byte(0)
		if i < len(mark) {
			want = mark[i]
		} else {
			want = name[i-len(mark)]
		}
		if lower(b[i]) != want {
			return false, false
		}
	}
	if n := len(mark) + len(name); n < len(b) {
		return isSpace(b[n]) || b[n] == '/' || b[n] == '>', false
	}
	return false, !l.final
}

// rawText returns how much of buf is text of a raw element. It leaves modeRaw where the
// element's end tag begins.
func (l *lexer) rawText() int {
	for at := 0; ; at++ {
		n := bytes.IndexByte(l.buf[at:], '<')
		if n < 0 {
			return len(l.buf)
		}
		at += n
		yes, unsure := l.endOf(at, "</", l.raw)
		if yes {
			l.mode = modeData
			return at
		}
		if unsure {
			return at
		}
	}
}

// A scriptState is how deep a script is in what older pages hid scripts with.
type scriptState struct {
	level  uint8 // 1: after <!--, 2: in a <script> there
	dashes uint8 // 2: two in a row
}

const script = "script"

// scriptText is rawText for a script: an end tag within <!-- <script> does not count.
func (l *lexer) scriptText() int {
	s := &l.script
	at := 0
	for at < len(l.buf) {
		if s.level == 0 {
			n := bytes.IndexByte(l.buf[at:], '<')
			if n < 0 {
				return len(l.buf)
			}
			at += n
		}
		switch c := l.buf[at]; {
		case c == '-' && s.dashes < 2:
			s.dashes++
		case c == '-':
		case c == '>' && s.dashes == 2:
			*s = scriptState{}
		case c == '<':
			n, unsure := l.scriptMark(at)
			if unsure || l.mode != modeScript {
				return at
			}
			at += n
			continue
		default:
			s.dashes = 0
		}
		at++
	}
	return at
}

// scriptMark reads what begins with "<" in a script and returns its length.
func (l *lexer) scriptMark(at int) (n int, unsure bool) {
	s := &l.script
	end, unsure := l.endOf(at, "</", script)
	switch {
	case unsure:
		return 0, true
	case end && s.level == 2:
		*s = scriptState{level: 1}
		return len("</script"), false
	case end:
		*s = scriptState{}
		l.mode = modeData
		return 0, false
	}
	switch s.level {
	case 0:
		const mark = "<!--"
		b := l.buf[at:]
		if k := min(len(b), len(mark)); string(b[:k]) == mark[:k] {
			if k < len(mark) {
				return 1, !l.final
			}
			*s = scriptState{level: 1, dashes: 2}
			return len(mark), false
		}
	case 1:
		start, unsure := l.endOf(at, "<", script)
		if unsure {
			return 0, true
		}
		if start {
			*s = scriptState{level: 2}
			return len("<script"), false
		}
	}
	s.dashes = 0
	return 1, false
}
