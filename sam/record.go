package sam

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// What a project keeps in its space. Files and the head change together, in one
// commit whose condition is the head's version: so the head stands for one
// moment of all files.
const (
	headKey      = "p"  // JSON of a headRecord
	filePrefix   = "f/" // file records by name
	kvPrefix     = "kv/"
	dbPrefix     = "db/"
	secretPrefix = "s/"
	claimPrefix  = "b/" // <hash>/<size> of a blob that the state put

	historyKey    = "c"  // JSON of a historyRecord
	historyPrefix = "c/" // JSON of checkpointRecords by id
	objectPrefix  = "o/" // what checkpoints keep, by hash, up to maxInline bytes
	largePrefix   = "l/" // <hash>/<size> of a blob that they keep
)

// dbHead is the last part of the key whose version says whether a database has
// changed: "db/<name>/head". See [State].
const dbHead = "head"

// maxInline is the most bytes of a file that are kept in its record.
const maxInline = 64 << 10

// A headRecord describes a project.
type headRecord struct {
	Format  int       `json:"format"`
	Life    string    `json:"life"` // differs if a project is deleted and made again
	Agent   bool      `json:"agent,omitempty"`
	Created time.Time `json:"created"`
}

func newHead() headRecord {
	return headRecord{Format: 1, Life: rand.Text(), Created: time.Now().UTC()}
}

func (h headRecord) encode() []byte {
	b, err := json.Marshal(h)
	if err != nil {
		panic(err) // a struct of plain fields always encodes
	}
	return b
}

func parseHead(value []byte) (headRecord, error) {
	var h headRecord
	if err := json.Unmarshal(value, &h); err != nil {
		return h, fmt.Errorf("sam: damaged project record: %w", err)
	}
	if h.Format != 1 {
		return h, fmt.Errorf("sam: project of format %d: this program knows only 1", h.Format)
	}
	return h, nil
}

// A fileRecord is a file as it stands in a space: a kind, the hash, the time in
// Unix nanoseconds, then the contents or, for those in a blob, their size.
type fileRecord struct {
	File
	version Version // of the record's key; "" if it is not stored yet
	blob    bool    // the contents are in Blobs
	data    []byte  // the contents if they are not in Blobs and held in memory
}

const (
	kindInline = 'i'
	kindBlob   = 'b'

	recordHeader = 1 + sha256.Size + 8
	blobRecord   = recordHeader + 8
)

func newRecord(name string, data []byte) *fileRecord {
	return &fileRecord{
		File: File{Name: name, Size: int64(len(data)), Hash: Hash(data), ModTime: time.Now()},
		blob: len(data) > maxInline,
		data: data,
	}
}

// encode returns the value of the record's key. The contents of an inline
// record must be held.
func (r *fileRecord) encode() []byte {
	b := make([]byte, 1, recordHeader+max(8, len(r.data)))
	b[0] = kindInline
	if r.blob {
		b[0] = kindBlob
	}
	sum, _ := hex.DecodeString(r.Hash)
	b = append(b, sum...)
	b = binary.BigEndian.AppendUint64(b, uint64(r.ModTime.UnixNano()))
	if r.blob {
		return binary.BigEndian.AppendUint64(b, uint64(r.Size))
	}
	return append(b, r.data...)
}

var errRecord = errors.New("sam: damaged file record")

// parseRecord reads a value; an inline record's data lies in it.
func parseRecord(name string, value []byte) (*fileRecord, error) {
	if len(value) < recordHeader {
		return nil, errRecord
	}
	r := &fileRecord{File: File{
		Name:    name,
		Hash:    hex.EncodeToString(value[1 : 1+sha256.Size]),
		ModTime: time.Unix(0, int64(binary.BigEndian.Uint64(value[1+sha256.Size:]))),
	}}
	rest := value[recordHeader:]
	switch {
	case value[0] == kindInline && len(rest) <= maxInline:
		r.data, r.Size = rest, int64(len(rest))
	case value[0] == kindBlob && len(rest) == 8:
		r.blob, r.Size = true, int64(binary.BigEndian.Uint64(rest))
		if r.Size < 0 {
			return nil, errRecord
		}
	default:
		return nil, errRecord
	}
	return r, nil
}
