package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// tree returns a process and all that descend from it.
func tree(pid int) []int {
	all := []int{pid}
	for i := 0; i < len(all); i++ {
		tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", all[i]))
		for _, name := range tasks {
			data, _ := os.ReadFile(name) // of one that ended: empty
			for field := range bytes.FieldsSeq(data) {
				if child, err := strconv.Atoi(string(field)); err == nil {
					all = append(all, child)
				}
			}
		}
	}
	return all
}

// cpu is the time that a process itself has run. The kernel counts in 1/100 s.
func cpu(pid int) time.Duration {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	text := string(data)
	fields := strings.Fields(text[strings.LastIndexByte(text, ')')+1:])
	if len(fields) < 13 {
		return 0
	}
	var ticks int64
	for _, f := range fields[11:13] { // utime, stime
		n, _ := strconv.ParseInt(f, 10, 64)
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}

// procField sums fields, such as "VmRSS:", of /proc/PID/FILE, in bytes.
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

// resident is the memory of a process that is in use: its own, and with what it maps of files.
func resident(pid int) (own, all int64, err error) {
	if own, err = procField(pid, "status", "RssAnon:"); err != nil {
		return 0, 0, err
	}
	all, err = procField(pid, "status", "VmRSS:")
	return own, all, err
}

// openFiles and children are this process's.
func openFiles() int {
	list, _ := os.ReadDir("/proc/self/fd")
	return len(list)
}

func children() int { return len(tree(os.Getpid())) - 1 }

const mb = 1 << 20

func inMB(n int64) string { return fmt.Sprintf("%.1f", float64(n)/mb) }
