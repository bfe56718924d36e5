//go:build !linux

package sam

import (
	"errors"
	"os"
)

// canSyncAll says that syncAll works here.
const canSyncAll = false

// syncAll makes everything on the file system of a directory durable.
func syncAll(*os.Root) error { return errors.ErrUnsupported }
