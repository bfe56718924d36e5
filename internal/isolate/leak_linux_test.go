//go:build amd64 || arm64

package isolate

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func readProc(t testing.TB, pid int, name string) string {
	t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", pid, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestParentDeath kills a parent whose workers are too busy to notice.
func TestParentDeath(t *testing.T) {
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), "ISOLATE_TEST_PARENT=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	var pids []int
	for sc := bufio.NewScanner(out); sc.Scan() && sc.Text() != "ready"; {
		pid, err := strconv.Atoi(sc.Text())
		if err != nil {
			t.Fatal(sc.Text())
		}
		pids = append(pids, pid)
	}
	if len(pids) != 3 || !alive(pids[0]) {
		t.Fatalf("workers %v", pids)
	}
	cmd.Process.Kill()
	for _, pid := range pids {
		for end := time.Now().Add(3 * time.Second); alive(pid); time.Sleep(5 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("worker %d outlived its parent", pid)
			}
			if b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); err == nil && strings.Contains(string(b), ") Z ") {
				break // dead; whoever adopted it has not reaped it
			}
		}
	}
}

func countFDs(t *testing.T) int {
	t.Helper()
	dir, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(dir)
}

func TestNothingLeaks(t *testing.T) {
	round := func() {
		s := NewSpawner()
		sp := NewSpares(s, 2, nil)
		for i := range 5 {
			p, err := sp.Take(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			c := newCaller(p)
			c.call(frameEcho, "x")
			switch i {
			case 0:
				p.Kill(nil)
			case 1:
				c.call(frameDo, "exit 1")
			case 2:
				go c.call(frameDo, "spin 10000")
				big := strings.Repeat("x", 1<<20)
				p.Send(context.Background(), func(b []byte) []byte { return AppendFrame(b, frameEcho, 7, big) })
				p.Kill(nil) // while it is written to
			case 3:
				c.call(frameDo, "raw xxxxxxxxxxxx")
			}
		}
		s.Start(context.Background(), &Options{Command: []string{"/bin/true"}})
		sp.Close()
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if n, _ := s.Live(); n != 0 {
			t.Errorf("%d workers after Close", n)
		}
		s.Close()
		if _, err := s.Start(context.Background(), nil); !errors.Is(err, ErrClosed) {
			t.Error("Start after Close:", err)
		}
		if _, err := sp.Take(context.Background()); !errors.Is(err, ErrClosed) {
			t.Error("Take after Close:", err)
		}
	}
	round()
	fds, goroutines := countFDs(t), runtime.NumGoroutine()
	for range 4 {
		round()
	}
	end := time.Now().Add(3 * time.Second)
	for runtime.NumGoroutine() > goroutines && time.Now().Before(end) {
		time.Sleep(5 * time.Millisecond)
	}
	if n := runtime.NumGoroutine(); n > goroutines {
		buf := make([]byte, 64<<10)
		t.Errorf("%d goroutines, were %d\n%s", n, goroutines, buf[:runtime.Stack(buf, true)])
	}
	if n := countFDs(t); n > fds {
		t.Errorf("%d descriptors, were %d", n, fds)
	}
	if pid, err := unix.Wait4(-1, nil, unix.WNOHANG, nil); pid > 0 || err != unix.ECHILD {
		t.Errorf("children are left: %d, %v", pid, err)
	}
}

func TestInheritsNothing(t *testing.T) {
	// What C code in the parent may have left open.
	fd, err := unix.Open("/etc/passwd", unix.O_RDONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	t.Setenv("ISOLATE_SECRET", "s")
	c := newCaller(start(t, newSpawner(t), &Options{Level: Process}))
	got, err := c.call(frameDo, "fds")
	if err != nil || strings.Contains(got, "passwd") {
		t.Errorf("%v\n%s", err, got)
	}
	for line := range strings.Lines(got) {
		_, what, _ := strings.Cut(strings.TrimSpace(line), " ")
		if !strings.HasPrefix(what, "anon_inode:") && !strings.HasPrefix(what, "pipe:") && !strings.HasPrefix(what, "socket:") && what != "/dev/null" {
			t.Errorf("open in the worker: %s", line)
		}
	}
	got, err = c.call(frameDo, "env")
	if err != nil || strings.Contains(got, "SECRET") || strings.Contains(got, marker) || len(strings.Split(got, "\n")) > 4 {
		t.Errorf("%v\n%s", err, got)
	}
}
