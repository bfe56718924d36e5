package task

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"
	"strings"
	"sync"
)

// keepOutput is how much of a stream's beginning and end a report holds, in bytes each.
const keepOutput = 16 << 10

// A capture keeps the head and the tail of a stream, its length and its hash. A flood of output costs no
// more than that.
type capture struct {
	mu   sync.Mutex
	also io.Writer
	head []byte
	tail []byte // the last bytes after head; cut to keepOutput now and then
	size int64
	sum  hash.Hash
}

// with returns c, which passes on what is written.
func (c *capture) with(also io.Writer) *capture {
	c.also, c.sum = also, sha256.New()
	return c
}

// Write implements io.Writer. An error of the other writer ends nothing here.
func (c *capture) Write(b []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.size += int64(len(b))
	c.sum.Write(b)
	rest := b
	if n := keepOutput - len(c.head); n > 0 {
		n = min(n, len(rest))
		c.head = append(c.head, rest[:n]...)
		rest = rest[n:]
	}
	if len(rest) > keepOutput {
		rest = rest[len(rest)-keepOutput:]
	}
	if c.tail = append(c.tail, rest...); len(c.tail) > 4*keepOutput {
		c.tail = append(c.tail[:0], c.tail[len(c.tail)-keepOutput:]...)
	}
	if c.also != nil {
		return c.also.Write(b)
	}
	return len(b), nil
}

// output is what a report has of the stream, without the values of env.
func (c *capture) output(env []string) Output {
	c.mu.Lock()
	defer c.mu.Unlock()
	head, tail := string(c.head), string(c.tail[max(0, len(c.tail)-keepOutput):])
	cut := c.size > int64(len(head)+len(tail)) // something between them is left out
	for _, e := range env {
		name, value, _ := strings.Cut(e, "=")
		if len(value) < 4 {
			continue
		}
		const blank = "…"
		hidden := name + "=" + blank
		head, tail = strings.ReplaceAll(head, value, hidden), strings.ReplaceAll(tail, value, hidden)
		for n := len(value) - 1; n > 0; n-- { // what the end of head cut in two, and the beginning of tail
			if tail != "" && strings.HasSuffix(head, value[:n]) && (cut || strings.HasPrefix(tail, value[n:])) {
				head = head[:len(head)-n] + hidden
				tail = strings.TrimPrefix(tail, value[n:])
				break
			}
		}
		for n := len(value) - 1; cut && n > 0; n-- {
			if rest, ok := strings.CutPrefix(tail, value[len(value)-n:]); ok {
				tail = hidden + rest
				break
			}
		}
	}
	text := func(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
	return Output{text(head), text(tail), c.size, hex.EncodeToString(c.sum.Sum(nil))}
}
