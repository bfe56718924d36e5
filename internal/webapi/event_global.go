package webapi

import (
	"github.com/dop251/goja"

	"samkit.dev/internal/jsrt"
)

// globalEventGlobals make the global object an event target. On it the platform fires
// unhandledrejection, and nothing else: handlers are exported, not added.
var globalEventGlobals = []global{
	globalEvent("addEventListener", 2, func(r *Realm, c goja.FunctionCall) goja.Value {
		r.addListener(r.globalTarget(), r.str(c.Argument(0)), c.Argument(1), c.Argument(2))
		return goja.Undefined()
	}),
	globalEvent("removeEventListener", 2, func(r *Realm, c goja.FunctionCall) goja.Value {
		r.removeListener(r.globalTarget(), r.str(c.Argument(0)), c.Argument(1), c.Argument(2))
		return goja.Undefined()
	}),
	globalEvent("dispatchEvent", 1, func(r *Realm, c goja.FunctionCall) goja.Value {
		return r.dispatchEvent(r.globalTarget(), r.Global, c.Argument(0))
	}),
	class("PromiseRejectionEvent", (*Realm).rejectionEventClass),
}

func globalEvent(name string, length int, fn func(*Realm, goja.FunctionCall) goja.Value) global {
	return function(name, length, func(r *Realm, c goja.FunctionCall) goja.Value {
		r.argc(c, length, name)
		return fn(r, c)
	})
}

// globalTarget is where the listeners of the global object are.
func (r *Realm) globalTarget() *eventTarget {
	if r.globalEvents == nil {
		r.globalEvents = &eventTarget{}
	}
	return r.globalEvents
}

func (r *Realm) rejectionEventClass() *jsrt.Class {
	return r.eventSubclass("PromiseRejectionEvent", []attribute{{"promise", undefinedInitial, nil}, {"reason", undefinedInitial, nil}})
}

// Rejected fires unhandledrejection for a promise that nothing has handled, and reports
// whether a listener prevented the default, which is to print it.
func (r *Realm) Rejected(p *goja.Promise) bool {
	const typ = "unhandledrejection"
	if r.globalEvents == nil || !r.globalEvents.has(typ) {
		return false
	}
	e := r.trustedEvent(typ)
	e.cancelable = true
	e.detail = map[string]goja.Value{"promise": r.VM.ToValue(p), "reason": p.Result()}
	return !r.dispatch(r.globalEvents, r.Global, e, r.rejectionEventClass().New(e))
}
