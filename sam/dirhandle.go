package sam

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"time"
)

var (
	_ Space   = dirHandle{}
	_ Watcher = dirHandle{}
	_ Counter = dirHandle{}
	_ looker  = dirHandle{}
)

// A dirHandle is a Space of a dirStore.
type dirHandle struct {
	s    *dirStore
	name string
}

func (h dirHandle) Changes() uint64 {
	if sp := h.s.known(h.name, false); sp != nil {
		now := time.Now().UnixNano()
		if last := sp.asked.Swap(now); now-last > int64(idleAfter) && !h.s.closed.Load() {
			sp.look() // the poll left it alone
		}
	}
	return h.s.feed.Changes(h.name)
}

func (h dirHandle) Watch(ctx context.Context, prefix string) iter.Seq2[Entry, error] {
	// Reading the space now makes what was edited before no news.
	if sp, err := h.s.space(ctx, h.name); err == nil {
		sp.scan()
		sp.mu.Unlock()
	}
	return h.s.feed.Watch(ctx, h.name, prefix)
}

func (h dirHandle) Get(ctx context.Context, key string) ([]byte, Entry, error) {
	sp, err := h.s.space(ctx, h.name)
	if err != nil {
		return nil, Entry{}, err
	}
	defer sp.mu.Unlock()
	value, e, err := sp.get(key)
	if err != nil {
		return nil, Entry{}, fmt.Errorf("get %q: %w", short(key), err)
	}
	return value, e, nil
}

func (h dirHandle) List(ctx context.Context, prefix, after string) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		look := strings.HasPrefix(prefix, filePrefix) || strings.HasPrefix(filePrefix, prefix)
		for {
			sp, err := h.s.space(ctx, h.name)
			if err != nil {
				yield(Entry{}, err)
				return
			}
			if look && sp.exists {
				err = sp.scan()
				look = false
			}
			var page []Entry
			for k := range keysAfter(&sp.order, sp.keys, prefix, after) {
				if page = append(page, sp.keys[k].entry(k)); len(page) == listPage {
					break
				}
			}
			sp.mu.Unlock()
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

func (h dirHandle) Commit(ctx context.Context, ops ...Op) ([]Version, error) {
	if err := CheckOps(ops); err != nil {
		return nil, err
	}
	sp, err := h.s.space(ctx, h.name)
	if err != nil {
		return nil, err
	}
	defer sp.mu.Unlock()
	if len(ops) == 0 {
		return nil, nil
	}
	return sp.commit(ctx, ops)
}

// lookAt implements looker.
func (h dirHandle) lookAt(ctx context.Context, names ...string) error {
	sp, err := h.s.space(ctx, h.name)
	if err != nil {
		return err
	}
	defer sp.mu.Unlock()
	if !sp.exists {
		return nil
	}
	if len(names) == 0 {
		return sp.scan()
	}
	for _, name := range names {
		if err := sp.lookAt(filePrefix + name); err != nil {
			return err
		}
	}
	return nil
}
