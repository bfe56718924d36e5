package jsrt

import (
	"sort"
	"strings"
)

// An edit replaces drop bytes of code at offset at by text. Neither side has a line terminator.
type edit struct {
	at, drop int
	text     string
}

// applyEdits returns code with the edits made, which are in order and do not overlap.
func applyEdits(code []byte, edits []edit) string {
	var b strings.Builder
	b.Grow(len(code) + growth(edits))
	done := 0
	for _, e := range edits {
		b.Write(code[done:e.at])
		b.WriteString(e.text)
		done = e.at + e.drop
	}
	b.Write(code[done:])
	return b.String()
}

// growth is by how many bytes the edits lengthen the code.
func growth(edits []edit) int {
	n := 0
	for _, e := range edits {
		n += len(e.text) - e.drop
	}
	return n
}

// A shift says that what begins at column col of the compiled text came from column orig of the code.
type shift struct {
	line, col, orig int
}

// shiftsOf returns the shifts of the wrapper and the edits, in order of line and column.
func shiftsOf(code []byte, edits []edit) []shift {
	shifts := make([]shift, 1, 1+len(edits))
	shifts[0] = shift{1, 1 + len(wrapperHead), 1}
	line, start, at, grown := 1, 0, 0, len(wrapperHead)
	for _, e := range edits {
		n, last := countLines(code[at:e.at])
		if n > 0 {
			line, start, grown = line+n, at+last, 0
		}
		at = e.at + e.drop
		grown += len(e.text) - e.drop
		orig := 1 + at - start
		shifts = append(shifts, shift{line, orig + grown, orig})
	}
	return shifts
}

// unshift turns a position in the compiled text into one in the code.
func unshift(shifts []shift, line, col int) (int, int) {
	i := sort.Search(len(shifts), func(i int) bool {
		s := shifts[i]
		return s.line > line || s.line == line && s.col > col
	})
	next := col
	if i < len(shifts) && shifts[i].line == line {
		next = shifts[i].orig // inside inserted text: what it stands before
	}
	if i > 0 && shifts[i-1].line == line {
		s := shifts[i-1]
		col += s.orig - s.col
	}
	return line, max(1, min(col, next))
}

// countLines counts the line terminators of text by goja's rules and returns the
// offset after the last one.
func countLines(text []byte) (n, last int) {
	for i := 0; i < len(text); {
		j, size := indexLineEnd(text[i:])
		if size == 0 {
			break
		}
		i += j + size
		n, last = n+1, i
	}
	return n, last
}

// indexLineEnd finds the first line terminator of text. Its size is 0 if there is none.
func indexLineEnd(text []byte) (i, size int) {
	for i, c := range text {
		switch {
		case c == '\n':
			return i, 1
		case c == '\r':
			if i+1 < len(text) && text[i+1] == '\n' {
				return i, 2
			}
			return i, 1
		case c == 0xe2 && i+2 < len(text) && text[i+1] == 0x80 && text[i+2]|1 == 0xa9: // U+2028, U+2029
			return i, 3
		}
	}
	return len(text), 0
}

// lineColumn is the position of an offset in code, as goja counts.
func lineColumn(code []byte, offset int) (line, col int) {
	n, last := countLines(code[:offset])
	return n + 1, offset - last + 1
}
