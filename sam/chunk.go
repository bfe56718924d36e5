package sam

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
)

// A checkpoint keeps files and state as runs of items in the order of their
// keys, cut into chunks. Where a chunk ends depends on the keys near it alone, so
// that a change of one item leaves the chunks before and behind as they were,
// and two checkpoints share them.

// An item is a file's name and what a checkpoint knows of it, or a key of the
// state and its value.
type item struct {
	key   string
	value []byte
}

// Sizes of chunks in bytes. Small items, of which mostly one changes, make small
// chunks on average; the pages of a database, large ones. A least size keeps
// keys from being chosen so that each makes a chunk.
const (
	chunkMin   = 1 << 10
	chunkMax   = 64 << 10
	chunkSmall = 4 << 10
	chunkLarge = 32 << 10
	smallItem  = 1 << 10
)

// itemSize is how many bytes an item takes in a chunk.
func itemSize(key string, value int64) int {
	var b [binary.MaxVarintLen64]byte
	return binary.PutUvarint(b[:], uint64(len(key))) + len(key) + binary.PutUvarint(b[:], uint64(value)) + int(value)
}

// cut reports whether a chunk of size bytes ends before an item of n bytes.
func cut(size int, key string, n int) bool {
	if size == 0 || size+n > chunkMax {
		return size > 0
	}
	if size < chunkMin {
		return false
	}
	average := chunkLarge
	if n < smallItem {
		average = chunkSmall
	}
	h := fnv.New64a()
	io.WriteString(h, key)
	// Its last bits hardly differ between keys that are alike.
	at := h.Sum64() * 0x9e3779b97f4a7c15 >> 40
	return at*uint64(average) < uint64(n)<<24
}

func appendItem(b []byte, key string, value []byte) []byte {
	b = append(binary.AppendUvarint(b, uint64(len(key))), key...)
	return append(binary.AppendUvarint(b, uint64(len(value))), value...)
}

var errChunk = errors.New("sam: damaged part of a checkpoint")

// parseChunk reads a chunk. The values lie in it.
func parseChunk(b []byte) ([]item, error) {
	var items []item
	for len(b) > 0 {
		var key, value []byte
		var ok bool
		if key, b, ok = cutBytes(b, MaxKey); !ok {
			return nil, errChunk
		}
		if value, b, ok = cutBytes(b, MaxValue); !ok {
			return nil, errChunk
		}
		if n := len(items); len(key) == 0 || n > 0 && items[n-1].key >= string(key) {
			return nil, fmt.Errorf("%w: its keys are not in order", errChunk)
		}
		items = append(items, item{string(key), value})
	}
	return items, nil
}

// cutBytes reads bytes with their length before them.
func cutBytes(b []byte, most uint64) (field, rest []byte, ok bool) {
	n, used := binary.Uvarint(b)
	if used <= 0 || n > most || n > uint64(len(b)-used) {
		return nil, nil, false
	}
	end := used + int(n)
	return b[used:end:end], b[end:], true
}
