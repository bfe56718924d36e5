package isolate

import (
	"fmt"
	"os"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// A meter reads what a process uses, and holds the job that limits it.
type meter struct {
	process    windows.Handle
	job        windows.Handle
	memoryInfo *windows.LazyProc
}

// memoryCounters is PROCESS_MEMORY_COUNTERS_EX.
type memoryCounters struct {
	size, pageFaults                                                uint32
	peakWorkingSet, workingSet, peakPagedPool, pagedPool            uintptr
	peakNonPagedPool, nonPagedPool, pagefile, peakPagefile, private uintptr
}

func newMeter(p *os.Process) (meter, error) {
	h, err := windows.OpenProcess(windows.PROCESS_QUERY_INFORMATION|windows.PROCESS_VM_READ|windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(p.Pid))
	if err != nil {
		return meter{}, fmt.Errorf("open process: %w", err)
	}
	get := windows.NewLazySystemDLL("kernel32.dll").NewProc("K32GetProcessMemoryInfo")
	return meter{process: h, memoryInfo: get}, get.Find()
}

func (m *meter) read() (Usage, error) {
	var created, ended, kernel, user windows.Filetime
	if err := windows.GetProcessTimes(m.process, &created, &ended, &kernel, &user); err != nil {
		return Usage{}, fmt.Errorf("isolate: CPU time: %w", err)
	}
	c := memoryCounters{size: uint32(unsafe.Sizeof(memoryCounters{}))}
	if r, _, err := m.memoryInfo.Call(uintptr(m.process), uintptr(unsafe.Pointer(&c)), uintptr(c.size)); r == 0 {
		return Usage{}, fmt.Errorf("isolate: memory: %w", err)
	}
	ticks := int64(kernel.HighDateTime)<<32 + int64(kernel.LowDateTime) + int64(user.HighDateTime)<<32 + int64(user.LowDateTime)
	return Usage{
		CPU:    time.Duration(ticks) * 100, // of 100 ns, as an interval
		Memory: int64(c.private),
	}, nil
}

// lower sets the limit of the job anew.
func (m *meter) lower(pid int, n int64) error { return setJobLimits(m.job, n) }

func (m *meter) close() {
	windows.CloseHandle(m.process)
	if m.job != 0 {
		windows.CloseHandle(m.job)
	}
}
