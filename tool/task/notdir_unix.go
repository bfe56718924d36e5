//go:build unix

package task

import "syscall"

// errNotDir is what a name below a file gives.
var errNotDir error = syscall.ENOTDIR
