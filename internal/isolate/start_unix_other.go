//go:build unix && !linux

package isolate

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// sysProcAttr has no signal for the parent's death: a worker notices that
// itself, see watchSelf.
func sysProcAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

func self() (string, error) { return os.Executable() }

func socketpair() ([2]int, error) {
	syscall.ForkLock.RLock() // no child inherits them in between
	defer syscall.ForkLock.RUnlock()
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err == nil {
		unix.CloseOnExec(fds[0])
		unix.CloseOnExec(fds[1])
	}
	return fds, err
}

func systemEnvironment() []string { return nil }

func awaitExit(p *os.Process) *os.ProcessState {
	st, _ := p.Wait()
	return st
}
