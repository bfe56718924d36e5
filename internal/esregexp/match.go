package esregexp

import (
	"errors"
	"unicode/utf16"
)

// Errors of [Program.Match].
var (
	ErrStopped  = errors.New("esregexp: the match was stopped")
	ErrTooLarge = errors.New("esregexp: the match needs too much memory")
)

// between is how many steps are made between two questions whether to go on.
const between = 1 << 14

// maxChoices bounds the alternatives that a match keeps, 16 bytes each.
const maxChoices = 4 << 20

// Match finds the first match at or after start, which must be within the text. It returns the
// places of the captures in units, start and end of each, -1 for those that did not take part; nil if there is no match. With
// sticky it looks at start only. proceed, if it is not nil, is asked now and then.
func (p *Program) Match(text []uint16, start int, sticky bool, proceed func() bool) ([]int, error) {
	m := &matcher{Program: p, text: text, proceed: proceed, steps: between, regs: make([]int, p.registers)}
	if p.unicode && start > 0 && start < len(text) && isLow(text[start]) && isHigh(text[start-1]) {
		start--
	}
	for ; start <= len(text); start++ {
		if p.prefix != nil && !sticky {
			if start = m.find(start); start < 0 {
				return nil, nil
			}
		}
		for i := range m.regs {
			m.regs[i] = -1
		}
		m.stack = m.stack[:0]
		if m.run(0, start, 0) {
			return m.regs[:2*p.captures], nil
		}
		if m.err != nil {
			return nil, m.err
		}
		if sticky {
			break
		}
		if p.unicode && start+1 < len(text) && isHigh(text[start]) && isLow(text[start+1]) {
			start++
		}
		if !m.tick() {
			return nil, m.err
		}
	}
	return nil, nil
}

func isHigh(u uint16) bool { return u&0xfc00 == 0xd800 }
func isLow(u uint16) bool  { return u&0xfc00 == 0xdc00 }

// find returns the next place where a match may begin, or -1.
func (m *matcher) find(i int) int {
	for i < len(m.text) {
		r, next := m.forward(i)
		if m.prefix.has(r) {
			return i
		}
		i = next
	}
	return -1
}

type choiceKind uint8

const (
	tryAt   choiceKind = iota // go on at pc and pos
	restore                   // register pc := pos
	fewer                     // a greedy loop takes one character less, down to limit
	further                   // a lazy loop takes one more, up to limit times
	enter                     // the lazy loop loops[pc] goes on, for the time that limit says
)

type choice struct {
	kind           choiceKind
	pc, pos, limit int32
}

type matcher struct {
	*Program
	text    []uint16
	regs    []int
	stack   []choice
	steps   int
	proceed func() bool
	err     error
}

// tick counts a step, and reports whether there may be another.
func (m *matcher) tick() bool {
	if m.steps--; m.steps > 0 {
		return true
	}
	m.steps = between
	if m.proceed != nil && !m.proceed() {
		m.err = ErrStopped
		return false
	}
	return true
}

func (m *matcher) push(kind choiceKind, pc, pos, limit int) {
	if len(m.stack) >= maxChoices {
		m.err = ErrTooLarge
		return
	}
	m.stack = append(m.stack, choice{kind, int32(pc), int32(pos), int32(limit)})
}

func (m *matcher) set(reg, v int) {
	m.push(restore, reg, m.regs[reg], 0)
	m.regs[reg] = v
}

func (m *matcher) forward(i int) (rune, int) {
	c := rune(m.text[i])
	if m.unicode && utf16.IsSurrogate(c) && i+1 < len(m.text) && isHigh(m.text[i]) && isLow(m.text[i+1]) {
		return utf16.DecodeRune(c, rune(m.text[i+1])), i + 2
	}
	return c, i + 1
}

func (m *matcher) backward(i int) (rune, int) {
	c := rune(m.text[i-1])
	if m.unicode && i > 1 && isLow(m.text[i-1]) && isHigh(m.text[i-2]) {
		return utf16.DecodeRune(rune(m.text[i-2]), c), i - 2
	}
	return c, i - 1
}

// next reads the character after pos, or before it.
func (m *matcher) next(pos int, back bool) (rune, int, bool) {
	if back {
		if pos == 0 {
			return 0, 0, false
		}
		r, p := m.backward(pos)
		return r, p, true
	}
	if pos == len(m.text) {
		return 0, 0, false
	}
	r, p := m.forward(pos)
	return r, p, true
}

// run matches from pc on. Alternatives below base are not its own. Where it fails, what it did is undone.
func (m *matcher) run(pc, pos, base int) bool {
	for {
		if m.err != nil || !m.tick() {
			return false
		}
		in := &m.code[pc]
		ok := true
		pc++
		switch in.op {
		case opChar:
			r, to, some := m.next(pos, in.back)
			ok, pos = some && r == in.r, to
		case opSet:
			r, to, some := m.next(pos, in.back)
			ok, pos = some && in.set.has(r), to
		case opLoop:
			pos, ok = m.loop(in, pc, pos)
		case opSplit:
			m.push(tryAt, in.b, pos, 0)
			pc = in.a
		case opJump:
			pc = in.a
		case opSave:
			m.set(in.a, pos)
		case opZero:
			m.set(in.a, 0)
		case opClear:
			for i := 2 * in.a; i < 2*in.b; i++ {
				if m.regs[i] >= 0 {
					m.set(i, -1)
				}
			}
		case opRepeat:
			pc = m.again(in.a, pos)
		case opCheck:
			// An iteration that is not asked for may not be empty.
			ok = m.regs[in.a] != pos || in.b >= 0 && m.regs[m.loops[in.b].count] <= m.loops[in.b].min
		case opLook:
			ok = m.look(in, pc, pos)
			pc = in.a
		case opRef:
			pos, ok = m.reference(in, pos)
		case opDone:
			return true
		default:
			ok = m.holds(in, pos)
		}
		if !ok {
			if pc, pos, ok = m.retry(base); !ok {
				return false
			}
		}
	}
}

// retry takes the latest alternative.
func (m *matcher) retry(base int) (pc, pos int, ok bool) {
	for len(m.stack) > base {
		top := len(m.stack) - 1
		c := &m.stack[top]
		switch c.kind {
		case restore:
			m.regs[c.pc] = int(c.pos)
		case tryAt:
			m.stack = m.stack[:top]
			return int(c.pc), int(c.pos), true
		case enter:
			l, pos, n := &m.loops[c.pc], int(c.pos), int(c.limit)
			m.stack = m.stack[:top]
			m.set(l.count, n)
			return l.body, pos, true
		case fewer:
			_, to, _ := m.next(int(c.pos), !m.code[c.pc-1].back)
			if c.pos = int32(to); c.pos == c.limit {
				m.stack = m.stack[:top]
			}
			return int(c.pc), to, true
		case further:
			in := &m.code[c.pc-1]
			if r, to, some := m.next(int(c.pos), in.back); some && c.limit != 0 && in.set.has(r) {
				c.pos = int32(to)
				c.limit--
				return int(c.pc), to, true
			}
		}
		m.stack = m.stack[:top]
	}
	return 0, 0, false
}

// loop takes characters of a set, and notes that it could take others.
func (m *matcher) loop(in *instruction, pc, pos int) (int, bool) {
	n := 0
	for ; n < in.a; n++ {
		r, to, some := m.next(pos, in.back)
		if !some || !in.set.has(r) {
			return pos, false
		}
		pos = to
	}
	if !in.greedy {
		m.push(further, pc, pos, in.b-n)
		return pos, true
	}
	least := pos
	for ; in.b < 0 || n < in.b; n++ {
		r, to, some := m.next(pos, in.back)
		if !some || !in.set.has(r) {
			break
		}
		pos = to
		if n&0xfff == 0 && !m.tick() {
			return pos, false
		}
	}
	if pos != least {
		m.push(fewer, pc, pos, least)
	}
	return pos, true
}

// again decides whether a counting loop goes on.
func (m *matcher) again(index, pos int) int {
	l := &m.loops[index]
	n := m.regs[l.count]
	switch {
	case l.max >= 0 && n >= l.max:
		return l.after
	case n < l.min:
	case l.greedy:
		m.push(tryAt, l.after, pos, 0)
	default:
		m.push(enter, index, pos, n+1)
		return l.after
	}
	m.set(l.count, n+1)
	return l.body
}

func (m *matcher) look(in *instruction, pc, pos int) bool {
	base := len(m.stack)
	found := m.run(pc, pos, base)
	if m.err != nil {
		return false
	}
	if in.fail {
		if found { // undo
			for len(m.stack) > base {
				if c := m.stack[len(m.stack)-1]; c.kind == restore {
					m.regs[c.pc] = int(c.pos)
				}
				m.stack = m.stack[:len(m.stack)-1]
			}
		}
		return !found
	}
	if found { // there is no way back into it, but what it captured can be undone
		kept := m.stack[:base]
		for _, c := range m.stack[base:] {
			if c.kind == restore {
				kept = append(kept, c)
			}
		}
		m.stack = kept
	}
	return found
}

func (m *matcher) reference(in *instruction, pos int) (int, bool) {
	for _, ref := range in.refs {
		from, to := m.regs[2*ref], m.regs[2*ref+1]
		if from < 0 || to < 0 {
			continue
		}
		n := to - from
		at := pos
		if in.back {
			at -= n
		}
		if at < 0 || at+n > len(m.text) {
			return pos, false
		}
		if !m.same(from, at, n, in.fold) {
			return pos, false
		}
		if in.back {
			return at, true
		}
		return at + n, true
	}
	return pos, true
}

func (m *matcher) same(a, b, n int, fold bool) bool {
	if !fold {
		for i := range n {
			if m.text[a+i] != m.text[b+i] {
				return false
			}
		}
		return true
	}
	for end := a + n; a < end; {
		x, a2 := m.forward(a)
		y, b2 := m.forward(b)
		if canonical(x, m.unicode) != canonical(y, m.unicode) {
			return false
		}
		a, b = a2, b2
	}
	return true
}

func (m *matcher) holds(in *instruction, pos int) bool {
	line := func(i int) bool { return lineSet.has(rune(m.text[i])) }
	switch in.op {
	case opStart:
		return pos == 0
	case opLineStart:
		return pos == 0 || line(pos-1)
	case opEnd:
		return pos == len(m.text)
	case opLineEnd:
		return pos == len(m.text) || line(pos)
	}
	word := func(i int) bool {
		if i < 0 || i >= len(m.text) {
			return false
		}
		c := rune(m.text[i])
		return wordSet.has(c) || in.fold && (c == 0x17f || c == 0x212a)
	}
	return (word(pos-1) != word(pos)) == (in.op == opWordEdge)
}
