package sqlshim

import (
	"context"
	"errors"
	"slices"
	"testing"

	"samkit.dev/sam"
)

// TestSpaceFails has a space fail at each commit in turn, before the commit or
// after it, and looks at the transactions with the same database and another.
func TestSpaceFails(t *testing.T) {
	broken := errors.New("broken disk")
	for name, c := range map[string]struct {
		err   error
		after bool // the commit is made and reported as failed
		latch bool // for good
	}{
		"disk":     {err: broken},
		"reply":    {err: broken, after: true},
		"limit":    {err: &sam.LimitError{Limit: "StateBytes", Max: 1}},
		"conflict": {err: sam.ErrConflict, latch: true},
		"context":  {err: context.DeadlineExceeded},
	} {
		t.Run(name, func(t *testing.T) {
			for at := int64(1); ; at++ {
				s, st := spy()
				hook := func() error {
					if s.commits.Load() == at {
						return c.err
					}
					return nil
				}
				if c.after {
					s.after = hook
				} else {
					s.fail = func([]sam.Op) error { return hook() }
				}
				db := open(t, st, nil)
				lasts, failed := []int{0}, 0
				for n := 1; n <= 4; n++ {
					err := faultStep{N: n, Rows: 20}.run(t.Context(), db)
					var e *Error
					switch {
					case err == nil && failed > 0 && c.latch:
						t.Fatalf("commit %d: a transaction after a conflict", at)
					case err == nil:
						lasts = []int{n}
					case !errors.Is(err, c.err) || !errors.As(err, &e):
						t.Fatalf("commit %d: %T %v", at, err, err)
					default:
						lasts = append(lasts, n)
						failed++
					}
					if failed > 0 && c.latch {
						continue
					}
					if last, err := readFaults(t.Context(), db); err != nil || !slices.Contains(lasts, last) {
						t.Fatalf("commit %d: the newest is %d, not one of %v, %v", at, last, lasts, err)
					}
				}
				if failed > 1 && !c.latch {
					t.Errorf("commit %d: %d transactions failed", at, failed)
				}
				other := open(t, sam.State{Space: s.Space}, nil)
				if last, err := readFaults(t.Context(), other); err != nil || !slices.Contains(lasts, last) {
					t.Fatalf("commit %d: another sees %d, not one of %v, %v", at, last, lasts, err)
				}
				sound(t, other)
				if failed == 0 {
					return // all of them were tried
				}
			}
		})
	}
}
