// Package share keeps one project from taking all processors of the program.
//
// Go's scheduler shares them out among goroutines, whoever they work for: a project whose requests make the
// program compute for long, as SQL does, in as many goroutines as there are processors leaves the others to wait
// 10 ms at every step. So the goroutines that compute for an [Owner] take turns: half of the processors, and one
// at least, are all that it gets.
package share

import (
	"context"
	"reflect"
	"runtime"
	"sync"
	"sync/atomic"
)

// An Owner is one that work is done for. It is safe for concurrent use.
type Owner struct {
	key     any
	users   int // of owners.mu
	most    int
	waiting atomic.Int32 // len(queue), for who must not wait for mu

	mu      sync.Mutex // guards the rest
	running int
	queue   []chan struct{} // first come, first served
}

// owners are those that somebody has joined. The processors are the process's, and so is this.
var owners = struct {
	mu    sync.Mutex
	byKey map[any]*Owner
}{byKey: map[any]*Owner{}}

// Join returns the owner of a key, one for all who give an equal one. A key that cannot be compared is like
// no other. The caller gives the owner back by Leave.
func Join(key any) *Owner {
	if key == nil || !reflect.ValueOf(key).Comparable() {
		key = new(byte)
	}
	owners.mu.Lock()
	defer owners.mu.Unlock()
	o := owners.byKey[key]
	if o == nil {
		o = &Owner{key: key, most: max(1, runtime.GOMAXPROCS(0)/2)}
		owners.byKey[key] = o
	}
	o.users++
	return o
}

// Leave is called once for each Join.
func (o *Owner) Leave() {
	owners.mu.Lock()
	defer owners.mu.Unlock()
	if o.users--; o.users == 0 {
		delete(owners.byKey, o.key)
	}
}

// Enter waits until one more goroutine may compute for the owner, who then calls Exit. It fails with
// ctx's cause.
func (o *Owner) Enter(ctx context.Context) error {
	o.mu.Lock()
	if o.running < o.most {
		o.running++
		o.mu.Unlock()
		return nil
	}
	turn := make(chan struct{})
	o.queue = append(o.queue, turn)
	o.waiting.Add(1)
	o.mu.Unlock()
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
	}
	o.mu.Lock()
	for i, t := range o.queue {
		if t == turn {
			o.queue = append(o.queue[:i], o.queue[i+1:]...)
			o.waiting.Add(-1)
			o.mu.Unlock()
			return context.Cause(ctx)
		}
	}
	o.mu.Unlock()
	o.Exit() // its turn came all the same
	return context.Cause(ctx)
}

// Exit lets the next one in.
func (o *Owner) Exit() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.queue) == 0 {
		o.running--
		return
	}
	close(o.queue[0])
	o.queue[0] = nil
	o.queue = o.queue[1:]
	o.waiting.Add(-1)
}

// Waiting reports whether somebody waits in Enter: who computes for long should let him in by Exit
// and Enter.
func (o *Owner) Waiting() bool { return o.waiting.Load() > 0 }
