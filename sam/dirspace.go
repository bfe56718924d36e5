package sam

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// A dirSpace is a space of a directory store.
type dirSpace struct {
	s     *dirStore
	name  string
	dir   string       // of its files, and of its log
	asked atomic.Int64 // when Changes was called last, in Unix nanoseconds

	mu      sync.Mutex // guards the rest
	loaded  bool
	exists  bool
	broken  error // what went wrong so that the log's end is not known
	keys    map[string]*dirKey
	order   keyOrder
	logSize int64
	live    int64 // bytes of the log that are still needed, about
}

// A dirKey is a key whose value is in the log, or people's file.
type dirKey struct {
	version uint64
	modTime time.Time
	off, n  int64 // of the value in the log
	file    *dirFile
}

// A dirFile is a file of people as it was last read or written.
type dirFile struct {
	fileState
	seen time.Time // its time, which may be another than that of the key
	sure bool      // a change would show in size or time
}

func (k *dirKey) entry(key string) Entry {
	e := Entry{Key: key, Version: versionOf(k.version), Size: k.n, ModTime: k.modTime}
	if k.file != nil {
		e.Size = k.file.recordSize()
	}
	return e
}

// load reads the log once. It is called with mu held.
func (sp *dirSpace) load() error {
	if sp.broken != nil {
		return fmt.Errorf("sam: %s can't be used until it is opened again: %w", sp.dir, sp.broken)
	}
	if sp.loaded {
		return nil
	}
	sp.reset()
	err := sp.readLog(logPath(sp.dir))
	if errors.Is(err, fs.ErrNotExist) {
		sp.reset()
		err = nil
	}
	if err != nil {
		return fmt.Errorf("sam: %s: %w", sp.dir, err)
	}
	if sp.exists && len(sp.keys) == 0 {
		// A crash came while the first commit was written, or the last key removed.
		if err := sp.remove(); err != nil {
			return fmt.Errorf("sam: %s: %w", sp.dir, err)
		}
	}
	sp.loaded = true
	if sp.exists {
		return sp.scan()
	}
	return nil
}

func (sp *dirSpace) reset() {
	sp.exists, sp.logSize, sp.live = false, 0, 0
	sp.keys, sp.order = map[string]*dirKey{}, keyOrder{}
}

// readLog replays the log and finishes a commit that a crash interrupted.
func (sp *dirSpace) readLog(path string) error {
	f, err := sp.s.meta.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if sp.keys == nil {
		sp.reset()
	}
	var pending []logChange
	valid, err := readLog(f, info.Size(), func(r logRecord) error {
		switch r.kind {
		case recSpace:
			if r.space != sp.name {
				return fmt.Errorf("%w: it is that of space %.64q", errLog, r.space)
			}
			sp.exists = true
		case recCommit:
			pending = pending[:0]
			for _, c := range r.changes {
				sp.replay(&c)
				if c.kind == changeWrite || c.kind == changeRemove {
					pending = append(pending, c)
				}
			}
		case recApplied:
			sp.applied(pending, r.keys)
			pending = nil
		case recNotice:
			for _, c := range r.changes {
				sp.replay(&c)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if !sp.exists {
		return fs.ErrNotExist
	}
	if valid < info.Size() {
		if err := f.Truncate(valid); err != nil {
			return err
		}
	}
	sp.logSize = valid
	if len(pending) == 0 {
		return nil
	}
	return sp.redo(pending)
}

// replay makes a change of the log in memory.
func (sp *dirSpace) replay(c *logChange) {
	if c.kind == changeDelete || c.kind == changeRemove {
		sp.forget(c.key)
		return
	}
	k := sp.keys[c.key]
	if k == nil {
		if c.kind == changeTouch {
			return
		}
		k = &dirKey{}
		sp.keys[c.key] = k
		sp.order.add(c.key)
		sp.live += int64(len(c.key)) + 64
	}
	k.version = c.version
	switch c.kind {
	case changeValue, changeWrite:
		sp.live += int64(len(c.value)) - k.n
		k.modTime, k.off, k.n, k.file = c.modTime, c.off, int64(len(c.value)), nil
	case changeFile:
		sp.live -= k.n
		k.modTime, k.off, k.n = c.modTime, 0, 0
		k.file = &dirFile{fileState: c.file, seen: c.file.mtime}
	}
}

func (sp *dirSpace) forget(key string) {
	if k := sp.keys[key]; k != nil {
		sp.live -= int64(len(key)) + 64 + k.n
		delete(sp.keys, key)
	}
}

// applied turns the keys of writes into people's files, except for those that
// could not be written.
func (sp *dirSpace) applied(changes []logChange, failed []string) {
	kept := map[string]bool{}
	for _, key := range failed {
		kept[key] = true
	}
	for _, c := range changes {
		k := sp.keys[c.key]
		if c.kind != changeWrite || kept[c.key] || k == nil || k.version != c.version {
			continue
		}
		r, err := parseRecord(fileName(c.key), c.value)
		if err != nil {
			continue // checked when it was written
		}
		sp.live -= k.n
		k.off, k.n = 0, 0
		k.file = &dirFile{fileState: r.state(), seen: r.ModTime, sure: true}
	}
}

// redo makes the changes of people's files that a crash came before, unless
// people have made others since.
func (sp *dirSpace) redo(changes []logChange) error {
	dir, err := sp.s.openFolder(sp.dir, true)
	if err != nil {
		return err
	}
	defer dir.close()
	var todo []logChange
	for _, c := range changes {
		name := fileName(c.key)
		now := ""
		info, err := dir.stat(name)
		if err == nil {
			now, err = dir.hash(name, info)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if now == c.old {
			todo = append(todo, c)
		}
	}
	temps, err := sp.temps(todo)
	if err != nil {
		return err
	}
	return sp.finish(dir, changes, todo, temps)
}

// temps writes the contents of people's files beside their places.
func (sp *dirSpace) temps(changes []logChange) (map[string]string, error) {
	temps := map[string]string{}
	var mu sync.Mutex // guards temps and first
	var first error
	var wg sync.WaitGroup
	slots := make(chan struct{}, 16) // each waits for the disk, and the disk can do many
	for _, c := range changes {
		if c.kind != changeWrite {
			continue
		}
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			var temp string
			r, err := parseRecord(fileName(c.key), c.value)
			if err == nil {
				temp, err = sp.s.temp(r)
			}
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				first = fmt.Errorf("write %s: %w", fileName(c.key), err)
				return
			}
			temps[c.key] = temp
		})
	}
	wg.Wait()
	if first != nil {
		sp.discard(temps)
		return nil, first
	}
	return temps, nil
}

func (sp *dirSpace) discard(temps map[string]string) {
	for _, t := range temps {
		sp.s.meta.Remove(t)
	}
}

// finish makes the changes todo in people's folder and notes that all are
// made. What can't be written stays in the log, where it is read from; people
// do not see it.
func (sp *dirSpace) finish(dir *folder, all, todo []logChange, temps map[string]string) error {
	var failed, touched []string
	for _, c := range todo {
		if c.kind == changeRemove {
			// A file that can't be removed is found by the next scan.
			dir.remove(fileName(c.key))
			touched = append(touched, fileName(c.key))
		}
	}
	for _, c := range todo {
		if c.kind != changeWrite {
			continue
		}
		if err := dir.put(temps[c.key], fileName(c.key)); err != nil {
			sp.s.meta.Remove(temps[c.key])
			failed = append(failed, c.key)
			continue
		}
		touched = append(touched, fileName(c.key))
	}
	if err := dir.sync(touched); err != nil {
		return err
	}
	w := newLogRecord(recApplied)
	for _, key := range failed {
		w.string(key)
	}
	// Without this record the same is done again, so it need not be durable.
	if err := sp.append(w.finish(), false); err != nil {
		return err
	}
	sp.applied(all, failed)
	return nil
}

// append writes a record to the log.
func (sp *dirSpace) append(record []byte, durable bool) error {
	f, err := sp.s.meta.OpenFile(logPath(sp.dir), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.WriteAt(record, sp.logSize); err != nil {
		if terr := f.Truncate(sp.logSize); terr != nil {
			sp.broken = errors.Join(err, terr)
		}
		return err
	}
	if durable {
		if err := f.Sync(); err != nil {
			// Nobody knows what is on the disk now.
			sp.broken = err
			return err
		}
	}
	sp.logSize += int64(len(record))
	return nil
}

// value reads a value that is in the log.
func (sp *dirSpace) value(k *dirKey) ([]byte, error) {
	f, err := sp.s.meta.Open(logPath(sp.dir))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	value := make([]byte, k.n)
	if _, err := f.ReadAt(value, k.off); err != nil && !(err == io.EOF && k.n == 0) {
		return nil, err
	}
	return value, nil
}

func (sp *dirSpace) get(key string) ([]byte, Entry, error) {
	k := sp.keys[key]
	if k == nil && (!sp.exists || !isPeoples(key)) {
		return nil, Entry{}, fs.ErrNotExist
	}
	if k != nil && k.file == nil {
		value, err := sp.value(k)
		return value, k.entry(key), err
	}
	data, err := sp.refresh(key)
	if err != nil {
		return nil, Entry{}, err
	}
	if k = sp.keys[key]; k == nil {
		return nil, Entry{}, fs.ErrNotExist
	}
	return k.file.record(key, data).encode(), k.entry(key), nil
}

// refresh reads a file of people, notes it if it changed, and returns the
// contents of a small one.
func (sp *dirSpace) refresh(key string) ([]byte, error) {
	dir, err := sp.s.openFolder(sp.dir, false)
	if err != nil {
		return nil, err
	}
	defer dir.close()
	info, err := dir.stat(fileName(key))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, sp.notice(sp.removed(nil, key))
	}
	if err != nil {
		return nil, err
	}
	k := sp.keys[key]
	if k != nil && k.file.size > maxInline && k.file.same(info) {
		return nil, nil
	}
	st, data, err := dir.read(fileName(key), info)
	if err != nil {
		return nil, err
	}
	changes, err := sp.compare(nil, key, st)
	if err != nil {
		return nil, err
	}
	return data, sp.notice(changes)
}

// same reports whether a file is surely as it was.
func (f *dirFile) same(info fs.FileInfo) bool {
	return f.sure && info.Size() == f.size && info.ModTime().Equal(f.seen)
}

// compare adds a change if a file that was read is not what was known.
func (sp *dirSpace) compare(changes []logChange, key string, st fileState) ([]logChange, error) {
	if k := sp.keys[key]; k != nil && k.file.hash == st.hash {
		k.file.seen, k.file.sure = st.mtime, settled(st.mtime)
		return changes, nil
	}
	v, err := sp.s.nextVersion()
	return append(changes, logChange{key: key, kind: changeFile, version: v, modTime: st.mtime, file: st}), err
}

// removed adds a change if a file that is not there was known.
func (sp *dirSpace) removed(changes []logChange, key string) []logChange {
	if k := sp.keys[key]; k != nil && k.file != nil {
		changes = append(changes, logChange{key: key, kind: changeDelete})
	}
	return changes
}

// look scans the folder for edits of people, if the space is in use.
func (sp *dirSpace) look() error {
	sp.mu.Lock()
	defer sp.mu.Unlock()
	if !sp.loaded || !sp.exists || sp.broken != nil || sp.s.closed.Load() {
		return nil
	}
	return sp.scan()
}

// scan notes all edits of people.
func (sp *dirSpace) scan() error {
	changes, err := sp.edits()
	if err != nil {
		return err
	}
	return sp.notice(changes)
}

func (sp *dirSpace) edits() ([]logChange, error) {
	dir, err := sp.s.openFolder(sp.dir, false)
	if err != nil {
		return nil, err
	}
	defer dir.close()
	var changes []logChange
	found := map[string]bool{}
	err = dir.walk(func(name string, info fs.FileInfo) error {
		key := filePrefix + name
		found[key] = true
		k := sp.keys[key]
		if k != nil && (k.file == nil || k.file.same(info)) {
			return nil
		}
		st, _, err := dir.read(name, info)
		if err == nil {
			changes, err = sp.compare(changes, key, st)
		}
		if errors.Is(err, fs.ErrNotExist) {
			found[key] = false
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	for key, k := range sp.keys {
		if k.file != nil && !found[key] {
			changes = sp.removed(changes, key)
		}
	}
	return changes, nil
}

// notice notes edits of people. The project's head gets a new version with
// them, since it stands for all files.
func (sp *dirSpace) notice(changes []logChange) error {
	if len(changes) == 0 {
		return nil
	}
	if sp.keys[headKey] != nil {
		v, err := sp.s.nextVersion()
		if err != nil {
			return err
		}
		changes = append(changes, logChange{key: headKey, kind: changeTouch, version: v})
	}
	w := newLogRecord(recNotice)
	for i := range changes {
		w.change(&changes[i])
	}
	// What a crash loses of this is noticed again.
	if err := sp.append(w.finish(), false); err != nil {
		return err
	}
	sp.take(changes)
	sp.compact() // else the next commit tries again
	return nil
}

// take makes changes in memory and tells the watchers.
func (sp *dirSpace) take(changes []logChange) {
	entries := make([]Entry, len(changes))
	for i := range changes {
		c := &changes[i]
		sp.replay(c)
		entries[i].Key = c.key
		if k := sp.keys[c.key]; k != nil {
			entries[i] = k.entry(c.key)
			if c.kind == changeFile {
				k.file.sure = settled(k.file.seen)
			}
		}
	}
	sp.s.feed.Publish(sp.name, entries...)
}

// remove removes the space: first its log, in one step, then people's files.
func (sp *dirSpace) remove() error {
	trash := trashDir + "/" + rand.Text()
	if err := sp.s.meta.Rename(spacesDir+"/"+sp.dir, trash); err != nil {
		return err
	}
	err := errors.Join(syncDir(sp.s.meta, spacesDir), syncDir(sp.s.meta, trashDir))
	sp.removeFiles()
	sp.reset()
	return errors.Join(err, sp.s.meta.RemoveAll(trash))
}

// removeFiles removes people's files that are keys of the space, and its folder
// if nothing else is in it.
func (sp *dirSpace) removeFiles() {
	dir, err := sp.s.openFolder(sp.dir, false)
	if err != nil || dir == nil {
		return
	}
	defer dir.close()
	var gone []string
	for key, k := range sp.keys {
		if k.file != nil && dir.remove(fileName(key)) == nil {
			gone = append(gone, fileName(key))
		}
	}
	dir.sync(gone)
	sp.s.root.Remove(sp.dir)
}

// A plan is a commit before it is written.
type plan struct {
	changes []logChange
	files   []logChange // those of people's files
}

func (sp *dirSpace) commit(ctx context.Context, ops []Op) ([]Version, error) {
	taken, err := sp.prepare(ops)
	if err != nil {
		return nil, err
	}
	p, err := sp.plan(ops)
	if err != nil {
		sp.undo(taken)
		return nil, err
	}
	temps, err := sp.temps(p.files)
	if err == nil {
		err = ctx.Err()
	}
	if err == nil {
		err = sp.write(taken, p.changes)
	}
	if err != nil {
		sp.discard(temps)
		sp.undo(taken)
		return nil, fmt.Errorf("sam: commit: %w", err)
	}
	// From here on the commit is made, whatever happens.
	sp.take(p.changes)
	if len(p.files) > 0 {
		if err := sp.finishNow(p.files, temps); err != nil {
			sp.broken = err // opening it again redoes it
		}
	}
	versions := make([]Version, len(ops))
	for i, c := range p.changes {
		if !ops[i].Delete {
			versions[i] = versionOf(c.version)
		}
	}
	if len(sp.keys) == 0 {
		err = sp.remove() // else load does it
	} else {
		err = sp.compact() // else the next commit tries again
	}
	if err != nil && sp.logSize > maxLogWaste+2*sp.live {
		sp.broken = fmt.Errorf("its log can't be made smaller: %w", err)
	}
	return versions, nil
}

func (sp *dirSpace) finishNow(files []logChange, temps map[string]string) error {
	dir, err := sp.s.openFolder(sp.dir, true)
	if err != nil {
		return err
	}
	defer dir.close()
	return sp.finish(dir, files, files, temps)
}

// prepare brings what is known of people's files up to date. Of a space that
// does not exist yet it returns the files that are there already.
func (sp *dirSpace) prepare(ops []Op) (taken []logChange, err error) {
	if sp.exists {
		for _, op := range ops {
			k := sp.keys[op.Key]
			if isPeoples(op.Key) && (k == nil || k.file != nil) {
				if _, err := sp.refresh(op.Key); err != nil {
					return nil, err
				}
			}
		}
		return nil, nil
	}
	if taken, err = sp.edits(); err != nil {
		return nil, err
	}
	for i := range taken {
		sp.replay(&taken[i])
	}
	return taken, nil
}

// undo forgets what prepare returned.
func (sp *dirSpace) undo(taken []logChange) {
	if !sp.exists && len(taken) > 0 {
		sp.reset()
	}
}

// plan checks the conditions and gives each op its change.
func (sp *dirSpace) plan(ops []Op) (p plan, err error) {
	for _, op := range ops {
		now := Absent
		if k := sp.keys[op.Key]; k != nil {
			now = versionOf(k.version)
		}
		if op.If != Any && op.If != now {
			return p, fmt.Errorf("commit %q: %w", short(op.Key), ErrConflict)
		}
	}
	for _, op := range ops {
		c := logChange{key: op.Key, kind: changeValue, modTime: time.Now(), value: op.Value}
		k := sp.keys[op.Key]
		if k != nil && k.file != nil {
			c.old = k.file.hash
		}
		switch {
		case op.Delete && k != nil && k.file != nil:
			c.kind = changeRemove
		case op.Delete:
			c.kind = changeDelete
		case isPeoples(op.Key):
			if r, err := parseRecord(fileName(op.Key), op.Value); err == nil && (r.blob || Hash(r.data) == r.Hash) {
				c.kind, c.modTime = changeWrite, r.ModTime
			}
		}
		if c.kind == changeValue && c.old != "" {
			// It replaces people's file by something that people can't see.
			p.files = append(p.files, logChange{key: op.Key, kind: changeRemove, old: c.old})
		}
		if !op.Delete {
			if c.version, err = sp.s.nextVersion(); err != nil {
				return p, err
			}
		}
		p.changes = append(p.changes, c)
		if c.kind == changeWrite || c.kind == changeRemove {
			p.files = append(p.files, c)
		}
	}
	return p, nil
}

// write writes a commit to the log, which it makes if there is none.
func (sp *dirSpace) write(taken, changes []logChange) error {
	var record []byte
	if !sp.exists {
		w := newLogRecord(recSpace)
		w.string(sp.name)
		record = w.finish()
		if len(taken) > 0 {
			w := newLogRecord(recNotice)
			for i := range taken {
				w.change(&taken[i])
			}
			record = append(record, w.finish()...)
		}
	}
	w := newLogRecord(recCommit)
	for i := range changes {
		c := &changes[i]
		c.off = sp.logSize + int64(len(record)) + int64(w.change(c))
	}
	record = append(record, w.finish()...)
	if sp.exists {
		return sp.append(record, true)
	}
	path := spacesDir + "/" + sp.dir
	if err := mkdir(sp.s.meta, path); err != nil {
		return err
	}
	f, err := sp.s.meta.OpenFile(path+"/log", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	err = sp.append(record, true)
	if err == nil {
		err = errors.Join(syncDir(sp.s.meta, path), syncDir(sp.s.meta, spacesDir))
	}
	sp.exists = err == nil
	return err
}

// compactAt is the size of a log below which it is not worth while to compact.
const compactAt = 1 << 20

// maxLogWaste is how far a log that can't be compacted may grow.
const maxLogWaste = 1 << 30

// compact writes the log anew if more than half of it is not needed.
func (sp *dirSpace) compact() error {
	if sp.broken != nil || sp.logSize < compactAt || sp.logSize < 2*sp.live {
		return nil
	}
	old, err := sp.s.meta.Open(logPath(sp.dir))
	if err != nil {
		return err
	}
	defer old.Close()
	temp := tempDir + "/" + rand.Text()
	f, err := sp.s.meta.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	size, offs, err := sp.rewrite(f, old)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = sp.s.meta.Rename(temp, logPath(sp.dir))
	}
	if err != nil {
		sp.s.meta.Remove(temp)
		return err
	}
	for key, off := range offs {
		sp.keys[key].off = off
	}
	sp.logSize = size
	return syncDir(sp.s.meta, spacesDir+"/"+sp.dir)
}

// rewrite writes a record for each key and returns where the values are.
func (sp *dirSpace) rewrite(w io.Writer, old io.ReaderAt) (size int64, offs map[string]int64, err error) {
	write := func(record []byte) {
		if err == nil {
			_, err = w.Write(record)
			size += int64(len(record))
		}
	}
	name := newLogRecord(recSpace)
	name.string(sp.name)
	write(name.finish())
	offs = map[string]int64{}
	for key, k := range sp.keys {
		c := logChange{key: key, kind: changeValue, version: k.version, modTime: k.modTime}
		if k.file != nil {
			c.kind, c.file = changeFile, k.file.fileState
		} else {
			c.value = make([]byte, k.n)
			if _, rerr := old.ReadAt(c.value, k.off); rerr != nil && !(rerr == io.EOF && k.n == 0) {
				return 0, nil, rerr
			}
		}
		r := newLogRecord(recNotice)
		offs[key] = size + int64(r.change(&c))
		write(r.finish())
	}
	return size, offs, err
}
