package isolate

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// handlesVariable gives a worker the two handles of its link, to read and to
// write.
const handlesVariable = "SAMKIT_LINK"

func probeProcess() error { return nil }

func systemEnvironment() []string {
	return []string{"SYSTEMROOT=" + os.Getenv("SYSTEMROOT")} // without it a program cannot start
}

// startChild runs on the spawner's thread.
func startChild(o *Options) (*child, error) {
	var opened []io.Closer
	fail := func(err error) (*child, error) {
		for _, c := range opened {
			c.Close()
		}
		return nil, err
	}
	var ends [6]*os.File // of three pipes: to read, to write
	for i := 0; i < len(ends); i += 2 {
		r, w, err := os.Pipe()
		if err != nil {
			return fail(err)
		}
		ends[i], ends[i+1] = r, w
		opened = append(opened, r, w)
	}
	theirIn, ourOut, ourIn, theirOut, stderr, theirStderr := ends[0], ends[1], ends[2], ends[3], ends[4], ends[5]
	proc, err := startProcess(o, theirIn, theirOut, theirStderr)
	if err != nil {
		return fail(err)
	}
	m, err := newMeter(proc)
	if err == nil {
		if err = m.limit(o.Memory); err != nil {
			m.close()
		}
	}
	if err != nil {
		killChild(proc)
		proc.Wait()
		return fail(err)
	}
	theirIn.Close()
	theirOut.Close()
	theirStderr.Close()
	return &child{os: proc, conn: &pipeConn{in: ourIn, out: ourOut}, stderr: stderr, meter: m}, nil
}

func startProcess(o *Options, in, out, stderr *os.File) (*os.Process, error) {
	path, argv := "", o.Command
	var err error
	if len(argv) == 0 {
		path, err = os.Executable()
		argv = []string{path}
	} else if path, err = exec.LookPath(argv[0]); err == nil {
		path, err = filepath.Abs(path)
	}
	if err != nil {
		return nil, err
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer null.Close()
	handles := []syscall.Handle{syscall.Handle(in.Fd()), syscall.Handle(out.Fd())}
	for _, h := range handles {
		if err := windows.SetHandleInformation(windows.Handle(h), windows.HANDLE_FLAG_INHERIT, windows.HANDLE_FLAG_INHERIT); err != nil {
			return nil, fmt.Errorf("inherit link: %w", err)
		}
	}
	env := append(environment(o), fmt.Sprintf("%s=%d %d", handlesVariable, handles[0], handles[1]))
	return os.StartProcess(path, argv, &os.ProcAttr{
		Env:   env,
		Files: []*os.File{null, stderr, stderr},
		Sys: &syscall.SysProcAttr{
			AdditionalInheritedHandles: handles,
			HideWindow:                 true,
			CreationFlags:              windows.CREATE_NEW_PROCESS_GROUP,
		},
	})
}

// limit puts the process into a job of its own: it may not start others, may
// not use more memory than limit, and ends when the parent does, because the
// job's only handle then closes.
func (m *meter) limit(memory int64) error {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return fmt.Errorf("create job: %w", err)
	}
	err = setJobLimits(job, memory)
	if err == nil {
		err = windows.AssignProcessToJobObject(job, m.process)
	}
	if err != nil {
		windows.CloseHandle(job)
		return fmt.Errorf("limit process: %w", err)
	}
	m.job = job
	return nil
}

func setJobLimits(job windows.Handle, memory int64) error {
	var info windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	info.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE |
		windows.JOB_OBJECT_LIMIT_ACTIVE_PROCESS | windows.JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION
	info.BasicLimitInformation.ActiveProcessLimit = 1
	if memory > 0 {
		info.BasicLimitInformation.LimitFlags |= windows.JOB_OBJECT_LIMIT_PROCESS_MEMORY
		info.ProcessMemoryLimit = uintptr(overhead * memory)
	}
	_, err := windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation, uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)))
	return err
}

func killChild(p *os.Process) { _ = p.Kill() }

func awaitExit(p *os.Process) *os.ProcessState {
	st, _ := p.Wait()
	return st
}

// killedCode is the exit code that Process.Kill gives.
const killedCode = 1

func classify(st *os.ProcessState) ending {
	switch {
	case st == nil:
		return endedByKill
	case st.ExitCode() == killedCode:
		return endedByKill
	case uint32(st.ExitCode()) >= 0xC0000000: // an exception, such as an access violation
		return endedByFault
	}
	return endedByItself
}

// A pipeConn is the parent's end of two pipes, which cannot be polled.
type pipeConn struct{ in, out *os.File }

func (c *pipeConn) Read(p []byte) (int, error)     { return c.in.Read(p) }
func (c *pipeConn) Write(p []byte) (int, error)    { return c.out.Write(p) }
func (c *pipeConn) tryWrite(p []byte) (int, error) { return 0, nil }
func (c *pipeConn) Close() error                   { return errors.Join(c.in.Close(), c.out.Close()) }

func hurry(conn) {} // the other ends are nobody else's

func setLimits(config) error { return nil } // the job's

func closeInherited() error { return nil } // the list of handles was exact

// openLink finds the worker's ends of the pipes.
func openLink() (*Link, error) {
	f := strings.Fields(os.Getenv(handlesVariable))
	os.Unsetenv(handlesVariable)
	if len(f) != 2 {
		return nil, errors.New("it has no link")
	}
	r, err1 := strconv.ParseUint(f[0], 10, 64)
	w, err2 := strconv.ParseUint(f[1], 10, 64)
	if err := errors.Join(err1, err2); err != nil {
		return nil, err
	}
	t := &pipeTransport{out: os.NewFile(uintptr(w), "link"), chunks: make(chan []byte), done: make(chan struct{})}
	go t.receive(os.NewFile(uintptr(r), "link"))
	return newLink(t), nil
}

var errTimeout = os.ErrDeadlineExceeded

// A pipeTransport reads on a goroutine, because pipes have no deadlines. It
// lives as long as the process.
type pipeTransport struct {
	out    *os.File
	chunks chan []byte
	rest   []byte
	done   chan struct{} // closed after err is set
	err    error
}

func (t *pipeTransport) receive(in *os.File) {
	defer close(t.done)
	for {
		buf := make([]byte, inboxSize)
		n, err := in.Read(buf)
		if n > 0 {
			t.chunks <- buf[:n]
		}
		if err != nil {
			if errors.Is(err, windows.ERROR_BROKEN_PIPE) {
				err = io.EOF
			}
			t.err = err
			return
		}
	}
}

func (t *pipeTransport) read(p []byte, deadline time.Time) (int, error) {
	var late <-chan time.Time
	if !deadline.IsZero() && len(t.rest) == 0 {
		timer := time.NewTimer(time.Until(deadline))
		defer timer.Stop()
		late = timer.C
	}
	if len(t.rest) == 0 {
		select {
		case t.rest = <-t.chunks:
		case <-t.done:
			return 0, t.err
		case <-late:
			return 0, errTimeout
		}
	}
	n := copy(p, t.rest)
	t.rest = t.rest[n:]
	return n, nil
}

func (t *pipeTransport) write(p []byte) error {
	_, err := t.out.Write(p)
	return err
}
