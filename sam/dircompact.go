package sam

import (
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
)

// append writes a record to the log. If it fails the log stays as it was.
func (sp *dirSpace) append(record []byte, durable bool) error {
	if sp.broken != nil {
		return sp.broken
	}
	f, err := sp.s.meta.OpenFile(logPath(sp.dir), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.WriteAt(record, sp.logSize); err != nil {
		return sp.fail(err)
	}
	if durable {
		err := f.Sync()
		if err == nil && sp.unnamed {
			err = syncDir(sp.s.meta, spacesDir+"/"+sp.dir)
		}
		if err != nil {
			return sp.fail(err)
		}
		sp.unnamed = false
		sp.synced = sp.logSize + int64(len(record))
	}
	sp.logSize += int64(len(record))
	return nil
}

// fail notes that the log may hold what it should not, and mends it if it can.
func (sp *dirSpace) fail(err error) error {
	sp.broken = err
	sp.mend()
	return err
}

// mend cuts the log to what is durable for sure, and has it read again. When a
// file can't be made durable the system takes what it could not write for
// written, and nobody knows what is on the disk beyond that. What is cut off
// was not acknowledged: edits of people, which will be noticed again, or that a
// commit was finished, which is done again.
func (sp *dirSpace) mend() error {
	f, err := sp.s.meta.OpenFile(logPath(sp.dir), os.O_WRONLY, 0)
	if errors.Is(err, fs.ErrNotExist) && !sp.exists {
		err = nil
	} else if err == nil {
		err = f.Truncate(sp.synced)
		if err == nil {
			err = f.Sync()
		}
		err = errors.Join(err, f.Close())
	}
	if err == nil {
		sp.broken, sp.loaded, sp.again = nil, false, true
	}
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
	sp.logSize, sp.synced, sp.unnamed = size, size, true
	if err := syncDir(sp.s.meta, spacesDir+"/"+sp.dir); err != nil {
		return err // the next commit has to do it
	}
	sp.unnamed = false
	return nil
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
