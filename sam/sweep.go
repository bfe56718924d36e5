package sam

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"
)

// sweepAge is how old a blob is before it may be removed. Within that time who
// put it has named it.
const sweepAge = time.Hour

// Sweep removes the blobs of s that no project needs any more, neither now nor
// for a checkpoint, and returns how many. It reads the names of all files of all projects, while they are in use.
// A program that keeps a store for long calls it now and then, say every night.
// Blobs younger than an hour always stay.
//
// A program that uses the store's Blobs for things of its own must not call it.
func Sweep(ctx context.Context, s Store) (int, error) {
	return sweep(ctx, s, time.Now().Add(-sweepAge))
}

// sweep is Sweep of blobs older than a time. What is put from now on is too
// young, so the time is taken first.
func sweep(ctx context.Context, s Store, olderThan time.Time) (int, error) {
	live := map[string]bool{}
	for name, err := range s.Spaces(ctx, "", "") {
		if err == nil {
			err = needed(ctx, s.Space(name), live)
		}
		if err != nil {
			return 0, fmt.Errorf("sam: sweep: %w", err)
		}
	}
	n, err := s.Blobs().Sweep(ctx, func(hash string) bool { return live[hash] }, olderThan)
	if err != nil {
		return n, fmt.Errorf("sam: sweep: %w", err)
	}
	return n, nil
}

// needed adds the blobs that a space names.
func needed(ctx context.Context, s Space, live map[string]bool) error {
	if v, ok := s.(Viewer); ok {
		return view(ctx, v, func(s Space) error { return addNeeded(ctx, s, live) })
	}
	// A file that is renamed while it is listed may be seen under neither name.
	for range commitTries {
		before, err := headVersion(ctx, s)
		if err == nil {
			err = addNeeded(ctx, s, live)
		}
		if err != nil {
			return err
		}
		after, err := headVersion(ctx, s)
		if err != nil || after == before {
			return err
		}
	}
	return fmt.Errorf("a project changes faster than it can be read: %w", ErrConflict)
}

func headVersion(ctx context.Context, s Space) (Version, error) {
	_, e, err := s.Get(ctx, headKey)
	if errors.Is(err, fs.ErrNotExist) {
		return Absent, nil
	}
	return e.Version, err
}

func addNeeded(ctx context.Context, s Space, live map[string]bool) error {
	for _, prefix := range []string{claimPrefix, largePrefix} {
		for e, err := range s.List(ctx, prefix, "") {
			if err != nil {
				return err
			}
			if hash, _, ok := parseClaim(e.Key, prefix); ok {
				live[hash] = true
			}
		}
	}
	for e, err := range s.List(ctx, filePrefix, "") {
		if err != nil {
			return err
		}
		if e.Size != blobRecord {
			continue
		}
		value, _, err := s.Get(ctx, e.Key)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		if r, err := parseRecord(strings.TrimPrefix(e.Key, filePrefix), value); err == nil && r.blob {
			live[r.Hash] = true
		}
	}
	return nil
}
