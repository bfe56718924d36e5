package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/evanw/esbuild/pkg/api"
)

// TestScripts runs the tests of what the page computes: that a merge of random texts loses no line, and
// that printed values are read back. The page's build has Node for npm; so have its tests.
func TestScripts(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil && os.Getenv("CI") == "" {
		t.Skip("Node is not installed")
	}
	ui, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"merge_test.ts", "printed_test.ts"} {
		r := api.Build(api.BuildOptions{
			AbsWorkingDir: ui, EntryPoints: []string{"gen/" + name}, Bundle: true, Format: api.FormatESModule, Platform: api.PlatformNode, Target: api.ES2022,
		})
		if len(r.Errors) > 0 {
			t.Fatal(r.Errors)
		}
		script := filepath.Join(t.TempDir(), name+".mjs")
		if err := os.WriteFile(script, r.OutputFiles[0].Contents, 0o644); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command(node, script).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}
