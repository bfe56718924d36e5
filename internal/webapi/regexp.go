package webapi

import (
	_ "embed"
	"errors"
	"strings"
	"sync"
	"time"
	"unsafe"

	"github.com/dop251/goja"

	"samkit.dev/internal/esregexp"
	"samkit.dev/internal/jsrt"
)

// goja's engines know neither property escapes nor sets, places of groups or a name that stands
// twice, and lose named groups where text is not ASCII. Bundles with such expressions get a RegExp that
// gives those to package esregexp and leaves the others to goja, whose are faster.

//go:embed regexp.js
var regexpSource string

var regexpProgram = sync.OnceValue(func() *goja.Program {
	return goja.MustCompile("samkit:regexp", regexpSource, true)
})

// An expression is what a RegExp of esregexp's has.
type expression struct {
	*esregexp.Program
	source, flags                       string
	global, sticky, indices, sets, full bool
}

// expressions is the part of a realm that makes them.
type expressions struct {
	proto *goja.Object         // of theirs; behind it is RegExp.prototype
	state *goja.Symbol         // an own property of each carries its *expression
	made  map[string]*compiled // by flags and source
	text  goja.String          // the text matched last
	units []uint16             // of text
	exec  goja.Value           // the method
	repl  goja.Callable        // RegExp.prototype[Symbol.replace] of goja's
}

type compiled struct {
	*expression
	base  *goja.Object // an expression of goja's to make copies of
	state goja.Value   // carries the expression
	ctor  goja.Constructor
}

// maxCompiled bounds the patterns that a realm keeps compiled.
const maxCompiled = 500

func (r *Realm) completeRegExp() {
	if r.regexps != nil {
		return
	}
	v, err := r.VM.RunProgram(regexpProgram())
	if err != nil {
		panic(err)
	}
	install, ok := goja.AssertFunction(v)
	if !ok {
		panic("webapi: regexp.js is no function") // a constant program
	}
	x := &expressions{state: goja.NewSymbol("samkit.expression"), made: map[string]*compiled{}, proto: r.VM.NewObject()}
	r.regexps = x
	original := r.VM.Get("RegExp").(*goja.Object)
	ctor, _ := goja.AssertConstructor(original)
	standard := original.Get("prototype").(*goja.Object)
	x.repl, _ = goja.AssertFunction(standard.GetSymbol(goja.SymReplace))
	for _, flag := range []struct {
		name string
		has  func(*expression) bool
	}{{"hasIndices", func(e *expression) bool { return e.indices }}, {"unicodeSets", func(e *expression) bool { return e.sets }}} {
		get := r.Func("get "+flag.name, 0, func(c goja.FunctionCall) goja.Value {
			e := r.expressionOf(c.This)
			return r.VM.ToValue(e != nil && flag.has(e))
		})
		standard.DefineAccessorProperty(flag.name, get, nil, goja.FLAG_TRUE, goja.FLAG_FALSE)
	}
	x.proto.SetPrototype(standard)
	r.defineExpressions()
	r.Call(install, goja.Undefined(),
		r.Func("prepare", 2, func(c goja.FunctionCall) goja.Value {
			return r.prepareExpression(c.Argument(0).String(), c.Argument(0).(goja.String), c.Argument(1).String(), ctor)
		}),
		r.Func("dispatch", 3, func(c goja.FunctionCall) goja.Value {
			return r.dispatchExpression(c.Argument(0).String(), c.Argument(1), c.Argument(2).(*goja.Object))
		}))
}

// prepareExpression returns a new expression, or undefined if it is one for goja.
func (r *Realm) prepareExpression(source string, exact goja.String, flags string, ctor goja.Constructor) goja.Value {
	if !esregexp.Beyond(source, flags) && !strings.Contains(flags, "u") {
		return goja.Undefined()
	}
	x := r.regexps
	key := flags + "/" + source
	c := x.made[key]
	if c == nil || strings.Contains(source, "\ufffd") {
		program, err := esregexp.Compile(unitsOf(exact), flags)
		if err != nil {
			panic(r.NewError("SyntaxError", "Invalid regular expression: /"+source+"/"+flags+": "+err.Error()))
		}
		has := func(f string) bool { return strings.Contains(flags, f) }
		c = &compiled{ctor: ctor, expression: &expression{Program: program, source: source, flags: sortedFlags(flags),
			global: has("g"), sticky: has("y"), indices: has("d"), sets: has("v"), full: has("u")}}
		c.base, c.state = r.baseExpression(c), r.Wrap(c.expression, nil)
		if len(x.made) >= maxCompiled {
			clear(x.made)
		}
		x.made[key] = c
	}
	o, err := ctor(nil, c.base) // a copy
	if err != nil {
		panic(err)
	}
	o.SetPrototype(x.proto)
	o.DefineDataPropertySymbol(x.state, c.state, goja.FLAG_FALSE, goja.FLAG_FALSE, goja.FLAG_FALSE)
	return o
}

// baseExpression is one of goja's for the same pattern, if it takes that, for who calls methods of goja's on it.
func (r *Realm) baseExpression(c *compiled) *goja.Object {
	var flags strings.Builder
	for _, f := range c.flags {
		if strings.ContainsRune("gimsuy", f) {
			flags.WriteRune(f)
		}
	}
	for _, source := range []string{c.source, "(?!)"} {
		if source == c.source && strings.Contains(source, `\p`) {
			continue // goja takes it for something else
		}
		if o, err := c.ctor(nil, r.VM.ToValue(source), r.VM.ToValue(flags.String())); err == nil {
			return o
		}
	}
	panic(r.NewError("SyntaxError", "Invalid flags supplied to RegExp constructor '"+c.flags+"'"))
}

func sortedFlags(flags string) string {
	var b strings.Builder
	for _, f := range "dgimsuvy" {
		if strings.ContainsRune(flags, f) {
			b.WriteRune(f)
		}
	}
	return b.String()
}

// expressionOf returns what a value has of an expression of ours, or nil.
func (r *Realm) expressionOf(v goja.Value) *expression {
	o, ok := v.(*goja.Object)
	if !ok || r.regexps == nil {
		return nil
	}
	e, _ := jsrt.Unwrap(o.GetSymbol(r.regexps.state)).(*expression)
	return e
}

// defineExpressions defines what expressions of ours have of their own.
func (r *Realm) defineExpressions() {
	x := r.regexps
	this := func(v goja.Value) *expression {
		e := r.expressionOf(v)
		if e == nil {
			r.TypeError("Receiver is not a RegExp")
		}
		return e
	}
	x.exec = r.Func("exec", 1, func(c goja.FunctionCall) goja.Value {
		return r.execExpression(this(c.This), c.This.(*goja.Object), stringOf(r, c.Argument(0)))
	})
	jsrt.Hide(x.proto, "exec", x.exec)
	jsrt.Hide(x.proto, "test", r.Func("test", 1, func(c goja.FunctionCall) goja.Value {
		e, o, s := this(c.This), c.This.(*goja.Object), stringOf(r, c.Argument(0))
		if exec := o.Get("exec"); exec != x.exec {
			fn, ok := goja.AssertFunction(exec)
			if !ok {
				r.TypeError("exec is not a function")
			}
			return r.VM.ToValue(!goja.IsNull(r.Call(fn, o, s)))
		}
		return r.VM.ToValue(r.matchExpression(e, o, s) != nil)
	}))
	x.proto.DefineDataPropertySymbol(goja.SymReplace, r.Func("[Symbol.replace]", 2, func(c goja.FunctionCall) goja.Value {
		return r.replaceExpression(c)
	}), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
	for name, get := range expressionGetters {
		x.proto.DefineAccessorProperty(name, r.Func("get "+name, 0, func(c goja.FunctionCall) goja.Value {
			return r.VM.ToValue(get(this(c.This)))
		}), nil, goja.FLAG_TRUE, goja.FLAG_FALSE)
	}
}

var expressionGetters = map[string]func(*expression) any{
	"source":  func(e *expression) any { return shownSource(e.source) },
	"flags":   func(e *expression) any { return e.flags },
	"unicode": func(e *expression) any { return e.full },
}

// shownSource is EscapeRegExpPattern.
func shownSource(s string) string {
	if s == "" {
		return "(?:)"
	}
	var b strings.Builder
	class := false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\' && i+1 < len(s):
			b.WriteByte(c)
			i++
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '/' && !class:
			b.WriteByte('\\')
		}
		if s[i] == '\n' {
			b.WriteString(`\n`)
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// dispatchExpression returns a property of RegExp.prototype that knows expressions of both kinds, for
// classes that extend RegExp.
func (r *Realm) dispatchExpression(name string, original goja.Value, descriptor *goja.Object) goja.Value {
	theirs, _ := goja.AssertFunction(original)
	if get := expressionGetters[name]; get != nil {
		jsrt.Data(descriptor, "get", r.Func("get "+name, 0, func(c goja.FunctionCall) goja.Value {
			if e := r.expressionOf(c.This); e != nil {
				return r.VM.ToValue(get(e))
			}
			return r.Call(theirs, c.This)
		}))
		return descriptor
	}
	jsrt.Data(descriptor, "value", r.Func(name, 1, func(c goja.FunctionCall) goja.Value {
		e := r.expressionOf(c.This)
		switch o, _ := c.This.(*goja.Object); {
		case e == nil:
			return r.Call(theirs, c.This, c.Arguments...)
		case name == "exec":
			return r.execExpression(e, o, stringOf(r, c.Argument(0)))
		default:
			exec, ok := goja.AssertFunction(o.Get("exec"))
			if !ok {
				r.TypeError("exec is not a function")
			}
			return r.VM.ToValue(!goja.IsNull(r.Call(exec, o, stringOf(r, c.Argument(0)))))
		}
	}))
	return descriptor
}

// stringOf is ToString.
func stringOf(r *Realm, v goja.Value) goja.String {
	if s, ok := v.(goja.String); ok {
		return s
	}
	if s, ok := v.ToString().(goja.String); ok {
		return s
	}
	return r.VM.ToValue(v.String()).(goja.String)
}

// unitsOf copies a string.
func unitsOf(s goja.String) []uint16 {
	units := make([]uint16, s.Length())
	for i := range units {
		units[i] = s.CharAt(i)
	}
	return units
}

// unitsFor is unitsOf that remembers the last text: loops match one over and over.
func (r *Realm) unitsFor(s goja.String) []uint16 {
	x := r.regexps
	if x.text == nil || *(*[2]unsafe.Pointer)(unsafe.Pointer(&x.text)) != *(*[2]unsafe.Pointer)(unsafe.Pointer(&s)) {
		x.text, x.units = s, unitsOf(s)
	}
	return x.units
}

// find runs the engine. It throws if that takes too much.
func (r *Realm) find(p *esregexp.Program, text []uint16, from int, sticky bool) []int {
	var proceed func() bool
	if r.MaxMatch > 0 {
		start := time.Now()
		proceed = func() bool { return time.Since(start) < r.MaxMatch }
	}
	m, err := p.Match(text, from, sticky, proceed)
	switch {
	case errors.Is(err, esregexp.ErrStopped):
		r.RangeError("The regular expression takes too much time")
	case err != nil:
		r.RangeError("The regular expression takes too much memory")
	}
	return m
}

// matchExpression is RegExpBuiltinExec up to the places.
func (r *Realm) matchExpression(e *expression, o *goja.Object, s goja.String) []int {
	last := max(o.Get("lastIndex").ToInteger(), 0)
	if !e.global && !e.sticky {
		last = 0
	}
	set := func(i int) {
		if err := o.Set("lastIndex", i); err != nil {
			panic(err)
		}
	}
	if last > int64(s.Length()) {
		set(0)
		return nil
	}
	m := r.find(e.Program, r.unitsFor(s), int(last), e.sticky)
	switch {
	case !e.global && !e.sticky:
	case m == nil:
		set(0)
	default:
		set(m[1])
	}
	return m
}

func (r *Realm) execExpression(e *expression, o *goja.Object, s goja.String) goja.Value {
	m := r.matchExpression(e, o, s)
	if m == nil {
		return goja.Null()
	}
	values := capturesOf(s, m)
	list := make([]any, len(values))
	for i, v := range values {
		list[i] = v
	}
	result := r.VM.NewArray(list...)
	jsrt.Data(result, "index", r.VM.ToValue(m[0]))
	jsrt.Data(result, "input", s)
	jsrt.Data(result, "groups", r.groupsOf(e, m, func(i int) goja.Value { return values[i] }))
	if e.indices {
		places := make([]any, len(values))
		for i := range places {
			places[i] = goja.Undefined()
			if m[2*i] >= 0 {
				places[i] = r.VM.NewArray(m[2*i], m[2*i+1])
			}
		}
		indices := r.VM.NewArray(places...)
		jsrt.Data(indices, "groups", r.groupsOf(e, m, func(i int) goja.Value { return places[i].(goja.Value) }))
		jsrt.Data(result, "indices", indices)
	}
	return result
}

// capturesOf are the texts of a match.
func capturesOf(s goja.String, m []int) []goja.Value {
	values := make([]goja.Value, len(m)/2)
	for i := range values {
		values[i] = goja.Undefined()
		if m[2*i] >= 0 && m[2*i+1] >= 0 {
			values[i] = s.Substring(m[2*i], m[2*i+1])
		}
	}
	return values
}

// groupsOf is the groups of a match, or undefined if none has a name.
func (r *Realm) groupsOf(e *expression, m []int, value func(int) goja.Value) goja.Value {
	if len(e.GroupNames()) == 0 {
		return goja.Undefined()
	}
	groups := r.VM.CreateObject(nil)
	for _, name := range e.GroupNames() {
		jsrt.Data(groups, name, goja.Undefined())
	}
	for i, name := range e.Names() {
		if name != "" && m[2*i] >= 0 {
			jsrt.Data(groups, name, value(i))
		}
	}
	return groups
}
