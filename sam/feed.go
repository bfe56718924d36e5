package sam

import (
	"context"
	"hash/maphash"
	"io/fs"
	"iter"
	"strings"
	"sync"
	"sync/atomic"
)

// feedStripes is how many counters a Feed has. Spaces that share one cause each
// other a needless look at a key, no error.
const feedStripes = 1024

// A Feed tells watchers of a store's commits, so that its author implements
// [Watcher] and [Counter] in a line each. It is safe for concurrent use; get
// one from [NewFeed].
type Feed struct {
	seed   maphash.Seed
	counts [feedStripes]atomic.Uint64

	mu     sync.Mutex // guards the rest
	closed bool
	subs   map[string]map[*subscription]bool // by space
}

// NewFeed returns a Feed without watchers.
func NewFeed() *Feed {
	return &Feed{seed: maphash.MakeSeed(), subs: map[string]map[*subscription]bool{}}
}

func (f *Feed) count(space string) *atomic.Uint64 {
	return &f.counts[maphash.String(f.seed, space)%feedStripes]
}

// Changes implements [Counter] for a space.
func (f *Feed) Changes(space string) uint64 { return f.count(space).Load() }

// Publish reports a commit. The store calls it in the order of the commits,
// when their effect can be read and before they are acknowledged.
func (f *Feed) Publish(space string, entries ...Entry) {
	f.count(space).Add(1)
	f.mu.Lock()
	defer f.mu.Unlock()
	for s := range f.subs[space] {
		s.add(entries)
	}
}

// Drop reports that a space was dropped.
func (f *Feed) Drop(space string) { f.Publish(space, Entry{}) }

// Close ends all watches with an error matching fs.ErrClosed.
func (f *Feed) Close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	for _, subs := range f.subs {
		for s := range subs {
			s.close()
		}
	}
	clear(f.subs)
}

// Watch implements [Watcher] for a space.
func (f *Feed) Watch(ctx context.Context, space, prefix string) iter.Seq2[Entry, error] {
	s := &subscription{prefix: prefix, last: map[string]int{}, wake: make(chan struct{}, 1)}
	f.mu.Lock()
	if f.closed {
		s.closed = true
	} else {
		if f.subs[space] == nil {
			f.subs[space] = map[*subscription]bool{}
		}
		f.subs[space][s] = true
	}
	f.mu.Unlock()
	// The subscription starts here, not with the loop, so that nothing is missed
	// in between. A watch that is never ranged over ends with ctx.
	stop := context.AfterFunc(ctx, func() { f.remove(space, s) })
	return func(yield func(Entry, error) bool) {
		defer func() { stop(); f.remove(space, s) }()
		for ctx.Err() == nil {
			entries, closed := s.take()
			for _, e := range entries {
				if ctx.Err() != nil || !yield(e, nil) {
					return
				}
			}
			if closed {
				yield(Entry{}, fs.ErrClosed)
				return
			}
			if len(entries) > 0 {
				continue
			}
			select {
			case <-s.wake:
			case <-ctx.Done():
			}
		}
	}
}

// watched reports whether anyone watches a space.
func (f *Feed) watched(space string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.subs[space]) > 0
}

func (f *Feed) remove(space string, s *subscription) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.subs[space], s)
	if len(f.subs[space]) == 0 {
		delete(f.subs, space)
	}
}

// A subscription queues the newest entry of each key, in the order of the
// commits, so that a slow reader costs at most one entry a key.
type subscription struct {
	prefix string
	wake   chan struct{} // holds a token if there is something to take

	mu     sync.Mutex // guards the rest
	queue  []Entry
	last   map[string]int // the index in queue of a key's entry
	stale  int            // entries of queue that a newer one replaced
	closed bool
}

func (s *subscription) add(entries []Entry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range entries {
		if e.Key != "" && !strings.HasPrefix(e.Key, s.prefix) {
			continue
		}
		if _, ok := s.last[e.Key]; ok {
			s.stale++
		}
		s.last[e.Key] = len(s.queue)
		s.queue = append(s.queue, e)
	}
	if s.stale > 64 && s.stale > len(s.queue)/2 {
		s.queue = s.fresh()
		for i, e := range s.queue {
			s.last[e.Key] = i
		}
		s.stale = 0
	}
	s.signal()
}

// fresh returns the entries that no later one replaced.
func (s *subscription) fresh() []Entry {
	var kept []Entry
	for i, e := range s.queue {
		if s.last[e.Key] == i {
			kept = append(kept, e)
		}
	}
	return kept
}

func (s *subscription) take() (entries []Entry, closed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	entries = s.fresh()
	s.queue, s.stale = nil, 0
	clear(s.last)
	return entries, s.closed
}

func (s *subscription) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.signal()
}

func (s *subscription) signal() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}
