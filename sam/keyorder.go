package sam

import (
	"iter"
	"slices"
	"strings"
)

// A keyOrder is the keys of a map in order, which is made when it is asked for.
type keyOrder struct {
	sorted []string // the keys in order, and perhaps deleted ones
	fresh  []string // keys to be merged into sorted
}

// add notes a key that the map did not have.
func (o *keyOrder) add(key string) { o.fresh = append(o.fresh, key) }

// keysAfter yields the keys of m, whose order is o, that start with prefix and
// are greater than after.
func keysAfter[V any](o *keyOrder, m map[string]V, prefix, after string) iter.Seq[string] {
	if len(o.sorted) > 2*len(m)+listPage {
		// Mostly deleted keys.
		o.sorted, o.fresh = nil, nil
		for k := range m {
			o.fresh = append(o.fresh, k)
		}
	}
	o.merge()
	return func(yield func(string) bool) {
		i, _ := slices.BinarySearch(o.sorted, max(prefix, after))
		for _, k := range o.sorted[i:] {
			if !strings.HasPrefix(k, prefix) {
				return
			}
			if _, ok := m[k]; ok && k > after && !yield(k) {
				return
			}
		}
	}
}

func (o *keyOrder) merge() {
	if len(o.fresh) == 0 {
		return
	}
	slices.Sort(o.fresh)
	merged := make([]string, 0, len(o.sorted)+len(o.fresh))
	a, b := o.sorted, o.fresh
	for len(a) > 0 && len(b) > 0 {
		if a[0] < b[0] {
			merged, a = append(merged, a[0]), a[1:]
		} else {
			merged, b = append(merged, b[0]), b[1:]
		}
	}
	merged = append(append(merged, a...), b...)
	// A key that was deleted and made again is in both.
	o.sorted, o.fresh = slices.Compact(merged), nil
}
