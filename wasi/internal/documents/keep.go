package documents

import (
	"encoding/json"
)

// Keep returns a value as a filter has made it of another, with the scalars that it has left alone as they were written:
// a filter has its own way of writing numbers, and knows no dates.
func Keep(before, after any) any {
	switch a := after.(type) {
	case json.Number:
		if b, ok := before.(json.Number); ok {
			x, err := a.Float64()
			y, err2 := b.Float64()
			if err == nil && err2 == nil && x == y {
				return b
			}
		}
	case string:
		if b, ok := before.(Date); ok && string(b) == a {
			return b
		}
	case []any:
		if b, ok := before.([]any); ok {
			for i := range min(len(a), len(b)) {
				a[i] = Keep(b[i], a[i])
			}
		}
	case Map:
		b, ok := before.(Map)
		if !ok {
			return a
		}
		places := make(map[string]int, len(b))
		for i, e := range b {
			places[e.Key] = i
		}
		for i, e := range a {
			if j, ok := places[e.Key]; ok {
				a[i].Value = Keep(b[j].Value, e.Value)
			}
		}
	}
	return after
}
