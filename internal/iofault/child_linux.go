//go:build amd64 || arm64

package iofault

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	childEnv = "SAMKIT_IOFAULT_CHILD"
	childFD  = 3 // the socket by which the listener goes to the parent
)

// trapped are the calls that the parent decides about.
var trapped = []uint32{
	unix.SYS_WRITE, unix.SYS_PWRITE64, unix.SYS_COPY_FILE_RANGE, unix.SYS_FTRUNCATE, unix.SYS_FSYNC, unix.SYS_FDATASYNC, unix.SYS_SYNCFS,
	unix.SYS_OPENAT, unix.SYS_MKDIRAT, unix.SYS_UNLINKAT, unix.SYS_RENAMEAT, unix.SYS_RENAMEAT2, unix.SYS_LINKAT, unix.SYS_UTIMENSAT, unix.SYS_FCHMODAT, unix.SYS_FCHMOD,
	unix.SYS_READ, unix.SYS_PREAD64, unix.SYS_GETDENTS64,
}

// Serve runs fn for each directory that the parent names and sends it what fn
// returns, as JSON. In a process that is not the child of Start it returns at once.
func Serve(fn func(dir string, seed uint64) any) {
	if os.Getenv(childEnv) == "" {
		return
	}
	if err := serve(fn); err != nil {
		fmt.Fprintln(os.Stderr, "iofault:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

func serve(fn func(string, uint64) any) error {
	if err := giveUp(); err != nil {
		return err
	}
	out := json.NewEncoder(os.Stdout)
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		var dir string
		var seed uint64
		if _, err := fmt.Sscanf(in.Text(), "%d %q", &seed, &dir); err != nil {
			return err
		}
		if err := out.Encode(fn(dir, seed)); err != nil {
			return err
		}
	}
	return nil
}

// giveUp hands the file calls of this process over to its parent.
func giveUp() error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("no_new_privs: %w", err)
	}
	n := len(trapped)
	filter := []unix.SockFilter{{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS}} // the number of the call
	for i, nr := range trapped {
		filter = append(filter, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jt: uint8(n - i), K: nr})
	}
	filter = append(filter,
		unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
		unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_USER_NOTIF})
	prog := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	const waitKillable = 1 << 5 // the runtime's signals do not cut a call off
	flags := uintptr(unix.SECCOMP_FILTER_FLAG_NEW_LISTENER | unix.SECCOMP_FILTER_FLAG_TSYNC | unix.SECCOMP_FILTER_FLAG_TSYNC_ESRCH | waitKillable)
	fd, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags, uintptr(unsafe.Pointer(&prog)))
	runtime.KeepAlive(filter)
	if errno != 0 {
		return fmt.Errorf("seccomp: %w", errno)
	}
	if err := unix.Sendmsg(childFD, []byte{0}, unix.UnixRights(int(fd)), nil, 0); err != nil {
		return fmt.Errorf("send the listener: %w", err)
	}
	unix.Close(childFD)
	return unix.Close(int(fd))
}
