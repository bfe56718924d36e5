package workers

import (
	"time"

	"github.com/dop251/goja"

	"samkit.dev/internal/isolate"
	"samkit.dev/internal/jsrt"
)

// Scheduled is the event of a cron trigger.
type Scheduled struct {
	Cron string
	Time time.Time // that it is for, in milliseconds
}

// What a request frame is for.
const (
	eventFetch byte = iota
	eventScheduled
)

func appendEvent(b []byte, q *Request) []byte {
	if q.Scheduled == nil {
		return append(b, eventFetch)
	}
	b = append(b, eventScheduled)
	b = isolate.AppendString(b, q.Scheduled.Cron)
	return isolate.AppendUint64(b, uint64(q.Scheduled.Time.UnixMilli()))
}

func readEvent(rd *isolate.Reader) *Scheduled {
	if rd.Byte() != eventScheduled {
		return nil
	}
	return &Scheduled{Cron: rd.String(), Time: time.UnixMilli(int64(rd.Uint64()))}
}

// runScheduled calls the scheduled handler.
func (c *call) runScheduled() (goja.Value, error) {
	in := c.in
	var handler goja.Callable
	var this, result goja.Value
	err := in.realm.Turn(func() {
		args := []goja.Value{in.controller(c.scheduled), in.env, c.context()}
		o := in.def.(*goja.Object)
		if in.ctor != nil {
			o = c.entrypoint()
			args = args[:1]
		}
		this = o
		handler, _ = goja.AssertFunction(o.Get("scheduled"))
		if handler != nil {
			result = in.realm.Call(handler, this, args...)
		}
	})
	if err == nil && handler == nil {
		c.fail(failure{code: "no_handler", message: "functions.js has no scheduled handler: export default { async scheduled(controller, env, ctx) { … } }"})
		return goja.Undefined(), nil
	}
	return result, err
}

// controller is the ScheduledController that the handler gets.
func (in *instance) controller(s *Scheduled) goja.Value {
	class := in.realm.Class("ScheduledController", 0, nil, func(k *jsrt.Class) {
		this := func(v goja.Value) *Scheduled { return jsrt.This[*Scheduled](in.realm.Runtime, v) }
		k.Getter("cron", func(v goja.Value) goja.Value { return in.realm.VM.ToValue(this(v).Cron) })
		k.Getter("scheduledTime", func(v goja.Value) goja.Value { return in.realm.VM.ToValue(this(v).Time.UnixMilli()) })
		// Nothing here tries again.
		k.Method("noRetry", 0, func(f goja.FunctionCall) goja.Value { this(f.This); return goja.Undefined() })
	})
	return class.New(s)
}

// finished answers for a scheduled handler that has returned, with an empty
// response, once what it gave to waitUntil is over as well.
func (c *call) finished() {
	if c.waits > 0 {
		return
	}
	c.answered = true
	c.r.send(func(b []byte) []byte {
		b, at := isolate.Begin(b, frameHead, c.id)
		b = isolate.AppendUint32(b, 204)
		b = isolate.AppendString(b, "")
		b = appendHeader(b, nil)
		b = isolate.AppendBool(b, true)
		b = append(b, bodyWhole)
		b = isolate.AppendString(b, "")
		return isolate.End(b, at)
	})
	c.forget()
}
