package workers

import (
	"container/heap"
	"time"
)

// A timerQueue holds the timers of a runner, the earliest first.
type timerQueue struct {
	heap timerHeap
	seq  uint64
}

type timer struct {
	at    time.Time
	seq   uint64 // timers of one moment fire in the order they were set
	call  *call  // whose it is; nil if set while the script loaded
	in    *instance
	fn    func()
	index int // in the heap; -1 when it is not there
}

func (q *timerQueue) add(t *timer) {
	q.seq++
	t.seq = q.seq
	heap.Push(&q.heap, t)
}

func (q *timerQueue) remove(t *timer) {
	if t.index >= 0 {
		heap.Remove(&q.heap, t.index)
	}
}

// next returns when the first timer is due, or the zero time.
func (q *timerQueue) next() time.Time {
	if len(q.heap) == 0 {
		return time.Time{}
	}
	return q.heap[0].at
}

// due removes and returns the first timer if it is due.
func (q *timerQueue) due(now time.Time) *timer {
	if len(q.heap) == 0 || q.heap[0].at.After(now) {
		return nil
	}
	return heap.Pop(&q.heap).(*timer)
}

type timerHeap []*timer

func (h timerHeap) Len() int { return len(h) }
func (h timerHeap) Less(i, j int) bool {
	if h[i].at.Equal(h[j].at) {
		return h[i].seq < h[j].seq
	}
	return h[i].at.Before(h[j].at)
}
func (h timerHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}
func (h *timerHeap) Push(x any) {
	t := x.(*timer)
	t.index = len(*h)
	*h = append(*h, t)
}
func (h *timerHeap) Pop() any {
	old := *h
	t := old[len(old)-1]
	old[len(old)-1] = nil
	*h = old[:len(old)-1]
	t.index = -1
	return t
}
