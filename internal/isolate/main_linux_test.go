//go:build amd64 || arm64

package isolate

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// attempts are what a worker that was taken over might try. Each returns the
// error of the attempt.
var attempts = map[string]func() error{
	"open":     func() error { _, err := unix.Open("/etc/passwd", unix.O_RDONLY, 0); return err },
	"create":   func() error { _, err := unix.Open("/tmp/isolate", unix.O_CREAT|unix.O_WRONLY, 0o600); return err },
	"stat":     func() error { var st unix.Stat_t; return unix.Stat("/", &st) },
	"unlink":   func() error { return unix.Unlink("/tmp/isolate") },
	"readlink": func() error { _, err := os.Readlink("/proc/self/exe"); return err },
	"getdents": func() error { _, err := os.ReadDir("/"); return err },
	"chdir":    func() error { return unix.Chdir("/") },
	"tcp":      func() error { _, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0); return err },
	"udp6":     func() error { _, err := unix.Socket(unix.AF_INET6, unix.SOCK_DGRAM, 0); return err },
	"unix":     func() error { _, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0); return err },
	"netlink":  func() error { _, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW, 0); return err },
	"dial":     func() error { _, err := net.Dial("tcp", "127.0.0.1:80"); return err },
	"sendfd": func() error {
		return unix.Sendmsg(linkFD, []byte{0}, unix.UnixRights(2), nil, 0)
	},
	"recvfd": func() error {
		_, _, _, _, err := unix.Recvmsg(linkFD, make([]byte, 1), make([]byte, 64), unix.MSG_DONTWAIT)
		return err
	},
	"connect":   func() error { return unix.Connect(linkFD, &unix.SockaddrUnix{Name: "/x"}) },
	"dup":       func() error { _, err := unix.Dup(linkFD); return err },
	"pipe":      func() error { return unix.Pipe2(make([]int, 2), 0) },
	"memfd":     func() error { _, err := unix.MemfdCreate("x", 0); return err },
	"inotify":   func() error { _, err := unix.InotifyInit1(0); return err },
	"pidfd":     func() error { _, err := unix.PidfdOpen(os.Getppid(), 0); return err },
	"kill":      func() error { return unix.Kill(os.Getppid(), 0) },
	"killall":   func() error { return unix.Kill(-1, 0) },
	"tgkill":    func() error { return unix.Tgkill(1, 1, unix.SIGTERM) },
	"setuid":    func() error { _, _, e := syscall.RawSyscall(unix.SYS_SETUID, 1, 0, 0); return errnoOrNil(e) },
	"setpgid":   func() error { return unix.Setpgid(0, 0) },
	"setsid":    func() error { _, err := unix.Setsid(); return err },
	"nice":      func() error { return unix.Setpriority(unix.PRIO_PROCESS, 0, -1) },
	"rlimit":    func() error { return unix.Prlimit(0, unix.RLIMIT_DATA, &unix.Rlimit{Cur: 1 << 40, Max: 1 << 40}, nil) },
	"limitppid": func() error { return unix.Prlimit(os.Getppid(), unix.RLIMIT_NOFILE, &unix.Rlimit{}, nil) },
	"uname":     func() error { var u unix.Utsname; return unix.Uname(&u) },
	"hostname":  func() error { return unix.Sethostname([]byte("x")) },
	"settime":   func() error { return unix.ClockSettime(unix.CLOCK_REALTIME, &unix.Timespec{}) },
	"prctl":     func() error { return unix.Prctl(unix.PR_SET_DUMPABLE, 1, 0, 0, 0) },
	"pdeath":    func() error { return unix.Prctl(unix.PR_SET_PDEATHSIG, 0, 0, 0, 0) },
	"seccomp":   func() error { return unix.Prctl(unix.PR_SET_SECCOMP, 1, 0, 0, 0) },
	"shm":       func() error { _, err := unix.SysvShmGet(0, 4096, 0o1600); return err },
	"ioctl":     func() error { return unix.IoctlSetInt(2, unix.TIOCSTI, 0) },
	"mremap":    func() error { _, _, e := syscall.RawSyscall6(unix.SYS_MREMAP, 0, 0, 0, 0, 0, 0); return errnoOrNil(e) },
	"mlock":     func() error { return unix.Mlock(make([]byte, 4096)) },
	"clone3":    func() error { _, _, e := syscall.RawSyscall(unix.SYS_CLONE3, 0, 0, 0); return errnoOrNil(e) },
	"unknown":   func() error { _, _, e := syscall.RawSyscall(9999, 0, 0, 0); return errnoOrNil(e) },

	"exec": func() error { return unix.Exec("/bin/true", []string{"true"}, nil) },
	"execveat": func() error {
		_, _, e := syscall.RawSyscall6(unix.SYS_EXECVEAT, 3, 0, 0, 0, 0, 0)
		return errnoOrNil(e)
	},
	"startproc": func() error { _, err := os.StartProcess("/bin/true", []string{"true"}, &os.ProcAttr{}); return err },
	"fork": func() error {
		_, _, e := syscall.RawSyscall6(unix.SYS_CLONE, uintptr(unix.SIGCHLD), 0, 0, 0, 0, 0)
		return errnoOrNil(e)
	},
	"newuser": func() error {
		_, _, e := syscall.RawSyscall6(unix.SYS_CLONE, threadFlags|unix.CLONE_NEWUSER, 0, 0, 0, 0, 0)
		return errnoOrNil(e)
	},
	"ptrace":  func() error { return unix.PtraceAttach(os.Getppid()) },
	"readmem": func() error { _, err := unix.ProcessVMReadv(os.Getppid(), nil, nil, 0); return err },
	"mmapexec": func() error {
		_, err := unix.Mmap(-1, 0, 4096, unix.PROT_EXEC|unix.PROT_READ, unix.MAP_ANON|unix.MAP_PRIVATE)
		return err
	},
	"mprotexec": func() error { return unix.Mprotect(page(), unix.PROT_READ|unix.PROT_EXEC) },
	"mprotwx":   func() error { return unix.Mprotect(page(), unix.PROT_READ|unix.PROT_WRITE|unix.PROT_EXEC) },
	"unshare":   func() error { return unix.Unshare(unix.CLONE_NEWUSER) },
	"mount":     func() error { return unix.Mount("x", "/", "tmpfs", 0, "") },
	"bpf":       func() error { _, _, e := syscall.RawSyscall(unix.SYS_BPF, 0, 0, 0); return errnoOrNil(e) },
	"iouring":   func() error { _, _, e := syscall.RawSyscall(unix.SYS_IO_URING_SETUP, 1, 0, 0); return errnoOrNil(e) },
	"userfault": func() error { _, _, e := syscall.RawSyscall(unix.SYS_USERFAULTFD, 0, 0, 0); return errnoOrNil(e) },
	"perf":      func() error { _, _, e := syscall.RawSyscall(unix.SYS_PERF_EVENT_OPEN, 0, 0, 0); return errnoOrNil(e) },
	"keyctl":    func() error { _, err := unix.KeyctlGetKeyringID(unix.KEY_SPEC_SESSION_KEYRING, true); return err },
	"module":    func() error { return unix.InitModule([]byte("x"), "") },
}

func errnoOrNil(e syscall.Errno) error {
	if e == 0 {
		return nil
	}
	return e
}

func page() []byte {
	b := make([]byte, 3*4096)
	at := 4096 - int(uintptr(unsafe.Pointer(&b[0]))%4096)
	return b[at : at+4096 : at+4096]
}

func doSystem(verb, arg string) (string, error) {
	switch verb {
	case "try":
		f := attempts[arg]
		if f == nil {
			f = attemptsArch[arg]
		}
		err := f()
		var e unix.Errno
		switch {
		case err == nil:
			return "nothing", nil
		case errors.As(err, &e):
			return unix.ErrnoName(e), nil
		}
		return err.Error(), nil
	case "fds":
		dir, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			return "", err
		}
		list := ""
		for _, d := range dir {
			what, err := os.Readlink(filepath.Join("/proc/self/fd", d.Name()))
			if err == nil {
				list += d.Name() + " " + what + "\n"
			}
		}
		return list, nil
	case "status":
		b, err := os.ReadFile("/proc/self/status")
		return string(b), err
	case "threads": // what an attacker who makes threads gets
		n, _ := strconv.Atoi(arg)
		for range n {
			go unix.Nanosleep(&unix.Timespec{Sec: 60}, nil)
		}
		time.Sleep(time.Minute)
	}
	return "", fmt.Errorf("unknown command %s", verb)
}
