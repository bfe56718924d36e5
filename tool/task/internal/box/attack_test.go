//go:build linux && (amd64 || arm64)

package box_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
	"samkit.dev/tool/task/internal/box"
)

// attack is what a hostile program does within a box. It says "refused:" and why, or what it got.
func attack(args []string) {
	err := attacks[args[0]](args[1:])
	if err != nil {
		fmt.Println("refused:", err)
		os.Exit(1)
	}
}

var attacks = map[string]func([]string) error{
	"dial":         dialAttack,
	"call":         callAttack,
	"get":          getAttack,
	"memory":       memoryAttack,
	"serve":        serveAttack,
	"nonamespaces": openWithoutNamespaces,
}

func dialAttack(a []string) error {
	socket := func(family, kind, proto int) error {
		fd, err := unix.Socket(family, kind, proto)
		if err != nil {
			return err
		}
		fmt.Println("connected")
		return unix.Close(fd)
	}
	switch a[0] {
	case "raw":
		return socket(unix.AF_INET, unix.SOCK_RAW, unix.IPPROTO_ICMP)
	case "packet":
		return socket(unix.AF_PACKET, unix.SOCK_RAW, 0)
	case "netlink":
		return socket(unix.AF_NETLINK, unix.SOCK_RAW, 0)
	case "dgrampair":
		fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_DGRAM, 0)
		if err != nil {
			return err
		}
		return unix.Sendto(fds[0], []byte("x"), 0, &unix.SockaddrUnix{Name: a[1]})
	}
	c, err := net.DialTimeout(a[0], a[1], 3*time.Second)
	if err != nil {
		return err
	}
	fmt.Println("connected")
	return c.Close()
}

func callAttack(a []string) error {
	var e syscall.Errno
	var params [120]byte
	switch a[0] {
	case "io_uring":
		_, _, e = unix.Syscall(unix.SYS_IO_URING_SETUP, 1, uintptr(unsafe.Pointer(&params)), 0)
	case "ptrace":
		_, _, e = unix.Syscall6(unix.SYS_PTRACE, unix.PTRACE_SEIZE, uintptr(os.Getppid()), 0, 0, 0, 0)
	case "unshare":
		_, _, e = unix.Syscall(unix.SYS_UNSHARE, unix.CLONE_NEWNET, 0, 0)
	case "userns":
		_, _, e = unix.RawSyscall6(unix.SYS_CLONE, unix.CLONE_NEWUSER|uintptr(unix.SIGCHLD), 0, 0, 0, 0, 0)
	case "mount":
		return unix.Mount("tmpfs", "/tmp", "tmpfs", 0, "")
	case "bpf":
		_, _, e = unix.Syscall(unix.SYS_BPF, 0, 0, 0)
	case "keyctl":
		_, _, e = unix.Syscall(unix.SYS_KEYCTL, 0, 0, 0)
	case "setns":
		_, _, e = unix.Syscall(unix.SYS_SETNS, 0, 0, 0)
	}
	if e != unix.EPERM && e != unix.ENOSYS {
		fmt.Println("it was not the filter:", e)
		return nil
	}
	return e
}

// getAttack makes a request through the proxy that the environment names.
func getAttack(a []string) error {
	resp, err := http.Get(a[0])
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	fmt.Println(resp.StatusCode, string(body))
	return err
}

func memoryAttack([]string) error {
	var all [][]byte
	for range 400 {
		b := make([]byte, 4<<20)
		for i := range b {
			b[i] = 1
		}
		all = append(all, b)
		time.Sleep(2 * time.Millisecond)
	}
	fmt.Println("had", len(all)*4, "MiB")
	return nil
}

func serveAttack([]string) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	go http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "served") }))
	return getAttack([]string{"http://" + l.Addr().String()})
}

// openWithoutNamespaces is no attack: it opens boxes where no namespaces can be had, and says what they are.
func openWithoutNamespaces([]string) error {
	if err := os.WriteFile("/proc/sys/user/max_user_namespaces", []byte("0"), 0); err != nil {
		return err
	}
	b, err := box.Open(box.Strong, nil)
	if err == nil {
		return errors.Join(fmt.Errorf("there is a strong box: %v", b.Level()), b.Close())
	}
	fmt.Println("strong:", err)
	if b, err = box.Open(box.Light, nil); err != nil {
		return err
	}
	fmt.Println(b.Level())
	return b.Close()
}
