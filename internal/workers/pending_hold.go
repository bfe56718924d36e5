package workers

import (
	"strings"
)

// smallFrame is up to how many bytes a frame may be kept for the sake of one call in it.
const smallFrame = 64 << 10

// alone returns a call that keeps no more of its frame in memory than itself. Strings
// share the memory of what they were cut from: a short call that takes long would keep
// a frame of megabytes, and a thousand of them gigabytes.
func (o opCall) alone(frame int) opCall {
	if frame > smallFrame && len(o.payload) < frame/2 {
		o.payload = strings.Clone(o.payload)
	}
	return o
}

// hold counts what a call keeps in memory while it waits for something outside, as what waits
// in queues is counted.
func (w *worker) hold(o opCall) (release func()) {
	n := int64(len(o.payload))
	w.queued.Add(n)
	return func() { w.queued.Add(-n) }
}
