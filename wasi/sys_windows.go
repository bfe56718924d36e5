package wasi

import "syscall"

func statSys() any { return &syscall.Win32FileAttributeData{} }
