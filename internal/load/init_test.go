package main

import (
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"testing"
)

// TestInit weighs what this module's packages make before main: every worker process has it too, and most of it is of no
// use there. What only the program needs is made when it is first used.
func TestInit(t *testing.T) {
	const most = 300_000 // bytes; 165,000 to 210,000 are taken, most of them programs of JavaScript that workers run
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	sum := 0
	// init samkit.dev/host @6.9 ms, 0.12 ms clock, 8192 bytes, 300 allocs
	for _, m := range regexp.MustCompile(`(?m)^init (samkit\.dev/\S+) @.* (\d+) bytes,`).FindAllSubmatch(out, -1) {
		n, err := strconv.Atoi(string(m[2]))
		if err != nil {
			t.Fatal(err)
		}
		if sum += n; n > 4096 {
			t.Logf("%s makes %d bytes", m[1], n)
		}
	}
	if sum == 0 || sum > most {
		t.Errorf("%d bytes are made before main", sum)
	}
}
