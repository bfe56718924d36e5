package jsrt

import (
	"strconv"
	"unicode/utf16"

	"github.com/dop251/goja"
)

// What is wrong with a text is said as V8 says it, which people know and
// search for. V8 counts UTF-16 units from 0, lines and columns from 1.

// fail throws what is wrong at p.at.
func (p *jsonParser) fail(what string) {
	before := utf16OfWTF8(p.s[:p.at])
	line, start := 1, 0
	for i, c := range before {
		if c == '\n' && (i == 0 || before[i-1] != '\r') || c == '\r' {
			line++
			start = i + 1
		} else if c == '\n' {
			start = i + 1 // the second half of a line's end
		}
	}
	p.syntaxError(utf16.Encode([]rune(what + " at position " + strconv.Itoa(len(before)) +
		" (line " + strconv.Itoa(line) + " column " + strconv.Itoa(len(before)-start+1) + ")")))
}

// unexpected throws that what is at p.at begins no value.
func (p *jsonParser) unexpected() {
	if p.at == len(p.s) {
		p.syntaxError(utf16.Encode([]rune("Unexpected end of JSON input")))
	}
	switch c := p.s[p.at]; {
	case c-'0' <= 9 || c == '-':
		p.fail("Unexpected number in JSON")
	case c == '"':
		p.fail("Unexpected string in JSON")
	}
	switch p.s {
	case "NaN", "Infinity", "undefined", "[object Object]":
		p.syntaxError(utf16.Encode([]rune(`"` + p.s + `" is not valid JSON`)))
	}
	const context = 10 // units on each side
	text, at := utf16OfWTF8(p.s), len(utf16OfWTF8(p.s[:p.at]))
	from, to := 0, len(text)
	if len(text) > 2*context {
		if at >= context {
			from = at - context
		}
		if at < len(text)-context {
			to = at + context
		}
	}
	var m []uint16
	add := func(s string) { m = append(m, utf16.Encode([]rune(s))...) }
	add("Unexpected token '")
	m = append(m, text[at])
	add("', ")
	if from > 0 {
		add("...")
	}
	add(`"`)
	m = append(m, text[from:to]...)
	add(`"`)
	if to < len(text) {
		add("... ")
	} else {
		add(" ")
	}
	add("is not valid JSON")
	p.syntaxError(m)
}

func (p *jsonParser) syntaxError(message []uint16) {
	o, err := p.vm.New(p.vm.Get("SyntaxError"), goja.StringFromUTF16(message))
	if err != nil { // the code replaced the class
		panic(p.rt.NewError("SyntaxError", string(utf16.Decode(message))))
	}
	panic(o)
}
