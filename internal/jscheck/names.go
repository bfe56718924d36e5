package jscheck

import (
	"maps"
	"slices"
	"strings"
)

// A Category is the kind of what is blocked.
type Category string

// The categories.
const (
	Storage  Category = "storage"
	Network  Category = "network"
	DOM      Category = "dom"
	Code     Category = "code"
	Workers  Category = "workers"
	Timers   Category = "timers"
	Memory   Category = "memory"
	Modules  Category = "modules"
	Internal Category = "internals" // constructor and __proto__
	Loops    Category = "loops"
	Unknown  Category = "unknown" // a global that scripts don't have
	Syntax   Category = "syntax"  // what is no script at all
	Size     Category = "size"
)

// instead has what to use in the place of what is blocked. Categories that are not in it need no replacement.
var instead = map[Category]string{
	Storage: "use rtcAgent.readFile and rtcAgent.writeFile",
	Network: "call a granted function with rtcAgent.callFunction(name, args)",
	DOM:     "call a granted function, as in rtcAgent.<group>.<function>()",
	Timers:  "use await rtcAgent.system.delay(ms)",
	Loops:   "use for…of, a for with a bound, or the methods of arrays",
	Unknown: "declare it, or use what scripts have: the objects of the language, console, params and rtcAgent",
}

// Instead returns what to use in the place of what c blocks, or "" if nothing replaces it.
func (c Category) Instead() string { return instead[c] }

// names are the globals that are blocked, by category.
var names = map[Category]string{
	Storage: "localStorage sessionStorage indexedDB caches cookieStore",
	Network: "fetch XMLHttpRequest WebSocket EventSource BroadcastChannel",
	DOM:     "window self document navigator location history screen alert confirm prompt",
	Code:    "eval Function globalThis global",
	Workers: "Worker SharedWorker ServiceWorker importScripts",
	Timers:  "setTimeout setInterval",
	Memory:  "SharedArrayBuffer Atomics",
	Modules: "require module exports __dirname __filename",
}

// blocked has the category of each name.
var blocked = func() map[string]Category {
	m := map[string]Category{}
	for c, list := range names {
		for name := range strings.FieldsSeq(list) {
			m[name] = c
		}
	}
	return m
}()

// allowed are the globals of scripts: those of the language that have no effect outside, and what
// runs a script gives it.
var allowed = func() map[string]bool {
	m := map[string]bool{}
	for name := range strings.FieldsSeq(`
		Promise Date Math JSON Array Object String Number Boolean Error
		Map Set WeakMap WeakSet RegExp Symbol BigInt
		TypeError RangeError ReferenceError SyntaxError URIError AggregateError
		parseInt parseFloat isNaN isFinite encodeURIComponent decodeURIComponent encodeURI decodeURI atob btoa
		structuredClone NaN Infinity undefined URL URLSearchParams
		console params rtcAgent`) {
		m[name] = true
	}
	return m
}()

// Allowed returns the names of the globals that a script may use, sorted.
func Allowed() []string { return slices.Sorted(maps.Keys(allowed)) }

// Blocked returns the names of globals that are blocked by name, sorted, and their categories. A global that is in neither list is blocked as unknown.
func Blocked() map[string]Category { return maps.Clone(blocked) }

// internals are the members that lead from any value to what makes code.
func internals(name string) bool { return name == "constructor" || name == "__proto__" }
