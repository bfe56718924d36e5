package kv_test

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"samkit.dev/kv"
	"samkit.dev/sam"
	"samkit.dev/sam/boltstore"
)

func newState() sam.State {
	st := sam.NewMemStore()
	return sam.State{Space: st.Space("p"), Blobs: st.Blobs()}
}

func BenchmarkGet(b *testing.B) {
	ctx := context.Background()
	ns := kv.New(newState(), "KV")
	if err := ns.Put(ctx, kv.Entry{Key: "greeting", Value: bytes.Repeat([]byte("x"), 100)}); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ns.Get(ctx, "greeting"); err != nil {
			b.Fatal(err)
		}
	}
}

// newProject returns a project in a durable store.
func newProject(tb testing.TB, limits sam.Limits) *sam.Project {
	tb.Helper()
	store, err := boltstore.Open(tb.TempDir())
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { store.Close() })
	p, err := sam.NewWorkspace(store, "me", &sam.Options{Limits: limits}).Create(context.Background(), "app", nil)
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

func BenchmarkDurable(b *testing.B) {
	ctx := context.Background()
	ns := kv.New(newProject(b, sam.Limits{}).State(), "KV")
	e := kv.Entry{Key: "greeting", Value: bytes.Repeat([]byte("x"), 100)}
	b.Run("put", func(b *testing.B) {
		for b.Loop() {
			if err := ns.Put(ctx, e); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("get", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := ns.Get(ctx, "greeting"); err != nil {
				b.Fatal(err)
			}
		}
	})
	for i := range 1000 {
		ns.Put(ctx, kv.Entry{Key: fmt.Sprint("k", i), Value: e.Value})
	}
	b.Run("list 1000", func(b *testing.B) {
		for b.Loop() {
			if entries, _, _, err := ns.ListPage(ctx, "k", "", 1000); err != nil || len(entries) != 1000 {
				b.Fatal(len(entries), err)
			}
		}
	})
}
