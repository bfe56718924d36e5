package webapi

import (
	"strconv"

	"github.com/dop251/goja"

	"samkit.dev/internal/jsrt"
)

// urlPatternGlobals is URLPattern, of https://urlpattern.spec.whatwg.org.
var urlPatternGlobals = []global{class("URLPattern", (*Realm).urlPatternClass)}

// A urlPattern is what a URLPattern carries.
type urlPattern [fieldCount]*patternComponent

func (p *urlPattern) hasRegExp() bool {
	for _, c := range p {
		if c.regexp != nil {
			return true
		}
	}
	return false
}

// newURLPattern is "create" of a URL pattern from its initializer.
func (r *Realm) newURLPattern(in *patternInit, ignoreCase bool) (*urlPattern, error) {
	init, err := in.process(true)
	if err != nil {
		return nil, err
	}
	for f := range fieldCount {
		if !init.has[f] {
			init.set(f, "*")
		}
	}
	if port, special := specialPort(init.value[fieldProtocol]); special && init.value[fieldPort] == strconv.Itoa(port) {
		init.value[fieldPort] = ""
	}
	encoders := [fieldCount]encoder{
		canonicalProtocol, canonicalUserinfo, canonicalUserinfo, canonicalHostname,
		canonicalAnyPort, canonicalOpaquePathname, canonicalSearch, canonicalHash,
	}
	p := &urlPattern{}
	for f := range fieldCount {
		opts, encode := &patternOptions{}, encoders[f]
		switch f {
		case fieldHostname:
			opts.delimiter = "."
			if isIPv6Pattern(init.value[f]) {
				encode = canonicalIPv6
			}
		case fieldPathname:
			opts.ignoreCase = ignoreCase
			if r.matchesSpecial(p[fieldProtocol]) {
				opts.delimiter, opts.prefix = "/", "/"
				encode = canonicalPathname
			}
		case fieldSearch, fieldHash:
			opts.ignoreCase = ignoreCase
		}
		if p[f], err = r.compilePattern(init.value[f], encode, opts); err != nil {
			return nil, &patternError{f, init.value[f], err}
		}
	}
	return p, nil
}

// A patternError is a component that is no pattern.
type patternError struct {
	field patternField
	value string
	err   error
}

func (e *patternError) Error() string {
	value := e.value
	if len(value) > 200 {
		value = value[:200] + "…"
	}
	return "the " + fieldNames[e.field] + " " + strconv.Quote(value) + " is invalid: " + e.err.Error()
}

func isIPv6Pattern(s string) bool {
	return len(s) >= 2 && (s[0] == '[' || (s[0] == '{' || s[0] == '\\') && s[1] == '[')
}

// readInit reads a URLPatternInit.
func (r *Realm) readInit(v goja.Value) *patternInit {
	in := &patternInit{}
	o := r.dictionary(v, "The input")
	if s := member(o, "baseURL"); s != nil {
		in.base, in.hasBase = r.str(s), true
	}
	for f, name := range fieldNames {
		if s := member(o, name); s != nil {
			in.set(patternField(f), r.str(s))
		}
	}
	return in
}

// isInit reports whether v is a URLPatternInit and no string.
func isInit(v goja.Value) bool {
	_, ok := v.(*goja.Object)
	return ok || !jsrt.Defined(v)
}

func (r *Realm) constructURLPattern(c goja.ConstructorCall) any {
	input, second, options := c.Argument(0), c.Argument(1), c.Argument(2)
	base, hasBase := "", false
	if len(c.Arguments) < 3 && isInit(second) {
		options = second
	} else {
		base, hasBase = r.str(second), true
	}
	ignoreCase := flag(r.dictionary(options, "The options"), "ignoreCase")
	fail := func(err error) { r.TypeError("Failed to construct 'URLPattern': %s", err.Error()) }
	var in *patternInit
	if isInit(input) {
		if hasBase {
			r.TypeError("Failed to construct 'URLPattern': a base URL goes into the initializer, not beside it")
		}
		in = r.readInit(input)
	} else {
		text := r.str(input)
		var err error
		if in, err = r.parseConstructor(text); err != nil {
			fail(err)
		}
		if !hasBase && !in.has[fieldProtocol] {
			r.TypeError("Failed to construct 'URLPattern': a relative pattern needs a base URL")
		}
		in.base, in.hasBase = base, hasBase
	}
	p, err := r.newURLPattern(in, ignoreCase)
	if err != nil {
		fail(err)
	}
	return p
}

// components returns the components of what is to be matched; ok is false for what is no URL.
// inputs are the arguments as a result has them.
func (r *Realm) patternInput(f goja.FunctionCall) (parts [fieldCount]string, inputs []any, ok bool) {
	input, base := f.Argument(0), f.Argument(1)
	if isInit(input) {
		if !goja.IsUndefined(base) {
			r.TypeError("A base URL goes into the initializer, not beside it.")
		}
		in := r.readInit(input)
		out, err := in.process(false)
		if err != nil {
			return parts, nil, false
		}
		return out.value, []any{r.initObject(in)}, true
	}
	text := r.str(input)
	inputs = []any{text}
	var from *urlRecord
	if !goja.IsUndefined(base) {
		b := r.str(base)
		var err error
		if from, err = parseURL(b, nil); err != nil {
			return parts, nil, false
		}
		inputs = append(inputs, b)
	}
	u, err := parseURL(text, from)
	if err != nil {
		return parts, nil, false
	}
	search, hash := u.search(), u.hash()
	return [fieldCount]string{
		u.scheme(), u.username(), u.password(), u.hostname(), u.portText(), u.pathname(), search[min(1, len(search)):], hash[min(1, len(hash)):],
	}, inputs, true
}

func (r *Realm) initObject(in *patternInit) *goja.Object {
	o := r.VM.NewObject()
	for f, name := range fieldNames {
		if in.has[f] {
			jsrt.Data(o, name, r.VM.ToValue(in.value[f]))
		}
	}
	if in.hasBase {
		jsrt.Data(o, "baseURL", r.VM.ToValue(in.base))
	}
	return o
}

func (r *Realm) urlPatternClass() *jsrt.Class {
	return r.Class("URLPattern", 0, r.constructURLPattern, func(c *jsrt.Class) {
		this := func(v goja.Value) *urlPattern { return jsrt.This[*urlPattern](r.Runtime, v) }
		for f, name := range fieldNames {
			c.Getter(name, func(v goja.Value) goja.Value { return r.VM.ToValue(this(v)[f].pattern) })
		}
		c.Getter("hasRegExpGroups", func(v goja.Value) goja.Value { return r.VM.ToValue(this(v).hasRegExp()) })
		c.Method("test", 0, func(f goja.FunctionCall) goja.Value {
			p := this(f.This)
			parts, _, ok := r.patternInput(f)
			for k := 0; ok && k < len(p); k++ {
				_, ok = r.matchComponent(p[k], parts[k])
			}
			return r.VM.ToValue(ok)
		})
		c.Method("exec", 0, func(f goja.FunctionCall) goja.Value {
			p := this(f.This)
			parts, inputs, ok := r.patternInput(f)
			var matches [fieldCount]componentMatch
			for k := 0; ok && k < len(p); k++ {
				matches[k], ok = r.matchComponent(p[k], parts[k])
			}
			if !ok {
				return goja.Null()
			}
			result := r.VM.NewObject()
			jsrt.Data(result, "inputs", r.VM.NewArray(inputs...))
			for k, name := range fieldNames {
				o := r.VM.NewObject()
				jsrt.Data(o, "input", r.VM.ToValue(parts[k]))
				jsrt.Data(o, "groups", r.patternGroups(p[k], &matches[k]))
				jsrt.Data(result, name, o)
			}
			return result
		})
	})
}
