//go:build unix && !linux

package isolate

import (
	"fmt"
	"os"
	"runtime/metrics"
	"time"

	"golang.org/x/sys/unix"
)

// selfTick is how often a worker looks at itself.
const selfTick = 25 * time.Millisecond

// setLimits sets what the system enforces, and starts watchSelf for the rest:
// these systems do not count the memory that the Go runtime maps, or count what
// it only reserves.
func setLimits(cfg config) error {
	// Sockets and pipes are no files; not every system lets all of these be 0.
	for _, r := range []int{unix.RLIMIT_CORE, unix.RLIMIT_FSIZE} {
		if err := unix.Setrlimit(r, &unix.Rlimit{}); err != nil {
			return err
		}
	}
	go watchSelf(cfg.memory, os.Getppid())
	return nil
}

// watchSelf ends the process when its heap passes limit or its parent is gone.
// Code that runs in the process's JavaScript cannot stop it.
func watchSelf(limit int64, parent int) {
	s := []metrics.Sample{
		{Name: "/memory/classes/total:bytes"},
		{Name: "/memory/classes/heap/released:bytes"},
	}
	for range time.Tick(selfTick) {
		if os.Getppid() != parent {
			os.Exit(exitServe)
		}
		metrics.Read(s)
		if used := s[0].Value.Uint64() - s[1].Value.Uint64(); limit > 0 && used > uint64(limit) {
			fmt.Fprintf(os.Stderr, "out of memory: %d bytes are used, the limit is %d\n", used, limit)
			os.Exit(exitServe)
		}
	}
}

// closeInherited closes what the parent's C code left open across exec.
func closeInherited() error {
	var l unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &l); err != nil {
		return err
	}
	for fd := linkFD + 1; fd < int(min(uint64(l.Cur), 4096)); fd++ {
		flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
		if err == nil && flags&unix.FD_CLOEXEC == 0 {
			unix.Close(fd)
		}
	}
	return nil
}
