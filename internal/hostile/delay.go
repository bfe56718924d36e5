package hostile

import (
	"sync/atomic"
	"time"
)

// A delayWatch measures how late this process is scheduled: on a machine that
// is busy with other things no promise about time can be checked closely.
type delayWatch struct {
	longest atomic.Int64
}

const delayStep = 5 * time.Millisecond

// watchDelay starts to measure; stop ends it.
func watchDelay() (d *delayWatch, stop func()) {
	d = &delayWatch{}
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			begin := time.Now()
			select {
			case <-quit:
				return
			case <-time.After(delayStep):
			}
			late := int64(time.Since(begin) - delayStep)
			if late > d.longest.Load() {
				d.longest.Store(late)
			}
		}
	}()
	return d, func() { close(quit); <-done }
}

func (d *delayWatch) reset()              { d.longest.Store(0) }
func (d *delayWatch) most() time.Duration { return time.Duration(d.longest.Load()) }
