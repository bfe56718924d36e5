package sam_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"samkit.dev/sam"
)

func ids(t testing.TB, w *sam.Workspace) []sam.ProjectID {
	t.Helper()
	var list []sam.ProjectID
	for info, err := range w.Projects(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, info.ID)
	}
	return list
}

func TestWorkspace(t *testing.T) {
	stores(t, func(t *testing.T, s sam.Store) {
		ctx := t.Context()
		w := sam.NewWorkspace(s, "o", nil)
		p := create(t, w, "one", nil)
		create(t, w, "two", nil)
		// Owners whose names are near see nothing of each other.
		for _, owner := range []string{"", "o/one", "o/", "O", "o%2Fone", "../o"} {
			other := sam.NewWorkspace(s, owner, nil)
			if got := ids(t, other); len(got) != 0 {
				t.Errorf("owner %q sees %q", owner, got)
			}
			create(t, other, "one", sam.Files{"owner": owner})
		}
		if got := ids(t, w); !slices.Equal(got, []sam.ProjectID{"one", "two"}) {
			t.Errorf("Projects = %q", got)
		}
		wantNames(t, p)
		if _, err := w.Create(ctx, "one", nil); !errors.Is(err, fs.ErrExist) {
			t.Errorf("Create of a taken id: %v", err)
		}
		for _, id := range []sam.ProjectID{"", "..", "A", "a/b", "~", "-a"} {
			_, err1 := w.Create(ctx, id, nil)
			_, err2 := w.Open(ctx, id)
			_, err3 := w.Deploy(ctx, id, nil)
			_, err4 := w.Clone(ctx, "one", id, sam.Parts{})
			for _, err := range []error{err1, err2, err3, err4, w.Delete(ctx, id)} {
				if !errors.Is(err, fs.ErrInvalid) {
					t.Errorf("id %q: %v", id, err)
				}
			}
		}
		if _, err := w.Open(ctx, "three"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Open of a missing project: %v", err)
		}
		if err := w.Delete(ctx, "three"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Delete of a missing project: %v", err)
		}
		if err := p.SetAgentManaged(ctx, true); err != nil {
			t.Fatal(err)
		}
		for info, err := range w.Projects(ctx) {
			if err != nil || info.AgentManaged != (info.ID == "one") || time.Since(info.Created) > time.Minute {
				t.Errorf("%+v, %v", info, err)
			}
		}
		if err := w.Delete(ctx, "one"); err != nil {
			t.Fatal(err)
		}
		if got := ids(t, w); !slices.Equal(got, []sam.ProjectID{"two"}) {
			t.Errorf("Projects = %q", got)
		}
	})
}

func TestDeploy(t *testing.T) {
	stores(t, func(t *testing.T, s sam.Store) {
		ctx := t.Context()
		w := sam.NewWorkspace(s, "o", nil)
		deploy := func(files sam.Files) *sam.Project {
			t.Helper()
			p, err := w.Deploy(ctx, "p", files)
			if err != nil {
				t.Fatal(err)
			}
			return p
		}
		p := deploy(sam.Files{"a": "1", "b": "1", "l": large, "Case": "x"})
		rev, _ := p.Revision(ctx)
		if err := p.Apply(ctx, sam.Edit{Name: "local", Data: []byte("x")}); err != nil {
			t.Fatal(err)
		}
		if _, err := p.State().Space.Commit(ctx, sam.Op{Key: "kv/k", Value: []byte("v")}); err != nil {
			t.Fatal(err)
		}
		p = deploy(sam.Files{"a": "1", "b": "2", "l": large, "case": "x", "c/d": "n"})
		wantNames(t, p, "a", "b", "c/d", "case", "l")
		wantFile(t, p, "l", large)
		wantFile(t, p, "b", "2")
		rev2, _ := p.Revision(ctx)
		if rev2 == rev {
			t.Error("Deploy kept the revision")
		}
		p = deploy(sam.Files{"a": "1", "b": "2", "l": large, "case": "x", "c/d": "n"})
		if now, _ := p.Revision(ctx); now != rev2 {
			t.Error("Deploy of the same made a new revision")
		}
		deploy(sam.Files{"l": large + "x"})
		wantFile(t, p, "l", large+"x")
		if _, _, err := p.State().Space.Get(ctx, "kv/k"); err != nil {
			t.Errorf("Deploy lost the state: %v", err)
		}
	})
}

// odd is a file system that lies.
type odd struct {
	fs.FS
	dir []fs.DirEntry
}

func (o odd) ReadDir(name string) ([]fs.DirEntry, error) {
	if name == "." || strings.HasPrefix(name, "deep") {
		return o.dir, nil
	}
	return fs.ReadDir(o.FS, name)
}

type entry struct {
	name string
	mode fs.FileMode
}

func (e entry) Name() string               { return e.name }
func (e entry) IsDir() bool                { return e.mode.IsDir() }
func (e entry) Type() fs.FileMode          { return e.mode.Type() }
func (e entry) Info() (fs.FileInfo, error) { return nil, errors.New("no") }

func TestCreateRefuses(t *testing.T) {
	ctx := t.Context()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "ok"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/etc/passwd", filepath.Join(dir, "link")); err != nil {
		t.Skip(err)
	}
	for name, fsys := range map[string]fs.FS{
		"link":   os.DirFS(dir),
		"../x":   sam.Files{"../x": ""},
		"a\\b":   sam.Files{"ok": "", "a\\b": ""},
		"con":    sam.Files{"con": ""},
		"B":      sam.Files{"B": "", "b": ""},
		"..":     odd{sam.Files{}, []fs.DirEntry{entry{"..", fs.ModeDir}}},
		"a/b":    odd{sam.Files{"a/b": ""}, []fs.DirEntry{entry{"a/b", 0}}},
		"fifo":   odd{sam.Files{}, []fs.DirEntry{entry{"fifo", fs.ModeNamedPipe}}},
		"twice":  odd{sam.Files{"twice": ""}, []fs.DirEntry{entry{"twice", 0}, entry{"twice", 0}}},
		"dir":    fstest.MapFS{"dir": {Mode: fs.ModeDevice}},
		"hidden": odd{fstest.MapFS{"hidden/x": {}}, []fs.DirEntry{entry{"hidden", 0}}},
	} {
		w := sam.NewWorkspace(sam.NewMemStore(), "o", nil)
		_, err := w.Create(ctx, "p", fsys)
		var ne *sam.NameError
		if !errors.As(err, &ne) || !strings.Contains(err.Error(), fmt.Sprintf("%q", name)) && name != "B" {
			t.Errorf("%q: %v, want a *NameError", name, err)
		}
		if _, err := w.Open(ctx, "p"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%q: the project was made: %v", name, err)
		}
	}
	if _, err := sam.NewWorkspace(sam.NewMemStore(), "o", nil).Create(ctx, "p", sam.Files{"x": "", "x/y": ""}); err == nil {
		t.Error("a file that is a folder too was taken")
	}
	endless := odd{sam.Files{}, []fs.DirEntry{entry{"deep", fs.ModeDir}, entry{"deeper", fs.ModeDir}}}
	if _, err := sam.NewWorkspace(sam.NewMemStore(), "o", nil).Create(ctx, "p", endless); err == nil {
		t.Error("endless folders were taken")
	}
}

func TestClone(t *testing.T) {
	stores(t, func(t *testing.T, s sam.Store) {
		ctx := t.Context()
		key := make([]byte, 32)
		w := sam.NewWorkspace(s, "o", &sam.Options{SecretKey: func(context.Context) ([]byte, error) { return key, nil }})
		p := create(t, w, "p", sam.Files{"a": "1", "l": large})
		st := p.State()
		if _, err := st.Space.Commit(ctx, sam.Op{Key: "kv/k", Value: []byte("v")}, sam.Op{Key: "db/k", Value: []byte("v")}); err != nil {
			t.Fatal(err)
		}
		if err := p.Secrets().Set(ctx, "A", "secret"); err != nil {
			t.Fatal(err)
		}
		if err := p.Secrets().Set(ctx, "B", "secret"); err != nil {
			t.Fatal(err)
		}
		has := func(p *sam.Project, key string) bool {
			_, _, err := p.State().Space.Get(ctx, key)
			return err == nil
		}
		q, err := w.Clone(ctx, "p", "q", sam.Parts{})
		if err != nil {
			t.Fatal(err)
		}
		wantNames(t, q, "a", "l")
		wantFile(t, q, "l", large)
		if names, _ := q.Secrets().Names(ctx); has(q, "kv/k") || has(q, "db/k") || len(names) > 0 {
			t.Error("state travelled unasked")
		}
		write(t, q, "a", "2")
		wantFile(t, p, "a", "1")
		r, err := w.Clone(ctx, "p", "r", sam.Parts{KV: true, Secrets: []string{"A"}})
		if err != nil {
			t.Fatal(err)
		}
		if !has(r, "kv/k") || has(r, "db/k") {
			t.Error("not exactly KV travelled")
		}
		if names, _ := r.Secrets().Names(ctx); !slices.Equal(names, []string{"A"}) {
			t.Errorf("secrets %q travelled", names)
		}
		if v, err := r.Secrets().Value(ctx, "A"); v != "secret" || err != nil {
			t.Errorf("the copied secret is %q, %v", v, err)
		}
		if _, err := w.Clone(ctx, "p", "q", sam.Parts{}); !errors.Is(err, fs.ErrExist) {
			t.Errorf("Clone to a taken id: %v", err)
		}
		if _, err := w.Clone(ctx, "p", "n", sam.Parts{Secrets: []string{"none"}}); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Clone of a missing secret: %v", err)
		}
		if _, err := w.Clone(ctx, "none", "n", sam.Parts{}); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Clone of a missing project: %v", err)
		}
	})
}

func TestSecrets(t *testing.T) {
	ctx := t.Context()
	s := sam.NewMemStore()
	key := []byte(strings.Repeat("k", 32))
	opts := &sam.Options{SecretKey: func(context.Context) ([]byte, error) { return key, nil }}
	w := sam.NewWorkspace(s, "o", opts)
	p := create(t, w, "p", nil)
	sec := p.Secrets()
	if err := sec.Set(ctx, "API_KEY", "hunter2"); err != nil {
		t.Fatal(err)
	}
	if v, err := sec.Value(ctx, "API_KEY"); v != "hunter2" || err != nil {
		t.Errorf("Value = %q, %v", v, err)
	}
	// Nothing in the store shows it, and a copy of it elsewhere does not open.
	raw := s.Space("o/p")
	sealed, _, err := raw.Get(ctx, "s/API_KEY")
	if err != nil || strings.Contains(string(sealed), "hunter2") {
		t.Errorf("stored %q, %v", sealed, err)
	}
	if _, err := raw.Commit(ctx, sam.Op{Key: "s/OTHER", Value: sealed}); err != nil {
		t.Fatal(err)
	}
	if v, err := sec.Value(ctx, "OTHER"); err == nil {
		t.Errorf("a copied secret opens: %q", v)
	}
	if names, _ := sec.Names(ctx); !slices.Equal(names, []string{"API_KEY", "OTHER"}) {
		t.Errorf("Names = %q", names)
	}
	if err := sec.Set(ctx, "OTHER", ""); err != nil {
		t.Fatal(err)
	}
	if _, err := sec.Value(ctx, "OTHER"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a removed secret: %v", err)
	}
	for _, name := range []string{"", "1A", "A-B", "A.B", "é", "A B", "A/../B", strings.Repeat("A", 257)} {
		var ne *sam.NameError
		if err := sec.Set(ctx, name, "x"); !errors.As(err, &ne) {
			t.Errorf("secret %q: %v", name, err)
		}
	}
	var le *sam.LimitError
	if err := sec.Set(ctx, "BIG", strings.Repeat("x", 64<<10+1)); !errors.As(err, &le) {
		t.Errorf("a secret over 64 KiB: %v", err)
	}
	for i := range 99 {
		if err := sec.Set(ctx, fmt.Sprint("S", i), "x"); err != nil {
			t.Fatal(err)
		}
	}
	if err := sec.Set(ctx, "ONE_MORE", "x"); !errors.As(err, &le) || le.Limit != "Secrets" {
		t.Errorf("a 101st secret: %v", err)
	}
	if err := sec.Set(ctx, "API_KEY", "changed"); err != nil {
		t.Errorf("changing one of 100: %v", err)
	}
	bare, _ := sam.NewWorkspace(s, "o", nil).Open(ctx, "p")
	if err := bare.Secrets().Set(ctx, "A", "x"); !errors.Is(err, sam.ErrNoSecretKey) {
		t.Errorf("Set without a key: %v", err)
	}
	if _, err := bare.Secrets().Value(ctx, "API_KEY"); !errors.Is(err, sam.ErrNoSecretKey) {
		t.Errorf("Value without a key: %v", err)
	}
	key = []byte(strings.Repeat("x", 32))
	if v, err := sec.Value(ctx, "API_KEY"); err == nil {
		t.Errorf("another key opens %q", v)
	}
	key = key[:16]
	if err := sec.Set(ctx, "A", "x"); err == nil {
		t.Error("a short key was taken")
	}
}

func TestState(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := sam.NewMemStore()
	w := sam.NewWorkspace(s, "o", &sam.Options{Limits: sam.Limits{StateBytes: 10_000}})
	p := create(t, w, "p", sam.Files{"a": "1"})
	st := p.State()
	for _, key := range []string{"f/a", "p", "s/x", "kv", "", "../kv/x", "b/x"} {
		if _, err := st.Space.Commit(ctx, sam.Op{Key: key, If: sam.Any}); err == nil {
			t.Errorf("the state wrote key %q", key)
		}
		if _, _, err := st.Space.Get(ctx, key); err == nil {
			t.Errorf("the state read key %q", key)
		}
		for e, err := range st.Space.List(ctx, key, "") {
			if err == nil {
				t.Errorf("the state listed %q below %q", e.Key, key)
			}
		}
	}
	put := func(n int) error {
		_, err := st.Space.Commit(ctx, sam.Op{Key: "kv/k", Value: make([]byte, n), If: sam.Any})
		return err
	}
	var le *sam.LimitError
	if err := put(10_000); !errors.As(err, &le) || le.Limit != "StateBytes" {
		t.Errorf("a state over its limit: %v", err)
	}
	if err := put(6000); err != nil {
		t.Fatal(err)
	}
	time.Sleep(1100 * time.Millisecond)
	// The old value is no longer there once the new one is.
	if err := put(3900); err != nil {
		t.Fatal(err)
	}
	time.Sleep(1100 * time.Millisecond)
	if err := put(5900); err != nil {
		t.Errorf("replaced bytes still count: %v", err)
	}
	if _, _, err := st.Blobs.Put(ctx, strings.NewReader(strings.Repeat("x", 9000))); !errors.As(err, &le) {
		t.Errorf("a blob over the limit: %v", err)
	}
	time.Sleep(1100 * time.Millisecond)
	hash, _, err := st.Blobs.Put(ctx, strings.NewReader(strings.Repeat("x", 3000)))
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(1100 * time.Millisecond)
	if err := put(5000); !errors.As(err, &le) {
		t.Errorf("a blob is not counted: %v", err)
	}
	keep := func(string) bool { return false }
	if n, err := st.Blobs.Sweep(ctx, keep, time.Now().Add(time.Hour)); n != 1 || err != nil {
		t.Errorf("Sweep = %d, %v", n, err)
	}
	if ok, _ := s.Blobs().Has(ctx, hash); !ok {
		t.Error("Sweep of a state took a blob from the store")
	}
	if err := w.Delete(ctx, "p"); err != nil {
		t.Fatal(err)
	}
	if _, err := st.Space.Commit(ctx, sam.Op{Key: "kv/k"}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("writing the state of a deleted project: %v", err)
	}
	// What a binding managed to write after the delete is not the next project's.
	if _, err := s.Space("o/p").Commit(ctx, sam.Op{Key: "kv/zombie"}); err != nil {
		t.Fatal(err)
	}
	q := create(t, w, "p", nil)
	if _, _, err := q.State().Space.Get(ctx, "kv/zombie"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("state of a deleted project came back: %v", err)
	}
}
