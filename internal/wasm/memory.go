package wasm

import (
	"runtime"
	"sync/atomic"
	"weak"

	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

// A Memory is a linear memory.
type Memory struct {
	// Type has the limits that it was declared with.
	Type Limits
	// Grown is called when the memory has grown, from within the code that grew it if need
	// be: the bytes of before are not the memory's any more.
	Grown func()
	// Value is for whoever uses the package: what stands for the memory elsewhere.
	Value any

	store *Store
	inst  *Instance // that made it, or nil
	mod   api.Module
	mem   api.Memory
}

// NewMemory returns a memory that no instance has made.
func (s *Store) NewMemory(t Limits) (*Memory, error) {
	if !s.reserve(int64(t.Min) * PageSize) {
		return nil, ErrMemory
	}
	var w builder
	w.memories.add(func(b []byte) []byte { return appendLimits(b, t) })
	w.export(hidden(MemoryKind, 0), MemoryKind, 0)
	l := s.linear(int64(t.Min) * PageSize)
	code, err := s.small(&w)
	if err != nil {
		return nil, err
	}
	mod, err := s.start(code, nil, l)
	if err != nil {
		return nil, err
	}
	m := &Memory{Type: t, store: s, mod: mod, mem: mod.Memory()}
	l.attach(m)
	s.closeWith(m, mod, code)
	return m, nil
}

// Bytes returns the memory's bytes, which alias it until it grows.
func (m *Memory) Bytes() []byte {
	b, _ := m.mem.Read(0, m.mem.Size())
	return b
}

// Pages returns the size.
func (m *Memory) Pages() uint32 { return m.mem.Size() / PageSize }

// Grow makes the memory larger, and returns the pages it had.
func (m *Memory) Grow(delta uint32) (before uint32, ok bool) {
	before = m.Pages()
	if uint64(before)+uint64(delta) > uint64(m.max()) {
		return before, false
	}
	if delta == 0 {
		if m.Grown != nil {
			m.Grown()
		}
		return before, true
	}
	return m.mem.Grow(delta)
}

func (m *Memory) max() uint32 {
	if m.Type.HasMax {
		return m.Type.Max
	}
	return maxPages
}

// A linear is the bytes of a memory. It counts them, and tells when they move.
type linear struct {
	store *Store
	b     []byte
	taken *charge
	owner weak.Pointer[Memory]
	max   uint64
}

// A charge is what a memory has taken of the store's limit. It stands apart, so that
// it can be given back when the memory is gone.
type charge struct {
	used *atomic.Int64
	n    atomic.Int64
}

// linear returns what will hold the bytes of a new memory, for which reserved bytes
// have been taken.
func (s *Store) linear(reserved int64) *linear {
	l := &linear{store: s, taken: &charge{used: s.used}}
	l.taken.n.Store(reserved)
	return l
}

// attach ties the bytes to the memory that they are.
func (l *linear) attach(m *Memory) {
	l.owner = weak.Make(m)
	runtime.AddCleanup(m, func(c *charge) { c.used.Add(-c.n.Load()) }, l.taken)
}

// Allocate implements experimental.MemoryAllocator.
func (l *linear) Allocate(_, max uint64) experimental.LinearMemory {
	l.max = max
	return l
}

// Reallocate implements experimental.LinearMemory.
func (l *linear) Reallocate(size uint64) []byte {
	if more := int64(size) - l.taken.n.Load(); more > 0 {
		if !l.store.reserve(more) {
			return nil
		}
		l.taken.n.Add(more)
	}
	if size <= uint64(cap(l.b)) {
		l.b = l.b[:size]
	} else {
		room := size
		if l.b != nil { // it grows, and may again
			room = min(size+size/4, max(l.max, size))
		}
		b := make([]byte, size, room)
		copy(b, l.b)
		l.b = b
	}
	if m := l.owner.Value(); m != nil && m.Grown != nil {
		m.Grown()
	}
	return l.b
}

// Free implements experimental.LinearMemory. The collector frees the bytes, when
// no view of them is left either.
func (l *linear) Free() {}
