package sam_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"samkit.dev/sam"
)

func TestSweep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := t.Context()
		s := sam.NewMemStore()
		w := sam.NewWorkspace(s, "o", nil)
		p := create(t, w, "p", sam.Files{"kept": large, "eight": "12345678", "gone": large + "gone", "moved": large + "moved"})
		state, _, err := p.State().Blobs.Put(ctx, strings.NewReader("state"))
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Apply(ctx, sam.Edit{Name: "gone", Remove: true, IfHash: "*"}, sam.Edit{Name: "moved", Rename: "a", IfHash: "*"}); err != nil {
			t.Fatal(err)
		}
		sweep := func(wanted int) {
			t.Helper()
			if n, err := sam.Sweep(ctx, s); n != wanted || err != nil {
				t.Errorf("Sweep = %d, %v; want %d", n, err, wanted)
			}
		}
		sweep(0) // all is young
		time.Sleep(2 * time.Hour)
		sweep(1)
		wantFile(t, p, "kept", large)
		wantFile(t, p, "a", large+"moved")
		if ok, _ := s.Blobs().Has(ctx, state); !ok {
			t.Error("Sweep took what the state keeps")
		}
		// A copy keeps what the original had, although it is old.
		if _, err := w.Clone(ctx, "p", "q", sam.Parts{KV: true}); err != nil {
			t.Fatal(err)
		}
		if err := w.Delete(ctx, "p"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Hour)
		sweep(0)
		if err := w.Delete(context.WithoutCancel(ctx), "q"); err != nil {
			t.Fatal(err)
		}
		sweep(3)
	})
}
