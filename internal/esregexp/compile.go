package esregexp

import (
	"errors"
	"strings"
)

type opcode uint8

const (
	opChar       opcode = iota // r
	opSet                      // set
	opLoop                     // a to b times set, greedy or not
	opSplit                    // try a, then b
	opJump                     // a
	opSave                     // register a := position
	opClear                    // the captures a to b-1 are undefined
	opZero                     // register a := 0
	opRepeat                   // of the loop in loops[a]
	opCheck                    // fail if the position is that of register a (and register b does not say that it must not)
	opLook                     // run what follows up to opDone; go on at a
	opRef                      // one of the captures refs
	opDone                     // the pattern or what is looked for matches
	opStart                    // ^
	opLineStart                // ^ with m
	opEnd                      // $
	opLineEnd                  // $ with m
	opWordEdge                 // \b
	opNoWordEdge               // \B
)

type instruction struct {
	op           opcode
	back         bool // the text is read backwards
	fold         bool
	fail, greedy bool
	r            rune
	a, b         int
	set          *matcherSet
	refs         []int
}

// A loop is a repetition that counts.
type loop struct {
	min, max    int // max < 0: no limit
	greedy      bool
	count       int // the register
	body, after int // where they begin
}

// A Program is a compiled pattern.
type Program struct {
	code      []instruction
	loops     []loop
	captures  int // with that of the whole match
	registers int
	names     []string // of the captures
	order     []string // names as they stand in the pattern
	unicode   bool
	prefix    *matcherSet // what a match begins with, or nil
}

// Names are the names of the captures, "" for those that have none; that of the whole match is among them.
func (p *Program) Names() []string { return p.names }

// GroupNames are the names that there are, in order, each once.
func (p *Program) GroupNames() []string { return p.order }

// Unicode reports whether the pattern is one of code points: it has the flag u or v.
func (p *Program) Unicode() bool { return p.unicode }

// Compile compiles a pattern of UTF-16 units. The error is a *[SyntaxError].
func Compile(pattern []uint16, flags string) (_ *Program, err error) {
	for i, f := range flags {
		if !strings.ContainsRune("dgimsuvy", f) || strings.ContainsRune(flags[i+1:], f) {
			return nil, &SyntaxError{"Invalid flags supplied to RegExp constructor '" + flags + "'"}
		}
	}
	has := func(f string) bool { return strings.Contains(flags, f) }
	if has("u") && has("v") {
		return nil, &SyntaxError{"Invalid flags supplied to RegExp constructor '" + flags + "'"}
	}
	defer func() {
		if x := recover(); x != nil {
			e, ok := x.(error)
			var syntax *SyntaxError
			if !ok || !errors.As(e, &syntax) {
				panic(x)
			}
			err = syntax
		}
	}()
	unicodeMode := has("u") || has("v")
	p := &parser{src: decode(pattern, unicodeMode), u: unicodeMode, v: has("v"), fold: has("i"), multi: has("m"), dotAll: has("s")}
	tree := p.pattern()
	c := &compiler{Program: Program{captures: p.groups + 1, unicode: unicodeMode, names: make([]string, p.groups+1)}, groups: p.names}
	c.registers = 2 * c.captures
	for _, g := range p.names {
		c.names[g.index] = g.name
		if first := c.named(g.name)[0]; first == g.index {
			c.order = append(c.order, g.name)
		}
	}
	c.emit(instruction{op: opSave, a: 0})
	c.node(tree, false)
	c.emit(instruction{op: opSave, a: 1})
	c.emit(instruction{op: opDone})
	c.prefix = c.begins()
	return &c.Program, nil
}

// begins is what every match begins with, or nil if that is not plain.
func (p *Program) begins() *matcherSet {
	i := 0
	for p.code[i].op == opSave {
		i++
	}
	switch first := p.code[i]; {
	case first.op == opSet, first.op == opLoop && first.a > 0:
		return first.set
	case first.op == opChar:
		return newMatcherSet(runeSet{{first.r, first.r}})
	}
	return nil
}

type compiler struct {
	Program
	groups []namedGroup
}

func (c *compiler) emit(i instruction) int {
	c.code = append(c.code, i)
	if len(c.code) > maxCode {
		panic(&SyntaxError{"Regular expression too large"})
	}
	return len(c.code) - 1
}

// maxCode bounds a program.
const maxCode = 1 << 20

func (c *compiler) register() int {
	c.registers++
	return c.registers - 1
}

func (c *compiler) named(name string) (list []int) {
	for _, g := range c.groups {
		if g.name == name {
			list = append(list, g.index)
		}
	}
	return list
}

// node compiles n, to be matched backwards inside a look-behind.
func (c *compiler) node(n node, back bool) {
	switch n := n.(type) {
	case nil:
	case charNode:
		c.char(n, back)
	case setNode:
		c.emit(instruction{op: opSet, set: newMatcherSet(n.set), back: back})
	case seqNode:
		for i := range n {
			if back {
				i = len(n) - 1 - i
			}
			c.node(n[i], back)
		}
	case altNode:
		c.alternatives(n, back)
	case group:
		c.group(n, back)
	case repeat:
		c.repeat(n, back)
	case assertion:
		c.emit(instruction{op: n.kind, fold: n.fold})
	case look:
		at := c.emit(instruction{op: opLook, fail: n.fail})
		c.node(n.body, n.behind)
		c.emit(instruction{op: opDone})
		c.code[at].a = len(c.code)
	case *backref:
		refs := []int{n.index}
		if n.name != "" {
			refs = c.named(n.name)
		}
		c.emit(instruction{op: opRef, refs: refs, fold: n.fold, back: back})
	}
}

func (c *compiler) char(n charNode, back bool) {
	if n.fold {
		if s := (runeSet{{n.r, n.r}}).closed(c.unicode); len(s) > 1 || s[0][0] != s[0][1] {
			c.emit(instruction{op: opSet, set: newMatcherSet(s), back: back})
			return
		}
	}
	c.emit(instruction{op: opChar, r: n.r, back: back})
}

func (c *compiler) alternatives(n altNode, back bool) {
	var ends []int
	for i, alt := range n {
		if i == len(n)-1 {
			c.node(alt, back)
			break
		}
		split := c.emit(instruction{op: opSplit})
		c.code[split].a = len(c.code)
		c.node(alt, back)
		ends = append(ends, c.emit(instruction{op: opJump}))
		c.code[split].b = len(c.code)
	}
	for _, e := range ends {
		c.code[e].a = len(c.code)
	}
}

func (c *compiler) group(n group, back bool) {
	if n.index == 0 {
		c.node(n.body, back)
		return
	}
	begin, end := 2*n.index, 2*n.index+1
	if back {
		begin, end = end, begin
	}
	c.emit(instruction{op: opSave, a: begin})
	c.node(n.body, back)
	c.emit(instruction{op: opSave, a: end})
}

func (c *compiler) repeat(n repeat, back bool) {
	if n.max == 0 {
		return
	}
	if set := single(n.body, c.unicode); set != nil {
		c.emit(instruction{op: opLoop, set: newMatcherSet(set), a: n.min, b: n.max, greedy: n.greedy, back: back})
		return
	}
	clear := func() {
		if n.last > n.first {
			c.emit(instruction{op: opClear, a: n.first, b: n.last})
		}
	}
	if n.min == 0 && (n.max == 1 || n.max < 0) {
		split, place := c.emit(instruction{op: opSplit}), c.register()
		body := len(c.code)
		clear()
		c.emit(instruction{op: opSave, a: place})
		c.node(n.body, back)
		c.emit(instruction{op: opCheck, a: place, b: -1})
		if n.max < 0 {
			c.emit(instruction{op: opJump, a: split})
		}
		c.code[split].a, c.code[split].b = body, len(c.code)
		if !n.greedy {
			c.code[split].a, c.code[split].b = c.code[split].b, body
		}
		return
	}
	l := len(c.loops)
	count, place := c.register(), c.register()
	c.loops = append(c.loops, loop{min: n.min, max: n.max, greedy: n.greedy, count: count})
	c.emit(instruction{op: opZero, a: count})
	again := c.emit(instruction{op: opRepeat, a: l})
	c.loops[l].body = len(c.code)
	clear()
	c.emit(instruction{op: opSave, a: place})
	c.node(n.body, back)
	c.emit(instruction{op: opCheck, a: place, b: l})
	c.emit(instruction{op: opJump, a: again})
	c.loops[l].after = len(c.code)
}

// single returns the set of a body that is one character, or nil.
func single(n node, unicodeMode bool) runeSet {
	switch n := n.(type) {
	case setNode:
		if n.set == nil {
			return runeSet{}
		}
		return n.set
	case charNode:
		s := runeSet{{n.r, n.r}}
		if n.fold {
			s = s.closed(unicodeMode)
		}
		return s
	case group:
		if n.index == 0 {
			return single(n.body, unicodeMode)
		}
	}
	return nil
}
