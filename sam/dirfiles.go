package sam

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"
	"time"
)

// isForeign reports whether an element of a path belongs to other tools. A
// project that could write there would have people's git run its commands.
func isForeign(part string) bool {
	switch FoldName(part) {
	case ".git", ".hg", ".svn", ".jj", ".bzr", "git~1":
		return true
	}
	return false
}

// isPeoples reports whether a key is a file that people may see.
func isPeoples(key string) bool {
	name, ok := strings.CutPrefix(key, filePrefix)
	if !ok || CheckFileName(name) != nil {
		return false
	}
	return !slices.ContainsFunc(strings.Split(name, "/"), isForeign)
}

// maxPeoples is the size of the largest file of people that is part of a
// project. A larger one would be copied to the blobs just for lying there.
const maxPeoples = 1 << 30

// A folder is the files of a space that people may edit. It follows no link.
type folder struct {
	s    *dirStore
	dir  string // its name in the store's directory
	root *os.Root
}

// openFolder opens a space's folder; if it is missing it is made, or nil.
func (s *dirStore) openFolder(dir string, make bool) (*folder, error) {
	info, err := s.root.Lstat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		if !make {
			return nil, nil
		}
		if err = s.root.Mkdir(dir, 0o755); err == nil {
			err = syncDir(s.root, ".")
		}
		if err == nil {
			info, err = s.root.Lstat(dir)
		}
	}
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("%s is no folder", dir)
	}
	root, err := s.root.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return &folder{s, dir, root}, nil
}

func (f *folder) close() {
	if f != nil {
		f.root.Close()
	}
}

// stat describes a file. What is no regular file, or lies behind a link, does
// not exist.
func (f *folder) stat(name string) (fs.FileInfo, error) {
	if f == nil {
		return nil, fs.ErrNotExist
	}
	var info fs.FileInfo
	var err error
	prefixes(name, func(p string, dir bool) bool {
		info, err = f.root.Lstat(p)
		if err == nil && (dir && !info.IsDir() || !dir && !isPart(info)) {
			err = fs.ErrNotExist
		}
		return err == nil
	})
	if errors.Is(err, syscall.ENOTDIR) {
		err = fs.ErrNotExist // a folder became a file between two looks
	}
	return info, err
}

// isPart reports whether what info describes may be a file of a project.
func isPart(info fs.FileInfo) bool { return info.Mode().IsRegular() && info.Size() <= maxPeoples }

// open opens the file that info, from stat, describes.
func (f *folder) open(name string, info fs.FileInfo) (*os.File, error) {
	file, err := f.root.Open(name)
	if err != nil {
		return nil, err
	}
	now, err := file.Stat()
	if err == nil && !os.SameFile(info, now) {
		err = fs.ErrNotExist // it was replaced just now, perhaps by a link
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

// read reads a file and returns what it is, and the contents of a small one.
// Those of a large one are put into the store's blobs, since people may change
// the file while someone reads it.
func (f *folder) read(name string, info fs.FileInfo) (st fileState, data []byte, err error) {
	file, err := f.open(name, info)
	if err != nil {
		return st, nil, err
	}
	defer file.Close()
	st.mtime = info.ModTime()
	data, err = io.ReadAll(io.LimitReader(file, maxInline+1))
	if err != nil {
		return st, nil, err
	}
	if len(data) <= maxInline {
		st.hash, st.size = Hash(data), int64(len(data))
		return st, data, nil
	}
	st.hash, st.size, err = f.s.blobs.Put(context.Background(), io.MultiReader(bytes.NewReader(data), file))
	return st, nil, err
}

// hash returns the hash of a file without keeping its contents.
func (f *folder) hash(name string, info fs.FileInfo) (string, error) {
	file, err := f.open(name, info)
	if err != nil {
		return "", err
	}
	defer file.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// walk calls fn for each file that is part of the project.
func (f *folder) walk(fn func(name string, info fs.FileInfo) error) error {
	if f == nil {
		return nil
	}
	return f.walkDir("", fn)
}

func (f *folder) walkDir(dir string, fn func(string, fs.FileInfo) error) error {
	entries, err := fs.ReadDir(f.root.FS(), path.Clean(dir))
	if errors.Is(err, fs.ErrNotExist) && dir != "" {
		return nil // removed meanwhile
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		if badPart(e.Name()) != "" || isForeign(e.Name()) || CheckFileName(name) != nil {
			continue
		}
		switch {
		case e.IsDir():
			err = f.walkDir(name, fn)
		case e.Type().IsRegular():
			var info fs.FileInfo
			if info, err = e.Info(); err == nil && isPart(info) {
				err = fn(name, info)
			}
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// put gives a file of the temporary folder its place.
func (f *folder) put(temp, name string) error {
	var err error
	prefixes(name, func(p string, dir bool) bool {
		var info fs.FileInfo
		info, err = f.root.Lstat(p)
		switch {
		case errors.Is(err, fs.ErrNotExist) && dir:
			err = f.root.Mkdir(p, 0o755)
		case errors.Is(err, fs.ErrNotExist):
			err = nil
		case err == nil && dir && !info.IsDir():
			err = fmt.Errorf("%s is no folder", p)
		case err == nil && !dir && !info.Mode().IsRegular():
			err = fmt.Errorf("%s is no regular file", p)
		case err == nil && !dir:
			// A script that people made executable stays so.
			err = f.s.meta.Chmod(temp, info.Mode().Perm())
		}
		return err == nil
	})
	if err != nil {
		return err
	}
	return f.s.root.Rename(metaDir+"/"+temp, f.dir+"/"+name)
}

// remove removes a file, and the folders that it leaves empty.
func (f *folder) remove(name string) error {
	if _, err := f.stat(name); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	if err := f.root.Remove(name); err != nil {
		return err
	}
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if f.root.Remove(dir) != nil {
			break // not empty
		}
	}
	return nil
}

// sync makes the names of files durable.
func (f *folder) sync(names []string) error {
	dirs := map[string]bool{}
	for _, n := range names {
		for dir := path.Dir(n); !dirs[dir]; dir = path.Dir(dir) {
			dirs[dir] = true
		}
	}
	for dir := range dirs {
		if info, err := f.root.Lstat(dir); !isDiskError(err) && (err != nil || !info.IsDir()) {
			continue // people put something else there
		}
		if err := syncDir(f.root, dir); err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
			return err
		}
	}
	return nil
}

// settled reports whether a file that was read now can be told by its time
// from one that is changed later. File systems keep times of up to two seconds.
func settled(mtime time.Time) bool { return time.Since(mtime) > 2*time.Second }
