package wasi_test

import (
	"slices"
	"strings"
	"testing"

	"samkit.dev/wasi"
)

// help NAME tells of every command, and so does its --help where it is ours.
func TestHelp(t *testing.T) {
	app := project(t, nil)
	for _, name := range shared().Commands() {
		got := script(t.Context(), shared(), "help "+name, wasi.Cmd{Files: app})
		if first, _, _ := strings.Cut(got.out, "\n"); got.code != 0 || len(got.out) < 20 || !strings.Contains(strings.ToLower(first), "usage") {
			t.Errorf("help %s: exit code %d, %q %q", name, got.code, got.out, got.err)
		}
	}
	for _, name := range []string{"cd", "alias", "export", "for", "history"} {
		if got := script(t.Context(), shared(), "help "+name, wasi.Cmd{Files: app}); got.code != 0 || !strings.Contains(got.out, name) {
			t.Errorf("help %s: exit code %d, %q", name, got.code, got.out)
		}
	}
	for _, script2 := range []string{"ls --help | head -n 1", "xargs --help | head -n 1", "yq --help | head -n 1", "env --help | head -n 1"} {
		if got := script(t.Context(), shared(), script2, wasi.Cmd{Files: app}); got.code != 0 || !strings.HasPrefix(got.out, "usage: ") {
			t.Errorf("%s: exit code %d, %q", script2, got.code, got.out)
		}
	}
	// What is given to another command is not for the first.
	if got := script(t.Context(), shared(), "env echo --help; echo ls | xargs -n1 echo --help", wasi.Cmd{Files: app}); !strings.Contains(got.out, "--help ls") {
		t.Errorf("an argument of another command: %q", got.out)
	}
	if got := script(t.Context(), shared(), "help nothing-like-this", wasi.Cmd{Files: app}); got.code != 1 || got.out != "" || !strings.Contains(got.err, "nothing-like-this") {
		t.Errorf("of what there is none: %+v", got)
	}
	if got := script(t.Context(), shared(), "help", wasi.Cmd{Files: app}); !slices.Contains(strings.Fields(got.out), "yq") {
		t.Errorf("the list: %q", got.out)
	}
}
