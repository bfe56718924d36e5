package sam

import (
	"os"

	"golang.org/x/sys/unix"
)

// canSyncAll says that syncAll works here.
const canSyncAll = true

// syncAll makes everything on the file system of a directory durable.
func syncAll(root *os.Root) error {
	f, err := root.Open(".")
	if err != nil {
		return err
	}
	defer f.Close()
	return os.NewSyscallError("syncfs", unix.Syncfs(int(f.Fd())))
}
