package isolate

import (
	"golang.org/x/sys/unix"
)

// A bpf is a classic BPF program over struct seccomp_data: the number of
// the system call at 0, the architecture at 4, six arguments of 64 bits from 16.
type bpf []unix.SockFilter

const (
	dataNumber = 0
	dataArch   = 4
	dataArgs   = 16

	retAllow = unix.SECCOMP_RET_ALLOW
	retKill  = unix.SECCOMP_RET_KILL_PROCESS
)

func retErrno(e unix.Errno) uint32 { return unix.SECCOMP_RET_ERRNO | uint32(e) }

func (p *bpf) load(offset uint32) {
	*p = append(*p, unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: offset})
}

// loadArg loads the low half of an argument; both architectures are little-endian.
func (p *bpf) loadArg(n uint32) { p.load(dataArgs + 8*n) }

func (p *bpf) and(mask uint32) {
	*p = append(*p, unix.SockFilter{Code: unix.BPF_ALU | unix.BPF_AND | unix.BPF_K, K: mask})
}

func (p *bpf) ret(action uint32) {
	*p = append(*p, unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: action})
}

// unless skips the next n instructions if the value loaded is not k.
func (p *bpf) unless(k uint32, n uint8) {
	*p = append(*p, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jf: n, K: k})
}

// ifAtLeast executes the next instruction only if the value loaded is k or more.
func (p *bpf) ifAtLeast(k uint32) {
	*p = append(*p, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K, Jf: 1, K: k})
}
