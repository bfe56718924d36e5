package workers

import (
	"cmp"
	"time"
)

// Stats are the pool's numbers.
type Stats struct {
	Workers                   int
	Started, Killed, Requests uint64
	Fetches                   uint64
	LimitHits                 map[string]uint64
}

// Stats returns the present numbers.
func (p *Pool) Stats() Stats {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := Stats{Workers: len(p.workers), Started: p.started.Load(), Killed: p.killed.Load(), Requests: p.requests.Load(), Fetches: p.fetches.Load(), LimitHits: map[string]uint64{}}
	for k, v := range p.limits {
		s.LimitHits[k] = v
	}
	return s
}

// count notes a limit that was hit.
func (p *Pool) count(code string) {
	if len(code) < 6 || code[:6] != "limit_" {
		return
	}
	p.mu.Lock()
	p.limits[code]++
	p.mu.Unlock()
}

// limited returns the Error of a limit, and counts it.
func (p *Pool) limited(code string) *Error {
	p.count(code)
	return &Error{Code: code, Message: limitMessage(code), Status: statusOf(code)}
}

// statusOf is the HTTP status that fits a code.
func statusOf(code string) int {
	switch code {
	case "limit_wall", "limit_fetch_time":
		return 504
	case "limit_request_body":
		return 413
	case "limit_cpu", "limit_memory", "limit_calls", "limit_response_body", "limit_console", "unavailable",
		"limit_fetches", "limit_fetch_request", "limit_fetch_response", "limit_fetch_headers":
		return 503
	}
	return 500
}

func (p *Pool) limitsOf(app *App) Limits { return app.Limits.withDefaults(p.opts.Limits) }

var defaultLimits = Limits{
	Wall: 30 * time.Second, CPU: 10 * time.Second, Memory: 128 << 20, RequestBody: 32 << 20,
	ResponseBody: 100 << 20, Console: 1 << 20, Calls: 1000, Fetches: 50,
	RowsRead: 10_000_000, RowsWritten: 1_000_000,
}

func (l Limits) withDefaults(d Limits) Limits {
	return Limits{
		Wall: cmp.Or(l.Wall, d.Wall), CPU: cmp.Or(l.CPU, d.CPU), Memory: cmp.Or(l.Memory, d.Memory),
		RequestBody: cmp.Or(l.RequestBody, d.RequestBody), ResponseBody: cmp.Or(l.ResponseBody, d.ResponseBody),
		Console: cmp.Or(l.Console, d.Console), Calls: cmp.Or(l.Calls, d.Calls), Fetches: cmp.Or(l.Fetches, d.Fetches),
		RowsRead: cmp.Or(l.RowsRead, d.RowsRead), RowsWritten: cmp.Or(l.RowsWritten, d.RowsWritten),
	}
}
