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
		name, given := strings.CutPrefix(name, "given ")
		name, _, _ = strings.Cut(name, ":")
		got := script(t.Context(), shared(), "command -v "+name, wasi.Cmd{Files: app})
		switch {
		case given && got.code == 0:
			t.Errorf("%s is there; it is listed as given from above", name)
		case given:
		case got.code != 0:
			t.Errorf("%s is missing", name)
		default:
			n++
		}
	}
	t.Logf("%d commands of the list are there; there are %d in all", n, len(shared().Commands()))
}
