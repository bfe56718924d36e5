//go:build amd64 || arm64

package iofault

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// A call is a system call of the child.
type call struct {
	op   Op
	name string
	path string // what it is about, or where something goes
	from string // of Rename
	fd   int    // of the calls on an open file, or -1
}

func (c call) String() string { return fmt.Sprintf("%s(%s)", c.name, c.path) }

// parse says what a call is about. The path is "" if it cannot be told.
func (p *Process) parse(n *notice) call {
	c := call{fd: -1}
	switch uint32(n.nr) {
	case unix.SYS_WRITE:
		c = call{op: Write, name: "write", fd: int(int32(n.args[0]))}
	case unix.SYS_PWRITE64:
		c = call{op: Write, name: "pwrite", fd: int(int32(n.args[0]))}
	case unix.SYS_COPY_FILE_RANGE:
		c = call{op: Write, name: "copy_file_range", fd: int(int32(n.args[2]))}
	case unix.SYS_FTRUNCATE:
		c = call{op: Truncate, name: "ftruncate", fd: int(int32(n.args[0]))}
	case unix.SYS_FSYNC:
		c = call{op: Sync, name: "fsync", fd: int(int32(n.args[0]))}
	case unix.SYS_FDATASYNC:
		c = call{op: Sync, name: "fdatasync", fd: int(int32(n.args[0]))}
	case unix.SYS_SYNCFS:
		c = call{op: Sync, name: "syncfs", fd: int(int32(n.args[0]))}
	case unix.SYS_READ:
		c = call{op: Read, name: "read", fd: int(int32(n.args[0]))}
	case unix.SYS_PREAD64:
		c = call{op: Read, name: "pread", fd: int(int32(n.args[0]))}
	case unix.SYS_GETDENTS64:
		c = call{op: Read, name: "getdents", fd: int(int32(n.args[0]))}
	case unix.SYS_FCHMOD:
		c = call{op: Times, name: "fchmod", fd: int(int32(n.args[0]))}
	case unix.SYS_OPENAT:
		c.op, c.name = Open, "open"
		if n.args[2]&unix.O_CREAT != 0 {
			c.op, c.name = Create, "create"
		}
	case unix.SYS_MKDIRAT:
		c.op, c.name = Mkdir, "mkdir"
	case unix.SYS_UNLINKAT:
		c.op, c.name = Remove, "unlink"
	case unix.SYS_UTIMENSAT:
		c.op, c.name = Times, "utimensat"
	case unix.SYS_FCHMODAT:
		c.op, c.name = Times, "fchmodat"
	case unix.SYS_LINKAT:
		c.op, c.name = Create, "link"
		c.path = p.pathAt(n.pid, n.args[2], n.args[3])
		return c
	case unix.SYS_RENAMEAT, unix.SYS_RENAMEAT2:
		c.op, c.name = Rename, "rename"
		c.from = p.pathAt(n.pid, n.args[0], n.args[1])
		c.path = p.pathAt(n.pid, n.args[2], n.args[3])
		return c
	}
	if c.fd >= 0 {
		c.path = fdPath(n.pid, c.fd)
	} else {
		c.path = p.pathAt(n.pid, n.args[0], n.args[1])
	}
	if c.op == Sync && c.name != "syncfs" && p.below(c.path) {
		if info, err := os.Lstat(c.path); err == nil && info.IsDir() {
			c.op = SyncDir
		}
	}
	return c
}

func fdPath(pid uint32, fd int) string {
	path, _ := os.Readlink("/proc/" + strconv.Itoa(int(pid)) + "/fd/" + strconv.Itoa(fd))
	return path
}

// pathAt returns the path of a name relative to a directory of the child.
func (p *Process) pathAt(pid uint32, dirfd, name uint64) string {
	buf := make([]byte, unix.PathMax)
	n, err := p.peek(name, buf)
	end := bytes.IndexByte(buf[:n], 0)
	if err != nil || end < 0 {
		return ""
	}
	path := string(buf[:end])
	if !filepath.IsAbs(path) {
		if int32(dirfd) == unix.AT_FDCWD {
			return ""
		}
		path = filepath.Join(fdPath(pid, int(int32(dirfd))), path)
	}
	return filepath.Clean(path)
}

// peek reads the child's memory up to the end of what is mapped.
func (p *Process) peek(addr uint64, b []byte) (int, error) {
	total := 0
	for total < len(b) {
		at := addr + uint64(total)
		part := min(len(b)-total, int(4096-at%4096))
		local := []unix.Iovec{{Base: &b[total]}}
		local[0].SetLen(part)
		n, err := unix.ProcessVMReadv(p.cmd.Process.Pid, local, []unix.RemoteIovec{{Base: uintptr(at), Len: part}}, 0)
		if err != nil {
			if total > 0 {
				return total, nil
			}
			return 0, err
		}
		total += n
		if bytes.IndexByte(b[:total], 0) >= 0 && len(b) == unix.PathMax {
			break // all of a path
		}
	}
	return total, nil
}

// dup returns a file of the child's as one of this process.
func (p *Process) dup(fd int) (int, error) {
	return unix.PidfdGetfd(p.pidfd, fd, 0)
}

// decide returns what a call returns, or that it goes through.
func (p *Process) decide(n *notice) (val int64, errno syscall.Errno, ours bool) {
	c := p.parse(n)
	if c.path == "" || !p.below(c.path) && !p.below(c.from) {
		return 0, 0, false
	}
	p.last = c.String()
	if c.op&Changes != 0 {
		p.calls++
		if at := p.plan.CrashAt; at > 0 && p.calls >= at {
			if p.calls == at {
				p.hit = c.String()
				p.note(c, p.left.write(p.plan.Image, p.plan.Left))
			}
			return 0, syscall.EIO, true
		}
	}
	if c.op&p.plan.Ops != 0 {
		p.count++
		if at := p.plan.At; at > 0 && p.count >= at && p.count < at+max(p.plan.For, 1) {
			if p.count == at {
				p.hit = c.String()
				if p.plan.Short && (c.name == "write" || c.name == "pwrite") && n.args[2] > 1 {
					return p.half(n, c)
				}
			}
			if c.op&Sync != 0 && c.fd >= 0 {
				p.lose(c)
			}
			return 0, p.plan.Errno, true
		}
	}
	return p.through(n, c)
}

// half does the first half of a write.
func (p *Process) half(n *notice, c call) (int64, syscall.Errno, bool) {
	fd, err := p.dup(c.fd)
	if err != nil {
		p.note(c, err)
		return 0, syscall.EIO, true
	}
	defer unix.Close(fd)
	data := make([]byte, n.args[2]/2)
	got, err := p.peek(n.args[1], data)
	if err != nil {
		p.note(c, err)
		return 0, syscall.EIO, true
	}
	if data = data[:got]; c.name == "pwrite" {
		got, err = unix.Pwrite(fd, data, int64(n.args[3]))
		p.left.wrote(fd, int64(n.args[3]), int64(got))
	} else {
		got, err = unix.Write(fd, data)
		p.left.wrote(fd, 0, 0)
	}
	p.note(c, err)
	return int64(got), 0, true
}

// lose notes that what a file has not written yet will never be: the kernel
// reports that once and then takes the pages for clean.
func (p *Process) lose(c call) {
	if fd, err := p.dup(c.fd); err == nil {
		defer unix.Close(fd)
		p.note(c, p.left.lose(fd))
	}
}

// through lets a call be made, and notes what it makes durable. Nothing is
// really made so: that takes time and shows nowhere.
func (p *Process) through(n *notice, c call) (val int64, errno syscall.Errno, ours bool) {
	switch c.op {
	case Sync, SyncDir:
		fd, err := p.dup(c.fd)
		if err == nil {
			defer unix.Close(fd)
			switch {
			case c.name == "syncfs":
				err = p.left.syncAll()
			case c.op == SyncDir:
				err = p.left.syncDir(c.path)
			default:
				err = p.left.sync(fd)
			}
		}
		p.note(c, err)
		return 0, 0, true
	case Write:
		if fd, err := p.dup(c.fd); err == nil {
			defer unix.Close(fd)
			if c.name == "pwrite" {
				p.left.wrote(fd, int64(n.args[3]), int64(n.args[2]))
			} else {
				p.left.wrote(fd, 0, 0)
			}
		}
	case Rename:
		p.left.gone(c.path)
	case Remove:
		p.left.gone(c.path)
	}
	return 0, 0, false
}

// note keeps an error of this package.
func (p *Process) note(c call, err error) {
	if err != nil && p.err == nil {
		p.err = fmt.Errorf("%v: %w", c, err)
	}
}
