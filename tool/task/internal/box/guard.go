package box

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
)

// guarded are the files of a repository that make git run programs, whoever calls it next.
var guarded = []string{".git/hooks", ".git/config", ".git/config.worktree", ".git/commondir", ".gitmodules"}

// Bounds of what is kept of guarded paths.
const (
	maxKept      = 4096
	maxKeptBytes = 16 << 20
)

// A watch is how guarded paths were before a command, so that they can be so again. What is
// mounted read-only is not the whole defence, and a light box has no other: a directory above can be moved away, and what
// is not there yet can't be mounted.
type watch struct {
	root  string
	names []string
	kept  map[string]kept
}

// A kept is a file as it was.
type kept struct {
	mode fs.FileMode
	data []byte // or where a link leads
}

func watchPaths(root string, more []string) (*watch, error) {
	w := &watch{root: root, names: slices.Concat(guarded, more)}
	var err error
	w.kept, err = w.read()
	return w, err
}

// read reads all below the names. It follows no link that leads out of the workspace.
func (w *watch) read() (map[string]kept, error) {
	r, err := os.OpenRoot(w.root)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	all := make(map[string]kept)
	size := 0
	var visit func(name string) error
	visit = func(name string) error {
		info, err := r.Lstat(name)
		if missing(err) {
			return nil
		}
		if err != nil {
			return err
		}
		k := kept{mode: info.Mode()}
		switch {
		case info.IsDir():
			entries, err := fs.ReadDir(r.FS(), name)
			if err != nil {
				return err
			}
			for _, e := range entries {
				if err := visit(path.Join(name, e.Name())); err != nil {
					return err
				}
			}
		case info.Mode()&fs.ModeSymlink != 0:
			to, err := r.Readlink(name)
			if err != nil {
				return err
			}
			k.data = []byte(to)
		case info.Mode().IsRegular():
			if size += int(min(info.Size(), maxKeptBytes+1)); size > maxKeptBytes {
				return fmt.Errorf("the files that stay as they are hold more than %d bytes", maxKeptBytes)
			}
			if k.data, err = r.ReadFile(name); err != nil {
				return err
			}
		}
		if all[name] = k; len(all) > maxKept {
			return fmt.Errorf("more than %d files are to stay as they are", maxKept)
		}
		return nil
	}
	for _, name := range w.names {
		if err := visit(path.Clean(name)); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// missing reports whether there is nothing at a path, or nothing that belongs to the workspace: above it stands
// a file, or a link out.
func missing(err error) bool {
	return err != nil && (errors.Is(err, fs.ErrNotExist) || isNotDir(err) || isEscape(err))
}

// isEscape recognises what [os.Root] says of a link that leads out, which is no error value of its own.
func isEscape(err error) bool {
	var pe *fs.PathError
	return errors.As(err, &pe) && pe.Err.Error() == "path escapes from parent"
}

// restore puts back what has changed and tells it as refused.
func (w *watch) restore(refused *refusals) error {
	now, err := w.read()
	if err != nil {
		now = nil // so much was put there that it can't be told one by one
	}
	changed := make(map[string]bool)
	for name, k := range w.kept {
		if n, ok := now[name]; !ok || !same(n, k) {
			changed[name] = true
		}
	}
	for name := range now {
		if _, ok := w.kept[name]; !ok {
			changed[name] = true
		}
	}
	if err == nil && len(changed) == 0 {
		return nil
	}
	for name := range changed {
		refused.add(Refusal{Kind: "write", What: name, Reason: "it stays as it is; the change was undone"})
	}
	if err != nil {
		refused.add(Refusal{Kind: "write", What: w.names[0], Reason: "it stays as it is; the change was undone: " + err.Error()})
	}
	if err := w.putBack(); err != nil {
		return fmt.Errorf("put back what was to stay as it is: %w", err)
	}
	return nil
}

func same(a, b kept) bool { return a.mode == b.mode && bytes.Equal(a.data, b.data) }

func (w *watch) putBack() error {
	r, err := os.OpenRoot(w.root)
	if err != nil {
		return err
	}
	defer r.Close()
	for _, name := range w.names {
		name = path.Clean(name)
		if err := clearWay(r, name); err != nil {
			return err
		}
		if err := r.RemoveAll(name); err != nil && !missing(err) {
			return err
		}
	}
	names := make([]string, 0, len(w.kept))
	for name := range w.kept {
		names = append(names, name)
	}
	slices.Sort(names) // directories before what is in them
	for _, name := range names {
		if err := put(r, name, w.kept[name]); err != nil {
			return err
		}
	}
	for _, name := range slices.Backward(names) { // a directory that can't be written was filled first
		if k := w.kept[name]; k.mode&fs.ModeSymlink == 0 {
			if err := r.Chmod(name, k.mode.Perm()|k.mode&(fs.ModeSetuid|fs.ModeSetgid|fs.ModeSticky)); err != nil {
				return err
			}
		}
	}
	return nil
}

// clearWay removes a link that stands where a directory above name was.
func clearWay(r *os.Root, name string) error {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		info, err := r.Lstat(dir)
		if err != nil {
			continue
		}
		if info.Mode()&fs.ModeSymlink != 0 {
			if err := r.Remove(dir); err != nil {
				return err
			}
		}
	}
	return nil
}

func put(r *os.Root, name string, k kept) error {
	if dir := path.Dir(name); dir != "." {
		if err := r.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	switch {
	case k.mode.IsDir():
		return r.MkdirAll(name, 0o700|k.mode.Perm())
	case k.mode&fs.ModeSymlink != 0:
		return r.Symlink(string(k.data), name)
	case k.mode.IsRegular():
		return r.WriteFile(name, k.data, 0o600|k.mode.Perm())
	}
	return nil // a device, a pipe: nothing that was worth keeping
}
