package isolate

import "golang.org/x/sys/unix"

// ownNice returns this process's nice value. The system call gives it as 20 less the value.
func ownNice() (int, error) {
	n, err := unix.Getpriority(unix.PRIO_PROCESS, 0)
	return 20 - n, err
}
