//go:build unix

package isolate

import (
	"io"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// transportPair is a worker's end of a link, and the parent's as a descriptor.
func transportPair(t *testing.T) (socketTransport, int) {
	t.Helper()
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(fds[0]) })
	if err := setPatience(fds[0]); err != nil {
		t.Fatal(err)
	}
	return socketTransport{fds[0]}, fds[1]
}

func TestReadOutlastsPatience(t *testing.T) {
	worker, parent := transportPair(t)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // so that the timer needs what the read gives up
	for _, wait := range []time.Duration{0, patience / 2, patience + 20*time.Millisecond} {
		time.AfterFunc(wait, func() { unix.Write(parent, []byte("hello")) })
		b := make([]byte, 10)
		n, err := worker.read(b, time.Time{})
		if string(b[:n]) != "hello" || err != nil {
			t.Errorf("after %v: %q, %v", wait, b[:n], err)
		}
	}
	time.AfterFunc(patience+20*time.Millisecond, func() { unix.Close(parent) })
	if n, err := worker.read(make([]byte, 10), time.Time{}); n != 0 || err != nil && err != io.EOF {
		t.Errorf("of a parent that is gone: %d, %v", n, err)
	}
}

func TestReadKeepsDeadlines(t *testing.T) {
	worker, parent := transportPair(t)
	defer unix.Close(parent)
	for _, wait := range []time.Duration{-time.Second, patience / 2, patience + 20*time.Millisecond} {
		deadline := time.Now().Add(wait)
		n, err := worker.read(make([]byte, 10), deadline)
		if n != 0 || err != errTimeout || time.Now().Before(deadline) {
			t.Errorf("%v ahead: %d, %v, %v before it", wait, n, err, time.Until(deadline))
		}
	}
	unix.Write(parent, []byte("x"))
	if n, err := worker.read(make([]byte, 10), time.Now().Add(-time.Second)); n != 1 || err != nil {
		t.Errorf("what has arrived at a deadline that has passed: %d, %v", n, err)
	}
}
