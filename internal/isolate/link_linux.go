package isolate

import (
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// patience is how long readSoon waits. A worker that is in use hears from its parent sooner; for
// one that is not, the runtime has its thread back after it.
const patience = 5 * time.Millisecond

// setPatience makes reading from fd give up with EAGAIN after patience.
func setPatience(fd int) error {
	t := unix.NsecToTimeval(patience.Nanoseconds())
	return unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &t)
}

// readSoon reads from fd without telling the runtime, which takes it for a goroutine that computes.
// Told of a call that waits, the runtime takes away the only P, and gives it back when the call returns:
// several futex calls for every small request. It may wait for patience only, since the collector has no
// P meanwhile. A signal, such as the runtime's wish to stop the goroutine, ends the wait with EINTR: the
// caller goes on with a call that the runtime knows of, which grants the wish. See RATIONALE.md.
func readSoon(fd int, p []byte) (int, error) {
	n, _, errno := unix.RawSyscall(unix.SYS_READ, uintptr(fd), uintptr(unsafe.Pointer(&p[0])), uintptr(len(p)))
	if errno != 0 {
		return 0, errno
	}
	return int(n), nil
}
