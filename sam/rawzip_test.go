package sam_test

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"hash/crc32"
)

// A rawEntry is an entry of an archive with whatever lies one wants in it.
type rawEntry struct {
	name      string
	data      string
	deflate   bool
	mode      uint32 // of Unix, in whole
	extra     []byte // in the directory
	localName string // in the header, if it differs
	localSize uint32 // in the header, if it differs
	localMore []byte // extra fields there
	size      uint32 // if it is not that of data
	crc       uint32 // if it is not that of data
	flags     uint16
	behind    []byte // follows the contents
	at        int    // 1 + where its header is said to be, if it is of another entry
	method    uint16 // if it is neither stored nor deflated
	packed    uint32 // if it is not so many bytes
}

// rawZip returns an archive of entries. count is what the end says, if it is not 0.
func rawZip(count int, entries ...rawEntry) []byte {
	var out, dir []byte
	le := binary.LittleEndian
	for _, e := range entries {
		packed, method := []byte(e.data), uint16(0)
		if e.deflate {
			var b bytes.Buffer
			w, _ := flate.NewWriter(&b, 9)
			w.Write(packed)
			w.Close()
			packed, method = b.Bytes(), 8
		}
		if e.method != 0 {
			method = e.method
		}
		or := func(said uint32, is int) uint32 {
			if said != 0 {
				return said
			}
			return uint32(is)
		}
		crc := or(e.crc, int(crc32.ChecksumIEEE([]byte(e.data))))
		size, packedLen := or(e.size, len(e.data)), or(e.packed, len(packed))
		offset := len(out)
		if e.at != 0 {
			offset = e.at - 1
		}
		localName := e.name
		if e.localName != "" {
			localName = e.localName
		}
		if e.at == 0 {
			out = le.AppendUint32(out, 0x04034b50)
			for _, v := range []uint16{20, e.flags, method, 0, 33} {
				out = le.AppendUint16(out, v)
			}
			out = le.AppendUint32(out, crc)
			out = le.AppendUint32(out, packedLen)
			out = le.AppendUint32(out, or(e.localSize, int(size)))
			out = le.AppendUint16(out, uint16(len(localName)))
			out = le.AppendUint16(out, uint16(len(e.localMore)))
			out = append(append(out, localName...), e.localMore...)
			out = append(append(out, packed...), e.behind...)
		}
		dir = le.AppendUint32(dir, 0x02014b50)
		for _, v := range []uint16{3<<8 | 20, 20, e.flags, method, 0, 33} {
			dir = le.AppendUint16(dir, v)
		}
		dir = le.AppendUint32(dir, crc)
		dir = le.AppendUint32(dir, packedLen)
		dir = le.AppendUint32(dir, size)
		dir = le.AppendUint16(dir, uint16(len(e.name)))
		dir = le.AppendUint16(dir, uint16(len(e.extra)))
		dir = append(dir, make([]byte, 6)...)
		dir = le.AppendUint32(dir, e.mode<<16)
		dir = le.AppendUint32(dir, uint32(offset))
		dir = append(append(dir, e.name...), e.extra...)
	}
	if count == 0 {
		count = len(entries)
	}
	at := len(out)
	out = le.AppendUint32(append(out, dir...), 0x06054b50)
	out = append(out, 0, 0, 0, 0)
	out = le.AppendUint16(out, uint16(count))
	out = le.AppendUint16(out, uint16(count))
	out = le.AppendUint32(out, uint32(len(dir)))
	out = le.AppendUint32(out, uint32(at))
	return append(out, 0, 0)
}

// extraField is one of an entry's extra fields.
func extraField(id uint16, value string) []byte {
	b := binary.LittleEndian.AppendUint16(nil, id)
	return append(binary.LittleEndian.AppendUint16(b, uint16(len(value))), value...)
}
