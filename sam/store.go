package sam

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"time"
)

// A Version is an opaque token for one state of a key. It is never used
// again for that key, not even after a delete or [Store.Drop].
type Version string

// Conditions for [Op.If]. The zero Version is Absent, so that an Op
// without a condition can create but never overwrite.
const (
	Absent Version = ""
	Any    Version = "*"
)

// Bounds of what a [Space] holds, in bytes. More gives [ErrTooLarge].
const (
	MaxKey   = 4 << 10
	MaxValue = 1 << 20 // larger contents go to [Blobs]
)

var (
	// ErrConflict reports a write whose condition no longer holds.
	ErrConflict = errors.New("sam: conflict")
	// ErrTooLarge reports a key or a value that a Space does not hold.
	ErrTooLarge = errors.New("sam: too large")
)

// A SizeError is an [ErrTooLarge] that says what was too large.
type SizeError struct {
	What string // "key" or "value"
	Key  string // cut to 64 bytes
	Size int64  // in bytes
	Max  int64
}

func (e *SizeError) Error() string {
	return fmt.Sprintf("sam: %s of %d bytes for key %q: at most %d fit", e.What, e.Size, e.Key, e.Max)
}

// Is reports whether target is ErrTooLarge.
func (e *SizeError) Is(target error) bool { return target == ErrTooLarge }

// An Entry describes a stored key.
type Entry struct {
	Key     string
	Version Version
	Size    int64 // of the value, in bytes
	ModTime time.Time
}

// An Op writes or deletes one key if its condition holds. Deleting a key that
// is missing changes nothing and is no error.
type Op struct {
	Key    string
	Value  []byte // not retained
	Delete bool
	If     Version
}

// CheckOps reports why no store may apply ops: a key that is empty, too long or
// named twice, a value that is too large or given to a delete. Every store
// calls it first in Commit.
func CheckOps(ops []Op) error {
	for i := range ops {
		if err := ops[i].check(); err != nil {
			return err
		}
	}
	if len(ops) < 2 {
		return nil
	}
	seen := make(map[string]bool, len(ops))
	for i := range ops {
		if seen[ops[i].Key] {
			return fmt.Errorf("sam: commit names key %q twice", short(ops[i].Key))
		}
		seen[ops[i].Key] = true
	}
	return nil
}

func (op *Op) check() error {
	switch {
	case op.Key == "":
		return errors.New("sam: commit of an empty key")
	case len(op.Key) > MaxKey:
		return &SizeError{What: "key", Key: short(op.Key), Size: int64(len(op.Key)), Max: MaxKey}
	case len(op.Value) > MaxValue:
		return &SizeError{What: "value", Key: short(op.Key), Size: int64(len(op.Value)), Max: MaxValue}
	case op.Delete && len(op.Value) > 0:
		return fmt.Errorf("sam: delete of key %q with a value", short(op.Key))
	}
	return nil
}

// short cuts a key for a message.
func short(key string) string { return key[:min(len(key), 64)] }

// A Space is everything one project owns: small values ordered by the bytes of
// their keys. Methods may be called concurrently. A space exists while it holds
// a key; there is nothing to create.
type Space interface {
	// Get returns a copy that the caller may keep, or fs.ErrNotExist.
	Get(ctx context.Context, key string) ([]byte, Entry, error)

	// List yields the entries of the keys that start with prefix and are greater
	// than after, in the order of their bytes. It holds no lock while yielding:
	// the loop may write, and keys that change meanwhile are seen or not.
	List(ctx context.Context, prefix, after string) iter.Seq2[Entry, error]

	// Commit applies all ops or none, durably. It returns the new version of each
	// op's key, Absent for a delete. If a condition does not hold the error matches
	// ErrConflict. Conditions are about the state before the commit.
	Commit(ctx context.Context, ops ...Op) ([]Version, error)
}

// Blobs keeps immutable contents under their SHA-256 in lower-case hex.
// Methods may be called concurrently.
type Blobs interface {
	// Put stores what r holds, durably. Contents that are there already become
	// as young as new ones.
	Put(ctx context.Context, r io.Reader) (hash string, size int64, err error)
	// Open returns the contents, or fs.ErrNotExist. The caller closes them.
	Open(ctx context.Context, hash string) (io.ReadSeekCloser, error)
	Has(ctx context.Context, hash string) (bool, error)
	// Sweep removes the contents last put before olderThan for which live reports
	// false, and returns how many. No lock is held while live runs; it may call
	// the store.
	Sweep(ctx context.Context, live func(hash string) bool, olderThan time.Time) (int, error)
}

// A Renewer is a Blobs that does what Put of contents that are there does,
// knowing only their hash. If they are missing the error matches fs.ErrNotExist.
type Renewer interface {
	Renew(ctx context.Context, hash string) error
}

// A Store is the storage of a program. Only authors of backends implement it;
// they prove it with package storetest.
type Store interface {
	// Space returns the space of a name, which may be any string. It does no I/O.
	Space(name string) Space
	// Spaces yields the names of the spaces that exist, like Space.List.
	Spaces(ctx context.Context, prefix, after string) iter.Seq2[string, error]
	// Drop removes a space. Dropping a missing one is no error.
	Drop(ctx context.Context, space string) error
	Blobs() Blobs
	// Close releases the store. Later calls give errors matching fs.ErrClosed;
	// closing twice does nothing.
	Close() error
}

// A Viewer is a Space that can show one moment. The Space given to fn is only
// read, and only until fn returns. fn must be quick and call nothing that writes.
type Viewer interface {
	View(ctx context.Context, fn func(Space) error) error
}

// A Watcher is a Space that reports commits, in order, by any process.
//
// Watch reports what is committed after it was called, until ctx ends or the
// loop does. An entry whose Version is Absent was deleted; the zero Entry
// reports [Store.Drop]. A reader that is slower than the writers misses old
// versions of a key, never the newest. The only error is that of a store that
// was closed or lost; it comes last.
type Watcher interface {
	Watch(ctx context.Context, prefix string) iter.Seq2[Entry, error]
}

// A Counter is a Space that says cheaply whether it may have changed.
//
// Changes is a number that differs from an earlier one if anything in the space
// changed in between. It has grown when Commit or Drop returns, and soon after
// another process made a change. It does no I/O in the usual case, since it
// is asked on every request. Without it projects read one key instead.
type Counter interface {
	Changes() uint64
}
