package confine

import (
	"os"
	"sync/atomic"
)

// mainCalled is whether this program can be its own supervisor. It is the process's, as
// internal/isolate's is.
var mainCalled atomic.Bool

// MainCalled reports whether Main was called.
func MainCalled() bool { return mainCalled.Load() }

// Main supervises a command and exits, if this process was started for that. In any other process it returns at once.
// It belongs at the very top of main, and of TestMain.
func Main() {
	mainCalled.Store(true)
	if _, ok := os.LookupEnv(Marker); !ok {
		return
	}
	os.Unsetenv(Marker)
	os.Exit(supervise())
}
