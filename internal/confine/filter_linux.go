//go:build amd64 || arm64

package confine

import (
	"slices"

	"golang.org/x/sys/unix"
	"samkit.dev/internal/seccomp"
)

// The filter of system calls. A command is anybody's program, so what is not listed is allowed;
// listed are calls by which one process reaches another, which make or leave namespaces and mounts, change
// the machine, or are interfaces with a record of holes in the kernel. They are answered with EPERM.

var refused = []uint32{
	unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_PROCESS_MADVISE, unix.SYS_KCMP, unix.SYS_PIDFD_GETFD,
	unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT, unix.SYS_MOVE_MOUNT, unix.SYS_OPEN_TREE, unix.SYS_OPEN_TREE_ATTR,
	unix.SYS_FSOPEN, unix.SYS_FSCONFIG, unix.SYS_FSMOUNT, unix.SYS_FSPICK, unix.SYS_MOUNT_SETATTR,
	unix.SYS_SETNS, unix.SYS_UNSHARE,
	unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE, unix.SYS_KEXEC_LOAD, unix.SYS_KEXEC_FILE_LOAD, unix.SYS_REBOOT,
	unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_ACCT, unix.SYS_SYSLOG, unix.SYS_QUOTACTL, unix.SYS_QUOTACTL_FD, unix.SYS_VHANGUP,
	unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME, unix.SYS_ADJTIMEX, unix.SYS_CLOCK_ADJTIME, unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME,
	unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD, unix.SYS_FANOTIFY_INIT, unix.SYS_LOOKUP_DCOOKIE, unix.SYS_NFSSERVCTL,
	unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY, unix.SYS_KEYCTL,
	unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_NAME_TO_HANDLE_AT, unix.SYS_MEMFD_SECRET,
	// Queues and memory that are no files.
	unix.SYS_MQ_OPEN, unix.SYS_MQ_UNLINK,
}

// absent are answered as by a kernel without them, which programs know what to do about: io_uring reaches
// sockets past this filter, and the flags of clone3 are in memory, where it can't look.
var absent = []uint32{unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER, unix.SYS_CLONE3}

const (
	namespaceFlags = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC |
		unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET
	// What a socket's type may hold beside the type.
	socketFlags = unix.SOCK_NONBLOCK | unix.SOCK_CLOEXEC
)

// filter returns the program of a command. Without a network it makes no socket; without
// its own network it makes those for TCP only, since Landlock does not look at others. What reaches sockets by path or by name,
// AF_UNIX, it never makes; a pair of connected ones it may.
func filter(network, own bool) seccomp.Program {
	var p seccomp.Program
	p.OwnCalls()
	for _, nr := range slices.Concat(refused, refusedArch) {
		p.Unless(nr, 1)
		p.Ret(seccomp.Errno(unix.EPERM))
	}
	for _, nr := range absent {
		p.Unless(nr, 1)
		p.Ret(seccomp.Errno(unix.ENOSYS))
	}
	rule(&p, unix.SYS_CLONE, func(q *seccomp.Program) {
		q.LoadArg(0)
		q.And(namespaceFlags)
		q.If(0, 1)
		q.Ret(seccomp.Errno(unix.EPERM))
	})
	rule(&p, unix.SYS_IOCTL, func(q *seccomp.Program) {
		q.LoadArg(1)
		for _, request := range []uint32{unix.TIOCSTI, unix.TIOCLINUX} { // to type into a terminal
			q.Unless(request, 1)
			q.Ret(seccomp.Errno(unix.EPERM))
		}
	})
	rule(&p, unix.SYS_SOCKETPAIR, func(q *seccomp.Program) {
		q.LoadArg(1)
		q.And(^uint32(socketFlags))
		q.Unless(unix.SOCK_DGRAM, 1) // one of these sends to any path
		q.Ret(seccomp.Errno(unix.EACCES))
	})
	rule(&p, unix.SYS_SOCKET, func(q *seccomp.Program) {
		if !network {
			q.Ret(seccomp.Errno(unix.EACCES))
			return
		}
		q.LoadArg(0)
		q.If(unix.AF_INET, 2)
		q.If(unix.AF_INET6, 1)
		q.Ret(seccomp.Errno(unix.EAFNOSUPPORT))
		if own {
			q.LoadArg(1)
			q.And(^uint32(socketFlags))
			q.Unless(unix.SOCK_RAW, 1)
			q.Ret(seccomp.Errno(unix.EACCES))
			return
		}
		q.LoadArg(1)
		q.And(^uint32(socketFlags))
		q.If(unix.SOCK_STREAM, 1)
		q.Ret(seccomp.Errno(unix.EACCES))
		q.LoadArg(2)
		q.If(0, 2)
		q.If(unix.IPPROTO_TCP, 1) // and no multipath TCP, which Landlock does not look at
		q.Ret(seccomp.Errno(unix.EACCES))
	})
	p.Ret(seccomp.Allow)
	return p
}

// rule adds what is said of the call nr. What does not return within it is allowed.
func rule(p *seccomp.Program, nr uint32, build func(*seccomp.Program)) {
	var q seccomp.Program
	build(&q)
	q.Ret(seccomp.Allow)
	p.Unless(nr, uint8(len(q)))
	*p = append(*p, q...)
}
