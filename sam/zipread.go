package sam

import (
	"bufio"
	"cmp"
	"compress/flate"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// What archive/zip reads is whatever some program might have meant. Here an
// archive has one meaning or none: the directory ends the file and is preceded by
// the entries, each beginning where the one before it ended, and whatever is said
// twice is said the same. So two readers can't see different files in it, no two
// entries share bytes, and nothing is hidden before, between or behind them.

const (
	zipLocal     = 0x04034b50
	zipCentral   = 0x02014b50
	zipEnd       = 0x06054b50
	zipData      = 0x08074b50 // of a data descriptor
	zipLocalLen  = 30
	zipHeadLen   = 46
	zipEndLen    = 22
	zipStore     = 0
	zipDeflate   = 8
	zipFlagBits  = 0x0006 // how hard the packer tried
	zipFlagDesc  = 0x0008 // sizes and CRC follow the contents
	zipFlagUTF8  = 0x0800
	zipMax32     = 1<<32 - 1
	zipUnixFile  = 0x8 // the types of a Unix mode, shifted by 12
	zipUnixDir   = 0x4
	zipDOSDir    = 0x10
	maxZipExtra  = 4 << 10
	maxZipFolder = 1 // the slash that ends a folder's name
)

// A zipEntry is a file or a folder of an archive.
type zipEntry struct {
	name   string // without the slash that ends a folder's
	raw    string // as it is written
	dir    bool
	flags  uint16
	method uint16
	crc    uint32
	packed int64 // bytes
	size   int64 // bytes, unpacked
	offset int64 // of its header
	data   int64 // offset of its contents
}

// readZip returns the entries of an archive, checked against each other.
func readZip(r io.ReaderAt, size int64) ([]*zipEntry, error) {
	count, at, length, err := readZipEnd(r, size)
	if err != nil {
		return nil, err
	}
	b := bufio.NewReaderSize(io.NewSectionReader(r, at, length), 64<<10)
	entries := make([]*zipEntry, 0, count)
	for range count {
		e, err := readZipHead(b)
		if err != nil {
			return nil, cutShort(err, "", "has a directory that ends early")
		}
		entries = append(entries, e)
	}
	if _, err := b.ReadByte(); err != io.EOF {
		return nil, refuse("", "has a directory of more entries than it says, or one that ends late")
	}
	if err := checkZipNames(entries); err != nil {
		return nil, err
	}
	return entries, checkZipLayout(r, entries, at)
}

// cutShort turns the end of a file into a PackageError.
func cutShort(err error, entry, reason string) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return &PackageError{entry, reason, err}
	}
	return err
}

// readZipEnd reads the record that ends an archive: how many entries its directory has,
// where that begins and how long it is.
func readZipEnd(r io.ReaderAt, size int64) (count int, at, length int64, err error) {
	if size < zipEndLen {
		return 0, 0, 0, refuse("", "is no ZIP archive")
	}
	var b [zipEndLen]byte
	if _, err := r.ReadAt(b[:], size-zipEndLen); err != nil && err != io.EOF {
		return 0, 0, 0, err
	}
	le := binary.LittleEndian
	if le.Uint32(b[:]) != zipEnd || le.Uint16(b[20:]) != 0 {
		return 0, 0, 0, refuse("", "does not end as a ZIP archive does: it is cut short, or something follows, if only a comment")
	}
	if le.Uint16(b[4:]) != 0 || le.Uint16(b[6:]) != 0 || le.Uint16(b[8:]) != le.Uint16(b[10:]) {
		return 0, 0, 0, refuse("", "is in several pieces")
	}
	count, length, at = int(le.Uint16(b[10:])), int64(le.Uint32(b[12:])), int64(le.Uint32(b[16:]))
	switch {
	case count == 1<<16-1 || length == zipMax32 || at == zipMax32:
		return 0, 0, 0, refuse("", "uses ZIP64, which none of the size of a package needs")
	case count > maxPackageEntries+maxPackageBlobs+4:
		return 0, 0, 0, refuse("", "has %d entries, more than %d", count, maxPackageEntries)
	case at+length != size-zipEndLen:
		return 0, 0, 0, refuse("", "has its directory elsewhere than it says: something was put before it or after")
	}
	return count, at, length, nil
}

// readZipHead reads an entry of the directory.
func readZipHead(r io.Reader) (*zipEntry, error) {
	var b [zipHeadLen]byte
	if _, err := io.ReadFull(r, b[:]); err != nil {
		return nil, err
	}
	le := binary.LittleEndian
	if le.Uint32(b[:]) != zipCentral {
		return nil, refuse("", "has a damaged directory")
	}
	raw, extra, err := readZipName(r, int(le.Uint16(b[28:])), int(le.Uint16(b[30:])))
	if err != nil {
		return nil, err
	}
	if _, err := io.CopyN(io.Discard, r, int64(le.Uint16(b[32:]))); err != nil {
		return nil, err
	}
	e := &zipEntry{
		raw: raw, name: raw, flags: le.Uint16(b[8:]), method: le.Uint16(b[10:]), crc: le.Uint32(b[16:]),
		packed: int64(le.Uint32(b[20:])), size: int64(le.Uint32(b[24:])), offset: int64(le.Uint32(b[42:])),
	}
	e.name, e.dir = strings.CutSuffix(raw, "/")
	if err := checkZipExtra(e, extra); err != nil {
		return nil, err
	}
	if le.Uint16(b[34:]) != 0 {
		return nil, refuse(e.name, "is in another piece of the archive")
	}
	return e, e.check(le.Uint32(b[38:]))
}

// readZipName reads an entry's name and its extra fields.
func readZipName(r io.Reader, nameLen, extraLen int) (name string, extra []byte, err error) {
	if nameLen > maxName+maxZipFolder {
		head := make([]byte, 64)
		if _, err := io.ReadFull(r, head); err != nil {
			return "", nil, err
		}
		return "", nil, refuse(string(head)+"…", "has a name longer than %d bytes", maxName)
	}
	b := make([]byte, nameLen)
	if _, err := io.ReadFull(r, b); err != nil {
		return "", nil, err
	}
	if extraLen > maxZipExtra {
		return "", nil, refuse(string(b), "has extra fields of %d bytes", extraLen)
	}
	extra = make([]byte, extraLen)
	_, err = io.ReadFull(r, extra)
	return string(b), extra, err
}

// check looks at an entry by itself. The mode, with its right to be set as somebody else,
// is that of a file or a folder, and otherwise left out: projects have none.
func (e *zipEntry) check(attributes uint32) error {
	mode := attributes >> 28
	switch {
	case mode == zipUnixFile && !e.dir, mode == zipUnixDir && e.dir, mode == 0:
	case mode == 0xa:
		return refuse(e.name, "is a symbolic link")
	default:
		return refuse(e.name, "is no regular file: its type is %#o", mode<<12)
	}
	if attributes&zipDOSDir != 0 && !e.dir {
		return refuse(e.name, "is said to be a folder, by a name that is a file's")
	}
	switch {
	case e.flags&^(zipFlagBits|zipFlagDesc|zipFlagUTF8) != 0:
		return refuse(e.name, "is encrypted or packed in a way that packages are not (flags %#x)", e.flags)
	case e.method != zipStore && e.method != zipDeflate:
		return refuse(e.name, "is packed by method %d, neither stored nor deflated", e.method)
	case e.packed == zipMax32 || e.size == zipMax32 || e.offset == zipMax32:
		return refuse(e.name, "uses ZIP64, which nothing of the size of a package needs")
	case e.dir && e.size != 0:
		return refuse(e.name, "is a folder that holds %d bytes", e.size)
	case e.method == zipStore && e.packed != e.size:
		return refuse(e.name, "is stored, and says that %d bytes of it are %d", e.packed, e.size)
	case e.size > freePackageRatio && e.size > maxPackageRatio*e.packed:
		return refuse(e.name, "unpacks to more than %d times its size", maxPackageRatio)
	}
	return nil
}

// checkZipExtra refuses fields that change what an entry is, and those nobody knows.
func checkZipExtra(e *zipEntry, b []byte) error {
	le := binary.LittleEndian
	for len(b) > 0 {
		if len(b) < 4 || int(le.Uint16(b[2:])) > len(b)-4 {
			return refuse(e.name, "has damaged extra fields")
		}
		id, value := le.Uint16(b), b[4:4+le.Uint16(b[2:])]
		b = b[4+len(value):]
		switch id {
		case 0x5455, 0x000a, 0x5855, 0x7855, 0x7875: // times and owners
		case 0x6375: // a comment
		case 0xcafe: // of Java
		case 0x0001:
			return refuse(e.name, "uses ZIP64, which nothing of the size of a package needs")
		case 0x7075: // the name in Unicode
			if len(value) < 5 || string(value[5:]) != e.raw {
				return refuse(e.name, "has another name as well")
			}
		case 0x000d, 0x756e: // which is where hard links and devices are
			return refuse(e.name, "may be a link or a device: it has the extra field %#04x", id)
		default:
			return refuse(e.name, "has the extra field %#04x, which packages have no use for", id)
		}
	}
	return nil
}

// checkZipNames refuses names that no project may have, and those that stand in each other's way.
func checkZipNames(entries []*zipEntry) error {
	files, folders, blobs := newNameSet(nil), map[string]bool{}, 0
	for _, e := range entries {
		if strings.HasPrefix(e.name, packageBlobs) {
			blobs++
		}
		// Else it could mean other letters in an older program.
		if !utf8.ValidString(e.raw) {
			return refuse(e.name, "has a name that is not UTF-8")
		}
		if e.dir {
			continue
		}
		if err := files.check(e.name); err != nil {
			return misnamed(err)
		}
		files.add(e.name)
	}
	if n := len(entries) - blobs; n > maxPackageEntries+4 || blobs > maxPackageBlobs {
		return refuse("", "has %d entries, more than %d", len(entries), maxPackageEntries)
	}
	for _, e := range entries {
		if !e.dir {
			continue
		}
		if err := CheckFileName(e.name); err != nil {
			return misnamed(err)
		}
		if folders[e.name] {
			return refuse(e.name, "is there twice")
		}
		folders[e.name] = true
		if u, ok := files.byFold[FoldName(e.name)]; ok && u.dir && u.spelled == e.name {
			continue // it has files
		}
		if err := files.check(e.name); err != nil {
			return misnamed(err)
		}
		files.add(e.name + "/") // a file without a name, so that there is the folder
	}
	return nil
}

// checkZipLayout makes sure that the entries lie one behind the other up to the directory,
// and finds their contents.
func checkZipLayout(r io.ReaderAt, entries []*zipEntry, end int64) error {
	sorted := slices.Clone(entries)
	slices.SortStableFunc(sorted, func(a, b *zipEntry) int { return cmp.Compare(a.offset, b.offset) })
	at := int64(0)
	for i, e := range sorted {
		next := end
		if i+1 < len(sorted) {
			next = sorted[i+1].offset
		}
		switch {
		case e.offset > at:
			return refuse(e.name, "follows bytes that belong to no entry")
		case e.offset < at || next < e.offset+zipLocalLen:
			return refuse(e.name, "overlaps another entry, or the directory")
		}
		if err := e.readLocal(r, next); err != nil {
			return err
		}
		at = next
	}
	if at != end {
		return refuse("", "has bytes that belong to no entry")
	}
	return nil
}

// readLocal reads the header before an entry's contents, which must say what the directory
// does, and what is behind them. All of it ends at next.
func (e *zipEntry) readLocal(r io.ReaderAt, next int64) error {
	s := io.NewSectionReader(r, e.offset, next-e.offset)
	var b [zipLocalLen]byte
	if _, err := io.ReadFull(s, b[:]); err != nil {
		return cutShort(err, e.name, "is cut short")
	}
	le := binary.LittleEndian
	if le.Uint32(b[:]) != zipLocal {
		return refuse(e.name, "is not where the directory says")
	}
	raw, extra, err := readZipName(s, int(le.Uint16(b[26:])), int(le.Uint16(b[28:])))
	if err != nil {
		return cutShort(err, e.name, "is cut short")
	}
	if raw != e.raw {
		return refuse(e.name, "has another name in its header: %q", raw)
	}
	if err := checkZipExtra(e, extra); err != nil {
		return err
	}
	if le.Uint16(b[6:]) != e.flags || le.Uint16(b[8:]) != e.method {
		return refuse(e.name, "says in its header something else than in the directory")
	}
	e.data = e.offset + zipLocalLen + int64(len(raw)+len(extra))
	said := [3]int64{int64(le.Uint32(b[14:])), int64(le.Uint32(b[18:])), int64(le.Uint32(b[22:]))}
	know := [3]int64{int64(e.crc), e.packed, e.size}
	behind := next - e.data - e.packed
	if e.flags&zipFlagDesc == 0 {
		if said != know {
			return refuse(e.name, "says other sizes in its header than in the directory")
		}
	} else if said != know && said != [3]int64{} {
		return refuse(e.name, "says other sizes in its header than in the directory")
	}
	switch {
	case behind < 0:
		return refuse(e.name, "overlaps another entry, or the directory")
	case e.flags&zipFlagDesc != 0:
		return e.readDescriptor(r, behind)
	case behind > 0:
		return refuse(e.name, "is followed by bytes that belong to no entry")
	}
	return nil
}

// readDescriptor reads the sizes that follow an entry, of n bytes.
func (e *zipEntry) readDescriptor(r io.ReaderAt, n int64) error {
	var b [16]byte
	if n != 12 && n != 16 {
		return refuse(e.name, "is followed by bytes that belong to no entry")
	}
	if _, err := r.ReadAt(b[:n], e.data+e.packed); err != nil && err != io.EOF {
		return err
	}
	le, d := binary.LittleEndian, b[:n]
	if n == 16 {
		if le.Uint32(d) != zipData {
			return refuse(e.name, "is followed by bytes that belong to no entry")
		}
		d = d[4:]
	}
	if le.Uint32(d) != e.crc || int64(le.Uint32(d[4:])) != e.packed || int64(le.Uint32(d[8:])) != e.size {
		return refuse(e.name, "says other sizes behind it than in the directory")
	}
	return nil
}

// An entryReader unpacks an entry. Instead of io.EOF it returns an error unless the
// contents were exactly what the directory says.
type entryReader struct {
	ctx  context.Context // of the call that reads
	e    *zipEntry
	src  *bufio.Reader // packed
	r    io.Reader     // unpacked
	left int64
	crc  uint32
	err  error
}

func openEntry(ctx context.Context, r io.ReaderAt, e *zipEntry) *entryReader {
	src := bufio.NewReaderSize(io.NewSectionReader(r, e.data, e.packed), int(min(max(e.packed, 16), 64<<10)))
	x := &entryReader{ctx: ctx, e: e, src: src, r: src, left: e.size}
	if e.method == zipDeflate {
		x.r = flate.NewReader(src) // which reads no byte of a ByteReader too many
	}
	return x
}

func (x *entryReader) Read(p []byte) (int, error) {
	if x.err == nil {
		x.err = x.ctx.Err()
	}
	if x.err != nil {
		return 0, x.err
	}
	// One byte more than there may be, to see that there is none.
	if int64(len(p)) > x.left+1 {
		p = p[:x.left+1]
	}
	n, err := x.r.Read(p)
	if int64(n) > x.left {
		x.err = refuse(x.e.name, "holds more than the %d bytes that it says", x.e.size)
		return 0, x.err
	}
	x.left -= int64(n)
	x.crc = crc32.Update(x.crc, crc32.IEEETable, p[:n])
	var corrupt flate.CorruptInputError
	switch {
	case err == nil:
	case err == io.EOF:
		x.err = x.end()
	case err == io.ErrUnexpectedEOF, errors.As(err, &corrupt):
		x.err = &PackageError{x.e.name, fmt.Sprintf("does not unpack (%v)", err), err}
	default:
		x.err = err
	}
	return n, x.err
}

// end returns io.EOF if all is well.
func (x *entryReader) end() error {
	if x.left > 0 {
		return refuse(x.e.name, "holds fewer than the %d bytes that it says", x.e.size)
	}
	if _, err := x.src.ReadByte(); err != io.EOF {
		return refuse(x.e.name, "is followed by bytes that belong to no entry")
	}
	if x.crc != x.e.crc {
		return refuse(x.e.name, "is damaged: its CRC is %08x, not %08x", x.crc, x.e.crc)
	}
	return io.EOF
}

// readEntry unpacks an entry into memory, which grows with what is really there.
func readEntry(ctx context.Context, r io.ReaderAt, e *zipEntry) ([]byte, error) {
	return io.ReadAll(openEntry(ctx, r, e))
}
