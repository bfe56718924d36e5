package main

import "golang.org/x/sys/unix"

// lowerPriority has a process that just started, with all threads it will have, give way to others.
func lowerPriority(pid, nice int) { _ = unix.Setpriority(unix.PRIO_PROCESS, pid, nice) }
