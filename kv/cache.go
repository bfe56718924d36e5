package kv

import (
	"bytes"
	"sync"

	"samkit.dev/sam"
)

// A cache keeps records that were read last, as long as nothing in the space
// has changed since. Only a space that counts its changes can have one; a read
// from it then costs neither a lock nor a transaction of the store.
type cache struct {
	mu    sync.Mutex // guards the rest
	seen  uint64     // the space's count when everything in byKey was true
	byKey map[string]cached
	bytes int
}

// A cached is a record, or that there is none.
type cached struct {
	record
	missing bool
}

const (
	maxCached      = 256 << 10 // bytes of a namespace
	maxCachedValue = 8 << 10
	cachedOverhead = 200 // of a record, about
)

// get returns what is cached under key, if it is still true at count.
func (c *cache) get(key string, count uint64) (cached, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.seen != count {
		return cached{}, false
	}
	r, ok := c.byKey[key]
	return r, ok
}

// put keeps what was read after the space had counted to count.
func (c *cache) put(key string, count uint64, r cached) {
	size := len(key) + len(r.value) + len(r.metadata) + cachedOverhead
	if len(r.value) > maxCachedValue || r.hash != "" {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.seen != count || c.byKey == nil || c.bytes+size > maxCached {
		c.seen, c.byKey, c.bytes = count, map[string]cached{}, 0
	}
	if _, there := c.byKey[key]; !there {
		c.bytes += size
	}
	c.byKey[key] = r
}

// changes is the space's count, if it has one.
func (n *Namespace) changes() (count uint64, ok bool) {
	c, ok := n.state.Space.(sam.Counter)
	if !ok {
		return 0, false
	}
	return c.Changes(), true
}

// own returns a record whose bytes the caller may change.
func (r record) own() record {
	r.value, r.metadata = bytes.Clone(r.value), bytes.Clone(r.metadata)
	return r
}
