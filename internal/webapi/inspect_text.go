package webapi

import (
	"math/big"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dop251/goja"
)

func (in *inspector) primitive(v goja.Value, quote bool) string {
	switch {
	case v == nil || goja.IsUndefined(v):
		return "undefined"
	case goja.IsNull(v):
		return "null"
	case goja.IsString(v):
		if !quote {
			return head(v, inspectBytes)
		}
		return in.quoted(v)
	case goja.IsBigInt(v):
		in.work -= 10
		return bigText(v) + "n"
	}
	if sym, ok := v.(*goja.Symbol); ok {
		return in.symbol(sym)
	}
	if goja.IsNumber(v) && v.ToFloat() == 0 && 1/v.ToFloat() < 0 {
		return "-0"
	}
	return v.String()
}

// bigText is a BigInt in decimal; the time that takes grows faster than its length.
func bigText(v goja.Value) string {
	b, ok := v.Export().(*big.Int)
	if !ok || b.BitLen() > inspectBigBits {
		return "<too long>"
	}
	return b.String()
}

// cut shortens a string to at most n bytes, and says so.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	head := s[:n]
	for head != "" && !utf8.RuneStart(s[len(head)]) {
		head = head[:len(head)-1]
	}
	return head + "... " + strconv.Itoa(utf8.RuneCountInString(s[len(head):])) + " more characters"
}

// head is cut for the string of a value, in time that its length hardly adds to.
func head(v goja.Value, n int) string {
	s, ok := v.(goja.String)
	if !ok || s.Length() <= n {
		return cut(v.String(), n)
	}
	return cut(s.Substring(0, n).String(), n) + "... " + strconv.Itoa(s.Length()-n) + " more characters"
}

func (in *inspector) symbol(s *goja.Symbol) string {
	name := s.String()
	in.work -= len(name) / 64
	return "Symbol(" + cut(name, 200) + ")"
}

// quoted is a string as a literal, over several lines if it has them.
func (in *inspector) quoted(v goja.Value) string {
	s, rest := head(v, inspectString), ""
	if len(s) > inspectString {
		if at := strings.LastIndex(s, "... "); at >= 0 {
			s, rest = s[:at], s[at:]
		}
	}
	if len(s) > 16 && len(s) > inspectLine-in.indent-4 && strings.Contains(s, "\n") {
		lines := strings.SplitAfter(s, "\n")
		if lines[len(lines)-1] == "" {
			lines = lines[:len(lines)-1]
		}
		for i := range lines {
			lines[i] = quoteJS(lines[i])
		}
		return strings.Join(lines, " +\n"+strings.Repeat(" ", in.indent+2)) + rest
	}
	return quoteJS(s) + rest
}

// quoteJS quotes with whichever quotation mark needs no escape.
func quoteJS(s string) string {
	mark := byte('\'')
	if strings.Contains(s, "'") {
		if !strings.Contains(s, `"`) {
			mark = '"'
		} else if !strings.Contains(s, "`") && !strings.Contains(s, "${") {
			mark = '`'
		}
	}
	b := make([]byte, 0, len(s)+2)
	b = append(b, mark)
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == mark || c == '\\':
			b = append(b, '\\', c)
		case c == '\n':
			b = append(b, `\n`...)
		case c == '\t':
			b = append(b, `\t`...)
		case c == '\r':
			b = append(b, `\r`...)
		case c == '\b':
			b = append(b, `\b`...)
		case c == '\f':
			b = append(b, `\f`...)
		case c == '\v':
			b = append(b, `\v`...)
		case c < 0x20 || c == 0x7F:
			b = append(b, '\\', 'x', upperHex[c>>4], upperHex[c&15])
		default:
			b = append(b, c)
		}
	}
	return string(append(b, mark))
}

func count(n int64, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return strconv.FormatInt(n, 10) + " " + noun
}

func isIndex(key string) bool {
	if key == "" || len(key) > 1 && key[0] == '0' {
		return false
	}
	for i := 0; i < len(key); i++ {
		if !isDigit(key[i]) {
			return false
		}
	}
	return true
}

func isIdentifier(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; !(isAlpha(c) || c == '_' || c == '$' || i > 0 && isDigit(c)) {
			return false
		}
	}
	return s != ""
}

func dateText(o *goja.Object) string {
	t, ok := o.Export().(time.Time)
	if !ok {
		return "Invalid Date"
	}
	t = t.UTC()
	if y := t.Year(); y < 0 || y > 9999 {
		sign := "+"
		if y < 0 {
			sign, y = "-", -y
		}
		return sign + strings.Repeat("0", max(0, 6-len(strconv.Itoa(y)))) + strconv.Itoa(y) + t.Format("-01-02T15:04:05.000Z")
	}
	return t.Format("2006-01-02T15:04:05.000Z")
}
