package sam_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"time"

	"samkit.dev/kv"
	"samkit.dev/sam"
)

func checkpoint(t testing.TB, p *sam.Project, parts sam.Parts) sam.Checkpoint {
	t.Helper()
	c, err := p.Checkpoint(context.Background(), "label", parts)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func restore(t testing.TB, p *sam.Project, id string, parts sam.Parts) sam.Checkpoint {
	t.Helper()
	c, err := p.Restore(context.Background(), id, parts)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func checkpointIDs(t testing.TB, p *sam.Project) (ids []string) {
	t.Helper()
	for c, err := range p.Checkpoints(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, c.ID)
	}
	return ids
}

func TestRestoreFiles(t *testing.T) {
	stores(t, func(t *testing.T, s sam.Store) {
		ctx := t.Context()
		w := sam.NewWorkspace(s, "o", nil)
		p := create(t, w, "p", sam.Files{"index.html": "1", "d/kept": "k", "d/gone": "g", "large": large, "empty": ""})
		write(t, p, "index.html", "uncommitted") // edits before the checkpoint are in it
		first, err := p.Checkpoint(sam.WithAuthor(ctx, "agent"), "before", sam.Parts{})
		if err != nil {
			t.Fatal(err)
		}
		if first.Label != "before" || first.By != "agent" || first.Files != 5 || first.Bytes != int64(len("uncommitted"+"kg"+large)) {
			t.Errorf("%+v", first)
		}
		err = p.Apply(ctx,
			sam.Edit{Name: "d/gone", Remove: true, IfHash: "*"}, sam.Edit{Name: "large", Remove: true, IfHash: "*"},
			sam.Edit{Name: "Index.htm", Data: []byte("new")}, sam.Edit{Name: "index.html", Data: []byte(large + "2"), IfHash: "*"},
			sam.Edit{Name: "large/is/a/folder", Data: []byte("now")})
		if err != nil {
			t.Fatal(err)
		}
		undo := restore(t, p, first.ID, sam.Parts{})
		wantNames(t, p, "d/gone", "d/kept", "empty", "index.html", "large")
		wantFile(t, p, "index.html", "uncommitted")
		wantFile(t, p, "large", large)
		wantFile(t, p, "d/gone", "g")
		if !strings.Contains(undo.Label, "before") {
			t.Errorf("the checkpoint of what was replaced is called %q", undo.Label)
		}
		restore(t, p, undo.ID, sam.Parts{})
		wantNames(t, p, "Index.htm", "d/kept", "empty", "index.html", "large/is/a/folder")
		wantFile(t, p, "index.html", large+"2")
		if got := checkpointIDs(t, p); len(got) != 3 || got[2] != first.ID || got[1] != undo.ID {
			t.Errorf("checkpoints %q", got)
		}
		// Another handle of the project, from another workspace, sees the same.
		q, err := sam.NewWorkspace(s, "o", nil).Open(ctx, "p")
		if err != nil {
			t.Fatal(err)
		}
		restore(t, q, first.ID, sam.Parts{})
		wantFile(t, p, "index.html", "uncommitted")
		if _, err := p.Restore(ctx, "none", sam.Parts{}); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Restore of a missing checkpoint: %v", err)
		}
		if _, err := p.Restore(ctx, first.ID, sam.Parts{KV: true}); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Restore of a state that was not kept: %v", err)
		}
		if _, err := p.Checkpoint(ctx, "", sam.Parts{Secrets: []string{"A"}}); err == nil {
			t.Error("a checkpoint of secrets")
		}
	})
}

func TestRestoreState(t *testing.T) {
	stores(t, func(t *testing.T, s sam.Store) {
		ctx := t.Context()
		w := sam.NewWorkspace(s, "o", nil)
		p := create(t, w, "p", sam.Files{"a": "1"})
		ns := kv.New(p.State(), "KV")
		put := func(key, value string) {
			t.Helper()
			if err := ns.Put(ctx, kv.Entry{Key: key, Value: []byte(value)}); err != nil {
				t.Fatal(err)
			}
		}
		state := func(p *sam.Project) string {
			t.Helper()
			var all []string
			ns := kv.New(p.State(), "KV")
			for e, err := range ns.List(ctx, "", "") {
				if err != nil {
					t.Fatal(err)
				}
				e, err := ns.Get(ctx, e.Key)
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, fmt.Sprintf("%s=%.8s/%d", e.Key, e.Value, len(e.Value)))
			}
			return strings.Join(all, " ")
		}
		for i := range 300 {
			put(fmt.Sprint("k", i), strings.Repeat("x", i))
		}
		put("large", large)
		want := state(p)
		both := sam.Parts{KV: true, DB: true}
		first := checkpoint(t, p, both)
		put("k7", "changed")
		put("new", "n")
		put("large", large+"2")
		if err := ns.Delete(ctx, "k100", "k200"); err != nil {
			t.Fatal(err)
		}
		write(t, p, "a", "2")
		later := state(p)

		restore(t, p, first.ID, sam.Parts{})
		wantFile(t, p, "a", "1")
		if got := state(p); got != later {
			t.Fatal("restoring the files changed the state")
		}
		write(t, p, "a", "2")
		undo := restore(t, p, first.ID, both)
		wantFile(t, p, "a", "1")
		if got := state(p); got != want {
			t.Fatalf("state is %.200s\nwant %.200s", got, want)
		}
		restore(t, p, undo.ID, both)
		wantFile(t, p, "a", "2")
		if got := state(p); got != later {
			t.Fatal("the restore was not undone")
		}
		f, err := w.Fork(ctx, "p", first.ID, "f", sam.Parts{KV: true})
		if err != nil {
			t.Fatal(err)
		}
		wantFile(t, f, "a", "1")
		if got := state(f); got != want {
			t.Fatal("the fork has another state")
		}
		if got := checkpointIDs(t, f); len(got) != 0 {
			t.Errorf("the fork has checkpoints %q", got)
		}
		if _, err := w.Fork(ctx, "p", first.ID, "f", sam.Parts{}); !errors.Is(err, fs.ErrExist) {
			t.Errorf("Fork over a project: %v", err)
		}
		if _, err := w.Fork(ctx, "p", "none", "g", sam.Parts{}); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Fork of nothing: %v", err)
		}
	})
}

func TestDeleteCheckpoints(t *testing.T) {
	stores(t, func(t *testing.T, s sam.Store) {
		ctx := t.Context()
		p := create(t, sam.NewWorkspace(s, "o", nil), "p", sam.Files{"a": "1", "large": large})
		kept := func() (keys []string) {
			for e, err := range s.Space("o/p").List(ctx, "", "") {
				if err != nil {
					t.Fatal(err)
				}
				if c := e.Key[0]; (c == 'o' || c == 'l') && e.Key[1] == '/' {
					keys = append(keys, e.Key)
				}
			}
			return keys
		}
		one := checkpoint(t, p, sam.Parts{})
		only := kept()
		again := checkpoint(t, p, sam.Parts{})
		if got := kept(); !slices.Equal(got, only) {
			t.Errorf("the same was stored twice: %d keys, then %d", len(only), len(got))
		}
		write(t, p, "a", "2")
		write(t, p, "large", large+"2")
		two := checkpoint(t, p, sam.Parts{})
		if err := p.DeleteCheckpoints(ctx, two.ID, "none"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("deleting a missing one: %v", err)
		}
		if err := p.DeleteCheckpoints(ctx, two.ID, two.ID); err != nil {
			t.Fatal(err)
		}
		if got := kept(); !slices.Equal(got, only) {
			t.Errorf("%d keys are left of %d", len(got), len(only))
		}
		if got := checkpointIDs(t, p); !slices.Equal(got, []string{again.ID, one.ID}) {
			t.Errorf("checkpoints %q", got)
		}
		if err := p.DeleteCheckpoints(ctx, again.ID); err != nil {
			t.Fatal(err)
		}
		restore(t, p, one.ID, sam.Parts{})
		wantFile(t, p, "a", "1")
		wantFile(t, p, "large", large)
		if err := p.DeleteCheckpoints(ctx, checkpointIDs(t, p)...); err != nil {
			t.Fatal(err)
		}
		if got := kept(); len(got) != 0 {
			t.Errorf("without checkpoints %q are kept", got)
		}
		if next := checkpoint(t, p, sam.Parts{}); next.ID <= two.ID {
			t.Errorf("after %s came %s", two.ID, next.ID)
		}
	})
}

func TestDiff(t *testing.T) {
	ctx := t.Context()
	p := create(t, sam.NewWorkspace(sam.NewMemStore(), "o", nil), "p", sam.Files{"a": "1", "b": "2", "c": "3", "e": "", "same": "s"})
	first := checkpoint(t, p, sam.Parts{})
	err := p.Apply(ctx, sam.Edit{Name: "a", Data: []byte("one"), IfHash: "*"}, sam.Edit{Name: "b", Rename: "z", IfHash: "*"},
		sam.Edit{Name: "c", Remove: true, IfHash: "*"}, sam.Edit{Name: "e", Remove: true, IfHash: "*"}, sam.Edit{Name: "e2"}, sam.Edit{Name: "n", Data: []byte("new")})
	if err != nil {
		t.Fatal(err)
	}
	second := checkpoint(t, p, sam.Parts{})
	diff := func(a, b string) string {
		t.Helper()
		changes, err := p.Diff(ctx, a, b)
		if err != nil {
			t.Fatal(err)
		}
		var s []string
		for _, c := range changes {
			s = append(s, fmt.Sprintf("%s %s(%d) %s(%d)", c.Kind(), c.Before.Name, c.Before.Size, c.After.Name, c.After.Size))
		}
		return strings.Join(s, ", ")
	}
	const want = "changed a(1) a(3), removed c(1) (0), removed e(0) (0), added (0) e2(0), added (0) n(3), renamed b(1) z(1)"
	if got := diff(first.ID, second.ID); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if got := diff(first.ID, ""); got != want {
		t.Errorf("with the present: %s", got)
	}
	if got := diff("", second.ID) + diff("", "") + diff(first.ID, first.ID); got != "" {
		t.Errorf("without changes: %s", got)
	}
	if got := diff("", first.ID); !strings.HasPrefix(got, "changed a(3) a(1), renamed z(1) b(1), added (0) c(1)") {
		t.Errorf("backwards: %s", got)
	}
	if _, err := p.Diff(ctx, "none", ""); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Diff of a missing checkpoint: %v", err)
	}
	view, err := p.CheckpointFS(ctx, first.ID)
	if err != nil {
		t.Fatal(err)
	}
	if data, err := fs.ReadFile(view, "c"); string(data) != "3" || err != nil {
		t.Errorf("the file is %q, %v", data, err)
	}
}

// Writes that come while checkpoints are made and restored are whole in one of
// them, or there afterwards.
func TestRestoreWhileWriting(t *testing.T) {
	stores(t, func(t *testing.T, s sam.Store) {
		ctx := t.Context()
		w := sam.NewWorkspace(s, "o", nil)
		p := create(t, w, "p", sam.Files{"f": "0"})
		both := sam.Parts{KV: true, DB: true}
		empty := checkpoint(t, p, both)
		const writers, each = 3, 40
		done := make(chan error, writers)
		for g := range writers {
			go func() {
				// Each has a handle of its own.
				p, err := sam.NewWorkspace(s, "o", nil).Open(ctx, "p")
				for i := 0; i < each && err == nil; i++ {
					key := fmt.Sprintf("kv/%d/%03d", g, i)
					_, err = p.State().Space.Commit(ctx, sam.Op{Key: key + "/a", If: sam.Any}, sam.Op{Key: key + "/b", If: sam.Any})
					if err == nil {
						name := fmt.Sprintf("%d-%03d", g, i)
						err = p.Apply(ctx, sam.Edit{Name: name + "/a", IfHash: "*"}, sam.Edit{Name: name + "/b", IfHash: "*"})
					}
				}
				done <- err
			}()
		}
		found := map[string]bool{}
		look := func(p *sam.Project, id string) {
			t.Helper()
			for e, err := range p.State().Space.List(ctx, "kv/", "") {
				if err != nil {
					t.Fatal(err)
				}
				found[e.Key] = true
			}
			n := map[string]int{}
			for f, err := range p.Files(ctx, "") {
				if err != nil {
					t.Fatal(err)
				}
				found[f.Name] = true
				dir, _, _ := strings.Cut(f.Name, "/")
				n[dir]++
			}
			for dir, files := range n {
				// A writer's files come after its keys: one moment has both.
				g, i, ok := strings.Cut(dir, "-")
				if !ok {
					continue
				}
				if key := "kv/" + g + "/" + i; files != 2 || id != "" && (!found[key+"/a"] || !found[key+"/b"]) {
					t.Errorf("%s of %s is half there", dir, id)
				}
			}
		}
		for running, n := writers, 0; running > 0; n++ {
			select {
			case err := <-done:
				if err != nil {
					t.Fatal(err)
				}
				running--
				continue
			default:
			}
			c := checkpoint(t, p, both)
			if n%2 == 0 {
				c = restore(t, p, empty.ID, both)
			}
			f, err := w.Fork(ctx, "p", c.ID, sam.ProjectID(fmt.Sprint("f", n)), both)
			if err != nil {
				t.Fatal(err)
			}
			look(f, c.ID)
			if err := w.Delete(ctx, f.ID()); err != nil {
				t.Fatal(err)
			}
		}
		look(p, "")
		for g := range writers {
			for i := range each {
				for _, key := range []string{fmt.Sprintf("kv/%d/%03d/", g, i), fmt.Sprintf("%d-%03d/", g, i)} {
					if !found[key+"a"] || !found[key+"b"] {
						t.Fatalf("%s is lost", key)
					}
				}
			}
		}
	})
}

func TestCheckpointLimits(t *testing.T) {
	stores(t, func(t *testing.T, s sam.Store) {
		ctx := t.Context()
		limits := sam.Limits{Checkpoints: 3, HistoryBytes: 300 << 10}
		p := create(t, sam.NewWorkspace(s, "o", &sam.Options{Limits: limits}), "p", sam.Files{"a": "1"})
		over := func(what string, err error) {
			t.Helper()
			var limit *sam.LimitError
			if !errors.As(err, &limit) || limit.Limit != what {
				t.Errorf("%v, want a LimitError of %s", err, what)
			}
		}
		first := checkpoint(t, p, sam.Parts{})
		checkpoint(t, p, sam.Parts{})
		checkpoint(t, p, sam.Parts{})
		_, err := p.Checkpoint(ctx, "", sam.Parts{})
		over("Checkpoints", err)
		write(t, p, "a", "2")
		_, err = p.Restore(ctx, first.ID, sam.Parts{})
		over("Checkpoints", err)
		wantFile(t, p, "a", "2")
		if err := p.DeleteCheckpoints(ctx, checkpointIDs(t, p)[:2]...); err != nil {
			t.Fatal(err)
		}
		checkpoint(t, p, sam.Parts{})

		// What was refused takes no room for good.
		p = create(t, sam.NewWorkspace(s, "o", &sam.Options{Limits: limits}), "q", nil)
		size := func() (n int64) {
			for e, err := range s.Space("o/q").List(ctx, "o/", "") {
				if err != nil {
					t.Fatal(err)
				}
				n += e.Size
			}
			return n
		}
		for i := range 5 {
			var edits []sam.Edit
			for j := range 5 {
				edits = append(edits, sam.Edit{Name: fmt.Sprint("s", j), Data: []byte(fmt.Sprint(i, j) + large[:61<<10]), IfHash: "*"})
			}
			if err := p.Apply(ctx, edits...); err != nil {
				t.Fatal(err)
			}
			_, err = p.Checkpoint(ctx, "", sam.Parts{})
			over("HistoryBytes", err)
		}
		if n := size(); n > limits.HistoryBytes {
			t.Errorf("%d bytes are kept", n)
		}
		write(t, p, "s0", "")
		checkpoint(t, p, sam.Parts{})
		checkpoint(t, p, sam.Parts{}) // adds nothing
		write(t, p, "s1", large[:60<<10])
		_, err = p.Checkpoint(ctx, "", sam.Parts{})
		over("HistoryBytes", err)
		if err := p.DeleteCheckpoints(ctx, checkpointIDs(t, p)...); err != nil {
			t.Fatal(err)
		}
		checkpoint(t, p, sam.Parts{})
	})
}

func TestCheckpointCanceled(t *testing.T) {
	stores(t, func(t *testing.T, s sam.Store) {
		p := create(t, sam.NewWorkspace(s, "o", nil), "p", sam.Files{"a": "1"})
		c := checkpoint(t, p, sam.Parts{KV: true})
		write(t, p, "a", "2")
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := p.Checkpoint(ctx, "", sam.Parts{KV: true}); !errors.Is(err, context.Canceled) {
			t.Errorf("Checkpoint: %v", err)
		}
		if _, err := p.Restore(ctx, c.ID, sam.Parts{KV: true}); !errors.Is(err, context.Canceled) {
			t.Errorf("Restore: %v", err)
		}
		if err := p.DeleteCheckpoints(ctx, c.ID); !errors.Is(err, context.Canceled) {
			t.Errorf("DeleteCheckpoints: %v", err)
		}
		wantFile(t, p, "a", "2")
		if got := checkpointIDs(t, p); !slices.Equal(got, []string{c.ID}) {
			t.Errorf("checkpoints %q", got)
		}
	})
}

// TestLargeState has a state of which most is stored before others have to wait.
func TestLargeState(t *testing.T) {
	stores(t, func(t *testing.T, s sam.Store) {
		ctx := t.Context()
		p := create(t, sam.NewWorkspace(s, "o", nil), "p", sam.Files{"a": "1"})
		put := func(n int) {
			t.Helper()
			for i := range 6 {
				var ops []sam.Op
				for j := range 5 {
					v := []byte(fmt.Sprint(n, i, j, strings.Repeat("v", 300<<10))) // each its own chunk, in a blob
					ops = append(ops, sam.Op{Key: fmt.Sprintf("kv/%d/%d", i, j), Value: v, If: sam.Any},
						sam.Op{Key: fmt.Sprintf("db/x/%d/%d", i, j), Value: v[:20<<10], If: sam.Any})
				}
				if _, err := p.State().Space.Commit(ctx, ops...); err != nil {
					t.Fatal(err)
				}
			}
		}
		is := func(n int) {
			t.Helper()
			for i := range 6 {
				for j := range 5 {
					for _, key := range []string{fmt.Sprintf("kv/%d/%d", i, j), fmt.Sprintf("db/x/%d/%d", i, j)} {
						v, _, err := p.State().Space.Get(ctx, key)
						if want := fmt.Sprint(n, i, j, "vvv"); err != nil || !strings.HasPrefix(string(v), want) {
							t.Fatalf("%s is %.20q, %v, want %q", key, v, err, want)
						}
					}
				}
			}
		}
		both := sam.Parts{KV: true, DB: true}
		put(1)
		first := checkpoint(t, p, both)
		put(2)
		undo := restore(t, p, first.ID, both)
		is(1)
		put(3)
		restore(t, p, undo.ID, both)
		is(2)
	})
}

// A restore is seen by who watches the files.
func TestWatchRestore(t *testing.T) {
	stores(t, func(t *testing.T, s sam.Store) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		p := create(t, sam.NewWorkspace(s, "o", nil), "p", sam.Files{"a": "1", "b": "1"})
		c := checkpoint(t, p, sam.Parts{})
		err := p.Apply(ctx, sam.Edit{Name: "a", Data: []byte("2"), IfHash: "*"}, sam.Edit{Name: "b", Remove: true, IfHash: "*"}, sam.Edit{Name: "c"})
		if err != nil {
			t.Fatal(err)
		}
		events := p.Watch(ctx)
		restore(t, p, c.ID, sam.Parts{})
		var got []string
		for f, err := range events {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, fmt.Sprint(f.Name, f.Hash != ""))
			if len(got) == 3 {
				break
			}
		}
		if want := []string{"atrue", "btrue", "cfalse"}; !slices.Equal(got, want) {
			t.Errorf("watched %q, want %q", got, want)
		}
	})
}

// What is damaged is said to be, and leaves the project as it is.
func TestDamagedCheckpoint(t *testing.T) {
	ctx := t.Context()
	s := sam.NewMemStore()
	p := create(t, sam.NewWorkspace(s, "o", nil), "p", sam.Files{"a": "1", "b": "b"})
	c := checkpoint(t, p, sam.Parts{})
	write(t, p, "a", "2")
	write(t, p, "b", "2")
	space := s.Space("o/p")
	keys := []string{"c/" + c.ID}
	for e, err := range space.List(ctx, "o/", "") {
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, e.Key)
	}
	for _, key := range keys {
		value, _, err := space.Get(ctx, key)
		if err != nil {
			t.Fatal(err)
		}
		for _, damaged := range [][]byte{nil, value[:len(value)/2], append(slices.Clone(value), 0), []byte(strings.Repeat("x", len(value)))} {
			op := sam.Op{Key: key, Value: damaged, If: sam.Any, Delete: damaged == nil}
			if _, err := space.Commit(ctx, op); err != nil {
				t.Fatal(err)
			}
			if _, err := p.Restore(ctx, c.ID, sam.Parts{}); err == nil {
				t.Errorf("%s is damaged, and was restored", key)
			}
			wantFile(t, p, "a", "2")
			wantFile(t, p, "b", "2")
		}
		if _, err := space.Commit(ctx, sam.Op{Key: key, Value: value, If: sam.Any}); err != nil {
			t.Fatal(err)
		}
	}
	restore(t, p, c.ID, sam.Parts{})
	wantFile(t, p, "a", "1")
}
