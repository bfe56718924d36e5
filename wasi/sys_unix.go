//go:build unix

package wasi

import "syscall"

func statSys() any { return &syscall.Stat_t{Uid: 1000, Gid: 1000} }
