//go:build unix

package task

import "syscall"

// nonblock opens a pipe that somebody put in the place of a file without waiting for it.
const nonblock = syscall.O_NONBLOCK
