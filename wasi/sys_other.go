//go:build !unix && !windows

package wasi

func statSys() any { return nil }
