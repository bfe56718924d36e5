package sam_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"samkit.dev/sam"
	"samkit.dev/sam/storetest"
)

func openDir(t testing.TB, dir string) sam.Store {
	t.Helper()
	s, err := sam.OpenDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func TestDirStore(t *testing.T) {
	storetest.RunDir(t, openDir)
}

// onDisk is what people see of a file.
func onDisk(t testing.TB, dir, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
	if err != nil {
		return "error: " + err.Error()
	}
	return string(b)
}

// edit is what people do in their editor.
func edit(t testing.TB, dir, name, data string) {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(data), 0o644); err != nil {
		t.Fatal(err)
	}
}

// soon fails the test unless what becomes true.
func soon(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for start := time.Now(); !ok(); time.Sleep(10 * time.Millisecond) {
		if time.Since(start) > 10*time.Second {
			t.Fatalf("still not true: %s", what)
		}
	}
}

func TestDirFiles(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	dir := t.TempDir()
	s := openDir(t, dir)
	w := sam.NewWorkspace(s, "demo", nil)
	p := create(t, w, "hello", sam.Files{"index.html": "hi", "a/b.txt": "b", "large": large})
	folder := filepath.Join(dir, "demo+hello")
	for name, data := range map[string]string{"index.html": "hi", "a/b.txt": "b", "large": large} {
		if got := onDisk(t, folder, name); got != data {
			t.Errorf("%s on disk is %.60q", name, got)
		}
	}
	if err := p.Apply(ctx, sam.Edit{Name: "a/b.txt", Rename: "c.txt", IfHash: "*"}); err != nil {
		t.Fatal(err)
	}
	if got := onDisk(t, folder, "c.txt"); got != "b" {
		t.Errorf("the renamed file is %q", got)
	}
	if _, err := os.Stat(filepath.Join(folder, "a")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an empty folder was left: %v", err)
	}
	if _, err := p.State().Space.Commit(ctx, sam.Op{Key: "kv/k", Value: []byte("v")}); err != nil {
		t.Fatal(err)
	}

	// What people do is noticed, whatever they do.
	next, stop := pull(p.Watch(ctx))
	defer stop()
	before, _ := p.Revision(ctx)
	edit(t, folder, "index.html", "ho")
	soon(t, "the edit is read", func() bool {
		data, err := p.ReadFile(ctx, "index.html")
		return err == nil && string(data) == "ho"
	})
	if f, err := next(); f.Name != "index.html" || f.Hash != sam.Hash([]byte("ho")) || err != nil {
		t.Errorf("watched %+v, %v", f, err)
	}
	if now, _ := p.Revision(ctx); now == before {
		t.Error("an edit of people kept the revision")
	}
	edit(t, folder, "new/file", "n")
	edit(t, folder, "large", large+"!")
	if err := os.Remove(filepath.Join(folder, "c.txt")); err != nil {
		t.Fatal(err)
	}
	soon(t, "all edits are read", func() bool {
		data, err := p.ReadFile(ctx, "large")
		_, gone := p.Stat(ctx, "c.txt")
		_, found := p.Stat(ctx, "new/file")
		return err == nil && string(data) == large+"!" && errors.Is(gone, fs.ErrNotExist) && found == nil
	})
	wantNames(t, p, "index.html", "large", "new/file")

	// A write that did not know of an edit is refused, even if nothing was noticed yet.
	edit(t, folder, "index.html", "newest")
	err := p.Apply(ctx, sam.Edit{Name: "index.html", Data: []byte("mine"), IfHash: sam.Hash([]byte("ho"))})
	var conflict *sam.ConflictError
	if !errors.As(err, &conflict) || conflict.Hash != sam.Hash([]byte("newest")) {
		t.Errorf("writing over an edit: %v", err)
	}
	if err := p.Apply(ctx, sam.Edit{Name: "unseen", Data: []byte("x")}); err != nil {
		t.Error(err)
	}
	if got := onDisk(t, folder, "index.html"); got != "newest" {
		t.Errorf("the edit became %q", got)
	}
	// A touched file is no other file.
	soon(t, "newest is read", func() bool {
		data, _ := p.ReadFile(ctx, "index.html")
		return string(data) == "newest"
	})
	before, _ = p.Revision(ctx)
	now := time.Now().Add(time.Hour)
	if err := os.Chtimes(filepath.Join(folder, "index.html"), now, now); err != nil {
		t.Fatal(err)
	}
	time.Sleep(600 * time.Millisecond)
	if after, _ := p.Revision(ctx); after != before {
		t.Error("touching a file made a new revision")
	}

	// Edits while nothing is open are there at the next Open.
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	edit(t, folder, "index.html", "while closed")
	s = openDir(t, dir)
	p, err = sam.NewWorkspace(s, "demo", nil).Open(ctx, "hello")
	if err != nil {
		t.Fatal(err)
	}
	wantFile(t, p, "index.html", "while closed")
	wantFile(t, p, "large", large+"!")
	if _, _, err := p.State().Space.Get(ctx, "kv/k"); err != nil {
		t.Error(err)
	}
	if got := onDisk(t, dir, ".samkit/blobs/"+sam.Hash([]byte(large))[:2]+"/"+sam.Hash([]byte(large))); got != large {
		t.Errorf("the blobs are elsewhere: %.80s", got)
	}
}

// TestDirAtOnce checks what does not wait until an edit is noticed.
func TestDirAtOnce(t *testing.T) {
	ctx := t.Context()
	dir := t.TempDir()
	w := sam.NewWorkspace(openDir(t, dir), "demo", nil)
	p := create(t, w, "p", sam.Files{"a": "0", "b": "0"})
	folder := filepath.Join(dir, "demo+p")
	for i := range 20 {
		wantFile(t, p, "a", fmt.Sprint(i))
		edit(t, folder, "a", fmt.Sprint(i+1))
	}
	wantFile(t, p, "a", "20")
	edit(t, folder, "a", "people's")
	if f, err := p.Stat(ctx, "a"); err != nil || f.Hash != sam.Hash([]byte("people's")) {
		t.Errorf("Stat = %+v, %v", f, err)
	}
	edit(t, folder, "new", "n")
	wantNames(t, p, "a", "b", "new")
	// What was there before people's edit is written again, not taken for the same.
	edit(t, folder, "b", "people's")
	write(t, p, "b", "0")
	if got := onDisk(t, folder, "b"); got != "0" {
		t.Errorf("after a write people see %q", got)
	}
	edit(t, folder, "b", "again")
	if _, err := w.Deploy(ctx, "p", sam.Files{"b": "0"}); err != nil {
		t.Fatal(err)
	}
	if got := onDisk(t, folder, "b"); got != "0" {
		t.Errorf("after Deploy people see %q", got)
	}
	wantNames(t, p, "b")
}

func TestDirIdle(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("waits until a folder counts as idle")
	}
	dir := t.TempDir()
	p := create(t, sam.NewWorkspace(openDir(t, dir), "demo", nil), "p", sam.Files{"a": "1"})
	wantFile(t, p, "a", "1")
	time.Sleep(6 * time.Second)
	edit(t, dir, "demo+p/a", "2")
	wantFile(t, p, "a", "2") // at once: the first question after a pause looks
}

// TestDirForeign checks what in people's folder is none of the project's business.
func TestDirForeign(t *testing.T) {
	ctx := t.Context()
	dir := t.TempDir()
	folder := filepath.Join(dir, "demo+p")
	outside := filepath.Join(t.TempDir(), "outside")
	edit(t, filepath.Dir(outside), "outside", "secret")
	edit(t, folder, ".git/config", "[core]")
	edit(t, folder, "sub/.GIT/hooks/x", "hook")
	edit(t, folder, "page.html", "people's")
	edit(t, folder, "bad:name", "x")
	edit(t, folder, "huge", "")
	if err := os.Truncate(filepath.Join(folder, "huge"), 2<<30); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(folder, "link")); err != nil {
		t.Skip(err)
	}
	if err := os.Symlink(filepath.Dir(outside), filepath.Join(folder, "links")); err != nil {
		t.Fatal(err)
	}
	s := openDir(t, dir)
	w := sam.NewWorkspace(s, "demo", nil)
	// A folder that is there is taken as it is, unless it is in the way.
	if _, err := w.Create(ctx, "p", sam.Files{"page.html": "mine"}); !errors.Is(err, fs.ErrExist) {
		t.Errorf("Create over a file of people: %v", err)
	}
	if _, err := w.Open(ctx, "p"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a refused Create made a project: %v", err)
	}
	p := create(t, w, "p", sam.Files{"mine": "m"})
	wantNames(t, p, "mine", "page.html")
	wantFile(t, p, "page.html", "people's")
	// What must not be written in the folder is kept beside it.
	files := map[string]string{".git/hooks/pre-commit": "evil", "sub/.git/config": "evil", "link": "evil", "links/outside": "evil", "links/new": "evil", "y/.Git/x": "evil", "git~1/x": "evil"}
	for name, data := range files {
		write(t, p, name, data)
		wantFile(t, p, name, data)
	}
	if got := onDisk(t, filepath.Dir(outside), "outside"); got != "secret" {
		t.Errorf("a write followed a link: %q", got)
	}
	if _, err := os.Stat(filepath.Join(filepath.Dir(outside), "new")); err == nil {
		t.Error("a write followed a link to a folder")
	}
	for _, name := range []string{".git/hooks/pre-commit", "sub/.git/config", "y/.Git/x", "git~1/x"} {
		if _, err := os.Stat(filepath.Join(folder, name)); err == nil {
			t.Errorf("%s was written", name)
		}
	}
	// A file that becomes a link is gone.
	path := filepath.Join(folder, "page.html")
	if err := errors.Join(os.Remove(path), os.Symlink(outside, path)); err != nil {
		t.Fatal(err)
	}
	soon(t, "the link is no file", func() bool {
		_, err := p.ReadFile(ctx, "page.html")
		return errors.Is(err, fs.ErrNotExist)
	})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = openDir(t, dir)
	w = sam.NewWorkspace(s, "demo", nil)
	p, err := w.Open(ctx, "p")
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range files {
		wantFile(t, p, name, data)
	}
	if err := w.Delete(ctx, "p"); err != nil {
		t.Fatal(err)
	}
	if got := onDisk(t, folder, ".git/config"); got != "[core]" {
		t.Errorf("Delete took the repository: %s", got)
	}
	if _, err := os.Stat(filepath.Join(folder, "mine")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Delete left a file: %v", err)
	}
}

func TestDirFolderIsLink(t *testing.T) {
	dir, elsewhere := t.TempDir(), t.TempDir()
	if err := os.Symlink(elsewhere, filepath.Join(dir, "demo+p")); err != nil {
		t.Skip(err)
	}
	w := sam.NewWorkspace(openDir(t, dir), "demo", nil)
	if _, err := w.Create(t.Context(), "p", sam.Files{"a": "1"}); err == nil {
		t.Error("a project was made in a folder that is a link")
	}
	if left, _ := os.ReadDir(elsewhere); len(left) > 0 {
		t.Errorf("it was written through: %v", left)
	}
}

func TestDirOpenTwice(t *testing.T) {
	dir := t.TempDir()
	openDir(t, dir)
	if _, err := sam.OpenDir(dir); err == nil || !strings.Contains(err.Error(), "in use") || !strings.Contains(err.Error(), dir) {
		t.Errorf("a second OpenDir: %v", err)
	}
	if _, err := sam.OpenDir("/dev/null/x"); err == nil {
		t.Error("a store was made below a file")
	}
}

// TestDirTorn cuts a log at every byte, as a crash may: what is left is always
// the state after some commit.
func TestDirTorn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := openDir(t, dir)
	p := s.Space("p")
	const commits = 6
	for i := range commits {
		v := []byte(fmt.Sprint(i))
		if _, err := p.Commit(t.Context(), sam.Op{Key: "a", Value: v, If: sam.Any}, sam.Op{Key: "b", Value: v, If: sam.Any}, sam.Op{Key: fmt.Sprint("k", i)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	log := filepath.Join(".samkit", "spaces", "p", "log")
	whole, err := os.ReadFile(filepath.Join(dir, log))
	if err != nil {
		t.Fatal(err)
	}
	last := -1
	for n := range len(whole) + 1 {
		if err := os.WriteFile(filepath.Join(dir, log), whole[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := sam.OpenDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		p := s.Space("p")
		a, _, erra := p.Get(t.Context(), "a")
		b, _, errb := p.Get(t.Context(), "b")
		if string(a) != string(b) || errors.Is(erra, fs.ErrNotExist) != errors.Is(errb, fs.ErrNotExist) {
			t.Fatalf("%d bytes: a = %q, %v, b = %q, %v", n, a, erra, b, errb)
		}
		if erra == nil {
			fmt.Sscan(string(a), &last)
		} else if !errors.Is(erra, fs.ErrNotExist) {
			t.Fatalf("%d bytes: %v", n, erra)
		}
		if _, err := p.Commit(t.Context(), sam.Op{Key: "after", Value: []byte("x"), If: sam.Any}); err != nil {
			t.Fatalf("%d bytes: %v", n, err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(filepath.Join(dir, log)); err != nil {
			if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, log)), 0o700); err != nil {
				t.Fatal(err)
			}
		}
	}
	if last != commits-1 {
		t.Errorf("the whole log ends with %d", last)
	}

	// Damage in the middle is not passed over: what follows was acknowledged.
	damaged := []byte(string(whole))
	damaged[len(damaged)/2] ^= 1
	if err := os.WriteFile(filepath.Join(dir, log), damaged, 0o600); err != nil {
		t.Fatal(err)
	}
	s = openDir(t, dir)
	if _, _, err := s.Space("p").Get(t.Context(), "a"); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a damaged log was read: %v", err)
	}
	if _, err := s.Space("p").Commit(t.Context(), sam.Op{Key: "a", If: sam.Any}); err == nil {
		t.Error("a damaged log was written to")
	}
}

func TestDirCompact(t *testing.T) {
	dir := t.TempDir()
	s := openDir(t, dir)
	p := s.Space("p")
	value := make([]byte, 100<<10)
	var last sam.Version
	for i := range 60 {
		value[0] = byte(i)
		vs, err := p.Commit(t.Context(), sam.Op{Key: "k", Value: value, If: sam.Any}, sam.Op{Key: fmt.Sprint("small", i), Value: []byte(fmt.Sprint(i))})
		if err != nil {
			t.Fatal(err)
		}
		last = vs[0]
	}
	check := func(s sam.Store) {
		t.Helper()
		got, e, err := s.Space("p").Get(t.Context(), "k")
		if err != nil || len(got) != len(value) || got[0] != 59 || e.Version != last {
			t.Fatalf("Get = %d bytes, %+v, %v", len(got), e, err)
		}
		for i := range 60 {
			got, _, err := s.Space("p").Get(t.Context(), fmt.Sprint("small", i))
			if err != nil || string(got) != fmt.Sprint(i) {
				t.Fatalf("small%d = %q, %v", i, got, err)
			}
		}
	}
	check(s)
	info, err := os.Stat(filepath.Join(dir, ".samkit", "spaces", "p", "log"))
	if err != nil || info.Size() > 2<<20 {
		t.Errorf("the log has %d bytes, %v", info.Size(), err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	check(openDir(t, dir))
}

func TestDirClosed(t *testing.T) {
	s := openDir(t, t.TempDir())
	p := create(t, sam.NewWorkspace(s, "o", nil), "p", sam.Files{"a": "1"})
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	next, stop := pull(p.Watch(ctx))
	defer stop()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := next(); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("watching a closed store: %v", err)
	}
	if err := p.WriteFile(ctx, "a", []byte("2")); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("writing to a closed store: %v", err)
	}
}
