package boltstore

import (
	"fmt"
	"os"
	"strings"
	"syscall"
)

// holder says who has a lock on a file, in words that follow "in use".
func holder(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return ""
	}
	locks, err := os.ReadFile("/proc/locks")
	if err != nil {
		return ""
	}
	// 1: FLOCK  ADVISORY  WRITE 4242 fd:01:1234567 0 EOF
	inode := fmt.Sprintf(":%d", stat.Ino)
	for line := range strings.Lines(string(locks)) {
		f := strings.Fields(line)
		if len(f) < 6 || f[1] != "FLOCK" || !strings.HasSuffix(f[5], inode) {
			continue
		}
		if f[4] == fmt.Sprint(os.Getpid()) {
			return " by this program"
		}
		name, err := os.ReadFile("/proc/" + f[4] + "/comm")
		if err != nil {
			return " by process " + f[4]
		}
		return fmt.Sprintf(" by process %s (%s)", f[4], strings.TrimSpace(string(name)))
	}
	return ""
}
