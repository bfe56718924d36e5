package sam

import (
	"crypto/rand"
	"errors"
	"io"
	"os"
)

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
