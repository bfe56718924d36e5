//go:build unix && !linux

package isolate

import (
	"time"

	"golang.org/x/sys/unix"
)

// patience is zero where a call cannot be made without the runtime.
const patience time.Duration = 0

func setPatience(int) error { return nil }

func readSoon(int, []byte) (int, error) { return 0, unix.EAGAIN }
