package sam

import (
	"context"
	"sync"
)

// A lock is a mutex whose waiting ends with a context. The zero lock is free. A program keeps many projects, whose locks
// nobody waits for: what waiting needs is made for who waits first.
type lock struct {
	mu      sync.Mutex // guards what follows, for moments
	held    bool
	waiters int
	next    chan struct{} // hands the lock, held, to one of the waiters; capacity 1
}

// acquire takes the lock, or returns ctx's error.
func (l *lock) acquire(ctx context.Context) error {
	l.mu.Lock()
	if !l.held {
		l.held = true
		l.mu.Unlock()
		return nil
	}
	if l.next == nil {
		l.next = make(chan struct{}, 1)
	}
	l.waiters++
	next := l.next
	l.mu.Unlock()
	select {
	case <-next:
		l.mu.Lock()
		l.waiters--
		l.mu.Unlock()
		return nil
	case <-ctx.Done():
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.waiters--; l.waiters == 0 {
		select {
		case <-next: // it was handed to this one, which no longer wants it
			l.held = false
		default:
		}
	}
	return ctx.Err()
}

// hold takes the lock, however long that takes.
func (l *lock) hold() { _ = l.acquire(context.Background()) } // which does not end

func (l *lock) release() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.waiters > 0 {
		l.next <- struct{}{}
	} else {
		l.held = false
	}
}
