package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"samkit.dev/sam"
)

// A folder is a directory that somebody works in. Only one goroutine at a time
// may use it.
type folder struct {
	dir  string // absolute, links resolved
	root *os.Root
	data fs.FileInfo // of the folder that the app's data is kept in, or nil

	imports map[string]imported // of sources seen before, by their path below dir
	modules modules             // what was taken of node_modules last
	told    map[string]bool     // remarks made already
}

// openFolder opens dir. What data names is no part of it.
func openFolder(dir, data string) (*folder, error) {
	real, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if real, err = filepath.EvalSymlinks(real); err != nil {
		return nil, err
	}
	f := &folder{dir: real, imports: map[string]imported{}, told: map[string]bool{}}
	if data != "" {
		if err := os.MkdirAll(data, 0o700); err != nil {
			return nil, err
		}
		if f.data, err = os.Stat(data); err != nil {
			return nil, err
		}
		if info, err := os.Stat(real); err == nil && os.SameFile(info, f.data) {
			return nil, fmt.Errorf("%s cannot be served and be -data as well", dir)
		}
	}
	f.root, err = os.OpenRoot(real)
	return f, err
}

// Close releases the directory.
func (f *folder) Close() error { return f.root.Close() }

// remark tells the person something, once.
func (f *folder) remark(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if !f.told[text] {
		f.told[text] = true
		fmt.Fprintln(os.Stderr, text)
	}
}

// A listing is the files that a folder held at one moment, by their names in the project.
type listing map[string]source

// A source is where a file of a listing is, and what tells it from a later one.
type source struct {
	path string // below the folder, links resolved, with slashes
	size int64
	mod  time.Time
}

// reopen opens the directory that is at dir now, if it is another one: programs
// that build remove a folder and make it again.
func (f *folder) reopen() error {
	now, err := os.Stat(f.dir)
	if err != nil {
		return err
	}
	if have, err := f.root.Stat("."); err == nil && os.SameFile(have, now) {
		return nil
	}
	root, err := os.OpenRoot(f.dir)
	if err != nil {
		return err
	}
	f.root.Close()
	f.root, f.modules = root, modules{}
	return nil
}

// scan lists the folder.
func (f *folder) scan() (listing, error) {
	if err := f.reopen(); err != nil {
		return nil, err
	}
	w := &walk{f: f, found: listing{}, folded: map[string]string{}}
	if err := w.tree("", "", nil); err != nil {
		return nil, err
	}
	if err := f.addModules(w); err != nil {
		return nil, err
	}
	return w.found, nil
}

// A walk collects a listing.
type walk struct {
	f      *folder
	found  listing
	folded map[string]string // found's names as the strictest file system has them
	lean   bool              // in a package of node_modules: take only what code is made of
}

// tree adds what is in the directory at, below the folder, under names that start with
// name. above are the directories it lies in, so that links cannot lead in circles.
func (w *walk) tree(name, at string, above []fs.FileInfo) error {
	here, err := w.f.root.Stat(orDot(at))
	if err != nil {
		return err
	}
	if w.f.data != nil && os.SameFile(here, w.f.data) {
		return nil
	}
	for _, a := range above {
		if os.SameFile(a, here) {
			return nil
		}
	}
	above = append(slices.Clip(above), here)
	entries, err := fs.ReadDir(w.f.root.FS(), orDot(at))
	if err != nil {
		return err
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") || e.Name() == "node_modules" {
			continue
		}
		err := w.entry(path.Join(name, e.Name()), path.Join(at, e.Name()), e, above)
		switch {
		case errors.Is(err, fs.ErrNotExist): // gone since, or a link to nothing
		case errors.Is(err, fs.ErrPermission):
			w.f.remark("%s is passed over: it cannot be read", path.Join(at, e.Name()))
		case err != nil:
			return err
		}
	}
	return nil
}

func (w *walk) entry(name, at string, e fs.DirEntry, above []fs.FileInfo) error {
	info, err := e.Info()
	if err != nil {
		return err
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		var inside bool
		if at, inside, err = w.f.resolve(at); err != nil {
			return err
		}
		if !inside {
			w.f.remark("%s is passed over: it is a link that leads out of the folder", name)
			return nil
		}
		if info, err = w.f.root.Stat(orDot(at)); err != nil {
			return err
		}
	}
	switch {
	case info.IsDir():
		return w.tree(name, at, above)
	case info.Mode().IsRegular():
		w.add(name, source{at, info.Size(), info.ModTime()})
	}
	return nil
}

// add adds a file, unless no project may hold it.
func (w *walk) add(name string, s source) {
	if w.lean && !codeOf(name, s.size) {
		return
	}
	if err := sam.CheckFileName(name); err != nil {
		w.f.remark("%s is passed over: %v", name, err)
		return
	}
	fold := sam.FoldName(name)
	if other, taken := w.folded[fold]; taken {
		w.f.remark("%s is passed over: on some systems it is the same file as %s", name, other)
		return
	}
	w.folded[fold] = name
	w.found[name] = s
}

// resolve follows the links of a path below the folder, and says whether it
// stays inside.
func (f *folder) resolve(at string) (string, bool, error) {
	real, err := filepath.EvalSymlinks(filepath.Join(f.dir, filepath.FromSlash(at)))
	if err != nil {
		return "", false, err
	}
	rel, err := filepath.Rel(f.dir, real)
	if err != nil || !filepath.IsLocal(rel) {
		return "", false, nil
	}
	return strings.TrimPrefix(filepath.ToSlash(rel), "."), true, nil
}

// orDot names the folder itself as package io/fs does.
func orDot(at string) string {
	if at == "" {
		return "."
	}
	return at
}
