package sam

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"strconv"
	"strings"
	"time"
)

// A State is where kv and sqlshim keep a project's data: small values in the
// Space, those over MaxValue in Blobs, by hash. It sees nothing else of the
// project: a key starts with "kv/" or "db/", any other is refused. Once the
// project is deleted it gives errors matching fs.ErrNotExist.
//
// Both count what is written against [Limits]: Space keys and values,
// Blobs their contents, those below "kv/" and all contents for KV too. Each
// written key and byte counts as new; when a sum reaches its limit, or an eighth
// of it after the last count, what is really there is counted, in at most a
// twentieth of the time, or once a second. So a limit may be passed by an eighth
// for each handle that writes, and room that was made is found within a second.
// Deleting is always possible.
//
// A database of several keys writes "db/<name>/head" with each change of one below
// "db/<name>/". [Project.Restore] does so too: who holds part of a database in
// memory finds out by that key's version that it is of the past.
//
// Blobs opens what this project's state has put, and nothing else of the store.
// A value below "kv/" that needs a blob ends with its hash, as text. A
// binding that no longer needs a blob says so by Blobs.Sweep, whose live
// is asked about this project's blobs only; [Sweep] removes them from the store.
type State struct {
	Space Space
	Blobs Blobs
}

// State returns the project's state.
func (p *Project) State() State {
	if p.changes != nil {
		return State{countedSpace{stateSpace{p}}, stateBlobs{p}}
	}
	return State{stateSpace{p}, stateBlobs{p}}
}

type stateSpace struct{ p *Project }

// countedSpace is the state in a space that counts its changes. It may report
// one where only files changed.
type countedSpace struct{ stateSpace }

// Changes implements [Counter].
func (s countedSpace) Changes() uint64 { return s.p.changes.Changes() }

// usable reports that the project is gone, or that a key is none of the state.
func (s stateSpace) usable(ctx context.Context, key string) error {
	if !strings.HasPrefix(key, kvPrefix) && !strings.HasPrefix(key, dbPrefix) {
		return fmt.Errorf("sam: key %q of a project's state starts with neither %q nor %q", short(key), kvPrefix, dbPrefix)
	}
	_, err := s.p.index(ctx)
	return err
}

func (s stateSpace) Get(ctx context.Context, key string) ([]byte, Entry, error) {
	if err := s.usable(ctx, key); err != nil {
		return nil, Entry{}, err
	}
	return s.p.space.Get(ctx, key)
}

func (s stateSpace) List(ctx context.Context, prefix, after string) iter.Seq2[Entry, error] {
	if err := s.usable(ctx, prefix); err != nil {
		return func(yield func(Entry, error) bool) { yield(Entry{}, err) }
	}
	return s.p.space.List(ctx, prefix, after)
}

func (s stateSpace) Commit(ctx context.Context, ops ...Op) ([]Version, error) {
	var n stateSize
	for _, op := range ops {
		if err := s.usable(ctx, op.Key); err != nil {
			return nil, err
		}
		if !op.Delete {
			n.add(op.Key, int64(len(op.Value)))
		}
	}
	if n != (stateSize{}) {
		if err := s.p.reserve(ctx, n); err != nil {
			return nil, err
		}
	}
	s.p.gate().RLock()
	defer s.p.gate().RUnlock()
	versions, err := s.p.space.Commit(ctx, ops...)
	s.p.settle(n, err == nil)
	return versions, err
}

// stateBlobs notes in the project's space which blobs its state has put, so that
// they are counted, copied and kept.
type stateBlobs struct{ p *Project }

// claimKey is the key below prefix that says that the project needs a blob.
func claimKey(prefix, hash string, size int64) string {
	return prefix + hash + "/" + strconv.FormatInt(size, 10)
}

func parseClaim(key, prefix string) (hash string, size int64, ok bool) {
	rest, ok := strings.CutPrefix(key, prefix)
	if !ok {
		return "", 0, false
	}
	hash, digits, ok := strings.Cut(rest, "/")
	size, err := strconv.ParseInt(digits, 10, 64)
	return hash, size, ok && err == nil && size >= 0
}

func (b stateBlobs) Put(ctx context.Context, r io.Reader) (string, int64, error) {
	if _, err := b.p.index(ctx); err != nil {
		return "", 0, err
	}
	m := &metered{ctx: ctx, p: b.p, r: r}
	hash, size, err := b.p.ws.store.Blobs().Put(ctx, m)
	if err == nil {
		b.p.gate().RLock()
		_, err = b.p.space.Commit(ctx, Op{Key: claimKey(claimPrefix, hash, size), If: Any})
		b.p.gate().RUnlock()
	}
	b.p.settle(blobSize(m.n), err == nil)
	if err != nil {
		return "", 0, err
	}
	return hash, size, nil
}

func (b stateBlobs) Open(ctx context.Context, hash string) (io.ReadSeekCloser, error) {
	claimed, err := b.claimed(ctx, hash)
	if err != nil {
		return nil, err
	}
	if !claimed {
		return nil, fmt.Errorf("sam: blob %q of the state of project %q: %w", short(hash), b.p.id, fs.ErrNotExist)
	}
	return b.p.ws.store.Blobs().Open(ctx, hash)
}

func (b stateBlobs) Has(ctx context.Context, hash string) (bool, error) {
	claimed, err := b.claimed(ctx, hash)
	if err != nil || !claimed {
		return false, err
	}
	return b.p.ws.store.Blobs().Has(ctx, hash)
}

// claimed reports whether the project's state has put a blob. The state may be of a
// package that somebody made by hand, to read by its hash what another project has.
func (b stateBlobs) claimed(ctx context.Context, hash string) (bool, error) {
	if _, err := b.p.index(ctx); err != nil {
		return false, err
	}
	if !validHash(hash) {
		return false, nil
	}
	for _, err := range b.p.space.List(ctx, claimPrefix+hash+"/", "") {
		return err == nil, err
	}
	return false, nil
}

// Sweep gives up the project's blobs for which live reports false.
func (b stateBlobs) Sweep(ctx context.Context, live func(string) bool, olderThan time.Time) (int, error) {
	if _, err := b.p.index(ctx); err != nil {
		return 0, err
	}
	n := 0
	for e, err := range b.p.space.List(ctx, claimPrefix, "") {
		if err != nil {
			return n, err
		}
		hash, _, ok := parseClaim(e.Key, claimPrefix)
		if !ok || !e.ModTime.Before(olderThan) || live(hash) {
			continue
		}
		// If it was put again meanwhile its claim is a new version.
		_, err := b.p.space.Commit(ctx, Op{Key: e.Key, Delete: true, If: e.Version})
		if errors.Is(err, ErrConflict) {
			continue
		}
		if err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// A metered reader reserves what it reads.
type metered struct {
	ctx context.Context // of one Put
	p   *Project
	r   io.Reader
	n   int64
}

func (m *metered) Read(p []byte) (int, error) {
	n, err := m.r.Read(p)
	if n > 0 {
		if err := m.p.reserve(m.ctx, blobSize(int64(n))); err != nil {
			return 0, err
		}
		m.n += int64(n)
	}
	return n, err
}
