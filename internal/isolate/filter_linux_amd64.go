package isolate

import "golang.org/x/sys/unix"

const (
	auditArch = unix.AUDIT_ARCH_X86_64
	// foreignCalls is where the x32 numbers begin, which come with the same
	// architecture.
	foreignCalls = 0x40000000
)

var allowedArch = []uint32{unix.SYS_POLL, unix.SYS_EPOLL_WAIT}

var deadlyArch = []uint32{
	unix.SYS_FORK, unix.SYS_VFORK, unix.SYS_MODIFY_LDT, unix.SYS_IOPL, unix.SYS_IOPERM,
	unix.SYS_KEXEC_FILE_LOAD, unix.SYS_CREATE_MODULE,
}
