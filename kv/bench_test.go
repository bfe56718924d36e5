package kv_test

import (
	"bytes"
	"context"
	"testing"

	"samkit.dev/kv"
	"samkit.dev/sam"
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
