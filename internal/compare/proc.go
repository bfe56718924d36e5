package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// tree returns a process and all that descend from it.
func tree(pid int) ([]int, error) {
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return nil, err
	}
	children := map[int][]int{}
	for _, name := range stats {
		fields, err := statFields(name)
		if err != nil {
			continue // it ended
		}
		child, _ := strconv.Atoi(filepath.Base(filepath.Dir(name)))
		parent, _ := strconv.Atoi(fields[1])
		children[parent] = append(children[parent], child)
	}
	all := []int{pid}
	for i := 0; i < len(all); i++ {
		all = append(all, children[all[i]]...)
	}
	return all, nil
}

// statFields are those of /proc/PID/stat after the name: the state is the first.
func statFields(name string) ([]string, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	text := string(data)
	fields := strings.Fields(text[strings.LastIndexByte(text, ')')+1:])
	if len(fields) < 20 {
		return nil, fmt.Errorf("%s: %q", name, text)
	}
	return fields, nil
}

// treeCPU is the time that a process and its descendants have run, in user and
// system mode, children that ended included. The kernel counts in 1/100 s.
func treeCPU(pid int) (time.Duration, error) {
	pids, err := tree(pid)
	if err != nil {
		return 0, err
	}
	var ticks int64
	for _, pid := range pids {
		fields, err := statFields(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			continue
		}
		for _, f := range fields[11:15] { // utime, stime, cutime, cstime
			n, err := strconv.ParseInt(f, 10, 64)
			if err != nil {
				return 0, err
			}
			ticks += n
		}
	}
	return time.Duration(ticks) * 10 * time.Millisecond, nil
}

// procField sums a field, such as "VmRSS:", of /proc/PID/FILE, in bytes.
func procField(pid int, file string, names ...string) (int64, error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", pid, file))
	if err != nil {
		return 0, err
	}
	var sum int64
	for line := range strings.Lines(string(data)) {
		fields := strings.Fields(line)
		for _, name := range names {
			if len(fields) == 3 && fields[0] == name {
				kb, err := strconv.ParseInt(fields[1], 10, 64)
				if err != nil {
					return 0, err
				}
				sum += kb << 10
			}
		}
	}
	return sum, nil
}

// private is the memory that a process shares with no other, in bytes.
func private(pid int) (int64, error) {
	return procField(pid, "smaps_rollup", "Private_Clean:", "Private_Dirty:")
}

func resident(pid int) (int64, error) { return procField(pid, "status", "VmRSS:") }

// printMachine says what the figures are of.
func printMachine(ctx context.Context) {
	cpu := "unknown"
	if data, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for line := range strings.Lines(string(data)) {
			if name, ok := strings.CutPrefix(line, "model name"); ok {
				cpu = strings.Trim(name, " \t:\n")
				break
			}
		}
	}
	said := func(name string, args ...string) string {
		out, err := exec.CommandContext(ctx, name, args...).Output()
		if err != nil {
			return "unknown"
		}
		return strings.TrimSpace(string(out))
	}
	load, _ := os.ReadFile("/proc/loadavg")
	fmt.Printf("%s, %d cores, Linux %s, load %s; %s, node %s, samkit %s; %s\n", cpu, runtime.NumCPU(), said("uname", "-r"),
		strings.Join(strings.Fields(string(load))[:3], " "), runtime.Version(), said("node", "--version"), said("git", "describe", "--always", "--dirty"),
		time.Now().UTC().Format(time.DateOnly))
}
