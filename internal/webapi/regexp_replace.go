package webapi

import (
	"unicode/utf16"

	"github.com/dop251/goja"
)

// replaceExpression is RegExp.prototype[Symbol.replace] for expressions of ours: without an array for each match.
func (r *Realm) replaceExpression(c goja.FunctionCall) goja.Value {
	x := r.regexps
	o, ok := c.This.(*goja.Object)
	e := r.expressionOf(c.This)
	if !ok || e == nil || e.sticky || o.Get("exec") != x.exec {
		return r.Call(x.repl, c.This, c.Arguments...)
	}
	s, by := stringOf(r, c.Argument(0)), c.Argument(1)
	fn, calls := goja.AssertFunction(by)
	var template goja.String
	if !calls {
		template = stringOf(r, by)
	}
	if e.global {
		if err := o.Set("lastIndex", 0); err != nil {
			panic(err)
		}
	}
	var found [][]int
	places := 0
	for from := 0; from <= s.Length(); {
		m := r.find(e.Program, r.unitsFor(s), from, false)
		if m == nil {
			break
		}
		r.Yield()
		found = append(found, m)
		places += len(m)
		r.CheckText(32 * places) // bytes that they take
		if !e.global {
			break
		}
		if from = m[1]; m[0] == m[1] {
			from = r.advance(e, s, from)
		}
	}
	var out goja.StringBuilder
	done, size := 0, s.Length()
	for _, m := range found {
		r.Yield()
		out.WriteSubstring(s, done, m[0])
		done = m[1]
		values := capturesOf(s, m)
		groups := r.groupsOf(e, m, func(i int) goja.Value { return values[i] })
		if !calls {
			size += r.substitute(&out, template, s, m, values, groups)
			r.CheckText(size)
			continue
		}
		args := append(values, r.VM.ToValue(m[0]), s)
		if !goja.IsUndefined(groups) {
			args = append(args, groups)
		}
		with := stringOf(r, r.Call(fn, goja.Undefined(), args...))
		size += with.Length()
		r.CheckText(size)
		out.WriteString(with)
	}
	out.WriteSubstring(s, done, s.Length())
	return out.String()
}

// advance is AdvanceStringIndex.
func (r *Realm) advance(e *expression, s goja.String, i int) int {
	if e.Unicode() && i+1 < s.Length() && utf16.DecodeRune(rune(s.CharAt(i)), rune(s.CharAt(i+1))) != 0xfffd {
		return i + 2
	}
	return i + 1
}

// substitute is GetSubstitution. It returns how many units it wrote.
func (r *Realm) substitute(out *goja.StringBuilder, template, s goja.String, m []int, values []goja.Value, groups goja.Value) (size int) {
	part := func(of goja.String, from, to int) {
		size += to - from
		r.CheckText(size)
		out.WriteSubstring(of, from, to)
	}
	n := template.Length()
	at := func(i int) uint16 {
		if i < n {
			return template.CharAt(i)
		}
		return 0
	}
	digit := func(i int) int {
		if c := at(i); c >= '0' && c <= '9' {
			return int(c - '0')
		}
		return -1
	}
	done := 0
	for i := 0; i < n; i++ {
		if at(i) != '$' {
			continue
		}
		flush := func(next int) {
			part(template, done, i)
			done, i = next, next-1
		}
		switch c := at(i + 1); {
		case c == '$':
			flush(i + 2)
			out.WriteRune('$')
		case c == '&':
			flush(i + 2)
			part(s, m[0], m[1])
		case c == '`':
			flush(i + 2)
			part(s, 0, m[0])
		case c == '\'':
			flush(i + 2)
			part(s, m[1], s.Length())
		case digit(i+1) >= 0:
			group, width := digit(i+1), 2
			if d := digit(i + 2); d >= 0 && group*10+d < len(values) && group*10+d > 0 {
				group, width = group*10+d, 3
			}
			if group == 0 || group >= len(values) {
				continue
			}
			flush(i + width)
			if v, ok := values[group].(goja.String); ok {
				part(v, 0, v.Length())
			}
		case c == '<' && !goja.IsUndefined(groups):
			end := i + 2
			for end < n && at(end) != '>' {
				end++
			}
			if end == n {
				continue
			}
			name := template.Substring(i+2, end).String()
			flush(end + 1)
			if v := groups.(*goja.Object).Get(name); v != nil && !goja.IsUndefined(v) {
				text := stringOf(r, v)
				part(text, 0, text.Length())
			}
		}
	}
	part(template, done, n)
	return size
}
