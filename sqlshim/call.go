package sqlshim

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// killAfter is how long after its deadline a statement may take to notice.
const killAfter = 100 * time.Millisecond

// lookEvery is how often a call that runs is asked whether its caller has gone.
const lookEvery = 100 * time.Millisecond

// A call is the context of what a connection is doing. Its deadline costs
// neither a timer nor a goroutine a call: one timer a connection, armed only
// while there is something to watch, looks after it.
//
// SQLite asks for Err every hundred steps of its machine. One step can take
// hours, though: json_patch on two values of 4 MiB is quadratic, and a row of
// a hundred columns may be a thousand function calls in a straight line. What
// has not stopped by killAfter loses its memory; see grip.
type call struct {
	context.Context // of the caller
	immune          bool
	rows            *rowBudget  // nil without one
	over            error       // the limit of rows that the statement has passed
	expired         atomic.Bool // the deadline has passed
	busy            atomic.Bool // in a Commit of the store, which no deadline cuts off
	pace            *pace       // or nil

	stmt  *statement // whose rows are watched, or nil
	asked uint       // how often Err was called

	mu       sync.Mutex // guards the rest
	active   bool
	deadline time.Time
	timeout  time.Duration
	timer    *time.Timer // nil unless armed
	kill     func()
	killed   bool
	gone     time.Time // when watch found the caller's context ended; zero if it has not
}

func (c *call) begin(ctx context.Context, timeout time.Duration) {
	c.immune, c.over = false, nil
	c.rows, _ = ctx.Value(rowsKey{}).(*rowBudget)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.Context, c.active, c.timeout, c.gone = ctx, true, timeout, time.Time{}
	c.restartLocked()
}

// watchRows says which statement runs now.
func (c *call) watchRows(st *statement) {
	if c.rows != nil {
		c.stmt = st
	}
}

// tooMany reports, now and then, whether the statement has passed a limit of rows.
func (c *call) tooMany() error {
	const often = 16
	if c.asked++; c.asked%often != 0 {
		return nil
	}
	c.over = c.rows.over(c.stmt.steps(), 0) // SQLite tells changes only afterwards
	return c.over
}

// restart gives the next statement the whole timeout.
func (c *call) restart() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.restartLocked()
}

func (c *call) restartLocked() {
	c.deadline = time.Now().Add(c.timeout)
	c.expired.Store(false)
	if c.timer == nil {
		c.timer = time.AfterFunc(min(c.timeout, lookEvery), c.watch)
	}
}

// watch runs when the timer fires.
func (c *call) watch() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.active || c.timer == nil {
		c.timer = nil // the next call arms it again
		return
	}
	wait := time.Until(c.deadline)
	if c.Context.Err() != nil { // as good as its deadline
		if c.gone.IsZero() {
			c.gone = time.Now()
		}
		wait = min(wait, -time.Since(c.gone))
	}
	switch late := -wait; {
	case wait > 0:
	case late < killAfter:
		c.expired.Store(true)
		wait = killAfter - late
	case c.busy.Load():
		wait = killAfter
	default:
		c.expired.Store(true)
		c.killed = true
		if c.kill != nil {
			c.kill()
		}
		wait = killAfter // again, for memory that was added meanwhile
	}
	c.timer.Reset(min(wait, lookEvery))
}

// end returns whether the connection was killed.
func (c *call) end() (killed bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.active, c.Context = false, context.Background()
	return c.killed
}

// stop ends the watching for good. No kill runs after it returns.
func (c *call) stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.active, c.kill = false, nil
	if c.timer != nil {
		c.timer.Stop()
		c.timer = nil
	}
}

func (c *call) Err() error {
	if c.immune {
		return nil
	}
	if err := c.Context.Err(); err != nil {
		return err
	}
	if c.expired.Load() {
		return context.DeadlineExceeded
	}
	if c.over != nil {
		return c.over
	}
	if c.stmt != nil {
		return c.tooMany()
	}
	return nil
}

func (c *call) Deadline() (time.Time, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if d, ok := c.Context.Deadline(); ok && d.Before(c.deadline) {
		return d, true
	}
	return c.deadline, true
}
