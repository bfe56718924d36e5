package task

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// Equal contents are held once, in memory or on the disk.
func TestBlobsOnce(t *testing.T) {
	dir := t.TempDir()
	b := &blobs{max: 1 << 30, mem: map[string][]byte{}, disk: map[string]int64{}, dir: func() (string, error) { return dir, nil }}
	large := make([]byte, inMemory)
	for range 3 {
		for i := range 100 {
			if _, err := b.put(fmt.Appendf(nil, "contents %d", i%10)); err != nil {
				t.Fatal(err)
			}
		}
		hash, err := b.put(large) // which there is no room for any more
		if err != nil {
			t.Fatal(err)
		}
		if data, err := b.get(hash); err != nil || len(data) != len(large) {
			t.Errorf("%d bytes, %v", len(data), err)
		}
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 1 || len(b.mem) != 10 || b.total != 10*int64(len("contents 0"))+inMemory {
		t.Errorf("%d files, %d contents in memory, %d bytes in all; %v", len(files), len(b.mem), b.total, err)
	}
	// What somebody has changed there is not handed out.
	if err := os.WriteFile(filepath.Join(dir, files[0].Name()), []byte("evil"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := b.get(files[0].Name()); err == nil {
		t.Error("contents that were changed are handed out")
	}
}
