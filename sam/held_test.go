package sam

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"testing"
)

// TestMoreThanHeld uses a project whose small files are more than is kept in memory.
func TestMoreThanHeld(t *testing.T) {
	ctx := t.Context()
	s := NewMemStore()
	w := NewWorkspace(s, "o", nil)
	p, err := w.Create(ctx, "p", nil)
	if err != nil {
		t.Fatal(err)
	}
	contents := func(i int) []byte { return bytes.Repeat([]byte{byte(i), byte(i >> 8)}, maxInline/2) }
	const n = maxHeld/maxInline + 50
	var edits []Edit
	for i := range n {
		edits = append(edits, Edit{Name: fmt.Sprintf("f%04d", i), Data: contents(i)})
	}
	if err := p.Apply(ctx, edits...); err != nil {
		t.Fatal(err)
	}
	q, err := NewWorkspace(s, "o", nil).Open(ctx, "p") // reads it anew
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []*Project{p, q} {
		x := p.cur.Load().x
		if x.held > maxHeld {
			t.Fatalf("%d bytes are held", x.held)
		}
		bare := 0
		for _, r := range x.files {
			if r.data == nil {
				bare++
			}
		}
		if bare < 50 {
			t.Fatalf("only %d files are not held", bare)
		}
	}
	var bare string
	for name, r := range q.cur.Load().x.files {
		if r.data == nil {
			bare = name
		}
	}
	view := q.FS(ctx)
	want, err := fs.ReadFile(view, bare)
	if err != nil || len(want) != maxInline {
		t.Fatalf("%d bytes, %v", len(want), err)
	}
	if err := p.WriteFile(ctx, bare, []byte("new")); err != nil {
		t.Fatal(err)
	}
	if data, err := fs.ReadFile(view, bare); !errors.Is(err, ErrConflict) {
		t.Errorf("the view read %d bytes, %v, of a later moment", len(data), err)
	}
	if data, err := q.ReadFile(ctx, bare); string(data) != "new" || err != nil {
		t.Errorf("ReadFile = %d bytes, %v", len(data), err)
	}
	for name, r := range q.cur.Load().x.files {
		if r.data == nil {
			bare = name
		}
	}
	want, _ = q.ReadFile(ctx, bare)
	if err := q.Apply(ctx, Edit{Name: bare, Rename: "renamed", IfHash: "*"}); err != nil {
		t.Fatal(err)
	}
	if data, err := p.ReadFile(ctx, "renamed"); !bytes.Equal(data, want) || err != nil {
		t.Errorf("the renamed file has %d bytes, %v", len(data), err)
	}
	c, err := w.Clone(ctx, "p", "c", Parts{})
	if err != nil {
		t.Fatal(err)
	}
	if data, err := c.ReadFile(ctx, "renamed"); !bytes.Equal(data, want) || err != nil {
		t.Errorf("the copied file has %d bytes, %v", len(data), err)
	}
}

func TestCacheIsBounded(t *testing.T) {
	ctx := t.Context()
	w := NewWorkspace(NewMemStore(), "o", nil)
	first, err := w.Create(ctx, "p0", Files{"a": "1"})
	if err != nil {
		t.Fatal(err)
	}
	for i := range cacheProjects + 10 {
		if _, err := w.Create(ctx, ProjectID(fmt.Sprint("q", i)), nil); err != nil {
			t.Fatal(err)
		}
	}
	if n := w.recent.Len(); n != cacheProjects || len(w.cached) != n {
		t.Errorf("%d and %d projects are cached", n, len(w.cached))
	}
	// A handle that fell out agrees with the one that came in.
	second, err := w.Open(ctx, "p0")
	if err != nil || second == first {
		t.Fatalf("the first project is still cached, or %v", err)
	}
	if err := first.WriteFile(ctx, "a", []byte("2")); err != nil {
		t.Fatal(err)
	}
	if data, err := second.ReadFile(ctx, "a"); string(data) != "2" || err != nil {
		t.Errorf("the handles differ: %q, %v", data, err)
	}
	big := bytes.Repeat([]byte("x"), maxInline)
	for i := range 2*cacheBytes/maxHeld + 2 {
		p, err := w.Open(ctx, ProjectID(fmt.Sprint("q", i)))
		if err != nil {
			t.Fatal(err)
		}
		var edits []Edit
		for j := range maxHeld / maxInline / 2 {
			edits = append(edits, Edit{Name: fmt.Sprint(j), Data: big})
		}
		if err := p.Apply(ctx, edits...); err != nil {
			t.Fatal(err)
		}
	}
	var sum int64
	for e := w.recent.Front(); e != nil; e = e.Next() {
		sum += e.Value.(*cachedProject).weight
	}
	if w.bytes != sum || sum > cacheBytes {
		t.Errorf("%d bytes are cached, counted as %d; at most %d may be", sum, w.bytes, cacheBytes)
	}
}
