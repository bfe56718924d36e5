package kv_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"samkit.dev/kv"
	"samkit.dev/sam"
	"samkit.dev/sam/boltstore"
)

// TestHostileKeys has keys that look like somewhere else.
func TestHostileKeys(t *testing.T) {
	ctx := t.Context()
	store := sam.NewMemStore()
	ws := sam.NewWorkspace(store, "me", nil)
	mine, err := ws.Create(ctx, "p1", sam.Files{"index.html": "mine"})
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := ws.Create(ctx, "p2", sam.Files{"index.html": "theirs"})
	if err != nil {
		t.Fatal(err)
	}
	other := kv.New(theirs.State(), "KV")
	sibling := kv.New(mine.State(), "KV2")
	for _, ns := range []*kv.Namespace{other, sibling} {
		if err := ns.Put(ctx, kv.Entry{Key: "x", Value: []byte("secret")}); err != nil {
			t.Fatal(err)
		}
	}
	ns := kv.New(mine.State(), "KV")
	keys := []string{"../p2/x", "../../p2/kv/KV/x", "p2\x00x", "/x", "../KV2/x", "KV2/x", "%2e%2e/KV2/x", "f/index.html", "\\..\\x", "kv/KV2/x", "\x00", "~", "%", "a/./b", "..."}
	for _, key := range keys {
		if _, err := ns.Get(ctx, key); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("get %q: %v", key, err)
		}
		if err := ns.Put(ctx, kv.Entry{Key: key, Value: []byte(key)}); err != nil {
			t.Errorf("put %q: %v", key, err)
		}
		if e, err := ns.Get(ctx, key); err != nil || string(e.Value) != key {
			t.Errorf("get %q: %q, %v", key, e.Value, err)
		}
	}
	// Nothing of others shows in any list, from whatever prefix or cursor.
	cursor := func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }
	for _, prefix := range []string{"", "../", "..", "/", "\x00", "KV2/", "%"} {
		for _, c := range []string{"", cursor("../"), cursor("\x00"), cursor("../../f/"), cursor(strings.Repeat("a", 600)), "!", strings.Repeat("A", 1<<20)} {
			entries, _, complete, err := ns.ListPage(ctx, prefix, c, 1000)
			if err != nil || !complete {
				t.Errorf("list %q from %.20q: %v", prefix, c, err)
			}
			for _, e := range entries {
				if e.Key == "x" || !strings.HasPrefix(e.Key, prefix) {
					t.Errorf("list %q from %.20q shows %q", prefix, c, e.Key)
				}
			}
		}
	}
	if err := ns.Delete(ctx, keys...); err != nil {
		t.Fatal(err)
	}
	for name, ns := range map[string]*kv.Namespace{"another project": other, "another namespace": sibling} {
		if e, err := ns.Get(ctx, "x"); err != nil || string(e.Value) != "secret" {
			t.Errorf("%s: %q, %v", name, e.Value, err)
		}
	}
	for p, want := range map[*sam.Project]string{mine: "mine", theirs: "theirs"} {
		if data, err := p.ReadFile(ctx, "index.html"); err != nil || string(data) != want {
			t.Errorf("file %q, %v", data, err)
		}
	}
}

// TestHostileArguments has sizes, numbers and bytes that nobody means.
func TestHostileArguments(t *testing.T) {
	ctx := context.Background()
	ns := kv.New(newState(), "KV")
	long := strings.Repeat("x", 1<<20)
	for name, call := range map[string]func() error{
		"key of 1 MB":        func() error { return ns.Put(ctx, kv.Entry{Key: long}) },
		"prefix of 1 MB":     func() error { _, _, _, err := ns.ListPage(ctx, long, "", 0); return err },
		"deleted key":        func() error { return ns.Delete(ctx, "a", long) },
		"value over 25 MiB":  func() error { return ns.Put(ctx, kv.Entry{Key: "k", Value: make([]byte, kv.MaxValue+1)}) },
		"metadata of 1 MB":   func() error { return ns.Put(ctx, kv.Entry{Key: "k", Metadata: []byte(`"` + long + `"`)}) },
		"metadata, half":     func() error { return ns.Put(ctx, kv.Entry{Key: "k", Metadata: []byte(`{"a":`)}) },
		"invalid UTF-8":      func() error { return ns.Put(ctx, kv.Entry{Key: "\xff"}) },
		"surrogate":          func() error { _, err := ns.Get(ctx, "\xed\xa0\x80"); return err },
		"invalid prefix":     func() error { _, _, _, err := ns.ListPage(ctx, "\xff", "", 0); return err },
		"negative ttl":       func() error { _, err := kv.ExpireAfter(math.MinInt64); return err },
		"negative time":      func() error { _, err := kv.ExpireAt(math.MinInt64); return err },
		"expired already":    func() error { return ns.Put(ctx, kv.Entry{Key: "k", Expires: time.Unix(1, 0)}) },
		"huge page":          func() error { _, _, _, err := ns.ListPage(ctx, "", "", math.MaxInt); return err },
		"bulk of a million":  func() error { _, err := ns.GetBulk(ctx, make([]string, 1e6)...); return err },
		"bulk, one too long": func() error { _, err := ns.GetBulk(ctx, "a", long); return err },
	} {
		var refused *kv.Error
		if err := call(); !errors.As(err, &refused) || len(refused.Error()) > 300 {
			t.Errorf("%s: %.200v", name, err)
		}
	}
	// The other end of time is just far.
	for name, call := range map[string]func() (time.Time, error){
		"ttl":  func() (time.Time, error) { return kv.ExpireAfter(math.MaxInt64) },
		"time": func() (time.Time, error) { return kv.ExpireAt(math.MaxInt64) },
	} {
		at, err := call()
		if err == nil {
			err = ns.Put(ctx, kv.Entry{Key: name, Expires: at})
		}
		if e, gerr := ns.Get(ctx, name); err != nil || gerr != nil || e.Expires.Year() != 9999 {
			t.Errorf("%s: %v, %v, expires %v", name, err, gerr, e.Expires)
		}
	}
	for range ns.List(ctx, "", "") {
		return
	}
	t.Error("the namespace is of no use any more")
}

// TestDiskIsBounded fills a project in a durable store, in every way, and looks at the disk.
func TestDiskIsBounded(t *testing.T) {
	ctx := context.Background()
	const limit = 4 << 20
	for kind, open := range map[string]func(dir string) (sam.Store, error){
		"bolt": func(dir string) (sam.Store, error) { return boltstore.Open(dir) },
		"dir":  func(dir string) (sam.Store, error) { return sam.OpenDir(dir) },
	} {
		t.Run(kind, func(t *testing.T) {
			dir := t.TempDir()
			store, err := open(dir)
			if err != nil {
				t.Fatal(err)
			}
			defer store.Close()
			ws := sam.NewWorkspace(store, "me", &sam.Options{Limits: sam.Limits{KVBytes: limit, KVKeys: 2000}})
			p, err := ws.Create(ctx, "greedy", nil)
			if err != nil {
				t.Fatal(err)
			}
			calm, err := ws.Create(ctx, "calm", nil)
			if err != nil {
				t.Fatal(err)
			}
			ns := kv.New(p.State(), "KV")
			for name, put := range map[string]func(i int) error{
				"inline":  func(i int) error { return ns.Put(ctx, kv.Entry{Key: fmt.Sprint("i", i), Value: fill(i, 30_000)}) },
				"blobs":   func(i int) error { return ns.Put(ctx, kv.Entry{Key: fmt.Sprint("b", i), Value: fill(i, 300_000)}) },
				"one key": func(i int) error { return ns.Put(ctx, kv.Entry{Key: "one", Value: fill(i, 200_000)}) },
				"metadata": func(i int) error {
					return ns.Put(ctx, kv.Entry{Key: fmt.Sprint("m", i), Metadata: []byte(`"` + strings.Repeat("m", 1000) + `"`)})
				},
			} {
				refused := 0
				for i := 0; i < 300; i++ {
					var over *sam.LimitError
					if err := put(i); errors.As(err, &over) {
						if refused++; refused > 5 {
							break
						}
					} else if err != nil {
						t.Fatalf("%s: %v", name, err)
					}
				}
			}
			if n := diskUse(t, dir); n > 4*limit {
				t.Errorf("%d MB on disk, the limit is %d", n>>20, limit>>20)
			} else {
				t.Logf("%d KB on disk", n>>10)
			}
			if err := kv.New(calm.State(), "KV").Put(ctx, kv.Entry{Key: "k", Value: []byte("v")}); err != nil {
				t.Errorf("the neighbour: %v", err)
			}
			if err := ns.Delete(ctx, "one", "i0", "m0"); err != nil {
				t.Errorf("deleting: %v", err)
			}
		})
	}
}

func fill(i, size int) []byte {
	return append([]byte(fmt.Sprint(i, " ")), bytes.Repeat([]byte("x"), size)...)
}

// diskUse is the size of what is below dir in bytes.
func diskUse(t *testing.T, dir string) (n int64) {
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := os.Stat(path)
		if err == nil {
			n += info.Size()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}
