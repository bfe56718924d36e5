// Package durable makes folders that a loss of power does not take away.
package durable

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// MkdirAll is os.MkdirAll, after which the names of the folders that it made,
// and in any case that of the last, are on the disk. A folder whose name could
// not be made durable is removed again. A parent that may not be read is left out.
func MkdirAll(dir string, perm fs.FileMode) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	if info, err := os.Stat(dir); err == nil && info.IsDir() {
		return syncParent(dir)
	}
	return mkdir(dir, perm)
}

func mkdir(dir string, perm fs.FileMode) error {
	parent := filepath.Dir(dir)
	if _, err := os.Stat(parent); errors.Is(err, fs.ErrNotExist) && parent != dir {
		if err := mkdir(parent, perm); err != nil {
			return err
		}
	}
	if err := os.Mkdir(dir, perm); err != nil {
		if info, serr := os.Stat(dir); serr == nil && info.IsDir() {
			return syncParent(dir) // another made it meanwhile
		}
		return err
	}
	if err := syncParent(dir); err != nil {
		os.Remove(dir)
		return err
	}
	return nil
}

func syncParent(dir string) error {
	err := SyncDir(filepath.Dir(dir))
	if errors.Is(err, fs.ErrPermission) {
		return nil
	}
	return err
}

// SyncDir makes the names in a folder durable.
func SyncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil // NTFS journals them, and a folder can't be flushed
	}
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}
