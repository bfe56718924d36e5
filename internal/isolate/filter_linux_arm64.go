package isolate

import "golang.org/x/sys/unix"

const (
	auditArch    = unix.AUDIT_ARCH_AARCH64
	foreignCalls = 0 // no second set of numbers
)

var allowedArch []uint32

var deadlyArch = []uint32{unix.SYS_KEXEC_FILE_LOAD}
