package workbench

import "sync"

// A topic counts changes and wakes those who wait for the next.
type topic struct {
	mu      sync.Mutex
	n       uint64
	changed chan struct{} // closed by the next change
}

func newTopic() *topic { return &topic{changed: make(chan struct{})} }

func (t *topic) publish() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.n++
	close(t.changed)
	t.changed = make(chan struct{})
}

// look returns the number of changes so far and a channel closed by the next.
func (t *topic) look() (uint64, <-chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.n, t.changed
}
