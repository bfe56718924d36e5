package isolate

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

func sysProcAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

func self() (string, error) {
	const exe = "/proc/self/exe" // works after the file was replaced or removed
	if _, err := os.Lstat(exe); err == nil {
		return exe, nil
	}
	return os.Executable()
}

func socketpair() ([2]int, error) {
	return unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
}

// systemEnvironment keeps glibc, in a cgo build, from reserving addresses for
// each thread, which count against the worker's limit.
func systemEnvironment() []string { return []string{"MALLOC_ARENA_MAX=1"} }

// awaitExit returns when the process has ended, but leaves it to be reaped, so
// that its id stays its own.
func awaitExit(p *os.Process) *os.ProcessState {
	for {
		err := unix.Waitid(unix.P_PID, p.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if err != unix.EINTR {
			return nil
		}
	}
}
