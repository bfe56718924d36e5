package script

import (
	"crypto/sha256"
	"slices"
	"sync"

	"samkit.dev/internal/jscheck"
)

// checked are scripts that have passed the check, so that one that is saved and then run, or run many times, is
// checked once.
type checked struct {
	mu    sync.Mutex // guards the rest
	known []passed   // the latest used last
	size  int
}

// A passed is what a script became. It is immutable.
type passed struct {
	key     checkedKey
	code, m []byte // JavaScript and its map
	needs   string // see jscheck.Program
}

type checkedKey struct {
	source     [sha256.Size]byte
	javaScript bool
}

// maxChecked is how many bytes a Runner keeps of scripts that have passed.
const maxChecked = 1 << 20

// check returns what a script becomes, or why it must not run.
func (c *checked) check(code string, o *jscheck.Options) (*passed, []jscheck.Problem) {
	key := checkedKey{sha256.Sum256([]byte(code)), o.JavaScript}
	if p := c.find(key); p != nil {
		return p, nil
	}
	program, problems := jscheck.Check([]byte(code), o)
	if program == nil {
		return nil, problems
	}
	p := passed{key, program.Code, program.Map, program.Needs}
	c.keep(p)
	return &p, nil
}

func (c *checked) find(key checkedKey) *passed {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := slices.IndexFunc(c.known, func(p passed) bool { return p.key == key })
	if i < 0 {
		return nil
	}
	p := c.known[i]
	c.known = append(slices.Delete(c.known, i, i+1), p)
	return &p
}

func (c *checked) keep(p passed) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if slices.ContainsFunc(c.known, func(q passed) bool { return q.key == p.key }) {
		return // somebody else was faster
	}
	c.known, c.size = append(c.known, p), c.size+p.bytes()
	for c.size > maxChecked || len(c.known) > 100 {
		c.size -= c.known[0].bytes()
		c.known = slices.Delete(c.known, 0, 1)
	}
}

func (p *passed) bytes() int { return len(p.code) + len(p.m) }
