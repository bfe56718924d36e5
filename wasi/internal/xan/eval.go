package xan

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Values are nil, bool, float64, string, []any, and *regexp.Regexp.

// A scope is what an expression sees: a row, and the parameters of lambdas.
type scope struct {
	t     *table
	row   []string
	index int // of the row
	hole  any
	names map[string]any
	steps *int // that are left
}

// maxSteps is how many steps expressions of one command may take.
const maxSteps = 50_000_000

// maxText is how many bytes a value of an expression may have.
const maxText = 1 << 20

func (s *scope) eval(n *node) (any, error) {
	if *s.steps--; *s.steps < 0 {
		return nil, errRoom
	}
	switch n.kind {
	case aNumber:
		return n.num, nil
	case aString:
		return n.text, nil
	case aBool:
		return n.num == 1, nil
	case aNull:
		return nil, nil
	case aHole:
		return s.hole, nil
	case aPattern:
		return s.t.env.regexp(n.text)
	case aColumn:
		if v, ok := s.names[n.text]; ok {
			return v, nil
		}
		i := s.t.column(n.text)
		if i < 0 {
			return nil, fmt.Errorf("there is no column %s", n.text)
		}
		return s.row[i], nil
	case aList:
		list := make([]any, len(n.args))
		for i, a := range n.args {
			var err error
			if list[i], err = s.eval(a); err != nil {
				return nil, err
			}
		}
		return list, nil
	case aPipe:
		v, err := s.eval(n.args[0])
		if err != nil {
			return nil, err
		}
		inner := *s
		inner.hole = v
		return inner.eval(n.args[1])
	case aLambda:
		return nil, fmt.Errorf("a lambda is an argument of map, filter, any or all")
	}
	return s.call(n)
}

// call evaluates a function: those that do not look at all of their arguments first.
func (s *scope) call(n *node) (any, error) {
	args := n.args
	switch {
	case (n.text == "if" || n.text == "unless") && (len(args) == 2 || len(args) == 3):
		v, err := s.eval(args[0])
		if err != nil {
			return nil, err
		}
		if truth(v) == (n.text == "if") {
			return s.eval(args[1])
		}
		if len(args) == 2 {
			return nil, nil
		}
		return s.eval(args[2])
	case (n.text == "and" || n.text == "or") && len(args) > 0:
		var v any
		for _, a := range args {
			var err error
			if v, err = s.eval(a); err != nil {
				return nil, err
			}
			if truth(v) != (n.text == "and") {
				break
			}
		}
		return v, nil
	case n.text == "coalesce":
		for _, a := range args {
			if v, err := s.eval(a); err != nil || v != nil && v != "" {
				return v, err
			}
		}
		return nil, nil
	case n.text == "index" && len(args) == 0:
		return float64(s.index), nil
	case n.text == "col" && len(args) == 1:
		v, err := s.eval(args[0])
		if err != nil {
			return nil, err
		}
		i, ok := v.(float64)
		at := int(i)
		if !ok {
			at = s.t.column(show(v))
		}
		if at < 0 || at >= len(s.row) {
			return nil, fmt.Errorf("there is no column %s", show(v))
		}
		return s.row[at], nil
	case len(args) == 2 && args[1].kind == aLambda && slices.Contains([]string{"map", "filter", "any", "all"}, n.text):
		return s.lambda(n.text, args[0], args[1])
	}
	f, ok := functions()[n.text]
	if !ok {
		return nil, fmt.Errorf("there is no function %s", n.text)
	}
	if len(args) < f.least || f.most >= 0 && len(args) > f.most {
		return nil, fmt.Errorf("%s takes another number of arguments than %d", n.text, len(args))
	}
	values := make([]any, len(args))
	for i, a := range args {
		var err error
		if values[i], err = s.eval(a); err != nil {
			return nil, err
		}
		if text, ok := values[i].(string); ok {
			*s.steps -= len(text) / 8
		} else if list, ok := values[i].([]any); ok {
			*s.steps -= len(list)
		}
	}
	v, err := f.call(s, values)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", n.text, err)
	}
	return v, nil
}

func (s *scope) lambda(name string, list, f *node) (any, error) {
	v, err := s.eval(list)
	if err != nil {
		return nil, err
	}
	all, ok := v.([]any)
	if !ok {
		return nil, fmt.Errorf("%s needs a list", name)
	}
	out := []any{}
	for _, e := range all {
		inner := *s
		inner.names = map[string]any{}
		for k, v := range s.names {
			inner.names[k] = v
		}
		inner.names[f.text] = e
		v, err := inner.eval(f.args[0])
		if err != nil {
			return nil, err
		}
		switch name {
		case "map":
			out = append(out, v)
		case "filter":
			if truth(v) {
				out = append(out, e)
			}
		case "any", "all":
			if truth(v) == (name == "any") {
				return name == "any", nil
			}
		}
	}
	if name == "any" || name == "all" {
		return name == "all", nil
	}
	return out, nil
}

func truth(v any) bool {
	switch v := v.(type) {
	case nil:
		return false
	case bool:
		return v
	case float64:
		return v != 0
	case string:
		return v != "" && v != "false"
	case []any:
		return len(v) > 0
	}
	return true
}

// number is a value as a number, if it is one.
func number(v any) (float64, bool) {
	switch v := v.(type) {
	case float64:
		return v, true
	case bool:
		if v {
			return 1, true
		}
		return 0, true
	case string:
		s := strings.TrimSpace(v)
		if s == "" || strings.IndexByte("+-.0123456789", s[0]) < 0 {
			return 0, false
		}
		f, err := strconv.ParseFloat(s, 64)
		return f, err == nil
	}
	return 0, false
}

func numeric(v any) (float64, error) {
	f, ok := number(v)
	if !ok {
		return 0, fmt.Errorf("%q is no number", show(v))
	}
	return f, nil
}

// show is a value as a cell.
func show(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case bool:
		return strconv.FormatBool(v)
	case float64:
		if math.Abs(v) < 1e21 {
			return strconv.FormatFloat(v, 'f', -1, 64)
		}
		return strconv.FormatFloat(v, 'g', -1, 64)
	case string:
		return v
	case []any:
		texts := make([]string, len(v))
		for i, e := range v {
			texts[i] = show(e)
		}
		return strings.Join(texts, "|")
	case *regexp.Regexp:
		return v.String()
	}
	return fmt.Sprint(v)
}

// compare orders numbers as numbers and all else as text.
func compare(a, b any) int {
	x, ok := number(a)
	y, ok2 := number(b)
	if ok && ok2 {
		switch {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	}
	return strings.Compare(show(a), show(b))
}

// A function is one that expressions may call.
type function struct {
	least, most int // arguments; most is -1 if there is no end
	call        func(s *scope, args []any) (any, error)
}

// functions are those that get values. Texts are counted in characters.
var functions = sync.OnceValue(func() map[string]function {
	return map[string]function{
		"add": fold(func(a, b float64) float64 { return a + b }), "sub": fold(func(a, b float64) float64 { return a - b }),
		"mul": fold(func(a, b float64) float64 { return a * b }), "div": fold(func(a, b float64) float64 { return a / b }),
		"idiv": fold(func(a, b float64) float64 { return math.Floor(a / b) }), "mod": fold(math.Mod), "pow": fold(math.Pow),
		"neg": math1(func(a float64) float64 { return -a }), "abs": math1(math.Abs), "floor": math1(math.Floor), "ceil": math1(math.Ceil), "trunc": math1(math.Trunc),
		"sqrt": math1(math.Sqrt), "log": math1(math.Log), "log2": math1(math.Log2), "log10": math1(math.Log10), "exp": math1(math.Exp),
		"sin": math1(math.Sin), "cos": math1(math.Cos), "tan": math1(math.Tan),
		"int": math1(math.Trunc), "float": math1(func(a float64) float64 { return a }), "tonumber": math1(func(a float64) float64 { return a }),
		"round": {1, 2, func(_ *scope, a []any) (any, error) {
			f, err := numeric(a[0])
			if err != nil || len(a) == 1 {
				return math.Round(f), err
			}
			unit, err := numeric(a[1])
			if err != nil || unit == 0 {
				return nil, err
			}
			return math.Round(f/unit) * unit, nil
		}},
		"min": {1, -1, best(-1)}, "max": {1, -1, best(1)},

		"==": order(func(c int) bool { return c == 0 }), "!=": order(func(c int) bool { return c != 0 }), "<": order(func(c int) bool { return c < 0 }),
		"<=": order(func(c int) bool { return c <= 0 }), ">": order(func(c int) bool { return c > 0 }), ">=": order(func(c int) bool { return c >= 0 }),
		"eq": textOrder(func(c int) bool { return c == 0 }), "ne": textOrder(func(c int) bool { return c != 0 }), "lt": textOrder(func(c int) bool { return c < 0 }),
		"le": textOrder(func(c int) bool { return c <= 0 }), "gt": textOrder(func(c int) bool { return c > 0 }), "ge": textOrder(func(c int) bool { return c >= 0 }),
		"not": {1, 1, func(_ *scope, a []any) (any, error) { return !truth(a[0]), nil }},

		"upper": text1(strings.ToUpper), "lower": text1(strings.ToLower),
		"trim": trimmed(strings.TrimSpace, strings.Trim), "ltrim": trimmed(func(s string) string { return strings.TrimLeftFunc(s, unicode.IsSpace) }, strings.TrimLeft),
		"rtrim":    trimmed(func(s string) string { return strings.TrimRightFunc(s, unicode.IsSpace) }, strings.TrimRight),
		"tostring": text1(func(s string) string { return s }),
		"len":      {1, 1, length}, "length": {1, 1, length},
		"startswith": texts2(strings.HasPrefix), "endswith": texts2(strings.HasSuffix),
		"contains": {2, 2, contains}, "match": {2, 3, match}, "replace": {3, 3, replace}, "split": {2, 2, split}, "join": {1, 2, join},
		"concat": {1, -1, func(_ *scope, a []any) (any, error) {
			var b strings.Builder
			for _, v := range a {
				if b.WriteString(show(v)); b.Len() > maxText {
					return nil, errRoom
				}
			}
			return b.String(), nil
		}},
		"substr": {2, 3, func(s *scope, a []any) (any, error) {
			start, err := numeric(a[1])
			if err != nil {
				return nil, err
			}
			end := any(nil)
			if len(a) == 3 {
				n, err := numeric(a[2])
				if err != nil {
					return nil, err
				}
				end = start + n
			}
			return slice(s, []any{a[0], start, end})
		}},
		"slice": {1, 3, slice},
		"get": {2, 3, func(_ *scope, a []any) (any, error) {
			i, err := numeric(a[1])
			if err != nil {
				return nil, err
			}
			if v, ok := at(a[0], int(i)); ok {
				return v, nil
			}
			if len(a) == 3 {
				return a[2], nil
			}
			return nil, nil
		}},
		"first": {1, 1, func(_ *scope, a []any) (any, error) { v, _ := at(a[0], 0); return v, nil }},
		"last":  {1, 1, func(_ *scope, a []any) (any, error) { v, _ := at(a[0], -1); return v, nil }},
		"reverse": {1, 1, func(_ *scope, a []any) (any, error) {
			if list, ok := a[0].([]any); ok {
				list = slices.Clone(list)
				slices.Reverse(list)
				return list, nil
			}
			r := []rune(show(a[0]))
			slices.Reverse(r)
			return string(r), nil
		}},
		"sort": list1(func(l []any) any { slices.SortStableFunc(l, compare); return l }),
		"unique": list1(func(l []any) any {
			seen := map[string]bool{}
			return slices.DeleteFunc(l, func(v any) bool { was := seen[show(v)]; seen[show(v)] = true; return was })
		}),
		"sum":     list1(func(l []any) any { return total(l) }),
		"mean":    list1(func(l []any) any { return total(l) / float64(len(l)) }),
		"isnull":  {1, 1, func(_ *scope, a []any) (any, error) { return a[0] == nil, nil }},
		"isempty": {1, 1, func(_ *scope, a []any) (any, error) { return show(a[0]) == "", nil }},
		"typeof": {1, 1, func(_ *scope, a []any) (any, error) {
			switch v := a[0].(type) {
			case nil:
				return "none", nil
			case bool:
				return "boolean", nil
			case float64:
				if v == math.Trunc(v) {
					return "int", nil
				}
				return "float", nil
			case []any:
				return "list", nil
			}
			return "string", nil
		}},
	}
})

func total(l []any) (sum float64) {
	for _, v := range l {
		f, _ := number(v)
		sum += f
	}
	return sum
}

// fold is an operator on numbers, of two or more.
func fold(op func(a, b float64) float64) function {
	return function{2, -1, func(_ *scope, a []any) (any, error) {
		out := 0.0
		for i, v := range a {
			if v == nil || v == "" {
				return nil, nil // an empty cell leaves an empty cell
			}
			f, err := numeric(v)
			if err != nil {
				return nil, err
			}
			if i == 0 {
				out = f
			} else {
				out = op(out, f)
			}
		}
		return out, nil
	}}
}

func math1(op func(float64) float64) function {
	return function{1, 1, func(_ *scope, a []any) (any, error) {
		if a[0] == nil || a[0] == "" {
			return nil, nil
		}
		f, err := numeric(a[0])
		return op(f), err
	}}
}

func order(is func(int) bool) function {
	return function{2, 2, func(_ *scope, a []any) (any, error) { return is(compare(a[0], a[1])), nil }}
}

func textOrder(is func(int) bool) function {
	return function{2, 2, func(_ *scope, a []any) (any, error) { return is(strings.Compare(show(a[0]), show(a[1]))), nil }}
}

func text1(op func(string) string) function {
	return function{1, 1, func(_ *scope, a []any) (any, error) { return op(show(a[0])), nil }}
}

func texts2(op func(a, b string) bool) function {
	return function{2, 2, func(_ *scope, a []any) (any, error) { return op(show(a[0]), show(a[1])), nil }}
}

// trimmed takes blanks away, or the characters that are given.
func trimmed(blanks func(string) string, set func(s, set string) string) function {
	return function{1, 2, func(_ *scope, a []any) (any, error) {
		if len(a) == 2 {
			return set(show(a[0]), show(a[1])), nil
		}
		return blanks(show(a[0])), nil
	}}
}

func list1(op func([]any) any) function {
	return function{1, 1, func(_ *scope, a []any) (any, error) {
		list, ok := a[0].([]any)
		if !ok {
			return nil, fmt.Errorf("%q is no list", show(a[0]))
		}
		return op(slices.Clone(list)), nil
	}}
}

// best is the least or the greatest of its arguments, or of a list.
func best(sign int) func(*scope, []any) (any, error) {
	return func(_ *scope, a []any) (any, error) {
		if list, ok := a[0].([]any); ok && len(a) == 1 {
			a = list
		}
		var out any
		for i, v := range a {
			if i == 0 || compare(v, out)*sign > 0 {
				out = v
			}
		}
		return out, nil
	}
}

func length(_ *scope, a []any) (any, error) {
	if list, ok := a[0].([]any); ok {
		return float64(len(list)), nil
	}
	return float64(utf8.RuneCountInString(show(a[0]))), nil
}

// at is an element of a list or a character of a text; -1 is the last.
func at(v any, i int) (any, bool) {
	list, ok := v.([]any)
	var chars []rune
	n := len(list)
	if !ok {
		chars = []rune(show(v))
		n = len(chars)
	}
	if i < 0 {
		i += n
	}
	switch {
	case i < 0 || i >= n:
		return nil, false
	case ok:
		return list[i], true
	}
	return string(chars[i]), true
}

// slice is part of a list or a text; the ends may be left out, and count from behind if they are negative.
func slice(_ *scope, a []any) (any, error) {
	list, ok := a[0].([]any)
	var chars []rune
	n := len(list)
	if !ok {
		chars = []rune(show(a[0]))
		n = len(chars)
	}
	ends := [2]int{0, n}
	for i, v := range a[1:] {
		if v == nil {
			continue
		}
		f, err := numeric(v)
		if err != nil {
			return nil, err
		}
		at := int(max(min(f, float64(n)), -float64(n)))
		if f < 0 {
			at += n
		}
		ends[i] = at
	}
	ends[1] = max(ends[0], ends[1])
	if ok {
		return list[ends[0]:ends[1]], nil
	}
	return string(chars[ends[0]:ends[1]]), nil
}

func contains(_ *scope, a []any) (any, error) {
	switch v := a[0].(type) {
	case []any:
		return slices.ContainsFunc(v, func(e any) bool { return compare(e, a[1]) == 0 }), nil
	default:
		if re, ok := a[1].(*regexp.Regexp); ok {
			return re.MatchString(show(v)), nil
		}
		return strings.Contains(show(v), show(a[1])), nil
	}
}

// pattern is an argument as a regular expression.
func (s *scope) pattern(v any) (*regexp.Regexp, error) {
	if re, ok := v.(*regexp.Regexp); ok {
		return re, nil
	}
	return s.t.env.regexp(show(v))
}

func match(s *scope, a []any) (any, error) {
	re, err := s.pattern(a[1])
	if err != nil {
		return nil, err
	}
	group := 0.0
	if len(a) == 3 {
		if group, err = numeric(a[2]); err != nil {
			return nil, err
		}
	}
	m := re.FindStringSubmatch(show(a[0]))
	if i := int(group); m != nil && i >= 0 && i < len(m) {
		return m[i], nil
	}
	return nil, nil
}

func replace(_ *scope, a []any) (any, error) {
	text, with := show(a[0]), show(a[2])
	if (len(text)+1)*(len(with)+1) > maxText {
		return nil, errRoom
	}
	if re, ok := a[1].(*regexp.Regexp); ok {
		return re.ReplaceAllString(text, with), nil
	}
	return strings.ReplaceAll(text, show(a[1]), with), nil
}

func split(_ *scope, a []any) (any, error) {
	var parts []string
	if re, ok := a[1].(*regexp.Regexp); ok {
		parts = re.Split(show(a[0]), -1)
	} else {
		parts = strings.Split(show(a[0]), show(a[1]))
	}
	list := make([]any, len(parts))
	for i, p := range parts {
		list[i] = p
	}
	return list, nil
}

func join(_ *scope, a []any) (any, error) {
	list, ok := a[0].([]any)
	if !ok {
		return nil, fmt.Errorf("%q is no list", show(a[0]))
	}
	sep, size := "", 0
	if len(a) == 2 {
		sep = show(a[1])
	}
	texts := make([]string, len(list))
	for i, v := range list {
		texts[i] = show(v)
		if size += len(texts[i]) + len(sep); size > maxText {
			return nil, errRoom
		}
	}
	return strings.Join(texts, sep), nil
}
