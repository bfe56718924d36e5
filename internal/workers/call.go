package workers

import (
	"bytes"
	"log/slog"
	"time"

	"github.com/dop251/goja"

	"samkit.dev/internal/isolate"
	"samkit.dev/internal/jsrt"
	"samkit.dev/internal/webapi"
)

// A call is a request while JavaScript has it.
type call struct {
	r   *runner
	id  uint32
	app *loaded
	in  *instance

	incoming  webapi.Incoming
	scheduled *Scheduled  // the event, if it is no request
	body      *bodySource // of the request, if it comes in pieces
	abort     func(goja.Value)

	promise   *goja.Promise // what the handler returned
	result    goja.Value    // the same if it is a Response already, without a promise
	answered  bool          // a head or a failure has been sent
	streaming bool          // the response body is not complete
	canceled  bool
	ended     bool
	exceeded  string // the limit that it passed, until it has been failed for it
	unheard   int    // what it printed in that time

	socket  *callSocket   // that the request was answered with
	source  webapi.Source // of the response body
	pulling bool
	credit  int
	sent    int64
	rest    []byte // of a piece of the body, for which the reader has no room yet
	finale  func() // ends the body after it

	waits     int // promises given to waitUntil
	ops       map[uint32]*op
	made      int // binding calls so far
	fetches   []*fetching
	timers    map[*timer]bool
	cpu       time.Duration
	console   int64
	unhandled map[*goja.Promise]bool
}

// read takes a request frame apart.
func (c *call) read(rd *isolate.Reader) {
	c.scheduled = readEvent(rd)
	c.incoming.Method = rd.String()
	c.incoming.URL = rd.String()
	c.incoming.Header = readHeader(rd)
	kind := rd.Byte()
	body := rd.String()
	switch {
	case kind == bodyStream:
		c.body = &bodySource{c: c}
		c.incoming.Source = c.body
	case body != "":
		c.incoming.Body = []byte(body)
	}
	c.credit = streamWindow
}

// begin runs the handler until it returns or waits.
func (c *call) begin() {
	in := c.in
	begin := time.Now()
	in.realm.Tracked = c
	in.r.running(in)
	result, err := c.run()
	in.r.running(nil)
	in.realm.Tracked = nil
	c.cpu += time.Since(begin)
	if err == nil {
		if p, ok := jsrt.IsPromise(result); ok {
			c.promise = p
		} else if c.scheduled == nil && in.realm.IsPlainResponse(result) {
			c.result = result
		} else {
			in.enter(c, func() { c.promise, _ = jsrt.IsPromise(in.realm.Resolved(result)) })
			return
		}
	}
	in.after(c, err)
}

// run calls the handler.
func (c *call) run() (result goja.Value, err error) {
	in := c.in
	if c.scheduled != nil {
		return c.runScheduled()
	}
	if in.fetch == nil && in.ctor == nil {
		c.fail(noHandler)
		return goja.Undefined(), nil
	}
	request, abort := in.realm.NewRequest(&c.incoming)
	c.abort = abort
	if in.fetch != nil {
		return in.realm.Enter(in.fetch, in.def, request, in.env, c.context())
	}
	err = in.realm.Turn(func() {
		o := c.entrypoint()
		fetch, ok := goja.AssertFunction(o.Get("fetch"))
		if !ok {
			in.realm.TypeError("fetch is not a function")
		}
		result = in.realm.Call(fetch, o, request)
	})
	return result, err
}

// entrypoint is a new object of the exported class. It runs in a turn.
func (c *call) entrypoint() *goja.Object {
	o, err := c.in.ctor(nil, c.context(), c.in.env)
	if err != nil {
		panic(err)
	}
	return o
}

// context is the ctx that the handler gets.
func (c *call) context() goja.Value {
	in := c.in
	if in.ctx == nil {
		in.ctx = in.realm.Class("ExecutionContext", 0, nil, func(k *jsrt.Class) {
			this := func(v goja.Value) *call { return jsrt.This[*call](in.realm.Runtime, v) }
			k.Method("waitUntil", 1, func(f goja.FunctionCall) goja.Value {
				if c := this(f.This); len(f.Arguments) > 0 {
					c.waitUntil(f.Argument(0))
				} else {
					in.realm.TypeError("Failed to execute 'waitUntil' on 'ExecutionContext': parameter 1 is not of type 'Promise'.")
				}
				return goja.Undefined()
			})
			k.Method("passThroughOnException", 0, func(f goja.FunctionCall) goja.Value { this(f.This); return goja.Undefined() })
			k.Getter("props", func(v goja.Value) goja.Value { this(v); return in.realm.VM.NewObject() })
		})
	}
	return in.ctx.New(c)
}

func (c *call) waitUntil(v goja.Value) {
	c.waits++
	done := func() { c.waits-- }
	c.in.realm.Then(v, func(goja.Value) goja.Value { done(); return nil }, func(reason goja.Value) goja.Value {
		done()
		f := c.in.describe(reason)
		c.in.log(slog.LevelError, "Uncaught (in waitUntil) "+f.message, f.stack, c)
		return nil
	})
}

// check moves the call on after a turn.
func (c *call) check() {
	if c.ended {
		return
	}
	if c.cpu > c.app.limits.cpu {
		c.exceed("limit_cpu")
	}
	if c.exceeded != "" {
		c.fail(failure{code: c.exceeded, message: limitMessage(c.exceeded)})
		c.end()
		return
	}
	if !c.answered && c.result != nil {
		c.respond(c.result)
	}
	if !c.answered && c.promise != nil {
		switch c.promise.State() {
		case goja.PromiseStateRejected:
			delete(c.unhandled, c.promise)
			c.fail(c.in.describe(c.promise.Result()))
		case goja.PromiseStateFulfilled:
			if c.scheduled != nil {
				c.finished()
				break
			}
			c.respond(c.promise.Result())
		}
	}
	c.report()
	if c.answered && !c.streaming && c.waits == 0 && !c.open() {
		c.end()
	}
}

// report prints the rejections that nothing has handled.
func (c *call) report() {
	for p := range c.unhandled {
		delete(c.unhandled, p)
		if p == c.promise || c.in.realm.Rejected(p) {
			continue
		}
		f := c.in.describe(p.Result())
		c.in.log(slog.LevelError, "Uncaught (in promise) "+f.message, f.stack, c)
	}
}

// respond sends the head of the response, and its body if that is here.
func (c *call) respond(v goja.Value) {
	var out *webapi.Outgoing
	if err := c.in.realm.Catch(func() { out = c.in.realm.Send(v) }); err != nil {
		f := c.in.failureOf(err)
		if _, ok := v.(*goja.Object); !ok {
			f = failure{code: "no_response", message: "the fetch handler did not return a Response, but " + c.in.inspect(v)}
		}
		c.fail(f)
		return
	}
	if int64(len(out.Body)) > c.app.limits.response {
		c.exceed("limit_response_body")
		c.fail(failure{code: c.exceeded, message: limitMessage(c.exceeded)})
		return
	}
	if len(out.Header) > 2*maxHeaders {
		c.fail(failure{code: "exception", message: "RangeError: the response has too many headers"})
		return
	}
	if out.Socket != nil && !upgrades(c.incoming.Header) {
		c.fail(failure{code: "exception", message: `TypeError: Worker tried to return a WebSocket in a response to a request which did not contain the header "Upgrade: websocket".`})
		return
	}
	c.answered = true
	c.streaming = out.Source != nil
	last := !c.streaming && c.waits == 0 && out.Socket == nil
	c.r.send(func(b []byte) []byte {
		b, at := isolate.Begin(b, frameHead, c.id)
		b = isolate.AppendUint32(b, uint32(out.Status))
		b = isolate.AppendString(b, out.StatusText)
		b = appendHeader(b, out.Header)
		b = isolate.AppendBool(b, last)
		switch {
		case c.streaming:
			b = append(b, bodyStream)
		case out.Socket != nil:
			b = append(b, bodySocket)
		default:
			b = append(b, bodyWhole)
		}
		b = isolate.AppendBytes(b, out.Body)
		return isolate.End(b, at)
	})
	if last {
		c.forget()
		return
	}
	if out.Socket != nil {
		c.in.enter(c, func() { c.connect(out.Socket) })
	}
	if c.streaming {
		c.source = out.Source
		c.in.enter(c, c.pump)
	}
}

// pump reads the response body as far as the reader has room. It runs in a turn.
func (c *call) pump() {
	for c.streaming && !c.pulling && c.credit > 0 && !c.ended && c.exceeded == "" {
		if len(c.rest) > 0 {
			c.flush()
			continue
		}
		c.pulling = true
		now := true
		c.source.Pull(func(chunk []byte, done bool, err goja.Value) {
			c.pulling = false
			c.deliver(chunk, done, err)
			if !now {
				c.pump()
			}
		})
		now = false
	}
}

func (c *call) deliver(chunk []byte, done bool, err goja.Value) {
	if c.ended || !c.streaming {
		return
	}
	if len(chunk) > 0 {
		c.sent += int64(len(chunk))
		if c.sent > c.app.limits.response {
			c.exceed("limit_response_body")
			return
		}
		c.rest = chunk
	}
	switch {
	case err != nil:
		f := c.in.describe(err)
		c.finale = func() {
			c.r.send(func(b []byte) []byte {
				b, at := isolate.Begin(b, frameFail, c.id)
				return isolate.End(f.append(b), at)
			})
		}
	case done:
		c.finale = func() {
			c.r.send(func(b []byte) []byte { return isolate.AppendFrame(b, frameEnd, c.id, "") })
		}
	}
	if c.flush(); len(c.rest) > 0 {
		c.rest = bytes.Clone(c.rest) // code may change its own
	}
}

// flush sends what there is room for of the last piece, and then the end of the body if there is one.
// A piece may be as large as code makes it: sent at once it would be more than the pool lets pass.
func (c *call) flush() {
	for len(c.rest) > 0 && c.credit > 0 {
		piece := c.rest[:min(len(c.rest), 1<<20)]
		c.rest = c.rest[len(piece):]
		c.credit -= len(piece)
		c.r.send(func(b []byte) []byte {
			b, at := isolate.Begin(b, frameChunk, c.id)
			return isolate.End(append(b, piece...), at)
		})
	}
	if len(c.rest) > 0 {
		return
	}
	if c.rest = nil; c.finale != nil {
		c.streaming = false
		c.finale()
	}
}

// grant lets more of the response body come.
func (c *call) grant(n int) {
	c.credit += n
	c.in.enter(c, func() {
		if c.socket != nil {
			c.socket.relieve(c)
		}
		c.pump()
	})
}

// cancel is told that nobody waits any more. If the request is over altogether
// waitUntil gets no more time either.
func (c *call) cancel(reason string, over bool) {
	if over {
		defer c.end()
	}
	if c.canceled || c.ended {
		return
	}
	c.canceled = true
	in := c.in
	in.enter(c, func() {
		why := goja.Value(in.realm.DOMException("AbortError", reason))
		if c.abort != nil {
			c.abort(why)
		}
		if c.body != nil {
			c.body.close(why)
		}
		if c.streaming {
			c.streaming = false
			c.source.Cancel(why)
		}
		if c.socket != nil {
			c.hangUp()
		}
		c.answered = true // whatever comes, nobody reads it
	})
}

// hung ends a call that nothing can ever move on.
func (c *call) hung() {
	if c.ended || c.r.calls[c.id] != c {
		return
	}
	if c.scheduled != nil && !c.answered && c.promise != nil && c.promise.State() == goja.PromiseStateFulfilled {
		c.waits = 0 // like those of a request, they are given up without a word
		c.finished()
		return
	}
	if !c.answered {
		c.fail(failure{code: "no_response", message: "the code will never generate a response: its promise waits for something that cannot happen"})
	}
	if c.streaming {
		c.streaming = false
		f := failure{code: "no_response", message: "the response body will never end: its stream waits for something that cannot happen"}
		c.r.send(func(b []byte) []byte {
			b, at := isolate.Begin(b, frameFail, c.id)
			return isolate.End(f.append(b), at)
		})
	}
	c.end()
}

func (c *call) exceed(code string) {
	if c.exceeded == "" {
		c.exceeded = code
	}
}

// fail answers the call with a failure, or cuts its body short.
func (c *call) fail(f failure) {
	if c.ended || c.answered && !c.streaming && !c.open() {
		return
	}
	c.answered, c.streaming, c.socket = true, false, nil
	c.r.send(func(b []byte) []byte {
		b, at := isolate.Begin(b, frameFail, c.id)
		return isolate.End(f.append(b), at)
	})
}

// end says that nothing of the call is left.
func (c *call) end() {
	if c.ended {
		return
	}
	c.r.send(func(b []byte) []byte { return isolate.AppendFrame(b, frameDone, c.id, "") })
	c.forget()
}

// forget drops what the call held.
func (c *call) forget() {
	c.ended = true
	delete(c.r.calls, c.id)
	in := c.in
	for i, o := range in.calls {
		if o == c {
			in.calls = append(in.calls[:i], in.calls[i+1:]...)
			break
		}
	}
	for t := range c.timers {
		in.stopTimer(t)
	}
	in.waiting -= len(c.ops)
	c.ops = nil
	for _, f := range c.fetches {
		f.unhook()
	}
	if c.body != nil && c.body.asked {
		in.waiting--
		c.body.asked = false
	}
	c.app.live--
	c.r.release(c.app)
}
