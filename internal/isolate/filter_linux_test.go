//go:build amd64 || arm64

package isolate

import (
	"encoding/binary"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// run executes p for one call, as the kernel does.
func (p bpf) run(t *testing.T, arch, nr uint32, args ...uint64) uint32 {
	t.Helper()
	data := make([]byte, 64)
	binary.LittleEndian.PutUint32(data[dataNumber:], nr)
	binary.LittleEndian.PutUint32(data[dataArch:], arch)
	for i, a := range args {
		binary.LittleEndian.PutUint64(data[dataArgs+8*i:], a)
	}
	var acc uint32
	jump := func(i int, yes bool) int {
		if yes {
			return i + int(p[i].Jt)
		}
		return i + int(p[i].Jf)
	}
	for i := 0; i < len(p); i++ {
		switch in := p[i]; in.Code {
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
		{"read", auditArch, unix.SYS_READ, nil, retAllow},
		{"last allowed", auditArch, allowed[len(allowed)-1], nil, retAllow},
		{"of i386", unix.AUDIT_ARCH_I386, unix.SYS_READ, nil, retKill},
		{"of arm", unix.AUDIT_ARCH_ARM, unix.SYS_READ, nil, retKill},
		{"of another", unix.AUDIT_ARCH_S390X, unix.SYS_READ, nil, retKill},
		{"open", auditArch, unix.SYS_OPENAT, nil, eperm},
		{"no such call", auditArch, 0x3fff, nil, eperm},
		{"execve", auditArch, unix.SYS_EXECVE, nil, retKill},
		{"clone3", auditArch, unix.SYS_CLONE3, nil, enosys},
		{"thread", auditArch, unix.SYS_CLONE, []uint64{threadFlags | unix.CLONE_SYSVSEM | unix.CLONE_SETTLS}, retAllow},
		{"thread, high bits", auditArch, unix.SYS_CLONE, []uint64{threadFlags | 1<<40}, retAllow},
		{"fork", auditArch, unix.SYS_CLONE, []uint64{uint64(unix.SIGCHLD)}, retKill},
		{"vfork", auditArch, unix.SYS_CLONE, []uint64{unix.CLONE_VM | unix.CLONE_VFORK}, retKill},
		{"thread in a namespace", auditArch, unix.SYS_CLONE, []uint64{threadFlags | unix.CLONE_NEWNET}, retKill},
		{"mmap", auditArch, unix.SYS_MMAP, []uint64{0, 4096, unix.PROT_READ | unix.PROT_WRITE}, retAllow},
		{"mmap none", auditArch, unix.SYS_MMAP, []uint64{0, 4096, unix.PROT_NONE}, retAllow},
		{"mmap exec", auditArch, unix.SYS_MMAP, []uint64{0, 4096, unix.PROT_READ | unix.PROT_EXEC}, retKill},
		{"mprotect exec", auditArch, unix.SYS_MPROTECT, []uint64{0, 4096, 1<<32 | unix.PROT_EXEC}, retKill},
		{"tgkill own", auditArch, unix.SYS_TGKILL, []uint64{uint64(pid)}, retAllow},
		{"tgkill other", auditArch, unix.SYS_TGKILL, []uint64{uint64(pid) + 1}, eperm},
		{"name memory", auditArch, unix.SYS_PRCTL, []uint64{unix.PR_SET_VMA}, retAllow},
		{"other prctl", auditArch, unix.SYS_PRCTL, []uint64{unix.PR_SET_PDEATHSIG}, eperm},
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
			want = retAllow
		}
		if got := compiler.run(t, tt.arch, tt.nr, tt.args...); got != want {
			t.Errorf("of a compiler, %s: %#x, want %#x", tt.name, got, want)
		}
	}
	for prot, want := range map[uint64]uint32{
		unix.PROT_READ | unix.PROT_WRITE: retAllow, unix.PROT_READ | unix.PROT_EXEC: retAllow,
		unix.PROT_WRITE | unix.PROT_EXEC: retKill, unix.PROT_READ | unix.PROT_WRITE | unix.PROT_EXEC | 1<<32: retKill,
	} {
		if got := compiler.run(t, auditArch, unix.SYS_MPROTECT, 0, 4096, prot); got != want {
			t.Errorf("of a compiler, mprotect %#x: %#x, want %#x", prot, got, want)
		}
	}
	if foreignCalls != 0 {
		if got := p.run(t, auditArch, foreignCalls|unix.SYS_READ); got != retKill {
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
