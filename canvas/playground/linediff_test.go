package playground

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// apply makes b of a by the edits, and fails if they do not fit.
func apply(t *testing.T, a, b []string, edits []lineEdit) []string {
	t.Helper()
	var out []string
	at := 0
	for _, e := range edits {
		if e.a0 < at || e.a1 < e.a0 || e.a1 > len(a) || e.b1 < e.b0 || e.b1 > len(b) {
			t.Fatalf("edits %v of %d and %d lines", edits, len(a), len(b))
		}
		out = append(out, a[at:e.a0]...)
		out = append(out, b[e.b0:e.b1]...)
		at = e.a1
	}
	return append(out, a[at:]...)
}

// shortest returns the least number of lines that come or go between two texts, by the table of their common subsequences.
func shortest(a, b []string) int {
	row := make([]int, len(b)+1)
	for _, x := range a {
		before := 0
		for j, y := range b {
			here := row[j+1]
			if x == y {
				row[j+1] = before + 1
			} else {
				row[j+1] = max(row[j+1], row[j])
			}
			before = here
		}
	}
	return len(a) + len(b) - 2*row[len(b)]
}

func TestDiffIsRightAndShortest(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	text := func() []string {
		lines := make([]string, r.IntN(12))
		for i := range lines {
			lines[i] = string(rune('a' + r.IntN(3)))
		}
		return lines
	}
	for range 5000 {
		a, b := text(), text()
		edits := diffTexts(a, b)
		if got := apply(t, a, b, edits); !slices.Equal(got, b) {
			t.Fatalf("%v by %v became %v, not %v", a, edits, got, b)
		}
		n := 0
		for _, e := range edits {
			n += e.a1 - e.a0 + e.b1 - e.b0
		}
		if want := shortest(a, b); n != want {
			t.Fatalf("%v to %v took %d, and %d would do: %v", a, b, n, want, edits)
		}
	}
}

func TestDiffOfWhatHasNothingInCommon(t *testing.T) {
	var a, b []string
	for i := range 20_000 {
		a, b = append(a, fmt.Sprint("a", i)), append(b, fmt.Sprint("b", i))
	}
	if got := diffTexts(a, b); !reflect.DeepEqual(got, []lineEdit{{0, 20_000, 0, 20_000}}) {
		t.Errorf("%d edits", len(got))
	}
	hunks, cut := hunksOf(a, b, diffTexts(a, b))
	if !cut || len(hunks) != 1 || len(hunks[0].Lines) > 2*diffLines {
		t.Errorf("%d hunks, cut %v", len(hunks), cut)
	}
}

func TestHunks(t *testing.T) {
	lines := func(s string) []string { return splitLines(s) }
	var long []string
	for i := range 40 {
		long = append(long, fmt.Sprintf("%d\n", i+1))
	}
	changed := slices.Clone(long)
	changed[0], changed[4], changed[30] = "one\n", "five\n", "thirty-one\n"
	for _, c := range []struct {
		a, b []string
		want string
	}{
		{lines("a\nb\n"), lines("a\nb\n"), ""},
		{nil, lines("a\nb"), "1,1: +a +b \\"},
		{lines("a\n"), nil, "1,1: -a"},
		{lines("a"), lines("a\n"), "1,1: -a \\ +a"},
		{lines("a\r\nb\r\n"), lines("a\r\nc\r\n"), "1,1:  a -b +c"},
		{long, changed, "1,1: -1 +one  2  3  4 -5 +five  6  7  8; 28,28:  28  29  30 -31 +thirty-one  32  33  34"},
	} {
		hunks, cut := hunksOf(c.a, c.b, diffTexts(c.a, c.b))
		var all []string
		for _, h := range hunks {
			all = append(all, fmt.Sprintf("%d,%d: %s", h.Before, h.After, strings.Join(h.Lines, " ")))
		}
		if got := strings.Join(all, "; "); got != c.want || cut {
			t.Errorf("%q\nwant %q", got, c.want)
		}
	}
}
