package box

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

func defaultPath() string {
	root := os.Getenv("SYSTEMROOT")
	return filepath.Join(root, "System32") + ";" + root
}

// systemEnvironment is what no program starts without.
func systemEnvironment() []string {
	return []string{"SYSTEMROOT=" + os.Getenv("SYSTEMROOT"), "PATHEXT=.COM;.EXE;.BAT;.CMD"}
}

func isNotDir(err error) bool {
	return errors.Is(err, syscall.ERROR_PATH_NOT_FOUND) || errors.Is(err, syscall.ENOTDIR)
}
