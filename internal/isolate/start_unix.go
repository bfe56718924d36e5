//go:build unix

package isolate

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// socketBuffer is how much may be on its way in each direction; the system
// may give less.
const socketBuffer = 1 << 20

func probeProcess() error { return nil }

// startChild runs on the spawner's thread.
func startChild(o *Options) (*child, error) {
	argv, path, err := program(o.Command)
	if err != nil {
		return nil, err
	}
	c, theirs, err := newLinkPair()
	if err != nil {
		return nil, err
	}
	defer theirs.Close()
	stderr, theirStderr, err := os.Pipe()
	if err != nil {
		c.Close()
		return nil, err
	}
	defer theirStderr.Close()
	proc, err := startProcess(path, argv, o, theirStderr, theirs)
	if err != nil {
		c.Close()
		stderr.Close()
		return nil, err
	}
	if o.Nice > 0 {
		// The group's only process is too young to have many threads; later
		// ones inherit. Failing changes nothing that was promised.
		if own, err := ownNice(); err == nil {
			_ = unix.Setpriority(unix.PRIO_PGRP, proc.Pid, min(own+o.Nice, 19))
		}
	}
	m, err := newMeter(proc)
	if err != nil {
		killChild(proc)
		proc.Wait()
		c.Close()
		stderr.Close()
		return nil, err
	}
	return &child{os: proc, conn: c, stderr: stderr, meter: m}, nil
}

func startProcess(path string, argv []string, o *Options, stderr, link *os.File) (*os.Process, error) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer null.Close()
	return os.StartProcess(path, argv, &os.ProcAttr{
		Dir:   "/",
		Env:   environment(o),
		Files: []*os.File{null, stderr, stderr, linkFD: link},
		Sys:   sysProcAttr(),
	})
}

// program returns what to execute. This program is found by what is running,
// not by its name, which an update may have given to another.
func program(command []string) (argv []string, path string, err error) {
	if len(command) > 0 {
		if path, err = exec.LookPath(command[0]); err != nil {
			return nil, "", err
		}
		path, err = filepath.Abs(path)
		return command, path, err
	}
	path, err = self()
	return []string{"worker of " + filepath.Base(os.Args[0])}, path, err
}

// killChild kills the process and its group.
func killChild(p *os.Process) {
	_ = syscall.Kill(-p.Pid, syscall.SIGKILL)
	_ = p.Kill() // its group is its own only once it has run a little
}

// A socketConn is the parent's end of a socket pair.
type socketConn struct {
	*os.File
	raw syscall.RawConn

	// Of the present tryWrite: there is one at a time, and a closure made
	// once costs no allocation.
	try func(fd uintptr) bool
	b   []byte
	n   int
	err error
}

func newLinkPair() (*socketConn, *os.File, error) {
	fds, err := socketpair()
	if err != nil {
		return nil, nil, fmt.Errorf("socketpair: %w", err)
	}
	for _, fd := range fds {
		// Without it frames still pass, in smaller pieces.
		_ = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_SNDBUF, socketBuffer)
	}
	theirs := os.NewFile(uintptr(fds[1]), "link")
	if err := unix.SetNonblock(fds[0], true); err != nil {
		unix.Close(fds[0])
		theirs.Close()
		return nil, nil, fmt.Errorf("link: %w", err)
	}
	c := &socketConn{File: os.NewFile(uintptr(fds[0]), "worker")} // polled, since it does not block
	c.try = c.write
	if c.raw, err = c.SyscallConn(); err != nil {
		c.Close()
		theirs.Close()
		return nil, nil, fmt.Errorf("link: %w", err)
	}
	return c, theirs, nil
}

func (c *socketConn) tryWrite(b []byte) (int, error) {
	c.b, c.n, c.err = b, 0, nil
	err := c.raw.Write(c.try)
	c.b = nil
	return c.n, errors.Join(err, c.err)
}

func (c *socketConn) write(fd uintptr) bool {
	for c.n < len(c.b) && c.err == nil {
		n, err := unix.Write(int(fd), c.b[c.n:])
		c.n += max(n, 0)
		switch err {
		case nil, unix.EINTR:
		case unix.EAGAIN:
			return true
		default:
			c.err = err
		}
	}
	return true
}

// hurry ends the reading of what an ended process left, should somebody else
// hold its end.
func hurry(c conn) {
	if c, ok := c.(*socketConn); ok {
		_ = c.SetReadDeadline(time.Now().Add(time.Second))
	}
}
