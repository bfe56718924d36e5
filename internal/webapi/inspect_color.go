package webapi

import (
	"strings"

	"github.com/dop251/goja"
)

// A color is the parameter of the escape sequence that begins one, or "" for none. They are those that
// Node's util.inspect has for kinds of values.
type color string

const (
	bold    color = "1"
	red     color = "31" // regular expressions
	green   color = "32" // strings, symbols
	yellow  color = "33" // numbers, booleans
	magenta color = "35" // dates
	special color = "36" // functions, and what is said about a value in place of it
	grey    color = "90" // undefined
)

func colorOf(v goja.Value) color {
	switch {
	case v == nil || goja.IsUndefined(v):
		return grey
	case goja.IsNull(v):
		return bold
	case goja.IsString(v):
		return green
	}
	if _, ok := v.(*goja.Symbol); ok {
		return green
	}
	return yellow
}

// paint gives each line of s a color.
func (in *inspector) paint(c color, s string) string {
	if !in.colors || s == "" {
		return s
	}
	end := "\x1b[39m"
	if c == bold {
		end = "\x1b[22m"
	}
	begin := "\x1b[" + string(c) + "m"
	return begin + strings.ReplaceAll(s, "\n", end+"\n"+begin) + end
}

// plain is s without colors: what it shows of a line. Text of the value itself has no escapes, since quoted strings
// show them as \x1B.
func (in *inspector) plain(s string) string {
	if !in.colors {
		return s
	}
	var b strings.Builder
	for {
		before, after, found := strings.Cut(s, "\x1b[")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		_, s, _ = strings.Cut(after, "m")
	}
}
