package kv_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"testing"
	"testing/synctest"
	"time"

	"samkit.dev/kv"
	"samkit.dev/sam"
)

// countingGets counts what is read of a space that counts its changes.
type countingGets struct {
	sam.Space
	gets int
}

func (s *countingGets) Get(ctx context.Context, key string) ([]byte, sam.Entry, error) {
	s.gets++
	return s.Space.Get(ctx, key)
}

func (s *countingGets) Changes() uint64 { return s.Space.(sam.Counter).Changes() }

func TestCache(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := t.Context()
		st := newState()
		space := &countingGets{Space: st.Space}
		ns := kv.New(sam.State{Space: space, Blobs: st.Blobs}, "KV")
		other := kv.New(st, "KV")
		get := func(key, want string, gets int) {
			t.Helper()
			before := space.gets
			e, err := ns.Get(ctx, key)
			if want == "" && !errors.Is(err, fs.ErrNotExist) || want != "" && (err != nil || string(e.Value) != want) {
				t.Errorf("%s: %q, %v; want %q", key, e.Value, err, want)
			}
			clear(e.Value) // it is the caller's
			clear(e.Metadata)
			if n := space.gets - before; n != gets {
				t.Errorf("%s: %d reads, want %d", key, n, gets)
			}
		}
		put := func(ns *kv.Namespace, key, value string, expires time.Time) {
			t.Helper()
			if err := ns.Put(ctx, kv.Entry{Key: key, Value: []byte(value), Metadata: []byte(`{}`), Expires: expires}); err != nil {
				t.Fatal(err)
			}
		}
		get("a", "", 1)
		get("a", "", 0)
		put(ns, "a", "one", time.Time{})
		get("a", "one", 1)
		get("a", "one", 0)
		if e, _ := ns.Get(ctx, "a"); string(e.Metadata) != "{}" {
			t.Errorf("metadata %q", e.Metadata)
		}
		// Whoever writes, and whatever.
		put(other, "a", "two", time.Time{})
		get("a", "two", 1)
		put(other, "b", "x", time.Time{})
		get("a", "two", 1)
		get("b", "x", 1)
		get("a", "two", 0)
		if err := other.Delete(ctx, "a"); err != nil {
			t.Fatal(err)
		}
		get("a", "", 1)
		// Time passes in the cache, too.
		put(ns, "t", "now", time.Now().Add(2*time.Minute))
		get("t", "now", 1)
		get("t", "now", 0)
		time.Sleep(3 * time.Minute)
		get("t", "", 1)
		// What is large is not kept.
		large := string(bytes.Repeat([]byte("x"), 20_000))
		put(ns, "large", large, time.Time{})
		get("large", large, 1)
		get("large", large, 1)
		// Nor is too much of what is small.
		for i := range 500 {
			put(ns, fmt.Sprint("k", i), string(bytes.Repeat([]byte("x"), 1000)), time.Time{})
		}
		for range 2 {
			for i := range 500 {
				ns.Get(ctx, fmt.Sprint("k", i))
			}
		}
		get("k499", string(bytes.Repeat([]byte("x"), 1000)), 0)
		get("k0", string(bytes.Repeat([]byte("x"), 1000)), 1)
		// A call that is over gets nothing from it either.
		over, cancel := context.WithCancel(ctx)
		cancel()
		if _, err := ns.Get(over, "k499"); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
	})
}
