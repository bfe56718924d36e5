package task

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// unpatch applies a patch of one file, as its header numbers say.
func unpatch(t *testing.T, old, text string) string {
	t.Helper()
	var out []string
	from := splitLines([]byte(old))
	at := 0
	rows := strings.SplitAfter(text, "\n")
	for i := 0; i < len(rows); i++ {
		row := rows[i]
		if strings.HasPrefix(row, "@@") {
			var start, n int
			var rest string
			if _, err := fmt.Sscanf(row, "@@ -%d,%d +%s", &start, &n, &rest); err != nil {
				t.Fatalf("%q: %v", row, err)
			}
			if n > 0 {
				start--
			}
			out = append(out, from[at:start]...)
			at = start
			continue
		}
		if at == 0 && len(out) == 0 && (strings.HasPrefix(row, "---") || strings.HasPrefix(row, "+++") || strings.HasPrefix(row, "diff") || strings.HasPrefix(row, "new") || strings.HasPrefix(row, "deleted")) || row == "" {
			continue
		}
		line := row[1:]
		if i+1 < len(rows) && strings.HasPrefix(rows[i+1], `\`) {
			line = strings.TrimSuffix(line, "\n")
		}
		switch row[0] {
		case ' ':
			if from[at] != line {
				t.Fatalf("line %d is %q, the patch has %q", at, from[at], line)
			}
			out = append(out, line)
			at++
		case '-':
			if from[at] != line {
				t.Fatalf("line %d is %q, the patch removes %q", at, from[at], line)
			}
			at++
		case '+':
			out = append(out, line)
		}
	}
	return strings.Join(append(out, from[at:]...), "")
}

func randomText(r *rand.Rand, n int) string {
	var b strings.Builder
	for range r.IntN(n) {
		fmt.Fprintf(&b, "%d\n", r.IntN(4))
	}
	if r.IntN(4) == 0 {
		b.WriteString("end")
	}
	return b.String()
}

// The patch of two texts makes one of the other.
func TestPatch(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 3000 {
		a, b := randomText(r, 30), randomText(r, 30)
		if a == b {
			continue
		}
		text := patch("f", &side{[]byte(a), "100644"}, &side{[]byte(b), "100644"})
		if got := unpatch(t, a, text); got != b {
			t.Fatalf("%q to %q: %q\n%s", a, b, got, text)
		}
	}
	long := make([]string, 2*maxEdits)
	for i := range long {
		long[i] = fmt.Sprintln(i)
	}
	other := slices.Clone(long)
	for i := range other {
		other[i] = "x" + other[i]
	}
	if h := diffLines(long, other); !slices.Equal(h, []hunk{{0, len(long), 0, len(long)}}) {
		t.Errorf("%v", h)
	}
}

// A change has no more lines than the smallest one.
func TestSmallest(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 500 {
		a, b := splitLines([]byte(randomText(r, 12))), splitLines([]byte(randomText(r, 12)))
		common := make([][]int, len(a)+1)
		for i := range common {
			common[i] = make([]int, len(b)+1)
		}
		for i := len(a) - 1; i >= 0; i-- {
			for k := len(b) - 1; k >= 0; k-- {
				if common[i][k] = max(common[i+1][k], common[i][k+1]); a[i] == b[k] {
					common[i][k] = common[i+1][k+1] + 1
				}
			}
		}
		n := 0
		for _, h := range diffLines(a, b) {
			n += h.to - h.from + h.end - h.at
		}
		if want := len(a) + len(b) - 2*common[0][0]; n != want {
			t.Fatalf("%q to %q: %d lines, want %d", a, b, n, want)
		}
	}
}

func TestPatchHeaders(t *testing.T) {
	for _, c := range []struct {
		name          string
		before, after *side
		want          string
	}{
		{"a b", nil, &side{[]byte("x\n"), "100755"}, "diff --git a/a b b/a b\nnew file mode 100755\n--- /dev/null\n+++ b/a b\n@@ -0,0 +1,1 @@\n+x\n"},
		{"é\"", &side{[]byte("x"), "100644"}, nil, `diff --git "a/\303\251\"" "b/\303\251\""` + "\ndeleted file mode 100644\n--- " + `"a/\303\251\""` + "\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-x\n\\ No newline at end of file\n"},
		{"m", &side{[]byte("x"), "100644"}, &side{[]byte("x"), "100755"}, "diff --git a/m b/m\nold mode 100644\nnew mode 100755\n"},
		{"bin", &side{[]byte{0}, "100644"}, &side{[]byte{1}, "100644"}, "diff --git a/bin b/bin\nBinary files a/bin and b/bin differ\n"},
		{"empty", nil, &side{nil, "100644"}, "diff --git a/empty b/empty\nnew file mode 100644\n"},
	} {
		if got := patch(c.name, c.before, c.after); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

// Merging is the same whoever comes first, and keeps both changes where it says yes.
func TestMerge(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	merged := 0
	for range 3000 {
		base := "a\nb\nc\nd\ne\nf\ng\nh\n"
		change := func() string {
			l := splitLines([]byte(base))
			for range 1 + r.IntN(2) {
				i := r.IntN(len(l))
				l = slices.Replace(l, i, i+r.IntN(2), fmt.Sprintf("%d\n", r.IntN(100)))
			}
			return strings.Join(l, "")
		}
		x, y := change(), change()
		a, ok := merge([]byte(base), []byte(x), []byte(y))
		b, ok2 := merge([]byte(base), []byte(y), []byte(x))
		if ok != ok2 || string(a) != string(b) {
			t.Fatalf("%q, %q: %q and %q", x, y, a, b)
		}
		if !ok {
			continue
		}
		merged++
		count := func(s string) (n int) {
			for _, line := range splitLines([]byte(s)) {
				if line[0] <= '9' {
					n++
				}
			}
			return n
		}
		if count(string(a)) != count(x)+count(y) {
			t.Fatalf("%q, %q: %q", x, y, a)
		}
	}
	if merged < 500 {
		t.Errorf("only %d were merged", merged)
	}
}
