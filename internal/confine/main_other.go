//go:build !linux || !(amd64 || arm64)

package confine

import (
	"fmt"
	"os"
	"runtime"
)

func supervise() int {
	fmt.Fprintf(os.Stderr, "%s is set, but on %s/%s no command can be confined\n", Marker, runtime.GOOS, runtime.GOARCH)
	return 3
}
