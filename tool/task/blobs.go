package task

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
)

// ErrLimit reports a run that would hold more than RunOptions permit.
var ErrLimit = errors.New("task: more than a run may hold")

// inMemory is how many bytes of contents a run holds before it writes more to a file each.
const inMemory = 32 << 20

// blobs are contents by their hash: equal ones are held once. It is safe for concurrent use.
type blobs struct {
	dir    func() (string, error)            // where files may be made
	source func(hash string) ([]byte, error) // contents of the ground which are not copied, or nil
	max    int64                             // bytes in all

	mu    sync.Mutex // guards the rest
	mem   map[string][]byte
	disk  map[string]int64
	held  int64 // bytes in mem
	total int64
}

// put keeps contents, which must not change, and returns their hash.
func (b *blobs) put(data []byte) (string, error) {
	hash := hashOf(data)
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, there := b.mem[hash]; there {
		return hash, nil
	}
	if _, there := b.disk[hash]; there {
		return hash, nil
	}
	size := int64(len(data))
	if b.total+size > b.max {
		return "", fmt.Errorf("%w: its contents are larger than %d bytes", ErrLimit, b.max)
	}
	if b.held+size > inMemory {
		dir, err := b.dir()
		if err != nil {
			return "", err
		}
		if err := os.WriteFile(filepath.Join(dir, hash), data, 0o600); err != nil {
			return "", err
		}
		b.disk[hash] = size
	} else {
		b.mem[hash] = data
		b.held += size
	}
	b.total += size
	return hash, nil
}

// get returns contents, which the caller must not change.
func (b *blobs) get(hash string) ([]byte, error) {
	b.mu.Lock()
	data, there := b.mem[hash]
	_, file := b.disk[hash]
	b.mu.Unlock()
	switch {
	case there:
		return data, nil
	case !file && b.source != nil:
		return b.source(hash)
	}
	dir, err := b.dir()
	if err != nil {
		return nil, err
	}
	data, err = os.ReadFile(filepath.Join(dir, hash))
	if err == nil && hashOf(data) != hash {
		err = fmt.Errorf("task: the contents %s were changed on the disk", hash)
	}
	return data, err
}
