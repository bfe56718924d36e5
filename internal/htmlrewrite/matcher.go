package htmlrewrite

import "math/bits"

// A matcher follows all selectors at once. A state is a compound of a selector whose outer
// compounds have been found; each element is tested against the states that are alive where it
// stands, however deep that is.
type matcher struct {
	states []matchState
	root   bitset // states that begin a selector
	types  bool   // some state asks for indexes among siblings of a name
}

type matchState struct {
	compound
	next  int // the state of the next compound; -1: the selector is found
	child bool
	rule  int
}

func newMatcher(rules []Rule) *matcher {
	m := &matcher{}
	n := 0
	for _, r := range rules {
		for _, c := range r.Selector.list {
			n += len(c.parts)
		}
	}
	m.root = make(bitset, (n+63)/64)
	for i, r := range rules {
		for _, c := range r.Selector.list {
			m.root.set(len(m.states))
			for k, part := range c.parts {
				next := -1
				if k+1 < len(c.parts) {
					next = len(m.states) + 1
				}
				m.states = append(m.states, matchState{compound: part, next: next, rule: i, child: next >= 0 && c.child[k+1]})
				m.types = m.types || part.usesTypes()
			}
		}
	}
	return m
}

type bitset []uint64

func (b bitset) set(i int) { b[i/64] |= 1 << (i % 64) }

// A frame is an open element.
type frame struct {
	name     string
	below    bitset // states that are alive for all within
	children bitset // and for its children; nil: none
	rules    []int  // whose selectors match it
	count    int    // of its children so far
	types    map[string]int
	end      *endWork
	removed  bool // its content is removed
}

// match tests an element. found gets the rules that match; f becomes alive with the states
// for what is within it.
func (m *matcher) match(parent *frame, e *candidate, f *frame, found func(rule int)) {
	f.below, f.children = parent.below, nil
	shared := true
	for w := range m.root {
		alive := parent.below[w]
		if parent.children != nil {
			alive |= parent.children[w]
		}
		for ; alive != 0; alive &= alive - 1 {
			s := &m.states[w*64+bits.TrailingZeros64(alive)]
			if !s.matches(e) {
				continue
			}
			switch {
			case s.next < 0:
				found(s.rule)
			case s.child:
				if f.children == nil {
					f.children = make(bitset, len(m.root))
				}
				f.children.set(s.next)
			default:
				if shared {
					f.below, shared = append(bitset(nil), parent.below...), false
				}
				f.below.set(s.next)
			}
		}
	}
}
