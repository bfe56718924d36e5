package webapi

import "strings"

// A patternMatcher matches the parts of a component that has no regular expression of its
// own, as the expression that the standard builds from them would. It goes back and tries
// again, but never from the same place twice, so its time is bounded by the product of
// the lengths of pattern and text.
type patternMatcher struct {
	code   []matchOp
	splits int
	fold   bool // letters match in either case
	wild   bool // the component is "*"
}

type matchKind uint8

const (
	matchText     matchKind = iota
	matchNot                // one byte that is not the delimiter; any if that is 0
	matchSave               // a border of a group
	matchSplit              // goes on here, or else at other
	matchJump               // goes on at other
	matchProgress           // fails if nothing was matched since the group began
	matchEnd
)

type matchOp struct {
	kind  matchKind
	text  string
	delim byte
	slot  int // of a border; the number of a split
	other int
}

// maxMatch bounds the product of the choices in a pattern and the length of a text.
const maxMatch = 1 << 26

// tooLong reports whether matching s could take too much time and memory.
func (m *patternMatcher) tooLong(s string) bool { return m.splits > 0 && len(s) >= maxMatch/m.splits }

func newPatternMatcher(parts []patternPart, opts *patternOptions) *patternMatcher {
	m := &patternMatcher{fold: opts.ignoreCase}
	m.wild = len(parts) == 1 && parts[0].kind == partWild && parts[0].modifier == "" && parts[0].prefix == "" && parts[0].suffix == ""
	slot := 0
	for i := range parts {
		if p := &parts[i]; p.kind == partText {
			m.fixed(p)
		} else {
			m.group(p, slot, opts)
			slot += 2
		}
	}
	m.emit(matchOp{kind: matchEnd})
	return m
}

func (m *patternMatcher) emit(op matchOp) int {
	if op.kind == matchSplit {
		op.slot = m.splits
		m.splits++
	}
	m.code = append(m.code, op)
	return len(m.code) - 1
}

func (m *patternMatcher) text(s string) {
	if s != "" {
		m.emit(matchOp{kind: matchText, text: s})
	}
}

func (m *patternMatcher) fixed(p *patternPart) {
	m.repeat(p.modifier, func() { m.text(p.value) })
}

// repeat emits body with a modifier.
func (m *patternMatcher) repeat(modifier string, body func()) {
	switch modifier {
	case "":
		body()
	case "?":
		split := m.emit(matchOp{kind: matchSplit})
		body()
		m.code[split].other = len(m.code)
	case "*":
		split := m.emit(matchOp{kind: matchSplit})
		body()
		m.emit(matchOp{kind: matchJump, other: split})
		m.code[split].other = len(m.code)
	case "+":
		body()
		m.repeat("*", body)
	}
}

// content emits the expression of the group itself.
func (m *patternMatcher) content(p *patternPart, opts *patternOptions) {
	if p.kind == partWild { // .*
		split := m.emit(matchOp{kind: matchSplit})
		m.emit(matchOp{kind: matchNot})
		m.emit(matchOp{kind: matchJump, other: split})
		m.code[split].other = len(m.code)
		return
	}
	delim := byte(0)
	if opts.delimiter != "" {
		delim = opts.delimiter[0]
	}
	first := m.emit(matchOp{kind: matchNot, delim: delim}) // [^/]+?
	m.emit(matchOp{kind: matchSplit, other: first})        // prefers to go on
}

func (m *patternMatcher) group(p *patternPart, slot int, opts *patternOptions) {
	content := func() { m.content(p, opts) }
	capture := func(body func()) {
		m.emit(matchOp{kind: matchSave, slot: slot})
		body()
		m.emit(matchOp{kind: matchSave, slot: slot + 1})
	}
	bare := p.prefix == "" && p.suffix == ""
	switch {
	case bare && p.modifier == "?":
		m.repeat("?", func() {
			capture(content)
			m.emit(matchOp{kind: matchProgress, slot: slot})
		})
	case bare:
		capture(func() { m.repeat(p.modifier, content) })
	case !p.repeats():
		m.repeat(p.modifier, func() { m.text(p.prefix); capture(content); m.text(p.suffix) })
	default:
		outer := ""
		if p.modifier == "*" {
			outer = "?"
		}
		m.repeat(outer, func() {
			m.text(p.prefix)
			capture(func() {
				content()
				m.repeat("*", func() { m.text(p.suffix); m.text(p.prefix); content() })
			})
			m.text(p.suffix)
		})
	}
}

// A matchState is where to go on, or a border to restore.
type matchState struct{ pc, pos, slot, old int }

// match matches all of s. The borders of the groups, two for each, go to caps, which has
// room for them and holds -1 at first.
func (m *patternMatcher) match(s string, caps []int) bool {
	if m.wild {
		caps[0], caps[1] = 0, len(s)
		return true
	}
	if op := &m.code[0]; len(m.code) == 2 && op.kind == matchText {
		return len(op.text) == len(s) && m.hasPrefix(s, op.text)
	}
	if len(m.code) == 1 {
		return s == ""
	}
	return m.run(s, caps)
}

func (m *patternMatcher) hasPrefix(s, prefix string) bool {
	if len(s) < len(prefix) {
		return false
	}
	return s[:len(prefix)] == prefix || m.fold && strings.EqualFold(s[:len(prefix)], prefix)
}

func (m *patternMatcher) run(s string, caps []int) bool {
	var small [32]uint64
	seen := small[:]
	if n := (m.splits*(len(s)+1) + 63) / 64; n > len(seen) {
		seen = make([]uint64, n)
	}
	var stack [16]matchState
	todo := append(stack[:0], matchState{slot: -1})
	for len(todo) > 0 {
		st := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if st.slot >= 0 {
			caps[st.slot] = st.old
			continue
		}
		pc, pos := st.pc, st.pos
	thread:
		for {
			op := &m.code[pc]
			if op.kind == matchSplit { // every loop has one
				bit := op.slot*(len(s)+1) + pos
				if seen[bit/64]&(1<<(bit%64)) != 0 {
					break
				}
				seen[bit/64] |= 1 << (bit % 64)
			}
			switch op.kind {
			case matchText:
				if !m.hasPrefix(s[pos:], op.text) {
					break thread
				}
				pos += len(op.text)
			case matchNot:
				if pos == len(s) || op.delim != 0 && s[pos] == op.delim {
					break thread
				}
				pos++
			case matchSave:
				todo = append(todo, matchState{slot: op.slot, old: caps[op.slot]})
				caps[op.slot] = pos
			case matchSplit:
				todo = append(todo, matchState{pc: op.other, pos: pos, slot: -1})
			case matchJump:
				pc = op.other
				continue
			case matchProgress:
				if caps[op.slot] == pos {
					break thread
				}
			case matchEnd:
				if pos == len(s) {
					return true
				}
				break thread
			}
			pc++
		}
	}
	return false
}
