// Command samkit-worker is a worker for programs that cannot call engine.Main at the beginning of main:
//
//	engine.New(&engine.Options{Command: []string{"/usr/local/libexec/samkit-worker"}})
//
// Build it from the version of samkit that the program has; engine.New does not check that, but an
// older one may be refused when the first worker starts.
package main

import (
	"fmt"
	"os"

	"samkit.dev/host/engine"
)

func main() {
	engine.Main()
	fmt.Fprintln(os.Stderr, "samkit-worker is started by programs, as engine.Options.Command; there is nothing to do by hand")
	os.Exit(2)
}
