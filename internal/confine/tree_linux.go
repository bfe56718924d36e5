//go:build amd64 || arm64

package confine

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// watchEvery is how long a command may be above its limits, and glanceEvery how long one that multiplies.
	watchEvery  = 40 * time.Millisecond
	glanceEvery = 4 * time.Millisecond
)

// watchTree ends the command when it and its descendants are too many or use too much. How many
// threads the machine runs costs one system call, so it looks at once when those grow by as many as the command may have.
func (s *supervisor) watchTree(stop chan struct{}) {
	tick := time.NewTicker(glanceEvery)
	defer tick.Stop()
	began, looked := threads(), time.Now()
	for {
		select {
		case <-stop:
			return
		case <-tick.C:
		}
		if time.Since(looked) < watchEvery && threads()-began < s.spec.Processes {
			continue
		}
		looked = time.Now()
		over := ""
		tree := s.tree()
		switch {
		case len(tree) > s.spec.Processes:
			over = OverProcesses
		case s.spec.Memory > 0 && resident(tree) > s.spec.Memory:
			over = OverMemory
		default:
			continue
		}
		s.mu.Lock()
		s.over = over
		s.mu.Unlock()
		s.killAll()
		return
	}
}

// threads is how many there are on the machine.
func threads() int {
	var info unix.Sysinfo_t
	if unix.Sysinfo(&info) != nil {
		return 0
	}
	return int(info.Procs)
}

// tree returns all processes that the command has become: all others of a namespace, or all below this one.
func (s *supervisor) tree() []int {
	if !s.spec.Strong && !s.spec.Own {
		return descendants()
	}
	d, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer d.Close()
	names, _ := d.Readdirnames(-1)
	var all []int
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil && pid != os.Getpid() {
			all = append(all, pid)
		}
	}
	return all
}

// descendants returns all processes below this one. Since it is the reaper, none ever leaves.
func descendants() []int {
	var all []int
	for next := []int{os.Getpid()}; len(next) > 0; {
		pid := next[len(next)-1]
		next = next[:len(next)-1]
		kids := children(pid)
		all = append(all, kids...)
		next = append(next, kids...)
	}
	return all
}

// children returns the children of all threads of a process.
func children(pid int) []int {
	dir := fmt.Sprintf("/proc/%d/task", pid)
	d, err := os.Open(dir)
	if err != nil {
		return nil
	}
	threads, _ := d.Readdirnames(-1)
	d.Close()
	var all []int
	for _, t := range threads {
		list, err := os.ReadFile(dir + "/" + t + "/children")
		if err != nil {
			continue
		}
		for f := range bytes.FieldsSeq(list) {
			if n, err := strconv.Atoi(string(f)); err == nil {
				all = append(all, n)
			}
		}
	}
	return all
}

// resident is the memory of processes that they do not share, in bytes.
func resident(pids []int) int64 {
	var sum int64
	for _, pid := range pids {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
		if err != nil {
			continue
		}
		f := bytes.Fields(b)
		if len(f) < 3 {
			continue
		}
		all, err1 := strconv.ParseInt(string(f[1]), 10, 64)
		shared, err2 := strconv.ParseInt(string(f[2]), 10, 64)
		if err1 == nil && err2 == nil {
			sum += max(0, all-shared)
		}
	}
	return sum * int64(os.Getpagesize())
}

// killAll sends SIGKILL to all descendants. The first of a process namespace reaches all at once.
// Elsewhere they are stopped until there is none that still runs: what forks faster than it is killed would stay.
func (s *supervisor) killAll() {
	if s.spec.Strong || s.spec.Own {
		_ = unix.Kill(-1, unix.SIGKILL)
		return
	}
	stopped := make(map[int]bool)
	for range 1000 {
		fresh := false
		for _, pid := range descendants() {
			if !stopped[pid] {
				stopped[pid], fresh = true, true
				_ = unix.Kill(pid, unix.SIGSTOP)
			}
		}
		if !fresh {
			break
		}
	}
	for pid := range stopped {
		_ = unix.Kill(pid, unix.SIGKILL)
	}
}

// endAll kills all descendants and reaps them.
func (s *supervisor) endAll() {
	for s.reap() {
		s.killAll()
		time.Sleep(time.Millisecond)
	}
}

// reap takes those that have ended, and reports whether there are others.
func (s *supervisor) reap() bool {
	for {
		pid, err := unix.Wait4(-1, nil, unix.WNOHANG, nil)
		switch {
		case err == unix.EINTR:
		case err != nil:
			return false // ECHILD
		case pid == 0:
			return true
		}
	}
}
