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

// Slack is how much later than its limit a request may end.
const Slack = 300 * time.Millisecond

// A Target is what the corpus runs against.
type Target struct {
	Level Level
	// Fetch answers a request, as [workers.Pool.Fetch] does. Its limits are [Limits].
	Fetch func(context.Context, *workers.App, *workers.Request) (*workers.Response, error)
	// Strict demands that what burns CPU time ends by its CPU limit and in
	// its time. Without it, on a machine that is busy with other things, the wall
	// clock's limit may come first, and all times are stretched by how late
	// this process itself was scheduled.
	Strict bool
}

// Run runs cases one after the other as subtests. Each must end in time and as it is
// promised at the target's level; meanwhile and afterwards another project is
// served at once, and then the project itself.
func Run(t *testing.T, target *Target, cases []Case) {
	neighbour := &workers.App{
		Domain: "neighbour", Version: "1", Project: "neighbour", Limits: Limits,
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
}

func (r *run) run() {
	app := &workers.App{
		Domain: "hostile " + r.c.Number, Version: "1", Project: "hostile" + r.c.Number, Limits: Limits,
		Script: script(r.c.Code), Bindings: surroundings(r.t, r.c.Number), Console: func(console.Entry) {},
	}
	r.visit(r.neighbour, "before")
	r.delay.reset()
	done := make(chan outcome, 1)
	go func() { done <- r.attack(app) }()
	time.Sleep(5 * time.Millisecond)
	r.visit(r.neighbour, "during")
	o := <-done
	if r.late(o) {
		o = r.attack(app)
	}
	r.judge(o)
	r.visit(r.neighbour, "after")
	if !r.c.Final {
		r.revisit(app)
	}
}

// late reports that a request met a limit of time that it should not have met:
// a busy machine may be to blame, once.
func (r *run) late(o outcome) bool {
	return !r.Strict && (o.code == "limit_cpu" || o.code == "limit_wall") && !r.promised(r.c.wants[r.Level], o)
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
	if !r.promised(want, o) {
		r.t.Errorf("%s: %v, want %v", r.c.Name, o, want)
	}
	limit := Limits.Wall
	if r.Strict && o.code == "limit_cpu" && !slices.Contains(want.Codes, "limit_wall") {
		limit = Limits.CPU // it does not wait for anything
	}
	if o.took > limit+r.slack(o.delayed) {
		r.t.Errorf("%s: ended after %v, want %v (this process was %v late)", r.c.Name, o.took, limit+Slack, o.delayed)
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
		if code == "limit_cpu" && o.code == "limit_wall" && !r.Strict && o.took >= Limits.Wall {
			return true // the machine had no time for it
		}
	}
	return false
}

func (r *run) slack(delayed time.Duration) time.Duration {
	if r.Strict {
		return Slack
	}
	return Slack + 4*delayed
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
		r.t.Errorf("%s: after, the project was not served: %v", r.c.Name, err)
		return
	}
	r.visit(app, "after")
}

// visit makes sure that a project answers at once.
func (r *run) visit(app *workers.App, when string) {
	r.t.Helper()
	r.delay.reset()
	start := time.Now()
	res, err := r.Fetch(r.t.Context(), app, &workers.Request{Method: "HEAD", URL: "http://well.test/"})
	took := time.Since(start)
	if err != nil {
		r.t.Errorf("%s: %s, %s was not served: %v", r.c.Name, when, app.Project, err)
		return
	}
	if got := string(res.Bytes); got != "ok" {
		r.t.Errorf("%s: %s, %s answered %.100q", r.c.Name, when, app.Project, got)
	}
	if slack := r.slack(r.delay.most()); took > slack {
		r.t.Errorf("%s: %s, %s waited %v", r.c.Name, when, app.Project, took)
	}
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return s[:min(len(s), 150)]
}
