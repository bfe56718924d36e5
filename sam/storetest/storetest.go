// Package storetest tests implementations of [sam.Store]. A store that passes
// needs no other test of its semantics:
//
//	func TestStore(t *testing.T) {
//		storetest.Run(t, func(t testing.TB) sam.Store { return newStore() })
//	}
//
// Run it with the race detector too. The optional interfaces of a Space are
// tested where they are found.
package storetest

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"slices"
	"testing"
	"time"

	"samkit.dev/sam"
)

// Run runs the conformance suite. Each call of open returns a new, empty store;
// the suite closes it. A store that keeps its data takes [RunDir].
func Run(t *testing.T, open func(t testing.TB) sam.Store) {
	s := suite{open}
	t.Run("Conditions", s.conditions)
	t.Run("NoVersionReuse", s.noVersionReuse)
	t.Run("Atomic", s.atomic)
	t.Run("Entries", s.entries)
	t.Run("Order", s.order)
	t.Run("Paging", s.paging)
	t.Run("WriteWhileListing", s.writeWhileListing)
	t.Run("Isolation", s.isolation)
	t.Run("Spaces", s.spaces)
	t.Run("Drop", s.drop)
	t.Run("NoAliasing", s.noAliasing)
	t.Run("Counter", s.counter)
	t.Run("ConcurrentSpaces", s.concurrentSpaces)
	t.Run("Canceled", s.canceled)
	t.Run("Limits", s.limits)
	t.Run("FileKeys", s.fileKeys)
	t.Run("Closed", s.closed)
	t.Run("Blobs", s.blobs)
	t.Run("Sweep", s.sweep)
	t.Run("Changes", s.changes)
	t.Run("Watch", s.watch)
	t.Run("WatchEnds", s.watchEnds)
	t.Run("View", s.view)
}

// RunDir runs the suite for a store that lives in a directory, and checks that
// what it acknowledged is there when the directory is opened again.
func RunDir(t *testing.T, open func(t testing.TB, dir string) sam.Store) {
	Run(t, func(t testing.TB) sam.Store { return open(t, t.TempDir()) })
	t.Run("Reopen", func(t *testing.T) { reopen(t, open) })
}

type suite struct {
	open func(t testing.TB) sam.Store
}

// store opens a store that ends with the test.
func (s suite) store(t testing.TB) sam.Store {
	t.Helper()
	st := s.open(t)
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return st
}

func put(key, value string, cond sam.Version) sam.Op {
	return sam.Op{Key: key, Value: []byte(value), If: cond}
}

func remove(key string, cond sam.Version) sam.Op {
	return sam.Op{Key: key, Delete: true, If: cond}
}

// commit makes a commit that must succeed.
func commit(t testing.TB, p sam.Space, ops ...sam.Op) []sam.Version {
	t.Helper()
	vs, err := p.Commit(context.Background(), ops...)
	if err != nil {
		t.Fatalf("Commit: %v", err)
	}
	if len(vs) != len(ops) {
		t.Fatalf("Commit of %d ops returned %d versions", len(ops), len(vs))
	}
	return vs
}

// conflict makes a commit that must fail with ErrConflict.
func conflict(t testing.TB, p sam.Space, ops ...sam.Op) {
	t.Helper()
	if vs, err := p.Commit(context.Background(), ops...); !errors.Is(err, sam.ErrConflict) {
		t.Fatalf("Commit returned %v, %v; want an error matching ErrConflict", vs, err)
	}
}

// want checks the value of a key and returns its entry.
func want(t testing.TB, p sam.Space, key, value string) sam.Entry {
	t.Helper()
	got, e, err := p.Get(context.Background(), key)
	if err != nil {
		t.Fatalf("Get %.40q: %v", key, err)
	}
	if string(got) != value {
		t.Fatalf("Get %.40q = %.40q (%d bytes), want %.40q (%d bytes)", key, got, len(got), value, len(value))
	}
	return e
}

// missing checks that a key is not there.
func missing(t testing.TB, p sam.Space, key string) {
	t.Helper()
	if got, _, err := p.Get(context.Background(), key); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("Get %.40q = %.40q, %v; want an error matching fs.ErrNotExist", key, got, err)
	}
}

// keys lists a space.
func keys(t testing.TB, p sam.Space, prefix, after string) []string {
	t.Helper()
	var ks []string
	for e, err := range p.List(context.Background(), prefix, after) {
		if err != nil {
			t.Fatalf("List %q after %q: %v", prefix, after, err)
		}
		ks = append(ks, e.Key)
	}
	return ks
}

func wantKeys(t testing.TB, p sam.Space, prefix, after string, wanted ...string) {
	t.Helper()
	if got := keys(t, p, prefix, after); !slices.Equal(got, wanted) {
		t.Fatalf("List %q after %q = %.200q, want %.200q", prefix, after, got, wanted)
	}
}

func (s suite) conditions(t *testing.T) {
	p := s.store(t).Space("p")
	missing(t, p, "a")
	a := commit(t, p, put("a", "1", sam.Absent))[0]
	if a == sam.Absent || a == sam.Any {
		t.Fatalf("Commit returned the version %q", a)
	}
	conflict(t, p, put("a", "2", sam.Absent))
	conflict(t, p, sam.Op{Key: "a", Value: []byte("2")})
	conflict(t, p, put("a", "2", a+"x"))
	conflict(t, p, put("b", "2", a))
	want(t, p, "a", "1")
	b := commit(t, p, put("a", "2", a))[0]
	if b == a {
		t.Fatal("a write kept the version")
	}
	conflict(t, p, put("a", "3", a))
	conflict(t, p, remove("a", a))
	conflict(t, p, remove("a", sam.Absent))
	c := commit(t, p, put("a", "3", sam.Any))[0]
	if e := want(t, p, "a", "3"); e.Version != c {
		t.Fatalf("Get has version %q, Commit returned %q", e.Version, c)
	}
	if v := commit(t, p, remove("a", c))[0]; v != sam.Absent {
		t.Fatalf("a delete returned version %q", v)
	}
	missing(t, p, "a")
	commit(t, p, remove("a", sam.Any))
	commit(t, p, remove("a", sam.Absent))
	conflict(t, p, remove("a", c))
	if vs, err := p.Commit(t.Context()); err != nil || len(vs) != 0 {
		t.Fatalf("a commit of nothing returned %v, %v", vs, err)
	}
}

func (s suite) noVersionReuse(t *testing.T) {
	st := s.store(t)
	p := st.Space("p")
	seen := map[sam.Version]bool{}
	write := func(how string) {
		t.Helper()
		v := commit(t, p, put("a", "same", sam.Any))[0]
		if seen[v] {
			t.Fatalf("version %q was used again %s", v, how)
		}
		seen[v] = true
	}
	write("at first")
	write("by the same value")
	commit(t, p, remove("a", sam.Any))
	write("after a delete")
	for range 3 {
		if err := st.Drop(t.Context(), "p"); err != nil {
			t.Fatal(err)
		}
		write("after Drop")
		write("after Drop and another write")
	}
}

func (s suite) atomic(t *testing.T) {
	p := s.store(t).Space("p")
	v := commit(t, p, put("x", "1", sam.Absent), put("y", "1", sam.Absent))
	conflict(t, p, put("new", "1", sam.Absent), remove("y", v[1]), put("x", "2", sam.Absent))
	wantKeys(t, p, "", "", "x", "y")
	want(t, p, "x", "1")
	commit(t, p, put("x", "2", v[0]), remove("y", v[1]), put("z", "2", sam.Absent))
	wantKeys(t, p, "", "", "x", "z")
	if vs, err := p.Commit(t.Context(), put("x", "3", sam.Any), put("x", "4", sam.Any)); err == nil {
		t.Fatalf("a commit that names a key twice returned %v", vs)
	}
	want(t, p, "x", "2")

	// Readers of many keys at once see each commit whole.
	const n = 20
	all := func(value string) []sam.Op {
		var ops []sam.Op
		for i := range n {
			ops = append(ops, put(string(rune('a'+i)), value, sam.Any))
		}
		return ops
	}
	commit(t, p, all("0")...)
	done := make(chan error, 1)
	go func() {
		for i := range 50 {
			if _, err := p.Commit(context.Background(), all(string(rune('0'+i)))...); err != nil {
				done <- err
				return
			}
		}
		done <- nil
	}()
	for range 50 {
		// The last key is read first: it is never newer than the first one.
		last := mustGet(t, p, string(rune('a'+n-1)))
		first := mustGet(t, p, "a")
		if first < last {
			t.Fatalf("saw half of a commit: %q before %q", first, last)
		}
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}

func mustGet(t testing.TB, p sam.Space, key string) string {
	t.Helper()
	b, _, err := p.Get(context.Background(), key)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func (s suite) entries(t *testing.T) {
	p := s.store(t).Space("p")
	before := time.Now().Add(-5 * time.Second)
	v := commit(t, p, put("k", "hello", sam.Absent), put("empty", "", sam.Absent))
	e := want(t, p, "k", "hello")
	if e.Key != "k" || e.Version != v[0] || e.Size != 5 {
		t.Fatalf("Get returned %+v, want key k, version %q, size 5", e, v[0])
	}
	if e.ModTime.Before(before) || e.ModTime.After(time.Now().Add(5*time.Second)) {
		t.Fatalf("ModTime = %v, now is %v", e.ModTime, time.Now())
	}
	if e := want(t, p, "empty", ""); e.Size != 0 || e.Version != v[1] {
		t.Fatalf("entry of an empty value: %+v", e)
	}
	for l, err := range p.List(t.Context(), "k", "") {
		if err != nil {
			t.Fatal(err)
		}
		if l.Key != e.Key || l.Version != e.Version || l.Size != e.Size || !l.ModTime.Equal(e.ModTime) {
			t.Fatalf("List has %+v, Get %+v", l, e)
		}
	}
	big := bytes.Repeat([]byte("0123456789abcdef"), sam.MaxValue/16)
	commit(t, p, sam.Op{Key: "big", Value: big, If: sam.Absent})
	want(t, p, "big", string(big))
}
