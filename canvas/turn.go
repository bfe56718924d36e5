package canvas

import (
	"runtime"
	"sync"
)

// A turn lets the pages of one project be rewritten one at a time, some kilobytes each. The work is the handler's and not
// in the share of CPU that the project's worker has, and functions.js can make any number of pages that are nothing but tags. The nil
// turn is always free.
type turn struct{ mu sync.Mutex }

func (t *turn) begin() {
	if t != nil {
		t.mu.Lock()
	}
}

// end lets go, and others run.
func (t *turn) end() {
	if t != nil {
		t.mu.Unlock()
		runtime.Gosched()
	}
}
