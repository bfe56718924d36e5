package htmlrewrite

import (
	"errors"
	"strconv"
	"strings"
)

// What can be wrong with a selector, in lol-html's words.
var (
	errEmpty      = errors.New("The selector is empty.")
	errDangling   = errors.New("Dangling combinator in selector.")
	errPseudo     = errors.New("Unsupported pseudo-class or pseudo-element in selector.")
	errNamespace  = errors.New("Selectors with explicit namespaces are not supported.")
	errClass      = errors.New("Invalid or unescaped class name in selector.")
	errUnexpected = errors.New("Unexpected token in selector.")
	errAttribute  = errors.New("Unexpected token in the attribute selector.")
	errLong       = errors.New("The selector is too long.")
)

// maxSelector is the longest selector, in bytes.
const maxSelector = 64 << 10

// ParseSelector parses a list of selectors: *, E, E F, E > F, :nth-child, :first-child,
// :nth-of-type, :first-of-type, :not, classes, ids and attributes.
func ParseSelector(s string) (*Selector, error) {
	if len(s) > maxSelector {
		return nil, errLong
	}
	p := selectorParser{in: s}
	sel := &Selector{}
	for {
		c, err := p.complex()
		if err != nil {
			return nil, err
		}
		sel.list = append(sel.list, *c)
		if p.end() {
			return sel, nil
		}
		if p.in[p.pos] != ',' {
			return nil, errUnexpected
		}
		p.pos++
	}
}

type selectorParser struct {
	in    string
	pos   int
	depth int // of :not
}

func (p *selectorParser) end() bool { return p.pos >= len(p.in) }

// at returns the byte there, or 0.
func (p *selectorParser) at(i int) byte {
	if p.pos+i < len(p.in) {
		return p.in[p.pos+i]
	}
	return 0
}

func (p *selectorParser) space() (any bool) {
	for !p.end() {
		switch {
		case isSpace(p.at(0)):
			p.pos++
		case strings.HasPrefix(p.in[p.pos:], "/*"):
			n := strings.Index(p.in[p.pos+2:], "*/")
			if n < 0 {
				p.pos = len(p.in)
			} else {
				p.pos += n + 4
			}
			continue
		default:
			return any
		}
		any = true
	}
	return any
}

// complex parses compounds up to a comma or the end.
func (p *selectorParser) complex() (*complexSelector, error) {
	c := &complexSelector{}
	p.space()
	child := false
	for {
		part, err := p.compound()
		if err != nil {
			if err == errEmpty && len(c.parts) > 0 {
				err = errDangling
			}
			return nil, err
		}
		c.parts, c.child = append(c.parts, *part), append(c.child, child)
		spaced := p.space()
		switch p.at(0) {
		case '>':
			p.pos++
			p.space()
			child = true
		case '+', '~':
			return nil, errors.New("Unsupported combinator `" + p.in[p.pos:p.pos+1] + "` in selector.")
		case 0, ',', ')':
			return c, nil
		default:
			if !spaced {
				return nil, errUnexpected
			}
			child = false
		}
	}
}

func (p *selectorParser) compound() (*compound, error) {
	c := &compound{}
	from := p.pos
	if p.at(0) == '*' {
		p.pos++
	} else if name, ok := p.ident(); ok {
		c.name = strings.ToLower(name)
	}
	if p.at(0) == '|' && p.at(1) != '=' {
		if p.in[from:p.pos] != "*" {
			return nil, errNamespace
		}
		p.pos++
		if p.at(0) == '*' {
			p.pos++
		} else if name, ok := p.ident(); ok {
			c.name = strings.ToLower(name)
		} else {
			return nil, errUnexpected
		}
	}
	for {
		var cond condition
		var err error
		switch p.at(0) {
		case '#':
			p.pos++
			name, ok := p.ident()
			if !ok {
				return nil, errEmpty
			}
			cond = attrTest{name: "id", value: name, op: '='}
		case '.':
			p.pos++
			name, ok := p.ident()
			if !ok {
				if isDigitByte(p.at(0)) {
					return nil, errEmpty
				}
				return nil, errClass
			}
			cond = attrTest{name: "class", value: name, op: '~'}
		case '[':
			p.pos++
			cond, err = p.attribute()
		case ':':
			p.pos++
			cond, err = p.pseudo()
		default:
			if p.pos == from {
				return nil, errEmpty
			}
			return c, nil
		}
		if err != nil {
			return nil, err
		}
		c.cond = append(c.cond, cond)
	}
}

func (p *selectorParser) attribute() (condition, error) {
	p.space()
	name, ok := p.ident()
	if !ok {
		return nil, errAttribute
	}
	if p.at(0) == '|' && p.at(1) != '=' {
		return nil, errNamespace
	}
	p.space()
	t := attrTest{name: strings.ToLower(name)}
	switch c := p.at(0); c {
	case 0, ']':
		p.pos++
		return t, nil
	case '=':
		t.op = '='
		p.pos++
	case '^', '$', '*', '|', '~':
		if p.at(1) != '=' {
			return nil, errAttribute
		}
		t.op = c
		p.pos += 2
	default:
		return nil, errAttribute
	}
	p.space()
	if q := p.at(0); q == '"' || q == '\'' {
		t.value, ok = p.quoted()
	} else {
		t.value, ok = p.ident()
	}
	if !ok {
		return nil, errAttribute
	}
	p.space()
	if flag, ok := p.ident(); ok {
		switch strings.ToLower(flag) {
		case "i":
			t.fold = true
		case "s":
		default:
			return nil, errUnexpected
		}
		p.space()
	} else if t.op == '=' && t.name == "type" { // its values are compared so in HTML
		t.fold = true
	}
	if p.at(0) != ']' && !p.end() {
		return nil, errUnexpected
	}
	p.pos++
	return t, nil
}

// maxNot is how deep :not may be nested.
const maxNot = 16

func (p *selectorParser) pseudo() (condition, error) {
	name, ok := p.ident()
	if !ok {
		return nil, errPseudo
	}
	name = strings.ToLower(name)
	if p.at(0) != '(' {
		switch name {
		case "first-child":
			return nth{offset: 1}, nil
		case "first-of-type":
			return nth{offset: 1, ofType: true}, nil
		}
		return nil, errPseudo
	}
	p.pos++
	switch name {
	case "nth-child", "nth-of-type":
		n := strings.IndexByte(p.in[p.pos:], ')')
		if n < 0 {
			n = len(p.in) - p.pos
		}
		c, ok := parseNth(p.in[p.pos : p.pos+n])
		if !ok {
			return nil, errUnexpected
		}
		p.pos += n + 1
		c.ofType = name == "nth-of-type"
		return c, nil
	case "not":
		return p.not()
	}
	return nil, errPseudo
}

func (p *selectorParser) not() (condition, error) {
	if p.depth++; p.depth > maxNot {
		return nil, errLong
	}
	defer func() { p.depth-- }()
	var n not
	for {
		c, err := p.complex()
		if err != nil {
			return nil, err
		}
		if len(c.parts) > 1 {
			return nil, errUnexpected
		}
		n.list = append(n.list, c.parts[0])
		switch {
		case p.at(0) == ',':
			p.pos++
			continue
		case p.at(0) == ')' || p.end():
			p.pos++
			return n, nil
		}
		return nil, errUnexpected
	}
}

// parseNth parses "odd", "even" and An+B.
func parseNth(s string) (nth, bool) {
	s = strings.ToLower(strings.Join(strings.Fields(s), ""))
	switch s {
	case "odd":
		return nth{step: 2, offset: 1}, true
	case "even":
		return nth{step: 2}, true
	}
	const most = 1 << 30
	number := func(s string) (int, bool) {
		n, err := strconv.Atoi(s)
		return max(min(n, most), -most), err == nil
	}
	a, b, found := strings.Cut(s, "n")
	if !found {
		n, ok := number(s)
		return nth{offset: n}, ok
	}
	c, ok := nth{}, true
	switch a {
	case "", "+":
		c.step = 1
	case "-":
		c.step = -1
	default:
		c.step, ok = number(a)
	}
	if b != "" && ok {
		if b[0] != '+' && b[0] != '-' {
			return c, false
		}
		c.offset, ok = number(b)
	}
	return c, ok
}
