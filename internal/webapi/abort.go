package webapi

import (
	"slices"
	"weak"

	"github.com/dop251/goja"

	"samkit.dev/internal/jsrt"
)

// abortGlobals are AbortController and AbortSignal.
var abortGlobals = []global{
	class("AbortController", (*Realm).abortControllerClass),
	class("AbortSignal", (*Realm).abortSignalClass),
}

// An abortSignal is what an AbortSignal carries. It belongs to its realm's goroutine.
type abortSignal struct {
	eventTarget
	r     *Realm
	self  *goja.Object
	why   goja.Value // nil until aborted
	steps []*abortStep

	// A signal made by AbortSignal.any has sources, none of which has any itself.
	// They know it weakly, so that it can be collected while they live on,
	// and hold it only while something waits for it.
	sources    []*abortSignal
	dependents []weak.Pointer[abortSignal]
	held       map[*abortSignal]bool
}

type abortStep struct{ fn func(reason goja.Value) }

// signalOf returns the signal that v carries.
func signalOf(v goja.Value) (*abortSignal, bool) { return jsrt.Is[*abortSignal](v) }

// newAbortSignal returns a signal that nothing has aborted.
func (r *Realm) newAbortSignal() *abortSignal {
	s := &abortSignal{r: r}
	s.changed = s.hold
	return s
}

// object returns the signal's AbortSignal, always the same.
func (s *abortSignal) object(*Realm) goja.Value {
	if s.self == nil {
		s.self = s.r.abortSignalClass().New(s)
	}
	return s.self
}

// aborted reports whether the signal has been aborted.
func (s *abortSignal) aborted() bool { return s.why != nil }

// reason returns what the signal was aborted with, or undefined.
func (s *abortSignal) reason() goja.Value {
	if s.why == nil {
		return goja.Undefined()
	}
	return s.why
}

// onAbort has fn run when the signal is aborted, before its event fires; never
// if it is aborted already. remove can be called at any time.
func (s *abortSignal) onAbort(fn func(reason goja.Value)) (remove func()) {
	if s.aborted() {
		return func() {}
	}
	step := &abortStep{fn}
	s.steps = append(s.steps, step)
	s.hold()
	return func() {
		step.fn = nil
		s.steps = slices.DeleteFunc(s.steps, func(x *abortStep) bool { return x == step })
		s.hold()
	}
}

// hold has the sources keep the signal exactly while something waits for it.
func (s *abortSignal) hold() {
	waiting := !s.aborted() && (len(s.steps) > 0 || len(s.listeners) > 0)
	for _, src := range s.sources {
		if !waiting {
			delete(src.held, s)
			continue
		}
		if src.held == nil {
			src.held = map[*abortSignal]bool{}
		}
		src.held[s] = true
	}
}

// follow makes the signal abort with a source.
func (s *abortSignal) follow(src *abortSignal) {
	if slices.Contains(s.sources, src) {
		return
	}
	s.sources = append(s.sources, src)
	if n := len(src.dependents); n == cap(src.dependents) { // about to grow: forget the dead
		src.dependents = slices.DeleteFunc(src.dependents, func(p weak.Pointer[abortSignal]) bool { return p.Value() == nil })
	}
	src.dependents = append(src.dependents, weak.Make(s))
}

// abort aborts the signal and those that depend on it, once. A nil or undefined
// reason means an AbortError. It must be called within a turn.
func (s *abortSignal) abort(reason goja.Value) {
	if s.aborted() {
		return
	}
	if reason == nil || goja.IsUndefined(reason) {
		reason = s.r.DOMException("AbortError", "The operation was aborted")
	}
	all := []*abortSignal{s}
	for _, p := range s.dependents {
		if d := p.Value(); d != nil && !d.aborted() {
			all = append(all, d)
		}
	}
	for _, x := range all { // first the states, since steps may look at other signals
		x.why = reason
	}
	for _, x := range all {
		x.run()
	}
	s.dependents = nil
}

func (s *abortSignal) run() {
	steps := s.steps
	s.steps = nil
	for _, step := range steps {
		if fn := step.fn; fn != nil {
			s.r.report(func() { fn(s.why) })
		}
	}
	if s.has("abort") {
		s.r.fire(&s.eventTarget, s.object(s.r).(*goja.Object), "abort")
	}
	s.hold()
	s.sources = nil
}

func (r *Realm) abortControllerClass() *jsrt.Class {
	type controller struct{ signal *abortSignal }
	construct := func(goja.ConstructorCall) any { return &controller{r.newAbortSignal()} }
	return r.Class("AbortController", 0, construct, func(c *jsrt.Class) {
		self := func(v goja.Value) *abortSignal { return jsrt.This[*controller](r.Runtime, v).signal }
		c.Getter("signal", func(this goja.Value) goja.Value { return self(this).object(r) })
		c.Method("abort", 0, func(f goja.FunctionCall) goja.Value {
			self(f.This).abort(f.Argument(0))
			return goja.Undefined()
		})
	})
}

func (r *Realm) abortSignalClass() *jsrt.Class {
	if c := r.classes.abortSignal; c != nil {
		return c
	}
	r.classes.abortSignal = r.Class("AbortSignal", 0, nil, func(c *jsrt.Class) {
		c.Extends(r.eventTargetClass())
		self := func(v goja.Value) *abortSignal { return jsrt.This[*abortSignal](r.Runtime, v) }
		c.Getter("aborted", func(this goja.Value) goja.Value { return r.VM.ToValue(self(this).aborted()) })
		c.Getter("reason", func(this goja.Value) goja.Value { return self(this).reason() })
		c.Method("throwIfAborted", 0, func(f goja.FunctionCall) goja.Value {
			if s := self(f.This); s.aborted() {
				panic(s.why)
			}
			return goja.Undefined()
		})
		r.handler(c, "abort")
		c.Static("abort", 0, func(f goja.FunctionCall) goja.Value {
			s := r.newAbortSignal()
			s.abort(f.Argument(0))
			return s.object(r)
		})
		c.Static("timeout", 1, func(f goja.FunctionCall) goja.Value {
			r.argc(f, 1, "timeout on AbortSignal")
			return r.timeoutSignal(r.enforceRange(f.Argument(0), "The timeout")).object(r)
		})
		c.Static("any", 1, func(f goja.FunctionCall) goja.Value {
			r.argc(f, 1, "any on AbortSignal")
			return r.anySignal(f.Argument(0)).object(r)
		})
	})
	return r.classes.abortSignal
}

func (r *Realm) timeoutSignal(ms int64) *abortSignal {
	s := r.newAbortSignal()
	r.after(millis(ms), func() {
		s.abort(r.DOMException("TimeoutError", "The operation was aborted due to timeout"))
	})
	return s
}

// maxAnySignals bounds what AbortSignal.any takes, since an iterable may never end.
const maxAnySignals = 10000

func (r *Realm) anySignal(list goja.Value) *abortSignal {
	o, ok := list.(*goja.Object)
	if !ok {
		r.TypeError("Failed to execute 'any' on 'AbortSignal': parameter 1 is not iterable.")
	}
	var all []*abortSignal
	r.VM.ForOf(o, func(v goja.Value) bool {
		s, ok := signalOf(v)
		if !ok {
			r.TypeError("Failed to execute 'any' on 'AbortSignal': a member is not of type 'AbortSignal'.")
		}
		if len(all) == maxAnySignals {
			r.RangeError("AbortSignal.any takes at most %d signals", maxAnySignals)
		}
		all = append(all, s)
		return true
	})
	s := r.newAbortSignal()
	for _, src := range all {
		if src.aborted() {
			s.why = src.why
			return s
		}
	}
	for _, src := range all {
		if len(src.sources) == 0 {
			s.follow(src)
		}
		for _, indirect := range src.sources {
			s.follow(indirect)
		}
	}
	return s
}
