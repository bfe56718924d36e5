package sam

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"time"
)

// The log of a space in a directory store. It begins with a record that names
// the space; then each commit, and each edit of people that was noticed, is one
// record. A commit is valid once its record is on the disk.
//
// A record is the length of its payload, a checksum of that, a checksum of the
// payload, then the payload: its kind and its changes.

const (
	recSpace   = 'S' // the name of the space
	recCommit  = 'C' // changes; those of people's files are still to be made there
	recApplied = 'A' // they were made, except for the keys listed, which stay here
	recNotice  = 'N' // changes that people made, or that only the version of a key changed
)

// A logChange is a change of one key.
type logChange struct {
	key     string
	kind    byte
	version uint64
	modTime time.Time
	value   []byte // of changeValue and changeWrite
	off     int64  // of value in the log
	file    fileState
	old     string // hash of people's file before; "" if there was none
}

const (
	changeDelete = iota + 1 // the key is gone
	changeValue             // the value is in the log
	changeWrite             // so it is, and is to be written to people's file: it holds a file record
	changeRemove            // people's file is to be removed, and the key with it
	changeFile              // the key is people's file, as described
	changeTouch             // a new version of the same value
)

// A fileState is what is known of a file of people.
type fileState struct {
	hash  string
	size  int64
	mtime time.Time
}

const (
	logHeader    = 12
	maxLogRecord = 1 << 30
)

var (
	crcTable  = crc32.MakeTable(crc32.Castagnoli)
	errLog    = errors.New("sam: damaged log")
	errLogEnd = errors.New("sam: unfinished record at the end of a log")
)

type logWriter struct{ b []byte }

// newLogRecord begins a record.
func newLogRecord(kind byte) *logWriter {
	return &logWriter{append(make([]byte, logHeader, 256), kind)}
}

func (w *logWriter) string(s string) {
	w.b = binary.AppendUvarint(w.b, uint64(len(s)))
	w.b = append(w.b, s...)
}

// change appends a change and returns where in the record its value begins.
func (w *logWriter) change(c *logChange) (valueAt int) {
	w.b = append(w.b, c.kind)
	w.string(c.key)
	w.b = binary.AppendUvarint(w.b, c.version)
	w.b = binary.BigEndian.AppendUint64(w.b, uint64(c.modTime.UnixNano()))
	switch c.kind {
	case changeValue, changeWrite:
		w.b = binary.AppendUvarint(w.b, uint64(len(c.value)))
		valueAt = len(w.b)
		w.b = append(w.b, c.value...)
	case changeFile:
		w.string(c.file.hash)
		w.b = binary.AppendUvarint(w.b, uint64(c.file.size))
		w.b = binary.BigEndian.AppendUint64(w.b, uint64(c.file.mtime.UnixNano()))
	}
	if c.kind == changeWrite || c.kind == changeRemove {
		w.string(c.old)
	}
	return valueAt
}

// finish returns the whole record.
func (w *logWriter) finish() []byte {
	payload := w.b[logHeader:]
	binary.BigEndian.PutUint32(w.b, uint32(len(payload)))
	binary.BigEndian.PutUint32(w.b[4:], crc32.Checksum(w.b[:4], crcTable))
	binary.BigEndian.PutUint32(w.b[8:], crc32.Checksum(payload, crcTable))
	return w.b
}

// A logRecord is a record that was read.
type logRecord struct {
	kind    byte
	space   string      // of recSpace
	changes []logChange // of recCommit and recNotice
	keys    []string    // of recApplied
}

// readLog calls fn for each record of a log of size bytes and returns how many
// of them are valid. An unfinished record at the end, as a crash leaves, is not
// valid and no error; damage before the end is one. Without power a disk may
// have written any blocks of what was last appended, so what comes before
// another valid record is damage, and anything else the end.
func readLog(r io.Reader, size int64, fn func(logRecord) error) (valid int64, err error) {
	in := bufio.NewReaderSize(r, 64<<10)
	for valid < size {
		payload, err := readPayload(in, size-valid)
		if errors.Is(err, errLog) {
			var rest []byte
			if rest, err = io.ReadAll(in); err == nil {
				err = errLogEnd
				if holdsRecord(rest) {
					err = errLog
				}
			}
		}
		if errors.Is(err, errLogEnd) {
			return valid, nil
		}
		if err != nil {
			return valid, fmt.Errorf("%w at byte %d of %d", err, valid, size)
		}
		rec, err := parseLogRecord(payload, valid+logHeader)
		if err != nil {
			return valid, fmt.Errorf("%w at byte %d of %d", err, valid, size)
		}
		if err := fn(rec); err != nil {
			return valid, err
		}
		valid += logHeader + int64(len(payload))
	}
	return valid, nil
}

// readPayload reads a record, or returns errLogEnd if what is left is the
// beginning of one.
func readPayload(in *bufio.Reader, left int64) ([]byte, error) {
	if left < logHeader {
		return nil, errLogEnd
	}
	var head [logHeader]byte
	if _, err := io.ReadFull(in, head[:]); err != nil {
		return nil, err
	}
	n := int64(binary.BigEndian.Uint32(head[:]))
	if crc32.Checksum(head[:4], crcTable) != binary.BigEndian.Uint32(head[4:]) || n == 0 || n > maxLogRecord {
		return nil, errLog
	}
	if n > left-logHeader {
		return nil, errLogEnd
	}
	payload := make([]byte, n)
	if _, err := io.ReadFull(in, payload); err != nil {
		return nil, err
	}
	if crc32.Checksum(payload, crcTable) != binary.BigEndian.Uint32(head[8:]) {
		return nil, errLog
	}
	return payload, nil
}

// holdsRecord reports whether a valid record begins somewhere in b.
func holdsRecord(b []byte) bool {
	for ; len(b) > logHeader; b = b[1:] {
		n := int64(binary.BigEndian.Uint32(b))
		if n == 0 || n > int64(len(b)-logHeader) || crc32.Checksum(b[:4], crcTable) != binary.BigEndian.Uint32(b[4:]) {
			continue
		}
		payload := b[logHeader : logHeader+n]
		if crc32.Checksum(payload, crcTable) != binary.BigEndian.Uint32(b[8:]) {
			continue
		}
		if _, err := parseLogRecord(payload, 0); err == nil {
			return true
		}
	}
	return false
}

// A logParser takes a payload apart; the first mistake sticks.
type logParser struct {
	b   []byte
	off int64 // of b in the log
	bad bool
}

func (p *logParser) take(n uint64) []byte {
	if p.bad || n > uint64(len(p.b)) {
		p.bad = true
		return nil
	}
	b := p.b[:n]
	p.b, p.off = p.b[n:], p.off+int64(n)
	return b
}

func (p *logParser) uvarint() uint64 {
	v, n := binary.Uvarint(p.b)
	if n <= 0 {
		p.bad = true
		return 0
	}
	p.take(uint64(n))
	return v
}

func (p *logParser) string() string { return string(p.take(p.uvarint())) }

func (p *logParser) time() time.Time {
	b := p.take(8)
	if b == nil {
		return time.Time{}
	}
	return time.Unix(0, int64(binary.BigEndian.Uint64(b)))
}

// hash reads a hash; "" is allowed if it may be missing.
func (p *logParser) hash(maybe bool) string {
	h := p.string()
	if !validHash(h) && !(maybe && h == "") {
		p.bad = true
	}
	return h
}

func parseLogRecord(payload []byte, off int64) (logRecord, error) {
	p := &logParser{b: payload, off: off}
	rec := logRecord{kind: p.take(1)[0]}
	switch rec.kind {
	case recSpace:
		rec.space = p.string()
	case recApplied:
		for len(p.b) > 0 && !p.bad {
			rec.keys = append(rec.keys, p.string())
		}
	case recCommit, recNotice:
		for len(p.b) > 0 && !p.bad {
			rec.changes = append(rec.changes, p.change())
		}
	default:
		p.bad = true
	}
	if p.bad || len(p.b) > 0 {
		return rec, errLog
	}
	return rec, nil
}

func (p *logParser) change() logChange {
	var c logChange
	if kind := p.take(1); kind != nil {
		c.kind = kind[0]
	}
	c.key = p.string()
	c.version = p.uvarint()
	c.modTime = p.time()
	switch c.kind {
	case changeValue, changeWrite:
		n := p.uvarint()
		c.off = p.off
		c.value = p.take(n)
	case changeFile:
		c.file.hash = p.hash(false)
		size := p.uvarint()
		c.file.size = int64(size)
		c.file.mtime = p.time()
		p.bad = p.bad || c.file.size < 0
	case changeDelete, changeRemove, changeTouch:
	default:
		p.bad = true
	}
	if c.kind == changeWrite || c.kind == changeRemove {
		c.old = p.hash(true)
	}
	if c.key == "" || len(c.key) > MaxKey || len(c.value) > MaxValue {
		p.bad = true
	}
	if c.kind == changeWrite && !p.bad {
		if _, err := parseRecord(fileName(c.key), c.value); err != nil {
			p.bad = true
		}
	}
	return c
}

// state returns what people's file is once a record was written to it.
func (r *fileRecord) state() fileState {
	return fileState{hash: r.Hash, size: r.Size, mtime: r.ModTime}
}

// record returns the value that stands for a file of people; data is needed
// only if it is small.
func (f fileState) record(key string, data []byte) *fileRecord {
	return &fileRecord{
		File: File{Name: fileName(key), Size: f.size, Hash: f.hash, ModTime: f.mtime},
		blob: f.size > maxInline,
		data: data,
	}
}

// recordSize returns the size of that value.
func (f fileState) recordSize() int64 {
	if f.size > maxInline {
		return blobRecord
	}
	return recordHeader + f.size
}

// fileName returns the name of the file that a key below filePrefix stands for.
func fileName(key string) string { return key[min(len(filePrefix), len(key)):] }
