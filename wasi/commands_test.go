package wasi_test

import (
	"os"
	"strings"
	"testing"

	"samkit.dev/wasi"
)

// What agents expect to find is there.
func TestCommandList(t *testing.T) {
	data, err := os.ReadFile("testdata/commands.txt")
	if err != nil {
		t.Fatal(err)
	}
	app := project(t, nil)
	n := 0
	for line := range strings.Lines(string(data)) {
		name := strings.TrimSpace(line)
		if name == "" || name[0] == '#' {
			continue
		}
		name, later := strings.CutPrefix(name, "later ")
		name, _, _ = strings.Cut(name, ":")
		got := script(t.Context(), shared(), "command -v "+name, wasi.Cmd{Files: app})
		if there := got.code == 0 && !later; there {
			n++
		} else if got.code == 0 && name != "history" {
			t.Errorf("%s is there; it is listed as to come later", name)
		} else if !later {
			t.Errorf("%s is missing", name)
		}
	}
	t.Logf("%d commands of the list are there; there are %d in all", n, len(shared().Commands()))
}
