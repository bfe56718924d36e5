//go:build unix && !linux

package isolate

import (
	"fmt"
	"os"
	"runtime/debug"
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
	go watchSelf(os.Getppid())
	return nil
}

// watchSelf ends the process when its memory passes the limit, which is an
// eighth over that of its heap, or its parent is gone. Code that an interpreter
// runs in the process cannot stop it.
func watchSelf(parent int) {
	s := []metrics.Sample{
		{Name: "/memory/classes/total:bytes"},
		{Name: "/memory/classes/heap/released:bytes"},
	}
	for range time.Tick(selfTick) {
		if os.Getppid() != parent {
			os.Exit(exitServe)
		}
		metrics.Read(s)
		if used, limit := int64(s[0].Value.Uint64()-s[1].Value.Uint64()), debug.SetMemoryLimit(-1); used/8*7/overhead > limit {
			fmt.Fprintf(os.Stderr, "out of memory: %d bytes are used, the limit is %d\n", used, limit/7*8)
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
