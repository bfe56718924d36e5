package isolate

import (
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// What is allowed beyond the memory limit before the system refuses more. The
// stacks of threads count, 8 MiB each with cgo, though little of them is used;
// and the Go runtime reserves addresses 64 MiB at a time.
const (
	dataSlack    = 128 << 20
	addressSlack = 256 << 20
)

// memoryLimits returns the values of RLIMIT_DATA and RLIMIT_AS for a process
// that has mapped what statm says and may use memory more.
//
// They count what is mapped, used or not, and the Go runtime has mapped much
// more than it uses: so they begin from there. RLIMIT_DATA alone would let one
// allocation of any size pass, because the kernel does not count pages that a
// mapping replaces, and the runtime maps over what it had reserved.
func memoryLimits(statm []byte, memory int64) (data, addresses uint64, err error) {
	size, _, _, mapped, err := parseStatm(statm)
	if err != nil {
		return 0, 0, err
	}
	page := int64(os.Getpagesize())
	memory += memory / 4 // for fragmentation
	data = uint64(mapped*page + overhead*(memory+dataSlack))
	addresses = uint64(size*page + overhead*(memory+addressSlack))
	return data, addresses, nil
}

// setLimits sets resource limits, for all threads and for good.
func setLimits(cfg config) error {
	// Best effort: the name is for people, and the system's out-of-memory
	// killer should take a worker before it takes the parent.
	_ = os.WriteFile("/proc/self/comm", []byte("samkit-worker"), 0)
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0)

	limits := []limit{
		{unix.RLIMIT_CORE, 0},
		{unix.RLIMIT_FSIZE, 0},
		{unix.RLIMIT_NOFILE, 16},
		{unix.RLIMIT_MEMLOCK, 0},
		{unix.RLIMIT_MSGQUEUE, 0},
	}
	if cfg.memory > 0 {
		statm, err := os.ReadFile("/proc/self/statm")
		if err != nil {
			return err
		}
		data, addresses, err := memoryLimits(statm, cfg.memory)
		if err != nil {
			return err
		}
		limits = append(limits, limit{unix.RLIMIT_DATA, data}, limit{unix.RLIMIT_AS, addresses})
	}
	for _, l := range limits {
		if err := l.lower(0); err != nil {
			return err
		}
	}
	return nil
}

// A limit is the value of a resource limit, both soft and hard.
type limit struct {
	resource int
	max      uint64
}

// lower applies l to a process, 0 being the calling one, unless its limit is
// lower already.
func (l limit) lower(pid int) error {
	var old unix.Rlimit
	if err := unix.Prlimit(pid, l.resource, nil, &old); err != nil {
		return err
	}
	v := min(l.max, old.Max)
	if err := unix.Prlimit(pid, l.resource, &unix.Rlimit{Cur: v, Max: v}, nil); err != nil {
		return fmt.Errorf("resource %d to %d: %w", l.resource, v, err)
	}
	return nil
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
		if err == nil && flags&unix.FD_CLOEXEC != 0 && (what == "anon_inode:[eventpoll]" || what == "anon_inode:[eventfd]") {
			continue
		}
		if err := unix.Dup3(null, fd, unix.O_CLOEXEC); err != nil {
			return err
		}
	}
	return nil
}
