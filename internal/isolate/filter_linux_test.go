//go:build amd64 || arm64

package isolate

import (
	"encoding/binary"
	"os"
	"testing"

	"golang.org/x/sys/unix"
	"samkit.dev/internal/seccomp"
)

// run executes p for one call, as the kernel does.
func (p policy) run(t *testing.T, arch, nr uint32, args ...uint64) uint32 {
	t.Helper()
	data := make([]byte, 64)
	binary.LittleEndian.PutUint32(data[seccomp.Number:], nr)
	binary.LittleEndian.PutUint32(data[seccomp.Arch:], arch)
	for i, a := range args {
		binary.LittleEndian.PutUint64(data[seccomp.Args+8*i:], a)
	}
	var acc uint32
	jump := func(i int, yes bool) int {
		if yes {
			return i + int(p.Program[i].Jt)
		}
		return i + int(p.Program[i].Jf)
	}
	for i := 0; i < len(p.Program); i++ {
		switch in := p.Program[i]; in.Code {
		case unix.BPF_LD | unix.BPF_W | unix.BPF_ABS:
			acc = binary.LittleEndian.Uint32(data[in.K:])
		case unix.BPF_ALU | unix.BPF_AND | unix.BPF_K:
			acc &= in.K
		case unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K:
			i = jump(i, acc == in.K)
		case unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K:
			i = jump(i, acc >= in.K)
		case unix.BPF_RET | unix.BPF_K:
			return in.K
		default:
			t.Fatalf("instruction %d: %+v", i, in)
		}
	}
	t.Fatal("the program runs off its end")
	return 0
}

func TestFilter(t *testing.T) {
	pid := os.Getpid()
	p := filter(pid, false)
	const (
		eperm  = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
		enosys = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)
	)
	tests := []struct {
		name string
		arch uint32
		nr   uint32
		args []uint64
		want uint32
	}{
		{"read", seccomp.ThisArch, unix.SYS_READ, nil, seccomp.Allow},
		{"last allowed", seccomp.ThisArch, allowed[len(allowed)-1], nil, seccomp.Allow},
		{"of i386", unix.AUDIT_ARCH_I386, unix.SYS_READ, nil, seccomp.Kill},
		{"of arm", unix.AUDIT_ARCH_ARM, unix.SYS_READ, nil, seccomp.Kill},
		{"of another", unix.AUDIT_ARCH_S390X, unix.SYS_READ, nil, seccomp.Kill},
		{"open", seccomp.ThisArch, unix.SYS_OPENAT, nil, eperm},
		{"no such call", seccomp.ThisArch, 0x3fff, nil, eperm},
		{"execve", seccomp.ThisArch, unix.SYS_EXECVE, nil, seccomp.Kill},
		{"clone3", seccomp.ThisArch, unix.SYS_CLONE3, nil, enosys},
		{"thread", seccomp.ThisArch, unix.SYS_CLONE, []uint64{threadFlags | unix.CLONE_SYSVSEM | unix.CLONE_SETTLS}, seccomp.Allow},
		{"thread, high bits", seccomp.ThisArch, unix.SYS_CLONE, []uint64{threadFlags | 1<<40}, seccomp.Allow},
		{"fork", seccomp.ThisArch, unix.SYS_CLONE, []uint64{uint64(unix.SIGCHLD)}, seccomp.Kill},
		{"vfork", seccomp.ThisArch, unix.SYS_CLONE, []uint64{unix.CLONE_VM | unix.CLONE_VFORK}, seccomp.Kill},
		{"thread in a namespace", seccomp.ThisArch, unix.SYS_CLONE, []uint64{threadFlags | unix.CLONE_NEWNET}, seccomp.Kill},
		{"mmap", seccomp.ThisArch, unix.SYS_MMAP, []uint64{0, 4096, unix.PROT_READ | unix.PROT_WRITE}, seccomp.Allow},
		{"mmap none", seccomp.ThisArch, unix.SYS_MMAP, []uint64{0, 4096, unix.PROT_NONE}, seccomp.Allow},
		{"mmap exec", seccomp.ThisArch, unix.SYS_MMAP, []uint64{0, 4096, unix.PROT_READ | unix.PROT_EXEC}, seccomp.Kill},
		{"mprotect exec", seccomp.ThisArch, unix.SYS_MPROTECT, []uint64{0, 4096, 1<<32 | unix.PROT_EXEC}, seccomp.Kill},
		{"tgkill own", seccomp.ThisArch, unix.SYS_TGKILL, []uint64{uint64(pid)}, seccomp.Allow},
		{"tgkill other", seccomp.ThisArch, unix.SYS_TGKILL, []uint64{uint64(pid) + 1}, eperm},
		{"name memory", seccomp.ThisArch, unix.SYS_PRCTL, []uint64{unix.PR_SET_VMA}, seccomp.Allow},
		{"other prctl", seccomp.ThisArch, unix.SYS_PRCTL, []uint64{unix.PR_SET_PDEATHSIG}, eperm},
	}
	for _, tt := range tests {
		if got := p.run(t, tt.arch, tt.nr, tt.args...); got != tt.want {
			t.Errorf("%s: %#x, want %#x", tt.name, got, tt.want)
		}
	}
	compiler := filter(pid, true)
	for _, tt := range tests {
		want := tt.want
		if tt.name == "mprotect exec" {
			want = seccomp.Allow
		}
		if got := compiler.run(t, tt.arch, tt.nr, tt.args...); got != want {
			t.Errorf("of a compiler, %s: %#x, want %#x", tt.name, got, want)
		}
	}
	for prot, want := range map[uint64]uint32{
		unix.PROT_READ | unix.PROT_WRITE: seccomp.Allow, unix.PROT_READ | unix.PROT_EXEC: seccomp.Allow,
		unix.PROT_WRITE | unix.PROT_EXEC: seccomp.Kill, unix.PROT_READ | unix.PROT_WRITE | unix.PROT_EXEC | 1<<32: seccomp.Kill,
	} {
		if got := compiler.run(t, seccomp.ThisArch, unix.SYS_MPROTECT, 0, 4096, prot); got != want {
			t.Errorf("of a compiler, mprotect %#x: %#x, want %#x", prot, got, want)
		}
	}
	if seccomp.ForeignCalls != 0 {
		if got := p.run(t, seccomp.ThisArch, seccomp.ForeignCalls|unix.SYS_READ); got != seccomp.Kill {
			t.Errorf("foreign call: %#x", got)
		}
	}
	for _, nr := range deadly {
		for _, ok := range allowed {
			if nr == ok {
				t.Errorf("call %d is both allowed and deadly", nr)
			}
		}
	}
}
