package task

import (
	"context"
	"fmt"
	"strings"
)

// A Ground is where a task works: a project ([Project]) or a directory ([Dir]).
type Ground interface {
	// begin reads the files of now into s.
	begin(ctx context.Context, s *sandbox) error
	// promote writes the named files as they are in want, all or none, and returns those in which it
	// kept changes of others. The error is a *ConflictError if there are some that it can't keep.
	promote(ctx context.Context, s *sandbox, names []string, want map[string]entry) (merged []string, err error)
}

// A ConflictError reports files that others changed while the task ran, where both changes can't be kept. It
// matches [ErrConflict]. Nothing was written.
type ConflictError struct{ Names []string }

func (e *ConflictError) Error() string {
	return fmt.Sprintf("%v: %s", ErrConflict, strings.Join(e.Names, ", "))
}

// Is reports whether target is ErrConflict.
func (e *ConflictError) Is(target error) bool { return target == ErrConflict }

// What promoting does with one file.
type verdict int

const (
	write verdict = iota + 1
	leave         // it is already what the task made it
	clash
)

// judge compares a file at the beginning, as the task wants it and as it is now; nil is no file. The
// entry is what is to be written.
func (s *sandbox) judge(base, want, now *entry, load func() ([]byte, error)) (verdict, *entry, error) {
	same := func(a, b *entry) bool { return a == nil && b == nil || a != nil && b != nil && *a == *b }
	switch {
	case same(now, want):
		return leave, nil, nil
	case same(now, base):
		return write, want, nil
	case base == nil || want == nil || now == nil || base.link() || want.link() || now.link() || base.mode != now.mode && base.mode != want.mode:
		return clash, nil, nil
	}
	a, err := s.blobs.get(base.hash)
	if err != nil {
		return 0, nil, err
	}
	b, err := s.blobs.get(want.hash)
	if err != nil {
		return 0, nil, err
	}
	c, err := load()
	if err != nil {
		return 0, nil, err
	}
	data, ok := merge(a, b, c)
	if !ok || hashOf(c) != now.hash {
		return clash, nil, nil
	}
	e := entry{size: int64(len(data)), mode: want.mode}
	if base.mode == want.mode {
		e.mode = now.mode
	}
	e.hash, err = s.blobs.put(data)
	return write, &e, err
}
