package kv

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"strings"

	"samkit.dev/sam"
)

// List yields the entries after a key whose keys start with prefix, in the
// order of their bytes and without their values. It holds no lock; what is put
// meanwhile may or may not appear.
func (n *Namespace) List(ctx context.Context, prefix, after string) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		if err := checkName("GET", prefix); err != nil {
			yield(Entry{}, err)
			return
		}
		var dead []sam.Op
		n.list(ctx, prefix, after, &dead)(yield)
		n.bury(ctx, dead)
	}
}

// ListPage returns up to limit entries after a cursor; 0 means 1,000, which is
// the most. Unless the page is the last one, next is the cursor of the page
// that follows. An empty cursor starts at the first key.
func (n *Namespace) ListPage(ctx context.Context, prefix, cursor string, limit int) (entries []Entry, next string, complete bool, err error) {
	if limit > MaxPage {
		return nil, "", false, &Error{Verb: "GET", Status: 400, Text: fmt.Sprintf("Invalid key_count_limit of %d. Please specify an integer less than %d.", limit, MaxPage)}
	}
	if limit <= 0 {
		limit = MaxPage
	}
	if err := checkName("GET", prefix); err != nil {
		return nil, "", false, err
	}
	after := decodeCursor(cursor)
	complete = true
	var dead []sam.Op
	for e, err := range n.list(ctx, prefix, string(after), &dead) {
		if err != nil {
			return nil, "", false, err
		}
		if len(entries) == limit {
			complete = false
			next = base64.StdEncoding.EncodeToString([]byte(entries[limit-1].Key))
			break
		}
		entries = append(entries, e)
	}
	n.bury(ctx, dead)
	return entries, next, complete, nil
}

// decodeCursor is what miniflare makes of a cursor: what is no base64 is passed over.
func decodeCursor(cursor string) []byte {
	after, err := base64.StdEncoding.DecodeString(cursor)
	if err == nil {
		return after
	}
	cursor = strings.Map(func(r rune) rune {
		switch {
		case r == '-':
			return '+'
		case r == '_':
			return '/'
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '+', r == '/':
			return r
		}
		return -1
	}, cursor)
	if len(cursor)%4 == 1 {
		cursor = cursor[:len(cursor)-1]
	}
	after, _ = base64.RawStdEncoding.DecodeString(cursor)
	return after
}

// list yields the live entries and gathers ops that remove up to MaxPage
// expired ones.
func (n *Namespace) list(ctx context.Context, prefix, after string, dead *[]sam.Op) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		if after != "" {
			after = n.prefix + after
		}
		now := n.now()
		for se, err := range n.state.Space.List(ctx, n.prefix+prefix, after) {
			if err != nil {
				yield(Entry{}, fmt.Errorf("kv: list %q: %w", prefix, err))
				return
			}
			key := se.Key[len(n.prefix):]
			data, se, err := n.state.Space.Get(ctx, se.Key)
			if errors.Is(err, fs.ErrNotExist) {
				continue // deleted since it was listed
			}
			var r record
			if err == nil {
				r, err = decode(data)
			}
			if err != nil {
				yield(Entry{}, fmt.Errorf("kv: list %q: key %q: %w", prefix, key, err))
				return
			}
			if r.expired(now) {
				if len(*dead) < MaxPage {
					*dead = append(*dead, sam.Op{Key: n.prefix + key, Delete: true, If: se.Version})
				}
				continue
			}
			r.value = nil
			if !yield(r.entry(key), nil) {
				return
			}
		}
	}
}

// bury removes expired entries. If one of them has been put again the whole
// commit fails, and the rest waits for the next list.
func (n *Namespace) bury(ctx context.Context, dead []sam.Op) {
	if len(dead) > 0 {
		n.state.Space.Commit(ctx, dead...)
	}
}
