// Customstore keeps everything a project owns in mutex-guarded maps, as a start
// for a store on the reader's own database. Its test is all that shows that it
// is right; a store on a database passes the same one.
package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"samkit.dev/sam"
)

var (
	_ sam.Store   = (*store)(nil)
	_ sam.Space   = space{}
	_ sam.Watcher = space{}
	_ sam.Counter = space{}
	_ sam.Blobs   = blobs{}
)

type value struct {
	data  []byte
	entry sam.Entry
}

type blob struct {
	data []byte
	at   time.Time
}

type store struct {
	feed *sam.Feed // tells projects of commits, so that they ask for nothing that did not change

	mu     sync.Mutex // guards the rest
	closed bool
	seq    uint64 // never goes back, so no version is used twice
	spaces map[string]map[string]value
	blobs  map[string]blob
}

func newStore() *store {
	return &store{feed: sam.NewFeed(), spaces: map[string]map[string]value{}, blobs: map[string]blob{}}
}

// lock takes the lock, unless the store is closed or the caller has gone.
func (s *store) lock(ctx context.Context) error {
	s.mu.Lock()
	err := ctx.Err()
	if s.closed {
		err = fs.ErrClosed
	}
	if err != nil {
		s.mu.Unlock()
	}
	return err
}

func (s *store) Space(name string) sam.Space { return space{s, name} }
func (s *store) Blobs() sam.Blobs            { return blobs{s} }

func (s *store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.feed.Close()
	return nil
}

func (s *store) Drop(ctx context.Context, name string) error {
	if err := s.lock(ctx); err != nil {
		return err
	}
	defer s.mu.Unlock()
	delete(s.spaces, name)
	s.feed.Drop(name)
	return nil
}

func (s *store) Spaces(ctx context.Context, prefix, after string) iter.Seq2[string, error] {
	return list(ctx, s, func() []string { return sorted(s.spaces, prefix, after) })
}

type space struct {
	s    *store
	name string
}

func (p space) Changes() uint64 { return p.s.feed.Changes(p.name) }

func (p space) Watch(ctx context.Context, prefix string) iter.Seq2[sam.Entry, error] {
	return p.s.feed.Watch(ctx, p.name, prefix)
}

func (p space) Get(ctx context.Context, key string) ([]byte, sam.Entry, error) {
	if err := p.s.lock(ctx); err != nil {
		return nil, sam.Entry{}, err
	}
	defer p.s.mu.Unlock()
	v, ok := p.s.spaces[p.name][key]
	if !ok {
		return nil, sam.Entry{}, fmt.Errorf("get %q: %w", key, fs.ErrNotExist)
	}
	return bytes.Clone(v.data), v.entry, nil
}

func (p space) List(ctx context.Context, prefix, after string) iter.Seq2[sam.Entry, error] {
	return list(ctx, p.s, func() (entries []sam.Entry) {
		m := p.s.spaces[p.name]
		for _, k := range sorted(m, prefix, after) {
			entries = append(entries, m[k].entry)
		}
		return entries
	})
}

func (p space) Commit(ctx context.Context, ops ...sam.Op) ([]sam.Version, error) {
	if err := sam.CheckOps(ops); err != nil {
		return nil, err
	}
	if err := p.s.lock(ctx); err != nil {
		return nil, err
	}
	defer p.s.mu.Unlock()
	m := p.s.spaces[p.name]
	for _, op := range ops {
		if op.If != sam.Any && op.If != m[op.Key].entry.Version {
			return nil, fmt.Errorf("commit %q: %w", op.Key, sam.ErrConflict)
		}
	}
	if m == nil {
		m = map[string]value{}
	}
	versions := make([]sam.Version, len(ops))
	changed := make([]sam.Entry, len(ops))
	for i, op := range ops {
		changed[i].Key = op.Key
		if op.Delete {
			delete(m, op.Key)
			continue
		}
		p.s.seq++
		versions[i] = sam.Version(fmt.Sprint(p.s.seq))
		changed[i] = sam.Entry{Key: op.Key, Version: versions[i], Size: int64(len(op.Value)), ModTime: time.Now()}
		m[op.Key] = value{append([]byte{}, op.Value...), changed[i]}
	}
	if p.s.spaces[p.name] = m; len(m) == 0 {
		delete(p.s.spaces, p.name)
	}
	p.s.feed.Publish(p.name, changed...)
	return versions, nil
}

type blobs struct{ s *store }

func (b blobs) Put(ctx context.Context, r io.Reader) (string, int64, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return "", 0, err
	}
	if err := b.s.lock(ctx); err != nil {
		return "", 0, err
	}
	defer b.s.mu.Unlock()
	hash := sam.Hash(data)
	b.s.blobs[hash] = blob{data, time.Now()}
	return hash, int64(len(data)), nil
}

type seekCloser struct{ *bytes.Reader }

func (seekCloser) Close() error { return nil }

func (b blobs) Open(ctx context.Context, hash string) (io.ReadSeekCloser, error) {
	if err := b.s.lock(ctx); err != nil {
		return nil, err
	}
	defer b.s.mu.Unlock()
	bl, ok := b.s.blobs[hash]
	if !ok {
		return nil, fmt.Errorf("blob %s: %w", hash, fs.ErrNotExist)
	}
	return seekCloser{bytes.NewReader(bl.data)}, nil
}

func (b blobs) Has(ctx context.Context, hash string) (bool, error) {
	if err := b.s.lock(ctx); err != nil {
		return false, err
	}
	defer b.s.mu.Unlock()
	_, ok := b.s.blobs[hash]
	return ok, nil
}

func (b blobs) Sweep(ctx context.Context, live func(string) bool, olderThan time.Time) (n int, err error) {
	for hash, err := range list(ctx, b.s, func() []string { return slices.Collect(maps.Keys(b.s.blobs)) }) {
		if err != nil {
			return n, err
		}
		if live(hash) { // without the lock: it may ask the store
			continue
		}
		b.s.mu.Lock()
		if bl, ok := b.s.blobs[hash]; ok && bl.at.Before(olderThan) {
			delete(b.s.blobs, hash)
			n++
		}
		b.s.mu.Unlock()
	}
	return n, nil
}

// list yields what read, called with the lock, returned.
func list[T any](ctx context.Context, s *store, read func() []T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		if err := s.lock(ctx); err != nil {
			yield(none, err)
			return
		}
		items := read()
		s.mu.Unlock()
		for _, item := range items {
			if err := ctx.Err(); err != nil {
				yield(none, err)
				return
			}
			if !yield(item, nil) {
				return
			}
		}
	}
}

func sorted[V any](m map[string]V, prefix, after string) []string {
	var keys []string
	for k := range m {
		if strings.HasPrefix(k, prefix) && k > after {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	return keys
}
