package kv

import (
	"encoding/binary"
	"errors"
	"time"
)

// A record is what the Space holds under a key:
//
//	byte    flags
//	varint  seconds since 1970, with hasExpiry
//	uvarint length, then bytes of JSON, with hasMetadata
//	        then, with inBlobs: uvarint size, then the hash in hex to the end
//	        otherwise: the value to the end
//
// The hash stands as text at the end of the value so that whoever sweeps blobs
// finds it without this package.
type record struct {
	expires  int64 // seconds since 1970; 0 means never
	metadata []byte
	value    []byte
	hash     string // of a value in Blobs
	size     int64  // of the value in bytes
}

const (
	hasExpiry = 1 << iota
	hasMetadata
	inBlobs

	format = 0x10 // the version of this format, in the upper half of flags
)

const (
	hashLen = 64

	// maxReference is the most bytes of a record whose value is in Blobs.
	maxReference = 1 + 3*binary.MaxVarintLen64 + MaxMetadata + hashLen
)

var errCorrupt = errors.New("stored record is damaged")

func (r record) encode() []byte {
	flags := byte(format)
	b := make([]byte, 1, 1+3*binary.MaxVarintLen64+len(r.metadata)+len(r.value)+len(r.hash))
	if r.expires != 0 {
		flags |= hasExpiry
		b = binary.AppendVarint(b, r.expires)
	}
	if len(r.metadata) > 0 {
		flags |= hasMetadata
		b = binary.AppendUvarint(b, uint64(len(r.metadata)))
		b = append(b, r.metadata...)
	}
	if r.hash != "" {
		flags |= inBlobs
		b = binary.AppendUvarint(b, uint64(r.size))
		b = append(b, r.hash...)
	} else {
		b = append(b, r.value...)
	}
	b[0] = flags
	return b
}

// decode returns the record of b, which it keeps.
func decode(b []byte) (record, error) {
	var r record
	if len(b) == 0 || b[0]&0xf0 != format {
		return r, errCorrupt
	}
	flags := b[0]
	b = b[1:]
	if flags&hasExpiry != 0 {
		v, n := binary.Varint(b)
		if n <= 0 {
			return r, errCorrupt
		}
		r.expires, b = v, b[n:]
	}
	if flags&hasMetadata != 0 {
		v, n := binary.Uvarint(b)
		if n <= 0 || v > uint64(len(b)-n) {
			return r, errCorrupt
		}
		b = b[n:]
		r.metadata, b = b[:v:v], b[v:]
	}
	if flags&inBlobs == 0 {
		r.value, r.size = b, int64(len(b))
		return r, nil
	}
	v, n := binary.Uvarint(b)
	if n <= 0 || v > MaxValue || len(b)-n != hashLen {
		return r, errCorrupt
	}
	r.size, r.hash = int64(v), string(b[n:])
	return r, nil
}

func (r record) expired(now time.Time) bool { return r.expires != 0 && r.expires <= now.Unix() }

func (r record) entry(key string) Entry {
	e := Entry{Key: key, Value: r.value, Metadata: r.metadata}
	if r.expires != 0 {
		e.Expires = time.Unix(r.expires, 0)
	}
	return e
}
