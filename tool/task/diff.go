package task

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"
)

// A hunk replaces lines [from, to) of one text by lines [at, end) of another.
type hunk struct{ from, to, at, end int }

// maxEdits bounds the search for the smallest difference; what differs by more is replaced as a whole.
const maxEdits = 1500

// diffLines returns the smallest hunks that make b of a, in order and not adjacent to each other, by
// Myers' algorithm.
func diffLines(a, b []string) []hunk {
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	hunks := myers(a[head:len(a)-tail], b[head:len(b)-tail])
	for i := range hunks {
		h := &hunks[i]
		h.from, h.to, h.at, h.end = h.from+head, h.to+head, h.at+head, h.end+head
	}
	return hunks
}

func myers(a, b []string) []hunk {
	n, m := len(a), len(b)
	if n == 0 && m == 0 {
		return nil
	}
	limit := min(n+m, maxEdits)
	v := make([]int, 2*limit+3) // v[limit+1+k]: how far diagonal k has come in a
	var trace [][]int           // of each number of edits, the diagonals -d-1 to d+1 before it
	mid := limit + 1
	for d := 0; d <= limit; d++ {
		trace = append(trace, append([]int(nil), v[mid-d-1:mid+d+2]...))
		for k := -d; k <= d; k += 2 {
			x := v[mid+k-1] + 1
			if k == -d || k != d && v[mid+k-1] < v[mid+k+1] {
				x = v[mid+k+1]
			}
			y := x - k
			for x < n && y < m && a[x] == b[y] {
				x, y = x+1, y+1
			}
			v[mid+k] = x
			if x >= n && y >= m {
				return backtrack(trace, n, m)
			}
		}
	}
	return []hunk{{0, n, 0, m}}
}

// backtrack reads the edits from the end.
func backtrack(trace [][]int, x, y int) []hunk {
	var hunks []hunk // last first
	for d := len(trace) - 1; d > 0; d-- {
		v := func(k int) int { return trace[d][k+d+1] }
		k := x - y
		prev := k - 1
		if k == -d || k != d && v(k-1) < v(k+1) {
			prev = k + 1
		}
		px := v(prev)
		py := px - prev
		edit := hunk{px, px, py, py + 1} // a line of b
		if prev == k-1 {
			edit = hunk{px, px + 1, py, py}
		}
		if n := len(hunks); n > 0 && hunks[n-1].from == edit.to && hunks[n-1].at == edit.end {
			hunks[n-1].from, hunks[n-1].at = edit.from, edit.at
		} else {
			hunks = append(hunks, edit)
		}
		x, y = px, py
	}
	for i, j := 0, len(hunks)-1; i < j; i, j = i+1, j-1 {
		hunks[i], hunks[j] = hunks[j], hunks[i]
	}
	return hunks
}

// splitLines returns a text's lines with their ends, which the last may lack.
func splitLines(data []byte) []string {
	l := strings.SplitAfter(string(data), "\n")
	if n := len(l); l[n-1] == "" {
		l = l[:n-1]
	}
	return l
}

// isText reports whether contents have lines to compare.
func isText(data []byte) bool { return bytes.IndexByte(data, 0) < 0 && utf8.Valid(data) }

// A side is a file before or after a change, or nil.
type side struct {
	data []byte
	mode string // as git has it: "100644"
}

// around is how many lines stand around a change.
const around = 3

// patch writes a change as git does, so that git apply and patch read it.
func patch(name string, before, after *side) string {
	var b strings.Builder
	a, z := gitQuote("a/"+name), gitQuote("b/"+name)
	fmt.Fprintf(&b, "diff --git %s %s\n", a, z)
	switch {
	case before == nil:
		fmt.Fprintf(&b, "new file mode %s\n", after.mode)
		before, a = new(side), "/dev/null"
	case after == nil:
		fmt.Fprintf(&b, "deleted file mode %s\n", before.mode)
		after, z = new(side), "/dev/null"
	case before.mode != after.mode:
		fmt.Fprintf(&b, "old mode %s\nnew mode %s\n", before.mode, after.mode)
	}
	if bytes.Equal(before.data, after.data) {
		return b.String()
	}
	if !isText(before.data) || !isText(after.data) {
		fmt.Fprintf(&b, "Binary files %s and %s differ\n", a, z)
		return b.String()
	}
	fmt.Fprintf(&b, "--- %s\n+++ %s\n", a, z)
	old, now := splitLines(before.data), splitLines(after.data)
	hunks := diffLines(old, now)
	for len(hunks) > 0 {
		n := 1 // those so near to each other that they share a header
		for n < len(hunks) && hunks[n].from-hunks[n-1].to <= 2*around {
			n++
		}
		writeHunks(&b, old, now, hunks[:n])
		hunks = hunks[n:]
	}
	return b.String()
}

func writeHunks(b *strings.Builder, old, now []string, hunks []hunk) {
	first, last := hunks[0], hunks[len(hunks)-1]
	lead, trail := min(around, first.from), min(around, len(old)-last.to)
	span := func(from, to int) string {
		if to-from == 0 {
			return fmt.Sprintf("%d,0", from)
		}
		return fmt.Sprintf("%d,%d", from+1, to-from)
	}
	fmt.Fprintf(b, "@@ -%s +%s @@\n", span(first.from-lead, last.to+trail), span(first.at-lead, last.end+trail))
	line := func(sign, text string) {
		b.WriteString(sign)
		b.WriteString(text)
		if !strings.HasSuffix(text, "\n") {
			b.WriteString("\n\\ No newline at end of file\n")
		}
	}
	at := first.from - lead
	for _, h := range hunks {
		for ; at < h.from; at++ {
			line(" ", old[at])
		}
		for ; at < h.to; at++ {
			line("-", old[at])
		}
		for _, text := range now[h.at:h.end] {
			line("+", text)
		}
	}
	for ; at < last.to+trail; at++ {
		line(" ", old[at])
	}
}

// gitQuote is a name as git writes it: as it is, or in quotes if that could be misread.
func gitQuote(name string) string {
	if !strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == '"' || r == '\\' || r >= 0x7f }) {
		return name
	}
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(name) {
		switch c := name[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < ' ' || c >= 0x7f:
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// merge returns what base becomes by both changes, if they are at different places of a text.
func merge(base, ours, theirs []byte) ([]byte, bool) {
	if !isText(base) || !isText(ours) || !isText(theirs) {
		return nil, false
	}
	old, a, b := splitLines(base), splitLines(ours), splitLines(theirs)
	x, y := diffLines(old, a), diffLines(old, b)
	var out strings.Builder
	at := 0
	for len(x) > 0 || len(y) > 0 {
		h, from, text := hunk{}, &x, a
		switch {
		case len(x) > 0 && len(y) > 0 && x[0].from <= y[0].to && y[0].from <= x[0].to:
			return nil, false // they touch: what belongs together can't be told
		case len(x) == 0 || len(y) > 0 && y[0].from < x[0].from:
			from, text = &y, b
		}
		h, *from = (*from)[0], (*from)[1:]
		for ; at < h.from; at++ {
			out.WriteString(old[at])
		}
		for _, line := range text[h.at:h.end] {
			out.WriteString(line)
		}
		at = h.to
	}
	for ; at < len(old); at++ {
		out.WriteString(old[at])
	}
	return []byte(out.String()), true
}
