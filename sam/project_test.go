package sam_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"samkit.dev/sam"
	"samkit.dev/sam/boltstore"
)

// plain hides the optional interfaces of a store, as one has that a stranger
// wrote in an afternoon.
type plain struct{ sam.Store }

type plainSpace struct{ sam.Space }

func (p plain) Space(name string) sam.Space { return plainSpace{p.Store.Space(name)} }

// stores are those that every test of projects runs on.
func stores(t *testing.T, fn func(t *testing.T, s sam.Store)) {
	t.Run("mem", func(t *testing.T) { fn(t, sam.NewMemStore()) })
	t.Run("plain", func(t *testing.T) { fn(t, plain{sam.NewMemStore()}) })
	t.Run("dir", func(t *testing.T) { fn(t, openDir(t, t.TempDir())) })
	t.Run("bolt", func(t *testing.T) {
		s, err := boltstore.Open(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		fn(t, s)
	})
}

func create(t testing.TB, w *sam.Workspace, id sam.ProjectID, fsys fs.FS) *sam.Project {
	t.Helper()
	p, err := w.Create(context.Background(), id, fsys)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func write(t testing.TB, p *sam.Project, name, data string) {
	t.Helper()
	if err := p.WriteFile(context.Background(), name, []byte(data)); err != nil {
		t.Fatal(err)
	}
}

func wantFile(t testing.TB, p *sam.Project, name, data string) {
	t.Helper()
	got, err := p.ReadFile(context.Background(), name)
	if err != nil || string(got) != data {
		t.Fatalf("ReadFile %q = %.40q, %v; want %.40q", name, got, err, data)
	}
}

func wantNames(t testing.TB, p *sam.Project, wanted ...string) {
	t.Helper()
	var got []string
	for f, err := range p.Files(context.Background(), "") {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, f.Name)
	}
	if !slices.Equal(got, wanted) {
		t.Fatalf("Files = %q, want %q", got, wanted)
	}
}

var large = strings.Repeat("0123456789abcdef", 8<<10) // 128 KiB, more than stays in the space

func TestProjectFiles(t *testing.T) {
	stores(t, func(t *testing.T, s sam.Store) {
		ctx := t.Context()
		p := create(t, sam.NewWorkspace(s, "o", nil), "p", sam.Files{"index.html": "hi", "a/large": large, "a/empty": ""})
		wantNames(t, p, "a/empty", "a/large", "index.html")
		wantFile(t, p, "a/large", large)
		wantFile(t, p, "a/empty", "")
		f, err := p.Stat(ctx, "a/large")
		if err != nil || f.Size != int64(len(large)) || f.Hash != sam.Hash([]byte(large)) || time.Since(f.ModTime) > time.Minute {
			t.Errorf("Stat = %+v, %v", f, err)
		}
		for _, name := range []string{"none", "a", "", "../a", "a/large/x", "INDEX.html"} {
			if _, err := p.ReadFile(ctx, name); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("ReadFile %q: %v", name, err)
			}
		}
		data := []byte("abc")
		if err := p.WriteFile(ctx, "b", data); err != nil {
			t.Fatal(err)
		}
		data[0] = 'X'
		got, _ := p.ReadFile(ctx, "b")
		got[1] = 'X'
		wantFile(t, p, "b", "abc")

		before, _ := p.Revision(ctx)
		write(t, p, "b", "abc")
		if after, _ := p.Revision(ctx); after != before {
			t.Error("writing the same made a new revision")
		}
		write(t, p, "b", "abcd")
		if after, _ := p.Revision(ctx); after == before {
			t.Error("writing kept the revision")
		}
		var below []string
		for f := range p.Files(ctx, "a/") {
			below = append(below, f.Name)
		}
		if !slices.Equal(below, []string{"a/empty", "a/large"}) {
			t.Errorf("Files below a/ = %q", below)
		}
	})
}

func TestApply(t *testing.T) {
	stores(t, func(t *testing.T, s sam.Store) {
		ctx := t.Context()
		p := create(t, sam.NewWorkspace(s, "o", nil), "p", sam.Files{"a": "1", "b": "2", "d/x": "3", "l": large})
		hash := func(data string) string { return sam.Hash([]byte(data)) }
		var conflict *sam.ConflictError
		err := p.Apply(ctx, sam.Edit{Name: "b", Data: []byte("new"), IfHash: "*"}, sam.Edit{Name: "a", Data: []byte("x"), IfHash: hash("other")})
		if !errors.As(err, &conflict) || conflict.Hash != hash("1") || conflict.Name != "a" || !errors.Is(err, sam.ErrConflict) {
			t.Fatalf("Apply over a changed file: %v", err)
		}
		wantFile(t, p, "b", "2")
		err = p.Apply(ctx, sam.Edit{Name: "gone", Remove: true, IfHash: hash("1")})
		if !errors.As(err, &conflict) || conflict.Hash != "" {
			t.Fatalf("Apply over a missing file: %v", err)
		}
		if err := p.Apply(ctx, sam.Edit{Name: "a", Data: []byte("x")}); !errors.Is(err, sam.ErrConflict) {
			t.Fatalf("making a file that is there: %v", err)
		}
		for _, e := range []sam.Edit{{Name: "none", Remove: true, IfHash: "*"}, {Name: "none", Rename: "x", IfHash: "*"}} {
			if err := p.Apply(ctx, e); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%+v: %v", e, err)
			}
		}
		for _, e := range []sam.Edit{{Name: "a", Data: []byte{}, Remove: true}, {Name: "a", Rename: "x", Remove: true}, {Name: "a", Rename: "x", Data: []byte{}}} {
			if err := p.Apply(ctx, e); err == nil {
				t.Errorf("%+v was applied", e)
			}
		}
		for _, to := range []string{"b", "B", "d", "D/y", "b/x", "../x"} {
			e := sam.Edit{Name: "a", Rename: to, IfHash: "*"}
			if err := p.Apply(ctx, e); !errors.Is(err, fs.ErrInvalid) {
				t.Errorf("rename to %q: %v", to, err)
			}
		}
		wantNames(t, p, "a", "b", "d/x", "l")

		// Each edit sees what those before it did.
		err = p.Apply(ctx,
			sam.Edit{Name: "a", Rename: "c", IfHash: hash("1")},
			sam.Edit{Name: "a", Data: []byte("again")},
			sam.Edit{Name: "c", Data: []byte("c2"), IfHash: hash("1")},
			sam.Edit{Name: "b", Remove: true, IfHash: "*"},
			sam.Edit{Name: "b/file", Data: []byte("in a folder now")},
			sam.Edit{Name: "l", Rename: "L", IfHash: "*"},
			sam.Edit{Name: "tmp", Data: []byte("t")},
			sam.Edit{Name: "tmp", Remove: true, IfHash: hash("t")})
		if err != nil {
			t.Fatal(err)
		}
		wantNames(t, p, "L", "a", "b/file", "c", "d/x")
		wantFile(t, p, "a", "again")
		wantFile(t, p, "c", "c2")
		wantFile(t, p, "L", large)

		// A failed Apply leaves no trace in what is refused later.
		p.Apply(ctx, sam.Edit{Name: "fresh", Data: []byte("1")}, sam.Edit{Name: "c", Remove: true, IfHash: "*"}, sam.Edit{Name: "none", Remove: true, IfHash: "*"})
		write(t, p, "FRESH", "ok")
		if err := p.WriteFile(ctx, "C", nil); !errors.Is(err, fs.ErrExist) {
			t.Errorf("c beside C: %v", err)
		}
	})
}

func TestNamesInProject(t *testing.T) {
	ctx := t.Context()
	p := create(t, sam.NewWorkspace(sam.NewMemStore(), "o", nil), "p", sam.Files{"Read.me": "1", "é.txt": "2", "d/x": "3"})
	for _, name := range []string{"read.me", "e\u0301.txt", "d", "Read.me/x", "D/y", "../x", "con", "a\\b", "~x", "x."} {
		err := p.WriteFile(ctx, name, []byte("x"))
		var ne *sam.NameError
		if !errors.As(err, &ne) || ne.Name != name {
			t.Errorf("writing %q: %v, want a *NameError", name, err)
		}
	}
	wantFile(t, p, "e\u0301.txt", "2") // the same name in another form
}

func TestLimits(t *testing.T) {
	ctx := t.Context()
	w := sam.NewWorkspace(sam.NewMemStore(), "o", &sam.Options{Limits: sam.Limits{Files: 3, FileBytes: 100, ProjectBytes: 150}})
	want := func(err error, limit string) {
		t.Helper()
		var le *sam.LimitError
		if !errors.As(err, &le) || le.Limit != limit {
			t.Errorf("%v, want a *LimitError of %s", err, limit)
		}
	}
	p := create(t, w, "p", sam.Files{"a": strings.Repeat("a", 100), "b": ""})
	want(p.WriteFile(ctx, "c", make([]byte, 101)), "FileBytes")
	want(p.WriteFile(ctx, "c", make([]byte, 51)), "ProjectBytes")
	write(t, p, "c", strings.Repeat("c", 50))
	want(p.WriteFile(ctx, "d", nil), "Files")
	want(p.WriteFile(ctx, "b", []byte("x")), "ProjectBytes")
	write(t, p, "a", "")
	write(t, p, "b", "x")
	wantNames(t, p, "a", "b", "c")
	_, err := w.Create(ctx, "q", sam.Files{"a": "", "b": "", "c": "", "d": ""})
	want(err, "Files")
	_, err = w.Create(ctx, "q", sam.Files{"a": strings.Repeat("a", 101)})
	want(err, "FileBytes")
	_, err = w.Create(ctx, "q", sam.Files{"a": strings.Repeat("a", 100), "b": strings.Repeat("a", 51)})
	want(err, "ProjectBytes")
	if _, err := w.Open(ctx, "q"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a refused project was made: %v", err)
	}
}

func TestFS(t *testing.T) {
	stores(t, func(t *testing.T, s sam.Store) {
		files := sam.Files{"index.html": "hi", "a/b/c.txt": "c", "a.txt": "a", "a/large": large, "z/empty": ""}
		p := create(t, sam.NewWorkspace(s, "o", nil), "p", files)
		view := p.FS(t.Context())
		if err := fstest.TestFS(view, "index.html", "a/b/c.txt", "a.txt", "a/large", "z/empty"); err != nil {
			t.Fatal(err)
		}
		if err := fstest.TestFS(files, "index.html", "a/b/c.txt", "a.txt", "a/large", "z/empty"); err != nil {
			t.Fatal(err)
		}
		sub, err := fs.Sub(view, "a/b")
		if err != nil {
			t.Fatal(err)
		}
		// The view stays what it was.
		if err := p.Apply(t.Context(), sam.Edit{Name: "a/b/c.txt", Data: []byte("new"), IfHash: "*"},
			sam.Edit{Name: "index.html", Remove: true, IfHash: "*"}, sam.Edit{Name: "a/b/new", Data: []byte("new")}); err != nil {
			t.Fatal(err)
		}
		if data, err := fs.ReadFile(sub, "c.txt"); string(data) != "c" || err != nil {
			t.Errorf("the view reads %q, %v", data, err)
		}
		if data, err := fs.ReadFile(view, "index.html"); string(data) != "hi" || err != nil {
			t.Errorf("the view reads %q, %v", data, err)
		}
		if names, err := fs.Glob(view, "a/b/*"); len(names) != 1 || err != nil {
			t.Errorf("the view lists %q, %v", names, err)
		}
		f, err := view.Open("a/large")
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		info, _ := f.Stat()
		if file, ok := info.Sys().(sam.File); !ok || file.Hash != sam.Hash([]byte(large)) {
			t.Errorf("Sys = %v", info.Sys())
		}
		if n, err := f.(io.Seeker).Seek(-1, io.SeekEnd); n != int64(len(large))-1 || err != nil {
			t.Errorf("Seek = %d, %v", n, err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		view = p.FS(ctx)
		cancel()
		if _, err := fs.ReadFile(view, "a.txt"); !errors.Is(err, context.Canceled) {
			t.Errorf("a view whose context ended: %v", err)
		}
	})
}

func TestHandlesAgree(t *testing.T) {
	stores(t, func(t *testing.T, s sam.Store) {
		ctx := t.Context()
		w1, w2 := sam.NewWorkspace(s, "o", nil), sam.NewWorkspace(s, "o", nil)
		p1 := create(t, w1, "p", sam.Files{"a": "1"})
		p2, err := w2.Open(ctx, "p")
		if err != nil {
			t.Fatal(err)
		}
		if again, _ := w1.Open(ctx, "p"); again != p1 {
			t.Error("Open makes a second handle")
		}
		wantFile(t, p2, "a", "1")
		for i := range 20 {
			write(t, p1, "a", fmt.Sprint("one", i))
			wantFile(t, p2, "a", fmt.Sprint("one", i))
			write(t, p2, "b", fmt.Sprint("two", i))
			wantFile(t, p1, "b", fmt.Sprint("two", i))
		}
		if err := p2.WriteFile(ctx, "A", nil); !errors.Is(err, fs.ErrExist) {
			t.Errorf("a beside A: %v", err)
		}
		// Both count in the same files; nothing is lost.
		const each = 30
		var wg sync.WaitGroup
		for _, p := range []*sam.Project{p1, p2, p1, p2} {
			wg.Go(func() {
				for n := 0; n < each; {
					data, err := p.ReadFile(ctx, "n")
					hash := ""
					if err == nil {
						hash = sam.Hash(data)
					}
					err = p.Apply(ctx, sam.Edit{Name: "n", Data: append(bytes.Clone(data), '.'), IfHash: hash})
					if err == nil {
						n++
					} else if !errors.Is(err, sam.ErrConflict) {
						t.Error(err)
						return
					}
				}
			})
		}
		wg.Wait()
		wantFile(t, p2, "n", strings.Repeat(".", 4*each))

		// A project that is deleted and made again is another one.
		rev, _ := p1.Revision(ctx)
		if err := w2.Delete(ctx, "p"); err != nil {
			t.Fatal(err)
		}
		if _, err := p1.ReadFile(ctx, "a"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("reading a deleted project: %v", err)
		}
		if err := p1.WriteFile(ctx, "a", nil); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("writing a deleted project: %v", err)
		}
		p3 := create(t, w2, "p", sam.Files{"a": "3"})
		if _, err := p1.ReadFile(ctx, "a"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("reading a deleted project that was made again: %v", err)
		}
		p4, err := w1.Open(ctx, "p")
		if err != nil {
			t.Fatal(err)
		}
		wantFile(t, p4, "a", "3")
		if now, _ := p3.Revision(ctx); now == rev {
			t.Error("a revision was used again")
		}
	})
}

func TestConcurrentReaders(t *testing.T) {
	stores(t, func(t *testing.T, s sam.Store) {
		ctx := t.Context()
		w := sam.NewWorkspace(s, "o", nil)
		p := create(t, w, "p", sam.Files{"a": "0", "b": "0"})
		stop := make(chan struct{})
		var wg sync.WaitGroup
		for range 3 {
			q, err := sam.NewWorkspace(s, "o", nil).Open(ctx, "p")
			if err != nil {
				t.Fatal(err)
			}
			wg.Go(func() {
				for {
					select {
					case <-stop:
						return
					default:
					}
					view := q.FS(ctx)
					a, err1 := fs.ReadFile(view, "a")
					b, err2 := fs.ReadFile(view, "b")
					if err := errors.Join(err1, err2); err != nil || !bytes.Equal(a, b) {
						t.Errorf("a view mixes moments: %q, %q, %v", a, b, err)
						return
					}
				}
			})
		}
		for i := range 60 {
			data := []byte(fmt.Sprint(i))
			if err := p.Apply(ctx, sam.Edit{Name: "a", Data: data, IfHash: "*"}, sam.Edit{Name: "b", Data: data, IfHash: "*"}); err != nil {
				t.Fatal(err)
			}
		}
		close(stop)
		wg.Wait()
	})
}

func TestWatch(t *testing.T) {
	stores(t, func(t *testing.T, s sam.Store) {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		w := sam.NewWorkspace(s, "o", nil)
		p := create(t, w, "p", sam.Files{"a": "1", "b": "1"})
		next, stop := pull(p.Watch(ctx))
		defer stop()
		q, err := sam.NewWorkspace(s, "o", nil).Open(ctx, "p")
		if err != nil {
			t.Fatal(err)
		}
		if err := q.Apply(ctx, sam.Edit{Name: "a", Remove: true, IfHash: "*"}, sam.Edit{Name: "c", Data: []byte("c")}); err != nil {
			t.Fatal(err)
		}
		if f, err := next(); f.Name != "a" || f.Hash != "" || err != nil {
			t.Errorf("watched %+v, %v", f, err)
		}
		if f, err := next(); f.Name != "c" || f.Hash != sam.Hash([]byte("c")) || err != nil {
			t.Errorf("watched %+v, %v", f, err)
		}
		write(t, q, "b", "2")
		if f, err := next(); f.Name != "b" || err != nil {
			t.Errorf("watched %+v, %v", f, err)
		}
		if err := w.Delete(ctx, "p"); err != nil {
			t.Fatal(err)
		}
		if _, err := next(); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("watching a deleted project: %v", err)
		}
	})
}

// pull makes an iterator's values come one by one.
func pull(seq func(func(sam.File, error) bool)) (next func() (sam.File, error), stop func()) {
	type item struct {
		f   sam.File
		err error
	}
	items, done := make(chan item), make(chan struct{})
	go func() {
		defer close(items)
		seq(func(f sam.File, err error) bool {
			select {
			case items <- item{f, err}:
				return true
			case <-done:
				return false
			}
		})
	}()
	return func() (sam.File, error) {
			i, ok := <-items
			if !ok {
				return sam.File{}, io.EOF
			}
			return i.f, i.err
		}, func() {
			close(done)
			for range items {
			}
		}
}

func TestIsText(t *testing.T) {
	for name, head := range map[string]string{"a.js": "x\n\ty\r\n", "a": "", "é": "日本", "cut": "日本"[:5], "a.svg": "<svg>"} {
		if !sam.IsText(name, []byte(head)) {
			t.Errorf("%q is not text", head)
		}
	}
	for name, head := range map[string]string{"a.js": "x\x00", "a": "\xff\xfe", "a.PNG": "", "b": "\x89PNG", "c": "a\xc0\xafb"} {
		if sam.IsText(name, []byte(head)) {
			t.Errorf("%s %q is text", name, head)
		}
	}
}
