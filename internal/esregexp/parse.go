package esregexp

import (
	"fmt"
	"slices"
	"sync"
	"unicode/utf16"
)

// A SyntaxError is why a pattern is none.
type SyntaxError struct{ Text string }

func (e *SyntaxError) Error() string { return e.Text }

// A node is part of a pattern.
type node interface{}

type (
	charNode struct {
		r    rune
		fold bool
	}
	setNode struct{ set runeSet } // closed, if case does not matter
	seqNode []node
	altNode []node
	group   struct {
		index int // 0: captures nothing
		body  node
	}
	repeat struct {
		body        node
		min, max    int // max < 0: no limit
		greedy      bool
		first, last int // groups inside, from first up to but not including last
	}
	assertion struct {
		kind opcode
		fold bool
	}
	look struct {
		body         node
		behind, fail bool
		first, last  int
	}
	backref struct {
		index int
		name  string
		fold  bool
	}
)

// maxDepth bounds how patterns nest: parsing and compiling recurse.
const maxDepth = 1000

type parser struct {
	src     []rune
	i       int
	u, v    bool // u: the flag u or v
	fold    bool
	multi   bool
	dotAll  bool
	groups  int // so far
	total   int // in the pattern, by the count before
	named   bool
	names   []namedGroup
	refs    []*backref
	path    []branch // the alternatives that enclose the place
	nextAlt int
	depth   int
}

// A branch is an alternative of a disjunction.
type branch struct{ disjunction, alternative int }

type namedGroup struct {
	name  string
	index int
	path  []branch
}

func (p *parser) fail(format string, args ...any) {
	panic(&SyntaxError{fmt.Sprintf(format, args...)})
}

func (p *parser) more() bool { return p.i < len(p.src) }

func (p *parser) peek() rune {
	if p.i < len(p.src) {
		return p.src[p.i]
	}
	return -1
}

func (p *parser) at(n int) rune {
	if p.i+n < len(p.src) {
		return p.src[p.i+n]
	}
	return -1
}

func (p *parser) eat(c rune) bool {
	if p.peek() == c {
		p.i++
		return true
	}
	return false
}

func (p *parser) eatText(s string) bool {
	for n, c := range []rune(s) {
		if p.at(n) != c {
			return false
		}
	}
	p.i += len(s)
	return true
}

// decode gives the characters of a pattern: code points with the flags u and v, code units without.
func decode(units []uint16, unicodeMode bool) []rune {
	out := make([]rune, 0, len(units))
	for i := 0; i < len(units); i++ {
		c := rune(units[i])
		if unicodeMode && utf16.IsSurrogate(c) && i+1 < len(units) {
			if r := utf16.DecodeRune(c, rune(units[i+1])); r != 0xfffd {
				c = r
				i++
			}
		}
		out = append(out, c)
	}
	return out
}

// count looks for capturing groups ahead of parsing, since escapes depend on them.
func (p *parser) count() {
	class := 0
	for i := 0; i < len(p.src); i++ {
		switch p.src[i] {
		case '\\':
			i++
		case '[':
			if class == 0 || p.v {
				class++
			}
		case ']':
			class = max(class-1, 0)
		case '(':
			if class > 0 {
				continue
			}
			if i+1 < len(p.src) && p.src[i+1] == '?' {
				if i+3 >= len(p.src) || p.src[i+2] != '<' || p.src[i+3] == '=' || p.src[i+3] == '!' {
					continue
				}
				p.named = true
			}
			p.total++
		}
	}
}

func (p *parser) pattern() node {
	p.count()
	n := p.disjunction()
	if p.more() {
		if p.peek() == ')' {
			p.fail("Unmatched ')'")
		}
		p.fail("Unexpected character")
	}
	for _, r := range p.refs {
		if !slices.ContainsFunc(p.names, func(g namedGroup) bool { return g.name == r.name }) {
			p.fail("Invalid named capture referenced")
		}
	}
	return n
}

func (p *parser) disjunction() node {
	if p.depth++; p.depth > maxDepth {
		p.fail("Regular expression too large")
	}
	defer func() { p.depth-- }()
	p.nextAlt++
	p.path = append(p.path, branch{p.nextAlt, 0})
	here := len(p.path) - 1
	alts := altNode{p.alternative()}
	for p.eat('|') {
		p.path = append(slices.Clone(p.path[:here]), branch{p.path[here].disjunction, len(alts)})
		alts = append(alts, p.alternative())
	}
	p.path = p.path[:here]
	if len(alts) == 1 {
		return alts[0]
	}
	return alts
}

func (p *parser) alternative() node {
	var seq seqNode
	for p.more() && p.peek() != '|' && p.peek() != ')' {
		seq = append(seq, p.term())
	}
	if len(seq) == 1 {
		return seq[0]
	}
	return seq
}

func (p *parser) term() node {
	first := p.groups + 1
	quantifiable := true
	var n node
	switch c := p.peek(); c {
	case '^':
		p.i++
		return assertion{kind: map[bool]opcode{false: opStart, true: opLineStart}[p.multi]}
	case '$':
		p.i++
		return assertion{kind: map[bool]opcode{false: opEnd, true: opLineEnd}[p.multi]}
	case '(':
		n, quantifiable = p.group()
	case '.':
		p.i++
		if p.dotAll {
			n = setNode{allSet}
		} else {
			n = setNode{lineSet.complement()}
		}
	case '[':
		n = p.class()
	case '\\':
		if b := p.at(1); b == 'b' || b == 'B' {
			p.i += 2
			return assertion{map[bool]opcode{true: opWordEdge, false: opNoWordEdge}[b == 'b'], p.fold && p.u}
		}
		n = p.atomEscape()
	case '*', '+', '?':
		p.fail("Nothing to repeat")
	case '{':
		if p.u {
			p.fail("Nothing to repeat")
		}
		if _, _, ok := p.braces(); ok {
			p.fail("Nothing to repeat")
		}
		p.i++
		n = charNode{c, p.fold}
	case '}', ']':
		if p.u {
			p.fail("Lone quantifier brackets")
		}
		p.i++
		n = charNode{c, p.fold}
	default:
		p.i++
		n = charNode{c, p.fold}
	}
	low, high, ok := p.quantifier()
	if !ok {
		return n
	}
	if !quantifiable {
		p.fail("Invalid quantifier")
	}
	if high >= 0 && low > high {
		p.fail("numbers out of order in {} quantifier")
	}
	return repeat{n, low, high, !p.eat('?'), first, p.groups + 1}
}

func (p *parser) quantifier() (low, high int, ok bool) {
	switch p.peek() {
	case '*':
		p.i++
		return 0, -1, true
	case '+':
		p.i++
		return 1, -1, true
	case '?':
		p.i++
		return 0, 1, true
	case '{':
		start := p.i
		if low, high, ok = p.braces(); !ok {
			if p.i = start; p.u {
				p.fail("Incomplete quantifier")
			}
		}
		return low, high, ok
	}
	return 0, 0, false
}

// braces reads {n}, {n,} or {n,m}.
func (p *parser) braces() (low, high int, ok bool) {
	start := p.i
	p.i++
	if low, ok = p.decimal(); !ok {
		p.i = start
		return
	}
	high = low
	if p.eat(',') {
		if high, ok = p.decimal(); !ok {
			high = -1
		}
	}
	if ok = p.eat('}'); !ok {
		p.i = start
	}
	return low, high, ok
}

// decimal reads a number; a large one is as good as the largest.
func (p *parser) decimal() (n int, ok bool) {
	for ; p.peek() >= '0' && p.peek() <= '9'; p.i++ {
		n, ok = min(n*10+int(p.peek()-'0'), 1<<30), true
	}
	return n, ok
}

func (p *parser) group() (n node, quantifiable bool) {
	p.i++
	fold, multi, dotAll := p.fold, p.multi, p.dotAll
	index, first := 0, p.groups+1
	var l *look
	switch {
	case !p.eat('?'):
		p.groups++
		index = p.groups
	case p.eat(':'):
	case p.eat('='):
		l = &look{}
	case p.eat('!'):
		l = &look{fail: true}
	case p.eatText("<="):
		l = &look{behind: true}
	case p.eatText("<!"):
		l = &look{behind: true, fail: true}
	case p.eat('<'):
		p.groups++
		index = p.groups
		p.name(index)
	default:
		p.modifiers()
	}
	body := p.disjunction()
	if !p.eat(')') {
		p.fail("Unterminated group")
	}
	p.fold, p.multi, p.dotAll = fold, multi, dotAll
	if l != nil {
		l.body, l.first, l.last = body, first, p.groups+1
		return *l, !p.u && !l.behind
	}
	return group{index, body}, true
}

// modifiers reads what stands in (?i-m: before the colon.
func (p *parser) modifiers() {
	seen, minus := map[rune]bool{}, false
	for {
		c := p.peek()
		switch {
		case c == ':' && len(seen) > 0:
			p.i++
			return
		case c == '-' && !minus:
			minus = true
		case (c == 'i' || c == 'm' || c == 's') && !seen[c]:
			seen[c] = true
			switch c {
			case 'i':
				p.fold = !minus
			case 'm':
				p.multi = !minus
			case 's':
				p.dotAll = !minus
			}
		default:
			p.fail("Invalid group")
		}
		p.i++
	}
}

// name notes the name of a group. It may stand twice if no match can have both.
func (p *parser) name(index int) {
	g := namedGroup{p.groupName(), index, slices.Clone(p.path)}
	for _, other := range p.names {
		if other.name == g.name && !apart(other.path, g.path) {
			p.fail("Duplicate capture group name")
		}
	}
	p.names = append(p.names, g)
}

// apart reports whether two places are in different alternatives of a disjunction.
func apart(a, b []branch) bool {
	for _, x := range a {
		for _, y := range b {
			if x.disjunction == y.disjunction && x.alternative != y.alternative {
				return true
			}
		}
	}
	return false
}

// groupName reads a name up to >.
func (p *parser) groupName() string {
	var name []rune
	for {
		c := p.peek()
		p.i++
		switch {
		case c == -1:
			p.fail("Invalid capture group name")
		case c == '>' && len(name) > 0:
			return string(name)
		case c == '\\':
			if !p.eat('u') {
				p.fail("Invalid Unicode escape")
			}
			if c = p.unicodeEscape(true); c < 0 {
				p.fail("Invalid Unicode escape")
			}
		case utf16.IsSurrogate(c):
			if r := utf16.DecodeRune(c, p.peek()); r != 0xfffd {
				c = r
				p.i++
			}
		}
		if c != '$' && !identifier().has(c) && !(len(name) == 0 && (c == '_' || identifierStart().has(c))) && c != '_' || len(name) == 0 && c != '$' && c != '_' && !identifierStart().has(c) {
			p.fail("Invalid capture group name")
		}
		name = append(name, c)
	}
}

var (
	identifierStart = sync.OnceValue(func() runeSet { s, _ := propertySet("ID_Start"); return s })
	identifier      = sync.OnceValue(func() runeSet { s, _ := propertySet("ID_Continue"); return s.union(runeSet{{0x200c, 0x200d}}) })
)
