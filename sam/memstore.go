package sam

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

var (
	_ Store   = (*memStore)(nil)
	_ Space   = memSpace{}
	_ Watcher = memSpace{}
	_ Counter = memSpace{}
	_ Viewer  = memSpace{}
	_ Blobs   = (*memBlobs)(nil)
	_ Renewer = (*memBlobs)(nil)
)

// listPage is how many entries a List copies at a time.
const listPage = 512

type memStore struct {
	feed  *Feed
	blobs memBlobs

	mu     sync.RWMutex // guards the rest
	closed bool
	seq    uint64 // of the last version; never goes back, so none is used twice
	spaces map[string]*memTable
}

// NewMemStore returns an empty store in memory.
func NewMemStore() Store {
	return &memStore{feed: NewFeed(), spaces: map[string]*memTable{}, blobs: memBlobs{byHash: map[string]memBlob{}}}
}

type memValue struct {
	data  []byte
	entry Entry
}

// A memTable is the keys of a space.
type memTable struct {
	values map[string]memValue
	order  keyOrder
}

// page returns up to listPage entries after a key.
func (t *memTable) page(prefix, after string) []Entry {
	var page []Entry
	for k := range keysAfter(&t.order, t.values, prefix, after) {
		if page = append(page, t.values[k].entry); len(page) == listPage {
			break
		}
	}
	return page
}

func (s *memStore) Space(name string) Space { return memSpace{s, name} }
func (s *memStore) Blobs() Blobs            { return &s.blobs }

func (s *memStore) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.blobs.close()
	s.feed.Close()
	return nil
}

// usable reports why no call can be served.
func (s *memStore) usable(ctx context.Context) error {
	if s.closed {
		return fs.ErrClosed
	}
	return ctx.Err()
}

func (s *memStore) Drop(ctx context.Context, name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.usable(ctx); err != nil {
		return err
	}
	if s.spaces[name] != nil {
		delete(s.spaces, name)
		s.feed.Drop(name)
	}
	return nil
}

func (s *memStore) Spaces(ctx context.Context, prefix, after string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		s.mu.RLock()
		err := s.usable(ctx)
		var names []string
		for n := range s.spaces {
			if strings.HasPrefix(n, prefix) && n > after {
				names = append(names, n)
			}
		}
		s.mu.RUnlock()
		if err != nil {
			yield("", err)
			return
		}
		slices.Sort(names)
		for _, n := range names {
			if err := ctx.Err(); err != nil {
				yield("", err)
				return
			}
			if !yield(n, nil) {
				return
			}
		}
	}
}

type memSpace struct {
	s    *memStore
	name string
}

func (p memSpace) Changes() uint64 { return p.s.feed.Changes(p.name) }

func (p memSpace) Watch(ctx context.Context, prefix string) iter.Seq2[Entry, error] {
	return p.s.feed.Watch(ctx, p.name, prefix)
}

// View implements [Viewer]. Writers wait until fn returns.
func (p memSpace) View(ctx context.Context, fn func(Space) error) error {
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	if err := p.s.usable(ctx); err != nil {
		return err
	}
	t := p.s.spaces[p.name]
	if t == nil {
		t = &memTable{}
	}
	return fn(memView{t})
}

// A memView is a space of a store whose lock is held.
type memView struct{ t *memTable }

func (v memView) Get(ctx context.Context, key string) ([]byte, Entry, error) {
	if err := ctx.Err(); err != nil {
		return nil, Entry{}, err
	}
	return v.t.get(key)
}

func (v memView) List(ctx context.Context, prefix, after string) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		for k := range keysAfter(&v.t.order, v.t.values, prefix, after) {
			if err := ctx.Err(); err != nil {
				yield(Entry{}, err)
				return
			}
			if !yield(v.t.values[k].entry, nil) {
				return
			}
		}
	}
}

func (v memView) Commit(context.Context, ...Op) ([]Version, error) { return nil, errReadOnly }

var errReadOnly = errors.New("sam: a view is only read")

func (p memSpace) Get(ctx context.Context, key string) ([]byte, Entry, error) {
	p.s.mu.RLock()
	defer p.s.mu.RUnlock()
	if err := p.s.usable(ctx); err != nil {
		return nil, Entry{}, err
	}
	return p.s.spaces[p.name].get(key)
}

// get returns a copy. A nil table is empty.
func (t *memTable) get(key string) ([]byte, Entry, error) {
	if t != nil {
		if v, ok := t.values[key]; ok {
			return bytes.Clone(v.data), v.entry, nil
		}
	}
	return nil, Entry{}, fmt.Errorf("get %q: %w", short(key), fs.ErrNotExist)
}

func (p memSpace) List(ctx context.Context, prefix, after string) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		for {
			p.s.mu.Lock()
			err := p.s.usable(ctx)
			var page []Entry
			if t := p.s.spaces[p.name]; t != nil && err == nil {
				page = t.page(prefix, after)
			}
			p.s.mu.Unlock()
			if err != nil {
				yield(Entry{}, err)
				return
			}
			for _, e := range page {
				if !yield(e, nil) {
					return
				}
			}
			if len(page) < listPage {
				return
			}
			after = page[len(page)-1].Key
		}
	}
}

func (p memSpace) Commit(ctx context.Context, ops ...Op) ([]Version, error) {
	if err := CheckOps(ops); err != nil {
		return nil, err
	}
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	if err := p.s.usable(ctx); err != nil {
		return nil, err
	}
	t := p.s.spaces[p.name]
	if t == nil {
		t = &memTable{values: map[string]memValue{}}
	}
	for _, op := range ops {
		if op.If != Any && op.If != t.values[op.Key].entry.Version {
			return nil, fmt.Errorf("commit %q: %w", short(op.Key), ErrConflict)
		}
	}
	versions := make([]Version, len(ops))
	changed := make([]Entry, len(ops))
	for i, op := range ops {
		changed[i] = Entry{Key: op.Key}
		if op.Delete {
			delete(t.values, op.Key)
			continue
		}
		p.s.seq++
		versions[i] = Version(strconv.FormatUint(p.s.seq, 10))
		changed[i] = Entry{Key: op.Key, Version: versions[i], Size: int64(len(op.Value)), ModTime: time.Now()}
		if _, ok := t.values[op.Key]; !ok {
			t.order.add(op.Key)
		}
		t.values[op.Key] = memValue{append([]byte{}, op.Value...), changed[i]}
	}
	if len(t.values) == 0 {
		delete(p.s.spaces, p.name)
	} else {
		p.s.spaces[p.name] = t
	}
	p.s.feed.Publish(p.name, changed...)
	return versions, nil
}

type memBlob struct {
	data []byte
	at   time.Time
}

type memBlobs struct {
	mu     sync.Mutex // guards the rest
	closed bool
	byHash map[string]memBlob
}

func (b *memBlobs) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed, b.byHash = true, nil
}

func (b *memBlobs) usable(ctx context.Context) error {
	if b.closed {
		return fs.ErrClosed
	}
	return ctx.Err()
}

func (b *memBlobs) Put(ctx context.Context, r io.Reader) (string, int64, error) {
	data, err := io.ReadAll(contextReader{ctx, r})
	if err != nil {
		return "", 0, err
	}
	hash := Hash(data)
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.usable(ctx); err != nil {
		return "", 0, err
	}
	b.byHash[hash] = memBlob{data, time.Now()}
	return hash, int64(len(data)), nil
}

func (b *memBlobs) Open(ctx context.Context, hash string) (io.ReadSeekCloser, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.usable(ctx); err != nil {
		return nil, err
	}
	blob, ok := b.byHash[hash]
	if !ok {
		return nil, fmt.Errorf("open blob %q: %w", short(hash), fs.ErrNotExist)
	}
	return nopCloser{bytes.NewReader(blob.data)}, nil
}

func (b *memBlobs) Renew(ctx context.Context, hash string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.usable(ctx); err != nil {
		return err
	}
	blob, ok := b.byHash[hash]
	if !ok {
		return fmt.Errorf("renew blob %q: %w", short(hash), fs.ErrNotExist)
	}
	b.byHash[hash] = memBlob{blob.data, time.Now()}
	return nil
}

func (b *memBlobs) Has(ctx context.Context, hash string) (bool, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	_, ok := b.byHash[hash]
	return ok, b.usable(ctx)
}

func (b *memBlobs) Sweep(ctx context.Context, live func(string) bool, olderThan time.Time) (int, error) {
	var old []string
	b.mu.Lock()
	err := b.usable(ctx)
	for hash, blob := range b.byHash {
		if blob.at.Before(olderThan) {
			old = append(old, hash)
		}
	}
	b.mu.Unlock()
	n := 0
	for _, hash := range old {
		if err = ctx.Err(); err != nil {
			break
		}
		if live(hash) {
			continue
		}
		b.mu.Lock()
		// It may have been put again while live ran.
		if blob, ok := b.byHash[hash]; ok && blob.at.Before(olderThan) {
			delete(b.byHash, hash)
			n++
		}
		b.mu.Unlock()
	}
	return n, err
}

// Hash returns the hash that a file with these contents has.
func Hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

type nopCloser struct{ *bytes.Reader }

func (nopCloser) Close() error { return nil }

// A contextReader fails once its context has ended.
type contextReader struct {
	ctx context.Context // of one call, which the reader does not outlive
	r   io.Reader
}

func (c contextReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}
