package hostile

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
)

// rss is the resident memory of this process in bytes.
func rss() int64 {
	data, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	fields := bytes.Fields(data)
	if len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.ParseInt(string(fields[1]), 10, 64)
	return pages * int64(os.Getpagesize())
}

func openFiles() int {
	list, _ := os.ReadDir("/proc/self/fd")
	return len(list)
}

// children counts the processes that this one started and has not waited for.
func children() int {
	n := 0
	tasks, _ := filepath.Glob("/proc/self/task/*/children")
	for _, f := range tasks {
		data, _ := os.ReadFile(f)
		n += len(bytes.Fields(data))
	}
	return n
}
