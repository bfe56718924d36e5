package isolate

import (
	"errors"
	"fmt"
	"os"
	"strings"
)

// A Cause is why a worker ended.
type Cause uint8

// The causes.
const (
	Exited   Cause = iota + 1 // by itself, with exit code 0
	Killed                    // by Kill; Reason says why
	Memory                    // by its memory limit
	Syscall                   // by a system call that only an attacker makes
	Crashed                   // by a fatal error or an exit code
	Signaled                  // by a signal from elsewhere, such as the system's out-of-memory killer
)

func (c Cause) String() string {
	switch c {
	case Exited:
		return "exited"
	case Killed:
		return "killed"
	case Memory:
		return "out of memory"
	case Syscall:
		return "forbidden system call"
	case Crashed:
		return "crashed"
	case Signaled:
		return "killed from outside"
	}
	return fmt.Sprintf("Cause(%d)", uint8(c))
}

// An ExitError says why a worker ended.
type ExitError struct {
	PID    int
	Cause  Cause
	Reason error  // of Kill, or nil; Unwrap returns it
	Status string // as the system tells it: "exit status 2", "signal: killed"
	Code   int    // exit code, or -1
	Stderr string // beginning and end of what it wrote there
}

func (e *ExitError) Error() string {
	msg := fmt.Sprintf("worker %d: %s", e.PID, e.Cause)
	switch {
	case e.Reason != nil:
		msg += ": " + e.Reason.Error()
	case e.Status != "":
		msg += ": " + e.Status
	}
	if line := firstLine(e.Stderr); line != "" {
		msg += ": " + line
	}
	return msg
}

// Unwrap returns e.Reason.
func (e *ExitError) Unwrap() error { return e.Reason }

// firstLine returns the first line that says something, without what the Go
// runtime puts before it.
func firstLine(s string) string {
	for line := range strings.Lines(s) {
		if line = strings.TrimSpace(line); line != "" {
			return line
		}
	}
	return ""
}

func exitError(pid int, st *os.ProcessState, reason error, stderr string) *ExitError {
	e := &ExitError{PID: pid, Cause: Signaled, Reason: reason, Code: -1, Stderr: stderr}
	if st != nil {
		e.Status, e.Code = st.String(), st.ExitCode()
	}
	switch sig := classify(st); {
	case sig == endedByItself && e.Code == 0:
		e.Cause = Exited
	case sig == endedByItself || sig == endedByFault:
		e.Cause = Crashed
		if saysOutOfMemory(stderr) {
			e.Cause = Memory
		}
	case sig == endedByFilter:
		e.Cause = Syscall
	case errors.Is(reason, ErrMemory):
		e.Cause = Memory
	case reason != nil:
		e.Cause = Killed
	}
	if e.Cause != Killed && !errors.Is(reason, ErrMemory) {
		e.Reason = nil // Kill came after the end
	}
	if e.Cause == Memory {
		e.Reason = ErrMemory
	}
	return e
}

// An ending is how the system says a process ended.
type ending uint8

const (
	endedByItself ending = iota // exit code
	endedByKill                 // SIGKILL and its like
	endedByFault                // SIGSEGV, SIGABRT …
	endedByFilter               // SIGSYS
)

// saysOutOfMemory recognises what the Go runtime and glibc print, the last with
// the race detector. Go's collector does not check whether it got memory for its
// queues of spans, and then uses a nil pointer.
func saysOutOfMemory(stderr string) bool {
	for _, s := range []string{"out of memory", "cannot allocate memory", "Cannot allocate memory", "failed to create new OS thread", "pthread_create failed", "too many address space collisions", "runtime.(*spanQueue)"} {
		if strings.Contains(stderr, s) {
			return true
		}
	}
	return false
}
