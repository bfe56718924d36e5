package webapi

import (
	"slices"
	"unicode/utf8"

	"github.com/dop251/goja"

	"samkit.dev/internal/jsrt"
)

// A searchParams is what a URLSearchParams carries.
type searchParams struct {
	list  []formPair
	url   *urlObject // the URL it belongs to, or nil
	dirty bool       // url does not have the changes yet
	self  *goja.Object
}

// searchParamsOf returns the parameters that v carries.
func searchParamsOf(v goja.Value) (*searchParams, bool) { return jsrt.Is[*searchParams](v) }

// String serializes the parameters as application/x-www-form-urlencoded.
func (p *searchParams) String() string { return serializeForm(p.list) }

func (p *searchParams) changed() { p.dirty = p.url != nil }

// newSearchParams makes parameters from the constructor's argument.
func (r *Realm) newSearchParams(init goja.Value) *searchParams {
	o, ok := init.(*goja.Object)
	if !ok {
		if goja.IsUndefined(init) {
			return &searchParams{}
		}
		s := r.str(init)
		if s != "" && s[0] == '?' {
			s = s[1:]
		}
		return &searchParams{list: parseForm(s)}
	}
	if method := o.GetSymbol(goja.SymIterator); jsrt.Defined(method) {
		if p, ok := searchParamsOf(o); ok && r.searchParamsClass().Iterates(method) { // as it would say itself
			return &searchParams{list: slices.Clone(p.list)}
		}
		return &searchParams{list: r.pairs(o)}
	}
	p := &searchParams{}
	if len(o.Symbols()) > 0 {
		r.TypeError("Cannot convert a Symbol value to a string")
	}
	at := map[string]int{}
	r.EachMember(o, func(key jsrt.Key, value goja.Value) {
		k, v := key.String(), r.str(value)
		if i, twice := at[k]; twice { // names that differ in lone surrogates only
			p.list[i].value = v
			return
		}
		at[k] = len(p.list)
		p.list = append(p.list, formPair{k, v})
	})
	return p
}

// pairs converts a sequence of sequences of two strings.
func (r *Realm) pairs(o *goja.Object) (list []formPair) {
	r.VM.ForOf(o, func(v goja.Value) bool {
		inner, ok := v.(*goja.Object)
		if !ok {
			r.TypeError("Failed to construct 'URLSearchParams': The provided value cannot be converted to a sequence.")
		}
		var pair []string
		r.VM.ForOf(inner, func(v goja.Value) bool {
			if len(pair) == 2 {
				pair = append(pair, "")
				return false
			}
			pair = append(pair, r.str(v))
			return true
		})
		if len(pair) != 2 {
			r.TypeError("Failed to construct 'URLSearchParams': Sequence initializer must only contain pair elements")
		}
		list = append(list, formPair{pair[0], pair[1]})
		return true
	})
	return list
}

func (r *Realm) searchParamsClass() *jsrt.Class {
	if c := r.classes.searchParams; c != nil {
		return c
	}
	construct := func(c goja.ConstructorCall) any { return r.newSearchParams(c.Argument(0)) }
	r.classes.searchParams = r.Class("URLSearchParams", 0, construct, r.defineSearchParams)
	return r.classes.searchParams
}

func (r *Realm) defineSearchParams(c *jsrt.Class) {
	self := func(v goja.Value) *searchParams { return jsrt.This[*searchParams](r.Runtime, v) }
	// method passes the first want arguments as strings, and whether there is a second.
	method := func(name string, want int, fn func(p *searchParams, name, value string, second bool) goja.Value) {
		c.Method(name, want, func(f goja.FunctionCall) goja.Value {
			p := self(f.This)
			r.argc(f, want, name+" on URLSearchParams")
			key, value := r.str(f.Argument(0)), ""
			second := want == 2 || len(f.Arguments) > 1 && !goja.IsUndefined(f.Argument(1))
			if second {
				value = r.str(f.Argument(1))
			}
			return fn(p, key, value, second)
		})
	}
	c.Getter("size", func(this goja.Value) goja.Value { return r.VM.ToValue(len(self(this).list)) })
	method("append", 2, func(p *searchParams, name, value string, _ bool) goja.Value {
		p.list = append(p.list, formPair{name, value})
		p.changed()
		return goja.Undefined()
	})
	method("delete", 1, func(p *searchParams, name, value string, second bool) goja.Value {
		p.list = slices.DeleteFunc(p.list, func(e formPair) bool { return e.name == name && (!second || e.value == value) })
		p.changed()
		return goja.Undefined()
	})
	c.Method("get", 1, func(f goja.FunctionCall) goja.Value {
		p := self(f.This)
		r.argc(f, 1, "get on URLSearchParams")
		name := r.str(f.Argument(0))
		for _, e := range p.list {
			if e.name == name {
				return r.VM.ToValue(e.value)
			}
		}
		return goja.Null()
	})
	c.Method("getAll", 1, func(f goja.FunctionCall) goja.Value {
		p := self(f.This)
		r.argc(f, 1, "getAll on URLSearchParams")
		name, values := r.str(f.Argument(0)), []any{}
		for _, e := range p.list {
			if e.name == name {
				values = append(values, e.value)
			}
		}
		return r.VM.NewArray(values...)
	})
	method("has", 1, func(p *searchParams, name, value string, second bool) goja.Value {
		return r.VM.ToValue(slices.ContainsFunc(p.list, func(e formPair) bool { return e.name == name && (!second || e.value == value) }))
	})
	method("set", 2, func(p *searchParams, name, value string, _ bool) goja.Value {
		p.set(name, value)
		p.changed()
		return goja.Undefined()
	})
	c.Method("sort", 0, func(f goja.FunctionCall) goja.Value {
		p := self(f.This)
		slices.SortStableFunc(p.list, func(a, b formPair) int { return compareUTF16(a.name, b.name) })
		p.changed()
		return goja.Undefined()
	})
	c.Method("toString", 0, func(f goja.FunctionCall) goja.Value { return r.VM.ToValue(self(f.This).String()) })
	r.defineParamsIteration(c, self)
}

func (r *Realm) defineParamsIteration(c *jsrt.Class, self func(goja.Value) *searchParams) {
	c.Method("forEach", 1, func(f goja.FunctionCall) goja.Value {
		p := self(f.This)
		r.argc(f, 1, "forEach on URLSearchParams")
		fn, ok := goja.AssertFunction(f.Argument(0))
		if !ok {
			r.TypeError("Failed to execute 'forEach' on 'URLSearchParams': parameter 1 is not of type 'Function'.")
		}
		for i := 0; i < len(p.list); i++ {
			r.Call(fn, f.Argument(1), r.VM.ToValue(p.list[i].value), r.VM.ToValue(p.list[i].name), f.This)
		}
		return goja.Undefined()
	})
	iterator := func(name string, of func(formPair) goja.Value) {
		c.Method(name, 0, func(f goja.FunctionCall) goja.Value {
			p, i := self(f.This), 0
			return r.Iterator("URLSearchParams Iterator", func() (goja.Value, bool) {
				if i >= len(p.list) {
					return nil, false
				}
				i++
				return of(p.list[i-1]), true
			})
		})
	}
	iterator("entries", func(e formPair) goja.Value { return r.VM.NewArray(e.name, e.value) })
	iterator("keys", func(e formPair) goja.Value { return r.VM.ToValue(e.name) })
	iterator("values", func(e formPair) goja.Value { return r.VM.ToValue(e.value) })
	c.Alias(goja.SymIterator, "entries")
}

// set replaces the first pair of that name and drops the others.
func (p *searchParams) set(name, value string) {
	found := false
	p.list = slices.DeleteFunc(p.list, func(e formPair) bool {
		if e.name != name {
			return false
		}
		drop := found
		found = true
		return drop
	})
	for i := range p.list {
		if p.list[i].name == name {
			p.list[i].value = value
			return
		}
	}
	p.list = append(p.list, formPair{name, value})
}

// compareUTF16 compares by UTF-16 code units, which differs from the order of
// code points where one is beyond the basic plane.
func compareUTF16(a, b string) int {
	for a != "" && b != "" {
		x, n := utf8.DecodeRuneInString(a)
		y, m := utf8.DecodeRuneInString(b)
		if x != y {
			return int(unitOrder(x)) - int(unitOrder(y))
		}
		a, b = a[n:], b[m:]
	}
	return len(a) - len(b)
}

// unitOrder moves the supplementary planes to where surrogates sort: below U+E000.
func unitOrder(c rune) rune {
	switch {
	case c >= 0x10000:
		return c - 0x10000 + 0xD800
	case c >= 0xE000:
		return c + 0x110000
	}
	return c
}
