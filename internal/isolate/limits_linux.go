package isolate

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// slack is allowed beyond the memory limit before the system refuses more: the
// stacks of threads (8 MiB each with cgo) count, though little of them is used.
const slack = 64 << 20

// setLimits sets resource limits, for all threads and for good.
func setLimits(cfg config) error {
	// Best effort: the name is for people, and the system's out-of-memory
	// killer should take a worker before it takes the parent.
	_ = os.WriteFile("/proc/self/comm", []byte("samkit-worker"), 0)
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0)

	limits := []struct {
		resource int
		max      uint64
	}{
		{unix.RLIMIT_CORE, 0},
		{unix.RLIMIT_FSIZE, 0},
		{unix.RLIMIT_NOFILE, 16},
		{unix.RLIMIT_MEMLOCK, 0},
		{unix.RLIMIT_MSGQUEUE, 0},
	}
	if cfg.memory > 0 {
		// Not RLIMIT_AS: the Go runtime reserves far more addresses than it
		// uses. What is mapped already is mostly reserved and never touched.
		mapped, err := mappedData()
		if err != nil {
			return err
		}
		limits = append(limits, struct {
			resource int
			max      uint64
		}{unix.RLIMIT_DATA, uint64(mapped + cfg.memory + slack)})
	}
	for _, l := range limits {
		var old unix.Rlimit
		if err := unix.Prlimit(0, l.resource, nil, &old); err != nil {
			return err
		}
		v := min(l.max, old.Max)
		if err := unix.Prlimit(0, l.resource, &unix.Rlimit{Cur: v, Max: v}, nil); err != nil {
			return fmt.Errorf("resource %d to %d: %w", l.resource, v, err)
		}
	}
	return nil
}

// mappedData returns the bytes that RLIMIT_DATA counts.
func mappedData() (int64, error) {
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0, err
	}
	_, _, _, data, err := parseStatm(b)
	return data * int64(os.Getpagesize()), err
}

// closeInherited puts the null device in the place of what the parent's C code
// left open across exec, and of what this program opened before Main. They are
// not closed, because a finalizer of whoever opened them could then close what
// came to stand there. The Go runtime's own descriptors for waiting (epoll,
// eventfd) are close-on-exec, so they cannot be inherited, and stay.
func closeInherited() error {
	dir, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return err
	}
	null, err := unix.Open(os.DevNull, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(null)
	for _, d := range dir {
		fd, err := strconv.Atoi(d.Name())
		if err != nil || fd <= linkFD {
			continue
		}
		flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
		if err != nil || fd == null {
			continue // that of ReadDir, closed again
		}
		what, err := os.Readlink("/proc/self/fd/" + d.Name())
		if err == nil && flags&unix.FD_CLOEXEC != 0 && strings.HasPrefix(what, "anon_inode:") {
			continue
		}
		if err := unix.Dup3(null, fd, unix.O_CLOEXEC); err != nil {
			return err
		}
	}
	return nil
}
