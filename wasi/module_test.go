package wasi_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"samkit.dev/sam"
	"samkit.dev/wasi"
)

// guest is testdata/guest, compiled for WASI.
var guest = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "guest")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", filepath.Join(dir, "guest.wasm"), "./testdata/guest")
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm")
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, out)
	}
	return os.ReadFile(filepath.Join(dir, "guest.wasm"))
})

// hosted returns a runner that has guest as a command, and a file of the machine that no command may reach.
func hosted(t *testing.T) (r *wasi.Runner, canary string) {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil && os.Getenv("CI") == "" {
		t.Skip("the machine has no go to compile a module with")
	}
	code, err := guest()
	if err != nil {
		t.Fatal(err)
	}
	host := t.TempDir()
	t.Setenv("TMPDIR", host)
	canary = filepath.Join(host, "canary")
	if err := os.WriteFile(canary, []byte("LEAKED"), 0o644); err != nil {
		t.Fatal(err)
	}
	r, err = wasi.New(&wasi.Options{
		Memory: 24 << 20, Timeout: 10 * time.Minute, Output: 64 << 10,
		Modules: map[string][]byte{
			"guest": code, "junk": make([]byte, 100<<20), "empty": {},
			// A function that begins by itself and loops, a table of 2^32-1, a memory of 4 GiB.
			"begins": []byte("\x00asm\x01\x00\x00\x00\x01\x04\x01\x60\x00\x00\x03\x02\x01\x00\x08\x01\x00\x0a\x09\x01\x07\x00\x03\x40\x0c\x00\x0b\x0b"),
			"table":  []byte("\x00asm\x01\x00\x00\x00\x04\x08\x01\x70\x00\xff\xff\xff\xff\x0f"),
			"memory": []byte("\x00asm\x01\x00\x00\x00\x05\x05\x01\x00\x80\x80\x04"),
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r, canary
}

// Modules of an embedder are commands like the others.
func TestModules(t *testing.T) {
	r, _ := hosted(t)
	app := project(t, sam.Files{"a.txt": "one\n"})
	if got := run(t.Context(), r, wasi.Cmd{Files: app, Args: []string{"guest", "exit", "42"}}); got.code != 42 {
		t.Errorf("exit: %+v", got)
	}
	got := script(t.Context(), r, `guest copy <a.txt | tr a-z A-Z >b.txt; cat b.txt; guest exit 3; echo $?; command -v guest; set -o pipefail; guest flood | head -n 1; echo $?`, wasi.Cmd{Files: app})
	if got.out != "ONE\n3\n/bin/guest\nflood\n141\n" {
		t.Errorf("in a script: %+v", got)
	}
	if got := run(t.Context(), r, wasi.Cmd{Files: app, Args: []string{"guest", "fault"}}); got.code != 2 || !strings.Contains(got.err, "nil pointer") {
		t.Errorf("fault: exit code %d, %.200s", got.code, got.err)
	}
	pr, pw := io.Pipe()
	defer pw.Close()
	for _, what := range []string{"loop", "sleep", "copy"} {
		ctx, cancel := context.WithCancel(t.Context())
		timer := time.AfterFunc(50*time.Millisecond, cancel)
		got := run(ctx, r, wasi.Cmd{Files: app, Args: []string{"guest", what}, Stdin: pr})
		timer.Stop()
		cancel()
		if got.code != 130 || !errors.Is(got.why, context.Canceled) {
			t.Errorf("%s: %v", what, got.why)
		}
	}
}

// The traps of the hostile corpus by their numbers, and those that an interpreter of shells brings: each with a file of
// the machine that nobody may read or write, a folder that is watched for pipes, and a look at what is open.
func TestTraps(t *testing.T) {
	r, canary := hosted(t)
	files := sam.Files{"a.txt": "one\n"}
	if got := run(t.Context(), r, wasi.Cmd{Files: project(t, files), Args: []string{"guest", "exit", "0"}}); got.code != 0 {
		t.Fatal(got) // compiled
	}
	before := len(openFiles(t))
	check := watchFolder(filepath.Dir(canary))
	cmd := func(args ...string) func(*testing.T) result {
		return func(t *testing.T) result {
			return run(t.Context(), r, wasi.Cmd{Files: project(t, files), Args: args, Env: []string{"CANARY=" + canary}})
		}
	}
	sh := func(text string) func(*testing.T) result {
		return func(t *testing.T) result {
			return script(t.Context(), r, strings.ReplaceAll(text, "CANARY", canary), wasi.Cmd{Files: project(t, files)})
		}
	}
	silent := func(got result) bool { return got.out == "" }
	failed := func(got result) bool { return got.code > 0 }
	for _, trap := range []struct {
		name string
		run  func(*testing.T) result
		well func(result) bool
	}{
		{"172 a symlink out, written through", cmd("guest", "links"), func(got result) bool {
			for _, what := range []string{"symlink", "hard link", "create through"} {
				if strings.Contains(got.out, what) {
					return false
				}
			}
			return got.code == 0
		}},
		{"172 ln", sh(`ln -s CANARY link; ln -s ../../../../CANARY link; ln CANARY link; cp -s CANARY link; echo x >link; [ -L link ] || echo none; rm link`), func(got result) bool { return got.out == "none\n" }},
		{"173 a symlink that is there", func(t *testing.T) result {
			there := readOnly{fstest.MapFS{"link": {Data: []byte(canary), Mode: fs.ModeSymlink | 0o777}, "dir": {Data: []byte("/"), Mode: fs.ModeSymlink | 0o777}, "a.txt": {Data: []byte("x")}}}
			return script(t.Context(), r, "ls; cat link; cat dir"+canary+"; echo dir/*", wasi.Cmd{Files: there})
		}, func(got result) bool { return got.out == "a.txt\ndir/*\n" }},
		{"174 names that lead out", cmd("guest", "names"), silent},
		{"174 mv", sh(`mv a.txt ../x; mv a.txt CANARY; mv .. b; mv a.txt /bin/ls; mkdir d; mv d ../..; ls /project/a.txt`), func(got result) bool { return got.out == "/project/a.txt\n" }},
		{"175 numbers of files", cmd("guest", "numbers"), func(got result) bool { return !strings.Contains(got.out, "closed") }},
		{"175 too many files", cmd("guest", "files"), func(got result) bool { return strings.HasPrefix(got.out, "stopped") }},
		{"176 creating through a folder that is a symlink", sh(`ln -s /tmp d; echo x >d/x; ln -s ` + filepath.Dir(canary) + ` d; echo x >d/canary; ls d 2>/dev/null`), silent},
		{"177 memory", cmd("guest", "grow"), failed},
		{"177 memory from the start", cmd("memory"), failed},
		{"178 recursion", cmd("guest", "recurse"), failed},
		{"178 a module of 100 MB", cmd("junk"), func(got result) bool { return got.code == 126 }},
		{"178 an empty module", cmd("empty"), func(got result) bool { return got.code == 126 }},
		{"178 a table of 2^32", cmd("table"), failed},
		{"178 a start function that loops", func(t *testing.T) result {
			ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
			defer cancel()
			return run(ctx, r, wasi.Cmd{Files: project(t, nil), Args: []string{"begins"}})
		}, func(got result) bool { return got.code == 124 }},
		{"179 output without end", cmd("guest", "flood"), func(got result) bool { return got.code == 141 && len(got.out) < 65<<10 }},
		{"180 names that are swapped", cmd("guest", "swap"), func(result) bool { return true }},
		{"180 files that may not be written", func(t *testing.T) result {
			return run(t.Context(), r, wasi.Cmd{Files: readOnly{fstest.MapFS{"a.txt": {Data: []byte("x")}}}, Args: []string{"guest", "swap"}, Env: []string{"CANARY=" + canary}})
		}, func(got result) bool { return errors.Is(got.why, fs.ErrPermission) || got.code >= 0 }},
		{"process substitution makes no pipe", sh(`cat <(echo a) <(cat <(echo b)); diff <(seq 3) <(seq 3) && echo same`), func(got result) bool { return got.out == "a\nb\nsame\n" }},
		{"names of the interpreter's own pipes", sh(`for d in /tmp ` + filepath.Dir(canary) + ` /dev/null/samkit; do echo x >$d/sh-interp-1; cat $d/sh-interp-1; done; TMPDIR=` + filepath.Dir(canary) + `; cat <(echo y)`), func(got result) bool { return got.out == "x\ny\n" }},
		{"homes of users", sh(`echo ~root ~nobody ~` + os.Getenv("USER") + `x`), func(got result) bool { return strings.HasPrefix(got.out, "~root ~nobody ~") }},
		{"command -v and type", sh(`command -v CANARY; type CANARY; PATH=` + filepath.Dir(canary) + `; command -v canary; type canary; . canary; canary`), silent},
		{"numbers of processes and users", sh(`echo $$ $PPID $UID $EUID $HOME`), func(got result) bool { return got.out == "2 1 1000 1000 /project\n" }},
		{"reading the machine", sh(`cat CANARY; cat <CANARY; echo $(<CANARY); . CANARY; mapfile x <CANARY; [ -e CANARY ] && echo there; awk 1 CANARY; jq -R . CANARY; sqlite3 CANARY .dump 2>/dev/null | grep LEAK; tar cf - CANARY | grep LEAK; find / -name canary`), func(got result) bool { return strings.TrimSpace(got.out) == "" }},
	} {
		if each > 1 && trap.name == "178 recursion" {
			continue // it fills its memory, slowly
		}
		t.Run(trap.name, func(t *testing.T) {
			done := watchHeap(1 << 30)
			got := trap.run(t)
			if most, over := done(); over {
				t.Errorf("the heap has grown by %d MiB", most>>20)
			}
			if !trap.well(got) {
				t.Errorf("exit code %d, %v\n%.500s\n%.500s", got.code, got.why, got.out, got.err)
			}
			if strings.Contains(got.out+got.err, "LEAKED") {
				t.Errorf("the machine's file got out: %.500s", got.out)
			}
			if data, err := os.ReadFile(canary); string(data) != "LEAKED" {
				t.Fatalf("the machine's file is %q, %v", data, err)
			}
		})
	}
	if seen := check(); len(seen) > 1 {
		t.Errorf("in the machine's folder there was %v", seen)
	}
	for deadline := time.Now().Add(30 * time.Second); len(openFiles(t)) > before; time.Sleep(20 * time.Millisecond) {
		if runtime.GC(); time.Now().After(deadline) {
			t.Fatalf("%d files are open, before it were %d: %v", len(openFiles(t)), before, openFiles(t))
		}
	}
}

// watchFolder notes all names that are ever seen in a folder of the machine.
func watchFolder(dir string) (done func() map[string]bool) {
	quit, result := make(chan struct{}), make(chan map[string]bool)
	go func() {
		seen := map[string]bool{}
		for {
			entries, _ := os.ReadDir(dir)
			for _, e := range entries {
				seen[e.Name()] = true
			}
			select {
			case <-quit:
				result <- seen
				return
			case <-time.After(time.Millisecond):
			}
		}
	}()
	return func() map[string]bool { close(quit); return <-result }
}
