package webapi

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dop251/goja"

	"samkit.dev/internal/jsrt"
)

// fakeHost is a Host with a clock that moves only when timers are due.
type fakeHost struct {
	now      time.Time
	timers   []*fakeTimer // by due time, then in the order they were set
	logs     []string     // "LEVEL text"
	stacks   [][]goja.StackFrame
	uncaught []goja.Value
}

type fakeTimer struct {
	due time.Time
	fn  func()
}

func newFakeHost() *fakeHost { return &fakeHost{now: time.UnixMilli(1_700_000_000_000)} }

func (h *fakeHost) Log(level slog.Level, text string, stack []goja.StackFrame) {
	h.logs = append(h.logs, level.String()+" "+text)
	h.stacks = append(h.stacks, stack)
}

func (h *fakeHost) After(d time.Duration, fn func()) (stop func()) {
	t := &fakeTimer{h.now.Add(d), fn}
	at := len(h.timers)
	for at > 0 && h.timers[at-1].due.After(t.due) {
		at--
	}
	h.timers = slices.Insert(h.timers, at, t)
	return func() {
		h.timers = slices.DeleteFunc(h.timers, func(x *fakeTimer) bool { return x == t })
	}
}

func (h *fakeHost) Now() time.Time { return h.now }

func (h *fakeHost) Uncaught(v goja.Value) { h.uncaught = append(h.uncaught, v) }

// step moves the clock to the next due timer and runs it, in a turn of its own.
func (h *fakeHost) step(rt *jsrt.Runtime) (ran bool, err error) {
	if len(h.timers) == 0 {
		return false, nil
	}
	t := h.timers[0]
	h.timers = h.timers[1:]
	if t.due.After(h.now) {
		h.now = t.due
	}
	return true, rt.Turn(t.fn)
}

func newTestRealm(t testing.TB) *Realm {
	t.Helper()
	return Install(jsrt.New(), newFakeHost())
}

// host returns the fake that a test realm stands on.
func host(r *Realm) *fakeHost { return r.Host.(*fakeHost) }

// run runs a script and then its jobs.
func run(r *Realm, src string) (goja.Value, error) {
	var v goja.Value
	err := r.Turn(func() {
		var err error
		if v, err = r.VM.RunString(src); err != nil {
			panic(err)
		}
	})
	return v, err
}

// eval returns the completion value of a script; an exception fails the test.
func eval(t testing.TB, r *Realm, src string) goja.Value {
	t.Helper()
	v, err := run(r, src)
	if err != nil {
		t.Fatalf("%s\n%v", src, err)
	}
	return v
}

// maxSteps is how many timers evalAsync runs before it gives up.
const maxSteps = 10000

// evalAsync runs a script whose value is a promise, runs timers until it is
// settled and returns its result as a string. A rejection is "! " and the reason.
func evalAsync(t testing.TB, r *Realm, src string) string {
	t.Helper()
	p, ok := jsrt.IsPromise(eval(t, r, src))
	if !ok {
		t.Fatalf("%s: no promise", src)
	}
	for range maxSteps {
		switch p.State() {
		case goja.PromiseStateFulfilled:
			return text(r, p.Result())
		case goja.PromiseStateRejected:
			return "! " + text(r, p.Result())
		}
		ran, err := host(r).step(r.Runtime)
		if err != nil {
			t.Fatalf("%s: a timer: %v", src, err)
		}
		if !ran {
			t.Fatalf("%s: never settles", src)
		}
	}
	t.Fatalf("%s: not settled after %d timers", src, maxSteps)
	return ""
}

// drain runs all timers.
func drain(t testing.TB, r *Realm) {
	t.Helper()
	for range maxSteps {
		ran, err := host(r).step(r.Runtime)
		if err != nil {
			t.Fatal(err)
		}
		if !ran {
			return
		}
	}
	t.Fatalf("timers left after %d", maxSteps)
}

// text is the String of a value.
func text(r *Realm, v goja.Value) (s string) {
	if ex := r.VM.Try(func() { s = v.String() }); ex != nil {
		return "String throws " + ex.Error()
	}
	return s
}

// script is a row of a table: what a script's value is as a string. Where want
// starts with "! ", it throws. A promise is awaited.
type script struct{ src, want string }

// runScripts runs each row in a realm of its own.
func runScripts(t *testing.T, rows []script) {
	t.Helper()
	for _, row := range rows {
		t.Run("", func(t *testing.T) {
			r := newTestRealm(t)
			if got := outcome(t, r, row.src); got != row.want {
				t.Errorf("%s\n got %s\nwant %s", row.src, got, row.want)
			}
		})
	}
}

func outcome(t *testing.T, r *Realm, src string) string {
	t.Helper()
	v, err := run(r, src)
	var ex *goja.Exception
	if errors.As(err, &ex) {
		return "! " + text(r, ex.Value())
	}
	if err != nil {
		return "!! " + err.Error()
	}
	p, ok := jsrt.IsPromise(v)
	if !ok {
		return text(r, v)
	}
	for range maxSteps {
		switch p.State() {
		case goja.PromiseStateFulfilled:
			return text(r, p.Result())
		case goja.PromiseStateRejected:
			return "! " + text(r, p.Result())
		}
		if ran, err := host(r).step(r.Runtime); err != nil || !ran {
			return fmt.Sprint("pending ", err)
		}
	}
	return "pending"
}

// uncaught lists what the host was given, as strings.
func uncaught(r *Realm) string {
	var s []string
	for _, v := range host(r).uncaught {
		s = append(s, text(r, v))
	}
	return strings.Join(s, "; ")
}

func BenchmarkInstall(b *testing.B) {
	h := newFakeHost()
	b.ReportAllocs()
	for b.Loop() {
		Install(jsrt.New(), h)
	}
}

func BenchmarkInstallWithout(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		jsrt.New()
	}
}

func callable(v goja.Value) (goja.Callable, bool) { return goja.AssertFunction(v) }

// discard is a host that keeps no logs.
type discard struct{ *fakeHost }

func (discard) Log(slog.Level, string, []goja.StackFrame) {}
