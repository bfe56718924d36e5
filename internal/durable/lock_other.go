//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package durable

import (
	"errors"
	"os"
)

// Lock refuses: without a lock two programs could write the same folder.
func Lock(*os.File) (bool, error) { return false, errors.ErrUnsupported }
