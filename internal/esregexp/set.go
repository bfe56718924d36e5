package esregexp

import (
	"slices"
	"sort"
	"sync"
	"unicode"
)

// setOfRanges puts ranges in order and joins those that touch.
func setOfRanges(s runeSet) runeSet {
	slices.SortFunc(s, func(a, b [2]rune) int { return int(a[0] - b[0]) })
	merged := s[:0]
	for _, r := range s {
		if n := len(merged); n > 0 && r[0] <= merged[n-1][1]+1 {
			merged[n-1][1] = max(merged[n-1][1], r[1])
			continue
		}
		merged = append(merged, r)
	}
	return merged
}

func (s runeSet) union(t runeSet) runeSet {
	return setOfRanges(append(slices.Clone(s), t...))
}

func (s runeSet) intersection(t runeSet) runeSet {
	return s.complement().union(t.complement()).complement()
}

func (s runeSet) minus(t runeSet) runeSet { return s.intersection(t.complement()) }

func (s runeSet) has(r rune) bool {
	i := sort.Search(len(s), func(i int) bool { return s[i][1] >= r })
	return i < len(s) && s[i][0] <= r
}

// A matcherSet is a set with a short way for ASCII.
type matcherSet struct {
	ascii [2]uint64
	rest  runeSet
}

func newMatcherSet(s runeSet) *matcherSet {
	m := &matcherSet{rest: s}
	for r := rune(0); r < 128; r++ {
		if s.has(r) {
			m.ascii[r>>6] |= 1 << (r & 63)
		}
	}
	return m
}

func (m *matcherSet) has(r rune) bool {
	if r < 128 {
		return m.ascii[r>>6]>>(r&63)&1 != 0
	}
	return m.rest.has(r)
}

// canonical is Canonicalize of the specification, for matching without regard to case.
func canonical(r rune, unicodeMode bool) rune {
	if r < 128 {
		if unicodeMode && 'A' <= r && r <= 'Z' || !unicodeMode && 'a' <= r && r <= 'z' {
			return r ^ 0x20
		}
		return r
	}
	if unicodeMode {
		least := r
		for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
			least = min(least, f)
		}
		if 'A' <= least && least <= 'Z' {
			return least ^ 0x20
		}
		return least
	}
	u := unicode.ToUpper(r)
	if u < 128 || u == r || r > 0xffff || upperIsLonger(r) {
		return r
	}
	return u
}

// upperIsLonger reports whether the upper case of r, which has a simple one too, has several characters.
func upperIsLonger(r rune) bool {
	return r >= 0x1f80 && r <= 0x1faf || r == 0x1fb3 || r == 0x1fbc || r == 0x1fc3 || r == 0x1fcc || r == 0x1ff3 || r == 0x1ffc
}

// caseGroups are the characters that have others with the same canonical form, in groups.
func caseGroups(unicodeMode bool) [][]rune {
	if unicodeMode {
		return foldGroups()
	}
	return upperGroups()
}

var (
	foldGroups  = sync.OnceValue(func() [][]rune { return groupsOf(unicode.MaxRune, true) })
	upperGroups = sync.OnceValue(func() [][]rune { return groupsOf(0xffff, false) })
)

func groupsOf(last rune, unicodeMode bool) [][]rune {
	by := map[rune][]rune{}
	for _, t := range []*unicode.RangeTable{unicode.L, unicode.M, unicode.N, unicode.So} {
		for _, r := range setOf(t) {
			for c := r[0]; c <= r[1] && c <= last; c++ {
				if unicode.SimpleFold(c) != c {
					k := canonical(c, unicodeMode)
					by[k] = append(by[k], c)
				}
			}
		}
	}
	var groups [][]rune
	for _, g := range by {
		if len(g) > 1 {
			groups = append(groups, g)
		}
	}
	return groups
}

// closed adds the characters that match those of s without regard to case.
func (s runeSet) closed(unicodeMode bool) runeSet {
	var more runeSet
	for _, group := range caseGroups(unicodeMode) {
		in := 0
		for _, r := range group {
			if s.has(r) {
				in++
			}
		}
		if in > 0 && in < len(group) {
			for _, r := range group {
				more = append(more, [2]rune{r, r})
			}
		}
	}
	if more == nil {
		return s
	}
	return s.union(more)
}

var (
	digitSet = runeSet{{'0', '9'}}
	wordSet  = runeSet{{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}}
	spaceSet = runeSet{{'\t', '\r'}, {' ', ' '}, {0xa0, 0xa0}, {0x1680, 0x1680}, {0x2000, 0x200a}, {0x2028, 0x2029}, {0x202f, 0x202f}, {0x205f, 0x205f}, {0x3000, 0x3000}, {0xfeff, 0xfeff}}
	lineSet  = runeSet{{'\n', '\n'}, {'\r', '\r'}, {0x2028, 0x2029}}
	allSet   = runeSet{{0, unicode.MaxRune}}
)
