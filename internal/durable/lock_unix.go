//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package durable

import (
	"errors"
	"os"
	"syscall"
)

// Lock takes a lock on an open file that ends with the file, or reports false if another has it.
func Lock(f *os.File) (bool, error) {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}
