package wasi_test

import (
	"bytes"
	"strings"
	"testing"

	"samkit.dev/wasi"
)

// history lists what a shell has run, as bash does.
func TestHistory(t *testing.T) {
	var out bytes.Buffer
	sh, err := shared().NewShell(&wasi.Cmd{Files: project(t, nil), Stdout: &out, Stderr: &out})
	if err != nil {
		t.Fatal(err)
	}
	run := func(line string) string {
		out.Reset()
		if err := sh.Run(t.Context(), line); err != nil {
			t.Errorf("%s: %v: %s", line, err, out.String())
		}
		return out.String()
	}
	run("x=1")
	run(" secret=2")
	run("for i in a; do\n:\ndone\n")
	if got, want := run("history"), "    1  x=1\n    2  for i in a; do\n:\ndone\n    3  history\n"; got != want {
		t.Errorf("history: %q, want %q", got, want)
	}
	if got, want := run("history 2 | tr a-z A-Z"), "    3  HISTORY\n    4  HISTORY 2 | TR A-Z A-Z\n"; got != want {
		t.Errorf("history 2: %q, want %q", got, want)
	}
	if got := run("type history; command -v history; sh -c history") + run("history() { echo mine; }; history"); got != "history is a shell builtin\nhistory\nmine\n" {
		t.Errorf("history as a command: %q", got)
	}
	run("unset -f history; history -c")
	for range 1200 {
		if err := sh.Run(t.Context(), "  :"); err != nil {
			t.Fatal(err)
		}
	}
	if got := run("history"); got != "    1  history\n" {
		t.Errorf("after -c: %q", got)
	}
	if out.Reset(); sh.Run(t.Context(), "history many") == nil || !strings.Contains(out.String(), "numeric") {
		t.Errorf("history many: %q", out.String())
	}
}
