package script

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"samkit.dev/internal/jscheck"
)

// TestChecked proves that a script that has passed is not checked again, that types tell scripts apart, and that what is kept has bounds.
func TestChecked(t *testing.T) {
	var c checked
	js, ts := &jscheck.Options{JavaScript: true}, &jscheck.Options{}
	first, problems := c.check("return 1", js)
	if first == nil {
		t.Fatal(problems)
	}
	if again, _ := c.check("return 1", js); &again.code[0] != &first.code[0] {
		t.Error("the same script was checked twice")
	}
	if other, _ := c.check("return 1", ts); other == nil || &other.code[0] == &first.code[0] {
		t.Error("TypeScript is taken for JavaScript")
	}
	if p, _ := c.check("const x: number = 1; return x", ts); p == nil {
		t.Error("TypeScript is refused")
	}
	for range 2 {
		if p, problems := c.check("const x: number = 1; return x", js); p != nil || len(problems) == 0 {
			t.Error("types are JavaScript")
		}
		if p, problems := c.check("return fetch", ts); p != nil || len(problems) != 1 {
			t.Error("a blocked script passed", problems)
		}
	}
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for k := range 40 {
				if p, problems := c.check(fmt.Sprintf("return %d", k), js); p == nil || !strings.Contains(string(p.code), fmt.Sprintf("return %d;", k)) {
					t.Error(i, k, problems)
				}
			}
		})
	}
	wg.Wait()
	for i := range 10 {
		if p, problems := c.check(fmt.Sprintf("return [%s %d]", strings.Repeat("'x',", 40<<10), i), js); p == nil {
			t.Fatal(problems)
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	size := 0
	for _, p := range c.known {
		size += p.bytes()
	}
	if size != c.size || size > maxChecked || len(c.known) == 0 || len(c.known) > 100 {
		t.Errorf("%d scripts of %d bytes, counted as %d", len(c.known), size, c.size)
	}
}
