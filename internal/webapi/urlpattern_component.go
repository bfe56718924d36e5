package webapi

import (
	"errors"
	"strconv"
	"strings"

	"github.com/dop251/goja"

	"samkit.dev/internal/jsrt"
)

// A patternComponent is a compiled component. Exactly one of regexp and matcher is set.
type patternComponent struct {
	pattern string // normalized
	names   []string
	regexp  *goja.Object
	matcher *patternMatcher
}

// maxPattern is the longest pattern of a component, in bytes.
const maxPattern = 64 << 10

var errLong = errors.New("it is too long")

// compilePattern is "compile a component". Only a pattern with an expression of its own gets
// a RegExp; the others have a matcher that can't take for ever.
func (r *Realm) compilePattern(in string, encode encoder, opts *patternOptions) (*patternComponent, error) {
	if len(in) > maxPattern {
		return nil, errLong
	}
	parts, err := parsePattern(in, opts, encode)
	if err != nil {
		return nil, err
	}
	c := &patternComponent{pattern: generatePattern(parts, opts)}
	own := false
	for i := range parts {
		if parts[i].kind != partText {
			c.names = append(c.names, parts[i].name)
		}
		own = own || parts[i].kind == partRegExp
	}
	if !own {
		c.matcher = newPatternMatcher(parts, opts)
		return c, nil
	}
	c.regexp, err = r.patternRegExp(generateRegExp(parts, opts), opts.ignoreCase)
	return c, err
}

var errRegExp = errors.New("it has an invalid regular expression")

// patternRegExp makes a RegExp with the flag v or, where the engine has none, u.
func (r *Realm) patternRegExp(source string, ignoreCase bool) (*goja.Object, error) {
	if strings.Contains(source, `\p`) || strings.Contains(source, `\P`) {
		r.completeRegExp()
	}
	ctor := r.VM.Get("RegExp")
	fold := ""
	if ignoreCase {
		fold = "i"
	}
	for _, flag := range []string{"v", "u"} {
		o, err := r.VM.New(ctor, r.VM.ToValue(source), r.VM.ToValue(flag+fold))
		var ex *goja.Exception
		switch {
		case err == nil:
			return o, nil
		case !errors.As(err, &ex):
			panic(err) // the engine was interrupted
		}
	}
	return nil, errRegExp
}

// A componentMatch is what a component matched.
type componentMatch struct {
	input string
	caps  []int        // of a matcher
	exec  *goja.Object // of a regular expression
}

func (r *Realm) matchComponent(c *patternComponent, s string) (m componentMatch, ok bool) {
	m.input = s
	if c.regexp != nil {
		v := r.call(regExpExec, c.regexp, r.VM.ToValue(s))
		m.exec, ok = v.(*goja.Object)
		return m, ok
	}
	if c.matcher.tooLong(s) {
		r.TypeError("The URL is too long for this URLPattern.")
	}
	if len(c.names) > 0 {
		m.caps = make([]int, 2*len(c.names))
		for i := range m.caps {
			m.caps[i] = -1
		}
	}
	return m, c.matcher.match(s, m.caps)
}

// groups makes the groups of a result: a group that took no part is undefined.
func (r *Realm) patternGroups(c *patternComponent, m *componentMatch) *goja.Object {
	o := r.VM.NewObject()
	for i, name := range c.names {
		v := goja.Undefined()
		switch {
		case m.exec != nil:
			if g := m.exec.Get(strconv.Itoa(i + 1)); g != nil {
				v = g
			}
		case m.caps[2*i] >= 0 && m.caps[2*i+1] >= 0:
			v = r.VM.ToValue(m.input[m.caps[2*i]:m.caps[2*i+1]])
		}
		jsrt.Data(o, name, v)
	}
	return o
}

// matchesSpecial is "protocol component matches a special scheme".
func (r *Realm) matchesSpecial(c *patternComponent) bool {
	for _, scheme := range [...]string{"http", "https", "ws", "wss", "ftp", "file"} {
		if _, ok := r.matchComponent(c, scheme); ok {
			return true
		}
	}
	return false
}
