//go:build amd64 || arm64

package iofault

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A Process is the child whose calls fail.
type Process struct {
	cmd      *exec.Cmd
	pidfd    int
	listener int
	in       io.WriteCloser
	out      *bufio.Reader
	done     chan struct{} // closed when nobody calls any more

	mu    sync.Mutex // guards the rest
	dir   string     // what is looked at; "" for nothing
	plan  Plan
	left  *disk
	count int // calls of the plan's kinds
	calls int // calls that change something
	last  string
	hit   string // the call that failed first
	err   error  // of this package
}

// Start starts this test's program as the child, which ends with the test.
func Start(t testing.TB) *Process {
	t.Helper()
	p, err := start()
	if err != nil {
		t.Fatal("iofault:", err)
	}
	t.Cleanup(func() {
		p.in.Close()
		stuck := time.AfterFunc(10*time.Second, func() { p.cmd.Process.Kill() })
		defer stuck.Stop()
		err := p.cmd.Wait()
		<-p.done
		unix.Close(p.pidfd)
		unix.Close(p.listener)
		if err != nil {
			t.Error("iofault: the child:", err)
		}
	})
	return p
}

func start() (*Process, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer unix.Close(pair[0])
	theirs := os.NewFile(uintptr(pair[1]), "listener")
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), childEnv+"=1", "GODEBUG=asyncpreemptoff=1")
	cmd.ExtraFiles = []*os.File{theirs} // childFD
	cmd.Stderr = os.Stderr
	p := &Process{cmd: cmd, done: make(chan struct{})}
	if p.in, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.out = bufio.NewReader(out)
	err = cmd.Start()
	theirs.Close()
	if err != nil {
		return nil, err
	}
	p.pidfd, err = unix.PidfdOpen(cmd.Process.Pid, 0)
	if err == nil {
		p.listener, err = receive(pair[0])
	}
	if err != nil {
		cmd.Process.Kill()
		cmd.Wait()
		return nil, err
	}
	go p.listen()
	return p, nil
}

// receive takes the listener from the child.
func receive(socket int) (int, error) {
	space := make([]byte, unix.CmsgSpace(4))
	n, on, _, _, err := unix.Recvmsg(socket, make([]byte, 1), space, unix.MSG_CMSG_CLOEXEC)
	if err == nil && n == 0 {
		err = errors.New("the child ended before it gave up its calls")
	}
	if err != nil {
		return 0, err
	}
	messages, err := unix.ParseSocketControlMessage(space[:on])
	if err != nil || len(messages) != 1 {
		return 0, fmt.Errorf("no listener came: %w", err)
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil {
		return 0, err
	}
	return fds[0], nil
}

// A Trace is what was seen of a run.
type Trace struct {
	Count int    // calls of the plan's kinds
	Calls int    // calls that change something
	Hit   string // the first one that failed, or before which the power went; "" if there was none
}

// Run has the child's function run with dir, which exists, while the disk
// follows plan, and reads what it returns into report.
func (p *Process) Run(t testing.TB, dir string, seed uint64, plan Plan, report any) Trace {
	t.Helper()
	p.mu.Lock()
	p.dir, p.plan, p.count, p.calls, p.hit = dir, plan, 0, 0, ""
	p.left = newDisk(dir, rand.New(rand.NewPCG(seed, uint64(plan.CrashAt))))
	p.mu.Unlock()
	fmt.Fprintf(p.in, "%d %q\n", seed, dir)
	line, err := p.out.ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, report)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dir = ""
	if err = errors.Join(err, p.err); err != nil {
		t.Fatalf("iofault: %v; the last call was %s", err, p.last)
	}
	return Trace{p.count, p.calls, p.hit}
}

// A notice is the kernel's struct seccomp_notif.
type notice struct {
	id    uint64
	pid   uint32
	flags uint32
	nr    int32
	arch  uint32
	ip    uint64
	args  [6]uint64
}

// A reply is the kernel's struct seccomp_notif_resp.
type reply struct {
	id    uint64
	val   int64
	errno int32
	flags uint32
}

const (
	ioctlReceive = 0xc0502100
	ioctlSend    = 0xc0182101
	goOn         = 1 // SECCOMP_USER_NOTIF_FLAG_CONTINUE
)

// listen decides about calls until the child has ended.
func (p *Process) listen() {
	defer close(p.done)
	for {
		fds := []unix.PollFd{{Fd: int32(p.listener), Events: unix.POLLIN}}
		if _, err := unix.Poll(fds, -1); err == unix.EINTR {
			continue
		} else if err != nil || fds[0].Revents&unix.POLLIN == 0 {
			return
		}
		var n notice
		if _, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(p.listener), ioctlReceive, uintptr(unsafe.Pointer(&n))); errno != 0 {
			continue // the call was cut off
		}
		r := reply{id: n.id, flags: goOn}
		p.mu.Lock()
		val, errno, ours := p.decide(&n)
		p.mu.Unlock()
		if ours {
			r = reply{id: n.id, val: val, errno: -int32(errno)}
		}
		unix.Syscall(unix.SYS_IOCTL, uintptr(p.listener), ioctlSend, uintptr(unsafe.Pointer(&r)))
	}
}

// below reports whether a path is that of the directory or in it.
func (p *Process) below(path string) bool {
	return p.dir != "" && (path == p.dir || strings.HasPrefix(path, p.dir+"/"))
}
