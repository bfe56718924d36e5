package sam

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"time"
)

// A digest is a SHA-256.
type digest [sha256.Size]byte

func (d digest) String() string { return hex.EncodeToString(d[:]) }

func parseDigest(hash string) (d digest, ok bool) {
	if !validHash(hash) {
		return d, false
	}
	_, err := hex.Decode(d[:], []byte(hash))
	return d, err == nil
}

// A chunkRef names a chunk.
type chunkRef struct {
	hash digest
	size int64
	// stamp is of the keys of the state and their versions, of which none is ever
	// used again: while it is the same, the values are, and need not be read.
	stamp digest
}

// A manifest is what a checkpoint holds: runs of chunks.
type manifest struct {
	parts     Parts // without Secrets
	fileCount int
	fileBytes int64
	state     stateSize

	files  []chunkRef // names, with fileItem
	kv, db []chunkRef // keys of the state, with their values
	claims []chunkRef // keys of claims of blobs, without values
}

const manifestFormat = 1

// The bits of a manifest's second byte.
const (
	manifestKV = 1 << iota
	manifestDB
)

func (m *manifest) encode() []byte {
	var flags byte
	if m.parts.KV {
		flags |= manifestKV
	}
	if m.parts.DB {
		flags |= manifestDB
	}
	b := []byte{manifestFormat, flags}
	for _, n := range []int64{int64(m.fileCount), m.fileBytes, m.state.bytes, m.state.kvBytes, m.state.kvKeys} {
		b = binary.AppendUvarint(b, uint64(n))
	}
	b = appendRefs(b, m.files, false)
	b = appendRefs(b, m.kv, true)
	b = appendRefs(b, m.db, true)
	return appendRefs(b, m.claims, false)
}

func appendRefs(b []byte, refs []chunkRef, stamps bool) []byte {
	b = binary.AppendUvarint(b, uint64(len(refs)))
	for _, r := range refs {
		b = binary.AppendUvarint(append(b, r.hash[:]...), uint64(r.size))
		if stamps {
			b = append(b, r.stamp[:]...)
		}
	}
	return b
}

var errManifest = errors.New("sam: damaged checkpoint")

// parseManifest reads what encode wrote, and nothing else.
func parseManifest(b []byte) (*manifest, error) {
	if len(b) < 2 {
		return nil, errManifest
	}
	if b[0] != manifestFormat {
		return nil, fmt.Errorf("sam: checkpoint of format %d: this program knows only %d", b[0], manifestFormat)
	}
	if b[1] > manifestKV|manifestDB {
		return nil, errManifest
	}
	m := &manifest{parts: Parts{KV: b[1]&manifestKV != 0, DB: b[1]&manifestDB != 0}}
	r := &manifestReader{b: b[2:]}
	m.fileCount = int(r.number())
	m.fileBytes = r.number()
	m.state = stateSize{r.number(), r.number(), r.number()}
	m.files = r.refs(false)
	m.kv = r.refs(true)
	m.db = r.refs(true)
	m.claims = r.refs(false)
	if r.bad || len(r.b) > 0 {
		return nil, errManifest
	}
	return m, nil
}

// A manifestReader reads until something is wrong, and notes that.
type manifestReader struct {
	b   []byte
	bad bool
}

func (r *manifestReader) number() int64 {
	n, used := binary.Uvarint(r.b)
	// The shortest form is the only one, so that equal manifests are equal bytes.
	if used <= 0 || n > 1<<62 || used > 1 && r.b[used-1] == 0 {
		r.bad = true
		return 0
	}
	r.b = r.b[used:]
	return int64(n)
}

func (r *manifestReader) digest() (d digest) {
	if len(r.b) < len(d) {
		r.bad = true
		return d
	}
	r.b = r.b[copy(d[:], r.b):]
	return d
}

func (r *manifestReader) refs(stamps bool) (refs []chunkRef) {
	n := r.number()
	if n > int64(len(r.b))/(sha256.Size+1) {
		r.bad = true
	}
	for range n {
		if r.bad {
			return nil
		}
		c := chunkRef{hash: r.digest(), size: r.number()}
		if stamps {
			c.stamp = r.digest()
		}
		refs = append(refs, c)
	}
	return refs
}

// fileItemSize is the size of a file's item: hash, time in Unix nanoseconds, size.
const fileItemSize = sha256.Size + 8 + 8

func fileItem(f File) []byte {
	sum, _ := hex.DecodeString(f.Hash)
	b := binary.BigEndian.AppendUint64(sum, uint64(f.ModTime.UnixNano()))
	return binary.BigEndian.AppendUint64(b, uint64(f.Size))
}

func parseFileItem(it item) (File, error) {
	if len(it.value) != fileItemSize {
		return File{}, errChunk
	}
	f := File{
		Name:    it.key,
		Hash:    hex.EncodeToString(it.value[:sha256.Size]),
		ModTime: time.Unix(0, int64(binary.BigEndian.Uint64(it.value[sha256.Size:]))),
		Size:    int64(binary.BigEndian.Uint64(it.value[sha256.Size+8:])),
	}
	if f.Size < 0 {
		return File{}, errChunk
	}
	if err := CheckFileName(f.Name); err != nil {
		return File{}, fmt.Errorf("%w: %w", errChunk, err)
	}
	return f, nil
}

// all yields the runs.
func (m *manifest) all() [4][]chunkRef { return [4][]chunkRef{m.files, m.kv, m.db, m.claims} }
