package workers

import (
	"fmt"
	"log/slog"
	"time"

	"samkit.dev/host/console"
	"samkit.dev/internal/isolate"
)

// print passes on a console entry.
func (w *worker) print(p *pending, payload string) error {
	rd := isolate.NewReader(payload)
	e := console.Entry{Time: time.Now(), Level: slog.Level(rd.Varint()), Text: rd.String(), Stack: rd.String()}
	if err := rd.Close(); err != nil {
		return err
	}
	var app *App
	limit := w.pool.opts.Limits.Console
	if p != nil {
		app, limit = p.app, p.limits.Console
		p.mu.Lock()
		p.console += int64(len(payload))
		over := p.console > 2*limit+4096
		p.mu.Unlock()
		if over { // the runner ends the request earlier
			return fmt.Errorf("it printed more than it may")
		}
	} else {
		w.mu.Lock()
		if len(w.order) > 0 {
			app = w.order[len(w.order)-1]
		}
		w.stray += int64(len(payload))
		over := w.stray > 2*limit+4096
		w.mu.Unlock()
		if over {
			return fmt.Errorf("it printed more outside of requests than in one")
		}
	}
	if app == nil || app.Console == nil {
		return nil
	}
	w.linger(w.printed.add(len(payload), limit, e.Time))
	e.Text = app.original(e.Text)
	e.Stack = app.original(e.Stack)
	e.Source = firstPosition(e.Stack)
	app.Console(e)
	return nil
}

// A pace holds back a worker that prints and prints. Each of its requests may print up to a limit; one after the
// other they would keep the program busy with taking out secrets, looking up positions and throwing
// away what nobody can read. So a worker has twice the limit at once and then the limit in a second, and waits in its
// writes as a program does whose terminal is slow.
type pace struct {
	ahead int64 // bytes beyond the rate
	at    time.Time
}

// add counts n bytes, and returns how long to wait.
func (p *pace) add(n int, limit int64, now time.Time) time.Duration {
	limit = max(limit, 64<<10)
	if passed := now.Sub(p.at); passed >= 3*time.Second {
		p.ahead = 0
	} else {
		p.ahead = max(p.ahead-int64(passed.Seconds()*float64(limit)), 0)
	}
	p.ahead += int64(n)
	p.at = now
	if p.ahead <= 2*limit {
		return 0
	}
	return time.Duration(float64(p.ahead-2*limit) / float64(limit) * float64(time.Second))
}

// linger lets the worker's frames wait, unless it is for less than is worth a timer. Those of one that is being
// ended do not: the requests it had are answered when all has been read.
func (w *worker) linger(d time.Duration) {
	const step = 10 * time.Millisecond
	for ; d >= step; d -= step {
		w.mu.Lock()
		ending := w.killing
		w.mu.Unlock()
		if ending {
			return
		}
		time.Sleep(step)
	}
}
