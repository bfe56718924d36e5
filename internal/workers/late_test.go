package workers

import (
	"slices"
	"sync"
	"testing"
	"time"

	"samkit.dev/host/console"
)

// TestPrintedBeforeTheEnd has code that prints and then has to be stopped: what it printed is known, which
// is what its author looks at.
func TestPrintedBeforeTheEnd(t *testing.T) {
	eachLevel(t, Options{Limits: Limits{CPU: 500 * time.Millisecond, Wall: time.Minute}}, func(t *testing.T, p *Pool) {
		var mu sync.Mutex
		var printed []string
		a := app(t, `exports.default = { async fetch(r) {
	console.log("begins")
	if (r.url.endsWith("/job")) await null
	console.log("step 1")
	if (r.url.endsWith("/native")) /^(a+)+$(?=b)/.test("a".repeat(40))
	for (;;);
} }`)
		a.Console = func(e console.Entry) {
			mu.Lock()
			defer mu.Unlock()
			printed = append(printed, e.Text)
		}
		for _, path := range []string{"/", "/job", "/native"} {
			failure_(t, p, a, path)
			mu.Lock()
			if !slices.Equal(printed, []string{"begins", "step 1"}) {
				t.Errorf("%s: it is known to have printed %q", path, printed)
			}
			printed = nil
			mu.Unlock()
		}
	})
}
