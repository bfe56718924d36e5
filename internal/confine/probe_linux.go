//go:build amd64 || arm64

package confine

import (
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// try makes the attempts, from a thread that is confined as a command's. Each is told by the name under which the box
// reports it.
func (p *Probe) try() []Attempt {
	var all []Attempt
	attempt := func(name string, err error) {
		a := Attempt{Name: name, Open: err == nil}
		if err != nil {
			a.Detail = err.Error()
		}
		all = append(all, a)
	}
	attempt("read", open(p.File, unix.O_RDONLY))
	err := open(p.File, unix.O_WRONLY)
	if err != nil {
		err = open(p.Dir+"/made", unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL)
	}
	attempt("write", err)
	attempt("mode", unix.Chmod(p.File, 0o600))
	attempt("socket", connect(unix.AF_UNIX, unix.SOCK_STREAM, &unix.SockaddrUnix{Name: p.Socket}))
	attempt("abstract", connect(unix.AF_UNIX, unix.SOCK_STREAM, &unix.SockaddrUnix{Name: "@" + p.Abstract}))
	attempt("tcp", connect(unix.AF_INET, unix.SOCK_STREAM, &unix.SockaddrInet4{Port: p.TCP, Addr: [4]byte{127, 0, 0, 1}}))
	attempt("udp", connect(unix.AF_INET, unix.SOCK_DGRAM, &unix.SockaddrInet4{Port: p.UDP, Addr: [4]byte{127, 0, 0, 1}}))
	attempt("signal", p.signal())
	attempt("process", p.look())
	attempt("mount", unix.Mount("tmpfs", p.Dir, "tmpfs", 0, ""))
	attempt("io_uring", ioUring())
	attempt("hooks", open(p.Hook, unix.O_WRONLY|unix.O_CREAT))
	attempt("deny", open(p.Denied, unix.O_RDONLY))
	return all
}

func open(path string, flags int) error {
	fd, err := unix.Open(path, flags|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return err
	}
	return unix.Close(fd)
}

// connect connects, and of a datagram's socket sends, which connecting alone does not.
func connect(family, kind int, to unix.Sockaddr) error {
	fd, err := unix.Socket(family, kind|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	if kind != unix.SOCK_STREAM {
		return unix.Sendto(fd, []byte("probe"), 0, to)
	}
	return unix.Connect(fd, to)
}

// signal asks whether the program may be sent one, without sending any.
func (p *Probe) signal() error {
	if p.PID == os.Getpid() {
		return unix.ESRCH // this one, in a namespace of its own
	}
	return unix.Kill(p.PID, 0)
}

// look reads the program's memory, as a debugger would, or its environment.
func (p *Probe) look() error {
	if p.PID == os.Getpid() {
		return unix.ESRCH
	}
	var b [1]byte
	local := []unix.Iovec{{Base: &b[0], Len: 1}}
	if _, err := unix.ProcessVMReadv(p.PID, local, []unix.RemoteIovec{{Base: uintptr(unsafe.Pointer(&b[0])), Len: 1}}, 0); err == nil || err == unix.EFAULT {
		return nil
	}
	return open(fmt.Sprintf("/proc/%d/environ", p.PID), unix.O_RDONLY)
}

func ioUring() error {
	var params [120]byte
	fd, _, errno := unix.Syscall(unix.SYS_IO_URING_SETUP, 1, uintptr(unsafe.Pointer(&params)), 0)
	if errno != 0 {
		return errno
	}
	return unix.Close(int(fd))
}
