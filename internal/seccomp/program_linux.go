//go:build amd64 || arm64

package seccomp

import (
	"fmt"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A Program is classic BPF over struct seccomp_data: the number of
// the system call, the architecture, and six arguments of 64 bits.
type Program []unix.SockFilter

// Where struct seccomp_data has its parts.
const (
	Number = 0
	Arch   = 4
	Args   = 16
)

// What becomes of a call. ThisArch is the architecture that this program was built for.
const (
	Allow    = unix.SECCOMP_RET_ALLOW
	Kill     = unix.SECCOMP_RET_KILL_PROCESS
	ThisArch = auditArch
	// ForeignCalls is where the numbers of another calling convention begin that comes with
	// the same architecture; 0 means that there is none.
	ForeignCalls = foreignCalls
)

// Errno is the action that answers a call with e.
func Errno(e unix.Errno) uint32 { return unix.SECCOMP_RET_ERRNO | uint32(e) }

// Load loads what stands at an offset.
func (p *Program) Load(offset uint32) {
	*p = append(*p, unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: offset})
}

// LoadArg loads the low half of an argument; both architectures are little-endian.
func (p *Program) LoadArg(n uint32) { p.Load(Args + 8*n) }

// And masks the value loaded.
func (p *Program) And(mask uint32) {
	*p = append(*p, unix.SockFilter{Code: unix.BPF_ALU | unix.BPF_AND | unix.BPF_K, K: mask})
}

// Ret ends the program.
func (p *Program) Ret(action uint32) {
	*p = append(*p, unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: action})
}

// Unless skips the next n instructions if the value loaded is not k.
func (p *Program) Unless(k uint32, n uint8) {
	*p = append(*p, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jf: n, K: k})
}

// If skips the next n instructions if the value loaded is k.
func (p *Program) If(k uint32, n uint8) {
	*p = append(*p, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jt: n, K: k})
}

// IfAtLeast executes the next instruction only if the value loaded is k or more.
func (p *Program) IfAtLeast(k uint32) {
	*p = append(*p, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K, Jf: 1, K: k})
}

// OwnCalls ends the process if a call is made in another convention than
// this architecture's, whose numbers mean other calls, and loads the number otherwise. A filter begins with it.
func (p *Program) OwnCalls() {
	p.Load(Arch)
	p.If(ThisArch, 1)
	p.Ret(Kill)
	p.Load(Number)
	if ForeignCalls != 0 {
		p.IfAtLeast(ForeignCalls)
		p.Ret(Kill)
	}
}

// Install makes the calling thread, and what it starts, obey p for good; with
// [unix.SECCOMP_FILTER_FLAG_TSYNC] all threads of the process. The thread must have no_new_privs.
func (p Program) Install(flags uintptr) error {
	prog := unix.SockFprog{Len: uint16(len(p)), Filter: &p[0]}
	r, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags, uintptr(unsafe.Pointer(&prog)))
	runtime.KeepAlive(p)
	if errno != 0 {
		return fmt.Errorf("install system-call filter: %w", errno)
	}
	if r != 0 {
		return fmt.Errorf("install system-call filter: thread %d cannot have it", r)
	}
	return nil
}

// Probe asks whether the kernel has filters that end a process, which came with Linux 4.14.
func Probe() error {
	action := uint32(Kill)
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_GET_ACTION_AVAIL, 0, uintptr(unsafe.Pointer(&action)))
	if errno != 0 {
		return fmt.Errorf("the kernel does not offer system-call filters (seccomp): %w", errno)
	}
	return nil
}
