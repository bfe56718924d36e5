package sqlshim

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/vfs"
	"samkit.dev/sam"
)

var (
	_ vfs.File                 = (*pageFile)(nil)
	_ vfs.FileBatchAtomicWrite = (*pageFile)(nil)
)

// chunkSize is how many bytes of a database lie under one key. It is also
// SQLite's page size, so that a page is written without being read.
const chunkSize = 8 << 10

// A pageFile is a database file whose bytes lie in a Space:
//
//	head                  what is current: generation and size
//	<generation>/<chunk>  8 KiB of it; both numbers in 8 hex digits
//
// It promises SQLite atomic batches, so that a transaction is one Commit and
// needs no journal. The commit is conditional on the head. When that condition
// fails SQLite would silently try again with a journal; so a failure sticks,
// and every later call returns it until the database is opened again.
//
// A pageFile belongs to one connection and is used by one goroutine at a time.
type pageFile struct {
	space  sam.Space
	prefix string
	ctx    *call
	budget *budget

	head      sam.Version // of the key head; Absent before the first commit
	gen       uint32
	committed int64 // the size that the Space has
	size      int64 // with what is not yet committed
	low       int64 // the least size since the last commit; older chunks from here on are dead

	dirty     map[int64][]byte
	group     *group           // transactions that are not in the Space yet, or nil
	contended func() bool      // whether others wait for the database; nil means never
	inBatch   bool             // between BeginAtomicWrite and its end
	cache     map[int64][]byte // chunks lately read in part
	spare     [][]byte         // buffers to be used again
	fetched   bool             // a chunk was read since verify
	seen      uint64           // the space's change count before verify last looked
	looked    bool             // seen is set
	failed    error            // sticks
	full      error            // why the last commit found no room
	lock      vfs.LockLevel
}

const headSize = 1 + 4 + 4 + 8 // format, chunk size, generation, size

func encodeHead(gen uint32, size int64) []byte {
	b := make([]byte, 1, headSize)
	b[0] = 1
	b = binary.BigEndian.AppendUint32(b, chunkSize)
	b = binary.BigEndian.AppendUint32(b, gen)
	return binary.BigEndian.AppendUint64(b, uint64(size))
}

func decodeHead(b []byte) (gen uint32, size int64, err error) {
	if len(b) != headSize || b[0] != 1 || binary.BigEndian.Uint32(b[1:]) != chunkSize {
		return 0, 0, errors.New("sqlshim: the head of the database is damaged or of a newer format")
	}
	size = int64(binary.BigEndian.Uint64(b[9:]))
	if size < 0 {
		return 0, 0, errors.New("sqlshim: the head of the database is damaged")
	}
	return binary.BigEndian.Uint32(b[5:]), size, nil
}

// openPages returns the database that lies under prefix.
func openPages(ctx *call, space sam.Space, prefix string, b *budget) (*pageFile, error) {
	f := &pageFile{space: space, prefix: prefix, ctx: ctx, budget: b, dirty: map[int64][]byte{}, cache: map[int64][]byte{}}
	data, e, err := space.Get(ctx, prefix+"head")
	if errors.Is(err, fs.ErrNotExist) {
		return f, nil
	}
	if err != nil {
		return nil, err
	}
	if f.gen, f.size, err = decodeHead(data); err != nil {
		return nil, err
	}
	f.head, f.committed, f.low = e.Version, f.size, f.size
	return f, nil
}

// verify latches a conflict if someone else has committed.
func (f *pageFile) verify() error {
	if f.failed != nil {
		return f.failed
	}
	f.fetched = false
	if c, ok := f.space.(sam.Counter); ok {
		now := c.Changes()
		if f.looked && now == f.seen {
			return nil
		}
		f.seen, f.looked = now, false
	}
	_, e, err := f.space.Get(f.ctx, f.prefix+"head")
	switch {
	case errors.Is(err, fs.ErrNotExist):
		e.Version = sam.Absent
	case err != nil:
		return err
	}
	if e.Version != f.head {
		f.failed = sam.ErrConflict
	}
	f.looked = true
	return f.failed
}

func (f *pageFile) key(n int64) string { return chunkKey(f.prefix, f.gen, n) }

func chunkKey(prefix string, gen uint32, n int64) string {
	const digits = "0123456789abcdef"
	var b [17]byte
	for i := range 8 {
		b[i] = digits[gen>>(28-4*i)&15]
		b[9+i] = digits[n>>(28-4*i)&15]
	}
	b[8] = '/'
	return prefix + string(b[:])
}

// chunk returns the bytes of a chunk, which the caller must not change, or nil
// if it was never written.
func (f *pageFile) chunk(n int64) ([]byte, error) {
	if p, ok := f.dirty[n]; ok {
		return p, nil
	}
	if n*chunkSize >= f.low {
		return nil, nil
	}
	if g := f.group; g != nil {
		if p, ok := g.pages[n]; ok {
			return p, nil
		}
		if n*chunkSize >= g.low {
			return nil, nil
		}
	}
	if p, ok := f.cache[n]; ok {
		return p, nil
	}
	f.fetched = true
	p, _, err := f.space.Get(f.ctx, f.key(n))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		if f.ctx.Err() != nil {
			return nil, sqlite3.INTERRUPT
		}
		return nil, err
	}
	if len(p) != chunkSize {
		return nil, fmt.Errorf("sqlshim: chunk %d has %d bytes", n, len(p))
	}
	return p, nil
}

// ours reports whether a chunk's buffer is one that is used again after a commit.
func (f *pageFile) ours(n int64) bool {
	if _, dirty := f.dirty[n]; dirty || f.group == nil {
		return dirty
	}
	_, grouped := f.group.pages[n]
	return grouped
}

// keep caches a chunk of which only a part was needed: the rest may be next.
func (f *pageFile) keep(n int64, p []byte) {
	const most = 64
	if len(f.cache) >= most {
		for old := range f.cache {
			delete(f.cache, old)
			break
		}
	}
	f.cache[n] = p
}

func (f *pageFile) ReadAt(b []byte, off int64) (int, error) {
	if f.failed != nil {
		return 0, f.failed
	}
	done := 0
	for done < len(b) {
		at := off + int64(done)
		if at >= f.size {
			return done, io.EOF
		}
		n, skip := at/chunkSize, int(at%chunkSize)
		p, err := f.chunk(n)
		if err != nil {
			return done, err
		}
		part := b[done:min(len(b), done+chunkSize-skip)]
		if p == nil {
			clear(part)
		} else {
			copy(part, p[skip:])
			if len(part) < chunkSize && !f.ours(n) {
				f.keep(n, p)
			}
		}
		done += len(part)
	}
	return done, nil
}

func (f *pageFile) WriteAt(b []byte, off int64) (int, error) {
	if err := f.change(); err != nil {
		return 0, err
	}
	done := 0
	for done < len(b) {
		at := off + int64(done)
		n, skip := at/chunkSize, int(at%chunkSize)
		part := b[done:min(len(b), done+chunkSize-skip)]
		p, err := f.writable(n, len(part) == chunkSize)
		if err != nil {
			return done, err
		}
		copy(p[skip:], part)
		done += len(part)
	}
	f.size = max(f.size, off+int64(done))
	return done, nil
}

// writable returns the dirty copy of a chunk. It need not hold the old bytes
// if all of them will be overwritten.
func (f *pageFile) writable(n int64, whole bool) ([]byte, error) {
	if p, ok := f.dirty[n]; ok {
		return p, nil
	}
	if !f.budget.take(chunkSize) {
		// The group's memory may be what is missing.
		if f.group == nil {
			return nil, sqlite3.FULL
		}
		if err := f.flushGroup(); err != nil {
			return nil, err
		}
		f.budget.short = false
		if !f.budget.take(chunkSize) {
			return nil, sqlite3.FULL
		}
	}
	var p []byte
	if last := len(f.spare) - 1; last >= 0 {
		p, f.spare = f.spare[last], f.spare[:last]
	} else {
		p = make([]byte, chunkSize)
	}
	if !whole {
		old, err := f.chunk(n)
		if err != nil {
			f.budget.give(chunkSize)
			return nil, err
		}
		clear(p[copy(p, old):])
	}
	f.dirty[n] = p
	delete(f.cache, n)
	return p, nil
}

// change is called before anything changes. What outgrows SQLite's cache comes
// here before it is committed, and does not join a group.
func (f *pageFile) change() error {
	if f.failed == nil && f.group != nil && !f.inBatch {
		return f.flushGroup()
	}
	return f.failed
}

func (f *pageFile) Truncate(size int64) error {
	if err := f.change(); err != nil {
		return err
	}
	if rest := size % chunkSize; rest != 0 && size < f.size {
		p, err := f.writable(size/chunkSize, false)
		if err != nil {
			return err
		}
		clear(p[rest:])
	}
	for n, p := range f.dirty {
		if n*chunkSize >= size {
			f.drop(n, p)
		}
	}
	for n := range f.cache {
		if n*chunkSize >= size {
			delete(f.cache, n)
		}
	}
	f.size, f.low = size, min(f.low, size)
	return nil
}

// drop forgets a dirty chunk.
func (f *pageFile) drop(n int64, p []byte) {
	delete(f.dirty, n)
	f.release(p)
}

// release gives a buffer back.
func (f *pageFile) release(p []byte) {
	f.budget.give(chunkSize)
	if len(f.spare) < 16 {
		f.spare = append(f.spare, p)
	}
}

func (f *pageFile) clean() bool { return len(f.dirty) == 0 && f.size == f.sealed() }

// store makes pages durable as the database's newest, in one Commit. Of what was
// there, chunks from low on are dead.
func (f *pageFile) store(pages map[int64][]byte, low, size int64) error {
	ops := make([]sam.Op, 1, len(pages)+1)
	ops[0] = sam.Op{Key: f.prefix + "head", Value: encodeHead(f.gen, size), If: f.head}
	for _, n := range slices.Sorted(maps.Keys(pages)) {
		ops = append(ops, sam.Op{Key: f.key(n), Value: pages[n], If: sam.Any})
	}
	for n := chunks(low); n < chunks(f.committed); n++ {
		if _, again := pages[n]; !again {
			ops = append(ops, sam.Op{Key: f.key(n), Delete: true, If: sam.Any})
		}
	}
	// A commit that has begun must not be cut off: its outcome would be unknown.
	f.ctx.busy.Store(true)
	var versions []sam.Version
	var err error
	f.ctx.pace.pause(func() { versions, err = f.space.Commit(context.WithoutCancel(f.ctx.Context), ops...) })
	f.ctx.restart() // what is committed must not be reported as interrupted
	f.ctx.busy.Store(false)
	if err != nil {
		return err
	}
	f.head, f.committed = versions[0], size
	return nil
}

// chunks returns how many chunks hold size bytes.
func chunks(size int64) int64 { return (size + chunkSize - 1) / chunkSize }

// discard forgets what is not committed.
func (f *pageFile) discard() {
	for n, p := range f.dirty {
		f.drop(n, p)
	}
	f.size, f.low = f.sealed(), f.sealed()
	f.inBatch = false
}

func (f *pageFile) BeginAtomicWrite() error {
	f.inBatch = f.failed == nil
	return f.failed
}

func (f *pageFile) CommitAtomicWrite() error {
	f.inBatch = false
	return f.commit()
}

func (f *pageFile) RollbackAtomicWrite() error {
	f.discard()
	return nil
}

// Sync commits what was written outside a batch: a transaction that outgrew
// SQLite's cache. It is called once, after the last page was written.
func (f *pageFile) Sync(vfs.SyncFlag) error {
	if f.failed != nil || f.clean() {
		return f.failed
	}
	return f.flushDirty()
}

func (f *pageFile) Size() (int64, error) { return f.size, f.failed }

func (f *pageFile) Lock(l vfs.LockLevel) error {
	f.lock = l
	return f.failed
}

func (f *pageFile) Unlock(l vfs.LockLevel) error {
	f.lock = l
	return nil
}

func (f *pageFile) CheckReservedLock() (bool, error) { return f.lock >= vfs.LOCK_RESERVED, nil }

func (f *pageFile) SectorSize() int { return 4096 }

func (f *pageFile) DeviceCharacteristics() vfs.DeviceCharacteristic {
	return vfs.IOCAP_BATCH_ATOMIC | vfs.IOCAP_ATOMIC | vfs.IOCAP_SAFE_APPEND | vfs.IOCAP_POWERSAFE_OVERWRITE
}

// Close forgets what is not committed.
func (f *pageFile) Close() error {
	f.discard()
	return nil
}
