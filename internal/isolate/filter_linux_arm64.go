package isolate

import "golang.org/x/sys/unix"

var allowedArch []uint32

var deadlyArch = []uint32{unix.SYS_KEXEC_FILE_LOAD}
