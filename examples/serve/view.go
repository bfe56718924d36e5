package main

import (
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// A view is a listing as a file system, for Deploy. It reads a file when it is
// opened, so what it shows may be newer than the listing.
type view struct {
	f     *folder
	files listing
	dirs  map[string][]fs.DirEntry // sorted
}

var _ fs.ReadDirFS = (*view)(nil)

func newView(f *folder, files listing) *view {
	v := &view{f: f, files: files, dirs: map[string][]fs.DirEntry{".": nil}}
	known := map[string]bool{".": true}
	for name := range files {
		v.put(name, 0)
		for dir := path.Dir(name); !known[dir]; dir = path.Dir(dir) {
			known[dir] = true
			v.put(dir, fs.ModeDir)
		}
	}
	for _, entries := range v.dirs {
		slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	}
	return v
}

func (v *view) put(name string, mode fs.FileMode) {
	dir := path.Dir(name)
	v.dirs[dir] = append(v.dirs[dir], entry{v, name, mode})
}

// Open opens a file. Folders are read with ReadDir only.
func (v *view) Open(name string) (fs.File, error) {
	s, ok := v.files[name]
	switch {
	case ok:
		return v.f.root.Open(filepath.FromSlash(s.path))
	case v.dirs[name] != nil || name == ".":
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

// ReadDir lists a folder.
func (v *view) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, ok := v.dirs[name]
	if !ok {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: fs.ErrNotExist}
	}
	return slices.Clone(entries), nil
}

// An entry is a file or a folder of a view.
type entry struct {
	v    *view
	name string // in the project
	mode fs.FileMode
}

func (e entry) Name() string      { return path.Base(e.name) }
func (e entry) IsDir() bool       { return e.mode.IsDir() }
func (e entry) Type() fs.FileMode { return e.mode }

func (e entry) Info() (fs.FileInfo, error) {
	if e.IsDir() {
		return nil, &fs.PathError{Op: "stat", Path: e.name, Err: fs.ErrInvalid}
	}
	return fs.Stat(e.v, e.name)
}
