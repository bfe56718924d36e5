package isolate

import (
	"fmt"
	"os"
	"runtime"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A meter reads what a process uses with proc_pid_rusage, as ps and top do.
type meter struct{ pid int }

func newMeter(p *os.Process) (meter, error) { return meter{p.Pid}, nil }

// Of libproc: PROC_INFO_CALL_PIDRUSAGE, RUSAGE_INFO_V0 and what it fills in.
const pidRusageCall = 9

type rusageInfoV0 struct {
	uuid                                                           [16]byte
	userTime, systemTime, idleWakeups, interruptWakeups, pageins   uint64
	wiredSize, residentSize, physFootprint, startTime, exitAbsTime uint64
}

func (m *meter) read() (Usage, error) {
	var info rusageInfoV0
	_, _, errno := unix.Syscall6(unix.SYS_PROC_INFO, pidRusageCall, uintptr(m.pid), 0, 0, uintptr(unsafe.Pointer(&info)), 0)
	if errno != 0 {
		return Usage{}, fmt.Errorf("isolate: proc_info: %w", errno)
	}
	cpu := time.Duration(info.userTime + info.systemTime)
	if runtime.GOARCH == "arm64" {
		cpu = cpu * 125 / 3 // Mach ticks of 24 MHz
	}
	return Usage{
		CPU:    cpu,
		Memory: int64(info.physFootprint),
	}, nil
}

func (m *meter) close() {}

// lower has nothing to do: a worker bounds its own memory, see watchSelf.
func (m *meter) lower(pid int, n int64) error { return nil }
