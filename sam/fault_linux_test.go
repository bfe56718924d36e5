//go:build amd64 || arm64

package sam_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"samkit.dev/internal/iofault"
	"samkit.dev/sam"
	"samkit.dev/sam/boltstore"
)

// These tests have the disk fail at each call in turn, and the power go before
// each. SAMKIT_FAULT_SHARE says at what share of the calls, in percent; the
// default is a random choice that takes a few seconds.

// A faultKind is a way to fail.
type faultKind struct {
	name string
	plan iofault.Plan
}

var faultKinds = []faultKind{
	{"EIO", iofault.Plan{Ops: iofault.Changes, For: 1, Errno: syscall.EIO}},
	{"EIO for a while", iofault.Plan{Ops: iofault.Changes, For: 5, Errno: syscall.EIO}},
	{"ENOSPC", iofault.Plan{Ops: iofault.Growth, For: 1, Errno: syscall.ENOSPC}},
	{"short write", iofault.Plan{Ops: iofault.Growth, For: 2, Errno: syscall.ENOSPC, Short: true}},
	{"full for a while", iofault.Plan{Ops: iofault.Growth, For: 12, Errno: syscall.ENOSPC, Short: true}},
	{"sync", iofault.Plan{Ops: iofault.Sync | iofault.SyncDir, For: 1, Errno: syscall.EIO}},
	{"sync for a while", iofault.Plan{Ops: iofault.Sync | iofault.SyncDir, For: 3, Errno: syscall.EIO}},
	{"name", iofault.Plan{Ops: iofault.Rename | iofault.Remove | iofault.Mkdir, For: 1, Errno: syscall.EIO}},
	{"read", iofault.Plan{Ops: iofault.Read | iofault.Open, For: 1, Errno: syscall.EIO}},
}

// faultShare is the share of the calls that are tried, from 0 to 1.
func faultShare(t *testing.T, byDefault float64) float64 {
	s := os.Getenv("SAMKIT_FAULT_SHARE")
	if s == "" {
		return byDefault
	}
	n, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n / 100
}

// faultDir makes an empty directory for a store of a kind.
func faultDir(t *testing.T, kind string) (dir, image string) {
	t.Helper()
	// In memory if there is such a place: what is looked at does not need a disk.
	top, err := os.MkdirTemp("/dev/shm", "samkit-fault-")
	if err != nil {
		top = t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(top) })
	dir = filepath.Join(top, kind)
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir, filepath.Join(top, "image")
}

func TestFaults(t *testing.T) {
	for _, kind := range []string{"dir", "bolt"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			p := iofault.Start(t)
			share, runs, began := faultShare(t, 0.02), 0, time.Now()
			for _, f := range faultKinds {
				share := share
				if f.plan.Ops&iofault.Write == 0 {
					share = min(1, 2*share) // there are fewer calls
				}
				for at, more := 1, true; more; at++ {
					if rand.Float64() >= share {
						at += rand.IntN(int(1/share) + 1)
					}
					f.plan.At = at
					more = faultRun(t, p, kind, f, rand.Uint64())
					runs++
				}
			}
			t.Logf("%d runs in %v", runs, time.Since(began).Round(time.Millisecond))
		})
	}
}

// faultRun runs the writer once and looks at what it left. It reports whether
// anything failed.
func faultRun(t *testing.T, p *iofault.Process, kind string, f faultKind, seed uint64) bool {
	t.Helper()
	dir, _ := faultDir(t, kind)
	defer os.RemoveAll(dir)
	var steps []faultStep
	trace := p.Run(t, dir, seed, f.plan, &steps)
	states, err := checkSteps(steps)
	bad := 0
	for _, s := range steps {
		if s.Err != "" {
			bad++
		}
		if s.ReadErr != "" && s.ReadErr != s.Err { // else it could not be opened
			bad++
		}
	}
	if err == nil && bad > max(f.plan.For, 1)*2 {
		err = fmt.Errorf("%d steps failed for %d calls", bad, f.plan.For)
	}
	if end := steps[len(steps)-1]; err == nil && bad > f.plan.For && (end.Err != "" || end.ReadErr != "") {
		err = fmt.Errorf("the disk was well again, the store was not")
	}
	if err == nil {
		err = checkLeft(kind, dir, states, false)
	}
	if err != nil {
		t.Errorf("%s of call %d, %s, seed %d: %v\n%s", f.name, f.plan.At, trace.Hit, seed, err, show(steps))
	}
	return trace.Hit != ""
}

func show(steps []faultStep) (s string) {
	for _, step := range steps {
		s += fmt.Sprintf("\t%+v\n", step)
	}
	return s
}

// checkSteps returns the states that a store may be in after steps, or what is
// wrong about what they showed.
func checkSteps(steps []faultStep) ([]faultState, error) {
	states := []faultState{{}}
	for _, s := range steps {
		if s.Wrong != "" {
			return nil, fmt.Errorf("after %s %d: %s", s.What, s.N, s.Wrong)
		}
		var next []faultState
		for _, now := range states {
			if after := s.after(now); !slices.Contains(next, after) {
				next = append(next, after)
			}
			if s.Err != "" && !slices.Contains(next, now) {
				next = append(next, now)
			}
		}
		states = next
		if s.ReadErr != "" {
			continue
		}
		if !slices.Contains(states, s.State) {
			return nil, fmt.Errorf("after %s %d the state is %v, not one of %v", s.What, s.N, s.State, states)
		}
		if s.Err == "" && (s.What != "restore" || s.State.Kept.Some) { // else nothing was written
			states = []faultState{s.State}
		}
	}
	return states, nil
}

// checkLeft opens what was left.
func checkLeft(kind, dir string, states []faultState, people bool) error {
	ctx := context.Background()
	dir = filepath.Join(dir, "new", "store")
	s, err := openKind(kind, dir)
	if err != nil {
		return err
	}
	defer s.Close()
	if b, ok := s.(*boltstore.Store); ok {
		if err := b.Check(ctx); err != nil {
			return err
		}
	}
	w := sam.NewWorkspace(s, "o", nil)
	state, err := readFaultState(w)
	if err != nil {
		return fmt.Errorf("after it was opened again: %w", err)
	}
	if !slices.Contains(states, state) {
		return fmt.Errorf("after it was opened again the state is %v, not one of %v", state, states)
	}
	if kind == "dir" && people && state.Files > 0 {
		data, err := os.ReadFile(filepath.Join(dir, "o+p", "a", "0"))
		if n, nerr := number(data); err != nil || nerr != nil || n != state.Files {
			return fmt.Errorf("people see number %d, the project has %d: %v, %v", n, state.Files, err, nerr)
		}
	}
	for _, step := range []faultStep{{What: "files", N: 9}, {What: "keys", N: 9}} {
		if err := step.run(s, w); err != nil {
			return fmt.Errorf("after it was opened again: %w", err)
		}
	}
	if state, err := readFaultState(w); err != nil || state.Files != 9 || state.Keys != 9 {
		return fmt.Errorf("after it was opened again and written: %v, %w", state, err)
	}
	return nil
}

// TestPowerLoss has the power go before each call that changes something, once
// after a call to make something durable has failed.
func TestPowerLoss(t *testing.T) {
	for _, kind := range []string{"dir", "bolt"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			p := iofault.Start(t)
			share, runs, began := faultShare(t, 0.04), 0, time.Now()
			for _, left := range []iofault.Left{iofault.Least, iofault.Names, iofault.Mixed} {
				for _, sync := range []bool{false, true} {
					for at, more := 1, true; more; at++ {
						if rand.Float64() >= share {
							at += rand.IntN(int(1/share) + 1)
						}
						plan := iofault.Plan{CrashAt: at, Left: left}
						if sync {
							plan.Ops, plan.Errno = iofault.Sync|iofault.SyncDir, syscall.EIO
							plan.At, plan.For = 1+rand.IntN(max(at/4, 1)), 1+rand.IntN(3)
						}
						more = powerRun(t, p, kind, plan, rand.Uint64())
						runs++
					}
				}
			}
			t.Logf("%d runs in %v", runs, time.Since(began).Round(time.Millisecond))
		})
	}
}

func powerRun(t *testing.T, p *iofault.Process, kind string, plan iofault.Plan, seed uint64) bool {
	t.Helper()
	dir, image := faultDir(t, kind)
	defer os.RemoveAll(dir)
	defer os.RemoveAll(image)
	plan.Image = image
	var steps []faultStep
	trace := p.Run(t, dir, seed, plan, &steps)
	if trace.Calls < plan.CrashAt {
		return false
	}
	states, err := checkSteps(steps)
	if err == nil {
		err = checkLeft(kind, image, states, plan.Left == iofault.Least && plan.At == 0)
	}
	if err != nil {
		t.Errorf("power off before call %d, %s, that leaves %v, after failed syncs %d+%d, seed %d: %v\n%s", plan.CrashAt, trace.Hit, plan.Left, plan.At, plan.For, seed, err, show(steps))
	}
	return true
}
