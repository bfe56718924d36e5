//go:build !linux || !(amd64 || arm64)

package isolate

import (
	"fmt"
	"runtime"
)

func probeFilter() error {
	return fmt.Errorf("there is no system-call filter for %s on %s", runtime.GOOS, runtime.GOARCH)
}

func installFilter(bool) error { return probeFilter() }
