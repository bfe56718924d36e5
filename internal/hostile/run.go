package hostile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"samkit.dev/host/console"
	"samkit.dev/internal/workers"
)

// Limits are short, so that the whole corpus runs in a minute, and small against
// what the cases try.
var Limits = workers.Limits{
	Wall: 1500 * time.Millisecond, CPU: 150 * time.Millisecond, Memory: 64 << 20,
	RequestBody: 4 << 20, ResponseBody: 8 << 20, Console: 256 << 10, Calls: 200, Fetches: 10,
	RowsRead: 2_000_000, RowsWritten: 40_000,
}

// Patience are the limits of what is not about time: a machine that is slow or busy must
// not keep such a case from showing what it is about.
var Patience = func() workers.Limits {
	l := Limits
	l.CPU, l.Wall = 10*time.Second, 30*time.Second
	return l
}()

// Slack is how much later than its limit a request may end, and how long another
// project may wait.
const Slack = 300 * time.Millisecond

// tolerance is what is added to Slack on a machine that may be busy, besides ten times how late
// this process itself was scheduled. It still tells what ends from what hangs.
const tolerance = 3 * time.Second

// tries is how often a case is tried that was only late.
const tries = 3

// A Target is what the corpus runs against.
type Target struct {
	Level Level
	// Fetch answers a request, as [workers.Pool.Fetch] does. Its limits are [Limits].
	Fetch func(context.Context, *workers.App, *workers.Request) (*workers.Response, error)
	// Strict demands that each case ends by a limit that is named for it, within
	// [Slack]; it is for machines that have nothing else to do. Without it, a case that
	// may end by a limit of time or memory may end by any of these, since the speed and
	// the load of a machine decide which comes first, others have [Patience] instead of
	// [Limits], and what was only late is tried again.
	Strict bool
	// After is called after each case, if it is not nil.
	After func(*testing.T, *Case)
}

// Run runs cases one after the other as subtests. Each must end in time and as it is
// promised at the target's level; meanwhile and afterwards another project is
// served at once, and then the project itself.
func Run(t *testing.T, target *Target, cases []Case) {
	neighbour := &workers.App{
		Domain: "neighbour", Version: "1", Project: "neighbour", Limits: Patience,
		Script: script(module(`if (globalThis.polluted || {}.polluted) return new Response("polluted by another project")`)),
	}
	delay, stop := watchDelay()
	defer stop()
	for i := range cases {
		c := &cases[i]
		if !c.wants[target.Level].Promised {
			continue
		}
		t.Run(c.Number, func(t *testing.T) {
			r := &run{t: t, Target: target, c: c, neighbour: neighbour, delay: delay}
			r.run()
			if target.After != nil {
				target.After(t, c)
			}
		})
	}
}

func script(code string) *workers.Script {
	return &workers.Script{Code: []byte(code), Hash: code}
}

// A run is one case at one level.
type run struct {
	*Target
	t         *testing.T
	c         *Case
	neighbour *workers.App
	delay     *delayWatch
	harm      []string // faults of this try that no load excuses
	slow      []string // faults that a busy machine may be to blame for
}

func (r *run) run() {
	for range tries {
		r.harm, r.slow = nil, nil
		r.try()
		if r.Strict || len(r.harm) > 0 || len(r.slow) == 0 {
			break
		}
		if testing.Verbose() {
			r.t.Logf("%s: late: %q", r.c.Name, r.slow)
		}
	}
	for _, fault := range append(r.harm, r.slow...) {
		r.t.Errorf("%s: %s", r.c.Name, fault)
	}
}

func (r *run) harmed(format string, args ...any) {
	r.harm = append(r.harm, fmt.Sprintf(format, args...))
}

func (r *run) late(format string, args ...any) {
	r.slow = append(r.slow, fmt.Sprintf(format, args...))
}

// try runs the case once, with a neighbour before, during and after it.
func (r *run) try() {
	app := &workers.App{
		Domain: "hostile " + r.c.Number, Version: "1", Project: "hostile" + r.c.Number, Limits: r.limits(),
		Script: script(r.c.Code), Bindings: surroundings(r.t, r.c.Number), Console: func(console.Entry) {},
	}
	r.visit(r.neighbour, "before")
	r.delay.reset()
	done := make(chan outcome, 1)
	go func() { done <- r.attack(app) }()
	time.Sleep(5 * time.Millisecond)
	r.visit(r.neighbour, "during")
	r.judge(<-done)
	r.visit(r.neighbour, "after")
	if !r.c.Final {
		r.revisit(app)
	}
}

// limits are those that the case is about.
func (r *run) limits() workers.Limits {
	if r.Strict || r.c.exhausting(r.Level) {
		return Limits
	}
	return Patience
}

// An outcome is how a hostile request ended.
type outcome struct {
	code    string // "ok", or that of an Error
	status  int
	text    string // of the response
	err     error
	took    time.Duration
	delayed time.Duration // how late this process was scheduled meanwhile
}

func (o outcome) String() string {
	if o.code == "ok" {
		return fmt.Sprintf("ok (status %d): %.200s", o.status, o.text)
	}
	return fmt.Sprintf("%v", o.err)
}

func (r *run) attack(app *workers.App) (o outcome) {
	q := &workers.Request{Method: "GET", URL: "http://hostile.test/"}
	if r.c.Cron {
		q = &workers.Request{Scheduled: &workers.Scheduled{Cron: "* * * * *", Time: time.Now()}}
	}
	if r.c.Body > 0 {
		q.Method, q.Length, q.Body = "POST", int64(r.c.Body), strings.NewReader(strings.Repeat("x", r.c.Body))
	}
	start := time.Now()
	defer func() { o.took, o.delayed = time.Since(start), r.delay.most() }()
	res, err := r.Fetch(r.t.Context(), app, q)
	if err != nil {
		return failed(err)
	}
	o = outcome{code: "ok", status: res.Status, text: string(res.Bytes)}
	if res.Body == nil {
		return o
	}
	defer res.Body.Close()
	var body strings.Builder
	buf := make([]byte, 64<<10)
	for {
		n, err := res.Body.Read(buf)
		if body.Len() < 1<<10 {
			body.Write(buf[:n])
		}
		if err == io.EOF {
			o.text = body.String()
			return o
		}
		if err != nil {
			return failed(err)
		}
		if r.c.Slow {
			time.Sleep(time.Millisecond)
		}
	}
}

func failed(err error) outcome {
	var e *workers.Error
	if errors.As(err, &e) {
		return outcome{code: e.Code, err: err}
	}
	return outcome{code: "an error of no code", err: err}
}

// judge compares an outcome with what is promised.
func (r *run) judge(o outcome) {
	want := r.c.wants[r.Level]
	switch {
	case r.promised(want, o):
	case exhaustion[o.code]:
		r.late("%v, want %v", o, want)
	default:
		r.harmed("%v, want %v", o, want)
	}
	limit := r.limits().Wall
	if r.Strict && o.code == "limit_cpu" && !slices.Contains(want.Codes, "limit_wall") {
		limit = Limits.CPU // it does not wait for anything
	}
	if o.took > limit+r.slack(o.delayed) && (r.c.Late == "" || r.Level != InProcess) {
		r.late("ended after %v, want %v (this process was %v late)", o.took, limit+Slack, o.delayed)
	}
	if testing.Verbose() {
		r.t.Logf("%-45s %v %v", r.c.Name, o.took.Round(time.Millisecond), firstLine(o.String()))
	}
}

func (r *run) promised(want Want, o outcome) bool {
	for _, code := range want.Codes {
		if code == o.code && (code != "ok" || o.status == want.Status && (want.Text == "" || o.text == want.Text)) {
			return true
		}
	}
	return !r.Strict && exhaustion[o.code] && r.c.exhausting(r.Level)
}

func (r *run) slack(delayed time.Duration) time.Duration {
	if r.Strict {
		return Slack
	}
	return Slack + tolerance + 10*delayed
}

// revisit makes sure that the project itself is served again. A worker that ended
// nearly full of the garbage of a request may run out of memory at the next, and
// is then replaced.
func (r *run) revisit(app *workers.App) {
	_, err := r.Fetch(r.t.Context(), app, &workers.Request{Method: "HEAD", URL: "http://well.test/"})
	var e *workers.Error
	if errors.As(err, &e) && e.Code == "limit_memory" {
		r.t.Logf("%s: the next request ran out of memory", r.c.Name)
		err = nil
	}
	if err != nil {
		r.unserved(app, "after", err)
		return
	}
	r.visit(app, "after")
}

// visit makes sure that a project answers at once.
func (r *run) visit(app *workers.App, when string) {
	r.delay.reset()
	start := time.Now()
	res, err := r.Fetch(r.t.Context(), app, &workers.Request{Method: "HEAD", URL: "http://well.test/"})
	took := time.Since(start)
	if err != nil {
		r.unserved(app, when, err)
		return
	}
	if got := string(res.Bytes); got != "ok" {
		r.harmed("%s, %s answered %.100q", when, app.Project, got)
	}
	if slack := r.slack(r.delay.most()); took > slack {
		r.late("%s, %s waited %v", when, app.Project, took)
	}
}

func (r *run) unserved(app *workers.App, when string, err error) {
	fault := r.harmed
	if code := failed(err).code; exhaustion[code] || code == "unavailable" {
		fault = r.late
	}
	fault("%s, %s was not served: %v", when, app.Project, err)
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return s[:min(len(s), 150)]
}
