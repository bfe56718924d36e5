package wasi

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"time"

	xsys "github.com/tetratelabs/wazero/experimental/sys"

	"samkit.dev/sam"
)

// treeFiles is the project as a run sees it, what it has not committed included, for
// commands in Go.
type treeFiles struct{ t *tree }

var _ Files = treeFiles{}

// FS has the files of the project. Its context is that of the run.
func (f treeFiles) FS(context.Context) fs.FS { return treeFS{f.t, projectDir} }

// Apply changes files in the tree; they are committed with the others.
func (f treeFiles) Apply(ctx context.Context, edits ...sam.Edit) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	for _, e := range edits {
		name := path.Join(projectDir, e.Name)
		var err error
		switch {
		case sam.CheckFileName(e.Name) != nil:
			err = sam.CheckFileName(e.Name)
		case e.Remove:
			err = f.t.do(func() xsys.Errno { return f.t.unlink(name) }, "remove", e.Name)
		case e.Rename != "":
			err = f.t.do(func() xsys.Errno { return f.t.rename(name, path.Join(projectDir, e.Rename)) }, "rename", e.Name)
		default:
			err = f.t.write(name, e.Data)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// do calls f with the tree locked and makes its result an error.
func (t *tree) do(f func() xsys.Errno, op, name string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return pathError(op, name, f())
}

func pathError(op, name string, e xsys.Errno) error {
	if e == 0 {
		return nil
	}
	return &fs.PathError{Op: op, Path: name, Err: errnoError(e)}
}

// errnoError is e as an error that matches those of io/fs and reads as people know it.
func errnoError(e xsys.Errno) error {
	text, is := "Input/output error", error(nil)
	switch e {
	case xsys.ENOENT:
		text, is = "No such file or directory", fs.ErrNotExist
	case xsys.EEXIST:
		text, is = "File exists", fs.ErrExist
	case xsys.EACCES:
		text, is = "Permission denied", fs.ErrPermission
	case xsys.EPERM:
		text, is = "Operation not permitted", fs.ErrPermission
	case xsys.EROFS:
		text, is = "Read-only file system", fs.ErrPermission
	case xsys.EISDIR:
		text = "Is a directory"
	case xsys.ENOTDIR:
		text = "Not a directory"
	case xsys.ENOTEMPTY:
		text = "Directory not empty"
	case xsys.EINVAL:
		text, is = "Invalid argument", fs.ErrInvalid
	case xsys.ENAMETOOLONG:
		text = "File name too long"
	case xsys.EBADF:
		text = "Bad file descriptor"
	}
	return &osError{text, is}
}

type osError struct {
	text string
	is   error
}

func (e *osError) Error() string        { return e.text }
func (e *osError) Is(target error) bool { return e.is != nil && target == e.is }

// write makes or replaces a file, and the folders it is in.
func (t *tree) write(name string, data []byte) error {
	return t.do(func() xsys.Errno {
		n, e := t.find(name)
		if e == xsys.ENOENT {
			if e := t.mkdirAll(path.Dir(name)); e != 0 {
				return e
			}
			n, e = t.create(name)
		}
		switch {
		case e != 0:
			return e
		case n.dir:
			return xsys.EISDIR
		case n.device != "" || !t.writable(n):
			return xsys.EROFS
		}
		if n.read {
			t.held -= int64(len(n.data))
		}
		n.data, n.read = nil, true
		if e := t.resize(n, int64(len(data))); e != 0 {
			return e
		}
		copy(n.data, data)
		return t.closed()
	}, "write", name)
}

// writable reports whether contents may change: not in /bin and /dev.
func (t *tree) writable(n *node) bool {
	return n.parent == nil || !n.parent.fixed || n.parent == t.project || n.parent == t.tmp
}

func (t *tree) mkdirAll(name string) xsys.Errno {
	at := "/"
	for _, part := range clean(name) {
		at = path.Join(at, part)
		if e := t.mkdir(at); e != 0 && e != xsys.EEXIST {
			return e
		}
	}
	return 0
}

// readFile returns contents, which the caller may keep.
func (t *tree) readFile(name string) (data []byte, err error) {
	err = t.do(func() xsys.Errno {
		n, e := t.find(name)
		if e != 0 {
			return e
		}
		if n.dir {
			return xsys.EISDIR
		}
		if e := t.load(n); e != 0 {
			return e
		}
		data = slices.Clone(n.data)
		return 0
	}, "open", name)
	return data, err
}

// treeFS is a folder of a tree as an fs.FS.
type treeFS struct {
	t    *tree
	root string
}

var (
	_ fs.ReadFileFS = treeFS{}
	_ fs.ReadDirFS  = treeFS{}
	_ fs.StatFS     = treeFS{}
)

func (f treeFS) at(op, name string) (string, error) {
	if !fs.ValidPath(name) {
		return "", &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	return path.Join(f.root, name), nil
}

func (f treeFS) ReadFile(name string) ([]byte, error) {
	at, err := f.at("open", name)
	if err != nil {
		return nil, err
	}
	data, err := f.t.readFile(at)
	var pe *fs.PathError
	if errors.As(err, &pe) {
		pe.Path = name
	}
	return data, err
}

func (f treeFS) Stat(name string) (fs.FileInfo, error) {
	at, err := f.at("stat", name)
	if err != nil {
		return nil, err
	}
	info, err := f.t.info(at)
	if err != nil {
		return nil, &fs.PathError{Op: "stat", Path: name, Err: errors.Unwrap(err)}
	}
	return info, nil
}

func (f treeFS) ReadDir(name string) ([]fs.DirEntry, error) {
	at, err := f.at("readdir", name)
	if err != nil {
		return nil, err
	}
	return f.t.readDir(at)
}

func (f treeFS) Open(name string) (fs.File, error) {
	info, err := f.Stat(name)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		entries, err := f.ReadDir(name)
		return &openDir{info: info, entries: entries}, err
	}
	data, err := f.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return &openFile{info, bytes.NewReader(data)}, nil
}

// info describes a file of the tree.
func (t *tree) info(name string) (info fs.FileInfo, err error) {
	err = t.do(func() xsys.Errno {
		n, e := t.find(name)
		if e == 0 {
			info = t.describe(n)
		}
		return e
	}, "stat", name)
	return info, err
}

func (t *tree) describe(n *node) fileInfo {
	st := t.stat(n)
	name := n.name
	if n == t.root {
		name = "/"
	}
	return fileInfo{name: name, size: st.Size, mode: st.Mode, mtime: time.Unix(0, st.Mtim), atime: st.Atim, inode: st.Ino}
}

// readDir lists a folder of the tree, in order.
func (t *tree) readDir(name string) (entries []fs.DirEntry, err error) {
	err = t.do(func() xsys.Errno {
		n, e := t.find(name)
		if e != 0 {
			return e
		}
		if !n.dir {
			return xsys.ENOTDIR
		}
		if e := t.list(n); e != 0 {
			return e
		}
		for _, k := range slices.Sorted(maps.Keys(n.kids)) {
			entries = append(entries, fs.FileInfoToDirEntry(t.describe(n.kids[k])))
		}
		return 0
	}, "readdir", name)
	return entries, err
}

// A fileInfo describes a file. Its Sys is what os.Stat would have, as the interpreter
// of the shell looks there for an owner.
type fileInfo struct {
	name  string
	size  int64
	mode  fs.FileMode
	mtime time.Time
	atime int64
	inode uint64
}

func (i fileInfo) Name() string       { return i.name }
func (i fileInfo) Size() int64        { return i.size }
func (i fileInfo) Mode() fs.FileMode  { return i.mode }
func (i fileInfo) ModTime() time.Time { return i.mtime }
func (i fileInfo) IsDir() bool        { return i.mode.IsDir() }
func (i fileInfo) Sys() any           { return statSys() }

type openFile struct {
	info fs.FileInfo
	*bytes.Reader
}

func (f *openFile) Stat() (fs.FileInfo, error) { return f.info, nil }
func (f *openFile) Close() error               { return nil }

type openDir struct {
	info    fs.FileInfo
	entries []fs.DirEntry
}

func (d *openDir) Stat() (fs.FileInfo, error) { return d.info, nil }
func (d *openDir) Close() error               { return nil }
func (d *openDir) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: d.info.Name(), Err: errnoError(xsys.EISDIR)}
}

func (d *openDir) ReadDir(n int) ([]fs.DirEntry, error) {
	if n <= 0 {
		out := d.entries
		d.entries = nil
		return out, nil
	}
	if len(d.entries) == 0 {
		return nil, io.EOF
	}
	n = min(n, len(d.entries))
	out := d.entries[:n]
	d.entries = d.entries[n:]
	return out, nil
}
