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
	_ Viewer  = dirHandle{}
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
		look := ofPeople(prefix)
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

// View implements [Viewer]. Writers of the space wait until fn returns; people
// do not, and what is seen of their edits gives errMoved.
func (h dirHandle) View(ctx context.Context, fn func(Space) error) error {
	sp, err := h.s.space(ctx, h.name)
	if err != nil {
		return err
	}
	defer sp.mu.Unlock()
	return fn(dirView{sp, sp.headVersion()})
}

// A dirView is a space whose lock is held, as it was with a version of the head.
type dirView struct {
	sp   *dirSpace
	head uint64
}

// headVersion is the version of what stands for all files, or 0.
func (sp *dirSpace) headVersion() uint64 {
	if k := sp.keys[headKey]; k != nil {
		return k.version
	}
	return 0
}

func (v dirView) moved() error {
	if v.sp.headVersion() != v.head {
		return errMoved
	}
	return nil
}

func (v dirView) Get(ctx context.Context, key string) ([]byte, Entry, error) {
	if err := ctx.Err(); err != nil {
		return nil, Entry{}, err
	}
	value, e, err := v.sp.get(key)
	if moved := v.moved(); moved != nil {
		return nil, Entry{}, moved
	}
	if err != nil {
		return nil, Entry{}, fmt.Errorf("get %q: %w", short(key), err)
	}
	return value, e, nil
}

func (v dirView) List(ctx context.Context, prefix, after string) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		if v.sp.exists && ofPeople(prefix) {
			err := v.sp.scan()
			if err == nil {
				err = v.moved()
			}
			if err != nil {
				yield(Entry{}, err)
				return
			}
		}
		for k := range keysAfter(&v.sp.order, v.sp.keys, prefix, after) {
			if err := ctx.Err(); err != nil {
				yield(Entry{}, err)
				return
			}
			if !yield(v.sp.keys[k].entry(k), nil) {
				return
			}
		}
	}
}

func (v dirView) Commit(context.Context, ...Op) ([]Version, error) { return nil, errReadOnly }

// ofPeople reports whether there may be files of people among the keys with a prefix.
func ofPeople(prefix string) bool {
	return strings.HasPrefix(prefix, filePrefix) || strings.HasPrefix(filePrefix, prefix)
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
