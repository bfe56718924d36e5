package sam

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

func someManifest() *manifest {
	ref := func(s string) chunkRef {
		return chunkRef{hash: sha256.Sum256([]byte(s)), size: int64(1000 * len(s)), stamp: sha256.Sum256([]byte("stamp" + s))}
	}
	plain := func(s string) chunkRef { r := ref(s); r.stamp = digest{}; return r }
	return &manifest{
		parts: Parts{KV: true}, fileCount: 7, fileBytes: 12345, state: stateSize{100, 50, 3},
		files: []chunkRef{plain("a"), plain("bb")}, kv: []chunkRef{ref("c")}, claims: []chunkRef{plain("d")},
	}
}

// FuzzManifest has whatever is read be what is written: there is one way to
// write a manifest, so what is damaged does not pass for another one.
func FuzzManifest(f *testing.F) {
	f.Add((&manifest{}).encode())
	f.Add(someManifest().encode())
	f.Add([]byte{manifestFormat, 3, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0x7f})
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := parseManifest(b)
		if err != nil {
			return
		}
		if again := m.encode(); !bytes.Equal(again, b) {
			t.Errorf("%x was read, %x is written", b, again)
		}
	})
}

func TestManifest(t *testing.T) {
	want := someManifest()
	b := want.encode()
	got, err := parseManifest(b)
	if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v, %v\nwant %v", got, err, want)
	}
	for n := range len(b) {
		if _, err := parseManifest(b[:n]); err == nil {
			t.Errorf("%d bytes of %d were read", n, len(b))
		}
	}
	if _, err := parseManifest(append(b, 0)); err == nil {
		t.Error("more than a manifest was read")
	}
}

// FuzzChunk reads chunks of items and of files.
func FuzzChunk(f *testing.F) {
	f.Add([]byte{})
	f.Add(appendItem(appendItem(nil, "a", []byte("1")), "b", nil))
	f.Add(appendItem(nil, "index.html", fileItem(File{Hash: Hash(nil), ModTime: time.Unix(1, 2), Size: 3})))
	f.Fuzz(func(t *testing.T, b []byte) {
		items, err := parseChunk(b)
		if err != nil {
			return
		}
		last := ""
		for _, it := range items {
			if it.key <= last {
				t.Fatalf("%q after %q", it.key, last)
			}
			last = it.key
			if f, err := parseFileItem(it); err == nil {
				if again := fileItem(f); !bytes.Equal(again, it.value) || CheckFileName(f.Name) != nil {
					t.Errorf("%+v of %x", f, it.value)
				}
			}
		}
	})
}

// A change of one item leaves nearly all chunks as they were, wherever it is, and
// no choice of keys makes a chunk too large.
func TestChunksAreStable(t *testing.T) {
	for name, size := range map[string]int{"small": 60, "pages": 8 << 10} {
		keys := map[string]bool{}
		for i := range 3000 {
			keys[fmt.Sprintf("%08x", i*7)] = true
		}
		chunks := func() map[string]bool {
			all := map[string]bool{}
			var group []string
			n := 0
			for _, key := range slices.Sorted(maps.Keys(keys)) {
				item := itemSize(key, int64(size))
				if cut(n, key, item) {
					all[strings.Join(group, " ")] = true
					group, n = nil, 0
				}
				group = append(group, key)
				if n += item; n > chunkMax {
					t.Fatalf("%s: a chunk of %d bytes", name, n)
				}
			}
			all[strings.Join(group, " ")] = true
			return all
		}
		before := chunks()
		most, total := 0, 0
		rnd := rand.New(rand.NewPCG(1, 2))
		for range 50 {
			key := fmt.Sprintf("%08x", rnd.IntN(3000*7))
			had := keys[key]
			if had {
				delete(keys, key)
			} else {
				keys[key] = true
			}
			after := chunks()
			fresh := 0
			for c := range after {
				if !before[c] {
					fresh++
				}
			}
			most, total = max(most, fresh), total+fresh
			if had {
				keys[key] = true
			} else {
				delete(keys, key)
			}
		}
		t.Logf("%s: %d chunks, of which 50 changes made %d anew, one at most %d", name, len(before), total, most)
		if len(before) < 20 || total > 100 || most > 12 {
			t.Errorf("%s: %d of %d chunks are new after one change", name, most, len(before))
		}
	}
}
