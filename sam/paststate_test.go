package sam_test

import (
	"context"
	"errors"
	"io/fs"
	"testing"

	"samkit.dev/sam"
)

func TestCheckpointState(t *testing.T) {
	ctx := t.Context()
	ws := sam.NewWorkspace(sam.NewMemStore(), "ada", nil)
	p, err := ws.Create(ctx, "notes", nil)
	if err != nil {
		t.Fatal(err)
	}
	put := func(s sam.State, key, value string) {
		t.Helper()
		if _, err := s.Space.Commit(ctx, sam.Op{Key: key, Value: []byte(value), If: sam.Any}); err != nil {
			t.Fatal(err)
		}
	}
	made := func(parts sam.Parts) string {
		t.Helper()
		c, err := p.Checkpoint(ctx, "", parts)
		if err != nil {
			t.Fatal(err)
		}
		return c.ID
	}
	get := func(s sam.State, key string) string {
		value, _, err := s.Space.Get(ctx, key)
		if errors.Is(err, fs.ErrNotExist) {
			return "none"
		}
		return string(value)
	}
	for i := range 600 { // several commits of the copy
		put(p.State(), "kv/n/"+string(rune('a'+i%26))+string(rune('a'+i/26)), "x")
	}
	put(p.State(), "kv/a", "1")
	put(p.State(), "db/DB/head", "h1")
	files, kv, both := made(sam.Parts{}), made(sam.Parts{KV: true}), made(sam.Parts{KV: true, DB: true})
	put(p.State(), "kv/a", "2")
	put(p.State(), "db/DB/head", "h2")

	then, err := p.CheckpointState(ctx, both, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, err := range then.Space.List(ctx, "kv/", "") {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	if n != 601 || get(then, "kv/a") != "1" || get(then, "db/DB/head") != "h1" {
		t.Errorf("then: %d keys, %s, %s", n, get(then, "kv/a"), get(then, "db/DB/head"))
	}
	put(then, "kv/a", "3") // is forgotten
	again, err := p.CheckpointState(ctx, both, 1<<20)
	if err != nil || get(again, "kv/a") != "1" || get(p.State(), "kv/a") != "2" {
		t.Errorf("the copy is not one: %s, %s, %v", get(again, "kv/a"), get(p.State(), "kv/a"), err)
	}
	half, err := p.CheckpointState(ctx, kv, 1<<20)
	if err != nil || get(half, "kv/a") != "1" || get(half, "db/DB/head") != "none" {
		t.Errorf("of KV: %s, %s, %v", get(half, "kv/a"), get(half, "db/DB/head"), err)
	}
	for _, id := range []string{files, "none"} {
		if _, err := p.CheckpointState(ctx, id, 1<<20); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("of %s: %v", id, err)
		}
	}
	var limit *sam.LimitError
	if _, err := p.CheckpointState(ctx, both, 100); !errors.As(err, &limit) || limit.Max != 100 {
		t.Errorf("of too much: %v", err)
	}
	if _, _, err := then.Blobs.Put(ctx, nil); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("a blob: %v", err)
	}
}

func TestWatchState(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	ws := sam.NewWorkspace(sam.NewMemStore(), "ada", nil)
	p, err := ws.Create(ctx, "notes", nil)
	if err != nil {
		t.Fatal(err)
	}
	changes := p.WatchState(ctx)
	if err := p.WriteFile(ctx, "a.txt", []byte("no state")); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"kv/a", "db/DB/head"} {
		if _, err := p.State().Space.Commit(ctx, sam.Op{Key: key, Value: []byte("1"), If: sam.Any}); err != nil {
			t.Fatal(err)
		}
	}
	var seen []sam.Parts
	for part, err := range changes {
		if err != nil {
			if !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("the end: %v", err)
			}
			break
		}
		if seen = append(seen, part); len(seen) == 2 {
			if err := ws.Delete(ctx, "notes"); err != nil {
				t.Fatal(err)
			}
		}
	}
	if len(seen) < 2 || !seen[0].KV || seen[0].DB || seen[1].KV || !seen[1].DB {
		t.Errorf("seen %+v", seen)
	}
}
