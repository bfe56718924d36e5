package jscheck

import (
	"bytes"
	"sync"
	"unicode/utf16"
	"unicode/utf8"

	"samkit.dev/internal/bundle"
)

// A text is a script as esbuild made it, and knows where it comes from.
type text struct {
	code   []byte
	origin func() *bundle.Map // nil if there is none; made when it is first needed
}

func newText(out *bundle.Output) *text {
	return &text{out.Code, sync.OnceValue(func() *bundle.Map {
		m, err := bundle.ParseMap(out.Map)
		if err != nil {
			return nil
		}
		return m
	})}
}

// problem gives p the place in the source of line and column in the code, both from 1, columns in bytes.
func (t *text) problem(p Problem, line, column int) Problem {
	var ok bool
	if p.Line, p.Column, ok = t.original(line, column); !ok {
		p.Line, p.Column = 1, 1
	}
	if p.Instead == "" {
		p.Instead = p.Category.Instead()
	}
	return p
}

// original is where code at line and column comes from.
func (t *text) original(line, column int) (int, int, bool) {
	text := lineOf(t.code, line)
	n := 1
	for _, r := range string(text[:min(max(column-1, 0), len(text))]) {
		n += utf16.RuneLen(r)
	}
	_, l, c, ok := t.origin().Original(line, n)
	return max(l-1, 1), c, ok // the script begins on the second line of what esbuild saw
}

// lineOf returns a line of code and what follows it. Lines end where goja and esbuild think so.
func lineOf(code []byte, line int) []byte {
	for ; line > 1; line-- {
		i := bytes.IndexAny(code, "\n\r\u2028\u2029")
		if i < 0 {
			return nil
		}
		_, size := utf8.DecodeRune(code[i:])
		if bytes.HasPrefix(code[i:], []byte("\r\n")) {
			size = 2
		}
		code = code[i+size:]
	}
	return code
}

// offset returns the offset of line and column, both from 1, columns in bytes, or -1.
func (t *text) offset(line, column int) int {
	rest := lineOf(t.code, line)
	if rest == nil || column > len(rest) {
		return -1
	}
	return len(t.code) - len(rest) + column - 1
}
