package task

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"time"

	"samkit.dev/internal/durable"
)

// lock waits until no other run, of whatever program, promotes into the directory. The lock
// ends with the program.
func (d *directory) lock(ctx context.Context) (unlock func(), err error) {
	root, name := d.disk.root, path.Join(own, "lock")
	for {
		if err := root.Mkdir(own, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		if info, err := root.Lstat(own); err == nil && !info.IsDir() {
			return nil, fmt.Errorf("task: %s is no folder", own)
		}
		f, err := root.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if err == nil {
			ok, err := durable.Lock(f)
			if err != nil {
				f.Close()
				return nil, fmt.Errorf("task: lock the directory: %w", err)
			}
			// Who had it before has perhaps removed the file.
			mine, err := f.Stat()
			there, err2 := root.Lstat(name)
			if ok && err == nil && err2 == nil && os.SameFile(mine, there) {
				return func() {
					root.Remove(name) // nothing is left of us if there is no journal; else it stays
					root.Remove(own)
					f.Close()
				}, nil
			}
			f.Close()
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(5 * time.Millisecond):
		}
	}
}
