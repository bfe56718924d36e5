package arch

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A program that has no use for a command line does not carry its modules: examples/multiuser imports
// package wasi through the workbench, and never makes a Runner.
func TestModulesAreLeftOut(t *testing.T) {
	if testing.Short() {
		t.Skip("links a program")
	}
	program := filepath.Join(t.TempDir(), "program")
	for _, args := range [][]string{{"build", "-o", program, "samkit.dev/examples/multiuser"}, {"tool", "nm", program}} {
		out, err := exec.Command("go", args...).CombinedOutput()
		if err != nil {
			t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		if strings.Contains(string(out), "samkit.dev/wasi/internal/modules.files") {
			t.Error("examples/multiuser holds the modules of package wasi")
		}
	}
}
