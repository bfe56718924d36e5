//go:build unix

package box

import (
	"errors"
	"syscall"
)

func defaultPath() string { return "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin" }

func systemEnvironment() []string { return nil }

func isNotDir(err error) bool { return errors.Is(err, syscall.ENOTDIR) }
