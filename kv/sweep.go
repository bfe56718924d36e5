package kv

import (
	"context"
	"errors"
	"fmt"
	"time"

	"samkit.dev/sam"
)

// Sweep gives up the large values that no key of any namespace in s has any
// more and that are older than a time, and returns how many. A minute ago is
// safe while others put. s is from sam.Project.State: Blobs that several
// projects share would lose those of the others.
//
// A Put that meets the project's limit sweeps by itself; a host may do it from
// time to time.
func Sweep(ctx context.Context, s sam.State, olderThan time.Time) (int, error) {
	live := make(map[string]bool)
	for e, err := range s.Space.List(ctx, spacePrefix, "") {
		if err != nil {
			return 0, fmt.Errorf("kv: sweep: %w", err)
		}
		// Anything larger holds its value itself.
		if e.Size > maxReference {
			continue
		}
		data, _, err := s.Space.Get(ctx, e.Key)
		if err != nil {
			continue // deleted since it was listed
		}
		if r, err := decode(data); err == nil && r.hash != "" {
			live[r.hash] = true
		}
	}
	n, err := s.Blobs.Sweep(ctx, func(hash string) bool { return live[hash] }, olderThan)
	if err != nil {
		return n, fmt.Errorf("kv: sweep: %w", err)
	}
	return n, nil
}

const (
	sweepEvery = 10 * time.Second
	sweepAge   = 30 * time.Second // of a blob whose record is not yet written, at the very most
)

// makeRoom sweeps if err is about a limit and reports whether a second try is
// worth while.
func (n *Namespace) makeRoom(ctx context.Context, err error) bool {
	var limit *sam.LimitError
	if !errors.As(err, &limit) {
		return false
	}
	now := n.now()
	last := n.swept.Load()
	if now.UnixNano()-last < int64(sweepEvery) || !n.swept.CompareAndSwap(last, now.UnixNano()) {
		return false
	}
	if swept, err := Sweep(ctx, n.state, now.Add(-sweepAge)); err != nil || swept == 0 {
		return false
	}
	// A project counts what it holds at most once a second.
	select {
	case <-time.After(1100 * time.Millisecond):
		return true
	case <-ctx.Done():
		return false
	}
}
