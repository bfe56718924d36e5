package webapi

import (
	"testing"

	"github.com/dop251/goja"
)

func TestTimers(t *testing.T) {
	runScripts(t, []script{
		{`new Promise(f => setTimeout(f, 5, "arg"))`, "arg"},
		{`new Promise(f => setTimeout(function (a, b) { f([this === globalThis, a, b].join()) }, 0, 1, 2))`, "true,1,2"},
		{`typeof setTimeout(() => 1)`, "number"},
		{`let s = ""; new Promise(f => { setTimeout(() => s += "c", 2); setTimeout(() => s += "a", 1); setTimeout(() => s += "b", 1); setTimeout(() => f(s), 3) })`, "abc"},
		{`let s = ""; new Promise(f => { setTimeout(() => f(s), 1); let id = setTimeout(() => s = "bad", 0); clearTimeout(id) })`, ""},
		{`let n = 0; new Promise(f => { let id = setInterval(() => { if (++n === 3) { clearInterval(id); setTimeout(() => f(n + "@" + performance.now()), 100) } }, 10) })`, "3@130"},
		{`let n = 0; new Promise(f => { let id = setInterval(() => { n++ }, 0); setTimeout(() => { clearTimeout(id); f(n) }, 5) })`, "4"},
		{`clearTimeout(); clearTimeout(null); clearTimeout("x"); clearTimeout(-1); clearTimeout(1e99); clearTimeout(NaN)`, "undefined"},
		{`setTimeout("code")`, "! TypeError: Failed to execute 'setTimeout': parameter 1 is not of type 'Function'."},
		{`setTimeout()`, "! TypeError: Failed to execute 'setTimeout': 1 argument required, but only 0 present."},
		{`setTimeout(() => 1, Symbol())`, "! TypeError: Cannot convert a Symbol value to a number"},
		{`new Promise(f => setTimeout(() => f(performance.now()), -5))`, "0"},
		{`new Promise(f => setTimeout(() => f(performance.now()), NaN))`, "0"},
		{`new Promise(f => setTimeout(() => f(performance.now()), {valueOf: () => "7"}))`, "7"},
		{`for (let i = 0; i < 10001; i++) setTimeout(() => 1, 1)`, "! QuotaExceededError: You have exceeded the number of timeouts you may set."},
		{`let s = ""; queueMicrotask(() => s += "b"); s += "a"; new Promise(f => setTimeout(() => f(s), 0))`, "ab"},
		{`let s = ""; Promise.resolve().then(() => s += 1); queueMicrotask(() => s += 2); Promise.resolve().then(() => s += 3); new Promise(f => setTimeout(() => f(s)))`, "123"},
		{`queueMicrotask(5)`, "! TypeError: Failed to execute 'queueMicrotask': parameter 1 is not of type 'Function'."},
		{`scheduler.wait(20).then(() => performance.now())`, "20"},
		{`scheduler.wait(20, {signal: AbortSignal.abort("no")})`, "! no"},
		{`let c = new AbortController; setTimeout(() => c.abort("late"), 5); scheduler.wait(20, {signal: c.signal})`, "! late"},
		{`scheduler.wait()`, "! TypeError: Failed to execute 'wait' on 'Scheduler': 1 argument required, but only 0 present."},
		{`scheduler.wait.call({}, 1)`, "! TypeError: Illegal invocation: function called with incorrect `this` reference."},
		{`scheduler.wait(1, {signal: {}})`, "! TypeError: Failed to execute 'wait' on 'Scheduler': member signal is not of type 'AbortSignal'."},
	})
}

func TestTimerThrows(t *testing.T) {
	r := newTestRealm(t)
	eval(t, r, `setTimeout(() => { throw new Error("t") }); queueMicrotask(() => { throw new Error("m") }); reportError("r"); 0`)
	drain(t, r)
	if got := uncaught(r); got != "r; Error: m; Error: t" {
		t.Error(got)
	}
}

// A timer runs with what was tracked when it was set.
func TestTimersAreTracked(t *testing.T) {
	r := newTestRealm(t)
	var seen []any
	r.VM.Set("see", func(goja.FunctionCall) goja.Value { seen = append(seen, r.Tracked); return goja.Undefined() })
	for _, who := range []string{"one", "two"} {
		r.Tracked = who
		eval(t, r, `{ let id = setInterval(() => { see(); if (++globalThis.n > 3) clearInterval(id) }, 1) }; globalThis.n = 0; 0`)
	}
	r.Tracked = nil
	drain(t, r)
	if len(seen) < 4 || seen[0] != "one" || seen[1] != "two" || seen[2] != "one" || r.Tracked != nil {
		t.Errorf("%v, then %v", seen, r.Tracked)
	}
}
