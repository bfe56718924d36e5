//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package sam

import (
	"errors"
	"os"
)

// lockFile refuses: without a lock two programs could write the same folder.
func lockFile(*os.File) (bool, error) { return false, errors.ErrUnsupported }
