package boltstore

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.etcd.io/bbolt"

	"samkit.dev/sam"
)

// page is how many entries or names are read in one transaction. A longer one
// would keep pages from being used again while the caller does what it likes.
const (
	page      = 512
	namesPage = 8192
)

// maxName is the longest name of a space that is the key of its bucket. Longer
// ones are found by hash.
const maxName = 8 << 10

// bucketKey returns the key of a space's bucket.
func bucketKey(name string) []byte {
	if len(name) <= maxName {
		return append([]byte{'s'}, name...)
	}
	sum := sha256.Sum256([]byte(name))
	return append([]byte{'l'}, sum[:]...)
}

// A value is a version, the time in Unix nanoseconds, and what was stored.
const valueHeader = 16

func encode(version uint64, at time.Time, data []byte) []byte {
	v := make([]byte, valueHeader, valueHeader+len(data))
	binary.BigEndian.PutUint64(v, version)
	binary.BigEndian.PutUint64(v[8:], uint64(at.UnixNano()))
	return append(v, data...)
}

func versionOf(n uint64) sam.Version { return sam.Version(strconv.FormatUint(n, 10)) }

func decode(key, v []byte) (sam.Entry, error) {
	if len(v) < valueHeader {
		return sam.Entry{}, fmt.Errorf("boltstore: damaged value of key %.64q", key)
	}
	return sam.Entry{
		Key:     string(key),
		Version: versionOf(binary.BigEndian.Uint64(v)),
		Size:    int64(len(v) - valueHeader),
		ModTime: time.Unix(0, int64(binary.BigEndian.Uint64(v[8:]))),
	}, nil
}

type space struct {
	s    *Store
	name string
}

// Changes implements [sam.Counter]. Only this process writes.
func (p space) Changes() uint64 { return p.s.feed.Changes(p.name) }

// Watch implements [sam.Watcher].
func (p space) Watch(ctx context.Context, prefix string) iter.Seq2[sam.Entry, error] {
	return p.s.feed.Watch(ctx, p.name, prefix)
}

// View implements [sam.Viewer].
func (p space) View(ctx context.Context, fn func(sam.Space) error) error {
	return p.s.view(ctx, func(tx *bbolt.Tx) error {
		return fn(snapshot{tx.Bucket(spacesBucket).Bucket(bucketKey(p.name))})
	})
}

// Get implements [sam.Space].
func (p space) Get(ctx context.Context, key string) (data []byte, e sam.Entry, err error) {
	err = p.s.view(ctx, func(tx *bbolt.Tx) error {
		data, e, err = get(tx.Bucket(spacesBucket).Bucket(bucketKey(p.name)), key)
		return err
	})
	return data, e, err
}

// get copies a value out of its transaction.
func get(b *bbolt.Bucket, key string) ([]byte, sam.Entry, error) {
	var v []byte
	if b != nil && key != "" {
		v = b.Get([]byte(key))
	}
	if v == nil {
		return nil, sam.Entry{}, fmt.Errorf("get %.64q: %w", key, fs.ErrNotExist)
	}
	e, err := decode([]byte(key), v)
	if err != nil {
		return nil, sam.Entry{}, err
	}
	return append([]byte{}, v[valueHeader:]...), e, nil
}

// List implements [sam.Space].
func (p space) List(ctx context.Context, prefix, after string) iter.Seq2[sam.Entry, error] {
	return pages(ctx, after, func(after string) (entries []sam.Entry, err error) {
		err = p.s.view(ctx, func(tx *bbolt.Tx) error {
			entries, err = list(tx.Bucket(spacesBucket).Bucket(bucketKey(p.name)), prefix, after)
			return err
		})
		return entries, err
	})
}

// pages yields what read returns, a page at a time.
func pages(ctx context.Context, after string, read func(after string) ([]sam.Entry, error)) iter.Seq2[sam.Entry, error] {
	return func(yield func(sam.Entry, error) bool) {
		for after := after; ; {
			entries, err := read(after)
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				yield(sam.Entry{}, err)
				return
			}
			for _, e := range entries {
				if !yield(e, nil) {
					return
				}
			}
			if len(entries) < page {
				return
			}
			after = entries[len(entries)-1].Key
		}
	}
}

func list(b *bbolt.Bucket, prefix, after string) ([]sam.Entry, error) {
	if b == nil {
		return nil, nil
	}
	var entries []sam.Entry
	c := b.Cursor()
	for k, v := c.Seek([]byte(max(prefix, after))); k != nil && len(entries) < page; k, v = c.Next() {
		if !bytes.HasPrefix(k, []byte(prefix)) {
			break
		}
		if string(k) == after {
			continue
		}
		e, err := decode(k, v)
		if err != nil {
			return nil, err
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// A snapshot is a space in a read transaction.
type snapshot struct{ b *bbolt.Bucket }

func (s snapshot) Get(ctx context.Context, key string) ([]byte, sam.Entry, error) {
	if err := ctx.Err(); err != nil {
		return nil, sam.Entry{}, err
	}
	return get(s.b, key)
}

func (s snapshot) List(ctx context.Context, prefix, after string) iter.Seq2[sam.Entry, error] {
	return pages(ctx, after, func(after string) ([]sam.Entry, error) { return list(s.b, prefix, after) })
}

func (s snapshot) Commit(context.Context, ...sam.Op) ([]sam.Version, error) {
	return nil, errors.New("boltstore: a view is only read")
}

// Spaces implements [sam.Store].
func (s *Store) Spaces(ctx context.Context, prefix, after string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for after := after; ; {
			var names []string
			err := s.view(ctx, func(tx *bbolt.Tx) error {
				names = spaces(tx, prefix, after)
				return nil
			})
			if err != nil {
				yield("", err)
				return
			}
			for _, n := range names {
				if err := ctx.Err(); err != nil {
					yield("", err)
					return
				}
				if !yield(n, nil) {
					return
				}
			}
			if len(names) < namesPage {
				return
			}
			after = names[len(names)-1]
		}
	}
}

// spaces returns up to namesPage names.
func spaces(tx *bbolt.Tx, prefix, after string) []string {
	var names []string
	c := tx.Bucket(spacesBucket).Cursor()
	start := append([]byte{'s'}, max(prefix, after)...)
	for k, _ := c.Seek(start); len(k) > 0 && k[0] == 's' && len(names) < namesPage; k, _ = c.Next() {
		if !bytes.HasPrefix(k[1:], []byte(prefix)) {
			break
		}
		if n := string(k[1:]); n > after {
			names = append(names, n)
		}
	}
	long := false
	c = tx.Bucket(namesBucket).Cursor()
	for k, v := c.First(); k != nil; k, v = c.Next() {
		if n := string(v); strings.HasPrefix(n, prefix) && n > after {
			names = append(names, n)
			long = true
		}
	}
	if long {
		slices.Sort(names)
	}
	return names[:min(len(names), namesPage)]
}
