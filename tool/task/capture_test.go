package task

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// Wherever a secret stands in a stream, nothing that gives it away is in the report.
func TestRedact(t *testing.T) {
	secret := "hunter2-and-more"
	env := []string{"A=b", "TOKEN=" + secret, "EMPTY="}
	r := rand.New(rand.NewPCG(1, 1))
	for _, size := range []int{100, keepOutput - 5, keepOutput, keepOutput + 100, 2 * keepOutput, 10 * keepOutput} {
		for _, at := range []int{0, 50, keepOutput - len(secret), keepOutput - 8, keepOutput - 1, keepOutput, size - keepOutput - 8, size - 1, size} {
			if at < 0 || at > size {
				continue
			}
			text := strings.Repeat(".", at) + secret + strings.Repeat(".", size-at)
			var c capture
			w := c.with(nil)
			for rest := text; rest != ""; {
				n := min(len(rest), 1+r.IntN(5000))
				w.Write([]byte(rest[:n]))
				rest = rest[n:]
			}
			out := c.output(env)
			if shown := out.Head + out.Tail; strings.Contains(shown, "hunter2") || strings.Contains(shown, "-more") || strings.Contains(shown, "and") || out.Size != int64(len(text)) {
				t.Errorf("%d at %d: …%q, %q…", size, at, out.Head[max(0, len(out.Head)-40):], out.Tail[:min(len(out.Tail), 40)])
			}
		}
	}
}

// A flood costs no more than a report holds.
func TestFlood(t *testing.T) {
	var c capture
	w := c.with(nil)
	block := []byte(strings.Repeat("0123456789abcdef", 4096))
	for range 200 {
		w.Write(block)
	}
	if len(c.head) != keepOutput || cap(c.tail) > 8*keepOutput {
		t.Errorf("%d and %d bytes are held", len(c.head), cap(c.tail))
	}
	if out := c.output(nil); out.Size != int64(200*len(block)) || len(out.Tail) != keepOutput || !strings.HasSuffix(out.Tail, "ef") {
		t.Errorf("%d bytes, tail of %d", out.Size, len(out.Tail))
	}
}
