package sqlshim

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"samkit.dev/internal/durable"
)

// isIOError reports whether a call failed for the disk.
func isIOError(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Code == "SQLITE_IOERR"
}

// settleLog brings the disk to what SQLite sees of the log of a database file.
// After a failure to make it durable the system takes for written what is not,
// and SQLite would go on from there. It is called while the connection holds
// the file's lock.
func (c *conn) settleLog() error {
	if !c.doubt {
		return nil
	}
	f, err := os.OpenFile(c.file+"-wal", os.O_RDWR, 0)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	default:
		err := rewrite(f)
		if err = errors.Join(err, f.Close()); err != nil {
			return err
		}
	}
	if err := durable.SyncDir(filepath.Dir(c.file)); err != nil {
		return err
	}
	c.doubt = false
	return nil
}

// rewrite writes a file's contents over themselves, durably.
func rewrite(f *os.File) error {
	b := make([]byte, 1<<20)
	for off := int64(0); ; {
		n, err := f.ReadAt(b, off)
		if err != nil && err != io.EOF {
			return err
		}
		if _, werr := f.WriteAt(b[:n], off); werr != nil {
			return werr
		}
		if off += int64(n); err == io.EOF {
			return f.Sync()
		}
	}
}

// certain has d use a connection whose file is what the disk holds.
func (d *DB) certain() error {
	c := d.conn
	if c == nil || !c.doubt {
		return nil
	}
	if err := c.settleLog(); err != nil {
		return &Error{Code: "SQLITE_IOERR", Offset: -1, Text: "disk I/O error", Err: err}
	}
	d.drop()
	return nil
}
