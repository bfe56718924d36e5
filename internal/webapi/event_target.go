package webapi

import (
	"slices"

	"github.com/dop251/goja"

	"samkit.dev/internal/jsrt"
)

// An eventTarget is what an EventTarget carries. Classes that are event targets embed it.
type eventTarget struct {
	listeners []*listener
	// changed, if set, is told that the number of listeners changed.
	changed func()
}

// targets is any carried state that is an event target.
type targets interface{ events() *eventTarget }

func (t *eventTarget) events() *eventTarget { return t }

// A listener is called for events of one type.
type listener struct {
	typ           string
	callback      *goja.Object
	capture, once bool
	passive       bool
	removed       bool
	attribute     bool   // set by an event handler attribute, such as onabort
	forget        func() // stops waiting for the signal that removes it
}

// has reports whether anything listens for a type.
func (t *eventTarget) has(typ string) bool {
	return slices.ContainsFunc(t.listeners, func(l *listener) bool { return l.typ == typ })
}

func (t *eventTarget) add(l *listener) {
	// The list is copied on every change, so that a dispatch in progress keeps its own.
	t.listeners = append(slices.Clip(t.listeners), l)
	if t.changed != nil {
		t.changed()
	}
}

func (t *eventTarget) remove(l *listener) {
	if l.removed {
		return
	}
	l.removed = true
	if l.forget != nil {
		l.forget()
	}
	t.listeners = slices.DeleteFunc(slices.Clone(t.listeners), func(x *listener) bool { return x == l })
	if t.changed != nil {
		t.changed()
	}
}

func (t *eventTarget) find(typ string, callback *goja.Object, capture bool) *listener {
	for _, l := range t.listeners {
		if !l.attribute && l.typ == typ && l.callback == callback && l.capture == capture {
			return l
		}
	}
	return nil
}

// dispatch calls the listeners and reports whether none prevented the default.
// What they throw goes to the host as uncaught.
func (r *Realm) dispatch(t *eventTarget, target *goja.Object, e *event, object *goja.Object) bool {
	e.target, e.current, e.phase, e.dispatching = target, target, phaseAtTarget, true
	if !e.stopped {
		list := t.listeners
		for _, capture := range []bool{true, false} { // at the target, capturing listeners come first
			for _, l := range list {
				if l.typ == e.typ && l.capture == capture && !l.removed && !e.stoppedNow {
					r.deliver(t, l, target, e, object)
				}
			}
		}
	}
	e.current, e.phase, e.dispatching = nil, phaseNone, false
	e.stopped, e.stoppedNow = false, false
	return !e.canceled
}

func (r *Realm) deliver(t *eventTarget, l *listener, target *goja.Object, e *event, object *goja.Object) {
	if l.once {
		t.remove(l)
	}
	e.passive = l.passive
	r.report(func() {
		fn, this := r.listenerFunc(l, target)
		if fn != nil {
			if v := r.Call(fn, this, object); l.attribute && v != nil && v.StrictEquals(r.VM.ToValue(false)) {
				e.cancel()
			}
		}
	})
	e.passive = false
}

// listenerFunc finds what to call: the callback itself or its handleEvent.
func (r *Realm) listenerFunc(l *listener, target *goja.Object) (goja.Callable, goja.Value) {
	if fn, ok := goja.AssertFunction(l.callback); ok {
		return fn, target
	}
	if l.attribute {
		return nil, nil
	}
	fn, ok := goja.AssertFunction(l.callback.Get("handleEvent"))
	if !ok {
		r.TypeError("The event listener's handleEvent is not a function")
	}
	return fn, l.callback
}

// fire dispatches an event that the platform makes. It does nothing if nobody listens.
func (r *Realm) fire(t *eventTarget, target *goja.Object, typ string) {
	if t.has(typ) {
		e := r.trustedEvent(typ)
		r.dispatch(t, target, e, r.eventClass().New(e))
	}
}

func (r *Realm) eventTargetClass() *jsrt.Class {
	construct := func(goja.ConstructorCall) any { return &eventTarget{} }
	return r.Class("EventTarget", 0, construct, func(c *jsrt.Class) {
		self := func(v goja.Value) *eventTarget { return jsrt.This[targets](r.Runtime, v).events() }
		c.Method("addEventListener", 2, func(f goja.FunctionCall) goja.Value {
			t := self(f.This)
			r.argc(f, 2, "addEventListener on EventTarget")
			r.addListener(t, r.str(f.Argument(0)), f.Argument(1), f.Argument(2))
			return goja.Undefined()
		})
		c.Method("removeEventListener", 2, func(f goja.FunctionCall) goja.Value {
			t := self(f.This)
			r.argc(f, 2, "removeEventListener on EventTarget")
			r.removeListener(t, r.str(f.Argument(0)), f.Argument(1), f.Argument(2))
			return goja.Undefined()
		})
		c.Method("dispatchEvent", 1, func(f goja.FunctionCall) goja.Value {
			t := self(f.This)
			r.argc(f, 1, "dispatchEvent on EventTarget")
			return r.dispatchEvent(t, f.This.(*goja.Object), f.Argument(0))
		})
	})
}

func (r *Realm) removeListener(t *eventTarget, typ string, callback, options goja.Value) {
	fn, capture := r.callback(callback), captureOption(options)
	if fn == nil {
		return
	}
	if l := t.find(typ, fn, capture); l != nil {
		t.remove(l)
	}
}

// dispatchEvent dispatches an event of the code's own.
func (r *Realm) dispatchEvent(t *eventTarget, target *goja.Object, v goja.Value) goja.Value {
	ev, ok := jsrt.Is[events](v)
	if !ok {
		r.TypeError("Failed to execute 'dispatchEvent' on 'EventTarget': parameter 1 is not of type 'Event'.")
	}
	e := ev.asEvent()
	if e.dispatching || !e.initialized {
		r.throw("InvalidStateError", "The event is already being dispatched.")
	}
	e.trusted = false
	return r.VM.ToValue(r.dispatch(t, target, e, v.(*goja.Object)))
}

// callback converts to Web IDL's EventListener?: an object, or nil for null and undefined.
func (r *Realm) callback(v goja.Value) *goja.Object {
	if !jsrt.Defined(v) {
		return nil
	}
	o, ok := v.(*goja.Object)
	if !ok {
		r.TypeError("The event listener is not an object")
	}
	return o
}

func captureOption(v goja.Value) bool {
	if o, ok := v.(*goja.Object); ok {
		return flag(o, "capture")
	}
	return v.ToBoolean()
}

func (r *Realm) addListener(t *eventTarget, typ string, callback, options goja.Value) {
	l := &listener{typ: typ, callback: r.callback(callback), capture: captureOption(options)}
	var signal *abortSignal
	if o, ok := options.(*goja.Object); ok {
		l.once, l.passive = flag(o, "once"), flag(o, "passive")
		if v := member(o, "signal"); v != nil {
			if signal, ok = signalOf(v); !ok {
				r.TypeError("Failed to execute 'addEventListener' on 'EventTarget': member signal is not of type 'AbortSignal'.")
			}
		}
	}
	if l.callback == nil || signal != nil && signal.aborted() || t.find(typ, l.callback, l.capture) != nil {
		return
	}
	t.add(l)
	if signal != nil {
		l.forget = signal.onAbort(func(goja.Value) { t.remove(l) })
	}
}

// handler defines an event handler attribute, such as onabort for "abort".
func (r *Realm) handler(c *jsrt.Class, typ string) {
	attribute := func(t *eventTarget) *listener {
		for _, l := range t.listeners {
			if l.attribute && l.typ == typ {
				return l
			}
		}
		return nil
	}
	self := func(v goja.Value) *eventTarget { return jsrt.This[targets](r.Runtime, v).events() }
	c.Accessor("on"+typ, func(this goja.Value) goja.Value {
		if l := attribute(self(this)); l != nil {
			return l.callback
		}
		return goja.Null()
	}, func(this, v goja.Value) {
		t := self(this)
		old := attribute(t)
		o, ok := v.(*goja.Object)
		switch {
		case !ok && old != nil:
			t.remove(old)
		case ok && old != nil:
			old.callback = o // keeps its place in the order
		case ok:
			t.add(&listener{typ: typ, callback: o, attribute: true})
		}
	})
}
