package sqlshim

import (
	"io"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/vfs"
)

// A budget is the bytes that a database may hold in memory beside SQLite's own.
type budget struct {
	left  int64
	short bool // something was refused
}

func (b *budget) take(n int64) bool {
	if b.left < n {
		b.short = true
		return false
	}
	b.left -= n
	return true
}

func (b *budget) give(n int64) { b.left += n }

// A spaceVFS is the file system of one connection: its database, and a
// rollback journal in memory for transactions that outgrow SQLite's cache. A
// crash loses such a journal together with what it would undo, since that is
// not committed either.
type spaceVFS struct {
	main    *pageFile
	journal *memFile
	budget  *budget
}

func (v *spaceVFS) Open(name string, flags vfs.OpenFlag) (vfs.File, vfs.OpenFlag, error) {
	switch {
	case flags&vfs.OPEN_MAIN_DB != 0:
		return v.main, flags, nil
	case flags&vfs.OPEN_MAIN_JOURNAL != 0:
		if v.main.failed != nil {
			// This is SQLite's second try after a failed commit.
			return nil, flags, v.main.failed
		}
		if v.journal == nil {
			v.journal = &memFile{budget: v.budget, shared: true}
		}
		return v.journal, flags | vfs.OPEN_MEMORY, nil
	}
	return &memFile{budget: v.budget}, flags | vfs.OPEN_MEMORY, nil
}

func (v *spaceVFS) Delete(string, bool) error {
	if v.journal != nil {
		v.journal.Truncate(0)
		v.journal = nil
	}
	return nil
}

func (v *spaceVFS) Access(name string, flags vfs.AccessFlag) (bool, error) {
	return v.journal != nil && len(v.journal.data) > 0 && name == dbName+"-journal", nil
}

func (v *spaceVFS) FullPathname(name string) (string, error) { return name, nil }

// A memFile is a file in memory.
type memFile struct {
	data   []byte
	budget *budget
	shared bool // outlives Close, until it is deleted
}

func (f *memFile) ReadAt(b []byte, off int64) (int, error) {
	n := 0
	if off < int64(len(f.data)) {
		n = copy(b, f.data[off:])
	}
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

func (f *memFile) WriteAt(b []byte, off int64) (int, error) {
	if grow := off + int64(len(b)) - int64(len(f.data)); grow > 0 {
		if !f.budget.take(grow) {
			return 0, sqlite3.FULL
		}
		f.data = append(f.data, make([]byte, grow)...)
	}
	return copy(f.data[off:], b), nil
}

func (f *memFile) Truncate(size int64) error {
	if cut := int64(len(f.data)) - size; cut > 0 {
		f.budget.give(cut)
		f.data = f.data[:size:size]
		if size == 0 {
			f.data = nil
		}
	}
	return nil
}

func (f *memFile) Close() error {
	if !f.shared {
		f.Truncate(0)
	}
	return nil
}

func (f *memFile) Sync(vfs.SyncFlag) error          { return nil }
func (f *memFile) Size() (int64, error)             { return int64(len(f.data)), nil }
func (f *memFile) Lock(vfs.LockLevel) error         { return nil }
func (f *memFile) Unlock(vfs.LockLevel) error       { return nil }
func (f *memFile) CheckReservedLock() (bool, error) { return false, nil }
func (f *memFile) SectorSize() int                  { return 4096 }
func (f *memFile) DeviceCharacteristics() vfs.DeviceCharacteristic {
	return vfs.IOCAP_ATOMIC | vfs.IOCAP_SEQUENTIAL | vfs.IOCAP_SAFE_APPEND | vfs.IOCAP_POWERSAFE_OVERWRITE
}
