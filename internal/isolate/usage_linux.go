package isolate

import (
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// A meter reads what a process uses, in three system calls.
type meter struct {
	clock int32 // of the process's CPU time
	statm int   // /proc/PID/statm, kept open
	page  int64
	tasks string // /proc/PID/task, which has a link for each thread
}

func newMeter(p *os.Process) (meter, error) {
	fd, err := unix.Open(fmt.Sprintf("/proc/%d/statm", p.Pid), unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return meter{}, fmt.Errorf("read /proc: %w", err)
	}
	// clock_getcpuclockid(3): the complement of the id, and the scheduler's clock (2).
	return meter{clock: int32(^p.Pid)<<3 | 2, statm: fd, page: int64(os.Getpagesize()), tasks: fmt.Sprintf("/proc/%d/task", p.Pid)}, nil
}

func (m *meter) read() (Usage, error) {
	var ts unix.Timespec
	if err := unix.ClockGettime(m.clock, &ts); err != nil {
		return Usage{}, fmt.Errorf("isolate: CPU time: %w", err)
	}
	var buf [128]byte
	n, err := unix.Pread(m.statm, buf[:], 0)
	if err != nil {
		return Usage{}, fmt.Errorf("isolate: memory: %w", err)
	}
	_, resident, shared, _, err := parseStatm(buf[:n])
	if err != nil {
		return Usage{}, err
	}
	var st unix.Stat_t
	if err := unix.Stat(m.tasks, &st); err != nil {
		return Usage{}, fmt.Errorf("isolate: threads: %w", err)
	}
	return Usage{
		CPU:     time.Duration(ts.Nano()),
		Memory:  max(0, resident-shared) * m.page,
		Threads: max(0, int(st.Nlink)-2), // besides . and ..
	}, nil
}

// lower sets the process's limits of memory to what it has mapped plus n.
func (m *meter) lower(pid int, n int64) error {
	var buf [128]byte
	k, err := unix.Pread(m.statm, buf[:], 0)
	if err != nil {
		return err
	}
	data, addresses, err := memoryLimits(buf[:k], n)
	if err != nil {
		return err
	}
	if err := (limit{unix.RLIMIT_DATA, data}).lower(pid); err != nil {
		return err
	}
	return limit{unix.RLIMIT_AS, addresses}.lower(pid)
}

func (m *meter) close() { unix.Close(m.statm) }

// parseStatm returns numbers of pages, see proc_pid_statm(5).
func parseStatm(b []byte) (size, resident, shared, data int64, err error) {
	var v [7]int64
	i, digits := 0, 0
	for _, c := range b {
		switch {
		case c >= '0' && c <= '9' && digits < 18 && i < len(v):
			v[i] = v[i]*10 + int64(c-'0')
			digits++
		case (c == ' ' || c == '\n') && digits > 0:
			i, digits = i+1, 0
		default:
			return 0, 0, 0, 0, fmt.Errorf("isolate: malformed statm %.80q", b)
		}
	}
	if i != len(v) {
		return 0, 0, 0, 0, fmt.Errorf("isolate: malformed statm %.80q", b)
	}
	return v[0], v[1], v[2], v[5], nil
}
