package task

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"runtime"
	"slices"
)

// A checkout is a directory that holds the files of a sandbox, for commands that are processes.
type checkout struct {
	dir  string
	root *os.Root
	in   map[string]entry // what was written there
}

// checkout makes the directory, or brings it up to date. s.cmd is held.
func (s *sandbox) checkout(ctx context.Context) (string, error) {
	if s.co == nil {
		dir, err := s.folder("files")
		if err != nil {
			return "", err
		}
		root, err := os.OpenRoot(dir)
		if err != nil {
			return "", err
		}
		s.co = &checkout{dir: dir, root: root, in: map[string]entry{}}
		for _, folder := range s.folders {
			if err := root.MkdirAll(folder, 0o755); err != nil {
				return "", errors.Join(err, s.dropCheckout())
			}
		}
	}
	now := s.moment()
	if err := s.co.update(ctx, s.blobs, now, changed(s.co.in, now)); err != nil {
		return "", errors.Join(err, s.dropCheckout())
	}
	return s.co.dir, nil
}

// dropCheckout removes the directory; the next command gets a new one.
func (s *sandbox) dropCheckout() error {
	c := s.co
	s.co = nil
	c.root.Close()
	return removeAll(c.dir)
}

// update makes the named files what they are in want.
func (c *checkout) update(ctx context.Context, b *blobs, want map[string]entry, names []string) error {
	for _, name := range names { // first what goes: a folder may come where a file was
		if err := c.root.RemoveAll(name); err != nil {
			return err
		}
		delete(c.in, name)
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			if info, err := c.root.Lstat(dir); err == nil && !info.IsDir() {
				if err := c.root.Remove(dir); err != nil {
					return err
				}
			}
		}
	}
	for _, name := range names {
		e, there := want[name]
		if !there {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		data, err := b.get(e.hash)
		if err != nil {
			return err
		}
		if err := writeEntry(c.root, name, e, data); err != nil {
			return err
		}
		c.in[name] = e
	}
	return nil
}

// writeEntry makes a file or link that is not there yet.
func writeEntry(root *os.Root, name string, e entry, data []byte) error {
	if dir := path.Dir(name); dir != "." {
		if err := root.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	if e.link() {
		return root.Symlink(string(data), name)
	}
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil && runtime.GOOS != "windows" {
		err = f.Chmod(e.mode.Perm())
	}
	return errors.Join(err, f.Close())
}

// takeIn looks at what a command did in the checkout: what the stage may write is taken, the rest
// put back and told. After an error nothing is taken. s.cmd is held.
func (s *sandbox) takeIn(w *Work) error {
	if s.co == nil {
		return nil // it could not be made
	}
	err := s.takeInto(w)
	if err != nil {
		err = fmt.Errorf("task: nothing that the command wrote was taken: %w", err)
		err = errors.Join(err, s.dropCheckout())
	}
	return err
}

func (s *sandbox) takeInto(w *Work) error {
	ctx := context.Background() // the command has ended; what it did is looked at in any case
	found, odd, err := s.scan()
	if err != nil {
		return err
	}
	back := map[string]bool{}
	for name, reason := range odd {
		w.refuse("write", name, reason)
		back[name] = true
	}
	var gone, set []edit
	for _, name := range changed(s.co.in, found) {
		if back[name] {
			continue
		}
		if s.mayWrite(w, name) != nil {
			back[name] = true
			continue
		}
		if e, there := found[name]; there {
			set = append(set, edit{name, &e})
		} else {
			gone = append(gone, edit{name, nil})
		}
	}
	if err := s.apply(append(gone, set...)); err != nil {
		return err
	}
	want := maps.Clone(s.co.in)
	for _, ed := range append(gone, set...) {
		if ed.entry == nil {
			delete(s.co.in, ed.name)
		} else {
			s.co.in[ed.name] = *ed.entry
		}
	}
	return s.co.update(ctx, s.blobs, want, slices.Sorted(maps.Keys(back)))
}

// scan reads the checkout. What no file of a task may be is in odd, with the reason.
func (s *sandbox) scan() (found map[string]entry, odd map[string]string, err error) {
	found, odd = map[string]entry{}, map[string]string{}
	var size int64
	err = walk(s.co.root, func(name string, info fs.FileInfo) (bool, error) {
		if info.IsDir() {
			return true, nil
		}
		if len(found)+len(odd) >= maxFiles {
			return false, fmt.Errorf("%w: more than %d files", ErrLimit, maxFiles)
		}
		if size += info.Size(); size > s.blobs.max {
			return false, fmt.Errorf("%w: its files are larger than %d bytes", ErrLimit, s.blobs.max)
		}
		mode := info.Mode()
		switch {
		case mode&fs.ModeSymlink != 0 && !s.modes:
			odd[name] = "is a symbolic link, which the ground can't hold"
			return true, nil
		case !mode.IsRegular() && mode&fs.ModeSymlink == 0:
			odd[name] = "is neither a file nor a link"
			return true, nil
		case mode&(fs.ModeSetuid|fs.ModeSetgid|fs.ModeSticky) != 0:
			odd[name] = "would run with another's rights"
			return true, nil
		}
		e, data, err := readEntry(s.co.root, name, info, s.blobs.max)
		if err != nil {
			return false, err
		}
		if old, there := s.co.in[name]; there && (!s.modes || runtime.GOOS == "windows") && !e.link() && !old.link() {
			e.mode = old.mode
		} else if !s.modes {
			e.mode = plainMode
		}
		if e.link() && !leads(name, string(data)) && s.co.in[name] != e {
			odd[name] = "is a link that may lead out of the ground"
			return true, nil
		}
		if s.co.in[name].hash != e.hash {
			if _, err := s.blobs.put(data); err != nil {
				return false, err
			}
		}
		found[name] = e
		return true, nil
	})
	return found, odd, err
}

// readEntry reads a file or link, which must be what info says.
func readEntry(root *os.Root, name string, info fs.FileInfo, limit int64) (entry, []byte, error) {
	if info.Mode()&fs.ModeSymlink != 0 {
		target, err := root.Readlink(name)
		if err != nil {
			return entry{}, nil, err
		}
		return entry{hashOf([]byte(target)), int64(len(target)), fs.ModeSymlink | 0o777}, []byte(target), nil
	}
	data, now, err := readFile(root, name, limit)
	if err != nil {
		return entry{}, nil, err
	}
	if !os.SameFile(info, now) {
		return entry{}, nil, fmt.Errorf("%s %w", name, errReplaced)
	}
	return entry{hashOf(data), int64(len(data)), now.Mode().Perm()}, data, nil
}

// errReplaced reports that somebody put another file in the place of one.
var errReplaced = errors.New("was replaced while it was read")

func readFile(root *os.Root, name string, limit int64) ([]byte, fs.FileInfo, error) {
	f, err := root.OpenFile(name, os.O_RDONLY|nonblock, 0)
	if errors.Is(err, fs.ErrPermission) && runtime.GOOS != "windows" {
		return nil, nil, fmt.Errorf("%s can't be read: %w", name, err)
	}
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, nil, fmt.Errorf("%s is no file", name)
	}
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = fmt.Errorf("%w: %s is larger than %d bytes", ErrLimit, name, limit)
	}
	return data, info, err
}

// walk calls fn for what is in a directory, in order, and for folders before what is in them; false
// leaves a folder out. It follows no link.
func walk(root *os.Root, fn func(name string, info fs.FileInfo) (bool, error)) error {
	return walkFrom(root, ".", fn)
}

// walkBelow is walk in a folder, for all that is in it.
func walkBelow(root *os.Root, dir string, fn func(name string, info fs.FileInfo)) error {
	return walkFrom(root, dir, func(name string, info fs.FileInfo) (bool, error) {
		fn(name, info)
		return true, nil
	})
}

func walkFrom(root *os.Root, top string, fn func(name string, info fs.FileInfo) (bool, error)) error {
	var visit func(dir string) error
	visit = func(dir string) error {
		f, err := root.Open(dir)
		if err != nil {
			return err
		}
		entries, err := f.ReadDir(-1)
		f.Close()
		if err != nil {
			return err
		}
		slices.SortFunc(entries, func(a, b fs.DirEntry) int {
			switch {
			case a.Name() < b.Name():
				return -1
			case a.Name() > b.Name():
				return 1
			}
			return 0
		})
		for _, e := range entries {
			name := path.Join(dir, e.Name())
			info, err := root.Lstat(name)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return err
			}
			into, err := fn(name, info)
			if err != nil {
				return err
			}
			if info.IsDir() && into {
				if err := visit(name); err != nil {
					return err
				}
			}
		}
		return nil
	}
	return visit(top)
}
