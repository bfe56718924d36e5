package sam

import (
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
	broken  error // what went wrong so that the log has to be mended
	again   bool  // the log is to be read again, since it was mended
	keys    map[string]*dirKey
	order   keyOrder
	logSize int64
	synced  int64 // the part of the log that is durable for sure
	unnamed bool  // the log's name is not: it was compacted
	placed  bool  // the folder's name is
	live    int64 // bytes of the log that are still needed, about

	trash []string // what earlier removals left undone
}

// settle waits for what is being written.
func (sp *dirSpace) settle() {
	sp.mu.Lock()
	defer sp.mu.Unlock()
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
		// If that fails what is known stays readable, and writing tells.
		sp.mend()
	}
	if sp.loaded {
		return nil
	}
	sp.reset()
	pending, err := sp.readLog(logPath(sp.dir))
	if errors.Is(err, fs.ErrNotExist) {
		sp.reset()
		err = nil
	}
	if err == nil && len(pending) > 0 {
		err = sp.redo(pending)
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
	sp.loaded, sp.again = true, false
	if sp.exists {
		return sp.scan()
	}
	return nil
}

func (sp *dirSpace) reset() {
	sp.exists, sp.logSize, sp.synced, sp.live = false, 0, 0, 0
	sp.keys, sp.order = map[string]*dirKey{}, keyOrder{}
}

// readLog replays the log and returns what is still to be done in people's
// folder for a commit that a crash interrupted.
func (sp *dirSpace) readLog(path string) (pending []logChange, err error) {
	f, err := sp.s.meta.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if sp.keys == nil {
		sp.reset()
	}
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
		return nil, err
	}
	if !sp.exists {
		return nil, fs.ErrNotExist
	}
	if valid < info.Size() {
		if err := f.Truncate(valid); err != nil {
			return nil, err
		}
	}
	// What another process wrote last may be in memory only.
	if err := f.Sync(); err != nil {
		return nil, err
	}
	sp.logSize, sp.synced = valid, valid
	return pending, nil
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

// lookAt reads a file of people if it may have changed.
func (sp *dirSpace) lookAt(key string) error {
	k := sp.keys[key]
	if !isPeoples(key) || k != nil && k.file == nil {
		return nil
	}
	dir, err := sp.s.openFolder(sp.dir, false)
	if err != nil {
		return err
	}
	info, err := dir.stat(fileName(key))
	dir.close()
	if k == nil && errors.Is(err, fs.ErrNotExist) || err == nil && k != nil && k.file.same(info) {
		return nil
	}
	_, err = sp.refresh(key)
	return err
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
	if sp.s.closed.Load() || !sp.loaded && !sp.again {
		return nil
	}
	if sp.broken != nil || sp.again {
		return sp.load()
	}
	if !sp.exists {
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
