package htmlrewrite

import (
	"bytes"
	"strings"
)

// A Selector is a list of CSS selectors, of the kinds that can be decided at a start tag.
type Selector struct {
	list []complexSelector
}

// A complexSelector is compounds, outer ones first.
type complexSelector struct {
	parts []compound
	child []bool // parts[i] is a child of parts[i-1], not just a descendant
}

// A compound is the conditions on one element.
type compound struct {
	name string // in lower case; "" for any
	cond []condition
}

type condition interface {
	holds(e *candidate) bool
}

// A candidate is an element that is about to be matched.
type candidate struct {
	name  string
	tok   *token
	index int // among its siblings, from 1
	typed int // among its siblings of the same name, from 1
}

// attr returns the value of an attribute.
func (e *candidate) attr(name string) ([]byte, bool) {
	for i := range e.tok.attrs {
		if a := &e.tok.attrs[i]; equalFold(a.name.of(e.tok.raw), name) {
			return a.value.of(e.tok.raw), true
		}
	}
	return nil, false
}

func (c *compound) matches(e *candidate) bool {
	if c.name != "" && c.name != e.name {
		return false
	}
	for _, cond := range c.cond {
		if !cond.holds(e) {
			return false
		}
	}
	return true
}

// usesTypes reports whether any condition asks for the index among siblings of a name.
func (c *compound) usesTypes() bool {
	for _, cond := range c.cond {
		switch cond := cond.(type) {
		case nth:
			if cond.ofType {
				return true
			}
		case not:
			for i := range cond.list {
				if cond.list[i].usesTypes() {
					return true
				}
			}
		}
	}
	return false
}

// not is :not(…): none of the compounds matches.
type not struct{ list []compound }

func (n not) holds(e *candidate) bool {
	for i := range n.list {
		if n.list[i].matches(e) {
			return false
		}
	}
	return true
}

// nth is :nth-child and its like: the index is step*n+offset for some n ≥ 0.
type nth struct {
	step, offset int
	ofType       bool
}

func (n nth) holds(e *candidate) bool {
	index := e.index
	if n.ofType {
		index = e.typed
	}
	index -= n.offset
	if n.step == 0 {
		return index == 0
	}
	return index%n.step == 0 && index/n.step >= 0
}

// attrTest is [name], or [name op value] with the operator's first character as op.
type attrTest struct {
	name, value string
	op          byte // 0: the attribute is there
	fold        bool
}

func (t attrTest) holds(e *candidate) bool {
	v, ok := e.attr(t.name)
	if !ok || t.op == 0 {
		return ok
	}
	value := t.value
	if t.fold {
		v, value = bytes.ToLower(v), strings.ToLower(value)
	}
	switch t.op {
	case '=':
		return string(v) == value
	case '^':
		return bytes.HasPrefix(v, []byte(value))
	case '$':
		return bytes.HasSuffix(v, []byte(value))
	case '*':
		return value != "" && bytes.Contains(v, []byte(value))
	case '|':
		return string(v) == value || bytes.HasPrefix(v, []byte(value+"-"))
	case '~':
		for value != "" && len(v) > 0 {
			n := bytes.IndexFunc(v, func(c rune) bool { return c < 0x80 && isSpace(byte(c)) })
			if n < 0 {
				n = len(v)
			}
			if string(v[:n]) == value {
				return true
			}
			v = v[min(n+1, len(v)):]
		}
	}
	return false
}
