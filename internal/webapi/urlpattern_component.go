package webapi

import (
	"errors"
	"unicode/utf16"

	"github.com/dop251/goja"

	"samkit.dev/internal/esregexp"
	"samkit.dev/internal/jsrt"
)

// A patternComponent is a compiled component. Exactly one of regexp and matcher is set.
type patternComponent struct {
	pattern string // normalized
	names   []string
	regexp  *esregexp.Program
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

// patternRegExp compiles an expression, with the flag v as the standard says.
func (r *Realm) patternRegExp(source string, ignoreCase bool) (*esregexp.Program, error) {
	flags := "v"
	if ignoreCase {
		flags = "iv"
	}
	p, err := esregexp.Compile(utf16.Encode([]rune(source)), flags)
	if err != nil {
		return nil, errRegExp
	}
	return p, nil
}

// A componentMatch is what a component matched.
type componentMatch struct {
	input string
	caps  []int    // of a matcher
	units []uint16 // the input, for a regular expression
	found []int    // places in units, and those of the groups
}

func (r *Realm) matchComponent(c *patternComponent, s string) (m componentMatch, ok bool) {
	m.input = s
	if c.regexp != nil {
		m.units = utf16.Encode([]rune(s))
		m.found = r.find(c.regexp, m.units, 0, false)
		return m, m.found != nil
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
		case m.found != nil:
			if from, to := m.found[2*i+2], m.found[2*i+3]; from >= 0 {
				v = r.VM.ToValue(string(utf16.Decode(m.units[from:to])))
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
