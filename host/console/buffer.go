package console

import (
	"context"
	"iter"
	"sync"
	"time"
)

// MaxBytes is the size that the entries of a buffer have together, at most.
const MaxBytes = 1 << 20

// DefaultEntries is the number of entries of a buffer that names none.
const DefaultEntries = 1000

// A Buffer keeps the newest entries of a project. It is safe for concurrent
// use. The zero Buffer is ready and keeps [DefaultEntries].
type Buffer struct {
	mu      sync.Mutex
	limit   int           // entries; 0 means DefaultEntries
	ring    []Entry       // grows to limit, then wraps
	start   int           // index of the oldest entry in ring
	n       int           // entries held
	bytes   int           // their size
	last    uint64        // Seq of the newest entry ever added
	changed chan struct{} // closed by the next change; nil while nobody asked
}

// NewBuffer returns a buffer of at most n entries and [MaxBytes]; n below 1
// means [DefaultEntries].
func NewBuffer(n int) *Buffer {
	if n < 1 {
		n = DefaultEntries
	}
	return &Buffer{limit: n}
}

// Add appends an entry and gives it the next Seq; the oldest entries make
// room. It waits for nobody: readers never hold up a writer.
func (b *Buffer) Add(e Entry) {
	e.trim()
	if e.Time.IsZero() {
		e.Time = time.Now()
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.last++
	e.Seq = b.last
	size := e.size()
	for b.n > 0 && (b.n == b.max() || b.bytes+size > MaxBytes) {
		b.drop()
	}
	if b.n == len(b.ring) {
		b.grow()
	}
	b.ring[(b.start+b.n)%len(b.ring)] = e
	b.n++
	b.bytes += size
	b.wake()
}

// Clear forgets all entries. Seq goes on counting.
func (b *Buffer) Clear() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ring, b.start, b.n, b.bytes = nil, 0, 0, 0
	b.wake()
}

// Range returns the Seq of the oldest and of the newest entry. An empty
// buffer has first = last+1, where last is the newest entry ever added. A
// panel that shows entries before first after Clear removes them.
func (b *Buffer) Range() (first, last uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.last - uint64(b.n) + 1, b.last
}

// Since yields, oldest first, the entries after seq that the buffer holds when
// the loop begins; those that must make room during the loop are skipped. It
// may be ranged over many times. A seq beyond the newest entry was given out
// by an earlier buffer, before a restart: then all entries are yielded.
func (b *Buffer) Since(seq uint64) iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		// The caller's loop runs without the lock, on entries copied in
		// batches, so that a slow reader holds up nobody.
		var batch [32]Entry
		seq, upto := b.clamp(seq)
		for seq < upto {
			n := b.copyAfter(seq, upto, batch[:])
			if n == 0 {
				return
			}
			for _, e := range batch[:n] {
				seq = e.Seq
				if !yield(e) {
					return
				}
			}
		}
	}
}

// Changed returns a channel that is closed by the next Add or Clear. Ask for
// it before reading with [Buffer.Since]; then no entry is missed.
func (b *Buffer) Changed() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.changed == nil {
		b.changed = make(chan struct{})
	}
	return b.changed
}

// Wait returns the first entry after seq that match accepts, waiting for it if
// need be. A nil match accepts all. It returns ctx's error when ctx is done
// first. An entry that came and went between two looks is missed.
func (b *Buffer) Wait(ctx context.Context, seq uint64, match func(Entry) bool) (Entry, error) {
	for {
		changed := b.Changed()
		for e := range b.Since(seq) {
			if match == nil || match(e) {
				return e, nil
			}
			seq = e.Seq
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return Entry{}, context.Cause(ctx)
		}
	}
}

func (b *Buffer) clamp(seq uint64) (from, upto uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if seq > b.last {
		seq = 0
	}
	return seq, b.last
}

// copyAfter copies entries with seq < Seq <= upto into dst.
func (b *Buffer) copyAfter(seq, upto uint64, dst []Entry) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	i := 0 // offset from the oldest
	if oldest := b.last - uint64(b.n) + 1; seq >= oldest {
		i = int(min(seq-oldest+1, uint64(b.n)))
	}
	n := 0
	for ; i < b.n && n < len(dst); i++ {
		e := b.ring[(b.start+i)%len(b.ring)]
		if e.Seq > upto {
			break
		}
		dst[n] = e
		n++
	}
	return n
}

func (b *Buffer) max() int {
	if b.limit == 0 {
		return DefaultEntries
	}
	return b.limit
}

func (b *Buffer) drop() {
	b.bytes -= b.ring[b.start].size()
	b.ring[b.start] = Entry{} // release its strings
	b.start = (b.start + 1) % len(b.ring)
	b.n--
}

// grow doubles a full ring, up to the limit. An idle project's buffer so costs
// next to nothing.
func (b *Buffer) grow() {
	bigger := make([]Entry, min(max(2*len(b.ring), 16), b.max()))
	n := copy(bigger, b.ring[b.start:])
	copy(bigger[n:], b.ring[:b.start])
	b.ring, b.start = bigger, 0
}

func (b *Buffer) wake() {
	if b.changed != nil {
		close(b.changed)
		b.changed = nil
	}
}
