package sam

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"
)

var (
	_ fs.ReadFileFS = projectFS{}
	_ fs.ReadDirFS  = projectFS{}
	_ fs.StatFS     = projectFS{}
	_ fs.ReadDirFS  = Files{}
	_ fs.StatFS     = Files{}
)

// Files is a small fs.FS for programs and tests: contents by name.
type Files map[string]string

// Open implements fs.FS.
func (f Files) Open(name string) (fs.File, error) {
	info, err := f.Stat(name)
	if err != nil {
		return nil, reop("open", err)
	}
	if !info.IsDir() {
		return &openFile{info: info, Reader: strings.NewReader(f[name])}, nil
	}
	entries, err := f.ReadDir(name)
	if err != nil {
		return nil, reop("open", err)
	}
	return &openDir{info: info, name: name, entries: entries}, nil
}

// Stat implements fs.StatFS.
func (f Files) Stat(name string) (fs.FileInfo, error) {
	if !fs.ValidPath(name) {
		return nil, pathError("stat", name, fs.ErrInvalid)
	}
	if data, ok := f[name]; ok {
		return fileInfo{File{Name: name, Size: int64(len(data))}}, nil
	}
	if name == "." {
		return dirInfo(name), nil
	}
	for n := range f {
		if strings.HasPrefix(n, name+"/") {
			return dirInfo(name), nil
		}
	}
	return nil, pathError("stat", name, fs.ErrNotExist)
}

// ReadDir implements fs.ReadDirFS. A name that no file can have is an error, so
// that it is not passed over in silence.
func (f Files) ReadDir(name string) ([]fs.DirEntry, error) {
	info, err := f.Stat(name)
	if err != nil {
		return nil, reop("readdir", err)
	}
	if !info.IsDir() {
		return nil, pathError("readdir", name, errNotDir)
	}
	var records []*fileRecord
	for n, data := range f {
		if err := CheckFileName(n); err != nil {
			return nil, err
		}
		records = append(records, &fileRecord{File: File{Name: n, Size: int64(len(data))}})
	}
	slices.SortFunc(records, func(a, b *fileRecord) int { return strings.Compare(a.Name, b.Name) })
	return makeDirs(records)[name], nil
}

// A projectFS is the files of a project at one moment. Its context, which is
// that of the view, is used for what is not in memory.
type projectFS struct {
	ctx context.Context
	p   *Project
	x   *index
}

func (f projectFS) Open(name string) (fs.File, error) {
	info, err := f.Stat(name)
	if err != nil {
		return nil, reop("open", err)
	}
	if info.IsDir() {
		return &openDir{info: info, name: name, entries: f.x.folders()[name]}, nil
	}
	r := f.x.files[name]
	if r.blob {
		b, err := f.p.ws.store.Blobs().Open(f.ctx, r.Hash)
		if err != nil {
			return nil, pathError("open", name, err)
		}
		return &openFile{info: info, Reader: b, close: b.Close}, nil
	}
	data, err := f.small(r)
	if err != nil {
		return nil, pathError("open", name, err)
	}
	return &openFile{info: info, Reader: bytes.NewReader(data)}, nil
}

// small returns the contents of an inline record, which are not to be changed.
func (f projectFS) small(r *fileRecord) ([]byte, error) {
	if r.data != nil || r.Size == 0 {
		return r.data, nil
	}
	if f.x.past {
		return f.p.fileData(f.ctx, r.File)
	}
	now, err := readRecord(f.ctx, f.p.space, r.Name)
	if errors.Is(err, fs.ErrNotExist) || err == nil && now.Hash != r.Hash {
		return nil, fmt.Errorf("the file changed after the view was made: %w", ErrConflict)
	}
	if err != nil {
		return nil, err
	}
	return now.data, nil
}

func (f projectFS) ReadFile(name string) ([]byte, error) {
	info, err := f.Stat(name)
	if err != nil {
		return nil, reop("read", err)
	}
	if info.IsDir() {
		return nil, pathError("read", name, errors.New("is a directory"))
	}
	r := f.x.files[name]
	if r.blob {
		data, err := f.p.readBlob(f.ctx, r)
		return data, pathError("read", name, err)
	}
	data, err := f.small(r)
	return append([]byte{}, data...), pathError("read", name, err)
}

func (f projectFS) ReadDir(name string) ([]fs.DirEntry, error) {
	info, err := f.Stat(name)
	if err != nil {
		return nil, reop("readdir", err)
	}
	if !info.IsDir() {
		return nil, pathError("readdir", name, errNotDir)
	}
	return slices.Clone(f.x.folders()[name]), nil
}

func (f projectFS) Stat(name string) (fs.FileInfo, error) {
	if !fs.ValidPath(name) {
		return nil, pathError("stat", name, fs.ErrInvalid)
	}
	if err := f.ctx.Err(); err != nil {
		return nil, pathError("stat", name, err)
	}
	if r := f.x.files[name]; r != nil {
		return fileInfo{r.File}, nil
	}
	if f.x.folder(name) {
		return dirInfo(name), nil
	}
	return nil, pathError("stat", name, fs.ErrNotExist)
}

// folder reports whether a name is that of a folder. It needs no list of them, which most projects never do.
func (x *index) folder(name string) bool {
	if name == "." {
		return true
	}
	i, _ := slices.BinarySearch(x.names, name+"/")
	return i < len(x.names) && strings.HasPrefix(x.names[i], name+"/")
}

// folders returns the entries of each folder.
func (x *index) folders() map[string][]fs.DirEntry {
	x.dirsOnce.Do(func() {
		records := make([]*fileRecord, len(x.names))
		for i, name := range x.names {
			records[i] = x.files[name]
		}
		x.dirs = makeDirs(records)
	})
	return x.dirs
}

// makeDirs finds the folders of sorted files, and what is in them, sorted.
func makeDirs(records []*fileRecord) map[string][]fs.DirEntry {
	dirs := map[string][]fs.DirEntry{}
	for _, r := range records {
		entry := fs.FileInfoToDirEntry(fileInfo{r.File})
		for name := r.Name; ; {
			dir := path.Dir(name)
			_, known := dirs[dir]
			dirs[dir] = append(dirs[dir], entry)
			if known || dir == "." {
				break
			}
			name, entry = dir, fs.FileInfoToDirEntry(dirInfo(dir))
		}
	}
	for _, entries := range dirs {
		slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	}
	return dirs
}

var errNotDir = errors.New("not a directory")

func pathError(op, name string, err error) error {
	if err == nil {
		return nil
	}
	return &fs.PathError{Op: op, Path: name, Err: err}
}

// reop names the operation of a PathError.
func reop(op string, err error) error {
	if pe, ok := err.(*fs.PathError); ok {
		pe.Op = op
	}
	return err
}

// A fileInfo describes a file; Sys returns the File.
type fileInfo struct{ f File }

func (i fileInfo) Name() string       { return path.Base(i.f.Name) }
func (i fileInfo) Size() int64        { return i.f.Size }
func (i fileInfo) Mode() fs.FileMode  { return 0o444 }
func (i fileInfo) ModTime() time.Time { return i.f.ModTime }
func (i fileInfo) IsDir() bool        { return false }
func (i fileInfo) Sys() any           { return i.f }
func (i fileInfo) String() string     { return fs.FormatFileInfo(i) }

type dirInfo string

func (d dirInfo) Name() string       { return path.Base(string(d)) }
func (d dirInfo) Size() int64        { return 0 }
func (d dirInfo) Mode() fs.FileMode  { return fs.ModeDir | 0o555 }
func (d dirInfo) ModTime() time.Time { return time.Time{} }
func (d dirInfo) IsDir() bool        { return true }
func (d dirInfo) Sys() any           { return nil }
func (d dirInfo) String() string     { return fs.FormatFileInfo(d) }

type readSeeker interface {
	io.Reader
	io.Seeker
}

// An openFile is a file being read; it seeks.
type openFile struct {
	info   fs.FileInfo
	Reader readSeeker
	close  func() error // nil if there is nothing to close
	closed bool
}

func (f *openFile) Stat() (fs.FileInfo, error) { return f.info, nil }

func (f *openFile) Read(p []byte) (int, error) {
	if f.closed {
		return 0, pathError("read", f.info.Name(), fs.ErrClosed)
	}
	return f.Reader.Read(p)
}

func (f *openFile) Seek(offset int64, whence int) (int64, error) {
	if f.closed {
		return 0, pathError("seek", f.info.Name(), fs.ErrClosed)
	}
	return f.Reader.Seek(offset, whence)
}

func (f *openFile) Close() error {
	if f.closed {
		return pathError("close", f.info.Name(), fs.ErrClosed)
	}
	f.closed = true
	if f.close == nil {
		return nil
	}
	return f.close()
}

// An openDir is a folder being listed.
type openDir struct {
	info    fs.FileInfo
	name    string
	entries []fs.DirEntry // not yet listed
}

func (d *openDir) Stat() (fs.FileInfo, error) { return d.info, nil }
func (d *openDir) Close() error               { return nil }

func (d *openDir) Read([]byte) (int, error) {
	return 0, pathError("read", d.name, errors.New("is a directory"))
}

func (d *openDir) ReadDir(n int) ([]fs.DirEntry, error) {
	if n > 0 && len(d.entries) == 0 {
		return nil, io.EOF
	}
	if n <= 0 || n > len(d.entries) {
		n = len(d.entries)
	}
	list := slices.Clone(d.entries[:n])
	d.entries = d.entries[n:]
	return list, nil
}
