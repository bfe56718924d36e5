package sam

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"sync"
	"time"
)

// A plan is a commit before it is written.
type plan struct {
	changes []logChange
	files   []logChange // those of people's files
}

func (sp *dirSpace) commit(ctx context.Context, ops []Op) ([]Version, error) {
	if sp.broken != nil {
		return nil, fmt.Errorf("sam: commit: %w", sp.broken)
	}
	if sp.logSize > maxLogWaste+2*sp.live {
		if err := sp.compact(); err != nil {
			return nil, fmt.Errorf("sam: commit: the log can't be made smaller: %w", err)
		}
	}
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
			sp.broken = err // reading it again redoes it
		}
	}
	versions := make([]Version, len(ops))
	for i, c := range p.changes {
		if !ops[i].Delete {
			versions[i] = versionOf(c.version)
		}
	}
	switch {
	case sp.broken != nil:
	case len(sp.keys) == 0:
		sp.remove() // else load does it, or who makes the space again
	default:
		sp.compact() // else the next commit tries again
	}
	return versions, nil
}

func (sp *dirSpace) finishNow(files []logChange, temps map[string]string) error {
	dir, err := sp.makeFolder()
	if err != nil {
		sp.discard(temps)
		return err
	}
	defer dir.close()
	return sp.finish(dir, files, files, temps)
}

// makeFolder opens the folder, which is there durably then.
func (sp *dirSpace) makeFolder() (*folder, error) {
	dir, err := sp.s.openFolder(sp.dir, true)
	if err != nil {
		sp.placed = false
		return nil, err
	}
	if !sp.placed {
		if err := syncDir(sp.s.root, "."); err != nil {
			dir.close()
			return nil, err
		}
		sp.placed = true
	}
	return dir, nil
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
	if err := sp.emptyTrash(); err != nil {
		return nil, err
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
			if r, err := parseRecord(fileName(op.Key), op.Value); err == nil && r.Size <= maxPeoples && (r.blob || Hash(r.data) == r.Hash) {
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
	sp.logSize, sp.synced = 0, 0
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
	if err := sp.append(record, true); err != nil {
		return err
	}
	if err := syncDir(sp.s.meta, path); err != nil {
		sp.synced = 0
		return sp.fail(err)
	}
	sp.exists = true
	return nil
}

// redo makes the changes of people's files that a crash came before, unless
// people have made others since.
func (sp *dirSpace) redo(changes []logChange) error {
	dir, err := sp.makeFolder()
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

// syncAllFrom is how many files are cheaper to make durable together with all
// else on the file system: a thousand one by one take a second.
const syncAllFrom = 100

// temps writes the contents of people's files beside their places.
func (sp *dirSpace) temps(changes []logChange) (map[string]string, error) {
	temps := map[string]string{}
	together := canSyncAll && len(changes) >= syncAllFrom
	var mu sync.Mutex // guards temps
	var first error   // guarded by mu
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
				temp, err = sp.s.temp(r, !together)
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
	if first == nil && together {
		first = syncAll(sp.s.meta)
	}
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
	var failed []string
	for _, c := range todo {
		if c.kind == changeRemove {
			// A file that people keep from being removed is found by the next scan.
			if err := dir.remove(fileName(c.key)); isDiskError(err) {
				sp.discard(temps)
				return err
			}
		}
	}
	for _, c := range todo {
		if c.kind != changeWrite {
			continue
		}
		if err := dir.put(temps[c.key], fileName(c.key)); err != nil {
			if isDiskError(err) && c.old != "" && dir.remove(fileName(c.key)) != nil {
				sp.discard(temps)
				return err // else people would see what was before
			}
			sp.s.meta.Remove(temps[c.key])
			failed = append(failed, c.key)
		}
	}
	// What an earlier try did may not be durable either.
	var names []string
	for _, c := range all {
		if !slices.Contains(failed, c.key) {
			names = append(names, fileName(c.key))
		}
	}
	if err := dir.sync(names); err != nil {
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

// temp writes a file that is to get its place later.
func (s *dirStore) temp(r *fileRecord, durable bool) (name string, err error) {
	name = tempDir + "/" + rand.Text()
	f, err := s.meta.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return "", err
	}
	var from io.Reader = bytes.NewReader(r.data)
	if r.blob {
		b, err := s.blobs.Open(context.Background(), r.Hash)
		if err != nil {
			f.Close()
			return "", err
		}
		defer b.Close()
		from = b
	}
	_, err = io.Copy(f, from)
	if err == nil && durable {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = s.meta.Chtimes(name, r.ModTime, r.ModTime)
	}
	if err != nil {
		s.meta.Remove(name)
		return "", err
	}
	return name, nil
}
