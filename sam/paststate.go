package sam

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"time"
)

// CheckpointState is the state at a checkpoint, to be looked at: a copy in memory, which takes writes and
// forgets them. Values and databases have the keys that they had, so kv.New and sqlshim.Open
// find them. Of more than max bytes there is none, but a [*LimitError]; the copy is of use as long as the
// checkpoint is there. The error matches fs.ErrNotExist if it is not, or holds no state; what
// it holds of KV and DB is [Checkpoint.Parts].
func (p *Project) CheckpointState(ctx context.Context, id string, max int64) (State, error) {
	now, err := p.index(ctx)
	if err != nil {
		return State{}, err
	}
	_, m, err := p.loadCheckpoint(ctx, id, now.head.Life)
	if err != nil {
		return State{}, err
	}
	if !m.parts.KV && !m.parts.DB {
		return State{}, fmt.Errorf("sam: checkpoint %q has no state: %w", id, fs.ErrNotExist)
	}
	var size int64
	for _, r := range append(append([]chunkRef{}, m.kv...), m.db...) {
		size += r.size
	}
	if size > max {
		return State{}, &LimitError{Limit: "StateBytes", Max: max}
	}
	space := NewMemStore().Space("past")
	var ops []Op
	put := func() error {
		_, err := space.Commit(ctx, ops...)
		ops = ops[:0]
		return err
	}
	for _, refs := range [][]chunkRef{m.kv, m.db} {
		for it, err := range p.items(ctx, refs) {
			if err != nil {
				return State{}, err
			}
			if ops = append(ops, Op{Key: it.key, Value: it.value, If: Any}); len(ops) == 256 {
				if err := put(); err != nil {
					return State{}, err
				}
			}
		}
	}
	if len(ops) > 0 {
		if err := put(); err != nil {
			return State{}, err
		}
	}
	blobs := pastBlobs{p, map[string]bool{}}
	for it, err := range p.items(ctx, m.claims) {
		if err != nil {
			return State{}, err
		}
		if hash, _, ok := parseClaim(it.key, claimPrefix); ok {
			blobs.claimed[hash] = true
		}
	}
	return State{space, blobs}, nil
}

// pastBlobs are those that a checkpoint keeps of the state.
type pastBlobs struct {
	p       *Project
	claimed map[string]bool
}

func (b pastBlobs) Put(context.Context, io.Reader) (string, int64, error) {
	return "", 0, fmt.Errorf("sam: large values of the past: %w", errors.ErrUnsupported)
}

func (b pastBlobs) Open(ctx context.Context, hash string) (io.ReadSeekCloser, error) {
	if !b.claimed[hash] {
		return nil, fmt.Errorf("sam: blob %q of a checkpoint of project %q: %w", short(hash), b.p.id, fs.ErrNotExist)
	}
	return b.p.ws.store.Blobs().Open(ctx, hash)
}

func (b pastBlobs) Has(ctx context.Context, hash string) (bool, error) {
	if !b.claimed[hash] {
		return false, nil
	}
	return b.p.ws.store.Blobs().Has(ctx, hash)
}

func (b pastBlobs) Sweep(context.Context, func(string) bool, time.Time) (int, error) { return 0, nil }

// WatchState yields the parts of the state, KV or DB, of which something was written from now on, until ctx ends. A
// store that has no [Watcher] is asked for its [Counter] a few times a second, and then both may have changed; of one that
// has neither nothing is yielded. It ends with an error if the project is deleted.
func (p *Project) WatchState(ctx context.Context) iter.Seq2[Parts, error] {
	if w, ok := p.space.(Watcher); ok {
		entries := w.Watch(ctx, "")
		return func(yield func(Parts, error) bool) {
			for e, err := range entries {
				part, ok := partOf(e.Key)
				if err == nil && e.Key == "" {
					_, err = p.index(ctx) // dropped
				}
				if ok || err != nil {
					if !yield(part, err) || err != nil {
						return
					}
				}
			}
		}
	}
	seen := p.counted()
	return func(yield func(Parts, error) bool) {
		tick := time.NewTicker(watchEvery)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			_, err := p.index(ctx)
			if ctx.Err() != nil {
				return
			}
			now := p.counted()
			if now != seen || err != nil {
				if !yield(Parts{KV: err == nil, DB: err == nil}, err) || err != nil {
					return
				}
			}
			seen = now
		}
	}
}

func (p *Project) counted() uint64 {
	if p.changes == nil {
		return 0
	}
	return p.changes.Changes()
}

// partOf is the part of the state that a key belongs to.
func partOf(key string) (Parts, bool) {
	var part Parts
	if len(key) >= len(kvPrefix) {
		part.KV, part.DB = key[:len(kvPrefix)] == kvPrefix, key[:len(dbPrefix)] == dbPrefix
	}
	return part, part.KV || part.DB
}
