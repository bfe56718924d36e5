package playground

import (
	"slices"
	"strings"
)

// Bounds of a comparison of two texts. What goes over them is shown as replaced as a whole.
const (
	diffEdits   = 1000 // changes between two texts that are looked for
	diffContext = 3    // equal lines shown around a change
	diffLines   = 4000 // lines shown of one file
)

// A lineEdit is lines of a that became lines of b, as half-open ranges.
type lineEdit struct{ a0, a1, b0, b1 int }

// diffTexts compares two texts line by line, by Myers' greedy algorithm.
func diffTexts(a, b []string) []lineEdit {
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	ids := make(map[string]int, len(a)+len(b)) // numbers compare faster than lines
	number := func(lines []string) []int {
		out := make([]int, len(lines))
		for i, l := range lines {
			id, ok := ids[l]
			if !ok {
				id = len(ids)
				ids[l] = id
			}
			out[i] = id
		}
		return out
	}
	edits := myers(number(a[head:len(a)-tail]), number(b[head:len(b)-tail]))
	for i := range edits {
		e := &edits[i]
		e.a0, e.a1, e.b0, e.b1 = e.a0+head, e.a1+head, e.b0+head, e.b1+head
	}
	return edits
}

// myers returns the shortest edit of a into b, or the one that replaces all if that takes more than diffEdits.
func myers(a, b []int) []lineEdit {
	n, m := len(a), len(b)
	if n == 0 && m == 0 {
		return nil
	}
	whole := []lineEdit{{0, n, 0, m}}
	if n == 0 || m == 0 {
		return whole
	}
	most := min(n+m, diffEdits)
	at := make([]int, 2*most+2) // how far in a, by diagonal
	var trail [][]int           // at, before each step
	for d := 0; d <= most; d++ {
		trail = append(trail, slices.Clone(at[most-d:most+d+2]))
		for k := -d; k <= d; k += 2 {
			var x int
			if k == -d || k != d && at[most+k-1] < at[most+k+1] {
				x = at[most+k+1]
			} else {
				x = at[most+k-1] + 1
			}
			for x < n && x-k < m && a[x] == b[x-k] {
				x++
			}
			at[most+k] = x
			if x >= n && x-k >= m {
				return retrace(trail, n, m)
			}
		}
	}
	return whole
}

// retrace walks back from the end and joins the steps that touch.
func retrace(trail [][]int, x, y int) []lineEdit {
	var edits []lineEdit
	for d := len(trail) - 1; d > 0; d-- {
		at := func(k int) int { return trail[d][k+d] }
		k := x - y
		from := k - 1
		if k == -d || k != d && at(k-1) < at(k+1) {
			from = k + 1
		}
		px := at(from)
		py := px - from
		e := lineEdit{px, px, py, py + 1} // down: a line of b
		if from == k-1 {
			e = lineEdit{px, px + 1, py, py}
		}
		if last := len(edits) - 1; last >= 0 && edits[last].a0 == e.a1 && edits[last].b0 == e.b1 {
			edits[last].a0, edits[last].b0 = e.a0, e.b0
		} else {
			edits = append(edits, e)
		}
		x, y = px, py
	}
	slices.Reverse(edits)
	return edits
}

// splitLines returns the lines of a text, each with its end: a last line without one differs from one with.
func splitLines(text string) []string {
	if text == "" {
		return nil
	}
	lines := strings.SplitAfter(text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// hunksOf returns what changed with some context. cut says that it is not all.
func hunksOf(a, b []string, edits []lineEdit) (hunks []hunk, cut bool) {
	shown := 0
	show := func(h *hunk, sign byte, line string) {
		if shown++; shown > diffLines {
			cut = true
			return
		}
		h.Lines = append(h.Lines, string(sign)+strings.TrimRight(line, "\r\n"))
		if !strings.HasSuffix(line, "\n") {
			h.Lines = append(h.Lines, `\`)
		}
	}
	for i := 0; i < len(edits) && !cut; {
		j := i + 1 // edits that are near share a hunk
		for j < len(edits) && edits[j].a0-edits[j-1].a1 <= 2*diffContext {
			j++
		}
		lead := min(diffContext, edits[i].a0)
		h := hunk{Before: edits[i].a0 - lead + 1, After: edits[i].b0 - lead + 1, Lines: []string{}}
		at := edits[i].a0 - lead
		for _, e := range edits[i:j] {
			for ; at < e.a0; at++ {
				show(&h, ' ', a[at])
			}
			for ; at < e.a1; at++ {
				show(&h, '-', a[at])
			}
			for _, l := range b[e.b0:e.b1] {
				show(&h, '+', l)
			}
		}
		for end := min(len(a), at+diffContext); at < end; at++ {
			show(&h, ' ', a[at])
		}
		hunks = append(hunks, h)
		i = j
	}
	return hunks, cut
}
