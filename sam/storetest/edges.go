package storetest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"strings"
	"testing"
	"time"

	"samkit.dev/sam"
)

func (s suite) canceled(t *testing.T) {
	st := s.store(t)
	p := st.Space("p")
	commit(t, p, put("k", "1", sam.Absent))
	hash, _, err := st.Blobs().Put(t.Context(), strings.NewReader("blob"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	check := func(what string, err error) {
		t.Helper()
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s with a canceled context: %v", what, err)
		}
	}
	_, _, err = p.Get(ctx, "k")
	check("Get", err)
	_, err = p.Commit(ctx, put("k", "2", sam.Any))
	check("Commit", err)
	err = nil
	for _, err = range p.List(ctx, "", "") {
	}
	check("List", err)
	err = nil
	for _, err = range st.Spaces(ctx, "", "") {
	}
	check("Spaces", err)
	check("Drop", st.Drop(ctx, "p"))
	_, _, err = st.Blobs().Put(ctx, strings.NewReader("other"))
	check("Put", err)
	_, err = st.Blobs().Open(ctx, hash)
	check("Open", err)
	_, err = st.Blobs().Sweep(ctx, func(string) bool { return false }, time.Now().Add(time.Hour))
	check("Sweep", err)
	want(t, p, "k", "1")
	if ok, err := st.Blobs().Has(t.Context(), hash); !ok || err != nil {
		t.Errorf("Has = %v, %v after a canceled Sweep", ok, err)
	}
}

func (s suite) limits(t *testing.T) {
	p := s.store(t).Space("p")
	long := strings.Repeat("k", sam.MaxKey)
	commit(t, p, put(long, "1", sam.Absent))
	want(t, p, long, "1")
	tooLarge := func(what string, op sam.Op) {
		t.Helper()
		_, err := p.Commit(t.Context(), put("other", "", sam.Any), op)
		var size *sam.SizeError
		if !errors.Is(err, sam.ErrTooLarge) || !errors.As(err, &size) {
			t.Errorf("%s: %v, want a *SizeError", what, err)
		}
	}
	tooLarge("a key over MaxKey", put(long+"k", "", sam.Any))
	tooLarge("a value over MaxValue", sam.Op{Key: "k", Value: make([]byte, sam.MaxValue+1), If: sam.Any})
	if _, err := p.Commit(t.Context(), put("other", "", sam.Any), put("", "", sam.Any)); err == nil {
		t.Error("an empty key was stored")
	}
	missing(t, p, "")
	missing(t, p, strings.Repeat("k", 100<<10))
	wantKeys(t, p, "", "", long)
	wantKeys(t, p, strings.Repeat("k", 100<<10), "")
}

// fileKeys checks keys that a store may keep as files of people.
func (s suite) fileKeys(t *testing.T) {
	p := s.store(t).Space("p")
	in := []string{"f/", "f/a", "f/A", "f/a/b", "f//x", "f/../x", "f/.git/config", "f/con", "f/x.", "f/\x00", "f/" + strings.Repeat("n", 1000)}
	var ops []sam.Op
	for _, k := range in {
		ops = append(ops, put(k, "value of "+k, sam.Absent))
	}
	commit(t, p, ops...)
	for _, k := range in {
		want(t, p, k, "value of "+k)
	}
	if got := keys(t, p, "f/", ""); len(got) != len(in) {
		t.Fatalf("List found %q", got)
	}
}

func (s suite) closed(t *testing.T) {
	st := s.open(t)
	p := st.Space("p")
	commit(t, p, put("k", "1", sam.Absent))
	for range 2 {
		if err := st.Close(); err != nil {
			t.Fatalf("Close: %v", err)
		}
	}
	check := func(what string, err error) {
		t.Helper()
		if !errors.Is(err, fs.ErrClosed) {
			t.Errorf("%s of a closed store: %v", what, err)
		}
	}
	_, _, err := p.Get(t.Context(), "k")
	check("Get", err)
	_, err = p.Commit(t.Context(), put("k", "2", sam.Any))
	check("Commit", err)
	err = nil
	for _, err = range p.List(t.Context(), "", "") {
	}
	check("List", err)
	err = nil
	for _, err = range st.Spaces(t.Context(), "", "") {
	}
	check("Spaces", err)
	check("Drop", st.Drop(t.Context(), "p"))
	_, _, err = st.Blobs().Put(t.Context(), strings.NewReader("x"))
	check("Put", err)
	_, err = st.Blobs().Has(t.Context(), sam.Hash([]byte("x")))
	check("Has", err)
}

func (s suite) blobs(t *testing.T) {
	b := s.store(t).Blobs()
	data := bytes.Repeat([]byte("0123456789"), 300_000)
	hash, n, err := b.Put(t.Context(), bytes.NewReader(data))
	if err != nil || n != int64(len(data)) || hash != sam.Hash(data) {
		t.Fatalf("Put = %q, %d, %v; want %q, %d", hash, n, err, sam.Hash(data), len(data))
	}
	if again, _, err := b.Put(t.Context(), bytes.NewReader(data)); err != nil || again != hash {
		t.Fatalf("Put of the same = %q, %v", again, err)
	}
	r, err := b.Open(t.Context(), hash)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, data) {
		t.Fatalf("read %d bytes, %v; want %d", len(got), err, len(data))
	}
	if at, err := r.Seek(-4, io.SeekEnd); err != nil || at != int64(len(data))-4 {
		t.Fatalf("Seek = %d, %v", at, err)
	}
	if got, err := io.ReadAll(r); err != nil || string(got) != "6789" {
		t.Fatalf("read %q, %v after Seek", got, err)
	}
	empty, n, err := b.Put(t.Context(), strings.NewReader(""))
	if err != nil || n != 0 || empty != sam.Hash(nil) {
		t.Fatalf("Put of nothing = %q, %d, %v", empty, n, err)
	}
	broken := errors.New("broken")
	if _, _, err := b.Put(t.Context(), io.MultiReader(strings.NewReader("part"), &failing{broken})); !errors.Is(err, broken) {
		t.Fatalf("Put from a broken reader: %v", err)
	}
	if ok, err := b.Has(t.Context(), sam.Hash([]byte("part"))); ok || err != nil {
		t.Fatalf("Has of what was not all read = %v, %v", ok, err)
	}
	for _, h := range []string{"", "..", "../../etc/passwd", strings.Repeat("0", 64), strings.Repeat("0", 63), strings.ToUpper(hash), hash + "\x00", strings.Repeat("/", 64)} {
		if ok, err := b.Has(t.Context(), h); ok || err != nil {
			t.Errorf("Has %q = %v, %v", h, ok, err)
		}
		if r, err := b.Open(t.Context(), h); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Open %q = %v, %v; want an error matching fs.ErrNotExist", h, r, err)
		}
	}
}

type failing struct{ err error }

func (f *failing) Read([]byte) (int, error) { return 0, f.err }

func (s suite) sweep(t *testing.T) {
	st := s.store(t)
	b := st.Blobs()
	put := func(data string) string {
		t.Helper()
		hash, _, err := b.Put(t.Context(), strings.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		return hash
	}
	has := func(hash string, wanted bool) {
		t.Helper()
		if ok, err := b.Has(t.Context(), hash); ok != wanted || err != nil {
			t.Fatalf("Has = %v, %v; want %v", ok, err, wanted)
		}
	}
	sweep := func(olderThan time.Time, wanted int, live ...string) {
		t.Helper()
		within(t, "Sweep holds a lock while live runs", func() {
			n, err := b.Sweep(t.Context(), func(hash string) bool {
				// live may use the store, its blobs included.
				if _, err := b.Has(t.Context(), hash); err != nil {
					t.Error(err)
				}
				commit(t, st.Space("p"), sam.Op{Key: "k", If: sam.Any})
				for _, l := range live {
					if l == hash {
						return true
					}
				}
				return false
			}, olderThan)
			if n != wanted || err != nil {
				t.Errorf("Sweep = %d, %v; want %d", n, err, wanted)
			}
		})
	}
	one, two := put("one"), put("two")
	sweep(time.Now().Add(-time.Hour), 0)
	has(one, true)
	sweep(time.Now().Add(time.Hour), 1, one)
	has(one, true)
	has(two, false)

	// Put renews: what is put again is as young as what is new.
	time.Sleep(1100 * time.Millisecond) // file systems keep coarse times
	cut := time.Now()
	time.Sleep(100 * time.Millisecond)
	put("one")
	sweep(cut, 0)
	has(one, true)
	sweep(time.Now().Add(time.Hour), 1)
	has(one, false)
	if put("two") != two {
		t.Fatal("a swept blob came back under another hash")
	}
	has(two, true)
}
