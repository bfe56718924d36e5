//go:build amd64 || arm64

package confine

import (
	"fmt"
	"os"
	"path/filepath"
	"unsafe"

	"golang.org/x/sys/unix"
)

// setLimits sets resource limits, which are the process's, so this one's as well. The number of processes and
// the memory of all are watched: RLIMIT_NPROC does not hold for root and counts what else the user runs. Where no namespace
// of processes ends them at once, it has to be: what forks would outrun who counts.
func (s *Spec) setLimits() error {
	limits := []struct {
		resource int
		max      int64
	}{
		{unix.RLIMIT_CORE, 0},
		{unix.RLIMIT_NOFILE, 4096},
		{unix.RLIMIT_MSGQUEUE, 0},
		{unix.RLIMIT_MEMLOCK, 8 << 20},
		{unix.RLIMIT_FSIZE, s.FileSize},
	}
	if !raced && s.Memory > 0 {
		limits = append(limits, struct {
			resource int
			max      int64
		}{unix.RLIMIT_DATA, max(s.Memory, 256<<20)})
	}
	if !s.Strong && !s.Own {
		limits = append(limits, struct {
			resource int
			max      int64
		}{unix.RLIMIT_NPROC, int64(s.Processes + threadsOf(s.user()))})
	}
	for _, l := range limits {
		var old unix.Rlimit
		if err := unix.Prlimit(0, l.resource, nil, &old); err != nil {
			return err
		}
		v := min(uint64(l.max), old.Max)
		if err := unix.Prlimit(0, l.resource, &unix.Rlimit{Cur: v, Max: v}, nil); err != nil {
			return fmt.Errorf("resource %d to %d: %w", l.resource, v, err)
		}
	}
	return nil
}

// user is who the command is.
func (s *Spec) user() int {
	if s.RunAs != 0 {
		return s.RunAs
	}
	return os.Getuid()
}

// threadsOf counts what a user runs, as RLIMIT_NPROC does.
func threadsOf(uid int) int {
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	n := 0
	for _, dir := range dirs {
		var st unix.Stat_t
		if unix.Stat(dir, &st) != nil || int(st.Uid) != uid {
			continue
		}
		if unix.Stat(dir+"/task", &st) == nil {
			n += max(0, int(st.Nlink)-2)
		}
	}
	return n
}

// confineThread takes from the calling thread, and what it starts, all that the command shall not
// have. The rest of the process keeps its rights, so that it can end the command.
func (s *Spec) confineThread() error {
	// What competes for the processor gives way to who supervises it. The call tells 20 less the value.
	if n, err := unix.Getpriority(unix.PRIO_PROCESS, unix.Gettid()); err == nil {
		_ = unix.Setpriority(unix.PRIO_PROCESS, unix.Gettid(), min(20-n+3, 19))
	}
	if !s.Strong && s.RunAs != 0 {
		if err := becomeUser(s.RunAs, s.RunAsGroup); err != nil {
			return err
		}
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("no_new_privs: %w", err)
	}
	if err := dropCapabilities(); err != nil {
		return err
	}
	if !s.Strong {
		if err := s.landlock(); err != nil {
			return err
		}
	}
	// Within its own network a strong command has the loopback, and a light one that of the machine.
	return filter(s.Strong || s.Proxy != 0, s.Strong).Install(0)
}

// becomeUser changes the user of this thread alone; package syscall's functions change that of all threads.
func becomeUser(uid, gid int) error {
	u, g := uintptr(uid), uintptr(gid)
	if _, _, errno := unix.RawSyscall(unix.SYS_SETGROUPS, 0, 0, 0); errno != 0 {
		return fmt.Errorf("setgroups: %w", errno)
	}
	if _, _, errno := unix.RawSyscall(unix.SYS_SETRESGID, g, g, g); errno != 0 {
		return fmt.Errorf("setresgid %d: %w", gid, errno)
	}
	if _, _, errno := unix.RawSyscall(unix.SYS_SETRESUID, u, u, u); errno != 0 {
		return fmt.Errorf("setresuid %d: %w", uid, errno)
	}
	return nil
}

// dropCapabilities leaves the thread none, and no way to get one by executing something.
func dropCapabilities() error {
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return fmt.Errorf("clear ambient capabilities: %w", err)
	}
	for c := uintptr(0); c < 64; c++ {
		// EINVAL is beyond the last; EPERM who has no capability to drop any, and no_new_privs, so can get none.
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0); err != nil {
			break
		}
	}
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	if _, _, errno := unix.RawSyscall(unix.SYS_CAPSET, uintptr(unsafe.Pointer(&header)), uintptr(unsafe.Pointer(&none)), 0); errno != 0 {
		return fmt.Errorf("drop capabilities: %w", errno)
	}
	return nil
}
