package tool

import (
	"fmt"
	"slices"
	"strings"
)

// A Pattern is a path of a grant that has been checked, for whoever compares many
// names with it. The zero Pattern matches nothing.
type Pattern struct {
	text  string
	parts pattern
}

// ParsePattern reads a pattern as the package's documentation describes it.
func ParsePattern(text string) (Pattern, error) {
	p, reason := readPattern(text)
	if reason != "" {
		return Pattern{}, fmt.Errorf("tool: the path %s %s", quote(text), reason)
	}
	return Pattern{text, p}, nil
}

// String returns the pattern as it was written.
func (p Pattern) String() string { return p.text }

// Match reports whether a file's name is like the pattern. A name that no file may have
// is like none.
func (p Pattern) Match(name string) bool {
	return len(p.parts) > 0 && checkName(name) == "" && p.parts.match(name)
}

// Stars of a pattern with which another is matched: characters that no name holds, so that only
// stars match them, and deep only "**".
const (
	wild = "\x01"
	deep = "\x03"
)

// Covers reports whether p matches every name that q matches. It may say no where only the
// two together show it, never yes where it is not so.
func (p Pattern) Covers(q Pattern) bool {
	if len(p.parts) == 0 || len(q.parts) == 0 {
		return len(q.parts) == 0
	}
	parts := make([]string, len(q.parts))
	for i, part := range q.parts {
		if parts[i] = deep; part != "**" {
			parts[i] = strings.ReplaceAll(unescapeStars(part, wild), escapedStar, "*")
		}
	}
	return p.parts.matchParts(parts)
}

// escapedStar stands for \* while the other stars are replaced.
const escapedStar = "\x02"

// unescapeStars replaces stars, and escaped ones by escapedStar.
func unescapeStars(part, star string) string {
	return strings.ReplaceAll(strings.ReplaceAll(part, `\*`, escapedStar), "*", star)
}

// MaxIntersection bounds what [Pattern.Intersect] returns.
const MaxIntersection = 64

// Intersect returns patterns which together match what both p and q match. If that would take
// more than MaxIntersection of them it returns the first, which match less, never more.
func (p Pattern) Intersect(q Pattern) []Pattern {
	if len(p.parts) == 0 || len(q.parts) == 0 {
		return nil
	}
	x := intersection[string]{star: "**", one: intersectParts, left: 100 * MaxIntersection}
	var all []Pattern
	for _, parts := range x.both(p.parts, q.parts) {
		text := strings.Join(parts, "/")
		r, err := ParsePattern(text)
		if err != nil || slices.ContainsFunc(all, func(a Pattern) bool { return a.Covers(r) }) {
			continue // no name is like it, or another has it all
		}
		all = slices.DeleteFunc(all, r.Covers)
		if all = append(all, r); len(all) == MaxIntersection {
			break
		}
	}
	return all
}

// intersectParts is what two parts of a path have in common.
func intersectParts(a, b string) []string {
	if a == b {
		return []string{a}
	}
	x := intersection[rune]{star: '*', one: func(a, b rune) []rune {
		if a == b {
			return []rune{a}
		}
		return nil
	}, left: 100 * MaxIntersection}
	runes := func(s string) []rune { return []rune(strings.ReplaceAll(s, `\*`, escapedStar)) }
	var all []string
	for _, r := range x.both(runes(a), runes(b)) {
		all = append(all, strings.ReplaceAll(string(r), escapedStar, `\*`))
	}
	return all
}

// An intersection finds what two sequences match, in which star stands for any number of
// elements and any other element for what it has in common with its counterpart.
type intersection[E comparable] struct {
	star E
	one  func(a, b E) []E
	left int // steps; what would take more is left out
}

func (x *intersection[E]) both(a, b []E) [][]E {
	if x.left--; x.left < 0 {
		return nil
	}
	switch {
	case len(a) == 0 && len(b) == 0:
		return [][]E{nil}
	case len(a) > 0 && len(b) > 0 && a[0] == x.star && b[0] == x.star:
		return prefix(x.star, append(x.both(a[1:], b), x.both(a, b[1:])...))
	case len(a) > 0 && a[0] == x.star:
		return x.starred(a, b)
	case len(b) > 0 && b[0] == x.star:
		return x.starred(b, a)
	case len(a) == 0 || len(b) == 0:
		return nil
	}
	var all [][]E
	for _, e := range x.one(a[0], b[0]) {
		all = append(all, prefix(e, x.both(a[1:], b[1:]))...)
	}
	return all
}

// starred is both for a that begins with a star and b that does not: the star stands for
// nothing, or for b's first element and perhaps more.
func (x *intersection[E]) starred(a, b []E) [][]E {
	all := x.both(a[1:], b)
	if len(b) > 0 {
		all = append(all, prefix(b[0], x.both(a, b[1:]))...)
	}
	return all
}

func prefix[E any](e E, tails [][]E) [][]E {
	all := make([][]E, len(tails))
	for i, t := range tails {
		all[i] = append([]E{e}, t...)
	}
	return all
}
