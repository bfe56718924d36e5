//go:build amd64 || arm64

package sqlshim

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
)

// These tests have the disk fail at each call in turn, and the power go before
// each. SAMKIT_FAULT_SHARE says at what share of the calls, in percent; the
// default is a random choice that takes a few seconds.

var faultKinds = map[string]iofault.Plan{
	"EIO":              {Ops: iofault.Changes, For: 1, Errno: syscall.EIO},
	"EIO for a while":  {Ops: iofault.Changes, For: 5, Errno: syscall.EIO},
	"short write":      {Ops: iofault.Growth, For: 2, Errno: syscall.ENOSPC, Short: true},
	"full for a while": {Ops: iofault.Growth, For: 12, Errno: syscall.ENOSPC, Short: true},
	"sync":             {Ops: iofault.Sync | iofault.SyncDir, For: 1, Errno: syscall.EIO},
	"read":             {Ops: iofault.Read | iofault.Open, For: 1, Errno: syscall.EIO},
}

// eachCall runs fn for call 1, 2, 3 … or a random choice, until it returns false.
func eachCall(t *testing.T, share float64, fn func(at int) bool) {
	if s := os.Getenv("SAMKIT_FAULT_SHARE"); s != "" {
		n, err := strconv.ParseFloat(s, 64)
		if err != nil {
			t.Fatal(err)
		}
		share = n / 100
	}
	for at := 1; ; at++ {
		if rand.Float64() >= share {
			at += rand.IntN(int(2/share) + 1)
		}
		if !fn(at) {
			return
		}
	}
}

func TestFaults(t *testing.T) {
	for _, kind := range []string{"file", "bolt"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			p, runs, began := iofault.Start(t), 0, time.Now()
			for name, plan := range faultKinds {
				eachCall(t, 0.03, func(at int) bool {
					runs++
					plan.At = at
					return faultRun(t, p, kind, name, plan)
				})
			}
			t.Logf("%d runs in %v", runs, time.Since(began).Round(time.Millisecond))
		})
	}
}

// TestPowerLoss has the power go before each call that changes something, half
// of the time after a call to make something durable has failed.
func TestPowerLoss(t *testing.T) {
	for _, kind := range []string{"file", "bolt"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			p, runs, began := iofault.Start(t), 0, time.Now()
			for _, left := range []iofault.Left{iofault.Least, iofault.Names, iofault.Mixed} {
				for _, sync := range []bool{false, true} {
					eachCall(t, 0.03, func(at int) bool {
						plan := iofault.Plan{CrashAt: at, Left: left}
						if sync {
							plan.Ops, plan.Errno = iofault.Sync|iofault.SyncDir, syscall.EIO
							plan.At, plan.For = 1+rand.IntN(max(at/4, 1)), 1+rand.IntN(3)
						}
						runs++
						return faultRun(t, p, kind, "power loss, leaving "+left.String(), plan)
					})
				}
			}
			t.Logf("%d runs in %v", runs, time.Since(began).Round(time.Millisecond))
		})
	}
}

// faultRun runs the writer once and looks at what it left. It reports whether
// anything failed.
func faultRun(t *testing.T, p *iofault.Process, kind, name string, plan iofault.Plan) bool {
	t.Helper()
	// In memory if there is such a place: what is looked at does not need a disk.
	top, err := os.MkdirTemp("/dev/shm", "samkit-fault-")
	if err != nil {
		top = t.TempDir()
	}
	defer os.RemoveAll(top)
	dir := filepath.Join(top, kind)
	plan.Image = filepath.Join(top, "image")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	seed := rand.Uint64()
	var steps []faultStep
	trace := p.Run(t, dir, seed, plan, &steps)
	left := dir
	if plan.CrashAt > 0 {
		if trace.Calls < plan.CrashAt {
			return false
		}
		left = plan.Image
	}
	lasts, err := checkSteps(steps, plan)
	if err == nil {
		err = checkLeft(kind, left, lasts)
	}
	if err != nil {
		show := ""
		for _, s := range steps {
			show += fmt.Sprintf("\t%+v\n", s)
		}
		t.Errorf("%s at call %d, %s, failing %d from %d, seed %d: %v\n%s", name, plan.CrashAt, trace.Hit, plan.For, plan.At, seed, err, show)
	}
	return trace.Hit != ""
}

// checkSteps returns which transactions may be the newest after steps, or what
// is wrong about what they showed.
func checkSteps(steps []faultStep, plan iofault.Plan) ([]int, error) {
	lasts, bad := []int{0}, 0
	for _, s := range steps {
		switch {
		case s.Wrong != "":
			return nil, fmt.Errorf("after %d: %s", s.N, s.Wrong)
		case s.Untyped:
			return nil, fmt.Errorf("the error of %d has no type", s.N)
		case s.Err == "":
			lasts = []int{s.N}
		default:
			bad++
			lasts = append(lasts, s.N)
		}
		if s.ReadErr != "" {
			if s.ReadErr != s.Err { // else it could not be opened
				bad++
			}
		} else if !slices.Contains(lasts, s.Last) {
			return nil, fmt.Errorf("after %d the newest is %d, not one of %v", s.N, s.Last, lasts)
		}
	}
	if plan.CrashAt > 0 {
		return lasts, nil
	}
	if bad > 2*plan.For {
		return nil, fmt.Errorf("%d steps failed for %d calls", bad, plan.For)
	}
	if end := steps[len(steps)-1]; bad > plan.For && (end.Err != "" || end.ReadErr != "") {
		return nil, fmt.Errorf("the disk was well again, the database was not")
	}
	return lasts, nil
}

// checkLeft opens what was left.
func checkLeft(kind, dir string, lasts []int) error {
	ctx := context.Background()
	w, err := openCrash(ctx, kind, filepath.Join(dir, "store"))
	if err != nil {
		return err
	}
	defer w.close()
	last, err := readFaults(ctx, w.db)
	if err != nil {
		return fmt.Errorf("after it was opened again: %w", err)
	}
	if !slices.Contains(lasts, last) {
		return fmt.Errorf("after it was opened again the newest is %d, not one of %v", last, lasts)
	}
	if err := (faultStep{N: 100, Rows: 10}).run(ctx, w.db); err != nil {
		return fmt.Errorf("after it was opened again: %w", err)
	}
	return w.intact(ctx)
}
