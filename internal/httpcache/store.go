// Package httpcache keeps responses in memory for the Cache API of Workers. Domains see
// nothing of each other. What is kept is bounded, for a domain and in all; what was used
// longest ago leaves first.
package httpcache

import (
	"container/list"
	"strings"
	"sync"
	"time"
)

// The bounds of a store, in bytes.
const (
	MaxEntry  = 8 << 20   // a response with its key
	MaxHead   = 128 << 10 // the headers of a request or of a response
	maxDomain = 16 << 20
	maxTotal  = 128 << 20
)

// A Response is what is kept. It must not be changed.
type Response struct {
	Status int
	Header []string // lower-case names and values in turn
	Body   []byte
}

// A Key names a response within a domain.
type Key struct{ Cache, URL string }

// A Store is safe for concurrent use.
type Store struct {
	now func() time.Time

	mu      sync.Mutex // guards the rest
	domains map[string]*domain
	used    list.List // of *entry, the latest first
	size    int64
}

// A domain is what one trust domain keeps.
type domain struct {
	name    string
	entries map[Key]*entry
	used    list.List // of *entry, the latest first
	size    int64
}

type entry struct {
	domain          *domain
	key             Key
	response        *Response
	expires         time.Time
	size            int64
	inDomain, inAll *list.Element
}

// New returns an empty store.
func New() *Store { return &Store{now: time.Now, domains: map[string]*domain{}} }

// overhead is what an entry takes beside its bytes, roughly.
const overhead = 512

func sizeOf(key Key, r *Response) int64 {
	n := overhead + len(key.Cache) + len(key.URL) + len(r.Body)
	for _, s := range r.Header {
		n += len(s) + 16
	}
	return int64(n)
}

// Fits reports whether headers are no more than MaxHead.
func Fits(header []string) bool {
	n := 0
	for _, s := range header {
		n += len(s)
	}
	return n <= MaxHead
}

// Put keeps a response that answers a request with these headers, as far as the response
// allows it, in the place of what was there. It reports whether it did. Strings are copied, the body is not.
func (s *Store) Put(domainName string, key Key, request []string, r *Response) bool {
	now := s.now()
	if !Fits(request) || !Fits(r.Header) {
		return false
	}
	kept, ttl, ok := prepare(request, r, now)
	size := sizeOf(key, kept)
	if !ok || size > MaxEntry {
		return false
	}
	key, kept.Header = key.clone(), cloneAll(kept.Header)
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.domains[domainName]
	if d == nil {
		if ttl <= 0 {
			return true
		}
		d = &domain{name: domainName, entries: map[Key]*entry{}}
		s.domains[domainName] = d
	}
	if old := d.entries[key]; old != nil {
		s.remove(old)
	}
	if ttl <= 0 { // stale at once
		s.dropEmpty(d)
		return true
	}
	e := &entry{domain: d, key: key, response: kept, expires: now.Add(ttl), size: size}
	s.domains[domainName] = d // it may have left with its last entry
	d.entries[key] = e
	e.inDomain, e.inAll = d.used.PushFront(e), s.used.PushFront(e)
	d.size += size
	s.size += size
	for d.size > maxDomain {
		s.remove(d.used.Back().Value.(*entry))
	}
	for s.size > maxTotal {
		s.remove(s.used.Back().Value.(*entry))
	}
	return true
}

// clone returns a key that keeps nothing else in memory. A caller may have cut its strings, and
// those of headers, from something large.
func (k Key) clone() Key { return Key{strings.Clone(k.Cache), strings.Clone(k.URL)} }

func cloneAll(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = strings.Clone(s)
	}
	return out
}

// Match returns the answer to a request with these headers: what is kept, a 304 or 416, or a part.
func (s *Store) Match(domainName string, key Key, request []string) (*Response, bool) {
	r := s.get(domainName, key)
	if r == nil {
		return nil, false
	}
	return answer(request, r), true
}

func (s *Store) get(domainName string, key Key) *Response {
	now := s.now()
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.domains[domainName]
	if d == nil {
		return nil
	}
	e := d.entries[key]
	if e == nil {
		return nil
	}
	if !now.Before(e.expires) {
		s.remove(e)
		return nil
	}
	d.used.MoveToFront(e.inDomain)
	s.used.MoveToFront(e.inAll)
	return e.response
}

// Delete forgets a response and reports whether it was there.
func (s *Store) Delete(domainName string, key Key) bool {
	now := s.now()
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.domains[domainName]
	if d == nil || d.entries[key] == nil {
		return false
	}
	e := d.entries[key]
	s.remove(e)
	return now.Before(e.expires)
}

// Size returns how many bytes are kept.
func (s *Store) Size() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.size
}

// remove forgets an entry. s.mu is held.
func (s *Store) remove(e *entry) {
	d := e.domain
	delete(d.entries, e.key)
	d.used.Remove(e.inDomain)
	s.used.Remove(e.inAll)
	d.size -= e.size
	s.size -= e.size
	s.dropEmpty(d)
}

func (s *Store) dropEmpty(d *domain) {
	if len(d.entries) == 0 {
		delete(s.domains, d.name)
	}
}
