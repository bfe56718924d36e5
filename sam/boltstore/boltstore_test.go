package boltstore_test

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"samkit.dev/sam"
	"samkit.dev/sam/boltstore"
	"samkit.dev/sam/storetest"
)

func open(t testing.TB, dir string) *boltstore.Store {
	t.Helper()
	s, err := boltstore.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func TestStore(t *testing.T) {
	storetest.RunDir(t, func(t testing.TB, dir string) sam.Store { return open(t, dir) })
}

func TestOpenTwice(t *testing.T) {
	dir := t.TempDir()
	open(t, dir)
	start := time.Now()
	_, err := boltstore.Open(dir)
	if err == nil || !strings.Contains(err.Error(), dir) || !strings.Contains(err.Error(), "in use") {
		t.Fatalf("a second Open: %v", err)
	}
	if d := time.Since(start); d > 5*time.Second {
		t.Errorf("it took %v to say so", d)
	}
	t.Log(err)
}

func TestOpenDamaged(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "store.bolt"), []byte(strings.Repeat("no database", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := boltstore.Open(dir); err == nil || !strings.Contains(err.Error(), dir) {
		t.Fatalf("Open of what is no database: %v", err)
	}
}

func fill(t testing.TB, s sam.Store, n int) {
	t.Helper()
	var ops []sam.Op
	for i := range n {
		ops = append(ops, sam.Op{Key: fmt.Sprint("k", i), Value: bytes.Repeat([]byte("x"), 1000), If: sam.Any})
	}
	if _, err := s.Space("p").Commit(t.Context(), ops...); err != nil {
		t.Fatal(err)
	}
}

func TestBackup(t *testing.T) {
	ctx := t.Context()
	s := open(t, t.TempDir())
	fill(t, s, 100)
	hash, _, err := s.Blobs().Put(ctx, strings.NewReader("blob"))
	if err != nil {
		t.Fatal(err)
	}
	// The copy is of one moment, whatever is written meanwhile.
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			v := []byte(fmt.Sprint(i))
			if _, err := s.Space("q").Commit(ctx, sam.Op{Key: "a", Value: v, If: sam.Any}, sam.Op{Key: "b", Value: v, If: sam.Any}); err != nil {
				t.Error(err)
				return
			}
		}
	})
	time.Sleep(20 * time.Millisecond)
	var buf bytes.Buffer
	err = s.Backup(ctx, &buf)
	close(stop)
	wg.Wait()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for r := tar.NewReader(&buf); ; {
		h, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Join(dir, filepath.FromSlash(h.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	copied := open(t, dir)
	if err := copied.Check(ctx); err != nil {
		t.Error(err)
	}
	a, _, err1 := copied.Space("q").Get(ctx, "a")
	b, _, err2 := copied.Space("q").Get(ctx, "b")
	if err := errors.Join(err1, err2); err != nil || !bytes.Equal(a, b) {
		t.Errorf("the copy mixes moments: %q, %q, %v", a, b, err)
	}
	if ok, _ := copied.Blobs().Has(ctx, hash); !ok {
		t.Error("the copy lacks a blob")
	}
	canceled, cancel := context.WithCancel(ctx)
	cancel()
	if err := s.Backup(canceled, io.Discard); !errors.Is(err, context.Canceled) {
		t.Errorf("a canceled backup: %v", err)
	}
	if err := s.Backup(ctx, io.Discard); err != nil {
		t.Errorf("a backup after a canceled one: %v", err)
	}
}

func TestCompact(t *testing.T) {
	ctx := t.Context()
	dir := t.TempDir()
	s := open(t, dir)
	fill(t, s, 5000)
	if err := s.Drop(ctx, "p"); err != nil {
		t.Fatal(err)
	}
	fill(t, s, 10)
	size := func() int64 {
		info, err := os.Stat(filepath.Join(dir, "store.bolt"))
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	_, before, err := s.Space("p").Get(ctx, "k1")
	if err != nil {
		t.Fatal(err)
	}
	old := size()
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-stop:
					return
				default:
				}
				key := fmt.Sprint(i, "/", n)
				if _, err := s.Space("q").Commit(ctx, sam.Op{Key: key}); err != nil {
					t.Error(err)
					return
				}
				if _, _, err := s.Space("q").Get(ctx, key); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	for range 3 {
		if err := s.Compact(ctx); err != nil {
			t.Fatal(err)
		}
	}
	close(stop)
	wg.Wait()
	if now := size(); now > old/2 {
		t.Errorf("%d bytes became %d", old, now)
	}
	if _, after, err := s.Space("p").Get(ctx, "k1"); err != nil || after.Version != before.Version {
		t.Errorf("after Compact: %+v, %v", after, err)
	}
	if _, err := boltstore.Open(dir); err == nil {
		t.Error("Compact lost the lock")
	}
	v, err := s.Space("p").Commit(ctx, sam.Op{Key: "k1", If: sam.Any})
	if err != nil || v[0] == before.Version {
		t.Errorf("after Compact a version was used again: %v, %v", v, err)
	}
	if err := s.Check(ctx); err != nil {
		t.Error(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Compact(ctx); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("Compact of a closed store: %v", err)
	}
	again := open(t, dir)
	if _, _, err := again.Space("p").Get(ctx, "k1"); err != nil {
		t.Error(err)
	}
}

func TestCheck(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	fill(t, s, 10)
	hash, _, err := s.Blobs().Put(t.Context(), strings.NewReader("blob"))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "blobs", hash[:2], hash), []byte("blot"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.Check(t.Context()); err == nil || !strings.Contains(err.Error(), hash) {
		t.Errorf("Check of a damaged blob: %v", err)
	}
}
