package task

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"runtime"
)

// A disk is the calls that change a directory.
type disk struct {
	root *os.Root
	// point is called before each change, and its error is the change's. Tests have the disk
	// fail or the program die there.
	point func(op, name string) error
}

func (d disk) at(op, name string) error {
	if d.point == nil {
		return nil
	}
	return d.point(op, name)
}

func (d disk) mkdir(name string) error {
	if err := d.at("mkdir", name); err != nil {
		return err
	}
	return d.root.Mkdir(name, 0o755)
}

func (d disk) remove(name string) error {
	if err := d.at("remove", name); err != nil {
		return err
	}
	return d.root.Remove(name)
}

func (d disk) rename(from, to string) error {
	if err := d.at("rename", from); err != nil {
		return err
	}
	return d.root.Rename(from, to)
}

func (d disk) symlink(target, name string) error {
	if err := d.at("symlink", name); err != nil {
		return err
	}
	return d.root.Symlink(target, name)
}

// place gives a file a second name that is free, or fails with fs.ErrExist if another file has it. The first name may
// be gone then.
func (d disk) place(from, to string) error {
	if err := d.at("link", to); err != nil {
		return err
	}
	err := d.root.Link(from, to)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrExist):
		if same(d.root, from, to) {
			return nil // a run before has come so far
		}
		return err
	case isMissing(err):
		return err
	}
	// A file system without links. Between the question and the answer somebody may be faster.
	if _, err := d.root.Lstat(to); err == nil {
		return &fs.PathError{Op: "rename", Path: to, Err: fs.ErrExist}
	}
	return d.rename(from, to)
}

// same reports whether two names are of one file, or of two that nobody can tell apart.
func same(root *os.Root, a, b string) bool {
	x, err := root.Lstat(a)
	y, err2 := root.Lstat(b)
	if err != nil || err2 != nil || !x.Mode().IsRegular() || x.Mode() != y.Mode() || x.Size() != y.Size() {
		return false
	}
	if os.SameFile(x, y) {
		return true
	}
	e, _, err := readEntry(root, a, x, x.Size())
	f, _, err2 := readEntry(root, b, y, y.Size())
	return err == nil && err2 == nil && e == f
}

// create makes a file that is on the disk when create returns, but for its name.
func (d disk) create(name string, data []byte, mode fs.FileMode) error {
	if err := d.at("create", name); err != nil {
		return err
	}
	f, err := d.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	half := len(data) / 2
	_, err = f.Write(data[:half])
	if err == nil {
		err = d.at("write", name)
	}
	if err == nil {
		_, err = f.Write(data[half:])
	}
	if err == nil && runtime.GOOS != "windows" {
		err = f.Chmod(mode.Perm())
	}
	if err == nil {
		err = d.at("sync", name)
	}
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// syncDir makes the names in a folder durable.
func (d disk) syncDir(name string) error {
	if err := d.at("sync", name); err != nil {
		return err
	}
	if runtime.GOOS == "windows" {
		return nil // NTFS journals them, and a folder can't be flushed
	}
	f, err := d.root.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// parents are the folders that a name lies in, the outermost first.
func parents(name string) []string {
	var all []string
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		all = append([]string{dir}, all...)
	}
	return all
}
