//go:build amd64 || arm64

package isolate

import (
	"errors"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// deadlyAttempts end the worker; all others get EPERM, or what is here.
var deadlyAttempts = map[string]bool{
	"exec": true, "execveat": true, "fork": true, "newuser": true, "ptrace": true,
	"readmem": true, "mmapexec": true, "mprotexec": true, "mprotwx": true, "unshare": true, "mount": true, "bpf": true,
	"iouring": true, "userfault": true, "perf": true, "keyctl": true, "module": true,
	"x32": true, "vfork": true, "iopl": true,
}

func TestSandboxRefuses(t *testing.T) {
	s := newSpawner(t)
	c := newCaller(start(t, s, nil))
	all := slices.Concat(slices.Collect(maps.Keys(attempts)), slices.Collect(maps.Keys(attemptsArch)))
	slices.Sort(all)
	for _, name := range all {
		if deadlyAttempts[name] {
			p := start(t, s, nil)
			if got, err := newCaller(p).call(frameDo, "try "+name); err == nil {
				t.Errorf("%s: got %s, want the end", name, got)
				p.Kill(nil)
			} else if exit := waitExit(t, p, name); exit.Cause != Syscall {
				t.Errorf("%s: ended with %v, want a forbidden system call", name, exit)
			}
			continue
		}
		want := "EPERM"
		if name == "clone3" {
			want = "ENOSYS"
		}
		got, err := c.call(frameDo, "try "+name)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
	if got, err := c.call(frameEcho, "still here"); err != nil || got != "still here" {
		t.Errorf("after all that: %q, %v", got, err)
	}
}

// TestSandboxCompiles holds what a compiler may do more: one thing.
func TestSandboxCompiles(t *testing.T) {
	s := newSpawner(t)
	for _, name := range []string{"mmapexec", "mprotwx", "exec"} {
		p := start(t, s, &Options{Compiles: true})
		if got, err := newCaller(p).call(frameDo, "try "+name); err == nil {
			t.Errorf("%s: got %s, want the end", name, got)
			p.Kill(nil)
		} else if exit := waitExit(t, p, name); exit.Cause != Syscall {
			t.Errorf("%s: ended with %v, want a forbidden system call", name, exit)
		}
	}
	got, err := newCaller(start(t, s, &Options{Compiles: true})).call(frameDo, "try mprotexec")
	if err != nil || got != "nothing" {
		t.Errorf("mprotexec: %q, %v", got, err)
	}
}

func TestSandboxManyThreads(t *testing.T) {
	c := newCaller(start(t, newSpawner(t), nil))
	for range 3 {
		if got, err := c.call(frameDo, "goroutines 12"); err != nil || got != "joined" {
			t.Fatalf("%q, %v", got, err)
		}
	}
}

func TestSandboxEndlessThreads(t *testing.T) {
	exit := endOf(t, newSpawner(t), &Options{Memory: 4 << 30}, "threads 400")
	if exit.Cause != Killed || !errors.Is(exit, ErrThreads) {
		t.Error(exit)
	}
}

func TestConfinedStatus(t *testing.T) {
	levels(t, func(t *testing.T, l Level) {
		p := start(t, newSpawner(t), &Options{Level: l, Nice: 5})
		b := readProc(t, p.PID(), "status")
		for _, want := range []string{"Name:\tsamkit-worker"} {
			if !strings.Contains(b, want) {
				t.Errorf("no %q in status", want)
			}
		}
		filtered := strings.Contains(b, "Seccomp:\t2") && strings.Contains(b, "NoNewPrivs:\t1")
		if filtered != (l == Sandboxed) {
			t.Errorf("filtered: %v", filtered)
		}
		own, err := strconv.Atoi(strings.Fields(readProc(t, os.Getpid(), "stat"))[18])
		if err != nil {
			t.Fatal(err)
		}
		if got, want := strings.Fields(readProc(t, p.PID(), "stat"))[18], strconv.Itoa(min(own+5, 19)); got != want {
			t.Errorf("nice %s, want %s", got, want)
		}
		if got := readProc(t, p.PID(), "oom_score_adj"); got != "1000\n" {
			t.Errorf("oom_score_adj %q", got)
		}
	})
}
