package wasi

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/interp"
	"mvdan.cc/sh/v3/syntax"
)

// printf [-v NAME] FORMAT [ARG]... as bash has it; that of the interpreter lacks precision, %q, %X, the formats of
// numbers with a fraction, and -v.
func (s *shellState) printf(ctx context.Context, hc interp.HandlerContext, q *proc) error {
	args := q.args[1:]
	name := ""
	for len(args) > 0 && strings.HasPrefix(args[0], "-") && len(args[0]) > 1 {
		if args[0] == "--" {
			args = args[1:]
			break
		}
		if args[0] != "-v" || len(args) < 2 || !syntax.ValidName(args[1]) {
			return q.fail(2, "%s: invalid option", args[0])
		}
		name, args = args[1], args[2:]
	}
	if len(args) == 0 {
		return q.fail(2, "usage: printf [-v var] format [arguments]")
	}
	f := formatter{args: args[1:], room: s.p.r.shellRoom()}
	for again := true; again; again = f.used && len(f.args) > 0 {
		f.used = false
		if !f.format(args[0]) {
			break
		}
	}
	if f.over {
		return fmt.Errorf("what printf prints is %w: %d bytes are allowed", errRoom, f.room)
	}
	var err error
	if name != "" {
		quoted, qerr := syntax.Quote(f.out.String(), syntax.LangBash)
		if qerr != nil {
			return q.fail(1, "%v", qerr)
		}
		err = hc.Builtin(ctx, []string{"eval", name + "=" + quoted})
	} else {
		_, err = io.WriteString(q.stdout, f.out.String())
		err = written(err)
	}
	if f.wrong != "" && err == nil {
		return q.fail(1, "%s", f.wrong)
	}
	return err
}

// A formatter is one run of printf.
type formatter struct {
	out   strings.Builder
	args  []string
	used  bool // an argument was asked for
	wrong string
	room  int
	over  bool // there is more than room
}

func (f *formatter) arg() string {
	f.used = true
	if len(f.args) == 0 {
		return ""
	}
	a := f.args[0]
	f.args = f.args[1:]
	return a
}

func (f *formatter) put(text string, width int, left bool) {
	pad := max(width-utf8.RuneCountInString(text), 0)
	if f.out.Len()+len(text)+pad > f.room {
		f.over = true
		return
	}
	if !left {
		f.out.WriteString(strings.Repeat(" ", pad))
	}
	f.out.WriteString(text)
	if left {
		f.out.WriteString(strings.Repeat(" ", pad))
	}
}

// number is an argument as a number: 'a is the code of a.
func (f *formatter) number(a string) int64 {
	if a == "" {
		return 0
	}
	if a[0] == '\'' || a[0] == '"' {
		r, _ := utf8.DecodeRuneInString(a[1:])
		return int64(r)
	}
	n, err := strconv.ParseInt(strings.TrimSpace(a), 0, 64)
	if err != nil {
		if u, uerr := strconv.ParseUint(strings.TrimSpace(a), 0, 64); uerr == nil {
			return int64(u)
		}
		f.wrong = a + ": invalid number"
		end := strings.IndexFunc(strings.TrimLeft(a, "+-"), func(r rune) bool { return r < '0' || r > '9' })
		if end > 0 {
			n, _ = strconv.ParseInt(a[:len(a)-len(strings.TrimLeft(a, "+-"))+end], 10, 64)
		}
	}
	return n
}

// format prints once by the format; it is false when \c or a fault has ended all.
func (f *formatter) format(format string) bool {
	for i := 0; i < len(format) && !f.over; i++ {
		switch c := format[i]; {
		case c == '\\':
			n, end := f.escape(format[i:], false)
			if end {
				return false
			}
			i += n - 1
		case c != '%':
			f.put(format[i:i+1], 0, false)
		case i+1 < len(format) && format[i+1] == '%':
			f.put("%", 0, false)
			i++
		default:
			n, ok := f.directive(format[i:])
			if !ok {
				return false
			}
			i += n - 1
		}
	}
	return !f.over
}

// escape prints a backslash and what follows, and returns how long that is. In arguments of %b \0 begins an octal number.
func (f *formatter) escape(text string, arg bool) (n int, end bool) {
	if len(text) < 2 {
		f.put(`\`, 0, false)
		return 1, false
	}
	if i := strings.IndexByte("abefnrtv\\\"'", text[1]); i >= 0 && (!arg || text[1] != '\'' && text[1] != '"') {
		f.put(string("\a\b\x1b\f\n\r\t\v\\\"'"[i]), 0, false)
		return 2, false
	}
	digits := func(from, most int, set string) int {
		to := from
		for to < len(text) && to < from+most && strings.IndexByte(set, text[to]) >= 0 {
			to++
		}
		return to
	}
	const octal, hex = "01234567", "0123456789abcdefABCDEF"
	from, to, base, char := 2, 2, 16, false
	switch c := text[1]; c {
	case 'c':
		if arg {
			return 2, true
		}
	case 'x':
		to = digits(2, 2, hex)
	case 'u', 'U':
		char = true
		to = digits(2, map[byte]int{'u': 4, 'U': 8}[c], hex)
	default:
		base, from = 8, 1
		most := 3
		if arg && c == '0' {
			most = 4
		}
		to = digits(1, most, octal)
	}
	if to == from {
		f.put(text[:2], 0, false)
		return 2, false
	}
	v, _ := strconv.ParseUint(text[from:to], base, 32)
	if char {
		f.put(string(rune(v)), 0, false)
	} else {
		f.put(string([]byte{byte(v)}), 0, false)
	}
	return to, false
}

// directive prints one %… and returns how long it is.
func (f *formatter) directive(text string) (n int, ok bool) {
	flags, width, precision := "", 0, -1
	i := 1
	for i < len(text) && strings.IndexByte("-+ #0", text[i]) >= 0 {
		flags += text[i : i+1]
		i++
	}
	count := func() (v int) {
		if i < len(text) && text[i] == '*' {
			i++
			return int(min(max(f.number(f.arg()), -1e6), 1e6))
		}
		for i < len(text) && text[i] >= '0' && text[i] <= '9' {
			v = min(v*10+int(text[i]-'0'), 1e6)
			i++
		}
		return v
	}
	if width = count(); width < 0 {
		flags, width = flags+"-", -width
	}
	if i < len(text) && text[i] == '.' {
		i++
		precision = count()
	}
	for i < len(text) && strings.IndexByte("hlLjzt", text[i]) >= 0 {
		i++
	}
	if i == len(text) {
		f.wrong = text + ": missing format character"
		return i, false
	}
	left := strings.Contains(flags, "-")
	verb := text[i]
	spec := "%" + flags + strconv.Itoa(width)
	if width == 0 {
		spec = "%" + flags
	}
	if precision >= 0 {
		spec += "." + strconv.Itoa(min(precision, 100_000))
	}
	cut := func(s string) string {
		if precision >= 0 && precision < len(s) {
			return s[:precision]
		}
		return s
	}
	switch verb {
	case 's':
		f.put(cut(f.arg()), width, left)
	case 'c':
		r := f.arg()
		f.put(r[:min(len(r), 1)], width, left)
	case 'q':
		a := f.arg()
		f.put(cut(backslashed(a)), width, left)
	case 'b':
		sub := formatter{room: f.room}
		end := false
		a := f.arg()
		for j := 0; j < len(a) && !end && !sub.over; {
			if a[j] == '\\' {
				n := 0
				n, end = sub.escape(a[j:], true)
				j += n
				continue
			}
			sub.put(a[j:j+1], 0, false)
			j++
		}
		f.over = f.over || sub.over
		f.put(cut(sub.out.String()), width, left)
		if end {
			f.args = nil
			return i + 1, false
		}
	case 'd', 'i':
		f.put(fmt.Sprintf(spec+"d", f.number(f.arg())), 0, false)
	case 'u':
		f.put(fmt.Sprintf(spec+"d", uint64(f.number(f.arg()))), 0, false)
	case 'x', 'X', 'o':
		f.put(fmt.Sprintf(spec+string(verb), uint64(f.number(f.arg()))), 0, false)
	case 'e', 'E', 'f', 'F', 'g', 'G':
		a := f.arg()
		v, err := strconv.ParseFloat(strings.TrimSpace(a), 64)
		if err != nil && a != "" {
			v = float64(f.number(a))
		}
		if precision < 0 && strings.ContainsRune("eEfF", rune(verb)) {
			spec += ".6"
		} else if precision < 0 {
			spec += ".6"
		}
		f.put(fmt.Sprintf(spec+string(verb), v), 0, false)
	default:
		f.wrong = string(verb) + ": invalid format character"
		return i, false
	}
	return i + 1, true
}

// backslashed quotes as bash's %q does: what is not plain gets a backslash.
func backslashed(a string) string {
	if a == "" {
		return "''"
	}
	if strings.ContainsFunc(a, func(r rune) bool { return r < ' ' || r == 127 }) {
		if quoted, err := syntax.Quote(a, syntax.LangBash); err == nil {
			return quoted
		}
	}
	var b strings.Builder
	for i, r := range a {
		if strings.ContainsRune(" \t!\"#$&'()*,;<>?[\\]^`{|}", r) && (r != '#' || i == 0) || r == '~' && i == 0 {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
