//go:build amd64 || arm64

package confine

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

const (
	exitStartup = 3
	maxSpec     = 16 << 20
)

// A supervisor is this process, the command's parent.
type supervisor struct {
	spec Spec
	link *os.File

	mu   sync.Mutex // guards over
	over string
}

func supervise() int {
	s := &supervisor{link: os.NewFile(LinkFD, "link")}
	if err := s.receiveStage(); err != nil {
		fmt.Fprintf(os.Stderr, "%s is set, but this process was not started by samkit: %v\n", Marker, err)
		return exitStartup
	}
	err := s.stage()
	if rerr := s.receiveSpec(); errors.Is(rerr, io.EOF) {
		return 0
	} else if err == nil {
		err = rerr
	}
	if err == nil {
		err = s.prepare()
	}
	if err != nil {
		s.send(Ready{Err: err.Error()}, -1)
		return exitStartup
	}
	go s.watchLink()
	s.send(s.run(), -1)
	return 0
}

// receiveStage reads what to prepare, and sees to it that nothing that was inherited is passed on.
func (s *supervisor) receiveStage() error {
	if _, err := unix.FcntlInt(LinkFD, unix.F_GETFD, 0); err != nil {
		return fmt.Errorf("descriptor %d: %w", LinkFD, err)
	}
	// Close-on-exec, and not closed: what the program's packages opened before Main may be waited for.
	if err := unix.CloseRange(LinkFD, math.MaxInt32, unix.CLOSE_RANGE_CLOEXEC); err != nil {
		return fmt.Errorf("close_range: %w", err)
	}
	_, err := s.receive(&s.spec.Stage, nil)
	return err
}

// receiveSpec waits for the command, and makes its standard streams this process's.
func (s *supervisor) receiveSpec() error {
	var spec Spec
	rights := make([]byte, unix.CmsgSpace(3*4))
	n, err := s.receive(&spec, rights)
	if err != nil {
		return err
	}
	messages, err := unix.ParseSocketControlMessage(rights[:n])
	if err != nil || len(messages) != 1 {
		return fmt.Errorf("the command has no standard streams (%d messages): %w", len(messages), err)
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil {
		return fmt.Errorf("the command's standard streams: %w", err)
	}
	if !spec.Stage.Equal(s.spec.Stage) {
		return errors.New("something else was prepared than what the command needs")
	}
	s.spec = spec
	for i, fd := range fds {
		if err := unix.Dup3(fd, i, 0); err != nil {
			return fmt.Errorf("the command's standard streams: %w", err)
		}
		unix.Close(fd)
	}
	return nil
}

// receive reads one message, and returns how much of rights came with it.
func (s *supervisor) receive(v any, rights []byte) (oobn int, err error) {
	var size [4]byte
	n := 0
	for n == 0 || errors.Is(err, unix.EINTR) {
		if n, oobn, _, _, err = unix.Recvmsg(LinkFD, size[:], rights, unix.MSG_CMSG_CLOEXEC); n == 0 && err == nil {
			return 0, io.EOF
		} else if err != nil && !errors.Is(err, unix.EINTR) {
			return 0, err
		}
	}
	if _, err := io.ReadFull(s.link, size[n:]); err != nil {
		return 0, err
	}
	length := binary.BigEndian.Uint32(size[:])
	if length > maxSpec {
		return 0, errors.New("its spec is too large")
	}
	data := make([]byte, length)
	if _, err := io.ReadFull(s.link, data); err != nil {
		return 0, err
	}
	return oobn, json.Unmarshal(data, v)
}

// stage does what needs no command.
func (s *supervisor) stage() error {
	switch st := &s.spec.Stage; {
	case st.Strong:
		if err := st.stageRoot(); err != nil {
			return err
		}
		if err := loopbackUp(); err != nil {
			return fmt.Errorf("bring the loopback up: %w", err)
		}
	case st.Own:
		if err := st.coverRoot(); err != nil {
			return err
		}
	default:
		if err := becomeReaper(); err != nil {
			return err
		}
	}
	// Nobody of the same user looks into or traces this process from here on.
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return fmt.Errorf("PR_SET_DUMPABLE: %w", err)
	}
	return nil
}

// prepare does for the command what needs the process's rights, and tells the program.
func (s *supervisor) prepare() error {
	listener := -1
	ready := Ready{Landlock: LandlockVersion()}
	if s.spec.Strong {
		if err := s.spec.enterRoot(); err != nil {
			return err
		}
		if s.spec.Proxy != 0 {
			var err error
			if listener, err = listen(s.spec.Proxy); err != nil {
				return fmt.Errorf("listen for the proxy: %w", err)
			}
			defer unix.Close(listener)
		}
	} else if s.spec.Own {
		if err := s.spec.uncoverWorkspace(); err != nil {
			return err
		}
	}
	if err := s.spec.setLimits(); err != nil {
		return fmt.Errorf("set resource limits: %w", err)
	}
	return s.send(ready, listener)
}

// becomeReaper makes this process the parent of whatever its descendants leave behind.
func becomeReaper() error {
	if _, err := os.Stat("/proc/thread-self/children"); err != nil {
		return fmt.Errorf("the kernel does not list the children of processes (CONFIG_PROC_CHILDREN): %w", err)
	}
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("become the reaper: %w", err)
	}
	return nil
}

// send writes one line, with a descriptor if there is one.
func (s *supervisor) send(v any, fd int) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	var rights []byte
	if fd >= 0 {
		rights = unix.UnixRights(fd)
	}
	return unix.Sendmsg(LinkFD, append(data, '\n'), rights, nil, 0)
}

// watchLink ends everything when the program has closed its end, or has ended.
func (s *supervisor) watchLink() {
	var b [1]byte
	_, _ = s.link.Read(b[:])
	s.endAll()
	os.Exit(0)
}

// run starts the command from a confined thread and waits for it, and for what it leaves.
func (s *supervisor) run() End {
	started := make(chan End, 1)
	pids := make(chan int, 1)
	go func() {
		// The thread is never given back: the command dies with it, and nothing else may run on it.
		runtime.LockOSThread()
		if err := s.spec.confineThread(); err != nil {
			started <- End{Err: err.Error()}
		} else if s.spec.Probe != nil {
			started <- End{Attempts: s.spec.Probe.try()}
		} else if pid, err := s.spec.start(); err != nil {
			started <- End{Err: err.Error()}
		} else {
			pids <- pid
		}
		select {}
	}()
	select {
	case end := <-started:
		return end
	case pid := <-pids:
		stop := make(chan struct{})
		go s.watchTree(stop)
		end := s.wait(pid)
		close(stop)
		s.endAll()
		s.mu.Lock()
		defer s.mu.Unlock()
		end.Over = s.over
		return end
	}
}

// start executes the command, as the thread that calls is confined. In a session of its own the kernel
// gives it a share of the processors as a whole, however many it becomes.
func (s *Spec) start() (pid int, err error) {
	return syscall.ForkExec(s.Path, s.Argv, &syscall.ProcAttr{
		Dir:   s.Dir,
		Env:   s.Env,
		Files: []uintptr{0, 1, 2},
		Sys:   &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL},
	})
}

// wait reaps until the command has ended.
func (s *supervisor) wait(pid int) End {
	for {
		var status unix.WaitStatus
		got, err := unix.Wait4(-1, &status, 0, nil)
		switch {
		case err == unix.EINTR:
		case err != nil:
			return End{Code: -1, Err: "wait: " + err.Error()}
		case got == pid && status.Signaled():
			return End{Code: 128 + int(status.Signal()), Signal: int(status.Signal())}
		case got == pid:
			return End{Code: status.ExitStatus()}
		}
	}
}
