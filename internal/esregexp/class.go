package esregexp

import (
	"slices"
	"strings"
)

// class reads [ … ].
func (p *parser) class() node {
	if p.v {
		set, strs := p.classV()
		return p.setOrStrings(set, strs)
	}
	p.i++
	not := p.eat('^')
	var set runeSet
	for !p.eat(']') {
		if !p.more() {
			p.fail("Unterminated character class")
		}
		low, lowSet := p.classAtom()
		if p.peek() == '-' && p.at(1) != ']' && p.at(1) != -1 {
			p.i++
			high, highSet := p.classAtom()
			if lowSet == nil && highSet == nil {
				if low > high {
					p.fail("Range out of order in character class")
				}
				set = append(set, [2]rune{low, high})
				continue
			}
			if p.u {
				p.fail("Invalid character class")
			}
			set = append(set, [2]rune{'-', '-'})
			set = append(append(set, points(low, lowSet)...), points(high, highSet)...)
			continue
		}
		set = append(set, points(low, lowSet)...)
	}
	set = setOfRanges(set)
	if p.fold {
		set = set.closed(p.u)
	}
	if not {
		set = set.complement()
	}
	return setNode{set}
}

func points(r rune, s runeSet) runeSet {
	if s != nil {
		return s
	}
	return runeSet{{r, r}}
}

// classAtom reads a character or, if set is not nil, a set.
func (p *parser) classAtom() (r rune, set runeSet) {
	c := p.peek()
	p.i++
	if c != '\\' {
		return c, nil
	}
	if p.peek() == 'b' {
		p.i++
		return '\b', nil
	}
	if set, _, ok := p.setEscape(); ok {
		if set == nil {
			set = runeSet{}
		}
		return 0, set
	}
	return p.charEscape(true), nil
}

// classV reads a class of the flag v: a set and strings, the longest first.
func (p *parser) classV() (set runeSet, strs [][]rune) {
	if p.depth++; p.depth > maxDepth {
		p.fail("Regular expression too large")
	}
	defer func() { p.depth-- }()
	p.i++
	not := p.eat('^')
	op := rune(0) // of the class: '&', '-', or 'u' for a union
	for first := true; !p.eat(']'); first = false {
		if !p.more() {
			p.fail("Unterminated character class")
		}
		kind := rune('u')
		if !first {
			for _, c := range "&-" {
				if p.peek() == c && p.at(1) == c {
					p.i += 2
					kind = c
				}
			}
			if op != 0 && kind != op {
				p.fail("Invalid set operation in character class")
			}
			op = kind
		}
		s, t, isRange := p.operandV(op == 0 || op == 'u')
		if isRange {
			op = 'u'
		}
		switch {
		case first || kind == 'u':
			set, strs = set.union(s), append(strs, t...)
		case kind == '&':
			set = set.intersection(s)
			strs = slices.DeleteFunc(strs, func(x []rune) bool { return !contains(t, x) })
		default:
			set = set.minus(s)
			strs = slices.DeleteFunc(strs, func(x []rune) bool { return contains(t, x) })
		}
	}
	if not {
		if len(strs) > 0 {
			p.fail("Negated character class may contain strings")
		}
		set = set.complement()
	}
	return set, strs
}

func contains(list [][]rune, x []rune) bool {
	return slices.ContainsFunc(list, func(y []rune) bool { return slices.Equal(x, y) })
}

// operandV reads an operand, or a range where one may stand.
func (p *parser) operandV(ranges bool) (set runeSet, strs [][]rune, isRange bool) {
	switch {
	case p.peek() == '[':
		set, strs = p.classV()
		return set, strs, false
	case p.eatText(`\q{`):
		set, strs = p.quotedV()
		return set, strs, false
	case p.peek() == '\\' && p.at(1) != 'b':
		p.i++
		if set, strs, ok := p.setEscape(); ok {
			return set, strs, false
		}
		p.i--
	}
	low := p.charV()
	high := low
	if ranges && p.peek() == '-' && p.at(1) != '-' {
		p.i++
		isRange = true
		if high = p.charV(); low > high {
			p.fail("Range out of order in character class")
		}
	}
	return p.foldedV(runeSet{{low, high}}), nil, isRange
}

func (p *parser) foldedV(s runeSet) runeSet {
	if p.fold {
		return s.closed(true)
	}
	return s
}

// charV reads a ClassSetCharacter.
func (p *parser) charV() rune {
	c := p.peek()
	if c == -1 {
		p.fail("Unterminated character class")
	}
	p.i++
	switch c {
	case '\\':
		if n := p.peek(); strings.ContainsRune("&-!#%,:;<=>@`~", n) && n != -1 {
			p.i++
			return n
		}
		if p.eat('b') {
			return '\b'
		}
		return p.charEscape(true)
	case '(', ')', '[', ']', '{', '}', '/', '-', '|':
		p.fail("Invalid character in character class")
	}
	if p.peek() == c && strings.ContainsRune("&!#$%*+,.:;<=>?@^`~", c) {
		p.fail("Invalid set operation in character class")
	}
	return c
}

// quotedV reads the alternatives of \q{ … }.
func (p *parser) quotedV() (set runeSet, strs [][]rune) {
	for {
		var s []rune
		for p.peek() != '|' && p.peek() != '}' {
			s = append(s, p.charV())
		}
		if len(s) == 1 {
			set = set.union(p.foldedV(runeSet{{s[0], s[0]}}))
		} else if !contains(strs, s) {
			strs = append(strs, s)
		}
		if p.eat('}') {
			return set, strs
		}
		p.i++
	}
}

// setOrStrings is the node of a class: its strings, the longest first, its characters, the empty string.
func (p *parser) setOrStrings(set runeSet, strs [][]rune) node {
	if len(strs) == 0 {
		if p.fold && !p.v {
			set = set.closed(p.u)
		}
		return setNode{set}
	}
	strs = slices.Clone(strs)
	slices.SortStableFunc(strs, func(a, b []rune) int { return len(b) - len(a) })
	var alts altNode
	empty := false
	for _, s := range strs {
		if name, ok := strings.CutPrefix(string(s), stringMark); ok {
			alts = append(alts, stringProperty(name))
			continue
		}
		var seq seqNode
		for _, r := range s {
			seq = append(seq, charNode{r, p.fold})
		}
		if empty = empty || len(s) == 0; len(s) > 0 {
			alts = append(alts, seq)
		}
	}
	if alts = append(alts, setNode{set}); empty {
		alts = append(alts, seqNode{})
	}
	return alts
}

// stringMark begins what stands for a property of strings among strings. It is no character.
const stringMark = "\uffff\uffff"

// stringProperty is the form that strings of a property have, or nil.
func stringProperty(name string) node {
	one := func(s runeSet) node { return setNode{s} }
	emoji := emojiSets
	selector, joiner, modifier := one(runeSet{{0xfe0f, 0xfe0f}}), one(runeSet{{0x200d, 0x200d}}), one(emoji["Emoji_Modifier"])
	keycap := seqNode{one(runeSet{{'#', '#'}, {'*', '*'}, {'0', '9'}}), selector, one(runeSet{{0x20e3, 0x20e3}})}
	flag := seqNode{one(runeSet{{0x1f1e6, 0x1f1ff}}), one(runeSet{{0x1f1e6, 0x1f1ff}})}
	tags := seqNode{one(runeSet{{0x1f3f4, 0x1f3f4}}), repeat{body: one(runeSet{{0xe0020, 0xe007e}}), min: 1, max: -1, greedy: true}, one(runeSet{{0xe007f, 0xe007f}})}
	modified := seqNode{one(emoji["Emoji_Modifier_Base"]), modifier}
	pictures := emoji["Emoji"].minus(runeSet{{'#', '#'}, {'*', '*'}, {'0', '9'}, {0x1f1e6, 0x1f1ff}})
	basic := altNode{seqNode{one(pictures), selector}, one(emoji["Emoji_Presentation"].minus(runeSet{{0x1f1e6, 0x1f1ff}}))}
	element := seqNode{one(pictures), repeat{body: altNode{selector, modifier}, max: 1, greedy: true}}
	joined := seqNode{element, repeat{body: seqNode{joiner, element}, min: 1, max: -1, greedy: true}}
	switch name {
	case "Basic_Emoji":
		return basic
	case "Emoji_Keycap_Sequence":
		return keycap
	case "RGI_Modifier_Sequence":
		return modified
	case "RGI_Flag_Sequence":
		return flag
	case "RGI_Emoji_Tag_Sequence", "RGI_Emoji_Flag_Sequence":
		if name == "RGI_Emoji_Flag_Sequence" {
			return flag
		}
		return tags
	case "RGI_ZWJ_Sequence", "RGI_Emoji_ZWJ_Sequence":
		return joined
	case "RGI_Emoji_Modifier_Sequence":
		return modified
	case "RGI_Emoji":
		return altNode{joined, tags, keycap, flag, modified, basic}
	}
	return nil
}
