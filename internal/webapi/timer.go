package webapi

import (
	"time"

	"github.com/dop251/goja"

	"samkit.dev/internal/jsrt"
)

// timerGlobals are timers, microtasks and scheduler.
var timerGlobals = []global{
	function("setTimeout", 1, func(r *Realm, c goja.FunctionCall) goja.Value { return r.setTimer(c, "setTimeout", false) }),
	function("setInterval", 1, func(r *Realm, c goja.FunctionCall) goja.Value { return r.setTimer(c, "setInterval", true) }),
	function("clearTimeout", 0, (*Realm).clearTimer),
	function("clearInterval", 0, (*Realm).clearTimer),
	function("queueMicrotask", 1, (*Realm).queueMicrotask),
	function("reportError", 1, (*Realm).reportError),
	{"scheduler", (*Realm).scheduler},
}

// maxTimers is the most timers that may be set at once, as on Workers.
const maxTimers = 10000

// timers are a realm's set timers by the number that code knows them by.
type timers struct {
	last int32
	set  map[int32]*timer
}

type timer struct {
	id    int32
	fn    goja.Callable
	args  []goja.Value
	every time.Duration // the interval, or 0
	stop  func()
}

// after is Host.After, with the current request and context carried along.
func (r *Realm) after(d time.Duration, fn func()) (stop func()) {
	tracked, context := r.Tracked, r.Context
	return r.Host.After(d, func() {
		old := r.Tracked
		r.Tracked, r.Context = tracked, context
		defer func() { r.Tracked = old }()
		fn()
	})
}

func (r *Realm) setTimer(c goja.FunctionCall, name string, repeat bool) goja.Value {
	r.argc(c, 1, name)
	fn, ok := goja.AssertFunction(c.Argument(0))
	if !ok {
		r.TypeError("Failed to execute '%s': parameter 1 is not of type 'Function'.", name)
	}
	ms := r.int32(c.Argument(1))
	if len(r.timers.set) >= maxTimers {
		r.throw("QuotaExceededError", "You have exceeded the number of timeouts you may set.")
	}
	t := &timer{fn: fn}
	if len(c.Arguments) > 2 {
		t.args = append(t.args, c.Arguments[2:]...) // goja owns the slice
	}
	d := millis(int64(ms))
	if repeat {
		d = max(d, time.Millisecond) // or it would run for ever within one instant
		t.every = d
	}
	r.timers.add(t)
	t.stop = r.after(d, func() { r.ring(t) })
	return r.VM.ToValue(t.id)
}

func (ts *timers) add(t *timer) {
	if ts.set == nil {
		ts.set = map[int32]*timer{}
	}
	for {
		if ts.last++; ts.last <= 0 {
			ts.last = 1
		}
		if ts.set[ts.last] == nil {
			break
		}
	}
	t.id = ts.last
	ts.set[t.id] = t
}

// ring runs a timer that is due.
func (r *Realm) ring(t *timer) {
	if r.timers.set[t.id] != t {
		return
	}
	if t.every == 0 {
		delete(r.timers.set, t.id)
	} else {
		t.stop = r.after(t.every, func() { r.ring(t) })
	}
	r.report(func() { r.Call(t.fn, r.Global, t.args...) })
}

func (r *Realm) clearTimer(c goja.FunctionCall) goja.Value {
	id := r.int32(c.Argument(0))
	if t := r.timers.set[id]; t != nil {
		delete(r.timers.set, id)
		t.stop()
	}
	return goja.Undefined()
}

func (r *Realm) queueMicrotask(c goja.FunctionCall) goja.Value {
	r.argc(c, 1, "queueMicrotask")
	fn, ok := goja.AssertFunction(c.Argument(0))
	if !ok {
		r.TypeError("Failed to execute 'queueMicrotask': parameter 1 is not of type 'Function'.")
	}
	r.Then(r.Resolved(goja.Undefined()), func(goja.Value) goja.Value {
		r.report(func() { r.Call(fn, goja.Undefined()) })
		return nil
	}, nil)
	return goja.Undefined()
}

func (r *Realm) reportError(c goja.FunctionCall) goja.Value {
	r.argc(c, 1, "reportError")
	r.Host.Uncaught(c.Argument(0))
	return goja.Undefined()
}

// scheduler makes the global scheduler, with the wait that Workers have.
func (r *Realm) scheduler() goja.Value {
	c := r.Class("Scheduler", 0, nil, func(c *jsrt.Class) {
		type self = *schedulerState
		c.Async("wait", 1, func(f goja.FunctionCall) goja.Value {
			jsrt.This[self](r.Runtime, f.This)
			r.argc(f, 1, "wait on Scheduler")
			return r.wait(f.Argument(0), f.Argument(1))
		})
	})
	return c.New(&schedulerState{})
}

type schedulerState struct{ _ byte }

func (r *Realm) wait(delay, options goja.Value) goja.Value {
	d := millis(int64(r.number(delay)))
	var signal *abortSignal
	if v := member(r.dictionary(options, "The options"), "signal"); v != nil {
		s, ok := signalOf(v)
		if !ok {
			r.TypeError("Failed to execute 'wait' on 'Scheduler': member signal is not of type 'AbortSignal'.")
		}
		if s.aborted() {
			panic(s.reason())
		}
		signal = s
	}
	p := r.Defer()
	forget := func() {}
	stop := r.after(d, func() {
		forget()
		p.Resolve(goja.Undefined())
	})
	if signal != nil {
		forget = signal.onAbort(func(reason goja.Value) {
			stop()
			p.Reject(reason)
		})
	}
	return p.Promise
}
