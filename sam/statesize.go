package sam

import (
	"context"
	"strings"
	"sync"
	"time"
)

// A stateSize is how much a state holds, or adds.
type stateSize struct {
	bytes   int64
	kvBytes int64 // of those
	kvKeys  int64
}

// add counts a key with a value of size bytes.
func (s *stateSize) add(key string, size int64) {
	n := int64(len(key)) + size
	s.bytes += n
	if strings.HasPrefix(key, kvPrefix) {
		s.kvBytes += n
		s.kvKeys++
	}
}

// blobSize is the size of contents, which only KV has.
func blobSize(n int64) stateSize { return stateSize{bytes: n, kvBytes: n} }

func (s stateSize) plus(t stateSize) stateSize {
	return stateSize{s.bytes + t.bytes, s.kvBytes + t.kvBytes, s.kvKeys + t.kvKeys}
}

// over returns the limit that s passes.
func (s stateSize) over(l *Limits) error {
	switch {
	case s.bytes > l.StateBytes:
		return &LimitError{Limit: "StateBytes", Max: l.StateBytes}
	case s.kvBytes > l.KVBytes:
		return &LimitError{Limit: "KVBytes", Max: l.KVBytes}
	case s.kvKeys > l.KVKeys:
		return &LimitError{Limit: "KVKeys", Max: l.KVKeys}
	}
	return nil
}

// A stateUse is what a handle knows of the size of its project's state.
type stateUse struct {
	mu      sync.Mutex    // guards the rest
	counted time.Time     // when size was last exact; zero if never
	cost    time.Duration // of counting, then
	size    stateSize     // at least what is there
	since   stateSize     // added since it was counted
	flight  stateSize     // reserved, and not there yet
}

// due reports whether what is there must be counted before n more may come.
func (u *stateUse) due(n stateSize, l *Limits) bool {
	if u.counted.IsZero() {
		return true
	}
	if time.Since(u.counted) < min(20*u.cost, time.Second) {
		return false
	}
	return u.size.plus(u.flight).plus(n).over(l) != nil ||
		u.since.bytes > l.StateBytes/8 || u.since.kvBytes > l.KVBytes/8 || u.since.kvKeys > l.KVKeys/8
}

// reserve adds what is about to be written, or returns a LimitError.
func (p *Project) reserve(ctx context.Context, n stateSize) error {
	u, limits := &p.state, &p.ws.limits
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.due(n, limits) {
		began := time.Now()
		size, err := countState(ctx, p.space)
		if err != nil {
			return err
		}
		u.size, u.since, u.counted = size, stateSize{}, time.Now()
		u.cost = u.counted.Sub(began)
	}
	if err := u.size.plus(u.flight).plus(n).over(limits); err != nil {
		return err
	}
	u.flight = u.flight.plus(n)
	return nil
}

// settle is told whether what was reserved was written.
func (p *Project) settle(n stateSize, written bool) {
	u := &p.state
	u.mu.Lock()
	defer u.mu.Unlock()
	u.flight = u.flight.plus(stateSize{-n.bytes, -n.kvBytes, -n.kvKeys})
	if written {
		u.size, u.since = u.size.plus(n), u.since.plus(n)
	}
}

// recount has what is there counted before the next write.
func (u *stateUse) recount() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.counted = time.Time{}
}

// countState returns the size of what is there.
func countState(ctx context.Context, s Space) (stateSize, error) {
	var size stateSize
	for _, prefix := range []string{kvPrefix, dbPrefix, claimPrefix} {
		for e, err := range s.List(ctx, prefix, "") {
			if err != nil {
				return stateSize{}, err
			}
			if _, n, ok := parseClaim(e.Key, claimPrefix); ok {
				size = size.plus(blobSize(n))
			}
			size.add(e.Key, e.Size)
		}
	}
	return size, nil
}
