package confine

import "golang.org/x/sys/unix"

var refusedArch = []uint32{unix.SYS_MODIFY_LDT, unix.SYS_IOPL, unix.SYS_IOPERM, unix.SYS_CREATE_MODULE, unix.SYS_USELIB, unix.SYS__SYSCTL}
