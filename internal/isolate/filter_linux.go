//go:build amd64 || arm64

package isolate

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"

	"golang.org/x/sys/unix"
	"samkit.dev/internal/seccomp"
)

// The filter of system calls. A worker computes: it needs memory, threads,
// clocks and its link. Everything it may do is listed here, and what is not
// listed is refused in one of two ways:
//
//   - with EPERM, if a library might try it and carry on without: opening a
//     file (the time package looks for the local zone), a socket, uname;
//   - by ending the process, if only somebody who already runs code of his own
//     in it would do it: starting a program, a process or executable memory,
//     tracing, new namespaces, loading into the kernel, interfaces with a
//     record of holes in the kernel. Nothing that such a worker computes is
//     wanted, and the parent learns of it (cause Syscall).
//
// clone3 is answered with ENOSYS: glibc then falls back to clone, whose flags
// can be looked at, as clone3's, which are in memory, cannot.

// allowed are the calls whose arguments do not matter: with no way to get
// another descriptor than epoll's and eventfd's, reading and writing reach the
// link and standard error only. They are the Go runtime's own, and glibc's for
// threads and memory.
var allowed = []uint32{
	unix.SYS_READ, unix.SYS_WRITE,
	unix.SYS_FUTEX, unix.SYS_EPOLL_PWAIT, unix.SYS_PPOLL,
	unix.SYS_NANOSLEEP, unix.SYS_CLOCK_NANOSLEEP, unix.SYS_CLOCK_GETTIME,
	unix.SYS_MADVISE, unix.SYS_MUNMAP, unix.SYS_MINCORE, unix.SYS_BRK,
	unix.SYS_SCHED_YIELD, unix.SYS_SCHED_GETAFFINITY,
	unix.SYS_RT_SIGACTION, unix.SYS_RT_SIGPROCMASK, unix.SYS_RT_SIGRETURN, unix.SYS_SIGALTSTACK,
	unix.SYS_GETPID, unix.SYS_GETTID,
	unix.SYS_EPOLL_CREATE1, unix.SYS_EPOLL_CTL, unix.SYS_EVENTFD2, unix.SYS_CLOSE,
	unix.SYS_GETRANDOM, unix.SYS_SET_ROBUST_LIST, unix.SYS_RSEQ, unix.SYS_RESTART_SYSCALL,
	unix.SYS_EXIT, unix.SYS_EXIT_GROUP,
}

// deadly are the calls that end the process.
var deadly = []uint32{
	unix.SYS_EXECVE, unix.SYS_EXECVEAT,
	unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_KCMP,
	unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT,
	unix.SYS_MOVE_MOUNT, unix.SYS_OPEN_TREE, unix.SYS_FSOPEN, unix.SYS_FSMOUNT,
	unix.SYS_SETNS, unix.SYS_UNSHARE, unix.SYS_PERSONALITY,
	unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE, unix.SYS_KEXEC_LOAD, unix.SYS_REBOOT,
	unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD,
	unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER,
	unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY, unix.SYS_KEYCTL,
	unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_PKEY_MPROTECT,
}

const (
	// What clone needs to make a thread, and what it must not have: a thread
	// shares everything with the others, and gets no namespace of its own.
	threadFlags    = unix.CLONE_VM | unix.CLONE_FS | unix.CLONE_FILES | unix.CLONE_SIGHAND | unix.CLONE_THREAD
	namespaceFlags = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC |
		unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET | unix.CLONE_PTRACE | unix.CLONE_VFORK
)

// A policy says what becomes of a call.
type policy struct{ seccomp.Program }

// filter returns the program for process pid. One that compiles may turn memory that it has
// written into memory that it executes, and cannot write from then on.
func filter(pid int, compiles bool) policy {
	var p policy
	p.OwnCalls()
	for _, nr := range slices.Concat(allowed, allowedArch) {
		p.Unless(nr, 1)
		p.Ret(seccomp.Allow)
	}
	// Memory must not become executable; of a compiler, not while it can be written.
	if compiles {
		p.protection(unix.SYS_MPROTECT)
	} else {
		p.argument(unix.SYS_MPROTECT, 2, unix.PROT_EXEC, 0, seccomp.Kill)
	}
	p.argument(unix.SYS_MMAP, 2, unix.PROT_EXEC, 0, seccomp.Kill)
	p.argument(unix.SYS_CLONE, 0, threadFlags|namespaceFlags, threadFlags, seccomp.Kill)
	p.argument(unix.SYS_TGKILL, 0, ^uint32(0), uint32(pid), seccomp.Errno(unix.EPERM))
	// The Go runtime names its memory.
	p.argument(unix.SYS_PRCTL, 0, ^uint32(0), unix.PR_SET_VMA, seccomp.Errno(unix.EPERM))
	p.Unless(unix.SYS_CLONE3, 1)
	p.Ret(seccomp.Errno(unix.ENOSYS))
	for _, nr := range slices.Concat(deadly, deadlyArch) {
		p.Unless(nr, 1)
		p.Ret(seccomp.Kill)
	}
	p.Ret(seccomp.Errno(unix.EPERM))
	return p
}

// argument allows the call nr if an argument, masked, has a value, and
// otherwise answers it with action.
func (p *policy) argument(nr, arg, mask, value, action uint32) {
	p.Unless(nr, 5)
	p.LoadArg(arg)
	p.And(mask)
	p.Unless(value, 1)
	p.Ret(seccomp.Allow)
	p.Ret(action)
}

// protection allows the call nr if it makes memory writable or executable, but not both.
func (p *policy) protection(nr uint32) {
	const both = unix.PROT_WRITE | unix.PROT_EXEC
	p.Unless(nr, 5)
	p.LoadArg(2)
	p.And(both)
	p.Unless(both, 1)
	p.Ret(seccomp.Kill)
	p.Ret(seccomp.Allow)
}

// probeFilter asks whether the kernel has what installFilter needs, which came
// with Linux 4.14.
func probeFilter() error {
	if err := seccomp.Probe(); err != nil {
		return err
	}
	if _, err := os.Stat("/proc/self/statm"); err != nil {
		return fmt.Errorf("the /proc file system is needed: %w", err)
	}
	return nil
}

// installFilter filters the calls of all threads of this process, for good.
func installFilter(compiles bool) error {
	runtime.LockOSThread() // no_new_privs is the thread's, until the filter carries it to the others
	defer runtime.UnlockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("no_new_privs: %w", err)
	}
	if err := filter(os.Getpid(), compiles).Install(unix.SECCOMP_FILTER_FLAG_TSYNC); err != nil {
		return err
	}
	// It holds, or the worker does not start.
	fd, err := unix.Open("/", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err == nil {
		unix.Close(fd)
	}
	if !errors.Is(err, unix.EPERM) {
		return fmt.Errorf("the system-call filter does not hold: open gave %v", err)
	}
	return nil
}
