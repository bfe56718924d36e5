package workers

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"runtime/debug"
	"strings"

	"github.com/dop251/goja"

	"samkit.dev/host"
	"samkit.dev/internal/httpcache"
	"samkit.dev/internal/isolate"
	"samkit.dev/internal/jsrt"
)

// The kinds of bindings.
const (
	kindJSON byte = iota + 1
	kindKV
	kindDB
	kindCaller
	kindFetch
	kindAbsent
)

// A bindingSpec is what a runner knows of a binding: enough to build env, nothing
// that it could use by itself.
type bindingSpec struct {
	name   string
	kind   byte
	json   string // of kindAbsent: what is said; of kindCaller: its constants
	flat   bool
	groups []funcGroup
}

// A funcGroup is the functions of one capability.
type funcGroup struct {
	name    string
	version int
	funcs   []string
}

func (b Binding) kind() byte {
	switch {
	case b.KV != nil:
		return kindKV
	case b.DB != nil:
		return kindDB
	case b.Caller != nil:
		return kindCaller
	case b.Fetch != nil:
		return kindFetch
	case b.Absent != "":
		return kindAbsent
	}
	return kindJSON
}

func appendBindings(b []byte, list []Binding) []byte {
	b = isolate.AppendUint32(b, uint32(len(list)))
	for _, d := range list {
		b = isolate.AppendString(b, d.Name)
		b = append(b, d.kind())
		switch {
		case d.Absent != "":
			b = isolate.AppendString(b, d.Absent)
		case d.Caller != nil:
			b = isolate.AppendBytes(b, callerValues(d.Caller))
		default:
			b = isolate.AppendBytes(b, d.JSON)
		}
		b = isolate.AppendBool(b, d.Flat)
		groups := callerGroups(d.Caller)
		b = isolate.AppendUint32(b, uint32(len(groups)))
		for _, g := range groups {
			b = isolate.AppendString(b, g.name)
			b = isolate.AppendUint32(b, uint32(g.version))
			b = isolate.AppendUint32(b, uint32(len(g.funcs)))
			for _, f := range g.funcs {
				b = isolate.AppendString(b, f)
			}
		}
	}
	return b
}

func readBindings(rd *isolate.Reader) []bindingSpec {
	text := func() string { return strings.Clone(rd.String()) } // which does not keep the frame with the script in it
	list := make([]bindingSpec, rd.Count(10))
	for i := range list {
		d := &list[i]
		d.name, d.kind, d.json, d.flat = text(), rd.Byte(), text(), rd.Bool()
		d.groups = make([]funcGroup, rd.Count(12))
		for k := range d.groups {
			g := &d.groups[k]
			g.name, g.version = text(), int(rd.Uint32())
			g.funcs = make([]string, rd.Count(4))
			for j := range g.funcs {
				g.funcs[j] = text()
			}
		}
	}
	return list
}

// buildEnv makes the env object, and what is behind each name on it.
func (in *instance) buildEnv() {
	in.env = in.realm.VM.NewObject()
	for i, d := range in.app.bindings {
		var v goja.Value
		switch d.kind {
		case kindJSON:
			v = in.variable(d.json)
		case kindKV:
			v = in.kvObject(uint32(i))
		case kindDB:
			v = in.dbObject(uint32(i))
		case kindCaller:
			v = in.callerObject(uint32(i), d)
		case kindFetch:
			v = in.fetcherObject(uint32(i))
		case kindAbsent:
			v = in.absentObject(d.name, d.json)
		default:
			continue
		}
		jsrt.Data(in.env, d.name, v)
	}
	in.realm.HideGlobal("__samkit_env", in.env)
}

func (in *instance) variable(text string) (v goja.Value) {
	if in.realm.Try(func() { v = in.realm.ParseJSON(text) }) != nil {
		return goja.Undefined()
	}
	return v
}

// An op is a binding call that waits for its answer.
type op struct {
	id      uint32
	binding uint32
	payload []byte
	call    *call
	promise *jsrt.Deferred
	convert func(rd *isolate.Reader) goja.Value
	done    func(rd *isolate.Reader, thrown goja.Value) // in place of promise and convert
}

// ask sends a binding call and returns a promise for what convert makes of the answer.
// All that one turn asks leaves in one frame.
func (in *instance) ask(binding uint32, payload []byte, convert func(*isolate.Reader) goja.Value) goja.Value {
	o := &op{binding: binding, payload: payload, call: in.charge(), promise: in.realm.Defer(), convert: convert}
	in.send(o)
	return o.promise.Promise
}

// charge counts a call against its request, which it returns, or throws.
func (in *instance) charge() *call {
	c, _ := in.realm.Tracked.(*call)
	if c == nil || c.ended {
		in.realm.TypeError("Disallowed operation called within global scope. Bindings answer only while a request is handled.")
	}
	in.chargeTo(c)
	return c
}

// chargeTo counts a call against a request, or throws.
func (in *instance) chargeTo(c *call) {
	c.made++
	if c.made > c.app.limits.calls {
		e := in.realm.NewError("Error", limitMessage("limit_calls"))
		jsrt.Data(e, "code", in.realm.VM.ToValue("limit_calls"))
		panic(e)
	}
}

// send has a call leave with this turn.
func (in *instance) send(o *op) {
	in.r.nextOp++
	o.id = in.r.nextOp
	c := o.call
	if c.ops == nil {
		c.ops = map[uint32]*op{}
	}
	c.ops[o.id] = o
	in.waiting++
	in.asked = append(in.asked, o)
}

// drop forgets a call whose answer is not wanted any more.
func (o *op) drop(in *instance) {
	if o.call.ops[o.id] == o {
		delete(o.call.ops, o.id)
		in.waiting--
	}
}

// How an answer starts.
const (
	answerOK    byte = iota
	answerError      // class, message, properties as JSON
)

// settle takes a replies frame: the answers settle in one turn, so that the job
// queue runs once.
func (c *call) settle(rd *isolate.Reader) {
	in := c.in
	in.enter(c, func() {
		for range rd.Count(9) {
			id := rd.Uint32()
			answer := isolate.NewReader(rd.String())
			o := c.ops[id]
			if o == nil {
				continue
			}
			delete(c.ops, id)
			in.waiting--
			o.settle(in, &answer)
		}
	})
}

func (o *op) settle(in *instance, answer *isolate.Reader) {
	if o.done != nil {
		var thrown goja.Value
		if answer.Byte() != answerOK {
			if failed := in.realm.Try(func() { thrown = in.answered(answer) }); failed != nil {
				thrown = failed
			}
		}
		o.done(answer, thrown)
		return
	}
	thrown := in.realm.Try(func() {
		if answer.Byte() == answerOK {
			v := o.convert(answer)
			if answer.Err() != nil {
				in.realm.TypeError("malformed answer")
			}
			o.promise.Resolve(v)
			return
		}
		o.promise.Reject(in.answered(answer))
	})
	if thrown != nil {
		o.promise.Reject(thrown)
	}
}

// answered makes the error that an answer holds.
func (in *instance) answered(answer *isolate.Reader) goja.Value {
	class, message, cause, props := answer.String(), answer.String(), answer.String(), answer.String()
	e := in.realm.NewError(class, message)
	if cause != "" {
		jsrt.Hide(e, "cause", in.realm.NewError("Error", cause))
	}
	if props != "" {
		if p, ok := in.realm.ParseJSON(props).(*goja.Object); ok {
			for _, k := range p.Keys() {
				jsrt.Data(e, k, p.Get(k))
			}
		}
	}
	return e
}

// answer appends an answer of the pool's to b: what fill appends, or an error.
func answer(b []byte, log *slog.Logger, app *App, fill func(b []byte) ([]byte, error)) []byte {
	at := len(b)
	b = isolate.AppendUint32(b, 0) // the length, known afterwards
	out, err := fill(append(b, answerOK))
	if err != nil {
		out = appendError(b, log, app, err)
	}
	n := len(out) - at - 4
	isolate.AppendUint32(out[:at], uint32(n))
	return out
}

// A jsError is an error for JavaScript as it is, message included.
type jsError struct {
	class, message string
	cause          string // of an Error that it wraps, or ""
	props          map[string]any
	err            error
}

func (e *jsError) Error() string { return e.message }
func (e *jsError) Unwrap() error { return e.err }

// appendError tells code what it may know of an error: its own errors in full,
// of any other only that there was one.
func appendError(b []byte, log *slog.Logger, app *App, err error) []byte {
	var js *jsError
	var he *host.Error
	var ne *NetworkError
	switch {
	case errors.As(err, &js):
	case errors.As(err, &ne):
		js = ne.js()
	case errors.As(err, &he):
		js = fromHostError(he)
	case errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded):
		js = &jsError{class: "Error", message: "the request ended before the call"}
	default:
		log.Error("samkit: a binding failed", "project", app.Project, "error", err)
		js = &jsError{class: "Error", message: "internal error"}
	}
	b = append(b, answerError)
	b = isolate.AppendString(b, js.class)
	b = isolate.AppendString(b, js.message)
	b = isolate.AppendString(b, js.cause)
	if len(js.props) == 0 {
		return isolate.AppendString(b, "")
	}
	props, err := json.Marshal(js.props)
	if err != nil {
		props = nil
	}
	return isolate.AppendBytes(b, props)
}

func fromHostError(e *host.Error) *jsError {
	code := e.Code
	if code == "" {
		code = host.Internal
	}
	js := &jsError{class: "Error", message: e.Message, props: map[string]any{"code": string(code)}, err: e}
	if js.message == "" {
		js.message = string(code)
	}
	if e.Hint != "" {
		js.props["hint"] = e.Hint
	}
	if e.Retry {
		js.props["retryable"] = true
	}
	if len(e.Grant) > 0 {
		js.props["grant"] = e.Grant
	}
	if len(e.Details) > 0 {
		js.props["details"] = e.Details
	}
	return js
}

// perform runs one binding call of an app, with the authority of this process,
// and appends its answer. It never panics: what a host's code throws is an answer, too.
func perform(ctx context.Context, log *slog.Logger, store *httpcache.Store, app *App, streams *callerStreams, o opCall, b []byte) (out []byte) {
	at := len(b)
	defer func() {
		if x := recover(); x != nil {
			log.Error("samkit: a binding panicked", "project", app.Project, "panic", x, "stack", string(debug.Stack()))
			out = answer(b[:at], log, app, func([]byte) ([]byte, error) { return nil, errors.New("panic") })
		}
	}()
	return answer(b, log, app, func(b []byte) ([]byte, error) {
		rd, binding := isolate.NewReader(o.payload), o.binding
		if binding == cacheBinding {
			return performCache(store, app, &rd, b)
		}
		if int(binding) >= len(app.Bindings) {
			return nil, &jsError{class: "TypeError", message: "no such binding"}
		}
		d := &app.Bindings[binding]
		switch d.kind() {
		case kindKV:
			return performKV(ctx, d.KV, &rd, b)
		case kindDB:
			return performDB(ctx, d.DB, &rd, b)
		case kindCaller:
			return performCaller(ctx, d.Caller, streams, o, &rd, b)
		case kindFetch:
			return performFetch(ctx, d.Fetch, &rd, b)
		}
		return nil, &jsError{class: "TypeError", message: "the binding takes no calls"}
	})
}
