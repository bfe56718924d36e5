package isolate

import "golang.org/x/sys/unix"

var allowedArch = []uint32{unix.SYS_POLL, unix.SYS_EPOLL_WAIT}

var deadlyArch = []uint32{
	unix.SYS_FORK, unix.SYS_VFORK, unix.SYS_MODIFY_LDT, unix.SYS_IOPL, unix.SYS_IOPERM,
	unix.SYS_KEXEC_FILE_LOAD, unix.SYS_CREATE_MODULE,
}
