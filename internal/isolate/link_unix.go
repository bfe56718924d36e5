//go:build unix

package isolate

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// linkFD is the worker's end of the socket pair.
const linkFD = 3

var errTimeout = os.ErrDeadlineExceeded

// socketTransport reads and writes with plain system calls: through os.File
// they would pass the runtime's poller, which costs two more calls and a
// goroutine switch each time.
type socketTransport struct{ fd int }

func openLink() (*Link, error) {
	typ, err := unix.GetsockoptInt(linkFD, unix.SOL_SOCKET, unix.SO_TYPE)
	if err != nil || typ != unix.SOCK_STREAM {
		return nil, fmt.Errorf("descriptor %d is no link", linkFD)
	}
	unix.CloseOnExec(linkFD)
	return newLink(socketTransport{linkFD}), nil
}

func (t socketTransport) read(p []byte, deadline time.Time) (int, error) {
	if !deadline.IsZero() {
		if err := waitReadable(t.fd, deadline); err != nil {
			return 0, err
		}
	}
	for {
		n, err := unix.Read(t.fd, p)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			if errors.Is(err, unix.ECONNRESET) {
				err = io.EOF
			}
			return 0, err
		}
		return n, nil
	}
}

// waitReadable returns errTimeout if fd has nothing to read at the deadline.
func waitReadable(fd int, deadline time.Time) error {
	for {
		// Rounded up, so that the caller's timer is due when we return.
		ms := max(0, (time.Until(deadline)+time.Millisecond-1)/time.Millisecond)
		fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		n, err := unix.Poll(fds, int(min(ms, 1<<30)))
		switch {
		case err == unix.EINTR:
		case err != nil:
			return fmt.Errorf("poll: %w", err)
		case n > 0:
			return nil
		case !time.Now().Before(deadline):
			return errTimeout
		}
	}
}

func (t socketTransport) write(p []byte) error {
	for len(p) > 0 {
		n, err := unix.Write(t.fd, p)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return err
		}
		p = p[n:]
	}
	return nil
}
