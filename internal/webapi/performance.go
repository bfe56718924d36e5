package webapi

import (
	"github.com/dop251/goja"

	"samkit.dev/internal/jsrt"
)

// performanceGlobals are performance and the classes of its entries.
var performanceGlobals = []global{
	{"performance", (*Realm).performance},
	class("PerformanceEntry", (*Realm).performanceEntryClass),
	class("PerformanceMark", (*Realm).performanceMarkClass),
	class("PerformanceMeasure", (*Realm).performanceMeasureClass),
}

// maxEntries is the most marks and measures kept; then the oldest go.
const maxEntries = 1000

// A timeline is what the global performance carries.
type timeline struct {
	eventTarget
	entries []*performanceEntry
}

// A performanceEntry is a mark or a measure. Times are milliseconds since the
// realm was made.
type performanceEntry struct {
	name, kind      string
	start, duration float64
	detail          goja.Value
	self            *goja.Object
}

func (r *Realm) performance() goja.Value {
	c := r.Class("Performance", 0, nil, func(c *jsrt.Class) {
		c.Extends(r.eventTargetClass())
		r.definePerformance(c)
	})
	return c.New(&timeline{})
}

func (r *Realm) definePerformance(c *jsrt.Class) {
	self := func(v goja.Value) *timeline { return jsrt.This[*timeline](r.Runtime, v) }
	c.Getter("timeOrigin", func(this goja.Value) goja.Value {
		self(this)
		return r.VM.ToValue(r.timeOrigin())
	})
	c.Method("now", 0, func(f goja.FunctionCall) goja.Value {
		self(f.This)
		return r.VM.ToValue(r.elapsed())
	})
	c.Method("mark", 1, func(f goja.FunctionCall) goja.Value {
		t := self(f.This)
		r.argc(f, 1, "mark on Performance")
		e := r.newMark(f.Argument(0), f.Argument(1))
		return r.record(t, e)
	})
	c.Method("measure", 1, func(f goja.FunctionCall) goja.Value {
		t := self(f.This)
		r.argc(f, 1, "measure on Performance")
		return r.record(t, r.newMeasure(t, r.str(f.Argument(0)), f.Argument(1), f.Argument(2)))
	})
	clear := func(name, kind string) {
		c.Method(name, 0, func(f goja.FunctionCall) goja.Value {
			t := self(f.This)
			which, all := "", goja.IsUndefined(f.Argument(0))
			if !all {
				which = r.str(f.Argument(0))
			}
			kept := t.entries[:0:0]
			for _, e := range t.entries {
				if e.kind != kind || !all && e.name != which {
					kept = append(kept, e)
				}
			}
			t.entries = kept
			return goja.Undefined()
		})
	}
	clear("clearMarks", "mark")
	clear("clearMeasures", "measure")
	r.defineEntryLists(c, self)
	c.Method("toJSON", 0, func(f goja.FunctionCall) goja.Value {
		self(f.This)
		o := r.VM.NewObject()
		jsrt.Data(o, "timeOrigin", r.VM.ToValue(r.timeOrigin()))
		return o
	})
}

// timeOrigin is when the realm was made, in milliseconds since 1970.
func (r *Realm) timeOrigin() float64 { return float64(r.started.UnixMicro()) / 1000 }

func (r *Realm) defineEntryLists(c *jsrt.Class, self func(goja.Value) *timeline) {
	list := func(t *timeline, keep func(*performanceEntry) bool) goja.Value {
		out := []any{}
		for i := range t.entries { // a stable insertion by start
			e := t.entries[i]
			if !keep(e) {
				continue
			}
			out = append(out, e.self)
		}
		return r.VM.NewArray(out...)
	}
	c.Method("getEntries", 0, func(f goja.FunctionCall) goja.Value {
		return list(self(f.This), func(*performanceEntry) bool { return true })
	})
	c.Method("getEntriesByType", 1, func(f goja.FunctionCall) goja.Value {
		t := self(f.This)
		r.argc(f, 1, "getEntriesByType on Performance")
		kind := r.str(f.Argument(0))
		return list(t, func(e *performanceEntry) bool { return e.kind == kind })
	})
	c.Method("getEntriesByName", 1, func(f goja.FunctionCall) goja.Value {
		t := self(f.This)
		r.argc(f, 1, "getEntriesByName on Performance")
		name, kind := r.str(f.Argument(0)), ""
		if v := f.Argument(1); !goja.IsUndefined(v) {
			kind = r.str(v)
		}
		return list(t, func(e *performanceEntry) bool { return e.name == name && (kind == "" || e.kind == kind) })
	})
}

// record keeps an entry, in the order of start times.
func (r *Realm) record(t *timeline, e *performanceEntry) goja.Value {
	class := r.performanceMarkClass()
	if e.kind == "measure" {
		class = r.performanceMeasureClass()
	}
	e.self = class.New(e)
	if len(t.entries) >= maxEntries {
		t.entries = append(t.entries[:0:0], t.entries[1:]...)
	}
	at := len(t.entries)
	for at > 0 && t.entries[at-1].start > e.start {
		at--
	}
	t.entries = append(t.entries[:at:at], append([]*performanceEntry{e}, t.entries[at:]...)...)
	return e.self
}

func (r *Realm) newMark(name, options goja.Value) *performanceEntry {
	e := &performanceEntry{name: r.str(name), kind: "mark", start: r.elapsed(), detail: goja.Null()}
	init := r.dictionary(options, "The mark's options")
	if v := member(init, "detail"); v != nil && !goja.IsNull(v) {
		e.detail = r.clone(v)
	}
	if v := member(init, "startTime"); v != nil {
		if e.start = r.finite(v, "startTime"); e.start < 0 {
			r.TypeError("The mark's startTime is negative")
		}
	}
	return e
}

func (r *Realm) newMeasure(t *timeline, name string, start, end goja.Value) *performanceEntry {
	e := &performanceEntry{name: name, kind: "measure", detail: goja.Null()}
	var length goja.Value
	if o, ok := start.(*goja.Object); ok {
		if v := member(o, "detail"); v != nil && !goja.IsNull(v) {
			e.detail = r.clone(v)
		}
		start, end, length = member(o, "start"), member(o, "end"), member(o, "duration")
		if start == nil && end == nil {
			r.TypeError("The measure's options have neither start nor end")
		}
		if start != nil && end != nil && length != nil {
			r.TypeError("The measure's options have start, end and duration")
		}
	}
	given := func(v goja.Value) bool { return v != nil && !goja.IsUndefined(v) }
	from, to := 0.0, r.elapsed()
	if given(start) {
		from = r.markTime(t, start)
	}
	if given(end) {
		to = r.markTime(t, end)
	}
	if given(length) {
		d := r.finite(length, "duration")
		if given(start) {
			to = from + d
		} else {
			from = to - d
		}
	}
	e.start, e.duration = from, to-from
	return e
}

// markTime is a time in milliseconds or the name of a mark.
func (r *Realm) markTime(t *timeline, v goja.Value) float64 {
	if goja.IsNumber(v) {
		return r.finite(v, "The time")
	}
	name := r.str(v)
	for i := len(t.entries) - 1; i >= 0; i-- {
		if e := t.entries[i]; e.kind == "mark" && e.name == name {
			return e.start
		}
	}
	r.throw("SyntaxError", "The mark '"+name+"' does not exist.")
	return 0
}

func (r *Realm) performanceEntryClass() *jsrt.Class {
	return r.Class("PerformanceEntry", 0, nil, func(c *jsrt.Class) {
		self := func(v goja.Value) *performanceEntry { return jsrt.This[*performanceEntry](r.Runtime, v) }
		get := func(name string, of func(*performanceEntry) any) {
			c.Getter(name, func(this goja.Value) goja.Value { return r.VM.ToValue(of(self(this))) })
		}
		get("name", func(e *performanceEntry) any { return e.name })
		get("entryType", func(e *performanceEntry) any { return e.kind })
		get("startTime", func(e *performanceEntry) any { return e.start })
		get("duration", func(e *performanceEntry) any { return e.duration })
		c.Method("toJSON", 0, func(f goja.FunctionCall) goja.Value {
			e, o := self(f.This), r.VM.NewObject()
			jsrt.Data(o, "name", r.VM.ToValue(e.name))
			jsrt.Data(o, "entryType", r.VM.ToValue(e.kind))
			jsrt.Data(o, "startTime", r.VM.ToValue(e.start))
			jsrt.Data(o, "duration", r.VM.ToValue(e.duration))
			jsrt.Data(o, "detail", e.detail)
			return o
		})
	})
}

func (r *Realm) performanceMarkClass() *jsrt.Class {
	construct := func(c goja.ConstructorCall) any {
		r.ctorArgc(c, 1, "PerformanceMark")
		return r.newMark(c.Argument(0), c.Argument(1))
	}
	return r.entryClass("PerformanceMark", 1, construct)
}

func (r *Realm) performanceMeasureClass() *jsrt.Class {
	return r.entryClass("PerformanceMeasure", 0, nil)
}

func (r *Realm) entryClass(name string, length int, construct func(goja.ConstructorCall) any) *jsrt.Class {
	return r.Class(name, length, construct, func(c *jsrt.Class) {
		c.Extends(r.performanceEntryClass())
		c.Getter("detail", func(this goja.Value) goja.Value { return jsrt.This[*performanceEntry](r.Runtime, this).detail })
	})
}

// finite converts a value to a number that is neither NaN nor infinite.
func (r *Realm) finite(v goja.Value, what string) float64 {
	f := r.number(v)
	if f-f != 0 {
		r.TypeError("%s is not a finite number", what)
	}
	return f
}
