package webapi

import (
	"time"

	"github.com/dop251/goja"

	"samkit.dev/internal/jsrt"
)

// eventGlobals are the classes of events and EventTarget.
var eventGlobals = []global{
	class("Event", (*Realm).eventClass),
	class("CustomEvent", (*Realm).customEventClass),
	class("ErrorEvent", (*Realm).errorEventClass),
	class("MessageEvent", (*Realm).messageEventClass),
	class("EventTarget", (*Realm).eventTargetClass),
}

// Phases of an event.
const (
	phaseNone     = 0
	phaseAtTarget = 2
)

// An event is what an Event carries, whatever its class.
type event struct {
	typ                           string
	bubbles, cancelable, composed bool
	trusted                       bool
	target, current               goja.Value
	phase                         int
	stopped, stoppedNow           bool
	canceled, passive             bool
	dispatching, initialized      bool
	time                          float64
	detail                        map[string]goja.Value // the attributes of subclasses
}

// events is any carried state that is an event.
type events interface{ asEvent() *event }

func (e *event) asEvent() *event { return e }

func (e *event) cancel() {
	if e.cancelable && !e.passive {
		e.canceled = true
	}
}

// newEvent makes an event from the arguments of a constructor.
func (r *Realm) newEvent(c goja.ConstructorCall, class string) (*event, *goja.Object) {
	r.ctorArgc(c, 1, class)
	e := &event{typ: r.str(c.Argument(0)), initialized: true, time: r.elapsed()}
	init := r.dictionary(c.Argument(1), "The "+class+"'s options")
	e.bubbles, e.cancelable, e.composed = flag(init, "bubbles"), flag(init, "cancelable"), flag(init, "composed")
	return e, init
}

// trustedEvent makes an event that the platform fires.
func (r *Realm) trustedEvent(typ string) *event {
	return &event{typ: typ, trusted: true, initialized: true, time: r.elapsed()}
}

// elapsed is the time since the realm was made, in milliseconds.
func (r *Realm) elapsed() float64 {
	return float64(r.Host.Now().Sub(r.started)) / float64(time.Millisecond)
}

func (r *Realm) eventClass() *jsrt.Class {
	construct := func(c goja.ConstructorCall) any {
		e, _ := r.newEvent(c, "Event")
		return e
	}
	return r.Class("Event", 1, construct, r.defineEvent)
}

func (r *Realm) defineEvent(c *jsrt.Class) {
	self := func(v goja.Value) *event { return jsrt.This[events](r.Runtime, v).asEvent() }
	get := func(name string, of func(*event) any) {
		c.Getter(name, func(this goja.Value) goja.Value { return r.VM.ToValue(of(self(this))) })
	}
	object := func(v goja.Value) any {
		if v == nil {
			return goja.Null()
		}
		return v
	}
	get("type", func(e *event) any { return e.typ })
	get("target", func(e *event) any { return object(e.target) })
	get("srcElement", func(e *event) any { return object(e.target) })
	get("currentTarget", func(e *event) any { return object(e.current) })
	get("eventPhase", func(e *event) any { return e.phase })
	get("bubbles", func(e *event) any { return e.bubbles })
	get("cancelable", func(e *event) any { return e.cancelable })
	get("composed", func(e *event) any { return e.composed })
	get("defaultPrevented", func(e *event) any { return e.canceled })
	get("isTrusted", func(e *event) any { return e.trusted })
	get("timeStamp", func(e *event) any { return e.time })
	c.Accessor("cancelBubble", func(this goja.Value) goja.Value { return r.VM.ToValue(self(this).stopped) }, func(this, v goja.Value) {
		if e := self(this); v.ToBoolean() {
			e.stopped = true
		}
	})
	c.Accessor("returnValue", func(this goja.Value) goja.Value { return r.VM.ToValue(!self(this).canceled) }, func(this, v goja.Value) {
		if e := self(this); !v.ToBoolean() {
			e.cancel()
		}
	})
	do := func(name string, fn func(*event)) {
		c.Method(name, 0, func(f goja.FunctionCall) goja.Value { fn(self(f.This)); return goja.Undefined() })
	}
	do("stopPropagation", func(e *event) { e.stopped = true })
	do("stopImmediatePropagation", func(e *event) { e.stopped, e.stoppedNow = true, true })
	do("preventDefault", (*event).cancel)
	c.Method("composedPath", 0, func(f goja.FunctionCall) goja.Value {
		if e := self(f.This); e.current != nil {
			return r.VM.NewArray(e.current)
		}
		return r.VM.NewArray()
	})
	c.Method("initEvent", 1, func(f goja.FunctionCall) goja.Value {
		e := self(f.This)
		r.argc(f, 1, "initEvent on Event")
		typ := r.str(f.Argument(0))
		if !e.dispatching {
			*e = event{typ: typ, initialized: true, bubbles: f.Argument(1).ToBoolean(), cancelable: f.Argument(2).ToBoolean(), time: e.time, detail: e.detail}
		}
		return goja.Undefined()
	})
	for i, name := range []string{"NONE", "CAPTURING_PHASE", "AT_TARGET", "BUBBLING_PHASE"} {
		c.Const(name, i)
	}
}

// An attribute is a member of a subclass of Event, which its constructor's options give.
type attribute struct {
	name    string
	initial func(*Realm) goja.Value
	convert func(*Realm, goja.Value) goja.Value // nil keeps any value
}

func nullInitial(*Realm) goja.Value        { return goja.Null() }
func undefinedInitial(*Realm) goja.Value   { return goja.Undefined() }
func emptyInitial(r *Realm) goja.Value     { return r.VM.ToValue("") }
func zeroInitial(r *Realm) goja.Value      { return r.VM.ToValue(0) }
func emptyListInitial(r *Realm) goja.Value { return r.VM.NewArray() }
func toStr(r *Realm, v goja.Value) goja.Value {
	return r.VM.ToValue(r.str(v))
}
func toUint32(r *Realm, v goja.Value) goja.Value { return r.VM.ToValue(uint32(r.int32(v))) }

// eventSubclass makes a class of events with further attributes.
func (r *Realm) eventSubclass(name string, attributes []attribute) *jsrt.Class {
	construct := func(c goja.ConstructorCall) any {
		e, init := r.newEvent(c, name)
		e.detail = make(map[string]goja.Value, len(attributes))
		for _, a := range attributes {
			v := member(init, a.name)
			switch {
			case v == nil:
				v = a.initial(r)
			case a.convert != nil:
				v = a.convert(r, v)
			}
			e.detail[a.name] = v
		}
		return e
	}
	return r.Class(name, 1, construct, func(c *jsrt.Class) {
		c.Extends(r.eventClass())
		for _, a := range attributes {
			c.Getter(a.name, func(this goja.Value) goja.Value {
				v := jsrt.This[*event](r.Runtime, this).detail[a.name]
				if v == nil {
					r.TypeError("Illegal invocation: function called with incorrect `this` reference.")
				}
				return v
			})
		}
	})
}

func (r *Realm) customEventClass() *jsrt.Class {
	return r.eventSubclass("CustomEvent", []attribute{{"detail", nullInitial, nil}})
}

func (r *Realm) errorEventClass() *jsrt.Class {
	return r.eventSubclass("ErrorEvent", []attribute{
		{"message", emptyInitial, toStr}, {"filename", emptyInitial, toStr},
		{"lineno", zeroInitial, toUint32}, {"colno", zeroInitial, toUint32}, {"error", undefinedInitial, nil},
	})
}

func (r *Realm) messageEventClass() *jsrt.Class {
	return r.eventSubclass("MessageEvent", []attribute{
		{"data", nullInitial, nil}, {"origin", emptyInitial, toStr}, {"lastEventId", emptyInitial, toStr},
		{"source", nullInitial, nil}, {"ports", emptyListInitial, nil},
	})
}
