package wasi

import (
	"context"
	"crypto/rand"
	"io"
	"io/fs"
	"maps"
	"slices"

	xsys "github.com/tetratelabs/wazero/experimental/sys"
	"github.com/tetratelabs/wazero/sys"
)

// maxOpen is how many files a command may have open.
const maxOpen = 1024

// A view is the tree as one command has it, with its own standard streams and open
// files. A call after the command was told to stop ends it.
type view struct {
	xsys.UnimplementedFS
	t              *tree
	ctx            context.Context
	stdin          io.Reader
	stdout, stderr io.Writer
	session        io.ReadWriter // /dev/session, of an interpreter
	keys           chan struct{} // wakes who sleeps; nil if there is no Ctrl-C
	open           int
}

var _ xsys.FS = (*view)(nil)

// enter locks the tree, or ends the command if that was asked for.
func (v *view) enter() *tree {
	if v.ctx.Err() != nil {
		panic(sys.NewExitError(exitStopped))
	}
	v.t.mu.Lock()
	return v.t
}

func (v *view) OpenFile(name string, flag xsys.Oflag, _ fs.FileMode) (xsys.File, xsys.Errno) {
	t := v.enter()
	defer t.mu.Unlock()
	if v.open >= maxOpen {
		return nil, xsys.EAGAIN
	}
	write := flag&(xsys.O_RDWR|xsys.O_WRONLY) != 0
	n, e := t.find(name)
	switch {
	case e == xsys.ENOENT && flag&xsys.O_CREAT != 0 && flag&xsys.O_DIRECTORY == 0:
		if n, e = t.create(name); e != 0 {
			return nil, e
		}
	case e != 0:
		return nil, e
	case flag&xsys.O_CREAT != 0 && flag&xsys.O_EXCL != 0:
		return nil, xsys.EEXIST
	}
	switch {
	case flag&xsys.O_DIRECTORY != 0 && !n.dir:
		return nil, xsys.ENOTDIR
	case n.dir && write:
		return nil, xsys.EISDIR
	case write && n.device == "" && n.parent != nil && n.parent.fixed && n.parent != t.project && n.parent != t.tmp:
		return nil, xsys.EROFS
	}
	if write && flag&xsys.O_TRUNC != 0 && n.device == "" {
		if n.read {
			t.held -= int64(len(n.data))
		}
		n.data, n.read = nil, true
		t.touch(n)
	} else if e := t.load(n); e != 0 {
		return nil, e
	}
	v.open++
	n.open++
	return &file{v: v, n: n, appends: flag&xsys.O_APPEND != 0, reads: flag&xsys.O_WRONLY == 0, writes: write}, 0
}

func (v *view) Stat(name string) (sys.Stat_t, xsys.Errno) {
	t := v.enter()
	defer t.mu.Unlock()
	n, e := t.find(name)
	if e != 0 {
		return sys.Stat_t{}, e
	}
	return t.stat(n), 0
}

func (v *view) Lstat(name string) (sys.Stat_t, xsys.Errno) { return v.Stat(name) }

func (v *view) Mkdir(name string, _ fs.FileMode) xsys.Errno {
	t := v.enter()
	defer t.mu.Unlock()
	return t.mkdir(name)
}

// Chmod does nothing to files that are there: they have no permission bits.
func (v *view) Chmod(name string, _ fs.FileMode) xsys.Errno {
	_, e := v.Stat(name)
	return e
}

func (v *view) Rename(from, to string) xsys.Errno {
	t := v.enter()
	defer t.mu.Unlock()
	return t.rename(from, to)
}

func (v *view) Rmdir(name string) xsys.Errno {
	t := v.enter()
	defer t.mu.Unlock()
	return t.rmdir(name)
}

func (v *view) Unlink(name string) xsys.Errno {
	t := v.enter()
	defer t.mu.Unlock()
	return t.unlink(name)
}

func (v *view) Link(string, string) xsys.Errno    { return xsys.EPERM }
func (v *view) Symlink(string, string) xsys.Errno { return xsys.EPERM }

func (v *view) Readlink(name string) (string, xsys.Errno) {
	if _, e := v.Stat(name); e != 0 {
		return "", e
	}
	return "", xsys.EINVAL
}

func (v *view) Utimens(name string, atime, mtime int64) xsys.Errno {
	t := v.enter()
	defer t.mu.Unlock()
	n, e := t.find(name)
	if e == 0 {
		n.utimens(atime, mtime)
	}
	return e
}

func (n *node) utimens(atime, mtime int64) {
	if atime != xsys.UTIME_OMIT {
		n.atime = atime
	}
	if mtime != xsys.UTIME_OMIT {
		n.mtime = mtime
	}
}

// A file is an open file or folder.
type file struct {
	xsys.UnimplementedFile
	v                      *view
	n                      *node
	at                     int64
	appends, reads, writes bool
	wrote, closed          bool
	names                  []xsys.Dirent // of a folder, what is left to list
	listed                 bool
}

var _ xsys.File = (*file)(nil)

func (f *file) Dev() (uint64, xsys.Errno)    { return 1, 0 }
func (f *file) Ino() (sys.Inode, xsys.Errno) { return f.n.inode, 0 }
func (f *file) IsDir() (bool, xsys.Errno)    { return f.n.dir, 0 }
func (f *file) IsAppend() bool               { return f.appends }
func (f *file) SetAppend(on bool) xsys.Errno { f.appends = on; return 0 }
func (f *file) Sync() xsys.Errno             { return 0 }
func (f *file) Datasync() xsys.Errno         { return 0 }

func (f *file) Stat() (sys.Stat_t, xsys.Errno) {
	t := f.v.enter()
	defer t.mu.Unlock()
	return t.stat(f.n), 0
}

func (f *file) Utimens(atime, mtime int64) xsys.Errno {
	t := f.v.enter()
	defer t.mu.Unlock()
	f.n.utimens(atime, mtime)
	return 0
}

func (f *file) Read(buf []byte) (int, xsys.Errno) {
	n, e := f.Pread(buf, f.at)
	f.at += int64(n)
	return n, e
}

func (f *file) Pread(buf []byte, at int64) (int, xsys.Errno) {
	if !f.reads {
		return 0, xsys.EBADF
	}
	if f.n.device != "" {
		return f.readDevice(buf)
	}
	t := f.v.enter()
	defer t.mu.Unlock()
	switch {
	case f.n.dir:
		return 0, xsys.EISDIR
	case at < 0:
		return 0, xsys.EINVAL
	case at >= int64(len(f.n.data)):
		return 0, 0
	}
	return copy(buf, f.n.data[at:]), 0
}

func (f *file) readDevice(buf []byte) (int, xsys.Errno) {
	if f.v.ctx.Err() != nil {
		panic(sys.NewExitError(exitStopped))
	}
	switch f.n.device {
	case "zero":
		clear(buf)
		return len(buf), 0
	case "random", "urandom":
		rand.Read(buf)
		return len(buf), 0
	case "stdin", "tty":
		if f.v.stdin != nil {
			n, err := f.v.stdin.Read(buf)
			return n, xsys.UnwrapOSError(err)
		}
	case "session":
		n, err := f.v.session.Read(buf)
		return n, xsys.UnwrapOSError(err)
	}
	return 0, 0
}

func (f *file) Write(buf []byte) (int, xsys.Errno) {
	if f.appends {
		f.v.t.mu.Lock()
		f.at = int64(len(f.n.data))
		f.v.t.mu.Unlock()
	}
	n, e := f.Pwrite(buf, f.at)
	f.at += int64(n)
	return n, e
}

func (f *file) Pwrite(buf []byte, at int64) (int, xsys.Errno) {
	if !f.writes {
		return 0, xsys.EBADF
	}
	if f.n.device != "" {
		return f.writeDevice(buf)
	}
	t := f.v.enter()
	defer t.mu.Unlock()
	if at < 0 {
		return 0, xsys.EINVAL
	}
	if end := at + int64(len(buf)); end > int64(len(f.n.data)) {
		if e := t.resize(f.n, end); e != 0 {
			return 0, e
		}
	}
	f.wrote = true
	t.touch(f.n)
	return copy(f.n.data[at:], buf), 0
}

func (f *file) writeDevice(buf []byte) (int, xsys.Errno) {
	var w io.Writer
	switch f.n.device {
	case "stdout", "tty":
		w = f.v.stdout
	case "stderr":
		w = f.v.stderr
	case "session":
		w = f.v.session
	}
	if w == nil {
		return len(buf), 0
	}
	n, err := w.Write(buf)
	return n, xsys.UnwrapOSError(err)
}

func (f *file) Truncate(size int64) xsys.Errno {
	if !f.writes {
		return xsys.EBADF
	}
	t := f.v.enter()
	defer t.mu.Unlock()
	f.wrote = true
	return t.resize(f.n, size)
}

// position is an alias so that vet does not take Seek for that of io.Seeker.
type position = int64

func (f *file) Seek(offset position, whence int) (position, xsys.Errno) {
	t := f.v.enter()
	defer t.mu.Unlock()
	if f.n.dir {
		if offset == 0 && whence == io.SeekStart {
			f.listed = false
			return 0, 0
		}
		return 0, xsys.EISDIR
	}
	switch whence {
	case io.SeekStart:
	case io.SeekCurrent:
		offset += f.at
	case io.SeekEnd:
		offset += int64(len(f.n.data))
	default:
		return 0, xsys.EINVAL
	}
	if offset < 0 {
		return 0, xsys.EINVAL
	}
	f.at = offset
	return offset, 0
}

// Readdir lists a folder as it was at the first call, in order.
func (f *file) Readdir(n int) ([]xsys.Dirent, xsys.Errno) {
	t := f.v.enter()
	defer t.mu.Unlock()
	if !f.n.dir {
		return nil, xsys.ENOTDIR
	}
	if !f.listed {
		if e := t.list(f.n); e != 0 {
			return nil, e
		}
		f.names, f.listed = nil, true
		for _, name := range slices.Sorted(maps.Keys(f.n.kids)) {
			k := f.n.kids[name]
			f.names = append(f.names, xsys.Dirent{Ino: k.inode, Name: name, Type: t.stat(k).Mode.Type()})
		}
	}
	if n < 0 || n > len(f.names) {
		n = len(f.names)
	}
	out := f.names[:n]
	f.names = f.names[n:]
	return out, 0
}

// Close ends the use of a file; the tree may commit what was written.
func (f *file) Close() xsys.Errno {
	if f.closed {
		return 0
	}
	f.closed = true
	f.v.t.mu.Lock()
	defer f.v.t.mu.Unlock()
	f.v.open--
	f.n.open--
	if !f.wrote || f.v.ctx.Err() != nil {
		return 0
	}
	return f.v.t.closed()
}
