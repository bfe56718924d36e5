package workers

import (
	"time"

	"samkit.dev/internal/confine"
	"samkit.dev/internal/isolate"
)

// Main runs a worker, or supervises a command of package tool/task, and exits, if this process was started for that. Otherwise it
// returns at once.
func Main() {
	confine.Main()
	isolate.Main(serve)
}

// serve is the loop of a worker process: one goroutine that waits for a frame
// or for the next timer.
func serve(l *isolate.Link) error {
	r := newRunner(l.Send)
	r.flush = l.FlushWithin
	gc := newCollector()
	for {
		f, ok, err := l.Next(r.timers.next())
		if err != nil {
			return err
		}
		began := time.Now()
		switch {
		case !ok:
		case f.Type == frameTrim:
			gc.trim()
		default:
			if err := r.handle(f.Type, f.Call, f.Payload); err != nil {
				return err
			}
		}
		r.tick()
		gc.turned(time.Since(began))
	}
}
