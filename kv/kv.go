// Package kv is the key-value binding of Workers, for Go too.
//
//	ns := kv.New(project.State(), "KV")
//	err := ns.Put(ctx, kv.Entry{Key: "greeting", Value: []byte("hello")})
//	e, err := ns.Get(ctx, "greeting")
//
// Limits, checks and messages are those of Workers KV as miniflare 4 and
// workerd show them; what differs is better: a write is durable and visible to
// everyone when Put returns, and there is no limit of writes a second.
//
// # Names
//
// A key is 1 to 512 bytes of UTF-8, but not "." or "..". Any other character
// may stand in it; "../other" is an ordinary key that leads nowhere. Keys are
// ordered by their bytes.
//
// # Expiry
//
// Times have the resolution of a second. An expired entry is invisible from
// its second on, and is removed by whatever meets it first.
//
// # Errors
//
// A refused argument gives an [*Error], whose Error method returns the message
// that JavaScript gets from Workers. A missing key matches fs.ErrNotExist. A
// Put into a project that is full gives a *sam.LimitError of KVBytes, KVKeys or
// StateBytes. Other errors come from the store.
package kv

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"slices"
	"sync/atomic"
	"time"

	"samkit.dev/sam"
)

// Limits of Workers KV.
const (
	MaxKey      = 512      // bytes
	MaxValue    = 25 << 20 // bytes
	MaxMetadata = 1024     // bytes of JSON
	MaxPage     = 1000     // keys of a page
	MaxBulk     = 100      // keys of GetBulk; together their values have at most MaxValue bytes
	MinTTL      = 60       // seconds
)

// maxInline is the size in bytes up to which a value lies beside its metadata
// in the Space. A list reads the whole record of each key, so this also bounds
// what a page of a thousand keys costs.
const maxInline = 32 << 10

// An Entry is a key and what is stored under it.
type Entry struct {
	Key      string
	Value    []byte          // nil from List and ListPage
	Metadata json.RawMessage // nil if there is none
	Expires  time.Time       // zero means never
}

// A Namespace is a set of keys. It is safe for concurrent use; of two writes of
// a key at once one wins whole.
type Namespace struct {
	state  sam.State
	prefix string
	now    func() time.Time
	swept  atomic.Int64 // when makeRoom last swept, in Unix nanoseconds
	cache  cache
}

const spacePrefix = "kv/"

// New returns a namespace in s, usually that of sam.Project.State. It does no
// I/O. Any name will do; namespaces of different names share nothing.
func New(s sam.State, name string) *Namespace {
	return &Namespace{state: s, prefix: spacePrefix + url.PathEscape(name) + "/", now: time.Now}
}

var errMissing = fmt.Errorf("kv: no such key: %w", fs.ErrNotExist)

// Get returns an entry that the caller may keep, or an error matching
// fs.ErrNotExist.
func (n *Namespace) Get(ctx context.Context, key string) (Entry, error) {
	if err := checkKey("GET", key); err != nil {
		return Entry{}, err
	}
	r, err := n.read(ctx, key)
	if err != nil {
		return Entry{}, err
	}
	if r.hash != "" {
		if r.value, err = n.blob(ctx, key, r); err != nil {
			return Entry{}, err
		}
	}
	return r.entry(key), nil
}

// GetBulk returns the entries of 1 to 100 keys; missing ones are not in the map.
func (n *Namespace) GetBulk(ctx context.Context, keys ...string) (map[string]Entry, error) {
	const verb = "GET_BULK"
	switch {
	case len(keys) == 0:
		return nil, &Error{Verb: verb, Status: 400, Text: "You must request a minimum of 1 key"}
	case len(keys) > MaxBulk:
		return nil, &Error{Verb: verb, Status: 400, Text: "You can request a maximum of 100 keys"}
	}
	for _, key := range keys {
		if key == "" {
			return nil, &Error{Verb: verb, Status: 400, Text: "Key names must not be empty"}
		}
		if key == "." || key == ".." {
			return nil, &Error{Verb: verb, Status: 400, Text: `Illegal key name "` + key + `". Please use a different name.`}
		}
		if err := checkName(verb, key); err != nil {
			return nil, err
		}
	}
	records := make(map[string]record, len(keys))
	var total int64
	for _, key := range keys {
		if _, seen := records[key]; seen {
			continue
		}
		r, err := n.read(ctx, key)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if total += r.size; total > MaxValue {
			return nil, &Error{Verb: verb, Status: 413, Text: "Total size of request exceeds the limit of 25MB"}
		}
		records[key] = r
	}
	entries := make(map[string]Entry, len(records))
	for key, r := range records {
		if r.hash != "" {
			var err error
			if r.value, err = n.blob(ctx, key, r); err != nil {
				return nil, err
			}
		}
		entries[key] = r.entry(key)
	}
	return entries, nil
}

// Put stores an entry, replacing any other of its key. Expires, unless zero, is
// at least a minute ahead; it is rounded up to a second.
func (n *Namespace) Put(ctx context.Context, e Entry) error {
	if err := checkKey("PUT", e.Key); err != nil {
		return err
	}
	r := record{value: e.Value, metadata: e.Metadata, size: int64(len(e.Value))}
	if !e.Expires.IsZero() {
		r.expires = unixCeil(e.Expires)
		if err := checkExpires(r.expires, n.now().Unix()-grace); err != nil {
			return err
		}
	}
	if err := checkMetadata(e.Metadata); err != nil {
		return err
	}
	if r.size > MaxValue {
		return &Error{Verb: "PUT", Status: 413, Text: fmt.Sprintf("Value length of %d exceeds limit of %d.", r.size, MaxValue)}
	}
	err := n.store(ctx, e, r)
	if err != nil && n.makeRoom(ctx, err) {
		err = n.store(ctx, e, r)
	}
	return err
}

// store writes the record of e, and its value if that is large.
func (n *Namespace) store(ctx context.Context, e Entry, r record) error {
	if r.size > maxInline {
		hash, _, err := n.state.Blobs.Put(ctx, bytes.NewReader(e.Value))
		if err != nil {
			return fmt.Errorf("kv: put %q: %w", e.Key, err)
		}
		r.hash, r.value = hash, nil
	}
	_, err := n.state.Space.Commit(ctx, sam.Op{Key: n.prefix + e.Key, Value: r.encode(), If: sam.Any})
	if err != nil {
		return fmt.Errorf("kv: put %q: %w", e.Key, err)
	}
	return nil
}

// Delete removes keys, all or none. Removing a missing one is no error.
func (n *Namespace) Delete(ctx context.Context, keys ...string) error {
	for _, key := range keys {
		if err := checkKey("DELETE", key); err != nil {
			return err
		}
	}
	if len(keys) > 1 {
		keys = slices.Compact(slices.Sorted(slices.Values(keys)))
	}
	ops := make([]sam.Op, len(keys))
	for i, key := range keys {
		ops[i] = sam.Op{Key: n.prefix + key, Delete: true, If: sam.Any}
	}
	if len(ops) == 0 {
		return nil
	}
	if _, err := n.state.Space.Commit(ctx, ops...); err != nil {
		return fmt.Errorf("kv: delete %q: %w", keys[0], err)
	}
	return nil
}

// read returns the record of a key, without the bytes of a value in Blobs. It
// removes the record if it has expired.
func (n *Namespace) read(ctx context.Context, key string) (record, error) {
	count, counts := n.changes() // before the space is read
	if !counts {
		return n.readSpace(ctx, key)
	}
	if err := ctx.Err(); err != nil {
		return record{}, fmt.Errorf("kv: get %q: %w", key, err)
	}
	if c, ok := n.cache.get(key, count); ok && !c.expired(n.now()) {
		if c.missing {
			return record{}, errMissing
		}
		return c.own(), nil
	}
	r, err := n.readSpace(ctx, key)
	switch {
	case err == nil:
		n.cache.put(key, count, cached{record: r})
		return r.own(), nil
	case err == errMissing:
		n.cache.put(key, count, cached{missing: true})
	}
	return r, err
}

// readSpace is read without the cache.
func (n *Namespace) readSpace(ctx context.Context, key string) (record, error) {
	data, se, err := n.state.Space.Get(ctx, n.prefix+key)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return record{}, errMissing
		}
		return record{}, fmt.Errorf("kv: get %q: %w", key, err)
	}
	r, err := decode(data)
	if err != nil {
		return record{}, fmt.Errorf("kv: get %q: %w", key, err)
	}
	if r.expired(n.now()) {
		// The condition spares a value that was put meanwhile. A failure
		// leaves the removal to the next one who comes by.
		n.state.Space.Commit(ctx, sam.Op{Key: n.prefix + key, Delete: true, If: se.Version})
		return record{}, errMissing
	}
	return r, nil
}

// blob reads the value of r from Blobs.
func (n *Namespace) blob(ctx context.Context, key string, r record) ([]byte, error) {
	f, err := n.state.Blobs.Open(ctx, r.hash)
	if err != nil {
		// Not %w: the key exists, so this must not look like a missing key.
		return nil, fmt.Errorf("kv: get %q: the store has lost its value: %v", key, err)
	}
	defer f.Close()
	value := make([]byte, r.size)
	if _, err := io.ReadFull(f, value); err != nil {
		return nil, fmt.Errorf("kv: get %q: %w", key, err)
	}
	return value, nil
}
