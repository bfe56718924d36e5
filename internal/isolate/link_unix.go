//go:build unix

package isolate

import (
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
	if err := setPatience(linkFD); err != nil {
		return nil, fmt.Errorf("link: %w", err)
	}
	return newLink(socketTransport{linkFD}), nil
}

func (t socketTransport) read(p []byte, deadline time.Time) (int, error) {
	if deadline.IsZero() || time.Until(deadline) > patience {
		n, err := readSoon(t.fd, p)
		if !again(err) {
			return n, ended(err)
		}
	}
	for {
		if err := waitReadable(t.fd, deadline); err != nil {
			return 0, err
		}
		n, err := unix.Read(t.fd, p)
		if !again(err) {
			return n, ended(err)
		}
	}
}

// again reports whether a read came to nothing and is to be tried once more.
func again(err error) bool { return err == unix.EAGAIN || err == unix.EINTR }

// ended is io.EOF for the error of a parent that ended without having read everything.
func ended(err error) error {
	if err == unix.ECONNRESET {
		return io.EOF
	}
	return err
}

// waitReadable returns errTimeout if fd has nothing to read at the deadline; the zero time is none.
func waitReadable(fd int, deadline time.Time) error {
	for {
		ms := -1
		if !deadline.IsZero() {
			// Rounded up, so that the caller's timer is due when we return.
			ms = int(min(max(0, (time.Until(deadline)+time.Millisecond-1)/time.Millisecond), 1<<30))
		}
		fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		n, err := unix.Poll(fds, ms)
		switch {
		case err == unix.EINTR:
		case err != nil:
			return fmt.Errorf("poll: %w", err)
		case n > 0:
			return nil
		case ms >= 0 && !time.Now().Before(deadline):
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
