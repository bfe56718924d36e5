//go:build unix && !linux

package isolate

import "golang.org/x/sys/unix"

// ownNice returns this process's nice value.
func ownNice() (int, error) { return unix.Getpriority(unix.PRIO_PROCESS, 0) }
