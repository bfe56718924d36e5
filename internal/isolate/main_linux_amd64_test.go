package isolate

import (
	"syscall"

	"golang.org/x/sys/unix"
	"samkit.dev/internal/seccomp"
)

var attemptsArch = map[string]func() error{
	"x32": func() error {
		_, _, e := syscall.RawSyscall(seccomp.ForeignCalls|unix.SYS_GETPID, 0, 0, 0)
		return errnoOrNil(e)
	},
	"vfork":     func() error { _, _, e := syscall.RawSyscall(unix.SYS_FORK, 0, 0, 0); return errnoOrNil(e) },
	"iopl":      func() error { return unix.Iopl(3) },
	"archprctl": func() error { _, _, e := syscall.RawSyscall(unix.SYS_ARCH_PRCTL, 0x1002, 0, 0); return errnoOrNil(e) },
}
